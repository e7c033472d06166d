"""The language of every sentence: English in the code, the others in resources/i18n. Free of Qt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from core.resources import resource

LANGUAGES = ("en", "zh_CN")
_current = "en"


def tr(text: str, /, **values: object) -> str:
    """A literal English text in the current language, its {placeholders} filled in."""
    translated = _catalogue(_current).get(text, text)
    return translated.format(**values) if values else translated


def mark(text: str) -> str:
    """Marks a literal that is translated later, when it is shown, by tr_marked()."""
    return text


def tr_marked(text: str, /, **values: object) -> str:
    """A text that was marked with mark(), in the current language."""
    return tr(text, **values)


def current_language() -> str:
    """The language in force."""
    return _current


def use_language(language: str) -> None:
    """Switch; called by the session alone, before it tells the views."""
    global _current
    _current = language if language in LANGUAGES else "en"


@contextmanager
def spoken(language: str) -> Iterator[None]:
    """Another language for a while, such as that of a paper; the one in force comes back, whatever happens."""
    before = _current
    use_language(language)
    try:
        yield
    finally:
        use_language(before)


def best_language(wishes: list[str]) -> str:
    """The first of the system's languages that we speak: any Chinese gives zh_CN, anything else en."""
    for wish in wishes:
        if wish.lower().startswith("zh"):
            return "zh_CN"
        if wish.lower().startswith("en"):
            return "en"
    return "en"


@cache
def _catalogue(language: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for path in sorted(resource("i18n", language).glob("*.json")):
        texts.update(json.loads(path.read_text(encoding="utf-8")))
    return texts
