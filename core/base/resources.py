"""Where the files that ship with the program stand."""

from __future__ import annotations

from pathlib import Path

# `resources` is the neighbour of `core` in the source tree, in site-packages and in a frozen bundle alike.
_ROOT = Path(__file__).resolve().parents[2] / "resources"


def resource(*parts: str) -> Path:
    """The path of a shipped file or folder, such as ``resource("icons", "play.svg")``. It need not exist."""
    return _ROOT.joinpath(*parts)


def guide(*parts: str) -> Path:
    """The path of a file of the user guide: among the resources once installed, in docs/guide in the source tree."""
    installed = resource("guide")
    folder = installed if installed.is_dir() else _ROOT.parent / "docs" / "guide"
    return folder.joinpath(*parts)
