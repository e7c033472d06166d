"""The worked sum of the marked cell for the clipboard, with every term, as text or as LaTeX."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from gui.session.state import State
from gui.texts.glyphs import as_written
from gui.texts.rich_text import Line, plain_text
from gui.texts.stage_texts import ahead_sentence, asked_sentence
from gui.texts.sum_style import SumStyle, fraction_of
from gui.texts.sums import limit_note, worked_sum
from gui.texts.translation import mark, tr_marked
from gui.views.stage.card import where, worked_step
from gui.views.stage.shown_cell import is_asked, target

WAYS = {"text": mark("&Text"), "latex": mark("&LaTeX")}


def refused(state: State) -> str:
    """Why there is no sum to copy, as a sentence; "" where there is one."""
    looked_at = target(state)
    if is_asked(state, looked_at):
        return asked_sentence()
    return ahead_sentence() if looked_at.ahead else ""


def sum_lines(state: State) -> tuple[Line, ...]:
    """The sum, and why its result is not what it should be, where that is so."""
    looked_at = target(state)
    step = worked_step(state, looked_at)
    hidden = not looked_at.stands and not looked_at.lead
    fraction = fraction_of(state.document, step) if state.fractions and not hidden else None
    sheet = SumStyle(
        state.document, state.decimals, None, hidden, state.orientation, fraction=fraction
    )
    note = limit_note(sheet, step)
    return (worked_sum(sheet, step), note) if note else (worked_sum(sheet, step),)


def copied(state: State, way: str) -> str:
    """The sum in one of WAYS, the text under the name of its cell."""
    with as_written():
        lines = sum_lines(state)
        if way == "latex":
            from gui.texts.latex import line as latex_line

            return "\n\n".join(map(latex_line, lines)) + "\n"
        return "\n".join((where(state, target(state)), *map(plain_text, lines))) + "\n"


def copy_menu(parent: QWidget, copy: Callable[[str], object]) -> QMenu:
    """A menu of WAYS that is gone once it is closed."""
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    for way, name in WAYS.items():
        menu.addAction(tr_marked(name)).triggered.connect(partial(copy, way))
    return menu
