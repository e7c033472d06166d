"""The scenes as a list for Qt: titles, captions and little pictures; rows may be dragged to another place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import Document
from core.lesson.lesson import Resolved, Scene
from gui.session.session import Session
from gui.session.state import State
from gui.views.lesson.wording import scene_caption, scene_title, spoken_scene

MIME = "application/x-attention-scene"
LARGEST = 200  # tokens; a larger experiment is not computed for a picture of the size of a stamp
KEPT = 32  # computed experiments that are kept: those of the scenes that were seen last
Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()


class SceneModel(QAbstractListModel):
    """`moved(row, to)`: a row was dropped somewhere else; `to` counts without it."""

    moved = Signal(int, int)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._scenes: tuple[Scene, ...] = ()
        self._traces: dict[Document, Trace] = {}  # a trace holds its document: none goes by itself

    @property
    def state(self) -> State:
        """What is shown now."""
        return self._session.state

    def show_state(self, old: State | None, new: State) -> None:
        """Other scenes, or the same ones in other words."""
        scenes = new.lesson.scenes if new.lesson else ()
        if len(scenes) != len(self._scenes):
            self.beginResetModel()
            self._scenes = scenes
            self._traces.clear()
            self.endResetModel()
        elif scenes and (scenes != self._scenes or old is None or _reads_otherwise(old, new)):
            self._scenes = scenes
            self.dataChanged.emit(self.index(0), self.index(len(scenes) - 1))

    def scene(self, row: int) -> Scene:
        """The scene of a row."""
        return self._scenes[row]

    def resolved(self, row: int) -> Resolved | None:
        """What the scene shows; None where that cannot be told now: a file is gone, or we are yet to hear of another
        lesson."""
        lesson = self.state.lesson
        if lesson is None or row >= len(lesson.scenes):
            return None
        try:
            return self._session.lesson_player.resolved(row)
        except UserError:
            return None

    def trace(self, document: Document) -> Trace | None:
        """The computed experiment of a scene; None for a large one."""
        if max(document.n, document.m) > LARGEST:
            return None
        if document is self.state.document:
            return self.state.trace
        known = self._traces.pop(document, None)
        self._traces[document] = known = run(document) if known is None else known
        if len(self._traces) > KEPT:
            del self._traces[next(iter(self._traces))]
        return known

    def caption(self, row: int) -> str:
        """The line below the title."""
        resolved = self.resolved(row)
        return scene_caption(
            self._scenes[row], resolved.document if resolved else None, self.state.orientation
        )

    # Qt

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """The number of scenes."""
        return 0 if parent.isValid() else len(self._scenes)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The title, and the whole line for a screen reader."""
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
        """Rows can be dragged, and dropped between others."""
        flags = super().flags(index)
        return flags | (
            Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else Qt.ItemFlag.ItemIsDropEnabled
        )

    def supportedDropActions(self) -> Qt.DropAction:
        """Only moving."""
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        """A kind of our own: a scene is dropped nowhere else."""
        return [MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """The number of the row."""
        data = QMimeData()
        data.setData(MIME, QByteArray(str(indexes[0].row()).encode()))
        return data

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        """Tell where a row went. False: the view must not take it out itself."""
        if not data.hasFormat(MIME):
            return False
        start = int(bytes(data.data(MIME).data()).decode())
        place = row if row >= 0 else parent.row() if parent.isValid() else len(self._scenes)
        to = place - 1 if place > start else place
        if to != start:
            self.moved.emit(start, to)
        return False


def _reads_otherwise(old: State, new: State) -> bool:
    return (old.wording, old.shade, old.orientation, old.live_edits) != (
        new.wording,
        new.shade,
        new.orientation,
        new.live_edits,
    )
