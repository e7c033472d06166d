"""The timeline: a stop for each stage, the road travelled so far, click or drag to go anywhere."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.cursor import Timeline, timeline
from core.trace import Trace
from gui.language import tr
from gui.session import Session
from gui.state import State
from gui.text_size import set_least
from gui.texts.names import stage_label, stage_name, symbol_here
from gui.theme import CAPTION, colours, font
from gui.units import in_units, room_in_units
from gui.widgets.subscripts import draw_centred

LINE_Y, RADIUS = 10.0, 5.0


class TimelineBar(QWidget):
    """All stages on one line, evenly spaced; inside a stage the line fills with its rows and cells."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._lines: tuple[Trace, Timeline] | None = None
        self._unit = 1.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        set_least(self, 240)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        """Wide and low."""
        return QSize(560, 36) * self._unit

    def magnify(self, unit: float) -> None:
        """Draw everything so many times as large."""
        if unit != self._unit:
            self._unit = unit
            self.updateGeometry()
            self.update()

    def _wide(self) -> float:
        return room_in_units(self.rect(), self._unit).width()

    def show_state(self, old: State | None, new: State) -> None:
        """Repaint where the place, the plan, the language or the theme changed."""
        fields = ("cursor", "trace", "wording", "shade", "playing", "orientation")
        if old is None or any(getattr(old, name) != getattr(new, name) for name in fields):
            line = self._line()
            self.setAccessibleName(tr("Timeline"))
            self.setAccessibleDescription(
                tr(
                    "step {step} of {count}: {stage}",
                    step=new.trace.plan.index(new.cursor.stage) + 1,
                    count=len(line.blocks),
                    stage=stage_name(new.cursor.stage),
                )
            )
            self.update()

    def _line(self) -> Timeline:
        trace = self._session.state.trace
        if self._lines is None or self._lines[0] is not trace:
            self._lines = (trace, timeline(trace))
        return self._lines[1]

    def stage_x(self, index: int) -> float:
        """Where the stop of the stage with this number lies."""
        count = len(self._line().blocks)
        margin = 20.0
        return margin + index * (self._wide() - 2 * margin) / max(1, count - 1)

    def _cursor_x(self, state: State) -> float:
        line = self._line()
        index = state.trace.plan.index(state.cursor.stage)
        block = line.blocks[index]
        done = (line.position(state.cursor) - block.start + 1) / (block.end - block.start + 1)
        before = self.stage_x(index - 1) if index else self.stage_x(0)
        return before + done * (self.stage_x(index) - before)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The line, the part travelled, a dot and a label for each stage."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        with in_units(painter, self.rect(), self._unit):
            self._paint_line(painter, self._session.state)
        painter.end()

    def _paint_line(self, painter: QPainter, state: State) -> None:
        theme = colours(state.shade)
        last = len(self._line().blocks) - 1
        here = self._cursor_x(state)
        painter.setPen(QPen(QColor(theme.line), 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QPointF(self.stage_x(0), LINE_Y), QPointF(self.stage_x(last), LINE_Y))
        painter.setPen(QPen(QColor(theme.accent), 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QPointF(self.stage_x(0), LINE_Y), QPointF(here, LINE_Y))
        labels = self._labels()
        for index in range(last + 1):
            self._paint_stop(painter, state, index, here, labels.get(index))

    def _paint_stop(self, painter: QPainter, state: State, index: int, here: float, label: QRectF | None) -> None:
        theme = colours(state.shade)
        stage = state.trace.plan.stages[index]
        current = stage.id == state.cursor.stage
        reached = self.stage_x(index) <= here + 0.5
        centre = QPointF(self.stage_x(index), LINE_Y)
        painter.setPen(QPen(QColor(theme.accent if reached else theme.ghost), 2))
        painter.setBrush(QColor(theme.accent if reached else theme.surface))
        painter.drawEllipse(centre, RADIUS, RADIUS)
        if current:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.accent), 1.5))
            painter.drawEllipse(centre, RADIUS + 3.5, RADIUS + 3.5)
        if label is not None:
            painter.setPen(QColor(theme.text if current else theme.muted))
            draw_centred(painter, label, self._label(index), font(CAPTION, bold=current))

    def _label(self, index: int) -> str:
        state = self._session.state
        return symbol_here(state.document, state.trace.plan.stages[index].id, state.orientation)

    def _labels(self) -> dict[int, QRectF]:
        """Where labels stand: the current one first, then every one that touches no other."""
        state = self._session.state
        here = state.trace.plan.index(state.cursor.stage)
        taken: dict[int, QRectF] = {}
        for index in (here, *range(len(state.trace.plan))):
            rect = self._label_rect(index)
            if not any(rect.intersects(other) for other in taken.values()):
                taken[index] = rect
        return taken

    def _label_rect(self, index: int) -> QRectF:
        width = QFontMetricsF(font(CAPTION, bold=True)).horizontalAdvance(self._label(index)) + 4
        x = min(max(self.stage_x(index) - width / 2, 0.0), self._wide() - width)
        return QRectF(x, LINE_Y + 9, width, 16)

    def nearest_stage(self, x: float) -> str:
        """The stage whose stop is nearest to a point of the widget."""
        plan, x = self._session.state.trace.plan, x / self._unit
        index = min(range(len(plan)), key=lambda i: abs(self.stage_x(i) - x))
        return plan.stages[index].id

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click goes to the nearest stage."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._session.jump(self.nearest_stage(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Dragging goes along the stages."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            stage_id = self.nearest_stage(event.position().x())
            if stage_id != self._session.state.cursor.stage:
                self._session.jump(stage_id)

    def event(self, event: QEvent) -> bool:
        """The full name of a stage as a tool tip, in addition to its symbol."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), stage_label(self.nearest_stage(event.pos().x())), self)
            return True
        return super().event(event)
