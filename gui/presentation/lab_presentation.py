"""The presentation of a lab: its full-screen window with pointer, pen, blank screen and notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QByteArray, QEvent, QObject, QPointF, QRect, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from gui.labs.exhibit import find_exhibit
from gui.labs.session import LabState
from gui.labs.window import PAGES, LabWindow
from gui.painting.text_size import PERCENTS, magnify_within, next_percent
from gui.presentation.audience_view import CursorHider
from gui.presentation.keys import LAB_KEY_HELP, command_for
from gui.presentation.layers import (
    BLACK,
    WHITE,
    BlankScreen,
    CountdownLayer,
    KeyHelpLayer,
    MessageLayer,
    PointerLayer,
)
from gui.presentation.navigation import (
    ERROR_TIME,
    EXPIRY,
    OpenedOrder,
    count_message,
    countdown_seconds,
)
from gui.presentation.overlay import LASER, SPOTLIGHT, Overlay, Strokes
from gui.presentation.presentation import MODIFIERS, ListScreens, assign_screens
from gui.presentation.slide import text_height
from gui.presentation.speaker_view import SpeakerView
from gui.session.session import Session
from gui.texts.labs import lab_claim, lab_title
from gui.texts.translation import tr

CONTROLS = 0.7  # size of the controls' text, as a part of that of the audience
END = 10**6  # steps beyond the end of every clock


class LabPresentation(QObject):
    """Presents the lab window: the keys of the presentation, and the lab's controls.

    A key goes first to the control that has the keyboard, or to the marked spot of the picture.
    """

    def __init__(self, window: LabWindow, home: QWidget, session: Session) -> None:
        super().__init__(window)
        self._window, self._home, self._session = window, home, session
        self._typed = ""
        self._strokes: Strokes = {}
        self._swapped = False
        self._before = QByteArray()
        self._opened = OpenedOrder()
        self.is_running = False
        self.screens: ListScreens = QGuiApplication.screens
        self.now: Callable[[], datetime] = datetime.now
        self.speaker: SpeakerView | None = None
        self.pointer = PointerLayer(self._strokes, window.session.undo_stack.index, window)
        self.key_help = KeyHelpLayer(window, LAB_KEY_HELP)
        self.blank_screen = BlankScreen(window)
        self.message_layer, self.countdown = MessageLayer(window), CountdownLayer(window)
        self._layers: Sequence[QWidget] = (
            self.pointer,
            self.countdown,
            self.message_layer,
            self.key_help,
            self.blank_screen,
        )
        self.cursor_hider = CursorHider(self)
        self.pointer.hide()
        for layer in self._layers:
            layer.changed.connect(self._show_overlay)
        self._commands = self._table()
        window.session.changed.connect(self._show_state)
        window.left.connect(self.stop)

    # Beginning and end

    def toggle(self) -> None:
        """Start, or stop."""
        (self.stop if self.is_running else self.start)()

    def start(self) -> None:
        """Fill the audience's screen; notes go to the speaker's, if there is a second one."""
        if self.is_running:
            return
        self.is_running = True
        self._before = self._window.saveGeometry()
        self._window.shows_controls = True
        self._window.presented_text = self._session.state.preferences.presented_text
        self._take_screens()
        self._window.present(True)
        for widget in self._window.findChildren(QWidget):
            widget.setMouseTracking(True)
        app = QApplication.instance()
        assert app is not None
        app.installEventFilter(self)
        self.pointer.show()
        self._lay_out()
        self._show_state(None, self._window.session.state)

    def stop(self) -> None:
        """Show the window as it was."""
        if not self.is_running:
            return
        self.is_running = False
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self)
        self._close_notes()
        self.pointer.drop_tool()
        for layer in self._layers:
            layer.hide()
        self.blank_screen.colour, self._typed = "", ""
        self.countdown.stop()
        self.cursor_hider.mouse_left()
        self._window.shows_controls = False
        for part in (self._window.controls, self._window.lesson):
            magnify_within(part, 1.0)
        self._window.present(False)
        self._window.restoreGeometry(self._before)

    def _take_screens(self) -> None:
        screens = self.screens()
        place, speaker_screen = assign_screens(
            screens, self._home.geometry(), swapped=self._swapped
        )
        if speaker_screen is None:
            self._close_notes()
            return
        full = self._window.isFullScreen()
        if full:
            self._window.showNormal()
        self._window.setGeometry(place.geometry())
        if full:
            self._window.showFullScreen()
        notes = self._open_notes(place.geometry())
        notes.setGeometry(speaker_screen.geometry())
        notes.showFullScreen()
        self._window.activateWindow()

    def _open_notes(self, screen: QRect) -> SpeakerView:
        if self.speaker is None:
            self.speaker = SpeakerView(self._window, self.now)
            self.speaker.closed.connect(self.stop)
            preview, pointer = self.speaker.current, self.pointer
            preview.pointed.connect(pointer.move_to)
            preview.pressed.connect(pointer.press)
            preview.released.connect(pointer.release)
            preview.left.connect(pointer.leave)
        self.speaker.begin(screen.width() / max(1, screen.height()))
        return self.speaker

    def _close_notes(self) -> None:
        if self.speaker is not None:
            self.speaker.end()
            self.speaker = None

    # What is shown

    def _lay_out(self) -> None:
        room = self._window.rect()
        for layer in self._layers:
            layer.setGeometry(room)
            layer.raise_()
        percent = self._session.state.preferences.presented_text
        unit = max(1.0, text_height(room) / 36 / 12 * CONTROLS * percent / 100)
        for part in (self._window.controls, self._window.lesson):
            magnify_within(part, unit)

    def _show_state(self, _old: LabState | None, new: LabState) -> None:
        if not self.is_running:
            return
        values = tuple(sorted((name, str(value)) for name, value in new.setting.values.items()))
        self.pointer.show_place((new.lab, values), new.shown.appearance.theme)
        self._lay_out()
        self._show_notes()

    def _show_notes(self) -> None:
        if self.speaker is None:
            return
        state = self._window.session.state
        exhibit = find_exhibit(state.lab)
        notes = (
            (lab_title(state.lab), lab_claim(state.lab)),
            (tr("What is shown"), exhibit.notice(state.shown)),
            (tr("Try this"), exhibit.attempt(state.shown)),
        )
        self.speaker.show_lab(self._window.split.grab(), notes, self._shade)
        self._show_overlay()

    @property
    def _shade(self) -> str:
        return self._window.session.state.shown.appearance.shade

    def overlay(self) -> Overlay:
        """What is painted over the lab."""
        return Overlay(
            self.pointer.marks,
            cover=self.blank_screen.colour,
            shows_keys=not self.key_help.isHidden(),
            message=self.message_layer.visible_message,
            countdown=self.countdown.text,
        )

    def _show_overlay(self) -> None:
        if self.speaker is not None:
            self.speaker.show_overlay(self.overlay())

    # Keys and mouse

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle keys of both windows, and follow the mouse over the lab."""
        kind = event.type()
        if kind is QEvent.Type.Resize and watched is self._window:
            self._lay_out()
        if not isinstance(watched, QWidget) or watched.window() not in (
            self._window,
            self.speaker,
        ):
            return False
        if kind is QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            if watched.window() is self._window:
                at = QPointF(watched.mapTo(self._window, event.position().toPoint()))
                self.pointer.follow(at)
                self.cursor_hider.mouse_moved(self.pointer.has_light)
            return False
        if isinstance(event, QKeyEvent) and kind in (
            QEvent.Type.KeyPress,
            QEvent.Type.ShortcutOverride,
        ):
            return self._key(watched, event)
        return False

    def _key(self, watched: QWidget, event: QKeyEvent) -> bool:
        """Carry out the command of a key; False leaves it to the lab."""
        command = "play" if event.key() == Qt.Key.Key_Space else command_for(event)
        if self.blank_screen.colour and event.key() not in MODIFIERS:
            if event.type() is QEvent.Type.KeyPress:
                (
                    self.blank_screen.uncover
                    if command not in (BLACK, WHITE)
                    else self._commands[command]
                )()
            event.accept()
            return True
        digit = command.removeprefix("digit:") if command.startswith("digit:") else ""
        if command in ("enter", "drop_live_edits") and not self._typed:
            return False
        if (not digit and command not in self._commands) or not self._is_free(watched, event):
            return False
        event.accept()
        if event.type() is QEvent.Type.KeyPress and not (
            command == "stop" and event.isAutoRepeat()
        ):
            self._opened.note(self._dismissals())
            self._type(self._typed + digit) if digit else self._commands[command]()
            if not digit and command not in ("drop_live_edits", "leave"):
                self._typed = ""
            if self.is_running:
                self._opened.note(self._dismissals())
        return True

    def _is_free(self, watched: QWidget, event: QKeyEvent) -> bool:
        """Whether neither a control nor the marked spot of the picture gets the key first.

        What a control does not use comes again for its parent.
        """
        if watched is QApplication.focusWidget() and self._window.controls.isAncestorOf(watched):
            return event.key() in PAGES or command_for(event) in ("stop", "help")
        picture = self._window.picture
        return watched is not picture or not picture.needs(event)

    def _table(self) -> dict[str, Callable[[], object]]:
        ask, session, pointer = self._window.asked.emit, self._window.session, self.pointer
        return {
            "on": lambda: ask("lab_forward"),
            "back": lambda: ask("lab_back"),
            "go_first": lambda: session.step_clock(-END),
            "go_last": lambda: session.step_clock(END),
            BLACK: lambda: self.blank_screen.toggle(BLACK),
            WHITE: lambda: self.blank_screen.toggle(WHITE),
            LASER: lambda: pointer.toggle(LASER),
            SPOTLIGHT: lambda: pointer.toggle(SPOTLIGHT),
            "pen": pointer.next_pen,
            "erase": pointer.clear_strokes,
            "arrow": pointer.drop_tool,
            "controls": self._toggle_controls,
            "play": lambda: ask("lab_play"),
            "swap": self._swap,
            "undo": self._undo,
            "redo": lambda: self._window.actions_["lab_redo"].trigger(),
            "help": lambda: self.key_help.toggle(self._shade),
            "leave": self._leave,
            "stop": self.stop,
            "enter": self._go_to_typed,
            "drop_live_edits": lambda: self._type(self._typed[:-1]),  # Backspace
            "countdown": self._count_down,
            "answer": self._window.lesson.reader.reveal.click,
            "text_larger": lambda: self._resize_text(1),
            "text_smaller": lambda: self._resize_text(-1),
            "text_normal": lambda: self._resize_text(0),
        }

    # Numbers, countdown, text size

    def _places(self) -> int:
        """How many scenes of the lesson, or else steps, a number can go to."""
        lesson = self._session.state.lesson
        if self._plays_scene() and lesson is not None:
            return len(lesson.scenes)
        return self._window.session.clock_end() or 0

    def _plays_scene(self) -> bool:
        scene = self._session.state.scene
        return scene is not None and scene.scene.demo is not None

    def _type(self, typed: str) -> None:
        """Show a number as it is typed, and where Enter goes."""
        self._typed = typed[-4:]
        if not self._typed:
            self.message_layer.dismiss()
            return
        self._say_place(EXPIRY)

    def _say_place(self, milliseconds: int) -> None:
        place = self._place(int(self._typed), self._places())
        self.message_layer.show_message(self._typed, place, self._shade, milliseconds)

    def _place(self, number: int, count: int) -> str:
        """The scene or step of a number, or how many there are."""
        exists = 1 <= number <= count
        if self._plays_scene():
            scene = tr("Scene {number} of {count}", number=number, count=count)
            return scene if exists else count_message(self._session.state)
        if exists:
            return tr("Step {number} of {count}", number=number, count=count)
        return tr("There are {count} steps", count=count)

    def _go_to_typed(self) -> None:
        """Go to the scene or step whose number was typed, or say that it does not exist."""
        number = int(self._typed)
        if not 1 <= number <= self._places():
            self._say_place(ERROR_TIME)
            return
        self.message_layer.dismiss()
        if self._plays_scene():
            self._session.lesson_player.go_to(number - 1)
        else:
            self._window.session.step_clock(-END)
            self._window.session.step_clock(number)

    def _count_down(self) -> None:
        """Start a countdown of the typed number, as in the presentation; or stop it."""
        self.message_layer.dismiss()
        if self.countdown.is_running and not self._typed:
            self.countdown.stop()
        else:
            self.countdown.start(countdown_seconds(self._typed), self.now, self._shade)

    def _resize_text(self, by: int) -> None:
        """Make the text larger or smaller, also of presentations; 0 makes it normal."""
        percent = self._session.state.preferences.presented_text
        percent = next_percent(percent, by) if by else PERCENTS[0]
        self._session.set_preferences(presented_text=percent)
        self._window.presented_text = percent
        self._lay_out()
        text = tr("Text size {percent} %", percent=percent)
        self.message_layer.show_message(text, "", self._shade, aside=True)

    def _undo(self) -> None:
        """Undo a stroke while the pen is active, else the last change of the setting."""
        if not self.pointer.undo_stroke():
            self._window.actions_["lab_undo"].trigger()

    def _toggle_controls(self) -> None:
        self._window.shows_controls = not self._window.shows_controls

    def _swap(self) -> None:
        self._swapped = not self._swapped
        self._take_screens()
        self._show_notes()

    def _leave(self) -> None:
        """Dismiss what came last; stop where nothing is left."""
        if not self._opened.dismiss_last(self._dismissals()):
            self.stop()

    def _dismissals(self) -> dict[str, tuple[bool, Callable[[], object]]]:
        """Whether each thing that Esc dismisses is there, and how it goes."""
        field = QApplication.focusWidget()
        inside = field is not None and self._window.controls.isAncestorOf(field)
        return {
            "control": (inside, self._window.picture.setFocus),
            "tool": (bool(self.pointer.tool), self.pointer.drop_tool),
            "help": (not self.key_help.isHidden(), self.key_help.hide_page),
            "countdown": (self.countdown.is_running, self.countdown.stop),
            "number": (bool(self._typed), lambda: self._type("")),
        }
