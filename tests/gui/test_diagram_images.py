"""Matrices too large for cells: images that average, are cut to what is seen, and never outlive their numbers."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QTransform

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.compute.trace import run
from core.document.orientation import COLUMNS, ROWS
from gui.painting import matrix_image as matrix_images
from gui.painting.color_scale import (
    ArrayCache,
    Levels,
    levels_of,
    ramp_position,
    ramp_positions,
    scores_behind,
    stage_levels,
    value_colour,
)
from gui.painting.matrix import MatrixSpec, matrix_image, paint_matrix
from gui.painting.theme import DARK, LIGHT
from gui.session.session import Session, prefetch
from gui.session.state import Preferences
from gui.session.trace_runner import Work
from tests.gui.heatmaps_kit import example

pytestmark = pytest.mark.usefixtures("qapp")
LEVELS = Levels(-3.7, 3.7)


def numbers(rows: int, columns: int) -> Array:
    return frozen(np.random.default_rng(7).normal(size=(rows, columns)))


def painted(
    picture: MatrixSpec, size: float, clip: QRectF | None = None, origin: float = 0.0
) -> QImage:
    image = QImage(120, 80, QImage.Format.Format_RGB32)
    image.fill(QColor("#FFFFFF"))
    painter = QPainter(image)
    if clip is not None:
        painter.setClipRect(clip)
    paint_matrix(painter, QRectF(origin, origin, size, size), picture, LIGHT)
    painter.end()
    return image


def test_one_value_lies_on_the_ramp_where_many_do() -> None:
    values = np.append(
        numbers(40, 40).ravel() * 2, [0.0, -0.0, np.inf, -np.inf, np.nan, 1e308, -1e308]
    )
    assert [ramp_position(float(value), LEVELS) for value in values] == ramp_positions(
        values, LEVELS
    ).tolist()


def test_levels_are_the_largest_finite_reach() -> None:
    assert levels_of(frozen([[-2.0, 1.0]]), "scores") == Levels(-2.0, 2.0)
    assert levels_of(np.array([[-np.inf, 1.5]]), "masked") == Levels(-1.5, 1.5)
    assert levels_of(np.array([[-np.inf, -np.inf]]), "masked") == Levels(-1.0, 1.0)
    assert levels_of(frozen([[0.0, 0.0]]), "scores") == Levels(-1.0, 1.0)
    assert levels_of(frozen([[0.0, 0.4]]), "weights") == Levels(0.0, 1.0)
    assert levels_of(frozen([[-1.0, 0.4]]), "weights") == Levels(-1.0, 1.0)


def test_small_images_have_a_pixel_a_cell() -> None:
    values = numbers(30, 50)
    image = matrix_image(values, LEVELS, LIGHT)
    assert (image.height(), image.width()) == (30, 50)
    for row, column in ((0, 0), (29, 49), (3, 17)):
        assert image.pixelColor(column, row) == value_colour(
            LIGHT, LEVELS, float(values[row, column])
        )


def test_large_images_are_means_over_blocks() -> None:
    values = numbers(600, 1024)
    image = matrix_image(values, LEVELS, LIGHT, size=200)
    assert (image.height(), image.width()) == (256, 256)
    starts = np.linspace(0, 600, 256, endpoint=False).astype(int)
    for row, column in ((0, 0), (255, 255), (100, 31)):
        end = starts[row + 1] if row < 255 else 600
        mean = float(
            np.mean([values[i, 4 * column + j] for i in range(starts[row], end) for j in range(4)])
        )
        assert image.pixelColor(column, row) == value_colour(LIGHT, LEVELS, mean)


def test_blocks_that_are_masked_throughout_are_grey_and_others_mean_what_is_left() -> None:
    values = np.full((512, 512), -np.inf)
    values[0, 1] = 2.5
    image = matrix_image(values, LEVELS, LIGHT, size=256)
    assert image.pixelColor(0, 0) == value_colour(LIGHT, LEVELS, 2.5)
    assert image.pixelColor(1, 0) == QColor(LIGHT.ghost)


def test_forbidden_zeros_are_grey_in_images_and_computed_ones_are_not() -> None:
    values, scores = np.zeros((30, 30)), np.zeros((30, 30))
    values[3, 3] = 0.7
    scores[2, 5] = scores[3, 3] = -np.inf
    image = matrix_image(frozen(values), LEVELS, LIGHT, scores=frozen_scores(scores))
    assert image.pixelColor(5, 2) == QColor(LIGHT.ghost)
    assert image.pixelColor(6, 2) == value_colour(LIGHT, LEVELS, 0.0)
    assert image.pixelColor(3, 3) == value_colour(LIGHT, LEVELS, 0.7)


def frozen_scores(scores: Array) -> Array:
    scores.flags.writeable = False
    return scores


def test_images_do_not_keep_old_numbers_alive() -> None:
    values = numbers(20, 20)
    gone = weakref.ref(values)
    matrix_image(values, LEVELS, LIGHT)
    del values
    gc.collect()
    assert gone() is None


def test_what_does_not_stand_yet_is_left_out_of_an_image() -> None:
    values = frozen(np.full((80, 80), 3.7))
    image = painted(MatrixSpec(values, LEVELS, 2, shown=(40, 20)), 80.0)
    full, empty = value_colour(LIGHT, LEVELS, 3.7), QColor("#FFFFFF")
    assert image.pixelColor(60, 39) == full
    assert image.pixelColor(10, 40) == full
    assert image.pixelColor(30, 40) == empty
    assert image.pixelColor(10, 50) == empty


def test_an_enlarged_average_is_cut_to_what_is_seen_and_then_exact() -> None:
    values = numbers(1500, 1500)
    size, clip = 1500 * 4.0, QRectF(0, 0, 120, 80)
    image = painted(MatrixSpec(values, LEVELS, 2), size, clip, origin=-2000.0)
    for row, column in ((502, 503), (510, 525), (517, 508)):
        x, y = column * 4 - 2000 + 2, row * 4 - 2000 + 2
        assert image.pixelColor(x, y) == value_colour(LIGHT, LEVELS, float(values[row, column]))


def test_ghosts_stay_ghosts_in_what_is_cut() -> None:
    values = frozen(np.full((1500, 1500), 3.7))
    size, clip = 1500 * 4.0, QRectF(0, 0, 120, 80)
    image = painted(MatrixSpec(values, LEVELS, 2, shown=(510, 512)), size, clip, origin=-2000.0)
    full, empty = value_colour(LIGHT, LEVELS, 3.7), QColor("#FFFFFF")
    assert image.pixelColor(60, 4 * 509 - 2000 + 2) == full
    assert image.pixelColor(4 * 511 - 2000 + 2, 4 * 510 - 2000 + 2) == full
    assert image.pixelColor(4 * 513 - 2000 + 2, 4 * 510 - 2000 + 2) == empty
    assert image.pixelColor(60, 4 * 512 - 2000 + 2) == empty


def test_a_large_run_is_zoomed_without_making_images(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = run(example("causal", 600))
    prefetch(trace, 1, "light", ROWS)

    def never(*_: object) -> QImage:
        raise AssertionError("made while somebody waits")

    monkeypatch.setattr(matrix_images, "_find_places", never)
    for name in ("scores", "scaled", "masked", "exp", "weights"):
        for pixels in (90.0, 256.0, 300.0, 512.0):
            scores = scores_behind(trace, name, 1)
            image = matrix_image(
                trace.matrix(name, 1), stage_levels(trace, name), LIGHT, pixels, scores
            )
            assert max(image.width(), image.height()) == (256 if pixels <= 256 else 512)


def test_a_full_cache_of_arrays_drops_what_was_used_least_recently() -> None:
    cache: ArrayCache[int] = ArrayCache(2)
    first, second, third = (numbers(2, 2) for _ in range(3))
    made: list[int] = []

    def ask(values: Array, number: int) -> None:
        def make() -> int:
            made.append(number)
            return number

        assert cache.get(values, (), make) == number

    for values, number in ((first, 1), (second, 2), (first, 1), (third, 3), (first, 1)):
        ask(values, number)
    assert made == [1, 2, 3]
    ask(second, 2)
    assert made == [1, 2, 3, 2]


@pytest.mark.parametrize("stopped", [False, True])
def test_images_of_another_head_are_made_beside_the_window(stopped: bool) -> None:
    session = Session(example("causal", 600), Preferences())
    beside: list[str] = []

    def wait(work: Work[object], text: str) -> object:
        beside.append(text)
        if stopped:
            raise UserError("given_up")
        return work(lambda _done, _of: None)

    session.trace_runner.wait = wait
    session.select_head(1)
    assert beside == ["Computing…"]
    assert session.state.cursor.head == 1
    trace = session.state.trace
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            matrix_images, "_find_places", lambda *_: pytest.fail("made while somebody waits")
        )
        if not stopped:
            scores = scores_behind(trace, "weights", 1)
            matrix_image(
                trace.matrix("weights", 1), stage_levels(trace, "weights"), LIGHT, 256, scores
            )
    small = Session(example("causal", 40), Preferences())
    small.trace_runner.wait = wait
    small.select_head(1)
    assert len(beside) == 1


def test_in_other_colours_or_as_columns_a_matrix_is_not_looked_through_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace = run(example("causal", 600))
    looked: list[Array] = []
    reduced = matrix_images._reduced

    def watched(values: Array, most: int) -> object:
        looked.append(values)
        return reduced(values, most)

    monkeypatch.setattr(matrix_images, "_reduced", watched)
    values, scores, levels = (
        trace.matrix("weights", 1),
        scores_behind(trace, "weights", 1),
        Levels(0.0, 1.0),
    )
    assert scores is not None
    image = matrix_image(values, levels, LIGHT, 256, scores)
    dark = matrix_image(values, levels, DARK, 256, scores)
    turned = matrix_image(COLUMNS.matrix(values), levels, LIGHT, 256, COLUMNS.matrix(scores))
    assert len(looked) == 1
    assert dark != image
    mirrored = image.transformed(QTransform(0, 1, 1, 0, 0, 0))
    assert turned == mirrored.convertToFormat(turned.format())
    assert turned != image
    other = matrix_image(trace.matrix("weights", 0), levels, LIGHT, 256, trace.matrix("masked", 0))
    assert len(looked) == 2
    assert other != image


@pytest.mark.parametrize(
    ("size", "most"), [((700, 600), 256), ((300, 1500), 256), ((513, 40), 512)]
)
def test_blocks_of_two_sizes_are_means_and_what_is_not_finite_does_not_count(
    size: tuple[int, int], most: int
) -> None:
    values = np.array(numbers(*size))
    values[np.random.default_rng(1).random(size) < 0.4] = -np.inf
    values[:5, :5] = -np.inf
    small, masked = matrix_images._reduced(values, most)
    rows, columns = ([int(i * n / min(n, most)) for i in range(min(n, most))] + [n] for n in size)
    assert small.shape == (len(rows) - 1, len(columns) - 1)
    for i in (0, 1, 100, len(rows) - 2):
        for j in (0, 2, 17, len(columns) - 2):
            block = values[rows[i] : rows[i + 1], columns[j] : columns[j + 1]]
            finite = [float(x) for x in block.ravel() if np.isfinite(x)]
            assert masked[i, j] == (not finite)
            assert small[i, j] == pytest.approx(
                sum(finite) / len(finite) if finite else 0.0, abs=1e-12
            )
