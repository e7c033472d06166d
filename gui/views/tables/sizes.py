"""The page of sizes in the setup: chosen, previewed, then applied as one undo step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from core.base.errors import UserError
from core.document.document import Document
from core.document.edits import with_biases, with_output_bias, with_output_projection
from core.document.reindex import NONE
from gui.painting.text_size import set_font, set_least
from gui.painting.theme import BODY, CAPTION, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.errors import error_message
from gui.texts.glossary import explanation
from gui.texts.rich_text import to_html
from gui.texts.translation import mark, tr
from gui.views.tables.edits import (
    AXES,
    forecast,
    forecast_lines,
    require_possible,
    sizes_in,
    with_sizes,
)

AXIS_TERMS = {"n": "token", "m": "key", "h": "head", "d": "d_model", "k": "d_k", "v": "d_v"}
LETTERS = {"n": "n", "m": "m", "h": "h", "d": "d_model", "k": "d_k", "v": "d_v"}
LETTERS |= {"f": "d_ff", "u": "u"}
IN_A_ROW = 6  # fields; the others are below the last of them
LARGEST_TYPED = 2_000_000_000  # the real limits are reported in a sentence


class SizeField(QSpinBox):
    """`edited()` reports that the user typed or stepped.

    A number that is too large is not cut, so that the panel can say what is wrong with it.
    """

    edited = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        set_font(self, BODY)
        self.setRange(1, LARGEST_TYPED)
        set_least(self, 56)
        self.lineEdit().textEdited.connect(lambda _text: self.edited.emit())

    @property
    def number(self) -> int:
        """The number in the field, 0 for none."""
        text = self.text().strip()
        return int(text) if text.isdecimal() else 0

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Accept any number of digits; an empty field is not finished."""
        typed = text.strip()
        if typed and not typed.isdecimal():
            return QValidator.State.Invalid, text, position
        return (
            QValidator.State.Acceptable if typed else QValidator.State.Intermediate,
            text,
            position,
        )

    def valueFromText(self, text: str) -> int:
        """The number that Qt steps from."""
        return min(int(text), LARGEST_TYPED) if text.strip().isdecimal() else 1

    def stepBy(self, steps: int) -> None:
        """Step by arrow or key."""
        super().stepBy(steps)
        self.edited.emit()


class SizesPanel(QWidget):
    """Fields with Apply and Revert, check boxes for optional tensors, a preview of the change."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.preview = QLabel(self)
        self.fields = {axis: SizeField(self) for axis in AXES}
        self._labels = {axis: QLabel(self) for axis in AXES}
        self.apply, self.reset = QPushButton(self), QPushButton(self)
        self.biases, self.projection, self.output_bias = (QCheckBox(self) for _ in range(3))
        self._theme, self._grid = colours(session.state.shade), QGridLayout()
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        set_font(self.preview, CAPTION)
        self.preview.setWordWrap(True)
        self.preview.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.preview.setTextFormat(Qt.TextFormat.RichText)
        grid, buttons, boxes = self._grid, QHBoxLayout(), QHBoxLayout()
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(2)
        for index, axis in enumerate(AXES):
            self._labels[axis].setBuddy(self.fields[axis])
            row, place = (0, index) if index < IN_A_ROW else (2, index - len(AXES) + IN_A_ROW)
            grid.addWidget(self._labels[axis], row, place)
            grid.addWidget(self.fields[axis], row + 1, place)
        for button in (self.apply, self.reset):
            buttons.addWidget(button)
        for box in self._boxes:
            boxes.addWidget(box)
        for line in (buttons, boxes):
            line.addStretch(1)
        boxes.setSpacing(14)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for layout in (grid, buttons, boxes):
            column.addLayout(layout)
        column.addWidget(self.preview, 1)

    @property
    def _boxes(self) -> tuple[QCheckBox, ...]:
        return self.biases, self.projection, self.output_bias

    def _connect(self) -> None:
        for field in self.fields.values():
            field.edited.connect(self._show_preview)
            field.lineEdit().returnPressed.connect(self._apply)
        self.apply.clicked.connect(self._apply)
        self.reset.clicked.connect(self._reset)
        switches = (
            (self.biases, with_biases, mark("Biases")),
            (self.projection, with_output_projection, mark("Output weights W_O")),
            (self.output_bias, with_output_bias, mark("Output bias b_O")),
        )
        for box, edit, text in switches:
            box.clicked.connect(partial(self._switch, box, edit, text))

    # State

    def show_state(self, old: State | None, new: State) -> None:
        """Show the sizes of the document, unless they did not change while others are being chosen."""
        document, scope, sizes = new.document, new.scope, _sizes(new)
        self._theme = colours(new.shade)
        if old is None or old.language != new.language:
            self._name()
        if old is None or _sizes(old) != sizes or old.scope.of_layer != scope.of_layer:
            self._reset()
        for number, axis in enumerate(AXES):
            shown = sizes.get(axis, 0) > 0 and (axis != "m" or document.context is not None)
            self._labels[axis].setVisible(shown)
            self.fields[axis].setVisible(shown)
            if number < IN_A_ROW:
                self._grid.setColumnStretch(number, int(shown))  # else its column stays wide
        self.fields["d"].setEnabled(document.X is not None or document.W_O is not None)
        self.biases.setChecked(
            any(head.b_Q is not None or head.b_V is not None for head in scope.heads)
        )
        self.biases.setEnabled(document.source == "embeddings")
        self.projection.setChecked(scope.W_O is not None)
        self.projection.setEnabled(scope.v > 0)
        self.output_bias.setChecked(scope.b_O is not None)
        self.output_bias.setEnabled(scope.W_O is not None)
        self._show_preview()

    def _name(self) -> None:
        names = {
            "n": tr("Tokens n"),
            "m": tr("Keys m"),
            "h": tr("Heads h"),
            "d": tr("Width d_model"),
            "k": tr("Width d_k"),
            "v": tr("Width d_v"),
            "f": tr("Width d_ff of the MLP"),
            "u": tr("Words u"),
        }
        for axis, name in names.items():
            self._labels[axis].setText(to_html(name if axis in "nmhu" else LETTERS[axis]))
            self.fields[axis].setAccessibleName(name)
            tip = explanation(AXIS_TERMS[axis]) if axis in AXIS_TERMS else name
            self.fields[axis].setToolTip(to_html(tip))
        self.apply.setText(tr("Apply"))
        self.reset.setText(tr("Revert"))
        self.biases.setText(tr("Biases"))
        self.projection.setText(tr("Output weights"))
        self.output_bias.setText(tr("Output bias"))

    def wanted(self) -> dict[str, int]:
        """The sizes in the fields that differ from the document's; 0 where a field is empty."""
        sizes = _sizes(self._session.state)
        return {
            axis: field.number
            for axis, field in self.fields.items()
            if sizes.get(axis) and field.number != sizes[axis]
        }

    def _refusal(self) -> str:
        """Why these sizes are impossible, "" if they are not."""
        try:
            state = self._session.state
            require_possible(state.document, self.wanted(), state.scope.of_layer)
        except UserError as problem:
            return error_message(problem)
        return ""

    def _show_preview(self) -> None:
        """Say what the fields would change, or why they cannot."""
        wanted, state, refusal = self.wanted(), self._session.state, self._refusal()
        self.apply.setEnabled(bool(wanted) and not refusal)
        self.reset.setEnabled(bool(wanted))
        rule = tr(
            "Existing numbers stay. New ones are 0 and marked; a new head's weights are 1 on "
            "the diagonal."
        )
        ahead = forecast(state.document, wanted, layer=state.scope.of_layer)
        lines = forecast_lines(ahead, state.orientation)
        self.preview.setText(to_html(refusal or (" · ".join(lines) if wanted else rule)))
        self.preview.setStyleSheet(f"color: {self._theme.error if refusal else self._theme.muted};")

    # Edits

    def _reset(self) -> None:
        """Show the document's sizes in the fields."""
        for axis, field in self.fields.items():
            field.setValue(_sizes(self._session.state).get(axis, 1))
        self._show_preview()

    def _apply(self) -> None:
        wanted, layer = self.wanted(), self._session.state.scope.of_layer
        if wanted and not self._refusal():
            name = ", ".join(f"{LETTERS[axis]} = {size}" for axis, size in wanted.items())
            QGuiApplication.setOverrideCursor(
                Qt.CursorShape.WaitCursor
            )  # thousands of tokens take some seconds
            try:
                self._session.change(
                    with_sizes,
                    wanted,
                    tr("new"),
                    NONE,
                    layer,
                    text=mark("Resize: {name}"),
                    name=name,
                )
            finally:
                QGuiApplication.restoreOverrideCursor()

    def _switch(self, box: QCheckBox, edit: Callable[..., Document], text: str) -> None:
        self._session.change_heads(edit, box.isChecked(), text=text)


def _sizes(state: State) -> dict[str, int]:
    """The sizes of the document; in a stack h, k, v and f are those of the open layer."""
    return sizes_in(state.document, state.scope.of_layer)
