"""Painters that widgets, pictures and exports share: matrices, math text, colors, themes."""
