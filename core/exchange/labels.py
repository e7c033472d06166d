"""The few words that stand in exported files; whoever knows the user's language gives others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Labels:
    """Words for workbooks and LaTeX; {…} stand for what is filled in."""

    settings: str = "settings"
    entered: str = "entered"
    computed: str = "computed"
    what_if: str = "what-if value"
    head: str = "head {number}"
    on: str = "1 = on, 0 = off"
    mask: str = "mask"
    allowed: str = "1 = allowed, 0 = not allowed"
    base: str = "base"
    scale: str = "scale"
    slope: str = "slope"
