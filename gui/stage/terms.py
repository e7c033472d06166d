"""Every term of a long sum, in a window that scrolls."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QTextEdit, QVBoxLayout, QWidget

from core.derive import Step
from gui.language import tr
from gui.lines import span_colour
from gui.state import State
from gui.text_size import px, set_font
from gui.texts.spans import Line, Span, operator
from gui.texts.sums import Sheet, term_line
from gui.theme import BODY, TITLE, Colours, colours


def as_html(line: Line, theme: Colours) -> str:
    """A line of mathematics as rich text, in role colours."""
    tags = {1: ("<sup>", "</sup>"), 0: ("", ""), -1: ("<sub>", "</sub>")}
    parts = []
    for span in line:
        start, end = tags[span.level]
        text = escape(span.text).replace(" ", "&nbsp;")
        parts.append(f'<span style="color:{span_colour(theme, span.role).name()}">{start}{text}{end}</span>')
    return "".join(parts)


def term_lines(state: State, step: Step) -> tuple[Line, ...]:
    """A line for each term, numbered, and the result at the end."""
    sheet = Sheet(state.document, state.decimals, orientation=state.orientation)
    lines = [(Span(f"{i + 1}.  ", "muted"), *term_line(sheet, term)) for i, term in enumerate(step.terms)]
    total = (operator("="), sheet.number(step.value, "result"))
    return (*lines, total)


class TermsDialog(QDialog):
    """The terms of one step, one a line; the text can be selected and copied."""

    def __init__(self, state: State, step: Step, where: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("All {n} terms", n=len(step.terms)))
        self.resize(QSize(px(460), px(520)).boundedTo(self.screen().availableSize()))
        theme = colours(state.shade)
        heading = QLabel(where)
        set_font(heading, TITLE, bold=True)
        heading.setWordWrap(True)
        self.terms = QTextEdit()
        self.terms.setReadOnly(True)
        set_font(self.terms, BODY)
        self.terms.setAccessibleName(tr("All {n} terms", n=len(step.terms)))
        self.terms.setHtml("".join(f"<p>{as_html(line, theme)}</p>" for line in term_lines(state, step)))
        buttons = QDialogButtonBox()
        close = buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        close.setAccessibleName(tr("Close"))
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (heading, self.terms, buttons):
            layout.addWidget(widget)
