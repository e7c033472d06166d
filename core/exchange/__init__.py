"""Numbers in and out: pasted text, files of other programs, copies, scripts, workbooks.

`parse_matrix` and `parse_matrices` read text; `find_matrices` lists what a page holds. Functions
that need heavy libraries (openpyxl) import them when called.
"""

from core.exchange.expression import parse_number
from core.exchange.paste import (
    LabelledMatrix,
    parse_cells,
    parse_labelled,
    parse_matrices,
    parse_matrix,
    parse_tensor,
)
from core.exchange.readers.find import FoundMatrix, Question, Reading, find_matrices
from core.exchange.write import FORMS, pieces, write

__all__ = [
    "FORMS",
    "FoundMatrix",
    "LabelledMatrix",
    "Question",
    "Reading",
    "find_matrices",
    "parse_cells",
    "parse_labelled",
    "parse_matrices",
    "parse_matrix",
    "parse_number",
    "parse_tensor",
    "pieces",
    "write",
]
