"""The layout as numbers: every stage has its box, nothing overlaps, arrows touch what they join. No Qt involved."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.document.document import Document
from core.document.parts import STAGE_AXES
from core.stages import plan
from core.storage.examples import load_example
from gui.views.diagram.geometry import layout
from gui.views.diagram.shapes import CONTEXT_TOKENS, MOST_EDGES, TOKENS, WORDS, DiagramLayout, Rect
from tests.core.stacks import ATTENTION_EXAMPLES
from tests.gui.diagram_kit import documents, every_kind, make

ROOMS = ((1240.0, 260.0), (1880.0, 400.0), (700.0, 500.0), (300.0, 900.0))
rooms = st.tuples(st.floats(200, 4000), st.floats(120, 2000))
decimals = st.integers(0, 8)


def arranged(
    document: Document, room: tuple[float, float] = ROOMS[0], places: int = 2
) -> DiagramLayout:
    return layout(document, plan(document), places, room)


def inside(inner: Rect, outer: Rect) -> bool:
    slack = 1e-6
    return (
        inner.x >= outer.x - slack
        and inner.y >= outer.y - slack
        and inner.right <= outer.right + slack
        and inner.bottom <= outer.bottom + slack
    )


def check(document: Document, where: DiagramLayout) -> None:
    ids = plan(document).ids
    tokens = WORDS[: 1 if document.context is None else 2] if document.source == "qkv" else ()
    assert tuple(box.stage_id for box in where.boxes) == (*tokens, *ids)
    whole = Rect(0.0, 0.0, where.width, where.height)
    for box in where.boxes:
        assert inside(box.outer, whole), box
        assert inside(box.matrix, box.rect), box
        assert box.matrix.w > 0
        assert box.matrix.h > 0
        if box.stage_id not in WORDS:
            assert (box.rows, box.columns) == document.stage_shape(box.stage_id)[-2:]
    for one, other in itertools.combinations(where.boxes, 2):
        assert not one.outer.overlaps(other.outer), (one.stage_id, other.stage_id)
    assert inside(where.softmax, whole)


def check_arrows(document: Document, where: DiagramLayout) -> None:
    wanted = [(source, stage.id) for stage in plan(document) for source in stage.reads]
    if document.source == "qkv":
        keys = TOKENS if document.context is None else CONTEXT_TOKENS
        wanted += [(TOKENS, "Q"), (keys, "K"), (keys, "V")]
    assert sorted((arrow.source, arrow.target) for arrow in where.arrows) == sorted(wanted)
    for arrow in where.arrows:
        source, target = where.box(arrow.source), where.box(arrow.target)
        (x, y), (end_x, end_y) = arrow.points[0], arrow.points[-1]
        if arrow.upright:
            assert y == pytest.approx(source.rect.bottom)
            assert end_y == pytest.approx(target.outer.y)
            assert max(source.rect.x, target.rect.x) < x < min(source.rect.right, target.rect.right)
            continue
        assert x == pytest.approx(source.outer.right)
        assert source.rect.y < y < source.rect.bottom
        assert end_x == pytest.approx(target.rect.x)
        assert target.rect.y < end_y < target.rect.bottom
        assert (len(arrow.points) - 1) % 3 == 0


@given(documents(), rooms, decimals)
@settings(max_examples=60)
def test_any_document_is_laid_out_without_overlaps(
    document: Document, room: tuple[float, float], places: int
) -> None:
    where = arranged(document, room, places)
    check(document, where)
    check_arrows(document, where)


def test_every_kind_of_plan_has_a_box_for_every_stage() -> None:
    seen: set[str] = set()
    for document in every_kind():
        for room in ROOMS[:2]:
            where = arranged(document, room)
            check(document, where)
            check_arrows(document, where)
        seen |= set(plan(document).ids)
    assert seen == set(STAGE_AXES)


def points_of(curve: tuple[tuple[float, float], ...]) -> list[tuple[float, float]]:
    """Points on a chain of cubic curves, by de Casteljau's rule."""
    found = []
    for start in range(0, len(curve) - 1, 3):
        for step in range(17):
            points, part = list(curve[start : start + 4]), step / 16
            while len(points) > 1:
                points = [
                    (a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part)
                    for a, b in itertools.pairwise(points)
                ]
            found.append(points[0])
    return found


def test_no_arrow_crosses_a_card() -> None:
    for document in every_kind():
        for room in ROOMS[::3]:
            where = arranged(document, room)
            for arrow in where.arrows:
                for box in where.boxes:
                    card = box.outer.grown(-1.0)
                    through = [point for point in points_of(arrow.points) if card.contains(*point)]
                    assert not through, (arrow.source, arrow.target, box.stage_id)


def test_values_pass_below_the_attention_matrices() -> None:
    where = arranged(make())
    lane = next(arrow for arrow in where.arrows if (arrow.source, arrow.target) == ("V", "heads"))
    lowest = max(where.box(name).rect.bottom for name in ("scores", "scaled", "exp", "weights"))
    assert lane.at[1] > lowest


def test_columns_follow_the_plan_from_left_to_right() -> None:
    where = arranged(make(positional="sinusoidal", mask="causal"))
    columns = [
        ("X", "P"),
        ("input",),
        ("Q", "K", "V"),
        ("scores",),
        ("scaled",),
        ("masked",),
        ("exp",),
        ("weights",),
    ]
    columns += [("heads",), ("concat",), ("Y",)]
    for left, right in itertools.pairwise(columns):
        assert max(where.box(name).outer.right for name in left) < min(
            where.box(name).rect.x for name in right
        )
    q, k, v = (where.box(name).rect for name in "QKV")
    assert q.bottom < k.y
    assert k.bottom < v.y


def test_heads_stand_as_edges_behind() -> None:
    for h, edges in ((1, 0), (2, 1), (5, 4), (8, MOST_EDGES)):
        where = arranged(make(h=h))
        assert {
            where.box(name).depth for name in ("Q", "K", "V", "scores", "weights", "heads")
        } == {edges}
        assert where.box("Y").depth == where.box("X").depth == 0


@pytest.mark.parametrize("room", [(1240.0, 260.0), (1880.0, 400.0)])
def test_the_first_example_is_shown_with_readable_digits(room: tuple[float, float]) -> None:
    document = load_example("cat-eats-fish")
    where = arranged(document, room)
    scale = min(room[0] / where.width, room[1] / where.height)
    assert scale >= 0.8
    for box in where.boxes[1:]:
        assert box.matrix.w / box.columns * scale >= 26, box.stage_id
        assert box.matrix.h / box.rows * scale >= 14, box.stage_id


@pytest.mark.parametrize("example", ATTENTION_EXAMPLES)
def test_examples_fit_a_laptop_at_a_scale_that_can_be_read(example: str) -> None:
    where = arranged(load_example(example))
    assert min(1240 / where.width, 260 / where.height) >= 0.62


def test_two_thousand_tokens_take_no_more_room_than_three_hundred() -> None:
    small, large = (arranged(make(n=n, h=1, output=False)) for n in (300, 2000))
    assert large.height <= small.height * 1.05
    assert max(box.rect.h for box in large.boxes) <= 1.05 * max(box.rect.h for box in small.boxes)


def test_labels_say_what_works_on_the_way() -> None:
    where = arranged(make(bias=True, mask="causal", positional="rotary"))
    labels = {(arrow.source, arrow.target): arrow.label for arrow in where.arrows}
    assert labels["X", "Q"] == "× W_Q + b_Q"
    assert labels["Q_rot", "scores"] == "Q′"
    assert labels["K_rot", "scores"] == "K′ᵀ"
    assert labels["scores", "scaled"] == "÷ √2"
    assert labels["scaled", "masked"] == "mask"
    assert labels["exp", "weights"] == "÷ Σ"
    assert labels["concat", "Y"] == "× W_O"
    assert next(arrow for arrow in where.arrows if arrow.target == "Q").inputs == ("W_Q", "b_Q")


def test_the_layout_needs_no_qt() -> None:
    script = "import sys, gui.views.diagram.geometry, gui.views.diagram.columns; print('PySide6' in sys.modules)"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
