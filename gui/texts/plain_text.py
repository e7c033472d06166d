"""A line of mathematics as plain text that can be pasted anywhere. Free of Qt."""

from __future__ import annotations

import re

from gui.texts.rich_text import Line, Span

_SHORT = re.compile(r"[\w.]+|[^\w\s]")


def written(line: Line) -> str:
    """What is raised stands after ^, what is lowered after _; several signs of it in brackets."""
    text = "".join(map(_piece, line))
    return " ".join(text.split())


def _piece(span: Span) -> str:
    if span.level == 0:
        return span.text
    text = span.text if _SHORT.fullmatch(span.text) else f"({span.text})"
    return f"{'^' if span.level > 0 else '_'}{text}"
