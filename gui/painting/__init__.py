"""Shared painters of widgets, pictures and exports: matrices, math text, colours, themes."""
