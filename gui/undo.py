"""The one undo command: a document before and a document after."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand
from shiboken6 import isValid

from core.document import Document
from gui.language import tr_marked

if TYPE_CHECKING:
    from gui.session import Session


# A command that Python's garbage collector meets is given back to Python and deleted, although its stack still
# holds it: the program dies when the stack goes (measured, PySide6 6.11). So each command is held here until its
# stack has deleted it, and knows its session only weakly.
_held: list[ReplaceDocument] = []


class ReplaceDocument(QUndoCommand):
    """Swaps two snapshots; unchanged arrays are shared between them."""

    def __init__(
        self, session: Session, before: Document, after: Document, text: str, merge: str, values: dict[str, object]
    ) -> None:
        super().__init__()
        self._session = weakref.ref(session)
        self._before, self._after = before, after
        self._text, self._merge, self._values = text, merge, values
        self.translate()
        _held[:] = [command for command in _held if isValid(command)]
        _held.append(self)

    def translate(self) -> None:
        """Its name in the current language."""
        self.setText(tr_marked(self._text, **self._values))

    def id(self) -> int:
        """Commands with an id of −1 are never merged."""
        return 1 if self._merge else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        """Folds a drag, or a row of nudges, into one step."""
        if not isinstance(other, ReplaceDocument) or other._merge != self._merge:
            return False
        self._after = other._after
        return True

    def undo(self) -> None:
        """The document before."""
        self._take(self._before)

    def redo(self) -> None:
        """The document after; also called when the command is pushed."""
        self._take(self._after)

    def _take(self, document: Document) -> None:
        session = self._session()
        if session is not None:
            session.take_document(document)
