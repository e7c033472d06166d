"""Unhandled exceptions: logged to a file and reported; the program goes on."""
