"""Cross-attention: an n × m alignment by plain loops, and an order of the other sentence that changes no word."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.base.errors import UserError
from core.labs.cross import LAB, MEANINGS, PAIRS, STRENGTH, WORDS
from core.storage.examples import load_example


def by_hand(written: tuple[str, ...], read: tuple[str, ...], sharpness: float) -> list[list[float]]:
    """The weights with nothing but loops over the dictionary of meanings."""
    rows = []
    for word in written:
        scores = [
            sharpness
            * STRENGTH**2
            * sum(WORDS[word].get(m, 0) * WORDS[other].get(m, 0) for m in MEANINGS)
            / math.sqrt(len(MEANINGS))
            for other in read
        ]
        powers = [math.exp(score) for score in scores]
        rows.append([power / sum(powers) for power in powers])
    return rows


@pytest.mark.parametrize("sharpness", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("name", PAIRS)
def test_alignments_by_hand(name: str, sharpness: float) -> None:
    result = LAB.compute(LAB.start(None, {"pair": name, "sharpness": sharpness}))
    written, read = PAIRS[name]
    assert result.weights.shape == (len(written), len(read))
    assert result.weights == pytest.approx(np.array(by_hand(written, read, sharpness)), abs=1e-14)


def test_each_word_finds_its_own() -> None:
    result = LAB.compute(LAB.start(None, {"pair": "eaten"}))
    found = {
        word: result.document.key_tokens[place]
        for word, place in zip(result.document.tokens, result.best, strict=True)
    }
    assert found == {"the": "猫", "cat": "猫", "has": "了", "eaten": "吃", "fish": "鱼"}
    assert (
        result.crossings == 4 + 1
    )  # fish stands last here and first there; has comes before eaten here


def test_the_order_of_the_other_sentence_moves_columns_and_changes_no_output() -> None:
    setting = LAB.start()
    plain, turned = LAB.compute(setting), LAB.compute(LAB.press(setting, "reverse"))
    assert turned.document.key_tokens == tuple(reversed(plain.document.key_tokens))
    assert turned.weights.tolist() == plain.weights[:, ::-1].tolist()
    assert turned.y == pytest.approx(plain.y, abs=1e-15)


def test_one_sentence_alone_does_not_fit() -> None:
    with pytest.raises(UserError, match=r"cross\.one"):
        LAB.start(load_example("cat-eats-fish"))


def test_an_experiment_of_ones_own_keeps_its_heads() -> None:
    example = load_example("translation")
    document = example.with_(heads=example.heads * 2)
    setting = LAB.start(document, {"head": "1"})
    assert "pair" not in setting.values
    assert LAB.compute(setting).weights.shape == (4, 5)
