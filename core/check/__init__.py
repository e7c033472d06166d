"""Hand-computed numbers marked as a teacher marks them: right to the digits written, consistent, or wrong and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.check.answers import EnteredNumber
from core.check.report import FOLLOWS, RIGHT, WRONG, CheckReport, MarkedNumber, Mistake

if TYPE_CHECKING:
    from core.check.marking import check

__all__ = [
    "FOLLOWS",
    "RIGHT",
    "WRONG",
    "CheckReport",
    "EnteredNumber",
    "MarkedNumber",
    "Mistake",
    "check",
]


def __getattr__(name: str) -> Any:
    """`check` and its search for slips are loaded by who marks: what a learner has written is part of every state."""
    if name != "check":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from core.check.marking import check

    return check
