"""The controls of the lesson panel: play a lesson, edit its list of scenes, live edits, and no open
lesson.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from core.lesson.lesson import COURSE, shipped_title
from gui.painting.text_size import set_font, set_least
from gui.painting.theme import BODY, CAPTION, TITLE, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import tr
from gui.widgets.buttons import IconButton, name_button
from gui.widgets.layouts import fill
from gui.widgets.scene_reader import is_lesson_end, lesson_place
from gui.widgets.styles import primary_style


class PlayBar(QWidget):
    """Step through a lesson: back, position, Next."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.back, self.next = IconButton("step_back", self), QPushButton(self)
        self.position = QLabel(self)
        set_font(self.position, BODY)
        self.position.setAlignment(Qt.AlignmentFlag.AlignCenter)
        set_least(self.position, 64)
        set_font(self.next, BODY, bold=True)
        self.next.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        fill(QHBoxLayout(self), self.back, self.position, self.next, spacing=4)
        self.back.clicked.connect(session.lesson_player.back)
        self.next.clicked.connect(session.lesson_player.forward)

    def show_state(self, old: State | None, new: State) -> None:
        """Show the position and which way the lesson can go on."""
        if old is None or old.language != new.language:
            self.back.call(tr("Back in the lesson"), "PgUp")
            tip = tr("Forward in the lesson ({keys})", keys="PgDown")
            name_button(self.next, tr("Next"), tip, tr("Forward in the lesson"))
        if old is None or old.shade != new.shade:
            self.back.paint_in(colours(new.shade))
            self.next.setStyleSheet(primary_style(colours(new.shade)))
        count = len(new.lesson.scenes) if new.lesson else 0
        here, presses = lesson_place(new)
        self.position.setText(tr("{here} of {count}", here=here or "–", count=presses))
        self.back.setEnabled(bool(new.scene_index or new.steps_taken))
        self.next.setEnabled(count > 0 and not is_lesson_end(new))


class ListBar(QWidget):
    """Edit the list of scenes at the current one."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        player, stack = session.lesson_player, session.lesson_player.undo_stack
        actions: dict[str, Callable[[], object]] = {
            "reset": player.rerecord_scene,
            "duplicate": lambda: self._at_scene(player.duplicate_scene),
            "move_up": lambda: self._at_scene(lambda scene: player.move_scene(scene, scene - 1)),
            "move_down": lambda: self._at_scene(lambda scene: player.move_scene(scene, scene + 1)),
            "remove": lambda: self._at_scene(player.remove_scene),
            "undo": lambda: player.undo(-1),
            "redo": lambda: player.undo(1),
        }
        self.buttons = {name: IconButton(name, self) for name in actions}
        self.add = QPushButton(self)
        set_font(self.add, BODY)
        self.add.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        *edits, undo, redo = self.buttons.values()
        fill(QHBoxLayout(self), self.add, *edits, 1, undo, redo, spacing=2)
        self.add.clicked.connect(player.add_scene)
        for name, action in actions.items():
            self.buttons[name].clicked.connect(action)
        for button, can_change in ((undo, stack.canUndoChanged), (redo, stack.canRedoChanged)):
            button.setEnabled(False)
            can_change.connect(button.setEnabled)

    def _at_scene(self, edit: Callable[[int], object]) -> None:
        """Edit the current scene, if there is one."""
        scene = self._session.state.scene_index
        if scene is not None:
            edit(scene)

    def show_state(self, old: State | None, new: State) -> None:
        """Name and colour the buttons, and enable what is possible."""
        if old is None or old.language != new.language:
            self._name()
        if old is None or old.shade != new.shade:
            for button in self.buttons.values():
                button.paint_in(colours(new.shade))
        count, scene = len(new.lesson.scenes) if new.lesson else 0, new.scene_index
        for name in ("reset", "duplicate", "remove"):
            self.buttons[name].setEnabled(scene is not None)
        self.buttons["move_up"].setEnabled(bool(scene))
        self.buttons["move_down"].setEnabled(scene is not None and scene + 1 < count)

    def _name(self) -> None:
        tip = tr("Record the current view as a scene ({keys})", keys="Ctrl+L")
        name_button(self.add, tr("Add scene"), tip)
        names = {
            "reset": (tr("Record this scene again from the current view"),),
            "duplicate": (tr("Duplicate the scene"), "Ctrl+D"),
            "move_up": (tr("Move the scene up"), "Alt+↑"),
            "move_down": (tr("Move the scene down"), "Alt+↓"),
            "remove": (tr("Delete the scene"), "Delete"),
            "undo": (tr("Undo in the lesson"), "Ctrl+Z"),
            "redo": (tr("Redo in the lesson"), "Ctrl+Shift+Z"),
        }
        for name, text_and_keys in names.items():
            self.buttons[name].call(*text_and_keys)


class LiveBadge(QFrame):
    """Says that the scene was edited live, and drops, records or restores the edits; hidden without
    edits.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("live_badge")
        self._text = QLabel(self)
        set_font(self._text, BODY, bold=True)
        self.drop, self.again, self.keep = QPushButton(self), QPushButton(self), QPushButton(self)
        player = session.lesson_player
        for button, action in (
            (self.keep, player.rerecord_scene),
            (self.drop, player.discard_live_edits),
            (self.again, player.restore_live_edits),
        ):
            set_font(button, CAPTION)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(action)
        row, buttons = QHBoxLayout(self), (self.keep, self.drop, self.again)
        fill(row, (self._text, 1), *buttons, spacing=6, margins=(10, 4, 6, 4))
        self.hide()

    def show_state(self, old: State | None, new: State) -> None:
        """Show the text and the buttons for the live edits of the scene."""
        if old is None or old.language != new.language:
            tip = tr("Discard live edits ({keys})", keys="Backspace")
            name_button(self.drop, tr("Back to the scene"), tip)
            name_button(self.keep, tr("Record"), tr("The scene now shows the current view"))
            tip = tr("The live edits you made in this scene")
            name_button(self.again, tr("Show them"), tip)
        stored = new.scene_index in new.live_edits and not new.live
        self._text.setText(tr("Edited live") if new.live else tr("Your live edits are kept"))
        for button in (self.drop, self.keep):
            button.setVisible(new.live)
        self.again.setVisible(stored)
        self.setVisible(new.live or stored)
        if old is None or old.shade != new.shade:
            theme = colours(new.shade)
            self.setStyleSheet(
                f"#live_badge {{ background: {theme.sunken}; border: 1px solid {theme.warning}; border-radius: 8px; }}"
                f"#live_badge QLabel {{ color: {theme.warning}; border: none; }}"
            )


class NoLesson(QWidget):
    """Shown while no lesson is open: begin one, open a file, or open a shipped lesson."""

    def __init__(
        self,
        new: Callable[[], object],
        open_file: Callable[[], object],
        open_shipped: Callable[[str], object],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._heading, self._text = QLabel(self), QLabel(self)
        self.new, self.open = QPushButton(self), QPushButton(self)
        self.shipped = {name: QPushButton(self) for name in COURSE}
        self._titles = {name: shipped_title(name) for name in COURSE}
        for label in (self._heading, self._text):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        for button in (*self.shipped.values(), self.new, self.open):
            set_font(button, BODY)
        set_font(self._heading, TITLE, bold=True)
        set_font(self._text, BODY)
        rows = [fill(QHBoxLayout(), 1, button, 1) for button in self.shipped.values()]
        rows.append(fill(QHBoxLayout(), 1, self.new, self.open, 1))
        column = QVBoxLayout(self)
        fill(column, 1, self._heading, self._text, *rows, 2, spacing=8, margins=(14, 10, 14, 10))
        column.insertSpacing(3, 4)
        # A button emits whether it is checked, which is no argument for these.
        self.new.clicked.connect(lambda: new())
        self.open.clicked.connect(lambda: open_file())
        for name, button in self.shipped.items():
            button.clicked.connect(lambda _checked, name=name: open_shipped(name))

    def show_state(self, old: State | None, new: State) -> None:
        """Set texts and colours."""
        if old is None or old.language != new.language:
            self._heading.setText(tr("No lesson is open"))
            self._text.setText(
                tr(
                    "A lesson is a list of scenes. Step to what you want to show and add it as "
                    "a scene, then play the lesson."
                )
            )
            self.new.setText(tr("New lesson"))
            self.open.setText(tr("Open a lesson…"))
            for name, button in self.shipped.items():
                button.setText(self._titles[name].of(new.language))
        if old is None or old.shade != new.shade:
            self._text.setStyleSheet(f"color: {colours(new.shade).muted};")
