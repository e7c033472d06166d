"""Widgets for controls with several parts: number rows, points, orders, buttons and files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QToolButton,
    QWidget,
)

from core.labs.controls import Button, Numbers, Opener, Order, Points
from gui.labs.knobs import Knob, range_error
from gui.labs.session import LabState
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, Colours
from gui.texts.translation import tr
from gui.widgets.fields import RealField
from gui.widgets.layouts import FlowLayout, fill
from gui.widgets.progress import wait

AskFile = Callable[[QWidget, tuple[str, ...]], Path | None]


class FieldsKnob(Knob):
    """Fields in a grid with a name per row: one for a number, two for a point."""

    control: Numbers | Points

    def build(self) -> None:
        """Create names and fields."""
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        self.names: list[QLabel] = []
        self.fields: list[list[RealField]] = []
        for row, parts in enumerate(map(_parts, self.control.default)):
            name = QLabel(self)
            set_font(name, CAPTION)
            grid.addWidget(name, row, 0)
            self.names.append(name)
            self.fields.append([self._field(grid, row, column) for column in range(len(parts))])
            if len(parts) == 1:  # beside its number, without shifting the layout
                grid.addWidget(self.fields[-1][0].error, row, 2)
        grid.setColumnStretch(len(self.fields[0]) + 1, 1)
        errors = [field.error for fields in self.fields for field in fields if len(fields) > 1]
        self.add(grid, *errors)  # with the full width of the panel

    def _field(self, grid: QGridLayout, row: int, column: int) -> RealField:
        field = RealField(self._check, self)
        field.line.setMaximumWidth(86)
        field.entered.connect(partial(self._entered, row, column))
        grid.addWidget(field, row, column + 1)
        return field

    def _check(self, value: float) -> str:
        return range_error(value, self.control)

    def _entered(self, row: int, column: int, value: float) -> None:
        rows = [_parts(item) for item in self.value]
        rows[row][column] = value
        self.request(tuple(parts[0] if len(parts) == 1 else tuple(parts) for parts in rows))

    def show_value(self, new: LabState, theme: Colours, name: str) -> None:
        """Update names and numbers."""
        for index, (label, fields, numbers) in enumerate(
            zip(self.names, self.fields, map(_parts, self.value), strict=True)
        ):
            entry = self.exhibit.entry(self.control.id, index, new.setting)
            label.setText(entry)
            label.setStyleSheet(f"color: {theme.text};")
            for field, number in zip(fields, numbers, strict=True):
                field.show_value(number)
                field.paint_in(theme)
                self.describe(field.line, f"{name}, {entry}")


def _parts(item: float | tuple[float, float]) -> list[float]:
    return list(item) if isinstance(item, tuple) else [item]


class OrderKnob(Knob):
    """The items in order; two successive clicks swap two of them."""

    control: Order

    def build(self) -> None:
        """Create a button for each place."""
        self._taken: int | None = None
        flow = FlowLayout(4)
        self.buttons = [QToolButton(self) for _ in range(self.control.count)]
        for place, button in enumerate(self.buttons):
            button.setCheckable(True)
            set_font(button, BODY)
            button.clicked.connect(partial(self._clicked, place))
            flow.addWidget(button)
        self.add(flow)

    def _clicked(self, place: int) -> None:
        taken, self._taken = self._taken, place if self._taken is None else None
        if taken is not None and taken != place:
            order = list(self.value)
            order[taken], order[place] = order[place], order[taken]
            self.request(tuple(order))
        for index, button in enumerate(self.buttons):
            button.setChecked(index == self._taken)

    def show_value(self, new: LabState, theme: Colours, name: str) -> None:
        """Update the items."""
        for place, (button, thing) in enumerate(zip(self.buttons, self.value, strict=True)):
            entry = self.exhibit.entry(self.control.id, thing, new.setting)
            button.setText(entry)
            button.setToolTip(tr("Click two of them to swap them"))
            button.setAccessibleName(
                tr("{name}, place {number}: {entry}", name=name, number=place + 1, entry=entry)
            )


class ButtonKnob(Knob):
    """A button that acts at once, or starts a cancellable background job and shows its progress."""

    control: Button | Opener

    def build(self) -> None:
        """Create button and progress."""
        self.label.hide()
        self.button = QPushButton(self)
        set_font(self.button, BODY)
        self.button.clicked.connect(self._clicked)
        self.bar = QProgressBar(self)
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.hide()
        self.add(fill(QHBoxLayout(), self.button, 1), self.bar)

    def _clicked(self) -> None:
        if isinstance(self.control, Button) and self.control.job:
            self.session.start_job(self.control.id)
        else:
            self.session.press(self.control.id)

    def show_value(self, new: LabState, theme: Colours, name: str) -> None:
        """Update name or progress."""
        job = isinstance(self.control, Button) and self.control.job
        working = job and new.working is not None
        self.button.setText(tr("Cancel") if working else name)
        self.bar.setVisible(working)
        self.bar.setValue(round((new.working or 0.0) * 1000))
        self.bar.setAccessibleName(tr("Progress"))
        self.describe(self.button, name)


class OpenerKnob(ButtonKnob):
    """A button that asks for a file. Tests replace `ask`."""

    control: Opener
    ask: AskFile

    def build(self) -> None:
        """Ask with the system's dialog."""
        super().build()
        self.ask = ask_file

    def _clicked(self) -> None:
        path = self.ask(self, self.control.endings)
        if path is not None:
            self.session.open_file(self.control.id, path, partial(wait, self.window()))


def ask_file(parent: QWidget, endings: tuple[str, ...]) -> Path | None:
    """Ask for a file with the system's dialog."""
    from PySide6.QtWidgets import QFileDialog

    kinds = " ".join(f"*{ending}" for ending in endings)
    chosen, _ = QFileDialog.getOpenFileName(parent, tr("Open"), "", f"{tr('Files')} ({kinds})")
    return Path(chosen) if chosen else None
