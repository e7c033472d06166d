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
from gui.texts.sum_style import SumStyle, product_seen
from gui.texts.translation import mark, tr, tr_marked
from gui.widgets.ask import Ask
from gui.widgets.forms import caption


class NotesDialog(QDialog):
    """Edits title and notes.

    "Save" makes one undo step, "Cancel" discards, Esc and the close button ask first.

    Texts of built-in experiments are shown translated; a text that was not edited stays as it is in
    the document.
    """

    def __init__(
        self, session: Session, parent: QWidget | None = None, ask: Ask | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._ask = session, ask or Ask()
        document = session.state.document
        self._shown = _translated(document.title), _translated(document.notes)
        self.setWindowTitle(tr("Title and notes"))
        self.resize(QSize(px(560), px(380)).boundedTo(self.screen().availableSize()))
        self.title, self.notes = QLineEdit(self._shown[0]), QPlainTextEdit(self._shown[1])
        self.title.setPlaceholderText(tr("Untitled"))
        self.notes.setPlaceholderText(tr("What should one look for?"))
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
        buttons.rejected.connect(self.discard)
        return buttons

    def accept(self) -> None:
        """Save what was edited."""
        document, texts = self._session.state.document, self._texts()
        stored = document.title, document.notes
        title, notes = (
            old if new == shown else new
            for new, shown, old in zip(texts, self._shown, stored, strict=True)
        )
        self._session.change(with_title, title, notes, text=mark("Title and notes"))
        super().accept()

    def reject(self) -> None:
        """Ask before Esc or the close button discards what was edited."""
        answer = (
            self._ask.unsaved(self, self.windowTitle())
            if self._texts() != self._shown
            else "discard"
        )
        if answer == "save":
            self.accept()
        elif answer == "discard":
            self.discard()

    def discard(self) -> None:
        """Close without saving."""
        super().reject()

    def _texts(self) -> tuple[str, str]:
        return self.title.text(), self.notes.toPlainText()


def _translated(text: str) -> str:
    return tr_marked(text) if text else ""


MORE_DECIMALS = 2  # of terms: most terms of a long sum would be 0 with those of the tables


def as_html(line: Line, theme: Colours) -> str:
    """A line of mathematics as rich text in the colours of roles."""
    tags = {1: ("<sup>", "</sup>"), 0: ("", ""), -1: ("<sub>", "</sub>")}
    parts = []
    for span in line:
        start, end = tags[span.level]
        text = escape(span.text).replace(" ", "&nbsp;")
        parts.append(
            f'<span style="color:{span_colour(theme, span.role).name()}">{start}{text}{end}</span>'
        )
    return "".join(parts)


def table_html(state: State, step: Step, *, hidden: bool = False) -> str:
    """A table of the terms, a row each: its factors, their product, and the sum so far.

    The total below; a `hidden` one is not told.
    """
    theme = colours(state.shade)
    rows = "".join(_row(row, theme) for row in term_rows(state, step, hidden=hidden))
    return f'<table cellspacing="0" cellpadding="4">{rows}</table>'


def _row(cells: list[Line], theme: Colours) -> str:
    return (
        "<tr>"
        + "".join(f'<td align="right">{as_html(cell, theme)}</td>' for cell in cells)
        + "</tr>"
    )


def term_rows(state: State, step: Step, *, hidden: bool = False) -> list[list[Line]]:
    """The headings, a row for each term with MORE_DECIMALS, and the total with the chosen decimals."""
    style = SumStyle(state.document, state.decimals, orientation=state.orientation)
    finer = _finer(style)
    values, factors = step.values, len(style.factors(step.terms[0]))
    adds = step.kind != "max" and not hidden and bool(np.isfinite(values).all())
    sums = np.cumsum(values).tolist() if adds else []
    rows = [_head(style, step, adds=adds)]
    for index, (term, value) in enumerate(zip(step.terms, values.tolist(), strict=True)):
        numbers = [
            (finer.number(part.value, cell_role(part.cell)),) for part in style.factors(term)
        ]
        made = [(finer.number(value),)] if factors > 1 else []
        blanks: list[Line] = [()] * (factors - len(numbers))
        so_far = [(Span(finer.number(sums[index]).text, "muted"),)] if adds else []
        rows.append([(Span(f"{index + 1}", "muted"),), *numbers, *blanks, *made, *so_far])
    total = Span(tr("largest") if step.kind == "max" else tr("total"), "muted")
    result = Span("?", "result") if hidden else style.number(step.value, "result")
    rows.append([(total,), *([()] * (len(rows[0]) - 2)), (result,)])
    return rows


def _finer(style: SumStyle) -> SumStyle:
    """The style of the terms, also of tiny ones."""
    decimals = min(style.decimals + MORE_DECIMALS, MAX_DECIMALS)
    return replace(style, decimals=decimals, noise=1.0)


def rounding_note(state: State, step: Step) -> str:
    """A sentence if a product of printed factors differs from the printed one, else ""."""
    style = _finer(SumStyle(state.document, state.decimals))
    if all(product_seen(style, term) == style.round(term.value) for term in step.terms):
        return ""
    return tr(
        "All terms are rounded to {n} decimals: the factors shown do not always give the product "
        "shown.",
        n=style.decimals,
    )


def _head(style: SumStyle, step: Step, *, adds: bool) -> list[Line]:
    """The headings of the columns."""
    cells = [part.cell for part in style.factors(step.terms[0])]
    names = [_name(style, cell) for cell in cells]
    made: list[Line] = [(Span(tr("product"), "muted"),)] if len(cells) > 1 else []
    return [(), *names, *made, *([(Span(tr("sum so far"), "muted"),)] if adds else [])]


def _name(style: SumStyle, cell: Cell | None) -> Line:
    if cell is None:
        return ()
    name = typeset(symbol(cell.tensor, style.document, style.orientation))
    return tuple(Span(span.text, cell_role(cell), span.level) for span in name)


class TermsDialog(QDialog):
    """The terms of one step, one in a line; the text can be selected and copied."""

    def __init__(
        self,
        state: State,
        step: Step,
        where: str,
        parent: QWidget | None = None,
        *,
        hidden: bool = False,
    ) -> None:
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
        self.terms.setHtml(table_html(state, step, hidden=hidden))
        note = caption(rounding_note(state, step))
        note.setVisible(bool(note.text()))
        buttons = QDialogButtonBox()
        close = buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        close.setAccessibleName(tr("Close"))
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (heading, self.terms, note, buttons):
            layout.addWidget(widget)
