"""The diagram of a stack: one layer is open, rows lie on lanes, other layers are folded."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from core.compute.trace import run
from core.document.document import Document
from core.document.orientation import COLUMNS, ROWS, Orientation
from core.document.parts import Head, Layer, Mask, Mlp, Norm, Norms, Output, Positional
from core.stages import plan
from core.storage.examples import load_example
from gui.export.pictures import picture_state
from gui.views.diagram.labels import card_heading
from gui.views.diagram.scene import layout_of
from gui.views.diagram.shapes import DiagramLayout
from gui.views.diagram.stack_layout import stack_layout, unit_for_stack
from gui.views.diagram.stack_sections import section_of
from tests.core.stacks import STACK_EXAMPLES
from tests.gui.diagram_kit import painted_sizes

AREAS = ((1240.0, 254.0), (1860.0, 400.0), (900.0, 200.0))


def stack(
    n: int = 3,
    d: int = 4,
    heads: int = 2,
    layers: int = 2,
    *,
    place: str = "pre",
    residual: bool = True,
    gate: bool = False,
) -> Document:
    numbers, k, f = np.random.default_rng(n * d + layers), d // heads, d + 2

    def norm() -> Norm:
        return Norm("layer", 1e-5, np.ones(d), np.zeros(d))

    def layer() -> Layer:
        each = tuple(
            Head(**{name: numbers.normal(size=(d, k)) for name in ("W_Q", "W_K", "W_V")})
            for _ in range(heads)
        )
        mlp = Mlp(
            W_1=numbers.normal(size=(d, f)),
            W_2=numbers.normal(size=(f, d)),
            W_gate=numbers.normal(size=(d, f)) if gate else None,
        )
        norms = Norms("layer", place, 1e-5, norm(), norm())
        return Layer(each, W_O=numbers.normal(size=(d, d)), norm=norms, mlp=mlp, residual=residual)

    return Document(
        tuple(f"t{number}" for number in range(n)),
        X=numbers.normal(size=(n, d)),
        positional=Positional("sinusoidal"),
        mask=Mask("causal"),
        layers=tuple(layer() for _ in range(layers)),
        final_norm=norm(),
        output=Output(W_U=numbers.normal(size=(d, 5)), vocabulary=("a", "b", "c", "d", "e")),
    )


VARIANTS = [
    stack(),
    stack(place="post", gate=True),
    stack(residual=False),
    stack(n=5, layers=7),
    stack(n=16, d=32, heads=8, layers=3),
]


def drawn(
    document: Document,
    stage_id: str,
    area: tuple[float, float] = AREAS[0],
    orientation: Orientation = ROWS,
) -> DiagramLayout:
    return stack_layout(
        document, plan(document), area=area, orientation=orientation, stage_id=stage_id
    )


@pytest.mark.parametrize("document", VARIANTS)
def test_every_stage_has_a_box_in_the_picture_of_its_own_and_with_what_it_reads(
    document: Document,
) -> None:
    for stage in plan(document):
        shown = {box.stage_id for box in drawn(document, stage.id).boxes}
        assert {stage.id, *stage.reads} <= shown


@pytest.mark.parametrize("orientation", [ROWS, COLUMNS])
@pytest.mark.parametrize("area", AREAS)
@pytest.mark.parametrize("document", VARIANTS)
def test_nothing_overlaps_and_everything_is_inside(
    document: Document, area: tuple[float, float], orientation: Orientation
) -> None:
    for stage in plan(document):
        layout = drawn(document, stage.id, area, orientation)
        assert layout.stream is not None
        rects = [box.outer for box in layout.boxes]
        rects += [rect for _, rect in layout.stream.pluses]
        rects += [card.rect for card in layout.stream.folded]
        for a, b in combinations(rects, 2):
            assert not a.overlaps(b), (stage.id, a, b)
        for rect in rects:
            assert rect.x >= 0
            assert rect.right <= layout.width + 0.01
            assert rect.y >= 0
            assert rect.bottom <= layout.height + 0.01


@pytest.mark.parametrize("document", VARIANTS)
def test_rows_on_the_stream_lie_on_their_lanes(document: Document) -> None:
    for stage in plan(document):
        layout = drawn(document, stage.id)
        assert layout.stream is not None
        assert len(layout.stream.lanes) == document.n
        for box in layout.boxes:
            if box.rect.y < layout.stream.band.bottom:
                for row, lane in enumerate(layout.stream.lanes):
                    assert box.block_rect((row, row + 1), (0, 1)).centre[1] == pytest.approx(lane)


@pytest.mark.parametrize("document", VARIANTS)
def test_all_layers_are_open_or_folded_and_a_click_leads_into_them(document: Document) -> None:
    numbers = set(range(1, len(document.layers) + 1))
    for stage in plan(document):
        stream = drawn(document, stage.id).stream
        assert stream is not None
        folded = [number for card in stream.folded for number in card.layers]
        assert sorted([*folded, stream.number]) == sorted(numbers | {stream.number})
        assert len(stream.folded) <= 5
        for card in stream.folded:
            opened = section_of(plan(document), card.target).number
            assert opened in (card.layers or (0,))


def test_the_current_stage_and_what_it_reads_show_numbers_at_pencil_sizes() -> None:
    document = stack()
    trace = run(document)
    for name in ("L1.weights", "L2.mlp_norm", "logits", "L1.attention_residual"):
        layout, smallest = drawn(document, name), 30.0
        assert layout.box(name).cell_size[0] >= smallest
        assert trace[name].shape[-1] == layout.box(name).columns
    layout = drawn(document, "L1.mlp_norm")
    assert layout.box("L1.attention_residual").cell_size[0] >= 30.0


def test_without_a_residual_connection_the_lanes_are_cut_and_nothing_is_added() -> None:
    stream = drawn(stack(residual=False), "L1.weights").stream
    assert stream is not None
    assert stream.pluses == ()
    assert len(stream.cuts) == 2


def test_a_step_inside_a_stage_moves_nothing() -> None:
    document = stack()
    assert drawn(document, "L1.weights") == drawn(document, "L1.weights")


@pytest.mark.parametrize("example", STACK_EXAMPLES)
def test_examples_fit_a_laptop_at_a_scale_that_can_be_read(example: str) -> None:
    document = load_example(example)
    for stage in plan(document):
        where = drawn(document, stage.id, (1240.0, 260.0))
        assert min(1240 / where.width, 260 / where.height) >= 0.62


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("example", STACK_EXAMPLES)
def test_cards_made_for_colours_show_no_small_or_cut_numbers(example: str) -> None:
    """Small digits are only in cards made for numbers: the current one and those that it reads."""
    document = load_example(example)
    for stage in plan(document):
        state = picture_state(document, stage.id, "en", shade="light")
        shown = {box.stage_id for box in layout_of(state, (1880.0, 412.0)).boxes if not box.image}
        numbers = [
            (text, size)
            for text, size in painted_sizes(state, 1880, 412)
            if re.fullmatch(r"−?\d+\.\d\d|…", text)
        ]
        small = [text for text, size in numbers if size < 11.0]
        assert len(small) <= sum(state.trace.matrix(name, 0).size for name in shown)
        assert "…" not in dict(numbers)


@pytest.mark.parametrize(
    ("size", "wanted", "unit"),
    [
        ((1240.0, 254.0), 1.0, 1.0),
        ((1870.0, 400.0), 3.5, 1870.0 / 1240.0),
        ((1240.0, 254.0), 2.0, 1.0),
        ((2480.0, 600.0), 1.5, 1.5),
    ],
)
def test_larger_texts_never_take_the_room_of_names(
    size: tuple[float, float], wanted: float, unit: float
) -> None:
    assert unit_for_stack(*size, wanted) == pytest.approx(unit)
    area = size[0] / unit, size[1] / unit
    assert min(area[0] / 1240.0, area[1] / 254.0) >= 1.0 - 1e-9


@pytest.mark.parametrize("orientation", [ROWS, COLUMNS])
def test_no_two_cards_of_a_picture_have_the_same_symbol(orientation: Orientation) -> None:
    """What comes from another layer says so, as in formulas: R₂⁽¹⁾ beside R₂."""
    document = stack(layers=3)
    for stage, raised in (("L1.Q", []), ("L2.Q", ["R₂⁽¹⁾"]), ("L3.Y", ["R₂⁽²⁾"])):
        diagram = stack_layout(document, plan(document), 2, AREAS[0], orientation, stage_id=stage)
        symbols = [
            card_heading(document, box.stage_id, orientation, box.raised).symbol
            for box in diagram.boxes
        ]
        assert len(set(symbols)) == len(symbols)
        assert [symbol for symbol in symbols if "⁽" in symbol] == raised


def test_one_layer_needs_no_number() -> None:
    document = stack(layers=1)
    diagram = stack_layout(document, plan(document), stage_id="logits")
    assert {box.raised for box in diagram.boxes} == {""}
