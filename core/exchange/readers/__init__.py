"""Readers of matrices in text: one for brackets, one for LaTeX, one for tables in lines.

`notations` is the table of signs and names; `find_matrices` asks each reader in turn.
"""
