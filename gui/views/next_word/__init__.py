"""The next word: probabilities, sampling, draws, and generation."""
