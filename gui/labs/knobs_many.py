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
from gui.labs.exhibit import Exhibit
from gui.labs.knobs import Knob, short
from gui.labs.session import LabSession, LabState
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, Colours
from gui.texts.translation import tr
from gui.widgets.fields import RealField
from gui.widgets.layouts import FlowLayout
from gui.widgets.progress import wait

AskFile = Callable[[QWidget, tuple[str, ...]], Path | None]


class _Fields(Knob):
    """Fields in a grid with a name per row."""

    def __init__(
        self, session: LabSession, control: Numbers | Points, exhibit: Exhibit, parent: QWidget
    ) -> None:
        super().__init__(session, control, exhibit, parent)
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        self.names: list[QLabel] = []
        self.fields: list[list[RealField]] = []
        for row, width in enumerate(self.widths()):
            name = QLabel(self)
            set_font(name, CAPTION)
            grid.addWidget(name, row, 0)
            self.names.append(name)
            self.fields.append([self._field(grid, row, column) for column in range(width)])
            if width == 1:  # beside its number, without shifting the layout
                grid.addWidget(self.fields[-1][0].error, row, 2)
        grid.setColumnStretch(len(self.fields[0]) + 1, 1)
        self.column.addLayout(grid)
        for field in (field for fields in self.fields for field in fields if len(fields) > 1):
            self.column.addWidget(field.error)  # full width of the panel

    def _field(self, grid: QGridLayout, row: int, column: int) -> RealField:
        field = RealField(self._check, self)
        field.line.setMaximumWidth(86)
        field.entered.connect(partial(self._entered, row, column))
        grid.addWidget(field, row, column + 1)
        return field

    def widths(self) -> list[int]:
        """Return the number of fields per row."""
        raise NotImplementedError

    def bounds(self) -> tuple[float, float]:
        """Return the smallest and the largest number."""
        raise NotImplementedError

    def rows(self) -> list[list[float]]:
        """Return the numbers row by row."""
        raise NotImplementedError

    def give(self, rows: list[list[float]]) -> None:
        """Convert the numbers to a value."""
        raise NotImplementedError

    def _check(self, value: float) -> str:
        low, high = self.bounds()
        if low <= value <= high:
            return ""
        return tr("A number from {low} to {high}.", low=short(low), high=short(high))

    def _entered(self, row: int, column: int, value: float) -> None:
        rows = self.rows()
        rows[row][column] = value
        self.give(rows)

    def fill(self, new: LabState, theme: Colours, name: str) -> None:
        """Update names and numbers."""
        for index, (label, fields, numbers) in enumerate(
            zip(self.names, self.fields, self.rows(), strict=True)
        ):
            entry = self.exhibit.entry(self.control.id, index, new.setting)
            label.setText(entry)
            label.setStyleSheet(f"color: {theme.text};")
            for field, number in zip(fields, numbers, strict=True):
                field.show_value(number)
                field.paint_in(theme)
                self.describe(field.line, f"{name}, {entry}")


class NumbersKnob(_Fields):
    """A field for each number."""

    control: Numbers

    def widths(self) -> list[int]:
        """Return one field per row."""
        return [1] * len(self.control.default)

    def bounds(self) -> tuple[float, float]:
        """Return the bounds of the control."""
        return self.control.low, self.control.high

    def rows(self) -> list[list[float]]:
        """Return one number per row."""
        return [[number] for number in self.value]

    def give(self, rows: list[list[float]]) -> None:
        """Return the numbers as a tuple."""
        self.request(tuple(row[0] for row in rows))


class PointsKnob(_Fields):
    """Two fields for each point."""

    control: Points

    def widths(self) -> list[int]:
        """Return two fields, x and y, per row."""
        return [2] * len(self.control.default)

    def bounds(self) -> tuple[float, float]:
        """Return the reach of the control."""
        return -self.control.reach, self.control.reach

    def rows(self) -> list[list[float]]:
        """Return one point per row."""
        return [list(point) for point in self.value]

    def give(self, rows: list[list[float]]) -> None:
        """Return the points as pairs."""
        self.request(tuple((row[0], row[1]) for row in rows))


class OrderKnob(Knob):
    """The items in order; two successive clicks swap two of them."""

    control: Order

    def __init__(
        self, session: LabSession, control: Order, exhibit: Exhibit, parent: QWidget
    ) -> None:
        super().__init__(session, control, exhibit, parent)
        self._taken: int | None = None
        flow = FlowLayout(4)
        self.buttons = [QToolButton(self) for _ in range(control.count)]
        for place, button in enumerate(self.buttons):
            button.setCheckable(True)
            set_font(button, BODY)
            button.clicked.connect(partial(self._clicked, place))
            flow.addWidget(button)
        self.column.addLayout(flow)

    def _clicked(self, place: int) -> None:
        taken, self._taken = self._taken, place if self._taken is None else None
        if taken is not None and taken != place:
            order = list(self.value)
            order[taken], order[place] = order[place], order[taken]
            self.request(tuple(order))
        for index, button in enumerate(self.buttons):
            button.setChecked(index == self._taken)

    def fill(self, new: LabState, theme: Colours, name: str) -> None:
        """Update the items."""
        for place, (button, thing) in enumerate(zip(self.buttons, self.value, strict=True)):
            entry = self.exhibit.entry(self.control.id, thing, new.setting)
            button.setText(entry)
            button.setToolTip(tr("Click two of them: they change places"))
            button.setAccessibleName(
                tr("{name}, place {number}: {entry}", name=name, number=place + 1, entry=entry)
            )


class ButtonKnob(Knob):
    """A button that acts at once, or starts a cancellable background job and shows its progress."""

    control: Button

    def __init__(
        self, session: LabSession, control: Button, exhibit: Exhibit, parent: QWidget
    ) -> None:
        super().__init__(session, control, exhibit, parent)
        self.label.hide()
        self.button = QPushButton(self)
        set_font(self.button, BODY)
        self.button.clicked.connect(self._clicked)
        self.bar = QProgressBar(self)
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.hide()
        row = QHBoxLayout()
        row.addWidget(self.button)
        row.addStretch(1)
        self.column.addLayout(row)
        self.column.addWidget(self.bar)

    def _clicked(self) -> None:
        if self.control.job:
            self.session.start_job(self.control.id)
        else:
            self.session.press(self.control.id)

    def fill(self, new: LabState, theme: Colours, name: str) -> None:
        """Update name or progress."""
        working = self.control.job and new.working is not None
        self.button.setText(tr("Cancel") if working else name)
        self.bar.setVisible(working)
        self.bar.setValue(round((new.working or 0.0) * 1000))
        self.bar.setAccessibleName(tr("Progress"))
        self.describe(self.button, name)


class OpenerKnob(Knob):
    """A button that asks for a file. Tests replace `ask`."""

    control: Opener
    ask: AskFile

    def __init__(
        self, session: LabSession, control: Opener, exhibit: Exhibit, parent: QWidget
    ) -> None:
        super().__init__(session, control, exhibit, parent)
        self.label.hide()
        self.ask = ask_file
        self.button = QPushButton(self)
        set_font(self.button, BODY)
        self.button.clicked.connect(self._clicked)
        row = QHBoxLayout()
        row.addWidget(self.button)
        row.addStretch(1)
        self.column.addLayout(row)

    def _clicked(self) -> None:
        path = self.ask(self, self.control.endings)
        if path is not None:
            self.session.open_file(self.control.id, path, partial(wait, self.window()))

    def fill(self, new: LabState, theme: Colours, name: str) -> None:
        """Update the name."""
        self.button.setText(name)
        self.describe(self.button, name)


def ask_file(parent: QWidget, endings: tuple[str, ...]) -> Path | None:
    """Ask for a file with the system's dialog."""
    from PySide6.QtWidgets import QFileDialog

    kinds = " ".join(f"*{ending}" for ending in endings)
    chosen, _ = QFileDialog.getOpenFileName(parent, tr("Open"), "", f"{tr('Files')} ({kinds})")
    return Path(chosen) if chosen else None
