"""Labs as people see them: controls on the left, the picture on the right, what to notice and to try below."""
