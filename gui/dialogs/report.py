"""A report: in which language, and with how many decimals."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from gui.export.worksheets.make import ReportOptions
from gui.painting.text_size import set_font, set_least
from gui.painting.theme import BODY, DISPLAY
from gui.session.state import State
from gui.texts.names import cell_name
from gui.texts.translation import language_name, languages, tr
from gui.widgets.forms import (
    Dialog,
    NumberField,
    caption,
    field_grid,
    go_or_leave,
    heading,
    line_of,
    radios,
)

MOST_DECIMALS = 8  # as the window shows at most


class ReportDialog(Dialog):
    """Asks what a report is to be; `options()` is the answer."""

    def __init__(self, state: State, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.setWindowTitle(tr("Report"))
        self.decimals = NumberField(0, MOST_DECIMALS, min(state.decimals, MOST_DECIMALS))
        self.languages = radios(self, *map(language_name, languages()))
        self.languages[languages().index(state.language)].setChecked(True)
        self.save_button = QPushButton(tr("Sa&ve…"))
        self._lay_out()

    def options(self) -> ReportOptions:
        """What the fields say, for the focused cell."""
        state = self._state
        chosen = zip(languages(), self.languages, strict=True)
        language = next(one for one, radio in chosen if radio.isChecked())
        return ReportOptions(
            state.focus, self.decimals.value(), language, state.orientation, state.fractions
        )

    def _lay_out(self) -> None:
        state, column = self._state, self.column
        column.addWidget(heading(tr("Report"), DISPLAY))
        column.addSpacing(6)
        cell = cell_name(state.focus, state.document, state.orientation)
        note = caption(
            tr(
                "Every stage with its formula and numbers, and the sums of the focused cell {name}.",
                name=cell,
            )
        )
        set_least(note, 360)
        column.addWidget(note)
        column.addSpacing(8)
        column.addLayout(
            field_grid(((self.decimals, tr("&Decimals"), tr("How many decimals are shown.")),), 18)
        )
        column.addSpacing(8)
        title = QLabel(tr("Language"))
        set_font(title, BODY, bold=True)
        column.addWidget(title)
        column.addLayout(line_of(*self.languages))
        column.addStretch(1)
        column.addSpacing(8)
        column.addWidget(go_or_leave(self, self.save_button))
