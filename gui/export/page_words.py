"""The words of the page, and how sums are packed for it. Free of Qt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gui.texts.rich_text import Line
from gui.texts.translation import SOURCE, current_labels, languages, mark, spoken

# Texts that stand elsewhere in the program too are translated there.
WORDS = {
    "first": mark("First step"),
    "back": mark("Step back"),
    "play": mark("Play"),
    "pause": mark("Pause"),
    "forward": mark("Step forward"),
    "last": mark("Last step"),
    "grain": mark("Step by"),
    "stage": mark("Stage"),
    "row": mark("Row"),
    "cell": mark("Cell"),
    "column": mark("Column"),
    "head": mark("Head"),
    "stages": mark("Stages"),
    "timeline": mark("Timeline"),
    "step": mark("Step {step} of {steps}"),
    "sum": mark("Worked sum"),
    "ahead": mark("Not reached yet: step on, and the numbers appear."),
    "given": mark("entered: {value}"),
    "no_sum": mark("This page holds no worked sum for this number."),
    "large": mark(
        "{n} tokens are too many for numbers on a page: the colours show what is large and what is small."
    ),
    "hint": mark(
        "Tap a number to see where it comes from. ← and → step, Shift and arrows walk over the numbers."
    ),
    "where_lead": mark("{stage}, query {row}"),
    "where_pair": mark("{stage}, query {row}, key {column}"),
    "where_column": mark("{stage}, row {row}, {column}"),
    "where_row": mark("{stage}, {row}, column {column}"),
    "diagram": mark("Diagram"),
    "scene": mark("Scene"),
    "scenes": mark("Scenes"),
    "scene_count": mark("Scene {scene} of {scenes}"),
    "scene_step": mark("Scene {scene} of {scenes}, step {step} of {steps}"),
    "question": mark("Question"),
    "answer": mark("Answer"),
    "off": mark("off"),
    "ghost": mark("not reached yet"),
    "masked": mark("masked"),
}

# The role of a piece of a sum in one letter, and whether it is raised or lowered in the next.
_ROLES = {
    "query": "q",
    "key": "k",
    "value": "v",
    "weights": "w",
    "plain": "p",
    "result": "r",
    "muted": "m",
    "operator": "o",
    "pinned": "x",
}
_LEVELS = {-1: "_", 0: " ", 1: "^"}


def by_language(text: Callable[[], Any]) -> Any:
    """What is said in every language: one value where all say the same, else an object by language."""
    said = {}
    for language in languages():
        with spoken(language, current_labels()):
            said[language] = text()
    first = said[SOURCE]
    return first if all(value == first for value in said.values()) else said


def line_text(line: Line) -> str:
    """A line as pieces parted by tabs, each with its role and level before its text."""
    return "\t".join(
        f"{_ROLES[span.role]}{_LEVELS[span.level]}{_one_line(span.text)}" for span in line
    )


def _one_line(text: str) -> str:
    return text.replace("\t", " ")
