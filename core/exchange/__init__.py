"""Numbers in and out: pasted text, files of other programs, copies, scripts, workbooks.

`parse_matrix` and `parse_matrices` read text. Functions that need heavy libraries (openpyxl) import
them when called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.exchange.paste import parse_matrices, parse_matrix

__all__ = ["parse_matrices", "parse_matrix"]


def __getattr__(name: str) -> Any:
    """Import the readers when they are asked for: the start of the window needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from core.exchange import paste

    return getattr(paste, name)
