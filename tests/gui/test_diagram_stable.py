"""The diagram stays where it is: numbers move no box, switches move few, steps hide no label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.base.arrays import Array, frozen
from core.document.document import Document, Mask, Scale
from core.document.edits import with_head_enabled, with_scale, with_softmax
from core.document.parts import Softmax
from core.explain.timeline import Grain
from core.storage.examples import EXAMPLES, load_example
from gui.session.session import Session
from gui.views.diagram.geometry import strip
from gui.views.diagram.picture import label_text
from gui.views.diagram.scene import layout_of
from gui.views.diagram.shapes import Rect
from tests.gui.diagram_kit import make, numbers, painted_sizes, painted_texts, session_of

pytestmark = pytest.mark.usefixtures("qapp")

AREAS = ((1240.0, 238.0), (1880.0, 362.0), (760.0, 420.0))
EDITS = 40


def at_end(document: Document, *, columns: bool = False) -> Session:
    session = session_of(document, columns=columns)
    session.go_last()
    return session


def rects(
    document: Document, area: tuple[float, float] = AREAS[0], **more: object
) -> dict[str, Rect]:
    diagram = layout_of(at_end(document).state, area)
    return {box.stage_id: box.rect for box in diagram.boxes}


def any_number(random: np.random.Generator) -> float:
    return float(random.choice([-1.0, 1.0]) * 10.0 ** random.uniform(-3.0, 6.0))


def randomly_edited(document: Document, random: np.random.Generator) -> Document:
    """Change one entered number of X, of a head's weights or of its Q, K and V."""

    def changed(array: Array) -> Array:
        copy = array.copy()
        copy.flat[random.integers(copy.size)] = any_number(random)
        return frozen(copy)

    heads = document.layers[0].heads if document.is_stack else document.heads
    name = str(random.choice(["W_Q", "W_K", "W_V"] if heads[0].Q is None else ["Q", "K", "V"]))
    if document.X is not None and random.random() < 0.5:
        return replace(document, X=changed(document.X))
    first = replace(heads[0], **{name: changed(getattr(heads[0], name))})  # type: ignore[arg-type]
    if not document.is_stack:
        return replace(document, heads=(first, *heads[1:]))
    layer = replace(document.layers[0], heads=(first, *heads[1:]))
    return replace(document, layers=(layer, *document.layers[1:]))


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_number_moves_no_box(name: str, columns: bool) -> None:
    random = np.random.default_rng(16)
    document = load_example(name)
    session = at_end(document, columns=columns)
    before = [layout_of(session.state, area).boxes for area in AREAS]
    large = layout_of(session.state, AREAS[0], strip).boxes
    for _ in range(EDITS if name != "eight-heads" else 4):
        session.edit(randomly_edited(session.state.document, random))
        assert [layout_of(session.state, area).boxes for area in AREAS] == before
        assert layout_of(session.state, AREAS[0], strip).boxes == large


def test_a_factor_moves_no_box_and_keeps_a_label() -> None:
    document = load_example("cat-eats-fish")
    before = rects(document)
    for value in (0.001, -0.5, 3.0, 12.5, 1234.5, 1e6):
        edited = with_scale(document, Scale("factor", value))
        assert rects(edited) == before
        texts = painted_texts(at_end(edited).state, 1880, 362)
        assert "× c" in texts


def unmasked(document: Document) -> Document:
    return replace(document, mask=Mask(), scale=Scale())


def names_before(document: Document, stage: str) -> list[str]:
    names = [box.stage_id for box in layout_of(at_end(document).state, AREAS[0]).boxes]
    return names[: names.index(stage)]


@pytest.mark.parametrize(
    ("name", "area"),
    [("cat-eats-fish", AREAS[0]), ("cat-eats-fish", AREAS[1]), ("who-ate-whom", AREAS[1])],
)
def test_mask_and_scale_leave_boxes_before_them_and_the_last_one(
    name: str, area: tuple[float, float]
) -> None:
    plain = unmasked(load_example(name))
    masked = replace(plain, mask=Mask("causal"))
    window = replace(plain, mask=Mask("window", 1, 1))
    unscaled = replace(plain, scale=Scale("none"))
    neither = replace(unscaled, mask=Mask("causal"))
    assert rects(masked, area) == rects(window, area)
    for one, other, stage in (
        (plain, masked, "masked"),
        (unscaled, plain, "scaled"),
        (unscaled, neither, "masked"),
        (neither, masked, "scaled"),
    ):
        first, second = rects(one, area), rects(other, area)
        assert stage in second
        assert stage not in first
        for kept in (*names_before(other, stage), "Y"):
            assert first[kept] == second[kept], (stage, kept)
        for box in first:
            assert (first[box].w, first[box].h, first[box].y) == (
                second[box].w,
                second[box].h,
                second[box].y,
            )


@pytest.mark.parametrize("area", AREAS, ids=str)
def test_another_mask_base_or_head_moves_no_box(area: tuple[float, float]) -> None:
    document = load_example("apple-released-iphone")
    session = at_end(document)
    before = layout_of(session.state, area).boxes
    session.select_head(2)
    assert layout_of(session.state, area).boxes == before
    session.edit(with_head_enabled(document, 2, False))
    assert layout_of(session.state, area).boxes == before
    for base in ("2", "3", "10"):
        for shift in (True, False):
            session.edit(with_softmax(document, Softmax(base, shift)))
            assert layout_of(session.state, area).boxes == before
    assert rects(replace(document, mask=Mask("causal")), area) == rects(
        replace(document, mask=Mask("window", 0, 1)), area
    )


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_step_hides_no_label(name: str, language: str) -> None:
    session = session_of(load_example(name), language)
    for area in AREAS:
        diagram = layout_of(session.state, area)
        scale = min(area[0] / diagram.width, area[1] / diagram.height)
        found = set()
        for stage in session.state.trace.plan.ids:
            session.go_to_stage(stage)
            found.add(tuple(label_text(session.state, arrow, scale) for arrow in diagram.arrows))
        assert len(found) == 1


def test_one_long_number_hides_only_itself() -> None:
    short = make(n=3, d=2, h=1, k=2, v=2, qkv=True, output=False)
    head = replace(short.heads[0], Q=frozen([[1.25, -0.5], [0.75, 2.5], [3.25, -1.5]]))
    large = replace(head, Q=frozen([[1234567.0, -0.5], [0.75, 2.5], [3.25, -1.5]]))
    for one, wanted in ((head, "1.25"), (large, "…")):
        texts = painted_texts(at_end(replace(short, heads=(one,))).state, 1240, 238)
        assert {wanted, "0.75", "2.50", "3.25"} <= set(texts)
        assert "1234567.00" not in texts


def test_digits_do_not_tell_of_long_numbers_ahead() -> None:
    """Boxes and sizes of digits are the same whether large numbers follow or not."""
    found = []
    for last in (0.25, 98765.25):
        document = make(n=3, d=2, h=1, k=2, v=2, qkv=True, output=False)
        query = np.array(numbers(1, 3, 2))
        query[2] = last
        head = replace(document.heads[0], Q=frozen(query), K=frozen(np.ones((3, 2))))
        session = session_of(replace(document, heads=(head,)))
        session.set_preferences(grain=Grain.ROW)
        session.go_to_stage("scores")
        shown = painted_sizes(session.state, 1240, 238)
        score = f"{float(query[0].sum()):.2f}".replace("-", "")
        found.append({size for text, size in shown if text == score})
    assert found[0]
    assert found[0] == found[1]
