"""The lesson panel: read the current scene, edit the list of scenes, or edit the current scene."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from core.lesson.lesson import Lesson
from gui.painting.text_size import set_font, set_least
from gui.painting.theme import BODY, CAPTION, Colours, colours
from gui.session.session import Session
from gui.session.state import State
from gui.storage.lesson_files import LessonFiles
from gui.texts.translation import tr
from gui.views.lesson.bars import ListBar, LiveBadge, NoLesson, PlayBar
from gui.views.lesson.editor import LineField, SceneEditor
from gui.views.lesson.scene_list import SceneList, SceneModel
from gui.widgets.buttons import Segment, Segments
from gui.widgets.layouts import FlowLayout, fill
from gui.widgets.scene_reader import SceneReader

PARTS = ("read", "scenes", "words")
TWO_PARTS_HEIGHT = 560  # pixels
WIDEST = 190  # pixels of a file's name


class LessonPanel(QWidget):
    """Show title, play bar and one part of the open lesson; without one, how to open one.

    The parts are the reader (first when a lesson opens), the list of scenes (first while it is
    empty) and the scene editor. In a high panel the list is also below reader and editor.
    """

    def __init__(self, session: Session, files: LessonFiles, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.empty = NoLesson(files.new, files.open, files.open_shipped, self)
        self.title, self._saved = LineField(self), QLabel(self)
        self.bar, self.tools = PlayBar(session, self), ListBar(session, self)
        self.badge, self.editor = LiveBadge(session, self), SceneEditor(session, self)
        self.model = SceneModel(session, self)
        self.scenes, self.hint = SceneList(self.model, self), QLabel(self)
        self.reader = SceneReader(self)
        self.parts, self._split = Segments(PARTS, self), QSplitter(Qt.Orientation.Vertical, self)
        self._part = PARTS[0]
        self._open = self._page()
        fill(QVBoxLayout(self), self.empty, self._open)  # no stack: a hidden page takes no space
        set_font(self.title, BODY, bold=True)
        self.title.committed.connect(self._name_lesson)
        player = session.lesson_player
        player.commit_requested.connect(self.title.commit)
        self.parts.chosen.connect(self._choose_part)
        self.scenes.chosen.connect(self._go)
        self.scenes.moved.connect(player.move_scene)
        self.scenes.duplicated.connect(player.duplicate_scene)
        self.scenes.removed.connect(player.remove_scene)
        self.scenes.undone.connect(lambda: player.undo(-1))
        self.scenes.redone.connect(lambda: player.undo(1))
        # Queued, because the list must not change before the drag has ended.
        self.model.moved.connect(player.move_scene, Qt.ConnectionType.QueuedConnection)

    def _page(self) -> QWidget:
        page = QWidget(self)
        self._list = QWidget(self)
        fill(QVBoxLayout(self._list), self.hint, (self.scenes, 1), self.tools, 0, spacing=4)
        for widget, stretch in ((self.reader, 2), (self.editor, 2), (self._list, 3)):
            self._split.addWidget(widget)
            self._split.setStretchFactor(self._split.count() - 1, stretch)
        self._split.setChildrenCollapsible(False)
        self._split.setHandleWidth(8)
        set_font(self._saved, CAPTION)
        set_font(self.hint, BODY)
        self.hint.setWordWrap(True)
        head, bars = fill(QHBoxLayout(), (self.title, 1), self._saved), FlowLayout(12)
        bars.addWidget(self.bar)
        bars.addWidget(self.parts)
        parts = (head, bars, self.badge, (self._split, 1))
        fill(QVBoxLayout(page), *parts, spacing=6, margins=(10, 6, 10, 8))
        for widget in (self.scenes, self.reader, self.editor):
            set_least(widget, height=70)
        return page

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show one part or two, by the height."""
        super().resizeEvent(event)
        self._show_parts()

    def _show_parts(self) -> None:
        high, lesson = self.height() >= TWO_PARTS_HEIGHT, self._session.state.lesson
        is_empty = lesson is not None and not lesson.scenes
        part = "scenes" if is_empty else self._part
        self.hint.setVisible(is_empty)
        for widget in (self.bar, self.parts, self.scenes):
            widget.setVisible(not is_empty)
        self._list.setVisible(high or part == "scenes")
        self.tools.setVisible(part != "read")
        self.reader.setVisible(part == "read")
        self.editor.setVisible(part == "words")

    # Input

    def _choose_part(self, part: str) -> None:
        self._part = part
        self._show_parts()

    def _go(self, row: int) -> None:
        self._session.lesson_player.go_to(row)
        self.scenes.show_current(self._session.state.scene_index)

    def _name_lesson(self, text: str) -> None:
        state = self._session.state
        if state.lesson is not None:
            title = state.lesson.title.with_text(state.language, text)
            self._session.lesson_player.edit_lesson(
                merge=f"title {state.language} {self.title.visit}", title=title
            )

    # Display

    def show_state(self, old: State | None, new: State) -> None:
        """Show the lesson; the parts skip what is unchanged."""
        self.empty.setVisible(new.lesson is None)
        self._open.setVisible(new.lesson is not None)
        if new.lesson is not None and (old is None or old.lesson is None):
            self._choose_part("read" if new.lesson.scenes else "scenes")
            self._name_parts()
        self._show_parts()
        self.empty.show_state(old, new)
        self.model.show_state(old, new)
        for part in (self.bar, self.badge, self.tools, self.reader, self.editor):
            part.show_state(old, new)
        if old is None or old.language != new.language:
            self.title.setAccessibleName(tr("Title of the lesson"))
            self.scenes.setAccessibleName(tr("Scenes"))
            self.hint.setText(
                tr(
                    "Arrange the window as you want to show it, then press Add scene ({keys}).",
                    keys="Ctrl+L",
                )
            )
            self._name_parts()
        if old is None or old.shade != new.shade:
            self._paint(colours(new.shade))
        if old is None or old.lesson != new.lesson or old.language != new.language:
            title = (new.lesson or Lesson()).title
            self.title.show_text(title.get(new.language))
            self.title.setPlaceholderText(title.of(new.language) or tr("Title of the lesson"))
        if old is None or _moved(old, new):
            self.scenes.show_current(new.scene_index)
        self._show_file(new)

    def _name_parts(self) -> None:
        names = {"read": tr("Read"), "scenes": tr("Scenes"), "words": tr("Edit scene")}
        self.parts.show_segments(
            tuple(Segment(part, name) for part, name in names.items()), self._part
        )

    def _show_file(self, state: State) -> None:
        text = state.lesson_path.name if state.lesson_path else ""
        if state.lesson_dirty:
            text = tr("{file} · not saved", file=text) if text else tr("not saved")
        self._saved.setText(
            QFontMetrics(self._saved.font()).elidedText(text, Qt.TextElideMode.ElideMiddle, WIDEST)
        )
        self._saved.setToolTip(str(state.lesson_path) if state.lesson_path else "")

    def _paint(self, theme: Colours) -> None:
        self.parts.paint_in(theme)
        self._saved.setStyleSheet(f"color: {theme.muted};")
        self.title.setStyleSheet(
            f"QLineEdit {{ color: {theme.text}; background: {theme.surface}; border: 1px solid transparent;"
            f" border-radius: 6px; padding: 3px 4px; font-weight: 600; }}"
            f"QLineEdit:hover {{ border-color: {theme.line}; }} QLineEdit:focus {{ border-color: {theme.accent}; }}"
        )
        self.scenes.setStyleSheet(
            f"QListView {{ background: {theme.surface}; border: 1px solid {theme.line}; border-radius: 8px;"
            f" outline: none; padding: 3px; }} QListView:focus {{ border-color: {theme.accent}; }}"
        )


def _moved(old: State, new: State) -> bool:
    """Whether the current scene is another one or is shown differently."""
    return (old.scene_index, old.live, old.live_edits, old.lesson) != (
        new.scene_index,
        new.live,
        new.live_edits,
        new.lesson,
    )
