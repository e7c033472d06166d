"""Tables of every tensor, and the switches beside them."""
