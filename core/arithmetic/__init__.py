"""Attention, softmax, positional encodings and masks as functions of arrays."""
