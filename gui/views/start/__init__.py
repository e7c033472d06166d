"""The start page: three doors, examples or recent files, and what was finished."""
