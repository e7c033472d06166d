"""Names of tensors and sizes with their index below the line: W_Q, b_O, d_k, d_model."""

from __future__ import annotations

import html
import re

_NAME = re.compile(r"(?<![A-Za-z0-9_])([A-Za-z])_(model|perm|[A-Za-z])(?![A-Za-z0-9_])")


def rich(text: str) -> str:
    """Plain text as rich text, with indices below the line; lines stay lines."""
    return _NAME.sub(r"\1<sub>\2</sub>", html.escape(text, quote=False)).replace("\n", "<br>")


def pieces(text: str) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it stands below the line."""
    found: list[tuple[str, bool]] = []
    end = 0
    for name in _NAME.finditer(text):
        found += [(text[end : name.end(1)], False), (name[2], True)]
        end = name.end()
    return [*found, (text[end:], False)] if text[end:] or not found else found
