"""The panel with the controls of a lab, in the order the lab lists them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QLabel,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.labs.controls import (
    Button,
    ChoiceControl,
    Clock,
    Control,
    Numbers,
    Opener,
    Order,
    Points,
    Seed,
    Slider,
    Switch,
)
from gui.labs.exhibit import find_exhibit
from gui.labs.knobs import ChoiceKnob, ClockKnob, Knob, SeedKnob, SliderKnob, SwitchKnob
from gui.labs.knobs_many import ButtonKnob, FieldsKnob, OpenerKnob, OrderKnob
from gui.labs.session import LabSession, LabState
from gui.painting.text_size import set_font
from gui.painting.theme import CAPTION, colours
from gui.texts.rich_text import to_html
from gui.widgets.choice import WheelGuard
from gui.widgets.layouts import fill, scroll_vertically

UNDO_KEYS = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
KNOBS: dict[type, Any] = {
    Slider: SliderKnob,
    Clock: ClockKnob,
    ChoiceControl: ChoiceKnob,
    Switch: SwitchKnob,
    Numbers: FieldsKnob,
    Points: FieldsKnob,
    Order: OrderKnob,
    Seed: SeedKnob,
    Button: ButtonKnob,
    Opener: OpenerKnob,
}


class ControlsPanel(QScrollArea):
    """Creates a widget for each control; reuses it, and its focus, while kind and parts are equal."""

    def __init__(self, session: LabSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.knobs: dict[str, Knob] = {}
        self._kinds: tuple[object, ...] = ()
        self._body = QWidget()
        self._body.setObjectName("lab_controls")
        self.origin = QLabel(self._body)
        self.origin.setWordWrap(True)
        set_font(self.origin, CAPTION)
        self._column = fill(QVBoxLayout(self._body), spacing=14, margins=(16, 12, 14, 12))
        scroll_vertically(self, self._body)

    def show_state(self, old: LabState | None, new: LabState) -> None:
        """Update controls and values."""
        pictured = find_exhibit(new.lab).pictured
        controls = tuple(
            one for one in self._session.lab.controls(new.setting) if one.id not in pictured
        )
        kinds = (new.lab, new.language, *map(_kind, controls))
        if kinds != self._kinds:
            self._make(controls, new.lab)
            self._kinds = kinds
        theme = colours(new.shown.appearance.shade)
        if old is None or old.shown.appearance.shade != new.shown.appearance.shade:
            style = f"#lab_controls, QScrollArea {{ background: {theme.surface}; border: none; }}"
            self.setStyleSheet(style)
        for control in controls:
            self.knobs[control.id].show_state(control, new, theme)
        origin = find_exhibit(new.lab).origin(self._session.lab, new.setting)
        self.origin.setText(to_html(origin))
        self.origin.setVisible(bool(origin))
        self.origin.setStyleSheet(f"color: {theme.muted};")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Send undo and redo to the lab unless a number is being typed."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            typing = isinstance(watched, QLineEdit) and watched.isModified()
            if not typing and any(event.matches(keys) for keys in UNDO_KEYS):
                event.ignore()
                return True
        return super().eventFilter(watched, event)

    def _make(self, controls: tuple[Control, ...], lab_id: str) -> None:
        while self._column.count():
            self._column.takeAt(0)
        for stale in self.knobs.values():
            for part in stale.findChildren(QWidget):
                part.blockSignals(True)  # discard unfinished input of a removed control
            stale.hide()
            stale.deleteLater()
        self.knobs = {}
        for control in controls:
            knob: Knob = KNOBS[type(control)](
                self._session, control, find_exhibit(lab_id), self._body
            )
            self.knobs[control.id] = knob
            self._column.addWidget(knob)
        self._column.addWidget(self.origin)
        self._column.addStretch(1)
        WheelGuard(self._body)
        for kind in (QLineEdit, QAbstractSpinBox):
            for field in self._body.findChildren(kind):
                field.installEventFilter(self)


def _kind(control: Control) -> object:
    """Return the key that decides on widget reuse; ranges may differ."""
    match control:
        case ChoiceControl(id=name, options=options):
            return name, options
        case Numbers(id=name, default=default) | Points(id=name, default=default):
            return name, len(default)
        case Order(id=name, count=count):
            return name, count
        case _:
            return control.id, type(control)
