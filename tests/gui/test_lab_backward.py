"""The lab of the way back in the window: every number is the core's, signs and cells can be chosen."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from core.base.number_format import show
from core.labs.backward import LAB, backward_steps
from core.stages import plan
from core.storage.examples import load_example
from gui.labs.backward import EXHIBIT
from gui.labs.backward_card import paint_card, sum_rows
from gui.labs.backward_picture import (
    backward_layout,
    gradient_levels,
    graph_of,
    layout_graph,
    lines,
    sign_rects,
)
from gui.labs.exhibit import LabAppearance
from gui.labs.wording import measured
from gui.painting.color_scale import contrast
from gui.painting.theme import THEMES
from tests.core.documents import make
from tests.core.stacks import ATTENTION_EXAMPLES
from tests.gui.lab_pictures import (
    SIZES,
    holds_in_order,
    image_of,
    lesson_results,
    shown_of,
    texts_of,
)

pytestmark = pytest.mark.usefixtures("qapp")
ROOM = QRectF(0, 0, 1400, 900)


@pytest.mark.parametrize("decimals", [2, 4])
@pytest.mark.parametrize("step", range(13))
def test_every_number_is_the_cores(step: int, decimals: int) -> None:
    shown = shown_of(
        LAB, LAB.start(values={"step": step, "cell": 2}), LabAppearance(decimals=decimals)
    )
    result, texts = shown.result, texts_of(EXHIBIT, shown)
    for values in (result.numbers, result.gradient):
        assert holds_in_order(texts, [show(float(value), decimals) for value in values.flat])
    joined = "".join(texts).replace(" ", "")
    assert f"2ε={show(result.difference, decimals)}" in joined
    assert measured(abs(result.difference - result.step.value), decimals) in joined
    assert (
        joined.count(show(result.step.value, decimals)) >= 2
    )  # in the matrix and as the result of its sum


def test_the_softmax_is_worked_out_in_two_lines() -> None:
    shown = shown_of(LAB, LAB.start(values={"step": 3, "cell": 3}))
    texts, step = "".join(texts_of(EXHIBIT, shown)).replace(" ", ""), shown.result.step
    mean = sum(term.value for term in step.terms)
    assert f"({show(step.data['own'], 2)}−{show(mean, 2)})" in texts
    assert "∂L/∂S=A⊙(∂L/∂A−Σ∂L/∂A⊙A)" in texts


def test_a_click_on_a_sign_goes_there_and_on_a_cell_works_it_out() -> None:
    setting = LAB.start(values={"step": 3})
    spots = {spot.id: spot for spot in EXHIBIT.spots(ROOM, shown_of(LAB, setting))}
    there = LAB.with_value(setting, spots["step W_K"].control, spots["step W_K"].value)
    assert LAB.compute(there).name == "W_K"
    cell = LAB.with_value(setting, spots["cell 2 1"].control, spots["cell 2 1"].value)
    found = LAB.compute(cell).cell
    assert (found.row, found.column) == (2, 1)


def test_of_a_large_matrix_the_frame_is_dragged() -> None:
    setting = LAB.start(load_example("eight-heads"), {"step": 13})
    (spot,) = [spot for spot in EXHIBIT.spots(ROOM, shown_of(LAB, setting)) if spot.id == "cell"]
    assert spot.drag is not None
    right = spot.drag(spot.area.center() + QPointF(spot.area.width(), 0.0))
    below = spot.drag(spot.area.center() + QPointF(0.0, spot.area.height()))
    assert (right, below, spot.drag(QPointF(-9e3, -9e3))) == (2, 65, 1)
    assert spot.drag(QPointF(9e3, 9e3)) == 16 * 64


def test_the_dot_of_the_chart_is_dragged_to_another_factor() -> None:
    setting = LAB.start()
    (dot,) = [spot for spot in EXHIBIT.spots(ROOM, shown_of(LAB, setting)) if spot.id == "factor"]
    assert dot.drag is not None
    assert dot.drag(dot.area.center()) == 1.0
    assert dot.drag(QPointF(9e3, 0.0)) == 100.0
    assert 1.0 < dot.drag(dot.area.center() + QPointF(dot.nudge, 0.0)) < 1.2  # type: ignore[operator]


@pytest.mark.parametrize("positional", ["learned", "rotary", "alibi"])
def test_signs_of_the_longest_road_lie_apart(positional: str) -> None:
    document = make(60, positional=positional, biases=True, output=True, mask="causal")
    steps = backward_steps(document)
    graph = layout_graph(plan(document), steps)
    assert set(graph.signs) == set(steps)
    rects = list(sign_rects(QRectF(0, 0, 532, 80), graph).values())
    for index, one in enumerate(rects):
        for other in rects[index + 1 :]:
            assert not one.intersects(other)
    readers = {reader for _, reader in graph.links}
    assert {stage.id for stage in plan(document) if stage.reads and stage.id in steps} == readers


def test_a_gradient_that_dies_pales() -> None:
    start, end = (
        LAB.compute(LAB.start(values={"step": 3, "sharpness": factor})) for factor in (1.0, 100.0)
    )
    assert gradient_levels(end).high == gradient_levels(start).high == np.abs(start.gradient).max()


def test_without_a_target_nothing_is_taken_from_y() -> None:
    for values, law in (({"aim": "zero"}, "∂L/∂Y=Y"), ({}, "∂L/∂Y=Y−T")):
        shown = shown_of(LAB, LAB.start(values=values))
        texts = "".join(texts_of(EXHIBIT, shown)).replace(" ", "")
        assert (
            law + show(float(shown.result.numbers[0, 0]), 2) in texts
        )  # the heading, then the first cell
        assert ("y−t=" in texts) == (not values)
        assert ("y − t" in EXHIBIT.spoken(shown)) == (not values)


@pytest.mark.parametrize("shade", THEMES)
def test_signs_that_the_gradient_has_not_reached_have_outlines_to_be_seen(shade: str) -> None:
    shown = shown_of(LAB, LAB.start(), LabAppearance(shade))
    image = image_of(EXHIBIT, shown, (1400, 900))
    area = backward_layout(ROOM, shown.result).graph
    surface = QColor(THEMES[shade].surface)
    rects = sign_rects(area, graph_of(shown.result))
    for name in ("X", "W_V", "weights"):
        x, y = round(rects[name].left()), round(rects[name].top() + 9)
        assert max(contrast(image.pixelColor(x + dx, y), surface) for dx in (-1, 0, 1)) >= 3.0, name


def test_words_follow_what_happens() -> None:
    def said(**values: object) -> tuple[str, str]:
        shown = shown_of(LAB, LAB.start(values=values))
        return EXHIBIT.notice(shown), EXHIBIT.attempt(shown)

    assert said()[0].startswith("The way back starts at the end: L = 0.05")
    assert said(step=3)[0].startswith("Scaled scores: the gradient is −0.04.")
    assert "must it be 0" in said(step=3)[1]
    assert "saturated" in said(sharpness=100.0)[0]
    assert "comes through" in said(sharpness=2.0)[0]


@pytest.mark.parametrize("example", ATTENTION_EXAMPLES)
def test_every_example_paints_at_every_step(example: str) -> None:
    document = load_example(example)
    for step in range(len(backward_steps(document))):
        image_of(EXHIBIT, shown_of(LAB, LAB.start(document, {"step": step})), SIZES[0])


def test_the_lesson_shows_the_lab_as_it_says() -> None:
    results = lesson_results(LAB)
    assert [result.name for result in results] == [
        "Y",
        "heads",
        "weights",
        "scaled",
        "Q",
        "W_Q",
        "scaled",
    ]
    assert show(results[0].run.loss, 2) == "0.05"
    assert results[3].gradient.sum(axis=1) == pytest.approx([0, 0, 0], abs=1e-15)
    assert results[6].run.scores_norm < 1e-6


@pytest.mark.parametrize("example", [*ATTENTION_EXAMPLES, None])
def test_no_line_of_the_road_passes_behind_a_sign(example: str | None) -> None:
    document = (
        make(60, positional="rotary", biases=True, output=True)
        if example is None
        else load_example(example)
    )
    steps = backward_steps(document)
    graph = layout_graph(plan(document), steps)
    rects = sign_rects(QRectF(0, 0, 932, 120), graph)
    drawn = lines(graph, steps[:4])
    for left, right in drawn:
        line = QLineF(
            rects[left].right(),
            rects[left].center().y(),
            rects[right].left(),
            rects[right].center().y(),
        )
        assert line.dx() > 0
        points = [line.pointAt(part / 50) for part in range(1, 50)]
        for name, rect in rects.items():
            assert name in (left, right) or not any(rect.contains(point) for point in points), (
                left,
                right,
                name,
            )
    if document.source == "embeddings":
        before = {left for left, right in drawn if right == "W_Q"}
        assert before
        assert any(left == "W_Q" for left, _ in drawn)
    taken = [pair for pair, gone in drawn.items() if gone]
    assert taken
    assert {left for left, _ in taken} >= set(steps[1:4]) - {"b_O", "W_O"}


def test_a_sum_that_fits_one_line_is_not_broken_and_the_card_is_no_higher_than_it() -> None:
    shown = shown_of(LAB, LAB.start())
    (_, size), *others = sum_rows(shown, 530.0, 130.0)
    assert not others
    assert 19 <= size < 32
    assert len(sum_rows(shown, 1000.0, 130.0)) == 1
    filled: list[QRectF] = []

    class Watched(QPainter):
        def drawRoundedRect(self, *shape: object) -> None:
            filled.append(shape[0])

    image = QImage(900, 400, QImage.Format.Format_RGB32)
    painter = Watched(image)
    paint_card(painter, QRectF(0, 0, 550, 260), shown)
    painter.end()
    assert filled[0].height() < 130
