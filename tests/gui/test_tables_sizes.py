"""Sizes: chosen, foretold, applied as one step."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QStyle, QStyleOptionButton
from pytestqt.qtbot import QtBot

from core.base.arrays import frozen
from core.base.cell import Cell
from core.base.errors import UserError
from core.document import reindex as picks
from core.document import resize
from core.document.document import Document, Head
from core.document.edits import with_biases
from core.storage.examples import load_example
from gui.dialogs.import_plan import ALL, ImportPlan, TensorPlace, with_plan
from gui.session.session import Session
from gui.views.tables.edits import forecast, require_possible, with_matrix, with_sizes
from gui.views.tables.sizes import SizeField, SizesPanel
from tests.gui.tables_kit import D, H, K, N, V, follow, make_document, make_session, undo_name

LEFT = Qt.MouseButton.LeftButton


def qkv() -> Document:
    eye = frozen(np.eye(3, 2))
    return Document(tokens=("a", "b", "c"), heads=(Head(Q=eye, K=eye, V=eye),), source="qkv")


def count(document: Document) -> int:
    names = [(name, head) for name in document.inputs for head in range(document.h)]
    arrays = {
        id(array): array
        for name, head in names
        if (array := document.tensor(name, head)) is not None
    }
    return sum(array.size for array in arrays.values())


@pytest.mark.parametrize("sizes", list(itertools.product((3, 7), (2, 4), (5, 8), (1, 3), (2, 5))))
def test_what_is_foretold_is_what_comes(sizes: tuple[int, ...]) -> None:
    document = make_document()
    wanted = dict(zip("nhdkv", sizes, strict=True))
    ahead, after = forecast(document, wanted), with_sizes(document, wanted, "new")
    assert {axis: after.sizes[axis] for axis in "nhdkv"} == wanted
    assert count(after) - count(document) == ahead.new - ahead.lost
    for name in after.inputs:
        old, new = document.tensor(name), after.tensor(name)
        assert old is not None
        assert new is not None
        assert ahead.shapes.get(name, (old.shape, old.shape)) == (old.shape, new.shape)
        rows = tuple(slice(0, min(a, b)) for a, b in zip(old.shape, new.shape, strict=True))
        if name != "W_O":  # its rows come in blocks of heads
            assert new[rows].tolist() == old[rows].tolist()


@pytest.mark.parametrize("tensor", ["X", "W_Q", "W_V", "W_O"])
@pytest.mark.parametrize("head", [0, 1, ALL])
@pytest.mark.parametrize(
    "sizes", [{"n": 9, "d": 8}, {"h": 5, "k": 4}, {"n": 3, "v": 5, "d": 4}, {"h": 2, "n": 8}]
)
def test_what_is_given_anew_is_not_marked_and_nothing_else_differs(
    tensor: str, head: int, sizes: dict[str, int]
) -> None:
    document = with_sizes(
        make_document(), {"n": N + 1, "d": D + 1}, "marked"
    )  # some marks are there already
    heads = range(sizes.get("h", H)) if head == ALL else (head,)
    given = frozenset((tensor, one) for one in heads)
    plain, after = with_sizes(document, sizes, "new"), with_sizes(document, sizes, "new", given)
    assert after.filled == {mark for mark in plain.filled if (mark.tensor, mark.head) not in given}
    assert after.tokens == plain.tokens
    for name in plain.inputs:
        for one in range(plain.h):
            mine, other = after.tensor(name, one), plain.tensor(name, one)
            assert mine is not None
            assert other is not None
            assert mine.tolist() == other.tolist()


def test_a_large_import_makes_no_marks_to_throw_them_away(monkeypatch: pytest.MonkeyPatch) -> None:
    document = make_document()
    made: list[str] = []

    def counted(tensor: str, *place: int) -> Cell:
        made.append(tensor)
        return Cell(tensor, *place)

    monkeypatch.setattr(picks, "Cell", counted)
    values = frozen(np.random.default_rng(2).normal(size=(90, D + 2)))
    after = with_plan(document, ImportPlan(TensorPlace("X"), values), "new")
    assert after.X is not None
    assert after.X.tolist() == values.tolist()
    assert "X" not in made
    assert len(made) == len(after.filled) > 0
    made.clear()
    pasted = with_matrix(document, "X", 0, values, "new")
    assert "X" not in made
    assert pasted.filled == after.filled


def test_new_and_lost_numbers_are_counted_apart() -> None:
    ahead = forecast(make_document(), {"k": K + 1, "n": N - 2})
    assert ahead.new == H * (D + D + 1 + 1)
    assert ahead.lost == 2 * D


def show_panel(qtbot: QtBot, session: Session) -> SizesPanel:
    panel = SizesPanel(session)
    follow(qtbot, session, panel)
    return panel


def test_sizes_are_looked_at_and_then_applied_as_one_step(qtbot: QtBot) -> None:
    session = make_session()
    before = session.state.document
    panel = show_panel(qtbot, session)
    assert not panel.apply.isEnabled()
    for _ in range(2):
        qtbot.keyClick(panel.fields["k"], Qt.Key.Key_Up)
    qtbot.keyClick(panel.fields["v"], Qt.Key.Key_Down)
    assert session.state.document is before
    assert f"W<sub>Q</sub> {D} × {K} → {D} × {K + 2}" in panel.preview.text()
    assert "numbers are removed" in panel.preview.text()
    qtbot.mouseClick(panel.apply, LEFT)
    document = session.state.document
    assert (document.k, document.v) == (K + 2, V - 1)
    assert undo_name(session) == "Resize: d_k = 4, d_v = 3"
    assert session.undo_stack.count() == 1
    assert not panel.apply.isEnabled()
    session.undo_stack.undo()
    assert session.state.document is before
    assert panel.fields["k"].value() == K


def select_all(field: SizeField) -> None:
    field.setFocus()
    field.selectAll()


def test_every_keystroke_is_foretold(qtbot: QtBot) -> None:
    panel = show_panel(qtbot, make_session())
    select_all(panel.fields["n"])
    qtbot.keyClicks(panel.fields["n"], "1")
    assert f"X {N} × {D} → 1 × {D}" in panel.preview.text()
    assert panel.apply.isEnabled()
    qtbot.keyClicks(panel.fields["n"], "2")
    assert f"X {N} × {D} → 12 × {D}" in panel.preview.text()


def test_enter_applies_what_is_typed(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    select_all(panel.fields["v"])
    qtbot.keyClicks(panel.fields["v"], "3")
    qtbot.keyClick(panel.fields["v"], Qt.Key.Key_Return)
    assert session.state.document.v == 3
    assert session.undo_stack.count() == 1


def test_nothing_moves_while_sizes_are_typed(qtbot: QtBot) -> None:
    panel = show_panel(qtbot, make_session())
    panel.resize(360, 260)
    widgets = (
        panel.apply,
        panel.reset,
        panel.biases,
        panel.projection,
        panel.output_bias,
        *panel.fields.values(),
    )
    before = [widget.geometry() for widget in widgets]
    select_all(panel.fields["n"])
    for key in "99999":
        qtbot.keyClicks(panel.fields["n"], key)
        QApplication.sendPostedEvents(panel, QEvent.Type.LayoutRequest.value)
        assert [widget.geometry() for widget in widgets] == before
        assert panel.apply.isVisible()


def test_a_size_that_is_too_large_stands_there_and_the_largest_is_said(qtbot: QtBot) -> None:
    session = make_session()
    before = session.state.document
    panel = show_panel(qtbot, session)
    select_all(panel.fields["n"])
    qtbot.keyClicks(panel.fields["n"], "99999")
    assert panel.fields["n"].text() == "99999"
    assert panel.preview.text() == "n must be a whole number from 1 to 5000."
    assert not panel.apply.isEnabled()
    qtbot.keyClick(panel.fields["n"], Qt.Key.Key_Return)
    assert session.state.document is before
    assert panel.fields["n"].text() == "99999"
    qtbot.mouseClick(panel.reset, LEFT)
    assert panel.fields["n"].text() == str(N)


def test_an_empty_size_is_asked_for(qtbot: QtBot) -> None:
    panel = show_panel(qtbot, make_session())
    select_all(panel.fields["k"])
    qtbot.keyClick(panel.fields["k"], Qt.Key.Key_Delete)
    assert panel.preview.text() == "d<sub>k</sub> must be a whole number from 1 to 1024."
    assert not panel.apply.isEnabled()


def test_five_thousand_tokens_are_added_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of three heads so many scores would not fit into memory, and a document refuses them.
    several, calls = make_document(), []
    document = several.with_(heads=several.heads[:1], W_O=None, b_O=None)
    plain = resize.reindexed

    def counted(*args: Any, **names: Any) -> Document:
        calls.append(args)
        return plain(*args, **names)

    monkeypatch.setattr(resize, "reindexed", counted)
    require_possible(document, {"n": 5000})
    after = with_sizes(document, {"n": 5000}, "new")
    assert len(calls) == 1
    assert after.n == 5000
    assert after.X is not None
    assert document.X is not None
    assert after.X[:N].tolist() == document.X.tolist()
    assert len(after.filled) == (5000 - N) * D


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"h": 8, "n": 5000}, "size.scores"),
        ({"d": 1024, "k": 1024}, "size.new"),
        ({"n": 5001}, "size.range"),
        ({"h": 0}, "size.range"),
    ],
)
def test_what_does_not_fit_into_memory_is_refused(wanted: dict[str, int], code: str) -> None:
    with pytest.raises(UserError) as refused:
        require_possible(make_document(), wanted)
    assert refused.value.code == code
    require_possible(make_document(), {"h": 8, "n": 2500})


def test_typed_sizes_can_be_taken_back(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    panel.fields["n"].selectAll()
    qtbot.keyClicks(panel.fields["n"], "9")
    assert panel.wanted() == {"n": 9}
    qtbot.mouseClick(panel.reset, LEFT)
    assert panel.wanted() == {}
    assert panel.fields["n"].value() == N


def test_tokens_and_heads_are_added_at_the_end(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    qtbot.keyClick(panel.fields["n"], Qt.Key.Key_Up)
    qtbot.keyClick(panel.fields["h"], Qt.Key.Key_Up)
    qtbot.mouseClick(panel.apply, LEFT)
    document = session.state.document
    assert document.tokens == ("the", "cat", "eats", "a", "fish", "new")
    assert document.h == H + 1
    added = document.heads[H].W_Q
    assert added is not None
    assert added.tolist() == np.eye(D, K).tolist()
    assert document.W_O is not None
    assert document.W_O.shape == ((H + 1) * V, D)


def box_click(qtbot: QtBot, box: QCheckBox) -> None:
    option = QStyleOptionButton()
    box.initStyleOption(option)
    place = box.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, box).center()
    qtbot.mouseClick(box, LEFT, pos=place)


def test_parts_can_be_left_out_and_taken_in(qtbot: QtBot) -> None:
    session = make_session(with_biases(make_document(), False))
    panel = show_panel(qtbot, session)
    box_click(qtbot, panel.biases)
    assert all(head.b_V is not None for head in session.state.document.heads)
    assert undo_name(session) == "Biases"
    box_click(qtbot, panel.projection)
    assert session.state.document.inputs[-2:] == ("b_K", "b_V")
    assert not panel.output_bias.isEnabled()
    box_click(qtbot, panel.projection)
    box_click(qtbot, panel.output_bias)
    assert session.state.document.tensor("b_O") is not None
    assert panel.output_bias.isChecked()


def test_without_X_there_are_no_biases_and_no_d(qtbot: QtBot) -> None:
    session = make_session(qkv())
    panel = show_panel(qtbot, session)
    assert not panel.biases.isEnabled()
    assert not panel.fields["d"].isEnabled()
    assert panel.wanted() == {}
    box_click(qtbot, panel.projection)
    assert panel.fields["d"].isEnabled()


def test_the_fields_stand_in_a_row_without_a_hole(qtbot: QtBot) -> None:
    """The keys have a size of their own only where there is another sentence."""
    for document, shown in ((make_document(), 5), (load_example("translation"), 6)):
        panel = show_panel(qtbot, make_session(document))
        panel.resize(600, 300)
        panel.layout().activate()
        fields = [field.geometry() for field in panel.fields.values() if field.isVisible()]
        assert len(fields) == shown
        gaps = [right.left() - left.right() for left, right in itertools.pairwise(fields)]
        assert max(gaps) - min(gaps) <= 1
        assert max(gaps) <= 8


def test_names_follow_the_language(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    english = panel.fields["n"].accessibleName()
    session.set_language("zh_CN")
    assert panel.fields["n"].accessibleName() not in ("", english)
