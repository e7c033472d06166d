"""Which characters the installed fonts can draw, and telling of those that none of them can."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from PySide6.QtGui import QFontMetrics, QTextLayout

from core.document.document import Document
from gui.painting.theme import BODY, font
from gui.session.state import State
from gui.texts.glyphs import MissingGlyph, find_missing_glyphs, missing_glyphs_text, use_glyphs
from gui.texts.translation import tr_marked


def ask_fonts() -> None:
    """From now on texts are drawn with the installed fonts in mind. Needs an application."""
    use_glyphs(drawable)


@lru_cache(maxsize=65536)
def drawable(character: str) -> bool:
    """Whether any installed font has a character, or nothing is drawn for it, as for a joiner;
    asked once for each.

    Fonts are asked quickly first; where they say no, the character is laid out as it would be
    drawn: box is glyph 0.
    """
    if QFontMetrics(font(BODY)).inFontUcs4(ord(character)):
        return True
    layout = QTextLayout(character, font(BODY))
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return not any(0 in run.glyphIndexes() for run in layout.glyphRuns())


def missing(document: Document) -> tuple[MissingGlyph, ...]:
    """What of an experiment cannot be drawn, with the first place of each character."""
    return find_missing_glyphs(
        (
            ("token", document.tokens),
            ("context", document.key_tokens),
            ("head", [tr_marked(name) for name in document.head_names]),
            ("title", [tr_marked(document.title)]),
            ("notes", [tr_marked(document.notes)]),
        )
    )


class FontNotice:
    """Warn once about each character that no font has, when an experiment uses it."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self._say = say
        self._said: set[str] = set()

    def show_state(self, old: State | None, new: State) -> None:
        """Check new texts."""
        if old is not None and _texts(old.document) == _texts(new.document):
            return
        found = tuple(one for one in missing(new.document) if one.character not in self._said)
        if found:
            self._said.update(one.character for one in found)
            self._say(missing_glyphs_text(found))


def _texts(document: Document) -> tuple[object, ...]:
    return (
        document.tokens,
        document.key_tokens,
        document.title,
        document.notes,
        document.head_names,
    )
