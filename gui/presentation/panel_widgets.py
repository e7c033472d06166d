"""Widgets of the audience's window: panels and the timeline."""

from __future__ import annotations

from PySide6.QtCore import QEasingCurve, QPointF, QPropertyAnimation, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QGraphicsOpacityEffect, QWidget

from core.base.cell import Cell
from gui.painting.text_size import in_units, room_in_units
from gui.painting.theme import colours
from gui.presentation.slide import PAINTERS, unit_for
from gui.session.session import Session
from gui.session.spoken_cell import spoken_cell
from gui.session.state import State
from gui.views.diagram.view import DiagramView
from gui.views.heatmaps.painting import make_heatmap
from gui.views.lesson.reader import panel_name
from gui.views.stage.view import StageView
from gui.views.timeline import TimelineBar


class PaintedPanel(QWidget):
    """A panel that is painted from the state; a click into the heatmap focuses a cell, a double click edits it."""

    edit_wanted = Signal(object)

    def __init__(self, session: Session, panel: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._panel, self._unit = session, panel, 1.0
        self.setObjectName(panel)
        self.setMouseTracking(True)

    def show_state(self, old: State | None, new: State) -> None:
        """Paint anew."""
        self.setAccessibleName(panel_name(self._panel))
        self.setAccessibleDescription(
            spoken_cell(new, new.focus, only_visible=self._panel != "heatmap")
        )
        self.update()

    def magnify(self, unit: float) -> None:
        """Draw so many pixels a unit."""
        self._unit = unit
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The panel's own painter."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            with in_units(painter, self.rect(), self._unit) as room:
                PAINTERS[self._panel](painter, room, self._session.state)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A cell of the heatmap gets the focus."""
        if self._panel != "heatmap" or event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()
            return
        cell = self._cell_under(event.position())
        if cell is not None:
            self._session.set_focus(cell)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Edit the number that was clicked."""
        cell = self._cell_under(event.position()) if self._panel == "heatmap" else None
        if cell is not None:
            self.edit_wanted.emit(cell)

    def _cell_under(self, at: QPointF) -> Cell | None:
        state = self._session.state
        heatmap = make_heatmap(state, room_in_units(self.rect(), self._unit))
        cell = heatmap.cell_at(state, at / self._unit)
        return None if cell is None or state.hides(cell) else cell


Pane = DiagramView | StageView | PaintedPanel


class PanelWidgets:
    """Makes panels when they are first wanted, and puts them in their places."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        self._session, self._parent = session, parent
        self.all: dict[str, Pane] = {}

    def get(self, panel: str) -> Pane:
        """A panel, made if need be."""
        if panel not in self.all:
            self.all[panel] = self._make(panel)
            self.all[panel].show_state(None, self._session.state)
        return self.all[panel]

    def _make(self, panel: str) -> Pane:
        pane: Pane
        if panel == "diagram":
            pane = DiagramView(self._session, self._parent)
        elif panel == "stage":
            pane = StageView(self._session, self._parent)
        else:
            pane = PaintedPanel(self._session, panel, self._parent)
        pane.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # keys belong to the room
        pane.setMinimumSize(1, 1)
        return pane

    def place_of(self, cell: Cell, panels: tuple[str, ...]) -> QRect | None:
        """Where the stage shows a cell, in pixels of the window; None where it is not seen there."""
        stage = self.all.get("stage")
        if "stage" not in panels or not isinstance(stage, StageView):
            return None
        place = stage.cell_rect(cell)
        return None if place is None else place.translated(stage.pos())

    def magnify(self, height: int) -> None:
        """For a screen of this height."""
        for panel, pane in self.all.items():
            pane.magnify(unit_for(panel, height))

    def show_state(self, old: State | None, new: State) -> None:
        """Every one that was made."""
        for pane in self.all.values():
            pane.show_state(old, new)


RESTS, FADES = 2500, 220  # milliseconds
LINE, AIR = 36, 8  # units
EDGE = 0.3  # the part of its height, at the edge of the screen, from which it comes


class TimelineStrip(QWidget):
    """Comes when it is woken and fades away by itself."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("strip")
        self._session = session
        self.timeline = TimelineBar(session, self)
        self.timeline.setMouseTracking(True)
        self.setMouseTracking(True)
        self._effect = QGraphicsOpacityEffect(self, opacity=0.0)
        self.setGraphicsEffect(self._effect)
        self._fade = QPropertyAnimation(self._effect, b"opacity", self)
        self._fade.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._fade.finished.connect(self._faded)
        self._rest = QTimer(self, singleShot=True, interval=RESTS)
        self._rest.timeout.connect(self.sleep)
        self.hide()

    def place(self, width: int, height: int) -> None:
        """At the lower edge of a screen of this size."""
        unit = unit_for("words", height)
        line, air = round(LINE * unit), round(AIR * unit)
        self.setGeometry(0, height - line - air, width, line + air)
        self.timeline.magnify(unit)
        self.timeline.setGeometry(2 * air, air, width - 4 * air, line)

    def show_state(self, old: State | None, new: State) -> None:
        """The timeline follows, seen or not."""
        self.timeline.show_state(old, new)
        self.update()

    @property
    def is_awake(self) -> bool:
        """Whether it is there or comes."""
        return not self.isHidden() and self._fade.endValue() != 0.0

    def follow(self, y: float) -> None:
        """The mouse moved to this height of the screen: at the very edge the strip comes, above it the strip goes."""
        if y >= self.geometry().bottom() + 1 - self.height() * EDGE:
            self.wake()
        elif self.is_awake and y >= self.y():
            self._rest.start()
        elif self.is_awake:
            self._rest.stop()
            self.sleep()

    def wake(self) -> None:
        """Come, for a while."""
        self._rest.start()
        if not self.is_awake:
            self.show()
            self._to(1.0)

    def sleep(self) -> None:
        """Fade away."""
        self._to(0.0)

    def end(self) -> None:
        """Gone at once."""
        self._rest.stop()
        self._fade.stop()
        self.hide()

    def _to(self, opacity: float) -> None:
        self._fade.stop()
        self._fade.setStartValue(self._effect.opacity())
        self._fade.setEndValue(opacity)
        self._fade.setDuration(FADES if self._session.state.moves else 0)
        self._fade.start()

    def _faded(self) -> None:
        self.setVisible(self._effect.opacity() > 0.0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A quiet ground with an edge."""
        theme = colours(self._session.state.shade)
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(theme.surface))
            painter.fillRect(0, 0, self.width(), 1, QColor(theme.line))
