"""Presentation mode: full-screen picture for the audience, notes for the speaker, pointer, pen."""
