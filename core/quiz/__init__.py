"""Quiz cards and the numbers of their exercises."""
