"""What labs say alike: names in a row, ties, tokens in quotation marks where the language has them."""

from __future__ import annotations

import pytest

from core.document.document import Document
from core.document.edits import with_head_enabled
from core.storage.examples import load_example
from gui.labs.exhibit import head_option
from gui.labs.wording import leaders, listed, quoted, with_off
from gui.texts.translation import use_language


@pytest.mark.parametrize(
    ("names", "english", "chinese"),
    [
        ("", "", ""),
        ("a", "a", "a"),
        ("ab", "a and b", "a和b"),
        ("abc", "a, b and c", "a、b和c"),
        ("abcd", "a, b, c and d", "a、b、c和d"),
        ("abcdefg", "a, b, c and 4 more", "a、b、c和另外 4 个"),
    ],
)
def test_names_in_a_row(names: str, english: str, chinese: str) -> None:
    use_language("en")
    assert listed(tuple(names)) == english
    use_language("zh_CN")
    assert listed(tuple(names)) == chinese


def test_tokens_are_quoted_where_other_words_look_like_them() -> None:
    use_language("en")
    assert (quoted("吃"), quoted(" ")) == ("“吃”", "“␣”")
    use_language("zh_CN")
    assert quoted("吃") == "“吃”"


@pytest.mark.parametrize(
    ("values", "decimals", "places"),
    [
        ([1.0, 3.0, 2.0], 2, [1]),
        ([0.472, 0.1, 0.468], 2, [0, 2]),
        ([0.472, 0.1, 0.468], 3, [0]),
        ([0, -0.0], 2, [0, 1]),
    ],
)
def test_all_that_cannot_be_told_from_the_largest(
    values: list[float], decimals: int, places: list[int]
) -> None:
    assert leaders(values, decimals) == places


def test_a_head_that_is_off_says_so() -> None:
    use_language("en")
    document: Document = with_head_enabled(load_example("apple-released-iphone"), 0, False)
    assert head_option(document, 0) == "Head 1: grammar · off"
    assert head_option(document, 1) == "Head 2: meaning"
    assert with_off("Seen.", document, 1) == "Seen."
    assert with_off("Seen.", document, 0) == (
        "Seen. Head 1: grammar is off: in the concatenation it counts as 0."
    )
