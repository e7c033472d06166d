"""The window Class, and what it shares with the command: names of students, and the table."""
