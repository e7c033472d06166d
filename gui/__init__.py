"""The rooms people see: everything Qt."""
