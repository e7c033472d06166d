"""The lab of positions, against plain formulas, complex numbers and the trace of the experiment it hands over."""

from __future__ import annotations

import cmath
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arithmetic.positional_encoding import alibi_slopes, sinusoidal
from core.base.arrays import frozen
from core.compute.trace import run
from core.document.document import Document, Head, Positional
from core.labs.controls import ends
from core.labs.positions import (
    LAB,
    compare,
    encode,
    experiment_of,
    published_slopes,
    spread,
    turned_pairs,
)

SIZES = st.tuples(
    st.integers(2, 64), st.integers(2, 64), st.sampled_from([2.0, 10.0, 10000.0, 100000.0])
)


@given(SIZES, st.data())
@settings(max_examples=60)
def test_the_table_and_its_shift_by_plain_formulas(
    sizes: tuple[int, int, float], data: st.DataObject
) -> None:
    n, d, base = sizes
    position, shift = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    encoding = encode(n, d, base, position, shift)
    for column in range(d):
        frequency = base ** (-2 * (column // 2) / d)
        wave = math.cos if column % 2 else math.sin
        assert encoding.table[position, column] == pytest.approx(
            wave(position * frequency), abs=1e-12
        )
        assert encoding.there[column] == pytest.approx(
            wave((position + shift) * frequency), abs=1e-12
        )
    assert encoding.error < 1e-12


@given(SIZES, st.integers(0, 63))
@settings(max_examples=40)
def test_a_shift_turns_each_pair_as_a_complex_number_does(
    sizes: tuple[int, int, float], shift: int
) -> None:
    """(sin a, cos a) is the clock hand i·e^(−ia), which a shift multiplies by e^(−it)."""
    n, d, base = sizes
    pairs = d // 2
    rows = sinusoidal(n, d, base)[:, : 2 * pairs]
    turns = np.array([shift * base ** (-2 * pair / d) for pair in range(pairs)])
    turned = turned_pairs(rows, turns)
    for pair in range(pairs):
        for row in range(0, n, 7):
            hand = complex(rows[row, 2 * pair], rows[row, 2 * pair + 1]) * cmath.exp(
                -1j * turns[pair]
            )
            assert turned[row, 2 * pair] == pytest.approx(hand.real, abs=1e-9)
            assert turned[row, 2 * pair + 1] == pytest.approx(hand.imag, abs=1e-9)


def test_a_wrong_rotation_is_not_taken_for_a_shift() -> None:
    rows = sinusoidal(20, 6)
    off = turned_pairs(rows[:15], np.array([5.0, 5.0, 5.0]))
    assert np.abs(off - rows[5:]).max() > 0.5


@given(SIZES)
@settings(max_examples=30)
def test_waves_go_through_the_table(sizes: tuple[int, int, float]) -> None:
    n, d, base = sizes
    encoding = encode(n, d, base, 0, 0)
    for place in range(n):
        at = int(np.argmin(np.abs(encoding.times - place)))
        assert encoding.times[at] == pytest.approx(place, abs=1e-9)
        np.testing.assert_allclose(encoding.waves[at], encoding.table[place], atol=1e-9)


@pytest.mark.parametrize("d", [2, 8, 16, 64])
@pytest.mark.parametrize("base", [2.0, 10000.0])
def test_dot_products_are_sums_of_cosines_of_the_distance(d: int, base: float) -> None:
    n, position = 17, 5
    found = compare(sinusoidal(n, d, base), base, position, 4, 1)
    for j in range(n):
        theory = sum(math.cos((position - j) * base ** (-2 * pair / d)) for pair in range(d // 2))
        assert found.dots[j] == pytest.approx(theory, abs=1e-12)
    assert found.spread_dots < 1e-12


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("d", [4, 16, 7])
def test_under_drawn_projections_only_rotary_and_alibi_keep_to_the_distance(
    seed: int, d: int
) -> None:
    found = compare(sinusoidal(17, d, 100.0), 100.0, 5, 4, seed, drawn=True)
    assert found.spread_dots > 0.1
    assert found.spread_turned < 1e-12
    assert found.spread_biases == 0.0


@pytest.mark.parametrize("factor", [1.0, 0.25])
def test_multiples_of_the_identity_keep_sinusoidal_scores_to_the_distance(factor: float) -> None:
    document = experiment_of(12, 6, 100.0)
    head = replace(document.heads[0], W_Q=frozen(np.eye(6) * factor))
    scores = run(document.with_(heads=(head,)))["scores"][0]
    assert spread(scores) < 1e-12
    np.testing.assert_allclose(scores, scores.T, atol=1e-12)  # before and after alike


@pytest.mark.parametrize("seed", range(4))
def test_rotary_scores_depend_on_the_signed_distance_under_any_projections(seed: int) -> None:
    """In a whole experiment: equal tokens, drawn weights, biases too."""
    rng = np.random.default_rng(seed)
    n, d, k = 9, 5, 6
    row = rng.normal(size=d)
    document = Document(
        tuple("a" * n),
        (
            Head(
                W_Q=frozen(rng.normal(size=(d, k))),
                W_K=frozen(rng.normal(size=(d, k))),
                W_V=frozen(np.eye(d)),
                b_Q=frozen(rng.normal(size=k)),
                b_K=frozen(rng.normal(size=k)),
            ),
        ),
        X=frozen(np.tile(row, (n, 1))),
        positional=Positional("rotary"),
    )
    scores = run(document)["scores"][0]
    assert spread(scores) < 1e-10
    assert np.abs(scores - scores.T).max() > 0.01  # the sign counts


def published(n: int) -> list[float]:
    """Return the slopes as Press et al. describe their code, for powers of two and in between."""
    if n & (n - 1) == 0:
        first = 2.0 ** (-8.0 / n)
        return [first ** (power + 1) for power in range(n)]
    lower = 2 ** math.floor(math.log2(n))
    return published(lower) + published(2 * lower)[0::2][: n - lower]


@pytest.mark.parametrize("heads", range(1, 17))
def test_published_slopes_are_those_of_the_authors(heads: int) -> None:
    assert published_slopes(heads).tolist() == pytest.approx(published(heads))
    power = heads & (heads - 1) == 0
    assert (
        published_slopes(heads).tolist() == pytest.approx(alibi_slopes(heads).tolist())
    ) is power


def test_an_odd_width_breaks_that() -> None:
    assert compare(sinusoidal(17, 7, 10.0), 10.0, 5, 4, 1).spread_dots > 0.1


@pytest.mark.parametrize("d", [2, 7, 16])
def test_rotary_scores_by_complex_numbers(d: int) -> None:
    n, base, position = 13, 100.0, 4
    found = compare(sinusoidal(n, d, base), base, position, 3, 9)
    for j in range(n):
        total = float(found.q[-1] * found.k[-1]) if d % 2 else 0.0
        for pair in range(d // 2):
            q = complex(found.q[2 * pair], found.q[2 * pair + 1])
            k = complex(found.k[2 * pair], found.k[2 * pair + 1])
            total += (
                q * k.conjugate() * cmath.exp(1j * (position - j) * base ** (-2 * pair / d))
            ).real
        assert found.turned[j] == pytest.approx(total / math.sqrt(d), abs=1e-12)
    assert found.spread_turned < 1e-12


def test_rotary_tells_before_from_after_and_alibi_does_not() -> None:
    found = compare(sinusoidal(11, 8), 10000.0, 5, 3, 1)
    assert abs(found.turned[3] - found.turned[7]) > 0.01
    for head, slope in enumerate((2.0 ** (-8 / 3), 2.0 ** (-16 / 3), 2.0**-8)):
        for j in range(11):
            assert found.biases[head, j] == pytest.approx(-slope * abs(5 - j))
    assert found.spread_biases == 0.0


def test_spread_is_that_of_plain_loops() -> None:
    scores = np.random.default_rng(3).normal(size=(6, 6))
    worst = 0.0
    for i in range(6):
        for j in range(6):
            for step in range(6):
                if i + step < 6 and j + step < 6:
                    worst = max(worst, abs(float(scores[i, j] - scores[i + step, j + step])))
    assert spread(scores) == worst


@pytest.mark.parametrize(("n", "d"), [(5, 6), (9, 7)])
def test_the_scores_of_the_experiment_are_the_dot_products(n: int, d: int) -> None:
    trace = run(experiment_of(n, d, 50.0))
    found = compare(sinusoidal(n, d, 50.0), 50.0, 3, 4, 1)
    np.testing.assert_allclose(trace["scores"][0][3], found.dots, atol=1e-12)
    np.testing.assert_array_equal(trace["input"], encode(n, d, 50.0, 0, 0).table)


def test_position_and_shift_keep_within_the_table() -> None:
    setting = LAB.start(values={"n": 40, "position": 39, "shift": 39})
    small = LAB.with_value(setting, "n", 2)
    assert small["position"] in (0, 1)
    assert small["shift"] in (0, 1)
    assert LAB.document(small).n == 2


@pytest.mark.parametrize("view", ["table", "shift", "distance"])
def test_every_end_gives_finite_numbers(view: str) -> None:
    start = LAB.start(values={"view": view})
    for n in (2, 64):
        setting = LAB.with_value(start, "n", n)
        for control in LAB.valued(setting):
            for end in ends(LAB.control(setting, control.id)):
                result = LAB.compute(LAB.with_value(setting, control.id, end))
                for part in (result.encoding, result.distances):
                    for name in type(part).__slots__:
                        assert np.isfinite(getattr(part, name)).all(), name
