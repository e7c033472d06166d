"""Texts name things by their legend, never by a colour: themes differ, and so do eyes.

Read are all texts of the interface, the lessons, the quiz, the examples and the guide, in both
languages. The few that may name a colour are listed with the reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from core.base.files import resource
from tests.words_kit import catalogue
from tools.check_translations import ROOT

COLOURS = {
    "en": re.compile(
        r"\b(?:red|orange|yellow|green|blue|violet|purple|pink|brown|teal|cyan|magenta|gr[ae]y|black"
        r"|white|pale[rd]?|bright(?:er|est)?|dark(?:er|est)?)(?:ish)?\b",
        re.IGNORECASE,
    ),
    "zh_CN": re.compile(
        r"[红橙橘黄绿蓝青靛紫粉棕褐灰黑白][色的]|[红橙绿蓝紫棕褐]|深色|浅色|变[深浅亮暗]|越[亮暗深浅]"
        r"|点亮|黑屏|白屏"
    ),
}
# What names a colour and may: the part of the text that is taken out before looking for colours.
ALLOWED = {
    "en": (
        r"^Dark$",  # a theme
        r"light, dark, high contrast",  # themes
        r"[Bb]lack(?:, | and |, a )white screen|Now: (?:black|white) screen|\bB black\b",  # a blank screen
        # the word green, a token of an example
        r"prefers green|to green\b|green tea|^green$|(?:gives|although|see|like and) green|^green is",
        r"red apple",  # what a picture shows, in every theme
    ),
    "zh_CN": (
        r"^深色$|^浅色$|浅色、深色、高对比度",
        r"[黑白]屏",  # a blank screen
        r"红苹果",
        r"绿茶",
    ),
}


def strings(value: Any) -> Iterator[str]:
    """All strings in JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


def localized(value: Any, language: str) -> Iterator[str]:
    """The texts of a language in a lesson or quiz file."""
    if isinstance(value, dict):
        if language in value:
            yield from strings(value[language])
            return
        for part in value.values():
            yield from localized(part, language)
    elif isinstance(value, list):
        for part in value:
            yield from localized(part, language)


def texts(language: str) -> Iterator[tuple[str, str]]:
    """Every text that people read in a language, with its place."""
    for english, chinese in catalogue().items():
        yield "catalogue", english if language == "en" else chinese
    for folder in ("lessons", "quiz"):
        for path in sorted(resource(folder).glob("*.json")):
            file = json.loads(path.read_text(encoding="utf-8"))
            yield from ((path.name, text) for text in localized(file, language))
    guide = ROOT / "docs" / "guide" / f"{language}.md"
    yield from ((guide.name, line) for line in guide.read_text(encoding="utf-8").splitlines())


def colours_in(text: str, language: str) -> list[str]:
    """The colour words of a text, without those that it may use."""
    for allowed in ALLOWED[language]:
        text = re.sub(allowed, "", text)
    return COLOURS[language].findall(text)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_no_text_names_a_colour(language: str) -> None:
    read = list(texts(language))
    assert len(read) > 2000
    assert [
        (place, found, text) for place, text in read if (found := colours_in(text, language))
    ] == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Drag dₖ up to 1024 and watch the orange bars."),
        ("en", "Blue bars are products of matrices."),
        ("en", "The framed cells become dark one after the other."),
        ("en", "brighter = more"),
        ("zh_CN", "看橙色的柱子"),
        ("zh_CN", "蓝色条是矩阵乘法"),
        ("zh_CN", "带框的格子一个接一个变深"),
        ("zh_CN", "越亮越多"),
    ],
)
def test_a_colour_is_found(language: str, text: str) -> None:
    assert colours_in(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Row 4 sees all four words and prefers green."),
        ("en", "colours: light, dark, high contrast, or a chalkboard"),
        ("en", "one color scale for every view"),
        ("zh_CN", "空白格有待预测"),
        ("zh_CN", "浅色、深色、高对比度和黑板"),
    ],
)
def test_what_is_no_colour_is_let_through(language: str, text: str) -> None:
    assert not colours_in(text, language)
