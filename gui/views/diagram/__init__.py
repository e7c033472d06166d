"""The diagram: the run as a data-flow picture, stepped, zoomed and clicked."""
