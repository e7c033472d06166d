"""What is seen, written to files: pictures, animations, slides, a page. Each exporter works without a window."""
