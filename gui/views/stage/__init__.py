"""The current operation large, as matrices with digits, and the worked sum of its marked cell."""
