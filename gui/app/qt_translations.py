"""Words of Qt's own dialogs and menus that its translations leave out or say clumsily."""

from __future__ import annotations

from PySide6.QtCore import QTranslator

from gui.texts.translation import mark, tr_marked

# By Qt's context and source text; arrows are the same in every language.
_WORDS = {
    ("QFileDialog", "&Look in:"): mark("&Look in:"),
    ("QFileDialog", "Files of &type:"): mark("Files of &type:"),
    ("QShortcut", "Left"): "←",
    ("QShortcut", "Right"): "→",
    ("QShortcut", "Up"): "↑",
    ("QShortcut", "Down"): "↓",
}


class QtTranslations(QTranslator):
    """To be installed after Qt's own: the last one is asked first."""

    def isEmpty(self) -> bool:
        """Qt asks only those that say that they have something."""
        return False

    def translate(
        self, context: str, text: str, disambiguation: str | None = None, n: int = -1
    ) -> str:
        """The words in the current language; None (what Qt calls null) leaves them to others."""
        word = _WORDS.get((context, text))
        return tr_marked(word) if word is not None else None  # type: ignore[return-value]
