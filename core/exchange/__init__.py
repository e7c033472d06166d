"""Numbers in and out: pasted text, files of other programs, copies, scripts, workbooks.

`parse_matrix` is the door for pasted text. Heavy libraries (openpyxl) are imported by the functions that need them.
"""

from core.exchange.expression import parse_number
from core.exchange.paste import Labelled, parse_cells, parse_matrix, parse_tensor, parse_tokens_matrix
from core.exchange.write import FORMS, write

__all__ = [
    "FORMS",
    "Labelled",
    "parse_cells",
    "parse_matrix",
    "parse_number",
    "parse_tensor",
    "parse_tokens_matrix",
    "write",
]
