"""Numbers in and out: pasted text, files of other programs, copies, scripts, workbooks.

`parse_matrix` reads pasted text. Functions that need heavy libraries (openpyxl) import them when
called.
"""

from core.exchange.expression import parse_number
from core.exchange.paste import (
    LabelledMatrix,
    parse_cells,
    parse_labelled,
    parse_matrix,
    parse_tensor,
)
from core.exchange.write import FORMS, pieces, write

__all__ = [
    "FORMS",
    "LabelledMatrix",
    "parse_cells",
    "parse_labelled",
    "parse_matrix",
    "parse_number",
    "parse_tensor",
    "pieces",
    "write",
]
