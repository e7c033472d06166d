"""Widgets for single controls of a lab: sliders, choices, numbers, the clock."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractSlider,
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLayout,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from core.labs.controls import (
    MOST_SEED,
    ChoiceControl,
    Clock,
    Control,
    Numbers,
    Points,
    Seed,
    Slider,
    Switch,
)
from core.labs.lab import Setting
from gui.labs.exhibit import Exhibit
from gui.labs.session import LabSession, LabState
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, Colours
from gui.texts.rich_text import to_html
from gui.texts.translation import tr
from gui.widgets.buttons import IconButton, Segment, Segments
from gui.widgets.choice import ChoiceBox
from gui.widgets.fields import RealField
from gui.widgets.forms import NumberField
from gui.widgets.layouts import fill

MOST_PLACES = 1000
LOG_PLACES = 300


def places(slider: Slider) -> int:
    """Return the number of handle positions beyond the first."""
    if slider.log:
        return LOG_PLACES
    return max(1, min(MOST_PLACES, round((slider.high - slider.low) / slider.step)))


def place_of(slider: Slider, value: float) -> int:
    """Return the handle position nearest to a value."""
    if slider.log:
        part = math.log(value / slider.low) / math.log(slider.high / slider.low)
    else:
        part = (value - slider.low) / (slider.high - slider.low)
    return round(part * places(slider))


def value_at(slider: Slider, place: int) -> float | int:
    """Return the value at a handle position: exact ends, otherwise rounded to the step's precision."""
    if place <= 0 or place >= places(slider):
        value = slider.low if place <= 0 else slider.high
    elif slider.log:
        value = slider.low * (slider.high / slider.low) ** (place / places(slider))
        value = float(f"{value:.3g}")
    else:
        value = round(slider.low + place * (slider.high - slider.low) / places(slider), 10)
    return round(value) if slider.whole else float(value)


def next_place(slider: Slider, value: float, by: int) -> int:
    """Return the next handle position with another value; positions may share an integer."""
    place = place_of(slider, value) + by
    while slider.whole and 0 < place < places(slider) and value_at(slider, place) == value:
        place += 1 if by > 0 else -1
    return min(max(place, 0), places(slider))


Acted = QAbstractSlider.SliderAction
STEPS = {Acted.SliderSingleStepAdd.value: 1, Acted.SliderSingleStepSub.value: -1}
MOST_SEGMENTS = 4  # most options shown side by side; more become a list
SEGMENT_LETTERS = 26


class Knob(QWidget):
    """Widget of one control below its name. `control` may change in range, never in kind."""

    def __init__(
        self, session: LabSession, control: Control, exhibit: Exhibit, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.session, self.control, self.exhibit = session, control, exhibit
        self._setting: Setting | None = None
        self.label = QLabel(self)
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.RichText)
        set_font(self.label, CAPTION, bold=True)
        self.column = fill(QVBoxLayout(self), self.label, spacing=4)
        self.build()

    def build(self) -> None:
        """Create the widgets below the name."""
        raise NotImplementedError

    def add(self, *parts: QWidget | QLayout) -> None:
        """Append widgets and rows."""
        fill(self.column, *parts, margins=None)

    @property
    def value(self) -> Any:
        """Return the control's value."""
        return self.session.state.setting[self.control.id]

    def show_state(self, control: Control, new: LabState, theme: Colours) -> None:
        """Update name, value and colours."""
        self.control = control
        name = self.exhibit.label(control, new.setting)
        self.label.setText(to_html(name))
        self.label.setStyleSheet(f"color: {theme.muted};")
        self.setToolTip(to_html(self.exhibit.help(control.id)))
        self.show_value(new, theme, name)
        if new.setting is not self._setting:
            self._setting = new.setting
            for field in self.findChildren(RealField):
                field.forget()

    def show_value(self, new: LabState, theme: Colours, name: str) -> None:
        """Update the contents of the widgets."""
        raise NotImplementedError

    def request(self, value: object, merge: str = "") -> None:
        """Request a value."""
        self.session.set_value(self.control.id, value, merge)

    def describe(self, widget: QWidget, name: str) -> None:
        """Set a widget's accessible name and description."""
        widget.setAccessibleName(name)
        widget.setAccessibleDescription(self.exhibit.help(self.control.id))


class SliderKnob(Knob):
    """A slider beside a field for the exact number."""

    control: Slider

    def build(self) -> None:
        """Create slider and field."""
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.actionTriggered.connect(self._acted)
        self.slider.sliderPressed.connect(self._pressed)
        self.field = RealField(self._check, self)
        self.field.line.setMaximumWidth(76)
        self.field.entered.connect(self._entered)
        row = fill(QHBoxLayout(), (self.slider, 1), self.field, spacing=10)
        self.add(row, self.field.error)  # an error has the full width of the panel
        self._drag = 0

    def _pressed(self) -> None:
        self._drag += 1  # each drag is one undo step

    def _acted(self, action: int) -> None:
        place = self.slider.sliderPosition()
        if action in STEPS:
            place = next_place(self.control, self.value, STEPS[action])
        merge = (
            f"{self.control.id} {self._drag}"
            if action == Acted.SliderMove.value
            else self.control.id
        )
        self.request(value_at(self.control, place), merge)

    def _entered(self, value: float) -> None:
        self.request(round(value) if self.control.whole else value)

    def _check(self, value: float) -> str:
        if not self.control.whole or value == round(value):
            return range_error(value, self.control)
        low, high = short(self.control.low), short(self.control.high)
        return tr("A whole number from {low} to {high}.", low=low, high=high)

    def show_value(self, new: LabState, theme: Colours, name: str) -> None:
        """Update range, handle and number."""
        self.slider.setRange(0, places(self.control))
        self.slider.setPageStep(max(1, places(self.control) // 10))
        self.slider.setValue(place_of(self.control, self.value))
        self.field.show_value(float(self.value))
        self.field.paint_in(theme)
        self.describe(self.slider, name)
        self.describe(self.field.line, name)


class ClockKnob(Knob):
    """Buttons to play, step and rewind above a slider."""

    control: Clock
    BUTTONS = ("go_first", "step_back", "play", "step_forward", "go_last")

    def build(self) -> None:
        """Create buttons, text and slider."""
        self.buttons = {name: IconButton(name, self) for name in self.BUTTONS}
        self.caption = QLabel(self)
        set_font(self.caption, BODY)
        for name, button in self.buttons.items():
            button.clicked.connect(partial(self._clicked, name))
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.actionTriggered.connect(self._acted)
        row = fill(QHBoxLayout(), *self.buttons.values(), 1, self.caption, spacing=2)
        self.add(row, self.slider)

    def _clicked(self, name: str) -> None:
        if name == "play":
            self.session.play(self.control.id, self.session.state.playing != self.control.id)
            return
        self.session.play(self.control.id, False)
        to = {
            "go_first": 0,
            "go_last": self.control.last,
            "step_back": self.value - 1,
            "step_forward": self.value + 1,
        }
        self.request(min(max(to[name], 0), self.control.last), "clock")

    def _acted(self, _action: int) -> None:
        self.request(self.slider.sliderPosition(), "clock")

    def show_value(self, new: LabState, theme: Colours, name: str) -> None:
        """Update the clock."""
        playing = new.playing == self.control.id
        words = (
            tr("To the beginning"),
            tr("Step back"),
            tr("Pause") if playing else tr("Play"),
            tr("Step forward"),
            tr("To the end"),
        )
        for (button_name, button), text in zip(self.buttons.items(), words, strict=True):
            button.call(text)
            button.show_picture(
                "pause" if button_name == "play" and playing else button_name, theme
            )
        self.slider.setRange(0, self.control.last)
        self.slider.setValue(self.value)
        self.caption.setText(self.exhibit.clock_text(self.control, self.value))
        self.caption.setStyleSheet(f"color: {theme.text};")
        self.describe(self.slider, name)


class ChoiceKnob(Knob):
    """A few options side by side, or a list of many."""

    control: ChoiceControl

    def build(self) -> None:
        """Create the buttons or the list."""
        self.list: ChoiceBox | None = None
        self.segments: Segments | None = None
        if self._isshort():
            self.segments = Segments(self.control.options, self)
            self.segments.chosen.connect(self.request)
            self.add(self.segments)
        else:
            self.list = ChoiceBox(self)
            set_font(self.list, BODY)
            policy = ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            self.list.setSizeAdjustPolicy(policy)
            self.list.activated.connect(self._activated)
            self.add(self.list)

    def _isshort(self) -> bool:
        names = [self._option(option) for option in self.control.options]
        return len(names) <= MOST_SEGMENTS and sum(map(_width, names)) <= SEGMENT_LETTERS

    def _names(self) -> list[str]:
        """The options as labels; in one language where buttons have no space for two."""
        setting = self.session.state.setting
        names = [
            self.exhibit.option_label(self.control.id, option, setting)
            for option in self.control.options
        ]
        if self.segments is None or sum(map(_width, names)) <= SEGMENT_LETTERS:
            return names
        return [self._option(option) for option in self.control.options]

    def _option(self, option: str) -> str:
        return self.exhibit.option(self.control.id, option, self.session.state.setting)

    def _activated(self, index: int) -> None:
        self.request(self.control.options[index])

    def show_value(self, new: LabState, theme: Colours, name: str) -> None:
        """Update the options' names and the selection."""
        names = self._names()
        if self.segments is not None:
            view = tuple(
                Segment(option, text, tr("{name}: {text}", name=name, text=text))
                for option, text in zip(self.control.options, names, strict=True)
            )
            self.segments.show_segments(view, self.value)
            self.segments.paint_in(theme)
        elif self.list is not None:
            self.list.show_options(names, self.control.options.index(self.value))
            self.describe(self.list, name)


class SwitchKnob(Knob):
    """A check box with its own name."""

    control: Switch

    def build(self) -> None:
        """Create the box."""
        self.label.hide()
        self.box = QCheckBox(self)
        set_font(self.box, BODY)
        self.box.clicked.connect(self.request)
        self.add(self.box)

    def show_value(self, new: LabState, theme: Colours, name: str) -> None:
        """Update the check state."""
        self.box.setText(name)
        self.box.setChecked(self.value)
        self.describe(self.box, name)


class SeedKnob(Knob):
    """A whole number and a button for the next one."""

    control: Seed

    def build(self) -> None:
        """Create field and button."""
        self.field = NumberField(0, MOST_SEED, self.control.default)
        set_font(self.field, BODY)
        self.field.edited.connect(self.request)
        self.again = IconButton("redo", self)
        self.again.clicked.connect(self._next)
        self.add(fill(QHBoxLayout(), self.field, self.again, 1, spacing=6))

    def _next(self) -> None:
        self.request((self.value + 1) % (MOST_SEED + 1))

    def show_value(self, new: LabState, theme: Colours, name: str) -> None:
        """Update the number."""
        self.field.setValue(self.value)
        self.again.call(tr("New random numbers"))
        self.again.paint_in(theme)
        self.describe(self.field, name)


def short(value: float) -> str:
    """Format a bound."""
    return f"{value:g}".replace("-", "−")


def range_error(value: float, control: Slider | Numbers | Points) -> str:
    """Return "" or the bounds of a control that a number lies beyond."""
    if control.low <= value <= control.high:
        return ""
    low, high = short(control.low), short(control.high)
    return tr("A number from {low} to {high}.", low=low, high=high)


def _width(text: str) -> int:
    """Count letters, Chinese ones twice."""
    return sum(2 if ord(letter) > 0x2E7F else 1 for letter in text)
