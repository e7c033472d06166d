"""Check my work, and predict before it is revealed: the learner's own numbers beside the true ones."""
