"""The layout of matrices and signs, as plain numbers."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.views.stage.layout import (
    LARGEST_WHOLE,
    LARGEST_WINDOW,
    SMALLEST_WINDOW,
    CellsRect,
    Item,
    MatrixBox,
    OperatorBox,
    Space,
    cached_layout,
    cell_size,
    place_boxes,
    visible_counts,
    window,
)

SIZES = st.integers(1, 2000)


@given(SIZES, st.integers(1, 12), st.integers(0, 1999))
def test_a_window_holds_its_focus_and_stays_inside(total: int, count: int, focus: int) -> None:
    focus = min(focus, total - 1)
    part = window(total, count, focus)
    assert part.count == min(count, total)
    assert 0 <= part.start <= focus < part.stop <= total
    assert part.cut == (count < total)


def test_a_window_has_its_focus_in_the_middle_except_at_the_ends() -> None:
    assert (window(20, 5, 10).start, window(20, 5, 10).stop) == (8, 13)
    assert window(20, 5, 0).start == 0
    assert window(20, 5, 19).stop == 20


def product() -> tuple[list[Item], Space]:
    """X · W + b = Q."""
    items: list[Item] = [
        MatrixBox("i", "p", 30.0, 20.0),
        OperatorBox(20.0),
        MatrixBox("p", "j", 0.0, 25.0),
        OperatorBox(20.0),
        MatrixBox("one", "j", 0.0, 25.0),
        OperatorBox(20.0),
        MatrixBox("i", "j", 30.0, 20.0),
    ]
    return items, Space(900.0, 220.0, (30.0, 16.0), (80.0, 40.0), 20.0, 18.0)


def test_what_is_arranged_again_is_found_and_the_same() -> None:
    items, room = product()
    for sizes in ({"i": 5, "p": 6, "j": 4, "one": 1}, {"i": 40, "p": 64, "j": 8, "one": 1}):
        found = cached_layout(tuple(items), tuple(sizes.items()), room)
        shown = visible_counts(items, sizes, room)
        cell = cell_size(items, sizes, shown, room)
        assert found == (shown, cell, place_boxes(items, sizes, shown, room, cell))
        assert cached_layout(tuple(items), tuple(sizes.items()), room) is found


def laid_out(
    sizes: dict[str, int],
) -> tuple[list[Item], Space, dict[str, int], tuple[float, float], tuple[CellsRect, ...]]:
    items, room = product()
    shown = visible_counts(items, sizes, room)
    cell = cell_size(items, sizes, shown, room)
    return items, room, shown, cell, place_boxes(items, sizes, shown, room, cell)


@given(SIZES, SIZES, SIZES)
def test_everything_is_inside_the_room_and_nothing_overlaps(n: int, d: int, k: int) -> None:
    sizes = {"i": n, "p": d, "j": k, "one": 1}
    items, room, shown, cell, places = laid_out(sizes)
    assert room.smallest_cell[0] <= cell[0] <= room.largest_cell[0]
    assert room.smallest_cell[1] <= cell[1] <= room.largest_cell[1]
    for item, at in zip(items, places, strict=True):
        assert at.x >= 0
        assert at.x + at.width <= room.width + 1e-6
        if isinstance(item, MatrixBox):
            assert at.y >= room.title_height - 1e-6
            assert at.y + at.height <= room.height - room.label_height + 1e-6
            assert at.width == pytest.approx(shown[item.columns] * cell[0])
            assert at.height == pytest.approx(shown[item.rows] * cell[1])
    for left, right in pairwise(places):
        assert left.x + left.width <= right.x + 1e-6


@given(SIZES, SIZES, SIZES)
def test_as_much_is_shown_as_there_is_and_never_too_much(n: int, d: int, k: int) -> None:
    sizes = {"i": n, "p": d, "j": k, "one": 1}
    shown = laid_out(sizes)[2]
    for axis, size in sizes.items():
        assert (
            min(size, SMALLEST_WINDOW)
            <= shown[axis]
            <= (size if size <= LARGEST_WHOLE else LARGEST_WINDOW)
        )


def test_what_fits_is_shown_whole() -> None:
    shown = laid_out({"i": 5, "p": 6, "j": 2, "one": 1})[2]
    assert shown == {"i": 5, "p": 6, "j": 2, "one": 1}


def test_matrices_stand_around_one_line() -> None:
    items, _, _, _, places = laid_out({"i": 5, "p": 3, "j": 2, "one": 1})
    middles = {round(at.y + at.height / 2, 6) for at in places}
    assert len(middles) == 1
    assert len(items) == len(places)


def test_cells_do_not_get_thin_or_flat() -> None:
    cell = laid_out({"i": 2, "p": 2, "j": 2, "one": 1})[3]
    assert 1.0 <= cell[0] / cell[1] <= 2.3


def test_too_little_room_still_gives_cells() -> None:
    items, _ = product()
    room = Space(200.0, 60.0, (30.0, 16.0), (80.0, 40.0), 20.0, 18.0)
    sizes = {"i": 50, "p": 60, "j": 70, "one": 1}
    shown = visible_counts(items, sizes, room)
    assert shown == {"i": SMALLEST_WINDOW, "p": SMALLEST_WINDOW, "j": SMALLEST_WINDOW, "one": 1}
    assert min(cell_size(items, sizes, shown, room)) >= 4.0


def test_what_is_summed_over_stays_whole_while_others_can_give_way() -> None:
    shown = laid_out({"i": 16, "p": 8, "j": 16, "one": 1})[2]
    assert shown["p"] == 8
    assert 4 <= shown["j"] < 8


def test_where_it_cannot_stay_whole_all_axes_give_way_alike() -> None:
    shown = laid_out({"i": 16, "p": 64, "j": 64, "one": 1})[2]
    assert abs(shown["p"] - shown["j"]) <= 1


def test_a_few_rows_more_than_a_window_holds_are_shown_whole_where_there_is_room() -> None:
    items: list[Item] = [MatrixBox("i", "j", 30.0, 20.0)]
    room = Space(900.0, 320.0, (30.0, 16.0), (80.0, 40.0), 20.0, 18.0)
    assert visible_counts(items, {"i": 16, "j": 4}, room)["i"] == 16
    assert visible_counts(items, {"i": 17, "j": 4}, room)["i"] == LARGEST_WINDOW
