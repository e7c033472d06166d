"""The hall's screen: the panels of a step, and over them timeline, ink, words and curtain."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QContextMenuEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from core.base.cell import Cell
from core.base.errors import UserError
from gui.painting.theme import colours
from gui.presentation.arrow import Arrow
from gui.presentation.blank_screen import BlankScreen, Words
from gui.presentation.cell_editor import CellField
from gui.presentation.headline import Headline, headline_of, paint_headline, spoken_headline
from gui.presentation.ink import Ink, place_of
from gui.presentation.key_help import KeysPage
from gui.presentation.overlay import PEN, Overlay
from gui.presentation.panes import Panes
from gui.presentation.pointer import Pointer
from gui.presentation.sizes import unit_for
from gui.presentation.slide import areas
from gui.presentation.strip import Strip
from gui.session.presented import PresentedViews
from gui.session.session import Session
from gui.session.spoken_cell import spoken_cell
from gui.session.state import State
from gui.texts.stage_texts import asked_sentence

LONG = 2500  # milliseconds for a sentence


class AudienceView(QWidget):
    """A window of its own. `asked(point)`: what is shown is to be chosen; `closed()`: it was closed from outside;
    `overlaid()`: something else lies over the picture.
    """

    asked = Signal(QPoint)
    closed = Signal()
    overlaid = Signal()

    def __init__(self, session: Session, ink: Ink, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("board")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._session = session
        self.choice, self.words = PresentedViews(), Headline()
        self._head = QRect()
        self.panes = Panes(session, self)
        self.strip, self.pointer, self.arrow = Strip(session, self), Pointer(ink, self), Arrow(self)
        self.pointer.taken.connect(self._tool_taken)
        self.note, self.field, self.curtain = (
            Words(self),
            CellField(session, self),
            BlankScreen(self),
        )
        self.page = KeysPage(self)
        self.field.left.connect(self._take_keyboard)
        session.failed.connect(self._refuse)
        for layer in (self.pointer, self.page, self.note, self.field, self.curtain):
            layer.changed.connect(self.overlaid)
        for widget in (self.strip, self.strip.timeline, self.pointer):
            widget.installEventFilter(self)

    # What is shown

    def show_state(
        self, old: State | None, new: State, choice: PresentedViews, answered: bool
    ) -> None:
        """The panels of a choice, and the words of the scene."""
        self.choice, self.words = choice, headline_of(new, answered)
        self.panes.show_state(old, new)
        self.strip.show_state(old, new)
        self.field.show_state(old, new)
        self.pointer.show_place(place_of(new, choice), colours(new.shade))
        self.setAccessibleName(spoken_headline(self.words))
        self.setAccessibleDescription(spoken_cell(new, new.focus, standing=True))
        self._arrange()

    def _arrange(self) -> None:
        self._head, places = areas(self.rect(), self.choice, self.words)
        for panel, place in zip(self.choice.panels, places, strict=True):
            fresh = panel not in self.panes.all
            pane = self.panes.get(panel)
            if fresh:
                pane.installEventFilter(self)
                pane.edit_wanted.connect(self.edit)
            pane.magnify(unit_for(panel, self.height()))
            pane.setGeometry(place)
        for panel, pane in self.panes.all.items():
            pane.setVisible(panel in self.choice.panels)
        self.strip.place(self.width(), self.height())
        for layer in (self.strip, self.pointer, self.page, self.note, self.field, self.curtain):
            if layer not in (self.strip, self.field):
                layer.setGeometry(self.rect())
            layer.raise_()
        self.update()

    def over(self) -> Overlay:
        """What lies over the picture."""
        return Overlay(
            self.pointer.marks,
            self.note.said,
            self.field.patch(),
            self.curtain.colour,
            not self.page.isHidden(),
        )

    def show_keys(self) -> None:
        """The page of keys, or the picture again."""
        self.page.toggle(self._session.state.shade)

    def edit(self, cell: Cell) -> None:
        """Ask for another number of a cell, beside it where it is seen; what is still to be worked out has none yet."""
        self._session.focus_on(cell)
        place = self.panes.place_of(cell, self.choice.panels) or QRect(
            self.rect().center(), QSize()
        )
        if self.field.open(cell, place):
            self.activateWindow()
        else:
            self.note.say("", asked_sentence(), self._session.state.shade, LONG)

    def _refuse(self, problem: UserError) -> None:
        """A number that is covered stays as it is: that is said here, in front of the window."""
        if problem.code == "cell.covered":
            self.note.say("", asked_sentence(), self._session.state.shade, LONG)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Everything in its place, as large as the screen wants it."""
        self.field.close_field()
        self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The ground and the headline; panels paint themselves."""
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), QColor(colours(self._session.state.shade).surface))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_headline(painter, self._head, self.height(), self.words, self._session.state)

    # Mouse

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Wherever the mouse moves, pointer and timeline hear of it."""
        if (
            event.type() is QEvent.Type.MouseMove
            and isinstance(event, QMouseEvent)
            and isinstance(watched, QWidget)
        ):
            self._moved(QPointF(watched.mapTo(self, event.position().toPoint())))
        return False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Beside the panels too."""
        self._moved(event.position())

    def _moved(self, at: QPointF) -> None:
        if at != self.pointer.at:
            self.pointer.follow(at)
            if self.pointer.tool != PEN:  # which writes there, and cannot click it
                self.strip.follow(at.y())
            self.arrow.moved(self.pointer.shines)

    def _tool_taken(self) -> None:
        if self.pointer.at is not None:
            self.arrow.moved(self.pointer.shines)

    def leaveEvent(self, event: QEvent) -> None:
        """On another screen now."""
        self.pointer.leaveEvent(event)
        self.arrow.left()

    def changeEvent(self, event: QEvent) -> None:
        """In another window now, such as the page of keys."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and not self.isActiveWindow():
            self.arrow.left()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The right button chooses what is shown."""
        self.asked.emit(event.globalPos())
        event.accept()

    # The window

    def _take_keyboard(self) -> None:
        """Keys belong to the room again."""
        self.setFocus()

    def end(self) -> None:
        """Away with it; nothing goes on moving."""
        self.strip.end()
        self.note.end()
        self.field.close_field()
        self.arrow.left()
        self.hide()
        self.deleteLater()

    def closeEvent(self, event: QCloseEvent) -> None:
        """The window system's close is the same as Esc."""
        self.closed.emit()
        event.accept()
