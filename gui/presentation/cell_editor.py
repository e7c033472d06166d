"""The editor of a cell during a presentation: a small field beside the cell."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from core.base.cell import Cell
from core.base.errors import UserError
from core.base.number_format import exact, shortened
from gui.painting.shapes import draw_box
from gui.painting.theme import BODY, TITLE, colours
from gui.presentation.overlay import OverlayPicture
from gui.presentation.slide import text_height, unit_for
from gui.session.session import Session
from gui.session.state import State
from gui.texts.errors import error_message
from gui.texts.names import cell_name
from gui.texts.rich_text import to_html
from gui.texts.translation import tr
from gui.views.tables.edits import is_entered
from gui.views.tables.set_values import enter_text, value_at
from gui.widgets.layouts import fill
from gui.widgets.number_table import NumberEditor

_HERE = "document", "cursor", "focus", "scene", "hidden", "orientation", "shade"
WIDE, GAP = 17.0, 6.0  # times the size of its digits; units to the cell


class PresentedCellEditor(QWidget):
    """A field for a number, hidden until a cell is opened. Enter accepts, Esc cancels.

    Signals: `changed()` when its picture changes; `left()` when it closes. Unused keys go to the
    window.
    """

    changed = Signal()
    left = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("cell_field")
        self._session, self._window = session, parent
        self.cell: Cell | None = None
        self._place = QRect()
        self._name, self.hint = QLabel(self), QLabel(self)
        for label in (self._name, self.hint):
            label.setTextFormat(Qt.TextFormat.RichText)
        self.hint.setWordWrap(True)
        self.line = NumberEditor(self, colours(session.state.shade), "")
        self.line.textEdited.connect(lambda: self._tell(""))
        self._column = fill(QVBoxLayout(self), self._name, self.line, self.hint)
        self.hide()

    def open(self, cell: Cell, place: QRect) -> bool:
        """Edit a cell that is shown at `place`; False if it has no editable value."""
        state = self._session.state
        value = value_at(state, cell)
        if state.hides(cell) or (value is None and not state.is_covered(cell)):
            return False
        self.cell = cell
        name = cell_name(cell, state.document, state.orientation)
        self._name.setText(to_html(name))
        self.line.setAccessibleName(tr("New value of {name}", name=name))
        entered = is_entered(state.document, cell.tensor)
        text = "" if value is None else exact(value) if entered else shortened(value)
        self.line.setText(text)
        self._place = place
        self._dress(state)
        self._tell("")
        self.show()
        self.raise_()
        self.line.setFocus()
        self.line.selectAll()
        self.changed.emit()
        return True

    def close_editor(self) -> None:
        """Close without a change."""
        if self.cell is not None:
            self.cell = None
            self.hide()
            self.left.emit()
            self.changed.emit()

    def show_state(self, old: State | None, new: State) -> None:
        """Close if the step or the cell has changed."""
        same = old is not None and all(getattr(old, name) is getattr(new, name) for name in _HERE)
        if self.cell is not None and not same:
            self.close_editor()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Accept on Enter, close on Esc."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._keep()
        elif event.key() == Qt.Key.Key_Escape:
            self.close_editor()
        else:
            super().keyPressEvent(event)

    def picture(self) -> OverlayPicture | None:
        """Its picture and place for the speaker's preview; None if closed."""
        if self.cell is None:
            return None
        at, room = self.geometry(), self._window.rect()
        wide, high = max(1, room.width()), max(1, room.height())
        return OverlayPicture(
            self.grab(), (at.x() / wide, at.y() / high, at.width() / wide, at.height() / high)
        )

    def _keep(self) -> None:
        if self.cell is None:
            return
        try:
            taken = enter_text(self._session, self.cell, self.line.text())
        except UserError as problem:
            self._tell(error_message(problem))
            self.line.selectAll()
            return
        if taken:
            self.close_editor()

    def _tell(self, wrong: str) -> None:
        """Show an error, or the keys."""
        theme = colours(self._session.state.shade)
        self.hint.setText(to_html(wrong or tr("Enter: apply · Esc: cancel")))
        size = round(BODY * unit_for("words", text_height(self._window.size())))
        self.hint.setStyleSheet(
            f"color: {theme.error if wrong else theme.muted}; font-size: {size}px;"
        )
        self._put(self._place)
        self.changed.emit()

    # Looks

    def _dress(self, state: State) -> None:
        theme, unit = colours(state.shade), unit_for("words", text_height(self._window.size()))
        large, air = round(TITLE * unit), round(10 * unit)
        self._name.setStyleSheet(f"color: {theme.text}; font-size: {large}px; font-weight: 600;")
        self.line.dress(theme, large)
        self._column.setContentsMargins(air, air // 2, air, air // 2)
        self._column.setSpacing(air // 2)

    def _put(self, place: QRect) -> None:
        """Move below the cell, or above it if there is no room, within the window."""
        room, unit = self._window.rect(), unit_for("words", text_height(self._window.size()))
        self.setFixedWidth(min(room.width(), round(WIDE * TITLE * unit)))
        self._column.activate()
        self.resize(self.width(), self._column.heightForWidth(self.width()))
        gap = round(GAP * unit)
        below, above = place.bottom() + gap, place.top() - gap - self.height()
        y = below if below + self.height() <= room.bottom() or above < 0 else above
        x = min(max(place.center().x() - self.width() // 2, 0), room.width() - self.width())
        self.move(x, max(0, min(y, room.height() - self.height())))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the frame."""
        theme = colours(self._session.state.shade)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw_box(painter, self.rect().adjusted(1, 1, -2, -2), theme.accent, theme.surface, 10)
