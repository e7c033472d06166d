"""The timeline: a stop for each stage; a click or a drag goes there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.compute.trace import Trace
from core.explain.timeline import Timeline, timeline
from gui.painting.shapes import set_ink
from gui.painting.text_size import in_units, set_least, size_in_units
from gui.painting.theme import CAPTION, Colours, colours, font
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import stage_label, stage_name, symbol_here
from gui.texts.translation import tr
from gui.widgets.subscripts import draw_centred, width_of

EDGE = 12.0  # left of the first and right of the last stop
AIR = 4.0  # between two names
LEAST = 15.0  # between two stops


@lru_cache(maxsize=8)
def place_stops(
    widths: tuple[float, ...], spare: tuple[int, ...], wide: float
) -> tuple[tuple[float, ...], frozenset[int]]:
    """The x of each stop in a given width, and which of them have a name; all sizes in one unit.

    `widths` are those of the names, centred below their stops. If not all fit, those of `spare` go,
    one by one.
    """
    length, named = max(wide - 2 * EDGE, 1.0), set(range(len(widths)))
    for index in spare:
        if sum(_needs(widths, named)) <= length:
            break
        named.remove(index)
    gaps = spread_stops(_needs(widths, named), length)
    return tuple(accumulate(gaps, initial=EDGE)), frozenset(named)


def spread_stops(needs: Sequence[float], length: float) -> list[float]:
    """Distances that add up to a length, as equal as their least values allow.

    If these are too long, all are shortened.
    """
    total = sum(needs)
    if total >= length:
        return [need * length / total for need in needs]
    level = length / max(len(needs), 1)
    while (over := [need for need in needs if need > level]) and (
        even := (length - sum(over)) / (len(needs) - len(over))
    ) < level:
        level = even
    return [max(need, level) for need in needs]


def _needs(widths: Sequence[float], named: Iterable[int]) -> list[float]:
    """The least distance of each stop from the one before."""
    room = [widths[index] if index in named else 0.0 for index in range(len(widths))]
    return [max((left + right) / 2 + AIR, LEAST) for left, right in pairwise(room)]


LINE_Y, RADIUS = 10.0, 5.0


class TimelineBar(QWidget):
    """All stages on one line, as evenly as their names allow.

    Inside a stage it fills with its rows and cells.
    """

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
        """Draw everything `unit` times as large."""
        if unit != self._unit:
            self._unit = unit
            self.updateGeometry()
            self.update()

    def _wide(self) -> float:
        return size_in_units(self.rect(), self._unit).width()

    def show_state(self, old: State | None, new: State) -> None:
        """Repaint if cursor, stops, language or theme changed.

        Other numbers change nothing here.
        """
        fields = ("cursor", "wording", "shade", "playing", "orientation")
        same = old is not None and all(getattr(old, name) == getattr(new, name) for name in fields)
        if old is None or not same or not _same_stops(old, new):
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

    def _stops(self) -> Sequence[float]:
        """The x of the stop of each stage."""
        return self._placed()[0]

    def _placed(self) -> tuple[Sequence[float], frozenset[int]]:
        """The stops, and the indices of those that have a name, whatever stage is current."""
        orders = [stage.spec.drop_order for stage in self._session.state.trace.plan]
        spare = tuple(
            sorted((i for i, order in enumerate(orders) if order), key=orders.__getitem__)
        )
        return place_stops(_widths(stop_names(self._session.state)), spare, self._wide())

    def stage_x(self, index: int) -> float:
        """The x of the stop of a stage."""
        return self._stops()[index]

    def _cursor_x(self, state: State, stops: Sequence[float]) -> float:
        line = self._line()
        index = state.trace.plan.index(state.cursor.stage)
        block = line.blocks[index]
        done = (line.position(state.cursor) - block.start + 1) / (block.end - block.start + 1)
        before = stops[max(index - 1, 0)]
        return before + done * (stops[index] - before)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the line, the part up to the cursor, and a dot and a name for each stage."""
        state, stops = self._session.state, self._stops()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            with in_units(painter, self.rect(), self._unit):
                current = state.trace.plan.index(state.cursor.stage)
                here = self._cursor_x(state, stops)
                self._paint_line(painter, colours(state.shade), stop_names(state), here, current)

    def _paint_line(
        self, painter: QPainter, theme: Colours, texts: tuple[str, ...], here: float, current: int
    ) -> None:
        stops, named = self._placed()
        for colour, end in ((theme.line, stops[-1]), (theme.accent, here)):
            painter.setPen(QPen(QColor(colour), 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(QPointF(stops[0], LINE_Y), QPointF(end, LINE_Y))
        _paint_dots(painter, theme, stops, here, current)
        for index, rect in self._labels(texts, stops, (current, *sorted(named))).items():
            painter.setPen(QColor(theme.text if index == current else theme.muted))
            draw_centred(painter, rect, texts[index], font(CAPTION, bold=index == current))

    def _labels(
        self, texts: Sequence[str], stops: Sequence[float], wanted: Sequence[int]
    ) -> dict[int, QRectF]:
        """The rectangles of names: the current one first, then each that touches no other."""
        face, wide = font(CAPTION, bold=True), self._wide()
        taken: dict[int, QRectF] = {}
        for index in wanted:
            width = width_of(texts[index], face) + AIR - 1
            rect = QRectF(
                min(max(stops[index] - width / 2, 0.0), wide - width), LINE_Y + 9, width, 16
            )
            if not any(rect.intersects(other) for other in taken.values()):
                taken[index] = rect
        return taken

    def nearest_stage(self, x: float) -> str:
        """The stage whose stop is nearest to an x of the widget."""
        plan, x = self._session.state.trace.plan, x / self._unit
        stops = self._stops()
        return plan.stages[min(range(len(stops)), key=lambda i: abs(stops[i] - x))].id

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the nearest stage."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._session.go_to_stage(self.nearest_stage(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go to the stage under a drag."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            stage_id = self.nearest_stage(event.position().x())
            if stage_id != self._session.state.cursor.stage:
                self._session.go_to_stage(stage_id)

    def event(self, event: QEvent) -> bool:
        """Show the full name of a stage as a tooltip."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(
                event.globalPos(), stage_label(self.nearest_stage(event.pos().x())), self
            )
            return True
        return super().event(event)


def stop_names(state: State) -> tuple[str, ...]:
    """The name of each stop."""
    return tuple(
        symbol_here(state.document, stage.id, state.orientation) for stage in state.trace.plan
    )


def _same_stops(old: State, new: State) -> bool:
    """Whether both states have the same stops, names and numbers of steps."""
    if old.trace is new.trace and old.document is new.document:
        return True
    return timeline(old.trace) == timeline(new.trace) and stop_names(old) == stop_names(new)


@lru_cache(maxsize=8)
def _widths(texts: tuple[str, ...]) -> tuple[float, ...]:
    """The widths of names of stops."""
    face = font(CAPTION, bold=True)
    return tuple(width_of(text, face) for text in texts)


def _paint_dots(
    painter: QPainter, theme: Colours, stops: Sequence[float], here: float, current: int
) -> None:
    """Paint the stops, filled up to the cursor, and a ring around the current one."""
    for filled in (True, False):
        set_ink(
            painter,
            QPen(QColor(theme.accent if filled else theme.ghost), 2),
            theme.accent if filled else theme.surface,
        )
        for x in stops:
            if (x <= here + 0.5) is filled:
                painter.drawEllipse(QPointF(x, LINE_Y), RADIUS, RADIUS)
    set_ink(painter, QPen(QColor(theme.accent), 1.5), None)
    painter.drawEllipse(QPointF(stops[current], LINE_Y), RADIUS + 3.5, RADIUS + 3.5)
