"""The answers of a class: which experiment they belong to, their files, and how they are counted."""
