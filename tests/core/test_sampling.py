"""Temperature, cuts, draws and the loss of the next word, against plain loops and published values."""

from __future__ import annotations

import math
import re
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from core.arithmetic.sampling import (
    cut_shares,
    drawn,
    kept,
    random_number,
    random_numbers,
    softmax_at,
    word_loss,
)

SHARES = np.array([0.1, 0.4, 0.05, 0.4, 0.05])


def test_random_numbers_are_those_that_pcg32_publishes() -> None:
    """The demonstration of PCG32: pcg32_srandom(42, 54)."""
    published = [0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E]
    assert list(islice(random_numbers(42), 6)) == [number / 2**32 for number in published]
    assert random_number(42, 3) == 0x83D2F293 / 2**32


def test_the_values_in_the_description_of_the_format_hold() -> None:
    text = Path("docs/format.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (\d+) \| (\d+), (\d+), (\d+) \| ([\d.]+), ", text, re.MULTILINE)
    assert len(table) == 3
    for seed, *outputs, first in table:
        found = list(islice(random_numbers(int(seed)), 3))
        assert [round(number * 2**32) for number in found] == list(map(int, outputs))
        assert repr(found[0]) == first


def test_random_numbers_are_spread_evenly() -> None:
    numbers = np.array(list(islice(random_numbers(0), 20_000)))
    counts, _ = np.histogram(numbers, bins=10, range=(0.0, 1.0))
    assert abs(counts - 2000).max() < 6 * math.sqrt(2000)


def test_temperature_is_the_softmax_of_the_quotient() -> None:
    z = [0.7, -1.2, 2.0]
    for temperature in (0.25, 1.0, 3.0):
        powers = [math.exp(x / temperature) for x in z]
        wanted = [power / sum(powers) for power in powers]
        np.testing.assert_allclose(softmax_at(np.array([z]), temperature)[0], wanted, rtol=1e-13)


def test_a_temperature_near_zero_leaves_the_largest() -> None:
    np.testing.assert_array_equal(softmax_at(np.array([[5.0, 9.0, -3e200]]), 1e-300), [[0, 1, 0]])


def test_top_k_keeps_the_first_of_equal_words() -> None:
    assert kept(SHARES, top_k=1).tolist() == [False, True, False, False, False]
    assert kept(SHARES, top_k=4).tolist() == [True, True, True, True, False]
    assert kept(SHARES, top_k=9).all()


def test_top_p_keeps_the_fewest_that_reach_it() -> None:
    assert kept(SHARES, top_p=0.4).tolist() == [False, True, False, False, False]
    assert kept(SHARES, top_p=0.41).tolist() == [False, True, False, True, False]
    assert kept(SHARES, top_p=0.85).tolist() == [True, True, False, True, False]
    assert kept(SHARES, top_p=1.0).all()
    assert kept(SHARES, top_p=1e-9).sum() == 1


def test_top_p_counts_shares_of_what_top_k_has_left() -> None:
    assert kept(SHARES, top_k=2, top_p=0.5).tolist() == [False, True, False, False, False]
    assert kept(SHARES, top_k=3, top_p=0.5).tolist() == [False, True, False, True, False]


def test_what_is_left_adds_up_to_one() -> None:
    np.testing.assert_allclose(cut_shares(SHARES, top_k=2), [0, 0.5, 0, 0.5, 0])
    np.testing.assert_allclose(cut_shares(SHARES, top_p=0.85), [1 / 9, 4 / 9, 0, 4 / 9, 0])


@pytest.mark.parametrize(
    ("number", "word"),
    [(0.0, 1), (0.3999, 1), (0.4, 3), (0.7999, 3), (0.85, 0), (0.93, 2), (0.999999, 4)],
)
def test_a_draw_falls_on_the_shares_from_the_largest_on(number: float, word: int) -> None:
    assert drawn(SHARES, number) == word


def test_a_draw_never_falls_on_a_word_that_is_cut() -> None:
    thirds = np.array([0.0, 1 / 3, 1 / 3, 1 / 3, 0.0])
    words = {drawn(thirds, number) for number in np.linspace(0, 1, 500, endpoint=False)}
    assert words == {1, 2, 3}
    assert drawn(np.array([0.0, 0.3, 0.7 - 1e-9]), 1 - 2.0**-32) == 1


def test_the_loss_is_minus_the_logarithm() -> None:
    z = np.array([0.5, 2.0, -1.0])
    for temperature in (0.5, 1.0, 2.0):
        p = softmax_at(z[None], temperature)[0]
        for word in range(3):
            assert word_loss(z, temperature, word) == pytest.approx(-math.log(p[word]))
    assert word_loss(np.array([0.0, -5000.0]), 1.0, 1) == 5000.0
