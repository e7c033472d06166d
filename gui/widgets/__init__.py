"""Small widgets that several panels are made of."""
