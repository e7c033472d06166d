"""The way through a lesson: back, where we are, Next; and the row below the scenes that edits their list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from core.lesson.lesson import COURSE, shipped_title
from gui.painting.text_size import set_font, set_least
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import tr
from gui.widgets.buttons import IconButton
from gui.widgets.styles import primary_style


class PlayBar(QWidget):
    """Plays. Next is the loudest control of the panel."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.back, self.on = IconButton("step_back", self), QPushButton(self)
        self._where = QLabel(self)
        set_font(self._where, BODY)
        self._where.setAlignment(Qt.AlignmentFlag.AlignCenter)
        set_least(self._where, 64)
        set_font(self.on, BODY, bold=True)
        self.on.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for widget in (self.back, self._where, self.on):
            row.addWidget(widget)
        lecture = session.lesson_player
        self.back.clicked.connect(lecture.back)
        self.on.clicked.connect(lecture.forward)

    def show_state(self, old: State | None, new: State) -> None:
        """Where we are, and what is possible there."""
        if old is None or old.language != new.language:
            self.back.call(tr("Back in the lesson"), "PgUp")
            self.on.setText(tr("Next"))
            self.on.setAccessibleName(tr("On in the lesson"))
            self.on.setToolTip(tr("On in the lesson ({keys})", keys="PgDown"))
        if old is None or old.shade != new.shade:
            self._paint(colours(new.shade))
        count = len(new.lesson.scenes) if new.lesson else 0
        here = "–" if new.scene_index is None else str(new.scene_index + 1)
        self._where.setText(tr("{here} of {count}", here=here, count=count))
        self.back.setEnabled(bool(new.scene_index or new.steps_taken))
        more = new.scene is not None and (
            new.steps_taken < new.scene.steps or new.scene.index + 1 < count
        )
        self.on.setEnabled(more or (new.scene is None and count > 0))

    def _paint(self, theme: Colours) -> None:
        self.back.paint_in(theme)
        self.on.setStyleSheet(primary_style(theme))


class ListBar(QWidget):
    """Edits the list at the scene at which we stand."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        names = ("reset", "duplicate", "move_up", "move_down", "remove", "undo", "redo")
        self.buttons = {name: IconButton(name, self) for name in names}
        self.add = QPushButton(self)
        set_font(self.add, BODY)
        self.add.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self.add)
        for name, button in self.buttons.items():
            if name == "undo":
                row.addStretch(1)
            row.addWidget(button)
        self.add.clicked.connect(session.lesson_player.add_scene)
        stack = session.lesson_player.undo_stack
        wishes = (
            self._again,
            self._duplicate,
            self._up,
            self._down,
            self._remove,
            stack.undo,
            stack.redo,
        )
        for button, wish in zip(self.buttons.values(), wishes, strict=True):
            button.clicked.connect(wish)
        for name, changes in (("undo", stack.canUndoChanged), ("redo", stack.canRedoChanged)):
            self.buttons[name].setEnabled(False)
            changes.connect(self.buttons[name].setEnabled)

    def _again(self) -> None:
        self._session.lesson_player.rerecord_scene()

    def _duplicate(self) -> None:
        if (scene := self._session.state.scene_index) is not None:
            self._session.lesson_player.duplicate_scene(scene)

    def _up(self) -> None:
        if (scene := self._session.state.scene_index) is not None:
            self._session.lesson_player.move_scene(scene, scene - 1)

    def _down(self) -> None:
        if (scene := self._session.state.scene_index) is not None:
            self._session.lesson_player.move_scene(scene, scene + 1)

    def _remove(self) -> None:
        if (scene := self._session.state.scene_index) is not None:
            self._session.lesson_player.remove_scene(scene)

    def show_state(self, old: State | None, new: State) -> None:
        """Names, colours, and what is possible."""
        if old is None or old.language != new.language:
            self._name()
        if old is None or old.shade != new.shade:
            for button in self.buttons.values():
                button.paint_in(colours(new.shade))
        count, scene = len(new.lesson.scenes) if new.lesson else 0, new.scene_index
        possible = {
            "reset": scene is not None,
            "duplicate": scene is not None,
            "remove": scene is not None,
            "move_up": bool(scene),
            "move_down": scene is not None and scene + 1 < count,
        }
        for name, can in possible.items():
            self.buttons[name].setEnabled(can)

    def _name(self) -> None:
        self.add.setText(tr("Add scene"))
        self.add.setToolTip(tr("Record what is seen now as a scene ({keys})", keys="Ctrl+L"))
        buttons = self.buttons
        buttons["reset"].call(tr("Record this scene again as it is seen now"))
        buttons["duplicate"].call(tr("Duplicate the scene"), "Ctrl+D")
        buttons["move_up"].call(tr("Move the scene up"), "Alt+↑")
        buttons["move_down"].call(tr("Move the scene down"), "Alt+↓")
        buttons["remove"].call(tr("Delete the scene"), "Delete")
        buttons["undo"].call(tr("Undo in the lesson"), "Ctrl+Z")
        buttons["redo"].call(tr("Redo in the lesson"), "Ctrl+Shift+Z")


class LiveBadge(QFrame):
    """Hidden while the scene stands as it is told and no live edits of it are kept."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("live_badge")
        self._text = QLabel(self)
        set_font(self._text, BODY, bold=True)
        self.drop, self.again, self.keep = QPushButton(self), QPushButton(self), QPushButton(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 4, 6, 4)
        row.setSpacing(6)
        row.addWidget(self._text, 1)
        for button, wish in (
            (self.keep, session.lesson_player.rerecord_scene),
            (self.drop, session.lesson_player.discard_live_edits),
            (self.again, session.lesson_player.restore_live_edits),
        ):
            set_font(button, CAPTION)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(wish)
            row.addWidget(button)
        self.hide()

    def show_state(self, old: State | None, new: State) -> None:
        """What applies now."""
        if old is None or old.language != new.language:
            self.drop.setText(tr("Back to the scene"))
            self.drop.setToolTip(tr("Drop the live edits ({keys})", keys="Backspace"))
            self.keep.setText(tr("Record"))
            self.keep.setToolTip(tr("The scene shows from now on what is seen now"))
            self.again.setText(tr("Show them"))
            self.again.setToolTip(tr("The live edits that you made at this scene"))
        kept = new.scene_index in new.live_edits and not new.live
        self._text.setText(tr("Edited live") if new.live else tr("Your live edits are kept"))
        for button in (self.drop, self.keep):
            button.setVisible(new.live)
        self.again.setVisible(kept)
        self.setVisible(new.live or kept)
        if old is None or old.shade != new.shade:
            theme = colours(new.shade)
            self.setStyleSheet(
                f"#live_badge {{ background: {theme.sunken}; border: 1px solid {theme.warning}; border-radius: 8px; }}"
                f"#live_badge QLabel {{ color: {theme.warning}; border: none; }}"
            )


class NoLesson(QWidget):
    """`new`, `open` and `ship` are called when a button is pressed."""

    def __init__(
        self,
        new: Callable[[], object],
        open_: Callable[[], object],
        ship: Callable[[str], object],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._heading, self._text = QLabel(self), QLabel(self)
        self.new, self.open = QPushButton(self), QPushButton(self)
        self.shipped = {name: QPushButton(self) for name in COURSE}
        self._titles = {name: shipped_title(name) for name in COURSE}
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(8)
        column.addStretch(1)
        for label in (self._heading, self._text):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(label)
        column.addSpacing(4)
        for button in self.shipped.values():
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        own = QHBoxLayout()
        own.addStretch(1)
        for button in (self.new, self.open):
            own.addWidget(button)
        own.addStretch(1)
        column.addLayout(own)
        for button in (*self.shipped.values(), self.new, self.open):
            set_font(button, BODY)
        column.addStretch(2)
        set_font(self._heading, TITLE, bold=True)
        set_font(self._text, BODY)
        self.new.clicked.connect(partial(_do, new))
        self.open.clicked.connect(
            partial(_do, open_)
        )  # not with what a button says: whether it is checked
        for name, button in self.shipped.items():
            button.clicked.connect(partial(_call, ship, name))

    def show_state(self, old: State | None, new: State) -> None:
        """Words and colours."""
        if old is None or old.language != new.language:
            self._heading.setText(tr("No lesson is open"))
            self._text.setText(
                tr(
                    "A lesson is a list of scenes. Step to what you want to show and add it as a scene; then play it."
                )
            )
            self.new.setText(tr("Begin a lesson"))
            self.open.setText(tr("Open a lesson…"))
            for name, button in self.shipped.items():
                button.setText(self._titles[name].of(new.language))
        if old is None or old.shade != new.shade:
            self._text.setStyleSheet(f"color: {colours(new.shade).muted};")


def _call(ship: Callable[[str], object], name: str) -> None:
    ship(name)


def _do(task: Callable[[], object]) -> None:
    task()
