"""Numbers in and out: pasted text, files of other programs, copies, scripts, workbooks.

`parse_matrix` is the door for pasted text. Heavy libraries (openpyxl) are imported by the functions that need them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from core.exchange.expression import parse_number
from core.exchange.write import FORMS, pieces, write

if TYPE_CHECKING:
    from core.exchange.paste import (
        Labelled,
        parse_cells,
        parse_matrix,
        parse_tensor,
        parse_tokens_matrix,
    )

__all__ = [
    "FORMS",
    "Labelled",
    "parse_cells",
    "parse_matrix",
    "parse_number",
    "parse_tensor",
    "parse_tokens_matrix",
    "pieces",
    "write",
]


def __getattr__(name: str) -> Any:
    """What reads a paste is loaded by who pastes; single numbers are read all the time."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("core.exchange.paste"), name)
