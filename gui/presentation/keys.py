"""Keys of the presentation and what they do."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QWindow
from PySide6.QtWidgets import QWidget

from gui.texts.translation import mark

# Keys by command; commands unknown to the presentation are actions of the window.
KEYS: dict[str, tuple[str, ...]] = {
    "on": ("Right", "Down", "PgDown", "Space", "N"),
    "back": ("Left", "Up", "PgUp", "Shift+Space"),
    "go_first": ("Home",),
    "go_last": ("End",),
    "stage_forward": ("Ctrl+Right",),
    "stage_back": ("Ctrl+Left",),
    "group_forward": ("Ctrl+PgDown",),
    "group_back": ("Ctrl+PgUp",),
    "black": ("B", "."),
    "white": ("W", ","),
    "laser": ("L", "Ctrl+L"),
    "spotlight": ("S",),
    "pen": ("P", "Ctrl+P"),
    "erase": ("E",),
    "arrow": ("A", "Ctrl+A"),
    "answer": ("Q",),
    "cover": ("R",),
    "edit": ("F2",),
    "view": ("V",),
    "sum": ("D",),
    "choose": ("Menu", "Shift+F10"),
    "first_smaller": ("[",),
    "first_larger": ("]",),
    "swap": ("X",),
    "leave": ("Esc",),
    "stop": ("F5", "Shift+F5"),
    "help": ("F1",),
    "nudge_up": ("Ctrl+Up",),
    "nudge_down": ("Ctrl+Down",),
    "focus_up": ("Shift+Up",),
    "focus_down": ("Shift+Down",),
    "focus_left": ("Shift+Left",),
    "focus_right": ("Shift+Right",),
    "undo": ("Ctrl+Z",),
    "redo": ("Ctrl+Shift+Z", "Ctrl+Y"),
    "zoom_in": ("Ctrl++", "Ctrl+="),
    "zoom_out": ("Ctrl+-",),
    "fit": ("Ctrl+0",),
    "more_decimals": ("Ctrl+.",),
    "fewer_decimals": ("Ctrl+Shift+.",),
    "predict": ("Ctrl+R",),
    "controls": ("C",),
    "text_larger": ("+", "=", "Alt++", "Alt+="),
    "text_smaller": ("-", "Alt+-"),
    "text_normal": ("Alt+0",),
    "countdown": ("T",),
    "drop_live_edits": ("Backspace",),
}

KeyRows = tuple[tuple[tuple[str, ...], str], ...]
# The key help: alternative keys and what they do.
KEY_HELP: KeyRows = (
    (("PgDn", "PgUp"), mark("Forward, back (in a lesson: scenes)")),
    ((mark("Number Enter"),), mark("Go to that step or scene")),
    (("Home", "End"), mark("First, last step or scene")),
    (("B", "W"), mark("Black, white screen")),
    (("L", "S"), mark("Laser, spotlight")),
    (("P", "E"), mark("Pen, next colour; erase")),
    (("V", mark("Right button")), mark("What is shown at this step")),
    (("[", "]"), mark("Move the split between two panels")),
    (("+", "-"), mark("Larger, smaller text")),
    (("T",), mark("A countdown; 45 T: of 45 seconds")),
    (("D",), mark("Always show the worked sum, on or off")),
    (("Q",), mark("The answer to the scene’s question")),
    (("R",), mark("Hide the step’s results, show them")),
    (("F2", mark("Double click")), mark("Enter a number in the cell")),
    (("X",), mark("Swap screens")),
    (("F1",), mark("These keys")),
    (("Esc",), mark("Dismiss what came last, then leave")),
)

# The same while a lab is presented.
LAB_KEY_HELP: KeyRows = (
    (("PgDn", "PgUp"), mark("Forward, back along the timeline or in the lesson")),
    ((mark("Number Enter"),), mark("Go to that step or scene")),
    (("Home", "End"), mark("Start, end of the timeline")),
    ((mark("Space"),), mark("Play, pause")),
    (("Tab",), mark("To the next control or mark")),
    (("C",), mark("Show or hide the lab’s controls")),
    (("B", "W"), mark("Black, white screen")),
    (("L", "S"), mark("Laser, spotlight")),
    (("P", "E"), mark("Pen, next colour; erase")),
    (("+", "-"), mark("Larger, smaller text")),
    (("T",), mark("A countdown; 45 T: of 45 seconds")),
    (("Q",), mark("The answer to the scene’s question")),
    (("X",), mark("Swap screens")),
    (("F1",), mark("These keys")),
    (("Esc",), mark("Dismiss what came last, then leave")),
)


def _combined(keys: str) -> int:
    """The first key of a sequence with its modifiers, as a number."""
    first: QKeyCombination = QKeySequence(keys)[0]  # type: ignore[index]
    return first.toCombined()


_BY_KEY = {_combined(key): command for command, keys in KEYS.items() for key in keys}
_PADLESS = ~Qt.KeyboardModifier.KeypadModifier


def command_for(event: QKeyEvent) -> str:
    """The command of a key: a name in KEYS, "digit:4", "enter", or "" for none."""
    modifiers = event.modifiers() & _PADLESS
    if not modifiers and Qt.Key.Key_0 <= event.key() <= Qt.Key.Key_9:
        return f"digit:{event.key() - Qt.Key.Key_0}"
    if not modifiers and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        return "enter"
    known = _BY_KEY.get(QKeyCombination(modifiers, Qt.Key(event.key())).toCombined(), "")
    if (
        not known and modifiers & Qt.KeyboardModifier.ShiftModifier
    ):  # where + and , need Shift to be typed
        plain = modifiers & ~Qt.KeyboardModifier.ShiftModifier
        known = _BY_KEY.get(QKeyCombination(plain, Qt.Key(event.key())).toCombined(), "")
    return known


class KeyForwarder(QObject):
    """Forwards keys that the main window gets before the audience's window has the keyboard."""

    def __init__(
        self, window: QWidget, press: Callable[[QKeyEvent], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._window, self._press = window, press
        self._watched: QWindow | None = None
        self.is_done = False

    def begin(self) -> None:
        """Start forwarding; set `is_done` once the audience's window is active."""
        self.is_done = False
        self._watched = self._window.windowHandle()
        if self._watched is not None:
            self._watched.installEventFilter(self)

    def end(self) -> None:
        """Stop forwarding."""
        if self._watched is not None:
            self._watched.removeEventFilter(self)
            self._watched = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Forward key presses and suppress shortcuts; stop when the user returns to the window."""
        if self.is_done and event.type() is QEvent.Type.FocusIn:
            self.end()
        if not isinstance(event, QKeyEvent):
            return False
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
        elif event.type() is QEvent.Type.KeyPress:
            self._press(event)
        return True
