"""Widgets that several packages share."""
