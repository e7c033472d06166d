"""The dialogs of the stage view: title and notes of the experiment, and every term of a long sum."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from core.base.cell import Cell
from core.base.number_format import MAX_DECIMALS
from core.document.edits import with_title
from core.explain.derivation import Step
from gui.painting.text_layout import span_colour
from gui.painting.text_size import px, set_font
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import symbol
from gui.texts.rich_text import Line, Span, cell_role, typeset
from gui.texts.sum_style import SumStyle
from gui.texts.translation import mark, tr, tr_marked
from gui.widgets.ask import Ask


class NotesDialog(QDialog):
    """Shows title and notes in fields; what was changed in them becomes one undo step, under "Save" alone.

    Built-in experiments speak the user's language. What was not touched stays as it stands in the document. "Cancel"
    gives up what was changed, Esc and the closing cross ask first.
    """

    def __init__(
        self, session: Session, parent: QWidget | None = None, ask: Ask | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._ask = session, ask or Ask()
        document = session.state.document
        self._shown = _in_words(document.title), _in_words(document.notes)
        self.setWindowTitle(tr("Title and notes"))
        self.resize(QSize(px(560), px(380)).boundedTo(self.screen().availableSize()))
        self.title, self.notes = QLineEdit(self._shown[0]), QPlainTextEdit(self._shown[1])
        self.title.setPlaceholderText(tr("Untitled"))
        self.notes.setPlaceholderText(tr("What is there to look for?"))
        self.notes.setTabChangesFocus(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        for name, field in ((tr("Title"), self.title), (tr("Notes"), self.notes)):
            label = QLabel(name)
            set_font(label, CAPTION, bold=True)
            label.setBuddy(field)
            set_font(field, BODY)
            field.setAccessibleName(name)
            layout.addWidget(label)
            layout.addWidget(field)
        layout.addWidget(self._buttons())
        self.notes.setFocus()

    def _buttons(self) -> QDialogButtonBox:
        buttons, roles = QDialogButtonBox(), QDialogButtonBox.ButtonRole
        buttons.addButton(tr("Save"), roles.AcceptRole).setAccessibleName(tr("Save"))
        buttons.addButton(tr("Cancel"), roles.RejectRole).setAccessibleName(tr("Cancel"))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.give_up)
        return buttons

    def accept(self) -> None:
        """Take over what was changed."""
        document, written = self._session.state.document, self._written()
        kept = document.title, document.notes
        title, notes = (
            old if new == shown else new
            for new, shown, old in zip(written, self._shown, kept, strict=True)
        )
        self._session.change(with_title, title, notes, text=mark("Title and notes"))
        super().accept()

    def reject(self) -> None:
        """Esc and the closing cross, which are easily hit: what was changed is lost only where the user says so."""
        answer = (
            self._ask.unsaved(self, self.windowTitle())
            if self._written() != self._shown
            else "discard"
        )
        if answer == "save":
            self.accept()
        elif answer == "discard":
            self.give_up()

    def give_up(self) -> None:
        """Close; what was changed is lost."""
        super().reject()

    def _written(self) -> tuple[str, str]:
        return self.title.text(), self.notes.toPlainText()


def _in_words(text: str) -> str:
    return tr_marked(text) if text else ""


FINER = 2  # decimals of terms, beside those that were chosen


def as_html(line: Line, theme: Colours) -> str:
    """A line of mathematics as rich text, in role colours."""
    tags = {1: ("<sup>", "</sup>"), 0: ("", ""), -1: ("<sub>", "</sub>")}
    parts = []
    for span in line:
        start, end = tags[span.level]
        text = escape(span.text).replace(" ", "&nbsp;")
        parts.append(
            f'<span style="color:{span_colour(theme, span.role).name()}">{start}{text}{end}</span>'
        )
    return "".join(parts)


def table_html(state: State, step: Step) -> str:
    """A table of the terms, a row each: its factors, what they come to, and the sum so far; the total below."""
    theme = colours(state.shade)
    rows = "".join(_row(row, theme) for row in term_rows(state, step))
    return f'<table cellspacing="0" cellpadding="4">{rows}</table>'


def _row(cells: list[Line], theme: Colours) -> str:
    return (
        "<tr>"
        + "".join(f'<td align="right">{as_html(cell, theme)}</td>' for cell in cells)
        + "</tr>"
    )


def term_rows(state: State, step: Step) -> list[list[Line]]:
    """The table's head, a row for each term, and the total as the tables show it. All else has FINER decimals more, for
    of a long sum most terms would be nothing."""
    sheet = SumStyle(state.document, state.decimals, orientation=state.orientation)
    finer = replace(sheet, decimals=min(state.decimals + FINER, MAX_DECIMALS), noise=1.0)
    values, factors = step.values, len(sheet.factors(step.terms[0]))
    adds = step.kind != "max" and bool(np.isfinite(values).all())
    sums = np.cumsum(values).tolist() if adds else []
    rows = [_head(sheet, step, adds=adds)]
    for index, (term, value) in enumerate(zip(step.terms, values.tolist(), strict=True)):
        numbers = [
            (finer.number(part.value, cell_role(part.cell)),) for part in sheet.factors(term)
        ]
        made = [(finer.number(value),)] if factors > 1 else []
        blanks: list[Line] = [()] * (factors - len(numbers))
        so_far = [(Span(finer.number(sums[index]).text, "muted"),)] if adds else []
        rows.append([(Span(f"{index + 1}", "muted"),), *numbers, *blanks, *made, *so_far])
    total = Span(tr("largest") if step.kind == "max" else tr("total"), "muted")
    rows.append([(total,), *([()] * (len(rows[0]) - 2)), (sheet.number(step.value, "result"),)])
    return rows


def _head(sheet: SumStyle, step: Step, *, adds: bool) -> list[Line]:
    """What each column holds."""
    cells = [part.cell for part in sheet.factors(step.terms[0])]
    names = [_name(sheet, cell) for cell in cells]
    made: list[Line] = [(Span(tr("product"), "muted"),)] if len(cells) > 1 else []
    return [(), *names, *made, *([(Span(tr("sum so far"), "muted"),)] if adds else [])]


def _name(sheet: SumStyle, cell: Cell | None) -> Line:
    if cell is None:
        return ()
    name = typeset(symbol(cell.tensor, sheet.document, sheet.orientation))
    return tuple(Span(span.text, cell_role(cell), span.level) for span in name)


class TermsDialog(QDialog):
    """The terms of one step, one a line; the text can be selected and copied."""

    def __init__(self, state: State, step: Step, where: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("All {n} terms", n=len(step.terms)))
        self.resize(QSize(px(460), px(520)).boundedTo(self.screen().availableSize()))
        heading = QLabel(where)
        set_font(heading, TITLE, bold=True)
        heading.setWordWrap(True)
        self.terms = QTextEdit()
        self.terms.setReadOnly(True)
        set_font(self.terms, BODY)
        self.terms.setAccessibleName(tr("All {n} terms", n=len(step.terms)))
        self.terms.setHtml(table_html(state, step))
        buttons = QDialogButtonBox()
        close = buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        close.setAccessibleName(tr("Close"))
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (heading, self.terms, buttons):
            layout.addWidget(widget)
