"""The views of the main window. They never import each other."""
