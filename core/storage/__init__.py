"""Experiment files and the examples that ship."""
