"""One part that fails must not take the others with it."""

from __future__ import annotations

import sys
from collections.abc import Callable


def guard(function: Callable[..., object], *args: object) -> bool:
    """Call it; whether it went well. An exception goes where exceptions of slots and events go, and no further."""
    try:
        function(*args)
    except Exception:
        sys.excepthook(*sys.exc_info())
        return False
    return True
