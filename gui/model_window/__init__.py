"""The model window: the heads of a trained model over a sentence, edits, and the next word."""
