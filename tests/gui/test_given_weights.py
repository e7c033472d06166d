"""The window with an experiment whose weights are given: no scores, no mask, no positions."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.document import Document
from core.document.edits import with_cell
from core.stages import plan
from gui.app import build_window
from gui.app.main_window import MainWindow
from gui.texts.stage_texts import meaning
from gui.texts.translation import spoken
from gui.views.tables.panel import COMPUTED, GIVEN, tables_of
from gui.widgets.ask import Ask
from tests.core.documents import ODD_SIZES, make
from tests.gui.window_kit import bring_forward


class Discards(Ask):
    """Leaves changes unsaved."""

    def unsaved(self, parent: QWidget, name: str) -> str:
        return "discard"


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = build_window(example="cat-eats-fish", language="en")
    window.files.ask = Discards()
    bring_forward(qtbot, window)
    window.docks["tables"].bring_forward()
    return window


def action(window: MainWindow, name: str) -> QAction:
    found = window.findChild(QAction, name)
    assert found is not None
    return found


DOCUMENTS: dict[str, Document] = {
    "context, output": make(8, source="weights", context=7, output=True, off=(1,)),
    "plain": make(9, source="weights", sizes=ODD_SIZES),
    "one head": make(9, source="weights", sizes={"n": 3, "d": 4, "h": 1, "k": 2, "v": 5}),
    "alone": make(10, source="weights", values=False),
}
every = pytest.mark.parametrize("name", DOCUMENTS)


@every
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_step_is_shown(name: str, language: str, window: MainWindow) -> None:
    session, document = window.session, DOCUMENTS[name]
    session.open_document(document)
    session.set_language(language)
    session.go_first()
    while session.state.trace.plan.ids[-1] != session.state.cursor.stage:
        session.step(1)
        QApplication.processEvents()
        assert not window.grab().isNull()
    for group in (GIVEN, COMPUTED):
        for table in tables_of(session.state, group):
            window.tables.show_table(table)
            assert window.tables.page_id == table


@every
def test_what_comes_before_the_weights_is_switched_off(name: str, window: MainWindow) -> None:
    before = window.session.state.document
    names = ("toggle_positional", "toggle_mask", "toggle_scale")
    assert all(action(window, toggle).isEnabled() for toggle in names)
    window.session.open_document(DOCUMENTS[name])
    for toggle in names:
        assert not action(window, toggle).isEnabled()
        assert not action(window, toggle).isChecked()
    setup = window.tables.setup
    for part in (setup.positional, setup.masking.choice, setup.scale, setup.softmax):
        assert not part.isEnabled()
    assert not setup.sizes.biases.isEnabled()
    assert setup.sizes.projection.isEnabled() == (DOCUMENTS[name].v > 0)
    assert not setup.sizes.wanted()
    assert not setup.sizes.fields["k"].isVisibleTo(setup.sizes)
    window.session.open_document(before)
    assert all(action(window, toggle).isEnabled() for toggle in names)
    assert setup.scale.isEnabled()


@every
def test_weights_and_values_are_edited_in_their_tables(name: str, window: MainWindow) -> None:
    session = window.session
    session.open_document(DOCUMENTS[name])
    last = DOCUMENTS[name].h - 1
    for tensor in ("weights", "V") if DOCUMENTS[name].v else ("weights",):
        cell = Cell(tensor, 1, 2 if tensor == "weights" else 0, last)
        window.tables.show_table(tensor)
        assert window.tables.page_id == tensor
        session.change(with_cell, cell, 2.5, text="edit")
        assert session.state.trace.value(cell) == 2.5
    expected = DOCUMENTS[name].heads[last]
    assert expected.weights is not None
    assert session.state.document.heads[last].weights is not None
    changed = session.state.trace["weights"][last]
    assert (changed != expected.weights).sum() == 1
    if DOCUMENTS[name].v:
        assert session.state.trace["heads"][last] == pytest.approx(
            changed @ session.state.trace["V"][last]
        )


def test_a_row_that_does_not_add_up_to_1_is_told() -> None:
    even = DOCUMENTS["one head"]
    uneven = with_cell(even, Cell("weights", 1, 2), 0.0)
    total = float(uneven.heads[0].weights[1].sum())  # type: ignore[index]
    for language, marks in (("en", ("Row 2", "head 1")), ("zh_CN", ("第 2 行", "第 1 个头"))):
        with spoken(language):
            said = meaning(uneven, "weights").sentence
            assert all(text in said for text in (*marks, f"{total:.6g}"))
            assert not any(text in meaning(even, "weights").sentence for text in marks)


def test_the_size_of_values_and_heads_changes(window: MainWindow) -> None:
    session = window.session
    session.open_document(DOCUMENTS["plain"])
    action(window, "add_head").trigger()
    document = session.state.document
    assert document.h == 3
    assert document.heads[2].weights is not None
    assert document.heads[2].weights.tolist() == [
        [float(i == j) for j in range(document.m)] for i in range(document.n)
    ]
    assert list(session.state.trace) == list(plan(document).ids)
