"""The fields of the import dialog: only those in which there is something to choose are seen."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from gui.dialogs.import_plan import ALL, Place
from gui.painting.text_size import set_font, set_least
from gui.painting.theme import BODY
from gui.texts.translation import tr
from gui.widgets.forms import caption, name_row, plain, sentence_label

_TYPING_MS = 400  # after the last key a range of cells is read


class ImportForm(QWidget):
    """Which part, which cells, which tensor of which head, how it lies. `part_wanted` asks for other numbers of the
    file, `tensor_wanted` tells of another tensor, `changed` of anything else."""

    part_wanted = Signal()
    tensor_wanted = Signal()
    changed = Signal()

    def __init__(self, *, sheets: bool) -> None:
        super().__init__()
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._typing.timeout.connect(self.part_wanted)
        self.part, self.tensor, self.head, self.piece = (_combo() for _ in range(4))
        self.part.activated.connect(self._on_part)
        self.tensor.activated.connect(self.tensor_wanted)
        self.head.activated.connect(self.changed)
        self.piece.activated.connect(self.changed)
        self._make_cells()
        self.turn, self.labels = (
            QCheckBox(tr("&Transpose")),
            QCheckBox(tr("The &labels become the tokens")),
        )
        for box in (self.turn, self.labels):
            box.setAccessibleName(plain(box.text()))
            box.clicked.connect(self.changed)
        self.turn_note, self.outcome, self.others = caption(), sentence_label(), caption()
        self.changes = QLabel(tr("What changes"))
        set_font(self.changes, BODY, bold=True)
        for label in (self.turn_note, self.outcome, self.others):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._rows: dict[QWidget, QLabel] = {}
        self._lay_out(tr("&Sheet") if sheets else tr("&Array"))

    def _make_cells(self) -> None:
        self.cells = QLineEdit()
        self.cells.setPlaceholderText(tr("all, or such as B2:E5"))
        self.cells.setMaxLength(40)
        self.cells.textEdited.connect(self._on_typing)
        self.cells.editingFinished.connect(self._on_typed)

    def _lay_out(self, part: str) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        texts = (part, tr("&Cells"), tr("&Becomes"), tr("&Head"), tr("&Matrix"))
        for text, widget in zip(
            texts, (self.part, self.cells, self.tensor, self.head, self.piece), strict=True
        ):
            label = QLabel()
            label.setBuddy(widget)
            name_row(label, widget, text)
            grid.addWidget(label, grid.rowCount(), 0)
            grid.addWidget(widget, grid.rowCount() - 1, 1)
            self._rows[widget] = label
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(grid)
        column.addSpacing(4)
        for widget in (self.turn, self.turn_note, self.labels):
            column.addWidget(widget)
        column.addSpacing(12)
        for label in (self.changes, self.outcome, self.others):
            column.addWidget(label)
        column.addStretch(1)

    # What is chosen

    @property
    def name(self) -> str:
        """The part's name in the file."""
        return str(self.part.currentData() or "")

    @property
    def place(self) -> Place:
        """The tensor, and the head where it has some."""
        return Place(str(self.tensor.currentData()), int(self.head.currentData() or 0))

    @property
    def typing(self) -> bool:
        """Whether a range of cells is typed that has not been read yet."""
        return self._typing.isActive()

    def stop(self) -> None:
        """Forget what was typed last."""
        self._typing.stop()

    def _on_typing(self, _text: str) -> None:
        self._typing.start()
        self.changed.emit()

    def _on_typed(self) -> None:
        if self._typing.isActive():
            self._typing.stop()
            self.part_wanted.emit()

    def _on_part(self) -> None:
        self.cells.clear()
        self._typing.stop()
        self.part_wanted.emit()

    # What can be chosen

    def fill(self, combo: QComboBox, entries: Iterable[tuple[str, object]], chosen: object) -> None:
        """Other entries: text and value."""
        combo.clear()
        for text, value in entries:
            combo.addItem(text, value)
        combo.setCurrentIndex(max(0, combo.findData(chosen)))

    def choose(self, combo: QComboBox, value: object) -> None:
        """Another entry."""
        combo.setCurrentIndex(max(0, combo.findData(value)))

    def tell(self, outcome: str, others: str, note: str) -> None:
        """What will change; "" while there is nothing to say."""
        for label, text in ((self.outcome, outcome), (self.others, others), (self.turn_note, note)):
            label.setText(text)
            label.setVisible(bool(text))
        self.changes.setVisible(bool(outcome))

    def fit(self, *, there: bool, sheet: bool, stacked: bool, turns: bool, labelled: bool) -> None:
        """Show the fields that there is something to choose in."""
        self._show(self.part, self.part.count() > 1)
        self._show(self.cells, sheet)
        self._show(self.tensor, there)
        self._show(self.head, there and self.head.count() > 1)
        self._show(self.piece, stacked and self.place.head != ALL)
        self.turn.setVisible(turns)
        self.labels.setVisible(labelled)

    def _show(self, widget: QWidget, on: bool) -> None:
        widget.setVisible(on)
        self._rows[widget].setVisible(on)


def _combo() -> QComboBox:
    combo = QComboBox()
    set_least(combo, 200)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return combo
