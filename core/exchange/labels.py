"""The few words that stand in exported files; whoever knows the user's language gives others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Labels:
    """Words for workbooks, LaTeX, scripts and notebooks; {…} stand for what is filled in.

    `comments` are the comments of code by their English. `rows` says that tokens are rows in the file, for a reader who
    has seen them as columns; "" where that goes without saying. `beyond` stands in code whose sums go beyond what
    a double holds.
    """

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
    comments: Mapping[str, str] = field(default_factory=dict)
    rows: str = ""
    beyond: str = "Numbers go beyond 1.8×10³⁰⁸: the experiment stops there, this code goes on with inf and may print nan."
