"""What is painted, read back from an SVG: the trace's own numbers, ghosts without any, words in both languages."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from core.arrays import frozen_bool
from core.cell import Cell
from core.cursor import Grain
from core.derive import derive
from core.document import Document, Mask
from core.edits import with_head_enabled, with_mask, with_pin
from core.examples import load_example
from core.numbers import show
from core.plan import plan
from gui.diagram.picture import paint_diagram
from gui.diagram.scene import Status, focus_frames, layout_of, looks
from gui.session import Session
from gui.state import State
from gui.theme import colours
from tests.gui.diagram_kit import every_kind, make, painted_texts, session_of

pytestmark = pytest.mark.usefixtures("qapp")
NUMBER = re.compile(r"−?\d+\.\d+")


def numbers_in(texts: list[str]) -> Counter[str]:
    return Counter(text for text in texts if NUMBER.fullmatch(text))


def shown(state: State, *stages: str) -> Counter[str]:
    """The numbers of whole stages as people read them."""
    return Counter(
        show(float(value), state.decimals)
        for name in stages
        for value in state.trace.matrix(name, state.cursor.head).ravel()
    )


def at(document: Document, stage: str, *steps: tuple[int, Grain], language: str = "en", decimals: int = 2) -> Session:
    session = session_of(document, language, decimals=decimals)
    session.jump(stage)
    for by, grain in steps:
        session.step(by, grain)
    return session


@pytest.mark.parametrize("decimals", [1, 2, 3])
def test_the_numbers_are_the_numbers_of_the_trace(decimals: int) -> None:
    state = at(load_example("cat-eats-fish"), "Y", decimals=decimals).state
    assert numbers_in(painted_texts(state, 2400, 500)) == shown(state, *state.trace.plan.ids)


def test_ghosts_show_no_digits() -> None:
    state = at(load_example("cat-eats-fish"), "K").state
    assert numbers_in(painted_texts(state)) == shown(state, "Q", "K")


def test_the_current_stage_fills_in_cell_by_cell() -> None:
    session = at(load_example("cat-eats-fish"), "V", (5, Grain.CELL))
    state = session.state
    assert (state.cursor.row, state.cursor.column) == (1, 1)
    expected = shown(state, "Q", "K", "V")
    expected += Counter(show(value, 2) for value in state.trace.matrix("scores", 0).ravel()[:5].tolist())
    assert numbers_in(painted_texts(state)) == expected


def test_the_row_maximum_and_the_row_sum_stand_at_the_row_that_they_open() -> None:
    document = load_example("cat-eats-fish")
    opening = at(document, "scaled", (1, Grain.ROW)).state
    assert f"max = {show(opening.trace.matrix('scaled', 0)[0].max(), 2)}" in painted_texts(opening)
    summing = at(document, "exp", (1, Grain.ROW)).state
    assert f"Σ = {show(summing.trace.matrix('exp', 0)[0].sum(), 2)}" in painted_texts(summing)


def test_names_follow_the_language() -> None:
    document = load_example("cat-eats-fish")
    english = painted_texts(at(document, "Y").state)
    chinese = painted_texts(at(document, "Y", language="zh_CN").state)
    assert {"Query", "Key", "Value", "Attention weights", "Tokens"} <= set(english)
    assert {"查询", "键", "值", "注意力权重", "词元"} <= set(chinese)
    assert {"小猫", "吃", "鱼"} <= set(english) & set(chinese)


def test_cards_say_their_shapes() -> None:
    texts = painted_texts(at(load_example("cat-eats-fish"), "X").state)
    assert Counter(texts)["3×3"] == 4
    assert Counter(texts)["3×2"] == 5


def forbidding_a_row() -> Document:
    document = load_example("four-words-causal")
    allow = np.tril(np.ones((4, 4), dtype=bool))
    allow[2] = False
    return with_mask(document, Mask("custom", allow=frozen_bool(allow)))


def test_a_wholly_masked_row_says_so_where_it_stands() -> None:
    document = forbidding_a_row()
    assert painted_texts(at(document, "Y").state).count("masked: 0") == 2
    assert painted_texts(at(document, "exp").state).count("masked: 0") == 0
    assert painted_texts(at(load_example("four-words-causal"), "Y").state).count("masked: 0") == 0


def test_the_chosen_head_is_named_and_one_that_is_off_says_so() -> None:
    document = load_example("eight-heads")
    session = at(document, "Y")
    session.choose_head(1)
    assert "head 2/8" in painted_texts(session.state)
    session.edit(with_head_enabled(document, 1, False))
    texts = painted_texts(session.state)
    assert "off" in texts
    assert "head 2/8" not in texts


def test_every_kind_of_plan_is_painted(qtbot: QtBot) -> None:
    for document in {plan(document).ids: document for document in every_kind()}.values():
        session = session_of(document)
        session.go_last()
        texts = painted_texts(session.state)
        assert {"Q", "K", "V", "A", "Y", "softmax"} <= set(texts)


def test_masked_cells_show_infinity_not_a_colour_alone() -> None:
    texts = painted_texts(at(load_example("four-words-causal"), "masked").state, 2400, 480)
    assert texts.count("−∞") == 6


def test_large_matrices_are_images_not_items() -> None:
    """A picture of 300 tokens has no more elements than one of 100, and a single text a card too few for cells."""
    counts = []
    for n in (100, 300):
        state = at(make(n=n, h=1, output=False), "Y").state
        counts.append(len(painted_texts(state)))
        assert not numbers_in(painted_texts(state))
    assert abs(counts[0] - counts[1]) <= 4


def derived_cells(state: State, cell: Cell) -> set[Cell]:
    step = derive(state.document, state.trace, cell)
    return {
        factor.cell
        for term in step.terms
        for factor in term.factors
        if factor.cell is not None and factor.cell.tensor in state.trace
    }


@pytest.mark.parametrize("positional", ["none", "learned", "rotary", "alibi"])
def test_frames_are_around_the_cells_of_the_worked_sum(positional: str) -> None:
    session = session_of(make(positional=positional, mask="causal"))
    session.go_last()
    for stage in session.state.trace.plan:
        if stage.entered:
            continue
        session.focus_on(Cell(stage.id, 2, 1, 0))
        state = session.state
        framed = {
            Cell(name, row, column, 0)
            for name, frames in focus_frames(state, layout_of(state, (1240, 260))).items()
            for frame in frames
            for row in range(*frame.rows)
            for column in range(*frame.columns)
        } - {state.focus}
        worked = derived_cells(state, state.focus)
        if stage.id in ("exp", "weights"):  # the row is in it, too, through its maximum or its sum
            source = stage.reads[0]
            worked = {Cell(source, 2, column, 0) for column in range(5)}
        assert framed == worked, stage.id


def test_query_rows_and_key_rows_are_framed_in_their_colours() -> None:
    session = at(load_example("cat-eats-fish"), "scores")
    session.focus_on(Cell("scores", 1, 2))
    state, theme = session.state, colours(False)
    frames = focus_frames(state, layout_of(state, (1240, 260)))
    assert [(frame.rows, frame.colour) for frame in frames["Q"]] == [((1, 2), theme.query)]
    assert [(frame.rows, frame.colour) for frame in frames["K"]] == [((2, 3), theme.key)]
    assert [(frame.rows, frame.columns, frame.colour) for frame in frames["scores"]] == [((1, 2), (2, 3), theme.accent)]


def test_only_what_stands_is_framed_as_feeding() -> None:
    session = at(load_example("cat-eats-fish"), "Q")
    session.focus_on(Cell("scores", 0, 0))
    assert set(focus_frames(session.state, layout_of(session.state, (1240, 260)))) == {"Q", "scores"}


def test_pins_and_made_up_numbers_are_marked() -> None:
    document = with_pin(load_example("cat-eats-fish"), Cell("weights", 1, 0, 0), 0.9)
    document = replace(document, filled=frozenset({Cell("V", 2, 1, 0)}))
    state = at(document, "Y").state
    cards = {look.box.stage_id: look for look in looks(state, layout_of(state, (1880, 400)))}
    pictures = {name: look.picture for name, look in cards.items() if look.picture is not None}
    assert pictures["weights"].pinned == {(1, 0)}
    assert pictures["V"].filled == {(2, 1)}
    assert {name for name, picture in pictures.items() if picture.pinned or picture.filled} == {"weights", "V"}


def test_cards_lie_behind_at_and_ahead_of_the_cursor() -> None:
    state = at(load_example("cat-eats-fish"), "scaled").state
    status = {look.box.stage_id: look.status for look in looks(state, layout_of(state, (1880, 400)))}
    assert status["scores"] is Status.BEHIND
    assert status["scaled"] is Status.HERE
    assert status["exp"] is Status.AHEAD


def image_of(state: State) -> QImage:
    image = QImage(1240, 260, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    paint_diagram(painter, QRectF(0, 0, 1240, 260), state)
    painter.end()
    return image


def test_dark_and_light_paint_on_their_own_surface() -> None:
    for dark in (False, True):
        session = session_of(load_example("cat-eats-fish"), dark=dark)
        assert image_of(session.state).pixelColor(0, 0) == QColor(colours(dark).surface)


def test_an_emoji_a_right_to_left_and_an_empty_token_are_painted() -> None:
    document = replace(load_example("cat-eats-fish"), tokens=("👩‍👩‍👧", "شكرا", ""))
    assert "شكرا" in painted_texts(at(document, "Y").state)
