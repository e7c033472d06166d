"""Exceptions that nobody foresaw: noted in a file, told in a sentence, and never the end of the work."""
