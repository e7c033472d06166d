"""What stands in the diagram keeps off its neighbours: labels off rings, names in their rows, lines in matrices."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from core.base.number_format import show
from core.document.document import Document
from core.stages import plan
from core.storage.examples import load_example
from gui.painting.text_layout import width_of
from gui.painting.text_size import in_units
from gui.painting.theme import colours, font
from gui.presentation.slide import unit_for
from gui.session.session import Session
from gui.views.diagram.card_sizes import NAME_LINE, PAD, SYMBOL_LINE
from gui.views.diagram.cards import RING, paint_values
from gui.views.diagram.geometry import WORDS_SEEN
from gui.views.diagram.paint_utils import digits_in, qrect
from gui.views.diagram.picture import label_rect, label_text, paint_diagram
from gui.views.diagram.scene import card_specs, layout_of, visible_crop
from gui.views.diagram.shapes import WORDS
from gui.views.diagram.viewport import fitting
from tests.gui.diagram_kit import painted_sizes, session_of

pytestmark = pytest.mark.usefixtures("qapp")


def at(document: Document, stage: str) -> Session:
    session = session_of(document)
    session.go_to_stage(stage)
    return session


@pytest.mark.parametrize("name", ["cat-eats-fish", "translation", "who-ate-whom", "eight-heads"])
def test_labels_stay_off_the_ring_of_the_marked_card(name: str) -> None:
    met = 0
    for room in ((1280.0, 238.0), (1920.0, 362.0)):
        for stage in ("input", "scores", "exp", "weights", "heads", "concat", "Y"):
            if stage not in plan(load_example(name)):
                continue
            state = at(load_example(name), stage).state
            where = layout_of(state, room)
            scale = fitting(where, QRectF(0, 0, *room)).scale
            ring = qrect(where.box(stage).rect.grown(RING + 1.25))
            for arrow in where.arrows:
                rect = label_rect(state, arrow, scale)
                if label_text(state, arrow, scale) and stage in (arrow.source, arrow.target):
                    assert not ring.intersects(rect.adjusted(3, 3, -3, -3)), (
                        room,
                        stage,
                        arrow.source,
                    )
                    met += 1
    assert met


@pytest.mark.parametrize(("name", "stage"), [("translation", "X_context"), ("who-ate-whom", "P")])
def test_names_beside_rows_are_no_higher_than_their_rows_and_tables_use_their_cards(
    name: str, stage: str
) -> None:
    for room in ((1280.0, 238.0), (1920.0, 362.0)):
        state = at(load_example(name), stage).state
        where = layout_of(state, room)
        box = where.box(stage)
        above = box.matrix.y - box.label_height - box.rect.y
        assert (
            above <= SYMBOL_LINE + NAME_LINE * 1.2 + 1
        )  # one line of name, not the two of another card
        sizes = [size for text, size in painted_sizes(state, *map(round, room)) if text == "我"]
        high = box.cell_size[1] * fitting(where, QRectF(0, 0, *room)).scale
        assert not sizes or 9.0 <= min(sizes) <= 0.9 * high
    assert sizes or name != "translation"


def test_lines_between_joined_heads_end_with_their_matrix() -> None:
    state = at(load_example("apple-released-iphone"), "Y").state
    where = layout_of(state, (1280.0, 238.0))
    look = next(one for one in card_specs(state, where) if one.box.stage_id == "concat")
    image = QImage(1280, 238, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    paint_values(painter, look, colours("light"), 1.0)
    painter.end()
    matrix, beyond = look.box.matrix, 2.0
    for y in (matrix.y - beyond - 1, matrix.bottom + beyond):
        line = {
            image.pixelColor(x, round(y)).name()
            for x in range(round(matrix.x), round(matrix.right))
        }
        assert line == {"#ffffff"}


@pytest.mark.parametrize(
    "name", ["apple-released-iphone", "cat-eats-fish", "translation", "who-ate-whom"]
)
@pytest.mark.parametrize("room", [(1280.0, 238.0), (1920.0, 362.0)], ids=str)
def test_matrices_of_scores_and_of_shares_have_digits_of_one_size(
    name: str, room: tuple[float, float]
) -> None:
    state = at(load_example(name), "Y").state
    where = layout_of(state, room)
    scale = fitting(where, QRectF(0, 0, *room)).scale
    found = {}
    for look in card_specs(state, where):
        stage = look.box.stage_id
        if (
            look.picture is not None
            and stage in plan(state.document)
            and plan(state.document)[stage].attends
        ):
            wide, high = look.box.matrix.w * scale, look.box.matrix.h * scale
            size, squeeze, _ = digits_in(look.picture, wide, high)
            longest = max((show(float(value), 2) for value in look.picture.values.ravel()), key=len)
            assert (
                width_of(longest, font(100)) * size / 100 * squeeze
                <= 0.87 * wide / look.picture.columns
            )
            found[stage] = size
    assert len(found) == 4
    assert max(found.values()) - min(found.values()) < 0.5


def test_names_of_stages_are_worth_more_than_digits_beyond_an_ordinary_size() -> None:
    state = at(load_example("cat-eats-fish"), "Y").state
    assert "Attention weights" in {text for text, _ in painted_sizes(state, 1280, 238)}


@pytest.mark.parametrize("name", ["apple-released-iphone", "eight-heads"])
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_cards_say_alike_which_head_they_show(name: str, language: str) -> None:
    session = session_of(load_example(name), language)
    session.go_to_stage("Y")
    for size in ((1280, 238), (1366, 300), (1920, 362)):
        texts = {
            text
            for text, _ in painted_sizes(session.state, *size)
            if re.fullmatch(r"(head |头 ?)?1/\d", text)
        }
        assert len(texts) == 1, size


def test_in_a_hall_empty_matrices_of_few_cells_look_alike() -> None:
    """Cells, whose lines cross the middle of the matrix; not cells here and one frame there."""
    state = at(load_example("translation"), "X_context").state
    unit, size = unit_for("diagram", 720), (1246, 250)
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    with in_units(painter, QRect(0, 0, *size), unit) as room:
        paint_diagram(painter, room, state, whole=False)
        seen = visible_crop(state, (room.width(), room.height()))
    painter.end()
    for stage in ("Q", "K", "V", "scores"):
        matrix, scale = seen.layout.box(stage).matrix, seen.scale * unit
        y = round((matrix.y + matrix.h * 0.25) * scale)
        inside = range(round(matrix.x * scale) + 4, round(matrix.right * scale) - 4)
        assert min(image.pixelColor(x, y).lightness() for x in inside) < 250, stage


@pytest.mark.parametrize("name", ["cat-eats-fish", "translation", "who-ate-whom", "eight-heads"])
def test_in_a_hall_cards_keep_no_room_for_words_that_nobody_can_read(name: str) -> None:
    state = at(load_example(name), "scores").state
    room = (530.0, 113.0)  # of a diagram over the stage at 1280 × 720
    seen = visible_crop(state, room)
    assert seen.scale < WORDS_SEEN
    texts = {text for text, _ in painted_sizes(state, *map(round, room))}
    assert "Scores" not in texts
    for box in seen.layout.boxes:
        if box.stage_id not in WORDS and not box.side:
            above = box.matrix.y - box.rect.y
            assert above <= 40.0, box.stage_id
            assert box.label_width == 0.0
            assert box.stage_id == "concat" or box.rect.w <= 2 * PAD + max(box.matrix.w, 90.0), (
                box.stage_id
            )
