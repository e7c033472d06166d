"""The word in two sentences: what is written is what the core worked out."""

from __future__ import annotations

import pytest

from core.labs.context import LAB, SENTENCES
from core.numbers import show
from gui.labs.context import EXHIBIT
from tests.gui.labs_kit import drawn_texts


@pytest.mark.parametrize("name", SENTENCES)
def test_what_is_written_is_what_was_worked_out(qapp: object, name: str) -> None:
    setting = LAB.start(None, {"first": name})
    result = LAB.work_out(setting)
    texts = drawn_texts("context", setting)
    for meaning in (result.first, result.second):
        assert set(meaning.document.tokens) <= set(texts)
        for number in (*meaning.weights, *meaning.y[:2]):
            assert show(float(number), 2) in texts
    assert f"cos(y₁, y₂) = {show(result.cosine, 2)}" in texts


def test_a_sentence_is_read_in_the_list(qapp: object) -> None:
    assert EXHIBIT.option("first", "releases", LAB.start()) == "苹果 发布 iPhone"
