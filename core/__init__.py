"""The workshop: documents, the mathematics of self-attention, stepping. No Qt, no sentences for people."""
