"""Which characters a text of the user may hold: titles, notes, tokens, names."""

from __future__ import annotations

import re

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_LINE_END = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Control characters but tab and line feed, halves of surrogate pairs, and noncharacters. XML, and so
# SVG and Office files, cannot hold them.
_FORBIDDEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


def clean_text(text: str) -> str:
    """The text with each forbidden character replaced by U+FFFD, and line ends as line feeds.

    Characters outside Unicode's Basic Multilingual Plane that arrive as two surrogates are joined.
    """
    if not _FORBIDDEN.search(text) and not _LINE_END.search(text):
        return text
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _FORBIDDEN.sub(REPLACEMENT, _LINE_END.sub("\n", whole))


def clean_texts(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Each text cleaned; the same tuple if nothing changes."""
    cleaned = tuple(map(clean_text, texts))
    return texts if cleaned == texts else cleaned


# What a spreadsheet takes for a formula, and the guard itself before one.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def guarded(text: str) -> str:
    """The text with an apostrophe before what a spreadsheet would take for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(text: str) -> str:
    """What `guarded` got."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
