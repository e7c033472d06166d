"""How many tokens, heads and columns: chosen first, looked at, then applied as one undo step."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QPushButton, QSpinBox, QVBoxLayout, QWidget

from core.edits import with_biases, with_output_bias, with_output_projection
from core.orientation import Orientation
from gui.language import mark, tr
from gui.session import Session
from gui.state import State
from gui.tables.sizing import AXES, Forecast, forecast, with_sizes
from gui.theme import BODY, CAPTION, Colours, colours, font

LARGEST = {"n": 512, "h": 64, "d": 1024, "k": 1024, "v": 1024}


class SizeField(QSpinBox):
    """`edited()`: the user typed or stepped; silent when the program sets it."""

    edited = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFont(font(BODY))
        self.lineEdit().textEdited.connect(self._tell)

    def stepBy(self, steps: int) -> None:
        """By arrow, key or wheel."""
        super().stepBy(steps)
        self.edited.emit()

    def _tell(self) -> None:
        self.edited.emit()


class SizesPanel(QWidget):
    """Fields, what they would change, Apply; and the parts that can be left out."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.heading, self.preview = QLabel(self), QLabel(self)
        self.fields = {axis: SizeField(self) for axis in AXES}
        self._labels = {axis: QLabel(self) for axis in AXES}
        self.apply, self.reset = QPushButton(self), QPushButton(self)
        self.biases, self.projection, self.output_bias = (QCheckBox(self) for _ in range(3))
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.heading.setFont(font(BODY, bold=True))
        self.preview.setFont(font(CAPTION))
        self.preview.setWordWrap(True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        for number, axis in enumerate(AXES):
            self._labels[axis].setBuddy(self.fields[axis])
            grid.addWidget(self._labels[axis], 2 * (number // 3), number % 3)
            grid.addWidget(self.fields[axis], 2 * (number // 3) + 1, number % 3)
        for column in range(3):
            grid.setColumnStretch(column, 1)
        buttons, boxes = QHBoxLayout(), QHBoxLayout()
        for button in (self.apply, self.reset):
            buttons.addWidget(button)
        for box in self._boxes:
            boxes.addWidget(box)
        for line in (buttons, boxes):
            line.addStretch(1)
        boxes.setSpacing(14)
        column_ = QVBoxLayout(self)
        column_.setContentsMargins(0, 0, 0, 0)
        column_.setSpacing(6)
        column_.addWidget(self.heading)
        column_.addLayout(grid)
        column_.addWidget(self.preview)
        column_.addLayout(buttons)
        column_.addSpacing(4)
        column_.addLayout(boxes)

    @property
    def _boxes(self) -> tuple[QCheckBox, ...]:
        return self.biases, self.projection, self.output_bias

    def _connect(self) -> None:
        for axis, field in self.fields.items():
            field.setRange(1, LARGEST[axis])
            field.edited.connect(self._look)
        self.apply.clicked.connect(self._apply)
        self.reset.clicked.connect(self._reset)
        self.biases.clicked.connect(self._switch_biases)
        self.projection.clicked.connect(self._switch_projection)
        self.output_bias.clicked.connect(self._switch_output_bias)

    # State

    def show_state(self, old: State | None, new: State) -> None:
        """Sizes as they are, unless the document kept them and other ones are being chosen."""
        document = new.document
        if old is None or old.dark != new.dark:
            self._paint(colours(new.dark))
        if old is None or old.language != new.language:
            self._name()
        if old is None or old.document.sizes != document.sizes:
            self._reset()
        self.fields["d"].setEnabled(document.X is not None or document.W_O is not None)
        self.biases.setChecked(any(head.b_Q is not None or head.b_V is not None for head in document.heads))
        self.biases.setEnabled(document.source == "embeddings")
        self.projection.setChecked(document.W_O is not None)
        self.output_bias.setChecked(document.b_O is not None)
        self.output_bias.setEnabled(document.W_O is not None)
        self._look()

    def _paint(self, theme: Colours) -> None:
        self.preview.setStyleSheet(f"color: {theme.muted};")

    def _name(self) -> None:
        self.heading.setText(tr("Sizes"))
        names = {
            "n": tr("Tokens n"), "h": tr("Heads h"), "d": tr("Width d_model"), "k": tr("Width d_k"),
            "v": tr("Width d_v"),
        }  # fmt: skip
        for axis, name in names.items():
            self._labels[axis].setText(name)
            self.fields[axis].setAccessibleName(name)
        self.apply.setText(tr("Apply"))
        self.reset.setText(tr("As it is"))
        self.biases.setText(tr("Biases"))
        self.projection.setText(tr("Output weights W_O"))
        self.output_bias.setText(tr("Output bias b_O"))

    def wanted(self) -> dict[str, int]:
        """The sizes in the fields that differ from the document's."""
        sizes = self._session.state.document.sizes
        return {axis: field.value() for axis, field in self.fields.items() if field.value() != sizes[axis]}

    def _look(self) -> None:
        """What the fields would change."""
        wanted, document = self.wanted(), self._session.state.document
        for button in (self.apply, self.reset):
            button.setVisible(bool(wanted))
        rule = tr("Numbers that exist stay. New ones are 0 and marked; a new head's weights are 1 on the diagonal.")
        self.preview.setText(_told(forecast(document, wanted), self._session.state.orientation) if wanted else rule)

    # Wishes

    def _reset(self) -> None:
        """The document's sizes back in the fields."""
        for axis, field in self.fields.items():
            size = self._session.state.document.sizes[axis]
            field.setMaximum(max(LARGEST[axis], size))
            field.setValue(size)
        self._look()

    def _apply(self) -> None:
        wanted = self.wanted()
        if wanted:
            name = ", ".join(f"{_LETTERS[axis]} = {size}" for axis, size in wanted.items())
            self._session.change(with_sizes, wanted, tr("new"), text=mark("Resize: {name}"), name=name)

    def _switch_biases(self, on: bool) -> None:
        self._session.change(with_biases, on, text=mark("Biases"))

    def _switch_projection(self, on: bool) -> None:
        self._session.change(with_output_projection, on, text=mark("Output weights W_O"))

    def _switch_output_bias(self, on: bool) -> None:
        self._session.change(with_output_bias, on, text=mark("Output bias b_O"))


_LETTERS = {"n": "n", "h": "h", "d": "d_model", "k": "d_k", "v": "d_v"}


def _told(ahead: Forecast, orientation: Orientation) -> str:
    """What would change, in words."""
    shapes = ((name, *(_shape(shape, orientation) for shape in both)) for name, both in ahead.shapes.items())
    parts = [f"{name} {before} → {after}" for name, before, after in shapes]
    if ahead.new:
        parts.append(tr("{n} new numbers, marked", n=ahead.new))
    if ahead.lost:
        parts.append(tr("{n} numbers go (undo brings them back)", n=ahead.lost))
    return " · ".join(parts)


def _shape(sizes: tuple[int, ...], orientation: Orientation) -> str:
    return " × ".join(map(str, orientation.pair(*sizes) if len(sizes) == 2 else sizes))
