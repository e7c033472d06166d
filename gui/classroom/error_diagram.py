"""The diagram with the counts of a class over its matrices: painter and widget."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.base.cell import Cell
from core.check.report import RIGHT, WRONG
from core.classroom.marking import VERDICTS, ClassResult
from core.compute.trace import Trace
from core.document.parts import split_layer
from core.explain.timeline import at_stage, start
from gui.classroom.wording import cell_sentence
from gui.painting.color_scale import Levels, ink, value_colour
from gui.painting.matrix import MatrixSpec, oriented, paint_matrix
from gui.painting.shapes import draw_box
from gui.painting.text_layout import CENTRE, draw_text, width_of
from gui.painting.text_layout import RIGHT as AT_RIGHT
from gui.painting.text_size import in_units, saved, size_in_units
from gui.painting.theme import BODY, CAPTION, Colours, colours, font
from gui.session.state import State, cursor_cell
from gui.texts.names import symbol_here
from gui.texts.rich_text import to_html
from gui.texts.translation import tr
from gui.views.diagram.cards import SYMBOL, paint_card
from gui.views.diagram.paint_utils import qrect
from gui.views.diagram.picture import paint_background
from gui.views.diagram.scene import Status, card_specs, layout_of
from gui.views.diagram.shapes import CardBox, DiagramLayout
from gui.views.diagram.viewport import Camera, fitting
from gui.widgets.announcer import announce

LEAST_DIGIT = 9.0  # pixels of a count that is written
MOST_DIGIT = 17.0
MOST_WRITTEN = 2_000  # cells of a card whose counts are written
RING = 2.5
AREA = (1200.0, 240.0)  # units that the picture needs to be readable
WIDTHS, HEIGHTS = (1.0, 0.9), (1.0, 0.84, 0.7)  # parts of the area that are tried


def state_for(base: State, document_trace: Trace, head: int = 0) -> State:
    """A state that shows the whole experiment of a trace, looking like another state."""
    document = base.document
    first = start(document_trace, document)
    cursor = at_stage(document_trace, first, document_trace.plan.ids[-1])
    cursor = replace(cursor, head=min(max(head, 0), document.h - 1))
    return State(
        document,
        document_trace,
        cursor,
        cursor_cell(cursor),
        base.preferences,
        language=base.language,
        shade=base.shade,
    )


@dataclass(frozen=True, slots=True, eq=False)
class ErrorPicture:
    """What is painted: an experiment, the counts of one verdict, and the chosen stage or cell.

    `stage` has a ring, `cell` a frame; both may be missing.
    """

    state: State
    result: ClassResult
    verdict: str = WRONG
    stage: str = ""
    cell: Cell | None = None

    @property
    def most(self) -> int:
        """The largest count anywhere, at least 1."""
        place = VERDICTS.index(self.verdict)
        found = (int(counts[place].max()) for counts in self.result.counts.values())
        return max((1, *found))

    @property
    def shown(self) -> State:
        """The state; in a stack with the layer of the chosen, or else the first, stage open."""
        state, stage = self.state, self.stage or next(iter(self.result.counts), "")
        if not stage or not state.document.is_stack:
            return state
        layer = split_layer(stage)[0]
        last = [name for name in state.trace.plan.ids if split_layer(name)[0] == layer][-1]
        head = min(state.cursor.head, state.document.scope(last).h - 1)
        cursor = replace(state.cursor, stage=last, head=head)
        return replace(state, cursor=cursor, focus=Cell(last, 0, 0))

    def counts(self, stage: str) -> npt.NDArray[np.int64] | None:
        """The counts of a stage in the chosen head, (rows, columns); None where nobody answered."""
        found = self.result.counts.get(stage)
        if found is None:
            return None
        counts = found[VERDICTS.index(self.verdict)]
        if counts.ndim == 3:
            counts = counts[min(self.state.cursor.head, counts.shape[0] - 1)]
        return np.asarray(counts)


def colour_of(theme: Colours, verdict: str, count: int, most: int) -> QColor:
    """The colour of a count: right answers in the upper half of the scale, others in the lower."""
    return value_colour(theme, Levels(-float(most), float(most)), _signed(verdict) * float(count))


def _signed(verdict: str) -> int:
    return 1 if verdict == RIGHT else -1


def paint_errors(painter: QPainter, area: QRectF, picture: ErrorPicture) -> None:
    """Paint the diagram of a class into a rectangle of units."""
    state = picture.shown
    theme, layout, camera = colours(state.shade), *place_in(picture, area)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    with saved(painter):
        painter.translate(camera.dx, camera.dy)
        painter.scale(camera.scale, camera.scale)
        paint_background(painter, state, layout, theme, camera.scale)
        for card in card_specs(state, layout):
            stage = card.box.stage_id
            computed = stage in state.trace.plan and not state.trace.plan[stage].entered
            card = replace(
                card,
                status=Status.HERE if stage == picture.stage else Status.BEHIND,
                masked_rows=() if computed else card.masked_rows,
                lead=None,
                source_frames=(),
            )
            if card.picture is not None:
                extent = (0, 0) if computed else card.picture.shown  # the counts lie over ghosts
                spec = replace(card.picture, frames=(), pinned=frozenset(), shown=extent)
                card = replace(card, picture=spec)
            paint_card(painter, card, theme, camera.scale)
            if computed:
                _paint_counts(painter, card.box, picture, theme, camera.scale)


def place_in(picture: ErrorPicture, area: QRectF) -> tuple[DiagramLayout, Camera]:
    """The layout for an area and the camera that fits it in: of those whose texts are not made
    smaller the one with the largest cells.

    The diagram prefers two rows of cards where there is height for them; counts read better in one.
    Laid out for less room and enlarged, cards have larger cells and texts.
    """
    state = picture.shown
    sizes = [(area.width() * wide, area.height() * high) for wide in WIDTHS for high in HEIGHTS]
    layouts = [layout_of(state, size) for size in sizes]
    places = [(layout, fitting(layout, area)) for layout in layouts]
    return max(places, key=lambda place: (place[1].scale >= 1, _least_cell(state, *place)))


def _least_cell(state: State, layout: DiagramLayout, camera: Camera) -> float:
    """The smallest side of a cell of a computed stage in pixels; 0 for none."""
    plan = state.trace.plan
    boxes = (box for box in layout.boxes if box.stage_id in plan and not plan[box.stage_id].entered)
    return min((min(box.cell_size) for box in boxes), default=0.0) * camera.scale


def _paint_counts(
    painter: QPainter, box: CardBox, picture: ErrorPicture, theme: Colours, scale: float
) -> None:
    matrix, counts = qrect(box.matrix), picture.counts(box.stage_id)
    if counts is None:
        _write_unasked(painter, matrix, theme)
        return
    most, sign = picture.most, _signed(picture.verdict)
    levels = Levels(-float(most), float(most))
    spec = MatrixSpec(sign * counts.astype(float), levels, 0, digits=None)
    paint_matrix(painter, matrix, oriented(spec, box.orientation), theme, scale)
    _write_counts(painter, box, picture, counts, theme)
    _write_share(painter, box, picture, theme)
    cell = picture.cell
    if cell is not None and cell.tensor == box.stage_id:
        chosen = box.block_rect((cell.row, cell.row + 1), (cell.column, cell.column + 1))
        draw_box(painter, qrect(chosen), QPen(QColor(theme.accent), RING), None, 3)


def _write_unasked(painter: QPainter, matrix: QRectF, theme: Colours) -> None:
    text, face = tr("not asked"), font(CAPTION)
    wide = width_of(text, face) + 8
    if matrix.width() >= wide:
        plate = QRectF(0, 0, wide, 20)
        plate.moveCenter(matrix.center())
        draw_box(painter, plate, None, theme.surface, 4)
        draw_text(painter, plate, CENTRE, text, face, theme.muted)


def _write_counts(
    painter: QPainter,
    box: CardBox,
    picture: ErrorPicture,
    counts: npt.NDArray[np.int64],
    theme: Colours,
) -> None:
    width, height = box.cell_size
    longest = width_of(str(int(counts.max())), font(100)) / 100
    size = min(height * 0.55, width * 0.8 / longest, MOST_DIGIT)
    if size < LEAST_DIGIT or counts.size > MOST_WRITTEN:
        return
    most = picture.most
    for (row, column), count in np.ndenumerate(counts):
        place = qrect(box.block_rect((row, row + 1), (column, column + 1)))
        background = colour_of(theme, picture.verdict, int(count), most)
        shade = QColor(theme.muted) if not count else ink(background)
        draw_text(painter, place, CENTRE, str(int(count)), font(size), shade)


def _write_share(painter: QPainter, box: CardBox, picture: ErrorPicture, theme: Colours) -> None:
    """The share of right numbers at the upper right, on a plate of the card's colour."""
    if box.side:
        return
    text = percent(picture.result.share(box.stage_id))
    face, card = font(BODY, bold=True), qrect(box.rect)
    wide = width_of(text, face) + 6
    state = picture.state
    symbol = symbol_here(state.document, box.stage_id, state.orientation)
    if card.width() - wide < width_of(symbol, font(SYMBOL, bold=True)) + 16:
        return
    plate = QRectF(card.right() - wide - 5, card.top() + 4, wide, 20)
    draw_box(painter, plate, None, theme.surface)
    draw_text(painter, plate.adjusted(0, 0, -2, 0), AT_RIGHT, text, face, theme.value)


def percent(share: float) -> str:
    """A share in whole per cent; 100 % and 0 % are written only where they are exact."""
    whole = round(share * 100)
    if 0.0 < share < 1.0:
        whole = min(max(whole, 1), 99)
    return tr("{number} %", number=whole)


class ErrorDiagram(QWidget):
    """The picture as a widget. Arrows move between cells, Page keys between stages.

    `chosen(cell)`: the user has pointed at a cell.
    """

    chosen = Signal(object)

    def __init__(self, picture: ErrorPicture, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture, self._text = picture, 1.0
        self.setObjectName("class_diagram")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.show_picture(picture)

    @property
    def picture(self) -> ErrorPicture:
        """What is painted."""
        return self._picture

    def show_picture(self, picture: ErrorPicture) -> None:
        """Paint another picture."""
        self._picture = picture
        self.setAccessibleName(tr("Diagram of the class"))
        self.setAccessibleDescription(self.spoken())
        self.update()

    def magnify(self, text: float) -> None:
        """Enlarge the drawing with the text size, as far as its cells keep their digits."""
        self._text = text
        self.update()

    @property
    def _unit(self) -> float:
        """Pixels of a unit."""
        return max(1.0, min(self._text, self.width() / AREA[0], self.height() / AREA[1]))

    def spoken(self) -> str:
        """The chosen cell and its count, or what can be chosen."""
        picture = self._picture
        if picture.cell is None:
            return tr("Arrow keys choose a number, Page Up and Page Down a stage.")
        return cell_sentence(picture.result, picture.cell, picture.verdict, picture.state)

    def sizeHint(self) -> QSize:
        """The size in a window of 1280 × 720."""
        return QSize(1200, 250)

    def minimumSizeHint(self) -> QSize:
        """The least that is readable."""
        return QSize(320, 170)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the picture, and a ring while it has the focus."""
        theme = colours(self._picture.state.shade)
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(theme.surface))
            with in_units(painter, self.rect(), self._unit) as area:
                paint_errors(painter, area.adjusted(6, 6, -6, -6), self._picture)
            if self.hasFocus():
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                ring = QRectF(self.rect()).adjusted(1, 1, -1, -1)
                draw_box(painter, ring, QPen(QColor(theme.accent), 1.5), None, 6)

    # Choosing

    def cell_at(self, point: QPointF) -> Cell | None:
        """The cell at a point of the widget."""
        picture = self._picture
        area = size_in_units(self.rect(), self._unit).adjusted(6, 6, -6, -6)
        layout, camera = place_in(picture, area)
        at = camera.to_layout(point / self._unit)
        for box in layout.boxes:
            place = box.cell_at(*at) if box.stage_id in picture.result.counts else None
            if place is not None:
                return self._cell(box.stage_id, *place)
        return None

    def _cell(self, stage: str, row: int, column: int) -> Cell:
        counts = self._picture.result.counts[stage]
        head = min(self._picture.state.cursor.head, counts.shape[1] - 1) if counts.ndim == 4 else 0
        return Cell(stage, row, column, head)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the cell at the pointer."""
        found = self.cell_at(event.position())
        if found is not None:
            self._choose(found)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show by the cursor and a tool tip what can be chosen."""
        found, picture = self.cell_at(event.position()), self._picture
        if found is None:
            self.unsetCursor()
            self.setToolTip("")
            return
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        said = cell_sentence(picture.result, found, picture.verdict, picture.state)
        self.setToolTip(to_html(said))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the choice."""
        found = self._moved(Qt.Key(event.key()))
        if found is None or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().keyPressEvent(event)
        else:
            self._choose(found)

    def _moved(self, key: Qt.Key) -> Cell | None:
        stages = list(self._picture.result.counts)
        if not stages:
            return None
        now = self._picture.cell
        if key in STAGES:
            at = stages.index(now.tensor) + STAGES[key] if now and now.tensor in stages else 0
            return self._cell(stages[min(max(at, 0), len(stages) - 1)], 0, 0)
        if key not in MOVES:
            return None
        if now is None or now.tensor not in stages:
            return self._cell(self._picture.stage or stages[0], 0, 0)
        down, right = self._picture.state.orientation.pair(*MOVES[key])
        counts = self._picture.counts(now.tensor)
        assert counts is not None
        row = min(max(now.row + down, 0), counts.shape[0] - 1)
        return self._cell(now.tensor, row, min(max(now.column + right, 0), counts.shape[1] - 1))

    def _choose(self, cell: Cell) -> None:
        self.show_picture(replace(self._picture, cell=cell))
        announce(self, self.spoken())
        self.chosen.emit(cell)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring."""
        super().focusInEvent(event)
        self.update()


MOVES = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
STAGES = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}
