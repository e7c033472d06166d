"""What the lessons of the course claim in numbers, computed with plain loops."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from core.base.files import resource
from core.compute.trace import run
from core.labs.softmax import LAB as SOFTMAX
from core.lesson.lesson import lesson_path, load, resolve
from core.storage.examples import example_path, load_example
from tests.core.gpt_kit import PlainGpt

LANGUAGES = ("en", "zh_CN")
PRINTED_SCORES = ("0.82", "0.50", "0.26")
PRINTED_SOFTMAX = ("0.24", "0.04", "0.19", "0.53")


def attend(X: list[list[float]], *, causal: bool) -> tuple[list[list[float]], list[list[float]]]:
    """Weights and output of the example of four words, without NumPy."""
    head = json.loads(example_path("four-words-causal").read_text(encoding="utf-8"))["heads"][0]

    def times(a: list[list[float]], b: list[list[float]]) -> list[list[float]]:
        return [
            [
                sum(x * y for x, y in zip(row, column, strict=True))
                for column in zip(*b, strict=True)
            ]
            for row in a
        ]

    q, k, v = (times(X, head[f"W_{name}"]) for name in "QKV")
    weights = []
    for place, row in enumerate(q):
        seen = place + 1 if causal else len(k)
        powers = [
            math.exp(sum(a * b for a, b in zip(row, key, strict=True)) / 2) for key in k[:seen]
        ]
        weights.append([power / sum(powers) for power in powers] + [0.0] * (len(k) - seen))
    return weights, times(weights, v)


def said(lesson_id: str, scene: int, language: str) -> str:
    found = load(lesson_path(lesson_id)).scenes[scene]
    return " ".join(part.get(language) for part in (found.say, found.question, found.answer))


@pytest.mark.parametrize("language", LANGUAGES)
def test_gpt_and_bert_differ_as_the_lesson_says(language: str) -> None:
    X = json.loads(example_path("four-words-causal").read_text(encoding="utf-8"))["X"]
    other = [*X[:3], [1, 0, 0]]
    bert, seen_by_bert = attend(X, causal=False)
    gpt, seen_by_gpt = attend(X, causal=True)
    assert f"{bert[1][2]:.2f}" in said("gpt-and-bert", 0, language)
    for weight in gpt[1][:2]:
        assert f"{weight:.2f}" in said("gpt-and-bert", 1, language)
    assert gpt[1][2:] == [0.0, 0.0]
    _, changed = attend(other, causal=False)
    for row in (seen_by_bert[0], changed[0]):
        assert f"({row[0]:.2f}, {row[1]:.2f})" in said("gpt-and-bert", 2, language)
    _, changed = attend(other, causal=True)
    assert changed[:3] == seen_by_gpt[:3]
    assert changed[3] != seen_by_gpt[3]
    for row in changed[:3]:
        assert f"({row[0]:.2f}, {row[1]:.2f})" in said("gpt-and-bert", 3, language)


def test_scenes_of_gpt_and_bert_show_these_masks_and_words() -> None:
    lesson = load(lesson_path("gpt-and-bert"))
    documents = [resolve(lesson, place).document for place in range(4)]
    assert [document.mask.kind for document in documents] == ["none", "causal", "none", "causal"]
    X = load_example("four-words-causal").X
    assert X is not None
    for place, document in enumerate(documents):
        assert document.X is not None
        assert np.array_equal(document.X[:3], X[:3])
        assert document.X[3].tolist() == ([1, 0, 0] if place >= 2 else X[3].tolist())


@pytest.mark.parametrize("language", LANGUAGES)
def test_six_of_seven_printed_numbers_are_wrong(language: str) -> None:
    file = json.loads(example_path("cat-eats-fish").read_text(encoding="utf-8"))["heads"][0]
    scores = [
        f"{sum(a * b for a, b in zip(file['Q'][0], key, strict=True)):.2f}" for key in file["K"]
    ]
    powers = [math.exp(score) for score in (2.1, 0.5, 1.8, 3.2)]
    weights = [f"{power / sum(powers):.2f}" for power in powers]
    wrong = [
        (printed, right)
        for printed, right in zip(
            (*PRINTED_SCORES, *PRINTED_SOFTMAX), (*scores, *weights), strict=True
        )
        if printed != right
    ]
    assert len(wrong) == 6
    assert sum(map(float, PRINTED_SOFTMAX)) == pytest.approx(1.0)
    texts = [said("six-wrong-numbers", scene, language) for scene in range(5)]
    assert all(number in texts[0] for number in (*PRINTED_SCORES, *scores))
    assert all(number in texts[1] for number in scores)
    assert all(number in texts[2] for number in PRINTED_SOFTMAX)
    assert all(number in texts[3] for number in weights)
    assert f"{math.exp(1.1):.1f}" in texts[2]
    assert f"{0.53 / 0.24:.1f}" in texts[2]


def test_scenes_of_the_six_numbers_show_what_is_asked_and_hide_the_answer() -> None:
    lesson = load(lesson_path("six-wrong-numbers"))
    first, third, fourth = (resolve(lesson, place) for place in (0, 2, 3))
    assert first.cursor.stage == "K"  # before the scores
    assert run(third.document)["scores"][0, 0].tolist() == [2.1, 0.5, 1.8, 3.2]
    assert third.cursor.stage == "scores"  # before the weights
    assert fourth.scene.demo is not None
    assert SOFTMAX.compute(
        SOFTMAX.start(values=json.loads(fourth.scene.demo.json))
    ).scores.tolist() == [
        2.1,
        0.5,
        1.8,
        3.2,
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_trained_model_looks_where_the_lesson_says(language: str) -> None:
    plain = PlainGpt(resource("models", "copying"))
    ids = np.array([[plain.vocabulary[letter] for letter in "epqwpq"]])
    logits, (first, second) = plain.run(ids)
    behind = [first[0, 1, place, place - 1] for place in range(1, 6)]
    assert min(behind) >= 0.99
    assert f"{behind[3]:.2f}" in said("trained-copying", 1, language)
    assert max(first[0, head, 5, 4] for head in (0, 2, 3)) < 0.5
    assert second[0, 0, 4, 2] >= 0.99
    assert f"{second[0, 0, 5, 3]:.2f}" in said("trained-copying", 3, language)
    assert logits[0, 5].argmax() == plain.vocabulary["w"]
    without, (_, lost) = plain.run(ids, off={(0, 1)})
    assert f"{lost[0, 0, 5, 1]:.2f}" in said("trained-copying", 5, language)
    assert f"{lost[0, 0, 5, 3]:.2f}" in said("trained-copying", 5, language)
    assert without[0, 5].argmax() != plain.vocabulary["w"]
    shown = resolve(load(lesson_path("trained-copying")), 5)
    np.testing.assert_allclose(run(shown.document)["weights"], lost[0], atol=1e-3)
