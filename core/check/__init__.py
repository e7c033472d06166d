"""Check hand-computed numbers: right to the digits written, consistent with earlier ones, or wrong
and why.
"""
