"""What is painted, read back from an SVG: the trace's own numbers, ghosts without any, words in both languages."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter
from pytestqt.qtbot import QtBot

from core.base.arrays import frozen_bool
from core.base.cell import Cell
from core.base.number_format import show
from core.document.document import Document, Mask, Positional
from core.document.edits import with_head_enabled, with_mask, with_pin, with_positional
from core.explain.derivation import derive
from core.explain.timeline import Grain
from core.stages import plan
from core.storage.examples import load_example
from gui.painting.text_layout import width_of
from gui.painting.theme import CAPTION, colours, font
from gui.session.session import Session
from gui.session.state import State
from gui.views.diagram.cards import RING
from gui.views.diagram.labels import token_width
from gui.views.diagram.paint_utils import digits_in, qrect, text_font
from gui.views.diagram.picture import label_rect, label_text, paint_diagram
from gui.views.diagram.scene import Status, card_specs, focus_frames, layout_of
from gui.views.diagram.shapes import DiagramLayout
from gui.views.diagram.viewport import fitting
from tests.gui.diagram_kit import every_kind, make, painted_sizes, painted_texts, session_of

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


def at(
    document: Document,
    stage: str,
    *steps: tuple[int, Grain],
    language: str = "en",
    decimals: int = 2,
) -> Session:
    session = session_of(document, language, decimals=decimals)
    session.go_to_stage(stage)
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
    expected += Counter(
        show(value, 2) for value in state.trace.matrix("scores", 0).ravel()[:5].tolist()
    )
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


def test_a_wholly_masked_row_is_hatched_and_its_numbers_stay_readable() -> None:
    """No text lies over the row's numbers, its token or its ring."""
    state = at(forbidding_a_row(), "Y").state
    pictures = {
        look.box.stage_id: look.picture for look in card_specs(state, layout_of(state, (1280, 260)))
    }
    for name in ("weights", "heads"):
        picture = pictures[name]
        assert picture is not None
        assert all(picture.is_masked(2, column) for column in range(picture.columns))
        assert not any(picture.is_masked(3, column) for column in range(picture.columns))
    texts = painted_texts(state, 1280, 260)
    assert "masked: 0" not in texts
    assert "green" in texts
    assert numbers_in(texts)["0.00"] >= 4 + 2
    image = image_of(state)
    where = layout_of(state, (1240.0, 260.0))
    hatched = [ghosts(image, where, "heads", row) for row in range(4)]
    assert hatched[2] > 10
    assert max(hatched[0], hatched[1], hatched[3]) == 0


def ghosts(image: QImage, where: DiagramLayout, stage_id: str, row: int) -> int:
    """How many pixels of a row's first cell have the colour of the hatching."""
    box, wanted = where.box(stage_id), QColor(colours("light").ghost)
    camera = fitting(where, QRectF(0, 0, image.width(), image.height()))
    cell = camera.to_screen(box.block_rect((row, row + 1), (0, 1))).toRect().adjusted(3, 3, -3, -3)
    points = (
        (x, y) for x in range(cell.left(), cell.right()) for y in range(cell.top(), cell.bottom())
    )
    return sum(image.pixelColor(x, y) == wanted for x, y in points)


def test_a_masked_row_without_numbers_says_so_where_that_covers_nothing() -> None:
    session = at(forbidding_a_row(), "Y", decimals=8)
    texts = painted_texts(session.state, 1240, 260)
    assert not [text for text in texts if text.startswith("0.00")]
    assert texts.count("masked: 0") >= 1
    session.set_focus(Cell("weights", 2, 2))  # its ring is in that row
    assert painted_texts(session.state, 1240, 260).count("masked: 0") < texts.count("masked: 0")


PENCIL = (
    "cat-eats-fish",
    "i-love-this-apple",
    "four-words-causal",
    "who-ate-whom",
    "apple-released-iphone",
)


def pencil_documents() -> list[Document]:
    """The examples as they are, and with other positions and a mask, as long as they have at most 13 stages."""
    found = [load_example(name) for name in PENCIL]
    for name in PENCIL[1:]:
        for kind in ("none", "rotary", "alibi", "sinusoidal"):
            document = with_mask(
                with_positional(load_example(name), Positional(kind)), Mask("causal")
            )
            found += [document] if len(plan(document)) <= 13 else []
    return found


@pytest.mark.parametrize("document", pencil_documents(), ids=lambda document: document.title)
@pytest.mark.parametrize("columns", [False, True])
def test_every_card_of_a_pencil_example_has_its_digits(document: Document, columns: bool) -> None:
    session = at(document, "Y")
    session.set_preferences(columns=columns)
    state = session.state
    expected = shown(state, *state.trace.plan.ids)
    del expected["−∞"]
    size = (1280, 235) if not columns else (1280, 300)
    assert unsigned(numbers_in(painted_texts(state, *size))) == unsigned(expected)
    assert min(number_sizes(state, *size)) >= 9.0


def unsigned(found: Counter[str]) -> Counter[str]:
    """Numbers without their minus: where that comes from another font, the file has it in an element of its own."""
    return Counter(text.removeprefix("−") for text in found.elements())


@pytest.mark.parametrize("name", PENCIL)
def test_a_tall_area_has_larger_digits(name: str) -> None:
    """The presentation's 1366 × 400, and 1920 × 500 on a larger screen."""
    state = at(load_example(name), "Y").state
    low, tall, large = (
        min(number_sizes(state, *size)) for size in ((1366, 235), (1366, 400), (1920, 500))
    )
    assert tall > low
    assert large > 1.1 * low
    assert tall >= 11.0


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("name", PENCIL)
def test_no_word_is_cut_where_there_is_room(name: str, language: str) -> None:
    document = with_positional(load_example(name), Positional("rotary"))
    state = at(document, "Y", language=language).state
    for size in ((1280, 294), (1366, 400), (1920, 400)):
        texts = painted_texts(state, *size)
        assert not [text for text in texts if "…" in text and "[" not in text]
        assert set(document.tokens) <= set(texts) or (size[1] < 300 and len(plan(document)) > 12)


def test_a_long_token_is_whole_beside_the_rows_where_there_is_room() -> None:
    state = at(load_example("translation"), "scaled").state
    for size in ((1280, 294), (1366, 400), (1880, 500)):
        texts = painted_texts(state, *size)
        assert Counter(texts)["yesterday"] == 3
        assert not [text for text in texts if "…" in text]


def test_indices_are_set_lower_not_written_with_a_line() -> None:
    texts = painted_texts(at(make(bias=True), "Y").state, 1880, 400)
    assert not [text for text in texts if "_" in text]
    assert Counter(texts)["× W"] == 4
    small, large = sizes_of("O", "× W", at(make(), "Y").state)
    assert small < large


def test_labels_of_arrows_run_into_no_card() -> None:
    for document in every_kind():
        state = session_of(document).state
        for room in ((1280.0, 235.0), (1366.0, 400.0), (1027.0, 294.0)):
            where = layout_of(state, room)
            scale = fitting(where, QRectF(0, 0, *room)).scale
            for arrow in where.arrows:
                rect = label_rect(state, arrow, scale).adjusted(3, 2, -3, -2)
                if not label_text(state, arrow, scale):
                    continue
                met = [box.stage_id for box in where.boxes if qrect(box.rect).intersects(rect)]
                assert not met, (arrow.source, arrow.target, room)


@pytest.mark.parametrize("name", ["cat-eats-fish", "translation", "who-ate-whom", "eight-heads"])
def test_the_ring_of_the_marked_card_cuts_no_label_between_cards(name: str) -> None:
    met = 0
    for room in ((1280.0, 294.0), (1366.0, 400.0), (960.0, 600.0)):
        for stage in ("scores", "scaled", "exp", "weights", "heads", "Y"):
            state = at(load_example(name), stage).state
            where = layout_of(state, room)
            scale = fitting(where, QRectF(0, 0, *room)).scale
            ring = qrect(where.box(stage).rect.grown(RING + 1.25))
            for arrow in where.arrows:
                rect = label_rect(state, arrow, scale)
                beside = arrow.upright and stage in (arrow.source, arrow.target)
                if beside and label_text(state, arrow, scale):
                    face = text_font(CAPTION, scale, bold=True)
                    ink = QFontMetricsF(face).tightBoundingRect(arrow.label)
                    ink.moveCenter(rect.center())
                    assert not ring.intersects(ink), (room, stage)
                    assert arrow.points[0][1] < ink.top() < ink.bottom() < arrow.points[-1][1]
                    met += 1
    assert met


def test_digits_leave_air_and_grow_with_the_labels() -> None:
    state = at(load_example("cat-eats-fish"), "Y").state
    where = layout_of(state, (1280.0, 260.0))
    for look in card_specs(state, where)[1:]:
        assert look.picture is not None
        wide, high = look.box.matrix.w, look.box.matrix.h
        sizes = [digits_in(look.picture, wide * zoom, high * zoom)[0] for zoom in (1.0, 2.0, 4.0)]
        assert sizes[1] >= 1.9 * sizes[0]
        assert sizes[2] == pytest.approx(2 * sizes[1])
        text = max((show(float(value), 2) for value in look.picture.values.ravel()), key=len)
        assert width_of(text, font(round(sizes[2]))) <= 0.86 * 4.0 * look.box.cell_size[0]


def number_sizes(state: State, width: int, height: int) -> list[float]:
    """The sizes of all numbers in pixels."""
    return [size for text, size in painted_sizes(state, width, height) if NUMBER.fullmatch(text)]


def sizes_of(first: str, second: str, state: State) -> tuple[float, float]:
    found = dict(painted_sizes(state, 1880, 400))
    return found[first], found[second]


def test_the_chosen_head_is_named_and_one_that_is_off_says_so() -> None:
    document = load_example("eight-heads")
    session = at(document, "Y")
    session.select_head(1)
    assert {"head 2/8", "2/8"} & set(painted_texts(session.state))
    session.edit(with_head_enabled(document, 1, False))
    texts = painted_texts(session.state)
    assert "off" in texts
    assert not {"head 2/8", "2/8"} & set(texts)


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
        session.set_focus(Cell(stage.id, 2, 1, 0))
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
    session.set_focus(Cell("scores", 1, 2))
    state, theme = session.state, colours("light")
    frames = focus_frames(state, layout_of(state, (1240, 260)))
    assert [(frame.rows, frame.colour) for frame in frames["Q"]] == [((1, 2), theme.query)]
    assert [(frame.rows, frame.colour) for frame in frames["K"]] == [((2, 3), theme.key)]
    assert [(frame.rows, frame.columns, frame.colour) for frame in frames["scores"]] == [
        ((1, 2), (2, 3), theme.accent)
    ]


def test_only_what_stands_is_framed_as_feeding() -> None:
    session = at(load_example("cat-eats-fish"), "Q")
    session.set_focus(Cell("scores", 0, 0))
    assert set(focus_frames(session.state, layout_of(session.state, (1240, 260)))) == {
        "Q",
        "scores",
    }


def test_pins_and_made_up_numbers_are_marked() -> None:
    document = with_pin(load_example("cat-eats-fish"), Cell("weights", 1, 0, 0), 0.9)
    document = replace(document, filled=frozenset({Cell("V", 2, 1, 0)}))
    state = at(document, "Y").state
    cards = {look.box.stage_id: look for look in card_specs(state, layout_of(state, (1880, 400)))}
    pictures = {name: look.picture for name, look in cards.items() if look.picture is not None}
    assert pictures["weights"].pinned == {(1, 0)}
    assert pictures["V"].filled == {(2, 1)}
    assert {name for name, picture in pictures.items() if picture.pinned or picture.filled} == {
        "weights",
        "V",
    }


def test_cards_lie_behind_at_and_ahead_of_the_cursor() -> None:
    state = at(load_example("cat-eats-fish"), "scaled").state
    status = {
        look.box.stage_id: look.status for look in card_specs(state, layout_of(state, (1880, 400)))
    }
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
    for shade in ("light", "dark"):
        session = session_of(load_example("cat-eats-fish"), shade=shade)
        assert image_of(session.state).pixelColor(0, 0) == QColor(colours(shade).surface)


def test_an_emoji_a_right_to_left_and_an_empty_token_are_painted() -> None:
    document = replace(load_example("cat-eats-fish"), tokens=("👩‍👩‍👧", "شكرا", ""))
    assert "شكرا" in painted_texts(at(document, "Y").state)


@pytest.mark.parametrize(
    "token", ["brown", "wombat", "mommy", "WWW", "window", "100%", "苹果", "quick", "Mum"]
)
@pytest.mark.usefixtures("qapp")
def test_short_tokens_have_room_for_their_wide_letters(token: str) -> None:
    """Also in bold, which the current row wears; a word of five letters is not cut."""
    assert width_of(token, font(12, bold=True)) <= token_width(token) + 1.0
