"""Texts of the diagram. Free of Qt."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct

from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.stages import Plan, Stage, spec_of
from core.stages.multiply import DOT_PRODUCT
from gui.texts.names import stage_name, stage_symbol, stage_words
from gui.texts.translation import label, label_words, mark, tr, tr_marked
from gui.views.diagram.shapes import CONTEXT_TOKENS, TOKENS


class CardHeading(Struct, frozen=True):
    """Texts of a card: symbol, name by language (the current one first), and shape."""

    symbol: str
    names: tuple[str, ...]
    shape: str


def card_heading(
    document: Document, stage_id: str, orientation: Orientation = ROWS, raised: str = ""
) -> CardHeading:
    """Return the heading of a card; `raised` follows its symbol."""
    if stage_id == TOKENS:
        return CardHeading(tr("Tokens"), label_words(mark("Tokens")), f"n = {document.n}")
    if stage_id == CONTEXT_TOKENS:
        return CardHeading(tr("Context"), label_words(mark("Context")), f"m = {document.m}")
    rows, columns = orientation.pair(*document.stage_shape(stage_id)[-2:])
    return CardHeading(
        card_symbol(document, stage_id, orientation) + raised,
        stage_words(stage_id),
        f"{rows}×{columns}",
    )


def card_symbol(document: Document, stage_id: str, orientation: Orientation = ROWS) -> str:
    """Return the symbol of a stage; that of joined heads contains their number."""
    kind = spec_of(stage_id).kind
    if document.is_stack:  # its cards are narrow
        return kind.short_symbol(document, stage_id, orientation.columns)
    return kind.card_symbol(document, stage_id, orientation.columns)


def head_chip(head: int, heads: int) -> tuple[str, ...]:
    """Return the wordings for the head in front, the longest first; empty for a single head."""
    if heads == 1:
        return ()
    both = label(mark("head {number}/{count}"), number=head + 1, count=heads)
    return both, tr("head {number}/{count}", number=head + 1, count=heads), f"{head + 1}/{heads}"


def accessible_text(
    document: Document, stage_id: str, cell: str, orientation: Orientation = ROWS
) -> str:
    """Return the current stage and focused cell for screen readers."""
    words = card_heading(document, stage_id, orientation)
    here = tr(
        "{symbol} {name}, {shape}",
        symbol=words.symbol,
        name=stage_name(stage_id),
        shape=words.shape,
    )
    return tr("{here}. Focused: {cell}", here=here, cell=cell)


def arrow_label(
    document: Document, plan: Plan, source: str, target: Stage, orientation: Orientation = ROWS
) -> str:
    """Return the operation between two stages, or the flowing value if the card names it."""
    if target.inputs and not target.entered:
        if orientation.columns:
            product = f"{target.inputs[0]}·{stage_symbol(source)}"
            return " + ".join((product, *target.inputs[1:]))
        return " ".join(f"{sign} {name}" for sign, name in zip("×+", target.inputs, strict=False))
    if target.kind.shows_sources:
        across = target.kind is DOT_PRODUCT and source == target.reads[1]
        return stage_symbol(source) + ("ᵀ" if across else "")
    word = target.kind.arrow_word
    return (
        tr_marked(_ARROW_WORDS[word])
        if word
        else target.kind.arrow_label(document.scope(target.id))
    )


_ARROW_WORDS = {"mask": mark("mask"), "turn": mark("rotate"), "join": mark("concat")}


@lru_cache(maxsize=4096)
def text_width(text: str, pixels: float = 12.0) -> float:
    """Estimate the width of a text in pixels, without fonts, so that the layout needs no screen."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return pixels * (wide * 1.0 + (len(text) - wide) * 0.58)


def name_width(name: str) -> float:
    """Estimate the width of a stage's name, whose spaces are narrower than letters."""
    return text_width(name) - 12.0 * 0.3 * name.count(" ")


# Excess of letter widths over the estimate of text_width(), also in bold, by font size.
_WIDER = {"m": 0.46, "M": 0.46, "W": 0.5, "w": 0.36, "%": 0.4, "@": 0.5}


@lru_cache(maxsize=4096)
def token_width(token: str, pixels: float = 12.0) -> float:
    """Estimate the width of a token, with a reserve for wide letters in short words."""
    return text_width(token, pixels) + pixels * sum(_WIDER.get(letter, 0.0) for letter in token)


def label_width(label: str) -> float:
    """Estimate the width of an arrow's label; text after _ is a smaller subscript."""
    return text_width(label) - 5.0 * label.count("_")


def number_width(text: str) -> float:
    """Estimate the width of a number relative to its font size."""
    return 0.58 * len(text) - 0.28 * text.count(".")


def words_of(text: str) -> list[str]:
    """Split into unbreakable parts: words with the following space, Chinese characters."""
    return _WORDS.findall(text)


def name_lines(
    names: tuple[str, ...], most: int, width: float, measure: Callable[[str], float]
) -> list[str]:
    """Wrap a name to at most `most` lines: in both languages if they fit, else in the first.

    Return an empty list if that does not fit either.
    """
    both = " ".join(names)
    if most and measure(both) <= width:
        return [both]
    below = [line for name in names for line in wrapped(name, width, measure)]
    for lines in (below, wrapped(names[0], width, measure)):
        if len(lines) <= most and all(measure(line) <= width for line in lines):
            return lines
    return []


def wrapped(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """Wrap words (Chinese: characters) to a width; a single word may be wider than its line."""
    lines: list[str] = []
    for piece in words_of(text):
        if lines and measure(lines[-1] + piece.rstrip()) <= width:
            lines[-1] += piece
        else:
            lines.append(piece)
    return [line.rstrip() for line in lines]


def in_single_letters(lines: list[str]) -> bool:
    """Return whether a name has been broken into one character per line."""
    return len(lines) > 1 and all(len(line) == 1 for line in lines)


# A line may end after a Chinese character, but not within a Latin word.
_WORDS = re.compile("[\u3400-\u9fff]|[^\u3400-\u9fff ]+ ?")
