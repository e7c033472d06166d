"""The workshop: documents, the mathematics of self-attention, stepping. No Qt, no sentences for
people.
"""

__version__ = "0.1.0"
