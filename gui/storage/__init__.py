"""Files of experiments and lessons, autosave and recovery."""
