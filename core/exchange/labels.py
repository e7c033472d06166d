"""The words in exported files: English here, other languages from gui.texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

HEADS = "heads:"  # caption of a reading of fused weights, before the number of heads


@dataclass(frozen=True, slots=True)
class Labels:
    """Words for workbooks, LaTeX, scripts and notebooks; {…} are placeholders.

    `comments` are the comments of code by their English text. `rows` says that tokens are rows in
    the file, for readers who saw them as columns; "" otherwise. `beyond` warns in code whose sums
    exceed the doubles.
    """

    settings: str = "settings"
    not_imported: str = (
        "Import reads the sheets of entered numbers; changes to these settings are not imported."
    )
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
    experiment: str = (
        "The experiment, so that this workbook can be imported; its numbers are in the ranges named"
    )
    comments: Mapping[str, str] = field(default_factory=dict)
    rows: str = ""
    beyond: str = "Numbers go beyond 1.8×10³⁰⁸: the experiment stops there, this code goes on with inf and may print nan."
