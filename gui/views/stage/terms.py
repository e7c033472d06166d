"""Every term of a long sum, in a window that scrolls."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QTextEdit, QVBoxLayout, QWidget

from core.base.cell import Cell
from core.base.number_format import MAX_DECIMALS
from core.explain.derivation import Step
from gui.painting.math_text import span_colour
from gui.painting.text_size import px, set_font
from gui.painting.theme import BODY, TITLE, Colours, colours
from gui.session.state import State
from gui.texts.names import symbol
from gui.texts.rich_text import Line, Span, role_of, typeset
from gui.texts.sum_style import SumStyle
from gui.texts.translation import tr

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
        numbers = [(finer.number(part.value, role_of(part.cell)),) for part in sheet.factors(term)]
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
    return tuple(Span(span.text, role_of(cell), span.level) for span in name)


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
