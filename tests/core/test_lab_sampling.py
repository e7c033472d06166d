"""Sampling: cuts against their definitions word by word, every order ends in a softmax over what is left, draws by the count."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import UserError
from core.compute.trace import run
from core.labs.sampling import LAB, ORDERS, SamplingResult, sampling_steps
from tests.core.documents import make

LOGITS = st.lists(
    st.integers(-40, 40).map(lambda tenth: tenth / 10), min_size=2, max_size=8, unique=True
)
TEMPERATURES = st.sampled_from([0.3, 0.5, 1.0, 1.5, 4.0])


def at(**values: object) -> SamplingResult:
    return LAB.compute(LAB.start(values=values))


def softmax(logits: list[float], words: set[int], temperature: float) -> dict[int, float]:
    """Shares of some words, the others left out."""
    powers = {word: math.exp(logits[word] / temperature) for word in words}
    return {word: power / math.fsum(powers.values()) for word, power in powers.items()}


def smallest_nucleus(shares: dict[int, float], p: float) -> set[int]:
    """The smallest set of words that together reach p, and of these the most probable one."""
    for size in range(1, len(shares) + 1):
        sets = [
            set(chosen)
            for chosen in combinations(shares, size)
            if math.fsum(shares[word] for word in chosen) >= p - 1e-12
        ]
        if sets:
            return max(sets, key=lambda chosen: math.fsum(shares[word] for word in chosen))
    return set(shares)


def by_definition(
    logits: list[float], order: str, temperature: float, k: int, p: float
) -> tuple[set[int], dict[int, float]]:
    words, now = set(range(len(logits))), 1.0
    for operation in ORDERS[order]:
        if operation == "temperature":
            now = temperature
        elif operation == "top_k":
            words = set(sorted(words, key=lambda word: -logits[word])[:k])
        else:
            words = smallest_nucleus(softmax(logits, words, now), p)
    return words, softmax(logits, words, now)


@given(
    LOGITS,
    st.sampled_from(sorted(ORDERS)),
    TEMPERATURES,
    st.integers(1, 8),
    st.sampled_from([0.07, 0.33, 0.61, 0.87, 1.0]),
)
def test_each_order_keeps_the_words_and_shares_of_its_definition(
    logits: list[float], order: str, temperature: float, k: int, p: float
) -> None:
    last = sampling_steps(np.array(logits), order, temperature, k, p)[-1]
    words, shares = by_definition(logits, order, temperature, k, p)
    if p < 1.0:  # at 1 a word whose share is below rounding may be cut
        assert set(np.flatnonzero(last.kept).tolist()) == words
    for word, share in enumerate(last.shares.tolist()):
        assert share == pytest.approx(shares.get(word, 0.0), abs=1e-12)


@given(LOGITS, st.sampled_from(sorted(ORDERS)), TEMPERATURES, st.integers(1, 8))
def test_shares_sum_to_one_after_every_operation(
    logits: list[float], order: str, temperature: float, k: int
) -> None:
    for step in sampling_steps(np.array(logits), order, temperature, k, 0.7):
        assert math.fsum(step.shares) == pytest.approx(1.0, abs=1e-12)
        assert not step.shares[~step.kept].any()
        shares = [share for share in step.shares.tolist() if share > 0.0]
        expected = -math.fsum(share * math.log(share) for share in shares)
        assert step.entropy == pytest.approx(expected, abs=1e-12)


def test_the_order_decides_which_words_are_left() -> None:
    assert at().left == {"t-k-p": 4, "t-p-k": 5, "k-p-t": 3}
    assert len(set(at(temperature=1.0, top_p=1.0).left.values())) == 1


def test_a_higher_temperature_raises_the_entropy_and_keeps_the_ranking() -> None:
    found = [at(temperature=t, top_k=8, top_p=1.0).steps[-1] for t in (0.1, 0.5, 1.0, 3.0, 10.0)]
    entropies = [step.entropy for step in found]
    assert entropies == sorted(entropies)
    assert all((np.diff(step.shares) < 0).all() for step in found)
    assert entropies[-1] < math.log(8)


def test_greedy_decoding_is_one_word() -> None:
    assert at(top_k=1, draws=50).counts.tolist() == [50, 0, 0, 0, 0, 0, 0, 0]


def test_draws_are_where_the_random_numbers_fall() -> None:
    result = at(draws=300, seed=7)
    ends = np.cumsum(result.shares)  # the words are in the order of their shares
    assert (np.diff(result.logits) < 0).all()
    for number, place in zip(result.numbers, result.places, strict=True):
        assert ends[place] - result.shares[place] <= number < ends[place]
    assert result.counts.tolist() == [result.places.count(word) for word in range(8)]


def test_the_first_numbers_of_pcg32() -> None:
    """The reference generator (O'Neill, pcg_basic) with seed 42 and sequence 54."""
    expected = [0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E]
    assert at(draws=6, seed=42).numbers.tolist() == [word / 2**32 for word in expected]


def test_more_draws_continue_the_fewer() -> None:
    few, many = at(draws=30), at(draws=90)
    assert many.places[:30] == few.places
    assert at(draws=30, seed=2).places != few.places


def test_frequencies_stay_within_two_deviations_about_as_often_as_theory_says() -> None:
    """For four words and 60 seeds: close to the 95 % of the normal distribution."""
    inside = sum(at(draws=1000, seed=seed).within for seed in range(60))
    assert 0.9 <= inside / (60 * 4) <= 1.0
    assert inside < 60 * 4


@pytest.mark.parametrize("order", sorted(ORDERS))
@pytest.mark.parametrize("temperature", [0.5, 1.0, 1.5])
def test_the_experiment_handed_over_has_the_shares_as_weights(
    order: str, temperature: float
) -> None:
    setting = LAB.start(values={"order": order, "temperature": temperature})
    weights = run(LAB.document(setting))["weights"][0, 0]
    np.testing.assert_allclose(weights, LAB.compute(setting).shares, rtol=0, atol=1e-14)


def test_without_draws_nothing_is_counted() -> None:
    result = at(draws=0)
    assert (result.draws, result.counts.sum()) == (0, 0)
    assert not result.frequencies.any()


def test_it_takes_no_experiment() -> None:
    with pytest.raises(UserError) as caught:
        LAB.start(make(3))
    assert caught.value.data["reason"] == "lab.own"
