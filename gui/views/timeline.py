"""The timeline: a stop for each stage; a click or a drag goes there.

In a stack the stages of the open sub-layer have stops; other parts have one together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, groupby, pairwise

from msgspec import Struct
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.compute.trace import Trace
from core.document.document import Document
from core.explain.timeline import Timeline, timeline
from core.stages import Stage
from gui.painting.shapes import draw_box, set_ink
from gui.painting.text_size import in_units, set_least, size_in_units
from gui.painting.theme import CAPTION, Colours, colours, font
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import layers_title, stage_label, stage_name, sublayer_title, symbol_here
from gui.texts.translation import tr
from gui.widgets.subscripts import draw_centred, width_of

EDGE = 12.0  # left of the first and right of the last stop
AIR = 4.0  # between two names
LEAST = 15.0  # between two stops


@lru_cache(maxsize=8)
def place_stops(
    widths: tuple[float, ...],
    spare: tuple[int, ...],
    wide: float,
    edges: tuple[float, float] = (EDGE, EDGE),
) -> tuple[tuple[float, ...], frozenset[int]]:
    """The x of each stop in a given width, and which of them have a name; all sizes in one unit.

    `widths` are those of the names, centred below their stops. If not all fit, those of `spare` go,
    one by one. `edges`: left of the first stop and right of the last.
    """
    length, named = max(wide - sum(edges), 1.0), set(range(len(widths)))
    for index in spare:
        if sum(_needs(widths, named)) <= length:
            break
        named.remove(index)
    gaps = spread_stops(_needs(widths, named), length)
    return tuple(accumulate(gaps, initial=edges[0])), frozenset(named)


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
PILL = 18.0  # height of a stop for several stages
MOST_LAYERS = 2  # with a stop of their own before and after the open one


class Stop(Struct, frozen=True):
    """A place on the line: one stage by its symbol, or several by what they are together."""

    name: str
    stages: tuple[int, ...]  # their indices in the plan
    drop_order: int = 0
    together: bool = False

    def target(self, current: int) -> int:
        """The stage that a click goes to: the end of a part that lies behind, else the start."""
        return self.stages[-1] if self.stages[-1] < current else self.stages[0]


def stops_of(state: State) -> tuple[Stop, ...]:
    """The stops of a run."""
    plan, here = state.trace.plan, state.trace.plan[state.cursor.stage]
    found = [
        Stop(symbol_here(state.document, stage.id, state.orientation), (at,), stage.spec.drop_order)
        for at, stage in enumerate(plan)
    ]
    if not plan.layers:
        return tuple(found)
    near = plan.nearest_layer(here.id) or 1
    first = plan.index(plan.of_layer(plan.layers[0])[0].id)
    ends = plan.layers[0], plan.layers[-1]
    parts = [_part(stage, here, near, ends, at < first) for at, stage in enumerate(plan)]
    grouped: list[Stop] = []
    for key, members in groupby(range(len(parts)), key=parts.__getitem__):
        indices = tuple(members)
        if plan.index(here.id) in indices:
            grouped += (found[at] for at in indices)
        else:
            name = _part_name(key, state.document) or found[indices[-1]].name
            grouped.append(Stop(name, indices, together=True))
    return tuple(grouped)


Part = tuple[int, int, str]  # the first and last layer, 0 outside of layers; the sub-layer


def _part(stage: Stage, here: Stage, near: int, ends: tuple[int, int], before: bool) -> Part:
    """The part of a stack that has one stop, seen from the stage `here`: a sub-layer of its layer,
    another layer, or several that are further away.

    `near` is the layer of `here` or the nearest to it, `ends` are the first and the last one;
    `before`: the stage comes before all layers.
    """
    if stage.layer is None:
        return (0, 0, "" if before else "output")
    if stage.layer == here.layer:
        return (stage.layer, stage.layer, "mlp" if stage.spec.of_mlp else "attention")
    if stage.layer < near - MOST_LAYERS + 1:
        return (ends[0], max(ends[0], near - MOST_LAYERS), "")
    if stage.layer > near + MOST_LAYERS - 1:
        return (min(ends[1], near + MOST_LAYERS), ends[1], "")
    return (stage.layer, stage.layer, "")


def _part_name(part: Part, document: Document) -> str:
    """The name of a part that is not open; "" for what comes before the layers."""
    first, last, sublayer = part
    if sublayer:
        return sublayer_title(sublayer, document)
    return layers_title(range(first, last + 1)) if first else ""


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

    def _current(self, stops: Sequence[Stop]) -> int:
        """The index of the stop of the current stage."""
        state = self._session.state
        index = state.trace.plan.index(state.cursor.stage)
        return next(at for at, stop in enumerate(stops) if index in stop.stages)

    def _placed(self) -> tuple[Sequence[float], frozenset[int]]:
        """The stops, and the indices of those that have a name, whatever stage is current."""
        stops = stops_of(self._session.state)
        orders = [stop.drop_order for stop in stops]
        spare = tuple(
            sorted((i for i, order in enumerate(orders) if order), key=orders.__getitem__)
        )
        widths = _widths(stops)
        edges = [
            max(EDGE, widths[at] / 2) if stops[at].together else EDGE for at in (0, len(stops) - 1)
        ]
        return place_stops(widths, spare, self._wide(), (edges[0], edges[1]))

    def stage_x(self, index: int) -> float:
        """The x of the stop of a stage."""
        stops = stops_of(self._session.state)
        at = next(at for at, stop in enumerate(stops) if index in stop.stages)
        return self._stops()[at]

    def _cursor_x(self, state: State, stops: Sequence[float]) -> float:
        line = self._line()
        index = self._current(stops_of(state))
        block = line.block(state.cursor.stage)
        done = (line.position(state.cursor) - block.start + 1) / (block.end - block.start + 1)
        before = stops[max(index - 1, 0)]
        return before + done * (stops[index] - before)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the line, the part up to the cursor, and a dot and a name for each stage."""
        state, stops = self._session.state, self._stops()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            with in_units(painter, self.rect(), self._unit):
                here = self._cursor_x(state, stops)
                self._paint_line(painter, colours(state.shade), stops_of(state), here)

    def _paint_line(
        self, painter: QPainter, theme: Colours, parts: Sequence[Stop], here: float
    ) -> None:
        (stops, named), current = self._placed(), self._current(parts)
        for colour, end in ((theme.line, stops[-1]), (theme.accent, here)):
            painter.setPen(QPen(QColor(colour), 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(QPointF(stops[0], LINE_Y), QPointF(end, LINE_Y))
        single = [x for x, part in zip(stops, parts, strict=True) if not part.together]
        _paint_dots(painter, theme, single, here, stops[current])
        texts = [part.name for part in parts]
        for index, part in enumerate(parts):
            if part.together:
                _paint_pill(painter, theme, part.name, stops[index], stops[index] <= here)
        wanted = [at for at in (current, *sorted(named)) if not parts[at].together]
        for index, rect in self._labels(texts, stops, wanted).items():
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
        state, x = self._session.state, x / self._unit
        places, stops = self._stops(), stops_of(state)
        nearest = stops[min(range(len(places)), key=lambda i: abs(places[i] - x))]
        plan = state.trace.plan
        return plan.stages[nearest.target(plan.index(state.cursor.stage))].id

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


def _same_stops(old: State, new: State) -> bool:
    """Whether both states have the same stops, names and numbers of steps."""
    if old.trace is new.trace and old.document is new.document:
        return True
    return timeline(old.trace) == timeline(new.trace) and stops_of(old) == stops_of(new)


@lru_cache(maxsize=8)
def _widths(stops: tuple[Stop, ...]) -> tuple[float, ...]:
    """The widths of the names of stops."""
    face = font(CAPTION, bold=True)
    return tuple(width_of(stop.name, face) + stop.together * PILL for stop in stops)


def _paint_pill(painter: QPainter, theme: Colours, name: str, x: float, done: bool) -> None:
    """Paint the stop of several stages with its name inside."""
    face = font(CAPTION)
    wide = width_of(name, face) + PILL - 4.0
    rect = QRectF(x - wide / 2, LINE_Y - PILL / 2 + 1.0, wide, PILL)
    pen = QPen(QColor(theme.accent if done else theme.ghost), 1.5)
    draw_box(painter, rect, pen, theme.accent_soft if done else theme.surface, PILL / 2)
    painter.setPen(QColor(theme.text if done else theme.muted))
    draw_centred(painter, rect, name, face)


def _paint_dots(
    painter: QPainter, theme: Colours, stops: Sequence[float], here: float, current: float
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
    painter.drawEllipse(QPointF(current, LINE_Y), RADIUS + 3.5, RADIUS + 3.5)
