"""Import dialog: the text of a page, with the place of each matrix marked in its role's colour."""

from __future__ import annotations

import re
from bisect import bisect_right

from PySide6.QtCore import QMimeData, QRectF, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from gui.dialogs.import_list import colour_of, paint_badge
from gui.dialogs.import_proposal import Proposal
from gui.painting.fonts import MONO, make_font
from gui.painting.text_size import px
from gui.painting.theme import BODY
from gui.texts.translation import tr
from gui.widgets.forms import theme_of

LARGEST_PASTE = 8_000_000  # characters, as many as are read

_WIDE = re.compile(r"[\U00010000-\U0010ffff]")  # characters that Qt counts twice


class SourceText(QPlainTextEdit):
    """The text, editable. `picked(row)`: the user clicked into the place of a matrix."""

    picked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._proposal: Proposal | None = None
        self._row = -1
        self._wide: list[int] = []  # their offsets
        self.setFont(make_font(MONO, px(BODY)))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(True)
        self.setAccessibleName(tr("Text of the page"))
        self.setPlaceholderText(
            tr(
                "Paste a whole page here (Ctrl+V), or open a file: a notebook, a web page, code, LaTeX, a workbook."
            )
        )

    def text(self) -> str:
        """The text with its no-break spaces, which Qt's own method replaces."""
        return self.document().toRawText().replace("\u2029", "\n").replace("\u2028", "\n")

    def show_text(self, text: str) -> None:
        """Replace the text without telling of a change."""
        blocked = self.blockSignals(True)
        self.setPlainText(text)
        self.blockSignals(blocked)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste plain text; more than can be read is cut."""
        self.insertPlainText(source.text()[:LARGEST_PASTE])

    def show_proposal(self, proposal: Proposal | None) -> None:
        """Mark the places of a proposal's entries."""
        self._proposal = proposal
        text = "" if proposal is None else proposal.source.text
        wide = () if text.isascii() else _WIDE.finditer(text)
        self._wide = [match.start() for match in wide]
        self._mark()

    def select(self, row: int) -> None:
        """Mark a row more strongly and scroll to it."""
        self._row = row
        self._mark()
        place = self._place(row)
        if place is not None:
            cursor = QTextCursor(self.document())
            cursor.setPosition(place[0])
            self.setTextCursor(cursor)
            self.centerCursor()

    def _place(self, row: int) -> tuple[int, int] | None:
        """Start and end of an entry in Qt's count; None for one that is not in the text."""
        entries = () if self._proposal is None else self._proposal.entries
        if not 0 <= row < len(entries) or entries[row].end == 0:
            return None
        last = self.document().characterCount() - 1
        start, end = (
            at + bisect_right(self._wide, at - 1) for at in (entries[row].start, entries[row].end)
        )
        return min(start, last), min(end, last)

    def _mark(self) -> None:
        marks = []
        proposal, theme = self._proposal, theme_of(self)
        for row, role in enumerate(proposal.roles if proposal is not None else ()):
            place = self._place(row)
            if place is None:
                continue
            mark = QTextEdit.ExtraSelection()
            colour = QColor(colour_of(role, theme))
            colour.setAlpha(96 if row == self._row else 36)
            mark.format.setBackground(colour)
            cursor = QTextCursor(self.document())
            cursor.setPosition(place[0])
            cursor.setPosition(place[1], QTextCursor.MoveMode.KeepAnchor)
            mark.cursor = cursor
            marks.append(mark)
        self.setExtraSelections(marks)
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Pick the matrix at the place of a click."""
        super().mouseReleaseEvent(event)
        at = self.cursorForPosition(event.position().toPoint()).position()
        for row in range(0 if self._proposal is None else len(self._proposal.entries)):
            place = self._place(row)
            if place is not None and place[0] <= at <= place[1]:
                self.picked.emit(row)
                return

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, and the numbers of the matrices at the right."""
        super().paintEvent(event)
        if self._proposal is None:
            return
        theme, view = theme_of(self), self.viewport()
        first = self.firstVisibleBlock()
        last = self.cursorForPosition(view.rect().bottomRight()).position()
        with QPainter(view) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for row, role in enumerate(self._proposal.roles):
                place = self._place(row)
                if place is None or not first.position() <= place[0] <= last:
                    continue
                block = self.document().findBlock(place[0])
                top = self.blockBoundingGeometry(block).translated(self.contentOffset())
                area = QRectF(top)
                paint_badge(
                    painter,
                    view.width() - px(18),
                    area.top() + max(area.height() / 2, px(13)),
                    row + 1,
                    colour_of(role, theme),
                    theme,
                )
