"""The words of the program, against which pages that name its menus are held."""

from __future__ import annotations

import json
import re

from core.base.files import resource
from gui.texts.translation import languages

_WAY = re.compile(r"((?:[\w*÷ ]+ ▸ )+)\**([\w -]+)")


def plain(text: str) -> str:
    """A text without its key letter, dots and stars."""
    return re.sub(r"\(&.\)|[&…*]", "", text).strip()


def catalogue() -> dict[str, str]:
    """English → Chinese."""
    files = resource("i18n", "zh_CN").glob("*.json")
    return {
        key: text
        for path in files
        for key, text in json.loads(path.read_text(encoding="utf-8")).items()
    }


def words(language: str) -> set[str]:
    """All short texts of the program in a language, as menus show them."""
    return {
        plain(text) for pair in catalogue().items() for text in [pair[languages().index(language)]]
    }


def ways(text: str) -> list[list[str]]:
    """The ways through menus that a text names, such as File ▸ Export."""
    return [[*way.split(" ▸ ")[:-1], end] for way, end in _WAY.findall(text)]


def unknown(text: str, language: str) -> list[str]:
    """The names on these ways that are not the program's.

    Prose may stand before the first name of a way and after the last one.
    """
    known, missed = words(language), []
    for first, *between, last in ways(text):
        missed += [] if any(f" {plain(first)}".endswith(f" {word}") for word in known) else [first]
        missed += [name for name in between if plain(name) not in known]
        missed += [] if any(f"{plain(last)} ".startswith(f"{word} ") for word in known) else [last]
    return missed
