"""The experiment as frozen data: its parts, validation, edits and resizing."""
