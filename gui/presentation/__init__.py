"""The lecture room: one picture for the hall, notes for the lecturer, and what a clicker and a pointer do."""
