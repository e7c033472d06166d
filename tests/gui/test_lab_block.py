"""The lab of the residual stream: every number is the core's, tokens can be clicked, the lesson is true."""

from __future__ import annotations

import math
import re

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.labs.block import LAB
from core.labs.block_stream import Contribution, cosine, length
from core.labs.lab import Setting
from core.storage.examples import load_example
from gui.labs.block import EXHIBIT
from gui.labs.block_charts import shown_parts
from gui.labs.block_layout import block_layout
from gui.labs.block_picture import paint_dial
from gui.labs.exhibit import LabAppearance
from gui.painting.theme import LIGHT
from tests.core.stacks import make_stack
from tests.gui.lab_pictures import SIZES, holds_in_order, lesson_results, shown_of, texts_of
from tests.gui.labs_kit import lab_window

pytestmark = pytest.mark.usefixtures("qapp")


def noticed(setting: Setting) -> str:
    return EXHIBIT.notice(shown_of(LAB, setting))


@pytest.mark.parametrize("values", [{}, {"place": "post", "word": "1"}, {"residual": False}])
@pytest.mark.parametrize("decimals", [1, 2])
def test_every_number_is_the_cores(values: dict[str, object], decimals: int) -> None:
    shown = shown_of(LAB, LAB.start(values=values), LabAppearance(decimals=decimals))
    result, texts = shown.result, texts_of(EXHIBIT, shown)
    for sub in result.sublayers:
        for name in (sub.added, sub.after):
            for row in result.trace[name]:
                wanted = [show(float(number), decimals) for number in (*row, length(row))]
                assert holds_in_order(texts, wanted)
    for part in result.contributions:
        sign = "+" if part.value > 0 else ""
        assert sign + show(part.value, decimals) in "".join(texts)
    assert show(result.logit, decimals) in "".join(texts)
    for layer in (1, 2):
        for weight in result.weights(layer):
            assert show(float(weight), decimals) in "".join(texts)


@pytest.mark.parametrize("token", ["0", "2"])
@pytest.mark.parametrize(("size", "lengths"), [((748, 345), True), ((560, 360), False)])
def test_where_space_is_short_the_numbers_of_the_followed_token_are_kept(
    token: str, size: tuple[int, int], lengths: bool
) -> None:
    """The larger size is that of a picture on a projector."""
    shown = shown_of(LAB, LAB.start(values={"token": token}))
    texts = texts_of(EXHIBIT, shown, size)
    last = shown.result.sublayers[-1]
    for row, values in enumerate(shown.result.trace[last.added]):
        numbers = [show(float(number), 2) for number in values]
        assert holds_in_order(texts, numbers) == (row == int(token))
        assert (show(length(values), 2) in "".join(texts)) == lengths


def test_rows_are_named_by_what_is_done() -> None:
    kept = texts_of(EXHIBIT, shown_of(LAB, LAB.start()))
    cut = texts_of(EXHIBIT, shown_of(LAB, LAB.start(values={"residual": False})))
    assert {"+ attention", "+ MLP"} <= set(kept)
    assert {"attention", "MLP"} <= set(cut)
    assert "+ attention" not in cut


@pytest.mark.parametrize("turn", [1.0, 0.0, -1.0, 0.5])
def test_the_needle_of_a_dial_points_along_across_or_against(turn: float) -> None:
    image = QImage(200, 200, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.scale(10, 10)
    paint_dial(painter, QPointF(10, 14), turn, "#FF0000", LIGHT)
    painter.end()
    x, y = 10 + 5 * turn, 14 - 5 * math.sqrt(1 - turn * turn)
    assert image.pixelColor(round(10 * x), round(10 * y)) == QColor("#FF0000")


@pytest.mark.parametrize("size", SIZES)
def test_stream_and_charts_lie_apart_and_inside(size: tuple[int, int]) -> None:
    room = QRectF(0, 0, *size)
    for document in (None, load_example("induction"), make_stack(2, layers=4)):
        where = block_layout(room, shown_of(LAB, LAB.start(document)))
        parts = (where.stream, where.parts, where.depth)
        for place, part in enumerate(parts):
            assert room.contains(part)
            assert not any(part.intersects(other) for other in parts[:place])
        for row in where.rows:
            for token in range(len(where.columns)):
                assert where.stream.contains(where.cells(row, token))


def test_without_an_output_the_chart_has_the_whole_side() -> None:
    shown = shown_of(LAB, LAB.start(make_stack(1, output=False)))
    where = block_layout(QRectF(0, 0, 1000, 600), shown)
    assert where.parts.isEmpty()
    assert where.depth.height() > 500
    assert EXHIBIT.notice(shown).startswith("After 12 layers")


def test_the_smallest_parts_are_added_up_where_rows_are_few() -> None:
    parts = [
        Contribution(layer, "mlp", value) for layer, value in enumerate((3.0, -0.5, 1.0, 0.25))
    ]
    assert shown_parts(parts, 4) == parts
    assert shown_parts(parts, 3) == [parts[0], parts[2], Contribution(None, "rest", -0.25)]


def test_a_click_follows_a_token(qtbot: QtBot) -> None:
    with lab_window("block") as window:
        spot = next(spot for spot in window.picture.spots if spot.id == "token 0")
        at = (spot.area.center() * window.picture._unit).toPoint()
        qtbot.mouseClick(window.picture, Qt.MouseButton.LeftButton, pos=at)
        assert window.session.state.setting["token"] == "0"
        assert window.session.state.shown.result.token == 0


def test_words_say_what_the_numbers_show() -> None:
    assert noticed(LAB.start()) == (
        "The logit 2.24 of “fish” is the sum of its parts; the largest is 1.19: Layer 2 attention. "
        "After 12 layers, two rows have a mean cosine of −0.31."
    )
    assert noticed(LAB.start(values={"residual": False, "mlp": False})).endswith(
        "After 12 layers, two rows have a mean cosine of 1.00; from layer 4 on it is at least 0.99: "
        "all tokens point the same way."
    )
    spoken = EXHIBIT.spoken(shown_of(LAB, LAB.start()))
    assert "Layer 1 MLP −0.40" in spoken
    assert re.search(r"neither 1\.00", spoken)


def test_a_word_that_occurs_twice_is_named_with_its_place() -> None:
    setting = LAB.start(load_example("induction"))
    names = [EXHIBIT.option("token", str(token), setting) for token in range(5)]
    assert names == ["<s>", "春 · 2", "夏", "秋", "春 · 5"]
    assert EXHIBIT.option("word", "1", setting) == "夏"


def test_who_made_the_numbers() -> None:
    assert "drawn at random" in EXHIBIT.origin(LAB, LAB.start())
    assert EXHIBIT.origin(LAB, LAB.start(load_example("block-by-hand"))) == ""


def test_the_lesson_shows_the_lab_as_it_says() -> None:
    first, second, third, cut, alone, post, bare = lesson_results(LAB)

    def rounded(value: float) -> float:
        return float(f"{value:.2f}")

    added = [rounded(length(first.trace[sub.added][2])) for sub in first.sublayers]
    assert added[:2] == [4.10, 6.01]
    assert [rounded(weight) for weight in first.weights(1)] == [0.10, 0.21, 0.69]
    mlp = second.sublayers[1]
    sizes = [rounded(length(second.trace[name][2])) for name in (mlp.before, mlp.added, mlp.after)]
    assert sizes == [3.84, 6.01, 4.67]
    turns = [
        rounded(cosine(second.trace[sub.added][2], second.trace[sub.before][2]))
        for sub in second.sublayers
    ]
    assert (turns[1], turns[3]) == (-0.63, 0.79)
    last = second.sublayers[3]
    assert rounded(length(second.trace[last.before][2])) == 7.83
    assert rounded(length(second.trace[last.after][2])) == 12.46
    assert [rounded(part.value) for part in third.contributions] == [0.16, 0.74, -0.40, 1.19, 0.54]
    assert rounded(third.logit) == 2.24
    assert [rounded(part.value) for part in cut.contributions] == [1.38]
    assert rounded(cut.curve.values[2]) == 1.0
    assert rounded(third.curve.values[12]) == -0.31
    assert min(alone.curve.values[4:]) >= 0.99 > alone.curve.values[3]
    assert {rounded(length(row)) for sub in post.sublayers for row in post.trace[sub.after]} == {
        2.0
    }
    assert rounded(post.contributions[0].value) == 0.03
    assert post.curve.values[-1] > 0.999
    assert rounded(length(bare.trace[bare.sublayers[3].after][2])) == 106.43
