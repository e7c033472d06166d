"""Diagram view: the run as a data-flow picture with steps, zoom and clicks."""
