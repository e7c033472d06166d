"""Worked sums, exact fractions, gradient derivations and the timeline of steps."""
