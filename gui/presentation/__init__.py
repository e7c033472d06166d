"""Presentation mode: a full-screen picture for the audience, notes for the speaker, pointer and pen."""
