"""The lab window: choice of lab, controls, picture, notice and things to try."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import ceil

from PySide6.QtCore import QByteArray, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QLabel,
    QMainWindow,
    QSplitter,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.base.errors import UserError
from core.labs.lab import LABS
from gui.labs.controls_panel import ControlsPanel
from gui.labs.exhibit import find_exhibit
from gui.labs.picture import LabPicture
from gui.labs.session import LabSession, LabState
from gui.painting.icons import icon
from gui.painting.text_size import factor, set_font, set_least
from gui.painting.theme import BODY, DISPLAY, TITLE, colours, font, style_window
from gui.session.preferences import load_layout, save_layout
from gui.session.state import State
from gui.session.undo import weak_slot
from gui.texts.errors import error_message
from gui.texts.labs import lab_claim, lab_claims, lab_label, lab_title
from gui.texts.rich_text import to_html
from gui.texts.translation import mark, tr, tr_marked
from gui.widgets.choice import ChoiceBox
from gui.widgets.labels import renew_tooltip
from gui.widgets.layouts import ScrollingPanel, fill
from gui.widgets.lesson_card import LessonCard
from gui.widgets.subscripts import width_of
from gui.widgets.window_state import covered_by_others


class Side(ScrollingPanel):
    """A scroll area for wheel and bar only: keys go to the lab, because a clicker uses them."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave keys to the window."""
        event.ignore()


# Action, its icon, its keys
ACTIONS = {
    "lab_undo": (mark("Undo"), "undo", "Ctrl+Z"),
    "lab_redo": (mark("Redo"), "redo", "Ctrl+Shift+Z"),
    "lab_reset": (mark("Reset"), "reset", "Ctrl+Backspace"),
    "lab_lesson": (mark("Play the lesson"), "play", "Ctrl+Shift+L"),
    "lab_scene": (mark("Add scene"), "add", "Ctrl+L"),
    "lab_picture": (mark("Picture…"), "export", "Ctrl+E"),
    "lab_present": (mark("Present"), "present", "F5"),
    "lab_hand_over": (mark("Open in the main window"), "link", "Ctrl+Return"),
    "lab_take": (mark("Use the main window’s experiment"), "open", "Ctrl+Shift+Return"),
}
# Actions with a text in the bar, because their icons are ambiguous
WORDED = {
    "lab_lesson": mark("Lesson"),
    "lab_hand_over": mark("Open in the main window"),
    "lab_take": mark("From the main window"),
}
# Actions outside the bar
KEYS = {"lab_help": "F1", "lab_quit": "Ctrl+Q"}
# Keys of a clicker and, in presentation mode, arrows: next or previous scene or step
PAGES = {Qt.Key.Key_PageDown: "lab_forward", Qt.Key.Key_PageUp: "lab_back"}
PRESENT_KEYS = {
    **PAGES,
    Qt.Key.Key_Right: "lab_forward",
    Qt.Key.Key_Left: "lab_back",
    Qt.Key.Key_Space: "lab_play",
}
LEFT = 300  # width of the controls
SIDES = 16  # margin in pixels left and right of the picture and its texts


class LabWindow(QMainWindow):
    """The window of a lab; `asked(id)` requests a main window action, `left()` reports closing."""

    asked = Signal(str)
    left = Signal()

    def __init__(self, session: LabSession) -> None:
        super().__init__()
        style_window(self)
        self.session = session
        session.setParent(self)
        session.is_covered = covered_by_others(self)
        self.setObjectName("lab_window")
        self._shows_controls, self._presented_text = False, 100
        self.choice = ChoiceBox(self)
        self.claim, self.notice, self.attempt, self.message = (QLabel(self) for _ in range(4))
        self.controls, self.picture = ControlsPanel(session, self), LabPicture(session, self)
        self.lesson = LessonCard(self)
        self.lesson.hide()
        self.lesson.asked.connect(self._ask_lesson)
        self.actions_ = {name: self._action(name, keys) for name, (_, _, keys) in ACTIONS.items()}
        for name, keys in KEYS.items():
            self._action(name, keys)
        self._bar = self._tools()
        self.addToolBar(self._bar)
        self.setCentralWidget(self._central())
        self.choice.activated.connect(self._chosen)
        session.changed.connect(self.show_state)
        session.failed.connect(self.refuse)
        session.led.connect(self._lead)
        session.undo_stack.indexChanged.connect(weak_slot(self, LabWindow._name_undo))
        self.show_state(None, session.state)
        self._restore()
        self.choice.setFocus()

    def _action(self, name: str, keys: str) -> QAction:
        action = QAction(self)
        action.setObjectName(name)
        action.setShortcut(QKeySequence(keys))
        action.setCheckable(name == "lab_present")
        action.triggered.connect(self._triggered)
        self.addAction(action)
        return action

    def _tools(self) -> QToolBar:
        bar = QToolBar(self)
        bar.setObjectName("lab_bar")
        bar.setMovable(False)
        bar.addWidget(self.choice)
        for name, action in self.actions_.items():
            bar.addAction(action)
            button = bar.widgetForAction(action)
            if button is not None:
                button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            if name in ("lab_reset", "lab_scene"):
                bar.addSeparator()
        return bar

    def _central(self) -> QWidget:
        side = self._side = QWidget(self)
        side.setObjectName("lab_side")
        for label in (self.claim, self.notice, self.attempt, self.message):
            set_font(label, BODY)
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.RichText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        below = (self.notice, self.attempt, self.message)
        margins = (SIDES, 12, SIDES, 12)
        parts = (self.claim, (self.picture, 1), *below)
        fill(QVBoxLayout(side), *parts, spacing=8, margins=margins)
        # Fixed height: messages must not shift the layout; a label rounds its height up
        self.message.setMinimumHeight(ceil(QFontMetricsF(self.message.font()).height()))
        set_font(self.choice, BODY, bold=True)
        self.split = QSplitter(Qt.Orientation.Horizontal, self)
        self.split.setChildrenCollapsible(False)
        set_least(self.controls, 240)
        left = self._left = QWidget(self)
        fill(QVBoxLayout(left), self.lesson, (self.controls, 1), spacing=0)
        self.split.addWidget(left)
        self.split.addWidget(Side(side, QSize(320, 240), self))
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([LEFT, 900])
        return self.split

    # Requests

    def _triggered(self) -> None:
        name = self.sender().objectName()
        own: dict[str, Callable[[], None]] = {
            "lab_undo": partial(self._undo, -1),
            "lab_redo": partial(self._undo, 1),
            "lab_reset": self.session.reset,
        }
        own.get(name, partial(self.asked.emit, name))()

    def _undo(self, by: int) -> None:
        stack = self.session.undo_stack
        said = stack.notice(by)
        stack.setIndex(stack.index() + by)
        self.say(said)

    def _chosen(self, index: int) -> None:
        self.session.open(LABS[index])

    def _lead(self) -> None:
        self.asked.emit("lab_lead")

    def _toggle_present(self) -> None:
        """Toggle the full-screen picture."""
        on = not self.isFullScreen()
        (self.showFullScreen if on else self.showNormal)()
        self._bar.setVisible(not on)
        self.actions_["lab_present"].setChecked(on)
        self.picture.setFocus()
        self._magnify()

    def _ask_lesson(self, name: str) -> None:
        self.asked.emit(f"lab_{name}")

    # Display

    def show_lesson(self, old: State | None, new: State) -> None:
        """Show the scene of the lesson that is played, above the controls."""
        self.lesson.show_state(old, new)

    def show_state(self, old: LabState | None, new: LabState) -> None:
        """Update controls, picture and texts."""
        self.controls.show_state(old, new)
        self.picture.show_state(old, new)
        renew_tooltip()
        if old is None or (old.language, old.shown.appearance.shade) != (
            new.language,
            new.shown.appearance.shade,
        ):
            self._name(new)
        if old is None or (old.lab, old.language) != (new.lab, new.language):
            self.choice.setCurrentIndex(LABS.index(new.lab))
            self.setWindowTitle(f"{lab_title(new.lab)} — {tr('Labs')} — Attention Stepper")
            self.claim.setText(to_html(lab_claims(new.lab)))
            self._magnify()
        self.notice.setText(to_html(find_exhibit(new.lab).notice(new.shown)))
        self.attempt.setText(
            to_html(tr("Try: {text}", text=find_exhibit(new.lab).attempt(new.shown)))
        )
        if old is not None and (old.setting is not new.setting or old.lab != new.lab):
            self.say("")
        self.actions_["lab_hand_over"].setEnabled(
            self.session.lab.document(new.setting) is not None
        )

    def _name(self, new: LabState) -> None:
        theme = colours(new.shown.appearance.shade)
        self.choice.clear()
        self.choice.addItems([lab_label(lab_id) for lab_id in LABS])
        self.choice.setCurrentIndex(LABS.index(new.lab))
        self.choice.setAccessibleName(tr("Lab"))
        self.picture.setToolTip("")
        for name, (text, picture, keys) in ACTIONS.items():
            action = self.actions_[name]
            action.setText(tr_marked(text))
            action.setToolTip(f"{tr_marked(text)} ({keys})" if keys else tr_marked(text))
            action.setIcon(icon(picture, theme.text, theme.ghost))
        for name, text in WORDED.items():
            self.actions_[name].setIconText(tr_marked(text))
            wide = self._bar.widgetForAction(self.actions_[name])
            if isinstance(wide, QToolButton):
                wide.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._paint(new)

    def _paint(self, new: LabState) -> None:
        theme = colours(new.shown.appearance.shade)
        self._side.setStyleSheet(f"#lab_side {{ background: {theme.surface}; }}")
        self.claim.setStyleSheet(f"color: {theme.text};")
        for label, colour, bar in (
            (self.notice, theme.text, theme.accent),
            (self.attempt, theme.muted, theme.value),
        ):
            label.setStyleSheet(
                f"color: {colour}; border: none; border-left: 3px solid {bar}; padding-left: 8px;"
            )
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(theme.window))
        self.setPalette(palette)
        self._name_undo()
        self._magnify()

    def _name_undo(self, _step: int = 0) -> None:
        self.actions_["lab_undo"].setEnabled(self.session.undo_stack.canUndo())
        self.actions_["lab_redo"].setEnabled(self.session.undo_stack.canRedo())

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Show a line below the picture, or hide it."""
        theme = colours(self.session.state.shown.appearance.shade)
        self.message.setStyleSheet(f"color: {theme.error if wrong else theme.text};")
        self.message.setText(to_html(text))

    def refuse(self, problem: UserError) -> None:
        """Show an error in a sentence."""
        self.say(error_message(problem), wrong=True)

    # Window

    def _magnify(self) -> None:
        """Apply the text size, or on the full screen the largest useful size."""
        presenting = self.isFullScreen()
        self._left.setVisible(not presenting or self._shows_controls)
        self.attempt.setVisible(not presenting)
        unit = max(1.0, self.height() / 36 / 12) if presenting else 1.0
        unit *= self._presented_text / 100 if presenting else 1.0
        set_font(self.claim, self._claim_size(unit) if presenting else TITLE, bold=True)
        set_font(self.notice, BODY * unit)
        self.picture.magnify(factor() * unit)

    def _claim_size(self, unit: float) -> float:
        """Return the largest font size with a one-line claim on the full screen.

        It stays below the size of the picture's own heading.
        """
        at_100 = width_of(lab_claim(self.session.state.lab), font(100, bold=True))
        fitting = int((self.width() - 2 * SIDES) / max(at_100, 1.0) * 100) / factor()
        most = BODY if find_exhibit(self.session.state.lab).headed else DISPLAY
        return max(BODY * unit, min(most * unit, fitting))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Scale with the screen in presentation mode."""
        super().resizeEvent(event)
        if self.isFullScreen():
            self._magnify()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle clicker keys; Esc leaves the full screen."""
        key, presenting = Qt.Key(event.key()), self.isFullScreen()
        if key == Qt.Key.Key_Escape:
            self._toggle_present() if presenting else self.picture.setFocus()
        elif key in (PRESENT_KEYS if presenting else PAGES):
            self.asked.emit(PRESENT_KEYS[key])
        else:
            super().keyPressEvent(event)

    def present(self, on: bool = True) -> None:
        """Show the picture alone on the full screen, or leave it."""
        self.actions_["lab_present"].setChecked(on)
        if on != self.isFullScreen():
            self._toggle_present()

    @property
    def shows_controls(self) -> bool:
        """Whether the full screen shows the controls beside the picture."""
        return self._shows_controls

    @shows_controls.setter
    def shows_controls(self, on: bool) -> None:
        self._shows_controls = on
        self._magnify()

    @property
    def presented_text(self) -> int:
        """The size of texts on the full screen in per cent."""
        return self._presented_text

    @presented_text.setter
    def presented_text(self, percent: int) -> None:
        self._presented_text = percent
        self._magnify()

    def _restore(self) -> None:
        if not self.restoreGeometry(QByteArray(load_layout().get("labs", b""))):
            self.resize(self.screen().availableSize().boundedTo(QSize(1240, 780)) * 0.98)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop all activity and save the size."""
        if self.isFullScreen():
            self._toggle_present()
        self.session.close()
        save_layout(labs=self.saveGeometry().data())
        self.left.emit()
        event.accept()
