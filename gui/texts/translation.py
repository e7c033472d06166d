"""The language of every sentence: English in the code, the others in resources/i18n. Free of Qt."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache

from core.base.resources import resource

LANGUAGES = ("en", "zh_CN")
LABELS = (
    "one",
    "both",
)  # how labels are said: in the language in force, or followed by the other one
_current = "en"
_labels = "one"

# What ends a label without being a word of a language: placeholders, signs and what stands between them.
_TAIL = re.compile(r"(?:\{\w+\}|[^\w{}])*$")


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


def label(text: str, /, **values: object) -> str:
    """A marked short name in the current language and, where labels are said in both, then in the other one.

    What both end with is said once: “查询 query ↓”, “头 Head 1”.
    """
    own, *others = _templates(text)
    if not others:
        return _filled(own, values)
    other = others[0]
    mine, its = _tail(own), _tail(other)
    if mine and _plain(mine) == _plain(its):
        return _filled(f"{own.removesuffix(mine)} {other.removesuffix(its)}{mine}", values)
    return f"{_filled(own, values)} {_filled(other, values)}"


def label_words(text: str, /, **values: object) -> tuple[str, ...]:
    """The same by language, for narrow places that have room for one or for two lines: the language in force first."""
    return tuple(_filled(template, values) for template in _templates(text))


def gloss(text: str, /) -> str:
    """A label where labels are said in both languages; "" where one is enough, because the words are there already."""
    return label(text) if _labels == "both" else ""


def _templates(text: str) -> tuple[str, ...]:
    return _said(text, _current, _labels)


@lru_cache(maxsize=1024)
def _said(text: str, current: str, labels: str) -> tuple[str, ...]:
    """A label in the languages in which it is said, each wording once."""
    languages = (
        (current, *(one for one in LANGUAGES if one != current)) if labels == "both" else (current,)
    )
    return tuple(dict.fromkeys(_catalogue(language).get(text, text) for language in languages))


def _tail(template: str) -> str:
    found = _TAIL.search(template)
    return found[0] if found else ""


def _plain(tail: str) -> str:
    """A tail without spaces, its punctuation as in any other language."""
    return "".join(unicodedata.normalize("NFKC", tail).split())


def _filled(template: str, values: dict[str, object]) -> str:
    return template.format(**values) if values else template


def current_labels() -> str:
    """How labels are said now, one of LABELS."""
    return _labels


def use_labels(labels: str) -> None:
    """Say labels in one language or in both; called by the session alone, before it tells the views."""
    global _labels
    _labels = labels if labels in LABELS else "one"


@contextmanager
def labelled(labels: str) -> Iterator[None]:
    """Labels said otherwise for a while, such as in one language where there is little room."""
    before = _labels
    use_labels(labels)
    try:
        yield
    finally:
        use_labels(before)


def current_language() -> str:
    """The language in force."""
    return _current


def use_language(language: str) -> None:
    """Switch; called by the session alone, before it tells the views."""
    global _current
    _current = language if language in LANGUAGES else "en"


@contextmanager
def spoken(language: str, labels: str = "one") -> Iterator[None]:
    """Another language for a while, such as that of a paper; the one in force comes back, whatever happens."""
    before = _current
    use_language(language)
    try:
        with labelled(labels):
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
