"""The user guide in a window of its own, from the Markdown that is also read in docs/guide."""
