"""Equal tokens are told apart by their position: in sums, spoken, copied, in names of cells."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.document import Document
from core.document.resize import with_tokens_named
from core.explain.derivation import derive
from gui.session.spoken_cell import spoken_cell
from gui.session.state import State
from gui.texts.names import cell_name, token_name
from gui.texts.rich_text import plain_text
from gui.texts.stage_texts import lead_sentence, masked_row
from gui.texts.sum_style import SumStyle
from gui.texts.sums import worked_sum
from gui.texts.translation import use_language
from gui.views.heatmaps.wording import cell_place
from gui.views.stage.view import StageView
from tests.gui.tables_kit import follow, make_document, make_session

TOKENS = ("the", "cat", "sees", "the", "dog")


def document() -> Document:
    return with_tokens_named(make_document(), TOKENS, "n")


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_way_of_saying_a_cell_tells_the_tokens_apart(qtbot: QtBot, language: str) -> None:
    session = make_session(document(), language=language)
    state = session.state
    session.go_last()
    state = session.state
    first, fourth = Cell("scores", 1, 0), Cell("scores", 1, 3)
    for say in (spoken, heatmap, named, summed):
        a, b = say(state, first), say(state, fourth)
        assert "the (1)" in a, say
        assert "the (4)" in b, say
        assert a != b
        assert "cat (" not in a + b
    use_language("en")


def spoken(state: State, cell: Cell) -> str:
    return spoken_cell(state, cell, only_visible=False)


def heatmap(state: State, cell: Cell) -> str:
    return cell_place(state, state.trace.plan[cell.tensor], cell)


def named(state: State, cell: Cell) -> str:
    return cell_name(cell, state.document)


def summed(state: State, cell: Cell) -> str:
    style = SumStyle(state.document, state.decimals)
    return plain_text(worked_sum(style, derive(state.document, state.trace, cell)))


@pytest.mark.parametrize("form", ["text", "latex"])
def test_a_copied_sum_tells_the_tokens_apart(qtbot: QtBot, form: str) -> None:
    session = make_session(document())
    session.go_last()
    view = StageView(session)
    follow(qtbot, session, view)
    copied = []
    for column in (0, 3):
        session.set_focus(Cell("scores", 1, column))
        assert view.copy_sum(form) == ""
        copied.append(QGuiApplication.clipboard().text())
    assert "(1)" in copied[0]
    assert "(4)" in copied[1]
    assert copied[0] != copied[1]


def test_sentences_about_a_row_tell_the_tokens_apart() -> None:
    assert "the (4)" in lead_sentence("max", TOKENS, 3)
    assert "the (1)" in masked_row(TOKENS, 0)
    assert "(" not in lead_sentence("sum", TOKENS, 1)


def test_tokens_that_look_alike_are_told_apart() -> None:
    assert token_name((" a", "a"), 1) == "a (2)"
    assert token_name(("", " ", "b"), 0) == "␣ (1)"
