"""Context: the same x, outputs worked out with plain loops, and parts that sum to y."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.compute.trace import run
from core.labs.context import LAB, SENTENCES, SHARPEST, WORD, WORDS, cosine


def by_hand(tokens: tuple[str, ...], sharpness: float) -> tuple[list[float], list[float]]:
    """Weights and output of the word, with nothing but loops."""
    x = WORDS[WORD]
    scores = [
        sharpness * (x[0] * WORDS[token][0] + x[1] * WORDS[token][1]) / math.sqrt(2)
        for token in tokens
    ]
    powers = [math.exp(score) for score in scores]
    weights = [power / sum(powers) for power in powers]
    y = [
        sum(weight * WORDS[token][i] for weight, token in zip(weights, tokens, strict=True))
        for i in range(4)
    ]
    return weights, y


@pytest.mark.parametrize("sharpness", [0.0, 1.0, SHARPEST])
@pytest.mark.parametrize("name", SENTENCES)
def test_the_word_in_each_sentence_by_hand(name: str, sharpness: float) -> None:
    result = LAB.compute(LAB.start(None, {"first": name, "sharpness": sharpness}))
    weights, y = by_hand(SENTENCES[name], sharpness)
    assert result.first.weights.tolist() == pytest.approx(weights, abs=1e-15)
    assert result.first.y.tolist() == pytest.approx(y, abs=1e-14)
    assert result.first.parts.sum(axis=0).tolist() == pytest.approx(y, abs=1e-14)
    assert result.inputs == pytest.approx(1.0, abs=1e-15)


def test_eaten_it_is_a_fruit_and_released_a_company() -> None:
    result = LAB.compute(LAB.start())
    assert result.first.fruit > 2 * result.first.tech
    assert result.second.tech > 2 * result.second.fruit
    assert result.cosine < 0.5


def test_alone_it_stays_what_it_is() -> None:
    result = LAB.compute(LAB.start(None, {"first": "alone", "sharpness": SHARPEST}))
    assert result.first.y.tolist() == list(WORDS[WORD])


def test_the_chosen_sentence_is_handed_over() -> None:
    for side in ("first", "second"):
        setting = LAB.start(None, {"opens": side})
        document = LAB.document(setting)
        assert document.tokens == SENTENCES[setting[side]]
        assert run(document)["Y"].tolist()


def test_cosines_of_known_angles() -> None:
    assert cosine(np.array([1.0, 0.0]), np.array([1.0, math.sqrt(3)])) == pytest.approx(
        0.5, abs=1e-15
    )
    assert cosine(np.array([1.0, 2.0]), np.array([-2.0, -4.0])) == pytest.approx(-1.0, abs=1e-15)
    assert cosine(np.zeros(2), np.array([1.0, 2.0])) == 0.0
