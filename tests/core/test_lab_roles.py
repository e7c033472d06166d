"""Roles: what a speaker hears, against plain loops; 吃 listens to 小明 and 苹果."""

from __future__ import annotations

import math

import pytest

from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Mask
from core.document.edits import with_mask
from core.labs.roles import KEYS, LAB, QUERIES, TOKENS, VALUES, seats
from core.storage.examples import load_example


def by_hand(speaker: int, free: list[int]) -> tuple[list[float], list[float], list[float]]:
    """Dot products, weights and output with nothing but loops."""
    scores = [sum(a * b for a, b in zip(QUERIES[speaker], key, strict=True)) for key in KEYS]
    powers = [math.exp(score / 2) if seat in free else 0.0 for seat, score in enumerate(scores)]
    weights = [power / sum(powers) for power in powers]
    output = [sum(weights[seat] * VALUES[seat][column] for seat in range(5)) for column in range(3)]
    return [float(score) for score in scores], weights, output


@pytest.mark.parametrize("speaker", range(5))
def test_what_is_heard_is_worked_out_by_hand(speaker: int) -> None:
    heard = LAB.compute(LAB.start(None, {"speaker": str(speaker)}))
    scores, weights, output = by_hand(speaker, list(range(5)))
    assert heard.scores.tolist() == scores
    assert heard.weights.tolist() == pytest.approx(weights, abs=1e-15)
    assert heard.y.tolist() == pytest.approx(output, abs=1e-14)


def test_eat_listens_to_who_and_what_and_hardly_to_the_particle() -> None:
    heard = LAB.compute(LAB.start())
    shares = dict(zip(TOKENS, heard.weights, strict=True))
    assert TOKENS[heard.speaker] == "吃"
    assert shares["小明"] == shares["苹果"] > 0.45
    assert shares["了"] < 0.03
    faintest = heard.faintest([TOKENS.index("小明"), TOKENS.index("苹果")])
    assert faintest is not None
    assert TOKENS[faintest] == "了"


def test_a_mask_keeps_seats_from_being_heard() -> None:
    document = with_mask(LAB.start().document, Mask("causal"))
    heard = LAB.compute(LAB.start(document, {"speaker": "1"}))
    assert heard.allowed == (True, True, False, False, False)
    assert heard.weights.tolist() == pytest.approx(by_hand(1, [0, 1])[1], abs=1e-15)
    assert heard.free == (0, 1)
    assert heard.logits.tolist() == [3.0, 0.0, -math.inf, -math.inf, -math.inf]
    assert heard.faintest([0]) == 1  # itself, for there is no other
    assert heard.faintest([0, 1]) is None


def test_every_head_of_an_experiment_is_its_own_table() -> None:
    document = load_example("apple-released-iphone")
    trace = run(document)
    for head in range(document.h):
        setting = LAB.start(document, {"speaker": "2", "head": str(head)})
        heard = LAB.compute(setting)
        assert heard.y.tolist() == trace["heads"][head, 2].tolist()
        assert seats(document, trace, 2, head, 0).weights.tolist() == heard.weights.tolist()


def test_too_many_seats_are_refused() -> None:
    with pytest.raises(UserError, match=r"lab\.unfit"):
        LAB.start(load_example("eight-heads"))
