"""Where the files that ship with the program stand."""

from __future__ import annotations

from pathlib import Path

# `resources` is the neighbour of `core` in the source tree, in site-packages and in a frozen bundle alike.
_ROOT = Path(__file__).resolve().parent.parent / "resources"


def resource(*parts: str) -> Path:
    """The path of a shipped file or folder, such as ``resource("icons", "play.svg")``. It need not exist."""
    return _ROOT.joinpath(*parts)
