"""Lessons: read, resolve, edit and write scenes."""
