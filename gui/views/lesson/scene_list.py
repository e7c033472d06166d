"""The list of scenes: model, painting, keys, and moving by drag and drop."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QEvent,
    QItemSelectionModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import Document
from core.document.parts import is_headwise
from core.explain.timeline import revealed
from core.lesson.lesson import LessonScene, Resolved
from gui.labs.frame import paint_lab_thumbnail
from gui.painting.color_scale import levels_of
from gui.painting.matrix import Frame, MatrixSpec, oriented, paint_matrix
from gui.painting.shapes import draw_box, set_ink
from gui.painting.text_layout import CENTRE, LEFT, RIGHT, draw_text
from gui.painting.text_size import factor, in_units, px
from gui.painting.theme import BODY, CAPTION, Colours, colours, font
from gui.session.session import Session
from gui.session.state import State
from gui.widgets.layouts import set_up_list
from gui.widgets.scene_reader import scene_caption, scene_title, spoken_scene
from gui.widgets.shortcut_filter import claim_key

MIME = "application/x-attention-scene"
LARGEST = 200  # tokens; a larger experiment is not computed for a thumbnail
CACHED_TRACES = 32  # traces of the scenes that were painted last
Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()


_LOOKS = "wording", "shade", "orientation", "live_edits"  # besides the scenes


class SceneModel(QAbstractListModel):
    """The scenes as rows. `moved(row, to)`: a row was dropped; `to` counts without it."""

    moved = Signal(int, int)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._scenes: tuple[LessonScene, ...] = ()
        self._traces: dict[Document, Trace] = {}  # by document

    @property
    def state(self) -> State:
        """The current state."""
        return self._session.state

    def show_state(self, old: State | None, new: State) -> None:
        """Show the scenes of a state."""
        scenes = new.lesson.scenes if new.lesson else ()
        if len(scenes) != len(self._scenes):
            self.beginResetModel()
            self._scenes = scenes
            self._traces.clear()
            self.endResetModel()
        elif scenes and (
            old is None
            or scenes != self._scenes
            or any(getattr(old, name) != getattr(new, name) for name in _LOOKS)
        ):
            self._scenes = scenes
            self.dataChanged.emit(self.index(0), self.index(len(scenes) - 1))

    def scene(self, row: int) -> LessonScene:
        """The scene of a row."""
        return self._scenes[row]

    def resolved(self, row: int) -> Resolved | None:
        """What the scene shows; None where a file is missing or the list shows an older lesson."""
        lesson = self.state.lesson
        if lesson is None or row >= len(lesson.scenes):
            return None
        try:
            return self._session.lesson_player.resolve(row)
        except UserError:
            return None

    def trace(self, document: Document) -> Trace | None:
        """The trace of a scene's experiment; None for a large one."""
        if max(document.n, document.m) > LARGEST:
            return None
        if document is self.state.document:
            return self.state.trace
        known = self._traces.pop(document, None)
        self._traces[document] = known = run(document) if known is None else known
        if len(self._traces) > CACHED_TRACES:
            del self._traces[next(iter(self._traces))]
        return known

    def caption(self, row: int) -> str:
        """The line below the title."""
        resolved = self.resolved(row)
        return scene_caption(
            self._scenes[row], resolved.document if resolved else None, self.state.orientation
        )

    # Qt

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        """The number of scenes."""
        return 0 if parent.isValid() else len(self._scenes)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The title, a sentence for screen readers, and the scene's text as tooltip."""
        if not index.isValid() or index.row() >= len(self._scenes):
            return None
        scene, language = self._scenes[index.row()], self.state.language
        roles = Qt.ItemDataRole
        if role == roles.DisplayRole:
            return scene_title(scene, language)
        if role == roles.AccessibleTextRole:
            return spoken_scene(index.row(), scene, language, self.caption(index.row()))
        return scene.say.of(language) if role == roles.ToolTipRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Rows can be dragged and dropped between others."""
        flags = super().flags(index)
        return flags | (
            Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else Qt.ItemFlag.ItemIsDropEnabled
        )

    def supportedDropActions(self) -> Qt.DropAction:
        """Only move rows."""
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        """A private type: scenes can be dropped nowhere else."""
        return [MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """The number of the row."""
        data = QMimeData()
        data.setData(MIME, QByteArray(str(indexes[0].row()).encode()))
        return data

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        """Emit `moved`. Return False, so that the view does not remove the row itself."""
        if not data.hasFormat(MIME):
            return False
        start = int(bytes(data.data(MIME).data()).decode())
        place = row if row >= 0 else parent.row() if parent.isValid() else len(self._scenes)
        to = place - 1 if place > start else place
        if to != start:
            self.moved.emit(start, to)
        return False


HEIGHT, GROUP_GAP = 54, 12
NUMBER, THUMBNAIL, GAP = 26, 46, 10


class SceneDelegate(QStyledItemDelegate):
    """Paint a scene per row; a line separates groups."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """As wide as the list."""
        return QSize(px(120), px(HEIGHT) + (px(GROUP_GAP) if self._begins(index) else 0))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """One scene."""
        model = index.model()
        assert isinstance(model, SceneModel), "this delegate paints scenes"
        current, state = model.state.scene_index == index.row(), option.state
        focused = bool(state & QStyle.StateFlag.State_HasFocus) or (
            current and bool(state & QStyle.StateFlag.State_Selected) and option.widget.hasFocus()
        )
        with in_units(painter, option.rect, factor()) as room:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint(painter, room.toRect(), index, model, current, focused)

    def _paint(
        self,
        painter: QPainter,
        rect: QRect,
        index: Index,
        model: SceneModel,
        current: bool,
        focused: bool,
    ) -> None:
        theme = colours(model.state.shade)
        if self._begins(index):
            y = rect.top() + GROUP_GAP / 2
            painter.setPen(QPen(QColor(theme.line), 1))
            painter.drawLine(QPointF(rect.left() + 4, y), QPointF(rect.right() - 4, y))
            rect.setTop(rect.top() + GROUP_GAP)
        if current:
            edge = QPen(QColor(theme.accent), 1.5) if focused else None
            box = QRectF(rect).adjusted(1, 1.5, -1, -1.5)
            draw_box(painter, box, edge, theme.accent_soft, 8)
        number = QRectF(rect.left(), rect.top(), NUMBER - 6, rect.height())
        face = font(CAPTION, bold=current)
        colour = theme.accent if current else theme.muted
        draw_text(painter, number, RIGHT, str(index.row() + 1), face, colour)
        thumbnail = QRectF(rect.left() + NUMBER, rect.top() + 7, THUMBNAIL, rect.height() - 14)
        _paint_thumbnail(painter, thumbnail, model, index.row(), theme)
        left = rect.left() + NUMBER + THUMBNAIL + GAP
        _paint_texts(
            painter,
            QRectF(left, rect.top(), rect.right() - left - 6, rect.height()),
            model,
            index.row(),
            theme,
        )

    @staticmethod
    def _begins(index: Index) -> bool:
        model = index.model()
        return (
            isinstance(model, SceneModel)
            and index.row() > 0
            and model.scene(index.row()).breakpoint
        )


def _paint_thumbnail(
    painter: QPainter, rect: QRectF, model: SceneModel, row: int, theme: Colours
) -> None:
    resolved = model.resolved(row)
    if resolved is not None and resolved.scene.demo is not None:
        paint_lab_thumbnail(painter, rect, resolved, model.state.shade)
        return
    trace = model.trace(resolved.document) if resolved else None
    if resolved is None or trace is None:
        return
    picture = oriented(_picture(resolved, trace, theme), model.state.orientation)
    side = min(rect.width() / picture.columns, rect.height() / picture.rows)
    width, height = side * picture.columns, side * picture.rows
    room = QRectF(rect.center().x() - width / 2, rect.center().y() - height / 2, width, height)
    paint_matrix(painter, room, picture, theme, painter.device().devicePixelRatioF() * factor())


def _picture(resolved: Resolved, trace: Trace, theme: Colours) -> MatrixSpec:
    cursor = resolved.cursor
    array = trace[cursor.stage]
    values = array[cursor.head] if is_headwise(cursor.stage) else array
    part = revealed(trace.plan, cursor, cursor.stage, (values.shape[0], values.shape[1]))
    frames: tuple[Frame, ...] = ()
    if resolved.focus.tensor == cursor.stage and max(values.shape) <= 16:
        cell = resolved.focus
        frames = (
            Frame((cell.row, cell.row + 1), (cell.column, cell.column + 1), theme.accent, 1.5),
        )
    return MatrixSpec(
        values, levels_of(array, cursor.stage), 0, shown=part, frames=frames, digits=None
    )


def _paint_texts(
    painter: QPainter, rect: QRectF, model: SceneModel, row: int, theme: Colours
) -> None:
    scene = model.scene(row)
    if scene.question:
        circle = QRectF(rect.right() - 18, rect.center().y() - 9, 18, 18)
        draw_box(painter, circle, QPen(QColor(theme.weights), 1.3), None, 9)
        draw_text(painter, circle, CENTRE, "?", font(CAPTION, bold=True), theme.weights)
        rect = rect.adjusted(0, 0, -26, 0)
    if row in model.state.live_edits or (model.state.live and model.state.scene_index == row):
        set_ink(painter, None, theme.warning)
        painter.drawEllipse(QPointF(rect.right() - 6, rect.center().y()), 4, 4)
        rect = rect.adjusted(0, 0, -16, 0)
    half, face = rect.height() / 2, font(BODY, bold=model.state.scene_index == row)
    above, below = rect.adjusted(0, 5, 0, -half + 2), rect.adjusted(0, half, 0, -6)
    draw_text(painter, above, LEFT, scene_title(scene, model.state.language), face, theme.text)
    draw_text(painter, below, LEFT, model.caption(row), font(CAPTION), theme.muted)


Key = Qt.Key
STEPS = {Key.Key_Up: -1, Key.Key_Down: 1}


class SceneList(QListView):
    """The list of scenes: a click or arrow key chooses one, Alt with an arrow or a drag moves it.

    Left, right, Home, End and the page keys stay with the window, which plays the lesson.
    """

    chosen = Signal(int)
    moved = Signal(int, int)
    duplicated = Signal(int)
    removed = Signal(int)
    undone = Signal()
    redone = Signal()

    def __init__(self, model: SceneModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(SceneDelegate(self))
        set_up_list(self)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setMouseTracking(True)
        self.clicked.connect(lambda index: self.chosen.emit(index.row()))

    def show_current(self, row: int | None) -> None:
        """Select the current scene and scroll to it and the next one."""
        index = QModelIndex() if row is None else self.model().index(row, 0)
        self.selectionModel().setCurrentIndex(
            index, QItemSelectionModel.SelectionFlag.ClearAndSelect
        )
        if row is not None:
            last = self.model().rowCount() - 1
            self.scrollTo(self.model().index(min(row + 1, last), 0))
            self.scrollTo(index)
        self.viewport().update()

    def event(self, event: QEvent) -> bool:
        """Claim undo and redo for the lesson."""
        return claim_key(event, _undoes) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle keys for the current scene."""
        row, key = self.currentIndex().row(), Key(event.key())
        if _undoes(event):
            (self.undone if event.matches(QKeySequence.StandardKey.Undo) else self.redone).emit()
        elif key in STEPS:
            self._step(
                row, STEPS[key], alt=bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
            )
        elif row >= 0 and key == Key.Key_Delete:
            self.removed.emit(row)
        elif (
            row >= 0
            and key == Key.Key_D
            and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        ):
            self.duplicated.emit(row)
        else:
            event.ignore()

    def _step(self, row: int, by: int, *, alt: bool) -> None:
        to = row + by
        if not 0 <= to < self.model().rowCount():
            return
        if alt:
            self.moved.emit(row, to)
        else:
            self.chosen.emit(to)


def _undoes(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(
        QKeySequence.StandardKey.Redo
    )
