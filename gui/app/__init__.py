"""The application and its main window: actions, menus, toolbar, docks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gui.app.application import build_window

__all__ = ["build_window"]


def __getattr__(name: str) -> Any:
    """Import the application when `build_window` is asked for: submodules are imported far more
    often.
    """
    if name != "build_window":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gui.app.application import build_window

    return build_window
