"""What the heatmaps show, against plain loops."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF

from core.base.arrays import frozen
from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Document, Head, Mask
from core.document.edits import with_cell, with_pin
from gui.painting.color_scale import Levels, ramp_positions
from gui.painting.text_layout import elide, width_of
from gui.painting.theme import CAPTION, font
from gui.session.session import Session
from gui.session.state import Preferences, State
from gui.views.heatmaps.heatmap_data import (
    HALF_MASKED,
    MASKED,
    HeatmapChoice,
    Pane,
    choose_heatmap,
    largest_change,
    make_panes,
)
from gui.views.heatmaps.layout import LayoutRequest, label_step, lay_out
from gui.views.heatmaps.visible_cells import Zoom
from gui.views.heatmaps.wording import axis_tokens, exact_decimals, signed, token_name

N, D, H, K, V = 5, 6, 3, 2, 4


def make_document(mask: str = "causal") -> Document:
    random = np.random.default_rng(7)

    def made(*shape: int) -> np.ndarray:
        return frozen(random.normal(size=shape))

    heads = tuple(Head(W_Q=made(D, K), W_K=made(D, K), W_V=made(D, V)) for _ in range(H))
    return Document(tokens=tuple("abcde"), X=made(N, D), heads=heads, mask=Mask(mask))


def make_state(document: Document | None = None, **preferences: str) -> State:
    return Session(document or make_document(), Preferences(**preferences)).state  # type: ignore[arg-type]


def shown(state: State) -> tuple[HeatmapChoice, tuple[Pane, ...]]:
    choice = choose_heatmap(state)
    return choice, make_panes(choice, state.trace)


def compared(before: Document, after: Document, **preferences: str) -> State:
    session = Session(before, Preferences(heatmap_view="difference", **preferences))  # type: ignore[arg-type]
    session.compare_with_current()
    session.edit(after)
    return session.state


@pytest.mark.usefixtures("qapp")
class TestChoice:
    def test_follows_the_cursor_until_a_stage_is_chosen(self) -> None:
        session = Session(make_document(), Preferences())
        assert choose_heatmap(session.state).stage.id == "X"
        session.go_to_stage("heads")
        assert choose_heatmap(session.state).stage.id == "heads"
        session.set_preferences(heatmap_stage="scores")
        assert choose_heatmap(session.state).stage.id == "scores"

    def test_a_stage_that_the_plan_lacks_gives_the_nearest_before(self) -> None:
        state = make_state(make_document("none"), heatmap_stage="masked")
        assert choose_heatmap(state).stage.id == "scaled"

    def test_a_step_inside_a_stage_keeps_the_panes(self) -> None:
        session = Session(make_document(), Preferences(heatmap_stage="weights"))
        before = choose_heatmap(session.state)
        session.go_to_stage("scores")
        assert choose_heatmap(session.state).has_same_panes(before)
        session.select_head(1)
        assert not choose_heatmap(session.state).has_same_panes(before)

    def test_every_head_has_its_own_pane_with_the_same_scale(self) -> None:
        state = make_state(heatmap_stage="scores", heatmap_view="heads")
        _, got = shown(state)
        assert [pane.head for pane in got] == [0, 1, 2]
        for pane in got:
            assert np.array_equal(pane.values, state.trace["scores"][pane.head])
        assert len({pane.levels for pane in got}) == 1

    def test_a_stage_without_heads_is_one_pane(self) -> None:
        _, got = shown(make_state(heatmap_stage="Y", heatmap_view="heads"))
        assert len(got) == 1
        assert got[0].shape == (N, H * V)


@pytest.mark.usefixtures("qapp")
class TestScale:
    def test_heads_alike_is_the_scale_of_the_diagram(self) -> None:
        state = make_state(heatmap_stage="scores")
        _, got = shown(state)
        largest = max(abs(float(x)) for x in state.trace["scores"].ravel())
        assert got[0].levels == Levels(-largest, largest)

    def test_own_is_fitted_to_the_shown_head(self) -> None:
        session = Session(
            make_document(), Preferences(heatmap_stage="scores", heatmap_levels="stage")
        )
        session.select_head(2)
        _, got = shown(session.state)
        largest = max(abs(float(x)) for x in session.state.trace["scores"][2].ravel())
        assert got[0].levels == Levels(-largest, largest)

    def test_own_weights_reach_the_top_of_the_scale_and_start_at_zero(self) -> None:
        state = make_state(heatmap_stage="weights", heatmap_levels="stage")
        _, got = shown(state)
        assert got[0].levels == Levels(0.0, float(state.trace["weights"][0].max()))

    def test_all_stages_alike_takes_the_largest_of_every_signed_stage(self) -> None:
        state = make_state(heatmap_stage="Q", heatmap_levels="weights")
        largest = max(
            abs(float(x))
            for stage in state.trace
            if stage not in ("exp", "weights")
            for x in state.trace[stage].ravel()
            if math.isfinite(x)
        )
        _, got = shown(state)
        assert got[0].levels == Levels(-largest, largest)

    def test_all_stages_alike_leaves_weights_between_0_and_1(self) -> None:
        _, got = shown(make_state(heatmap_stage="weights", heatmap_levels="weights"))
        assert got[0].levels == Levels(0.0, 1.0)


@pytest.mark.usefixtures("qapp")
class TestMasked:
    @pytest.mark.parametrize("stage", ["masked", "exp", "weights"])
    def test_what_the_mask_forbids_is_no_colour(self, stage: str) -> None:
        _, got = shown(make_state(heatmap_stage=stage))
        places = got[0].color_indices()
        for row in range(N):
            for column in range(N):
                assert (places[row, column] == MASKED) == (column > row)

    def test_before_the_mask_nothing_is_masked(self) -> None:
        _, got = shown(make_state(heatmap_stage="scores"))
        assert got[0].masked is None
        assert np.array_equal(got[0].color_indices(), ramp_positions(got[0].values, got[0].levels))

    def test_a_what_if_weight_on_a_masked_cell_is_a_number(self) -> None:
        document = with_pin(make_document(), Cell("weights", 0, 3, 0), 0.25)
        _, got = shown(make_state(document, heatmap_stage="weights"))
        assert got[0].color_indices()[0, 3] != MASKED
        assert got[0].color_indices()[0, 4] == MASKED


@pytest.mark.usefixtures("qapp")
class TestDifference:
    def test_is_now_minus_pinned_with_a_scale_around_zero(self) -> None:
        before = make_document()
        after = with_cell(before, Cell("W_Q", 1, 0, 0), 2.5)
        state = compared(before, after, heatmap_stage="scores")
        _, got = shown(state)
        now, then = run(after)["scores"], run(before)["scores"]
        for row in range(N):
            for column in range(N):
                assert got[0].values[row, column] == now[0, row, column] - then[0, row, column]
        assert got[0].levels.low == -got[0].levels.high
        assert got[0].levels.high == max(abs(float(x)) for x in (now - then).ravel())

    def test_names_the_cell_that_changed_most(self) -> None:
        before = make_document("none")
        after = with_cell(before, Cell("X", 3, 1), 9.0)
        _, got = shown(compared(before, after, heatmap_stage="Q"))
        changes = {(r, c): abs(float(got[0].values[r, c])) for r in range(N) for c in range(K)}
        cell = largest_change(got[0])
        assert cell is not None
        assert changes[cell.row, cell.column] == max(changes.values())
        assert cell.row == 3

    def test_nothing_changed_names_nothing(self) -> None:
        document = make_document()
        _, got = shown(compared(document, document, heatmap_stage="masked"))
        assert largest_change(got[0]) is None
        assert got[0].levels == Levels(-1.0, 1.0)
        assert not np.isnan(got[0].values).any()

    def test_masked_in_one_run_only_stands_apart(self) -> None:
        before = make_document("causal")
        allow = np.tri(N, dtype=bool)
        allow[1, 4], allow[4, 0] = True, False
        after = before.with_(mask=Mask("custom", allow=allow))
        _, got = shown(compared(before, after, heatmap_stage="masked"))
        places = got[0].color_indices()
        assert places[1, 4] == places[4, 0] == HALF_MASKED
        assert places[0, 4] == MASKED
        assert places[2, 1] not in (MASKED, HALF_MASKED)
        assert largest_change(got[0]) is None

    @pytest.mark.parametrize(
        ("before", "stage", "missing"),
        [(None, "weights", "run"), ("none", "masked", "stage"), ("causal", "X", "shape")],
    )
    def test_says_why_there_is_none(self, before: str | None, stage: str, missing: str) -> None:
        session = Session(make_document(before or "causal"), Preferences(heatmap_view="difference"))
        if before:
            session.compare_with_current()
        if missing == "shape":
            assert session.state.document.X is not None
            wider = make_document().with_(
                tokens=tuple("abcd"), X=frozen(session.state.document.X[:4])
            )
            session.edit(wider)
        elif missing == "stage":
            session.edit(make_document("causal"))
        session.set_preferences(heatmap_stage=stage)
        choice, got = shown(session.state)
        assert choice.missing == missing
        assert got == ()


class TestPlaces:
    def test_infinite_constant_and_empty_of_numbers(self) -> None:
        values = np.array([[math.inf, -math.inf, math.nan], [1.0, -1.0, 0.0]])
        assert Pane(0, values, Levels(-1.0, 1.0)).color_indices().tolist() == [
            [510, 255, 255],
            [510, 0, 255],
        ]
        constant = np.full((2, 3), 0.5)
        assert set(Pane(0, constant, Levels(-0.5, 0.5)).color_indices().ravel().tolist()) == {510}


class TestWords:
    def test_tokens_that_cannot_be_told_apart_get_their_position(self) -> None:
        tokens = ("the", "cat", "the", "", "سلام")
        assert axis_tokens(tokens) == ("the 1", "cat", "the 3", "␣", "سلام")
        assert token_name(tokens, 2) == "the (3)"
        assert token_name(tokens, 3) == "␣"  # as in every other panel
        assert token_name(tokens, 4) == "\u2068سلام\u2069"

    @pytest.mark.parametrize(
        ("then", "now", "digits"),
        [
            (0.25, 0.75, 2),
            (0.894, 0.998, 3),
            (0.0, 0.0049, 2),
            (0.00449, 0.00551, 4),
            (-0.125, 0.75, 3),
            (1e9, 2.0, None),
            (1 / 3, 2 / 3, None),
        ],
    )
    def test_a_change_has_the_digits_with_which_it_adds_up(
        self, then: float, now: float, digits: int | None
    ) -> None:
        found = exact_decimals(then, now, 2)
        assert found == digits
        if found is not None:
            first, second, change = (
                Fraction(f"{value:.{found}f}") for value in (then, now, now - then)
            )
            assert second - first == change

    @pytest.mark.parametrize(("value", "text"), [(0.125, "+0.12"), (-0.5, "−0.50"), (0.0, "0.00")])
    def test_changes_carry_their_sign(self, value: float, text: str) -> None:
        assert signed(value, 2) == text


class TestGeometry:
    @pytest.mark.parametrize(
        ("spacing", "step"), [(20.0, 1), (9.0, 2), (4.0, 5), (2.0, 10), (0.2, 100)]
    )
    def test_labels_keep_their_distance(self, spacing: float, step: int) -> None:
        assert label_step(spacing, 15.0) == step

    @pytest.mark.parametrize("size", [(300, 160), (460, 300), (1200, 900)])
    @pytest.mark.parametrize(
        ("count", "rows", "columns"), [(1, 5, 5), (1, 3, 64), (8, 16, 16), (3, 5, 2)]
    )
    @pytest.mark.usefixtures("qapp")
    def test_everything_lies_inside_and_apart(
        self, size: tuple[int, int], count: int, rows: int, columns: int
    ) -> None:
        area = QRectF(0, 0, *size)
        tokens = tuple(f"token {i}" for i in range(rows))
        captions = ("query ↓", "key →")
        layout = lay_out(
            area, LayoutRequest(count, rows, columns, tokens, captions, captions, ("1.00", "0.00"))
        )
        assert len(layout.matrices) == count
        boxes = [*layout.matrices, layout.bar]
        for index, box in enumerate(boxes):
            assert area.contains(box)
            assert not any(box.intersects(other) for other in boxes[index + 1 :])

    def test_zoom_keeps_the_point_under_the_pointer(self) -> None:
        window, shape = QRectF(10, 20, 300, 200), (50, 60)
        point = QPointF(0.25, 0.5)
        closer = Zoom().by(2.0, point, shape)
        whole = closer.whole(window)
        assert whole.width() == pytest.approx(600)
        under = window.x() + 0.25 * window.width()
        assert (under - whole.x()) / whole.width() == pytest.approx(0.25)

    def test_zoom_has_both_ends_as_stops(self) -> None:
        shape = (50, 60)
        near = Zoom().by(1e9, QPointF(1, 1), shape)
        assert near.size == pytest.approx(4 / 60)
        assert near.left + near.size == pytest.approx(1.0)
        assert near.by(1e-9, QPointF(0, 0), shape) == Zoom()
        assert Zoom().moved(0.5, -0.5) == Zoom()

    def test_a_focused_cell_comes_into_view(self) -> None:
        zoom = Zoom(0.0, 0.0, 0.1).showing(40, 5, (50, 50))
        assert zoom.top <= 40 / 50 + 1e-9
        assert 41 / 50 <= zoom.top + zoom.size + 1e-9
        assert 5 / 50 >= zoom.left
        assert 6 / 50 <= zoom.left + zoom.size + 1e-9

    def test_a_long_thin_matrix_is_read_column_by_column_before_it_is_cut(self) -> None:
        shape = (1000, 8)
        closer = Zoom().by(50.0, QPointF(0.0, 0.5), shape)
        assert (closer.across, closer.down) == pytest.approx(
            (1.0, 20 / 1000)
        )  # twenty rows, still all eight columns
        whole = closer.whole(QRectF(0, 0, 160, 300))
        assert (whole.width(), whole.height()) == pytest.approx((160, 300 * 50))
        nearest = closer.by(1e9, QPointF(0.0, 0.5), shape)
        assert (nearest.across, nearest.down) == pytest.approx((4 / 8, 4 / 1000))
        moved = closer.moved(0.5, 0.5)
        assert (moved.left, moved.top) == pytest.approx((0.0, closer.top + 10 / 1000))

    @pytest.mark.parametrize("shape", [(1000, 8), (8, 1000), (512, 1), (1, 512)])
    @pytest.mark.parametrize("count", [1, 4])
    @pytest.mark.usefixtures("qapp")
    def test_long_thin_matrices_are_no_slivers(self, shape: tuple[int, int], count: int) -> None:
        captions = ("query ↓", "key →")
        request = LayoutRequest(
            count, *shape, ("t",) * shape[0], captions, captions, ("1.00", "0.00")
        )
        for matrix in lay_out(QRectF(0, 0, 640, 400), request).matrices:
            least = 75 if min(shape) == 1 else 150  # a single line stays as narrow as a cell may be
            assert min(matrix.width(), matrix.height()) >= (least if count == 1 else 60)


@pytest.mark.usefixtures("qapp")
def test_long_names_of_heads_can_still_be_told_apart() -> None:
    face = font(CAPTION)
    names = [f"{number} Head with a long name {letter}" for number, letter in ((1, "A"), (2, "B"))]
    short = [elide(name, face, 70.0, inside=True) for name in names]
    assert all("…" in text and width_of(text, face) <= 70.0 for text in short)
    assert [(text[0], text[-1]) for text in short] == [("1", "A"), ("2", "B")]
