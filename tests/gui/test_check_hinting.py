"""Hints asked for in one experiment, while another is shown."""

from __future__ import annotations

import pytest

from core.base.cell import Cell
from core.document.document import Document
from core.storage.examples import load_example
from gui.session.session import Session
from gui.session.state import Preferences, State
from gui.views.check.wording import HintCycle


def state_of(document: Document) -> State:
    return Session(document, Preferences()).state


@pytest.mark.parametrize(
    "cell",
    [Cell("scores", 6, 0), Cell("scores", 0, 6), Cell("weights", 0, 0, 5), Cell("concat", 0, 0)],
)
def test_a_hint_for_a_number_that_is_no_more_is_none(qapp: object, cell: Cell) -> None:
    hinting = HintCycle()
    hinting.ask(cell)
    large, small = state_of(load_example("eight-heads")), state_of(load_example("cat-eats-fish"))
    assert hinting.shown(large, None)[0] != ""
    assert hinting.shown(small, None) == ("", 0, 0)
