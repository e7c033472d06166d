"""The language of every sentence: English in the code, the others as catalogues in folders. Free of
Qt.

A folder resources/i18n/<code> makes a language: every *.json in it maps English texts to
translations, and language.json gives the language's own name. Only example-tokens.json is no
catalogue: it names the tokens of the examples, for English too. Further folders come from
`find_languages` or the variable ATTENTION_STEPPER_LANGUAGES.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path

from core.base.files import EXAMPLE_TOKENS, resource

SOURCE = "en"  # the language of the texts in the code
SOURCE_NAME, SOURCE_TAG = "English", "en-US"
FOLDER_VARIABLE = "ATTENTION_STEPPER_LANGUAGES"  # a folder with further languages, one folder each
DESCRIPTION = "language.json"  # in the folder of a language: its name in itself
# Labels in the current language, or in two languages at once.
LABELS = ("one", "both")
_current = SOURCE
_labels = "one"

# The end of a label that is no word: placeholders and signs.
_TAIL = re.compile(r"(?:\{\w+\}|[^\w{}])*$")


_folders: dict[str, Path] = {}  # by language, without the source language


def find_languages(*extra: Path) -> None:
    """Look for languages: the shipped ones, those of the environment variable, those of further
    folders.
    """
    variable = os.environ.get(FOLDER_VARIABLE, "")
    roots = [resource("i18n"), *([Path(variable)] if variable else []), *extra]
    found = [folder for root in roots for folder in root.glob(f"*/{DESCRIPTION}")]
    _folders.clear()
    _catalogue.cache_clear()
    _wordings.cache_clear()
    _folders.update(sorted((file.parent.name, file.parent) for file in found))
    use_language(_current)


def languages() -> tuple[str, ...]:
    """The codes of all languages, English first."""
    return (SOURCE, *_folders)


def language_folder(language: str = "") -> Path:
    """The folder that names the tokens of the examples in a language, by default the current one;
    that of English for a language without such names.
    """
    own, english = _folders.get(language or _current), resource("i18n", SOURCE)
    return own if own is not None and (own / EXAMPLE_TOKENS).is_file() else english


def language_name(language: str) -> str:
    """The name of a language in itself."""
    return _description(language)["name"]


def language_tag(language: str) -> str:
    """The tag of a language (BCP 47), such as zh-CN."""
    return _description(language).get("tag", language.replace("_", "-"))


def _description(language: str) -> dict[str, str]:
    if language not in _folders:
        return {"name": SOURCE_NAME, "tag": SOURCE_TAG}
    text = (_folders[language] / DESCRIPTION).read_text(encoding="utf-8")
    description: dict[str, str] = json.loads(text)
    return description


def label_languages() -> tuple[str, ...]:
    """The languages of labels: the current one and, where labels are in both, English or the first
    other one.
    """
    return (_current, *_second_language()) if _labels == "both" else (_current,)


def both_names() -> tuple[str, str]:
    """The names of the current language and of the second one of labels, which may be the same."""
    second, *_ = (*_second_language(), _current)
    return language_name(_current), language_name(second)


def _second_language() -> tuple[str, ...]:
    return next(((language,) for language in languages() if language != _current), ())


def tr(text: str, /, **values: object) -> str:
    """Translate a literal English text into the current language and fill in its {placeholders}."""
    translated = _catalogue(_current).get(text, text)
    return translated.format(**values) if values else translated


def mark(text: str) -> str:
    """Mark a literal for translation; tr_marked() translates it when it is shown."""
    return text


def tr_marked(text: str, /, **values: object) -> str:
    """Translate a text marked with mark()."""
    return tr(text, **values)


def label(text: str, /, **values: object) -> str:
    """A marked short name in the current language, followed by the second one where labels are in
    both.

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
    """The wordings of a label by language, the current one first, for places with one or two lines."""
    return tuple(_filled(template, values) for template in _templates(text))


def localized_label(texts: Mapping[str, str], fallback: str) -> str:
    """A text that an author wrote in several languages, in those of labels; else the fallback."""
    written = [texts[language] for language in label_languages() if texts.get(language)]
    return " · ".join(dict.fromkeys(written)) or fallback


def gloss(text: str, /) -> str:
    """A label in both languages beside a text that names the thing already; "" where labels are in
    one.
    """
    return label(text) if _labels == "both" else ""


def _templates(text: str) -> tuple[str, ...]:
    return _wordings(text, label_languages())


@lru_cache(maxsize=1024)
def _wordings(text: str, asked: tuple[str, ...]) -> tuple[str, ...]:
    """A label in some languages, each wording once."""
    return tuple(dict.fromkeys(_catalogue(language).get(text, text) for language in asked))


def _tail(template: str) -> str:
    found = _TAIL.search(template)
    return found[0] if found else ""


def _plain(tail: str) -> str:
    """A tail without spaces and with plain punctuation."""
    return "".join(unicodedata.normalize("NFKC", tail).split())


def _filled(template: str, values: dict[str, object]) -> str:
    return template.format(**values) if values else template


def current_labels() -> str:
    """The current kind of labels, one of LABELS."""
    return _labels


def use_labels(labels: str) -> None:
    """Set labels to one language or both; only the session calls this, before it updates the views."""
    global _labels
    _labels = labels if labels in LABELS else "one"


@contextmanager
def labelled(labels: str) -> Iterator[None]:
    """Another kind of labels within the block, such as one language in narrow places."""
    before = _labels
    use_labels(labels)
    try:
        yield
    finally:
        use_labels(before)


def current_language() -> str:
    """The current language."""
    return _current


def use_language(language: str) -> None:
    """Set the current language; only the session calls this, before it updates the views."""
    global _current
    _current = language if language in languages() else SOURCE


@contextmanager
def spoken(language: str, labels: str = "one") -> Iterator[None]:
    """Another language within the block, such as that of a worksheet."""
    before = _current
    use_language(language)
    try:
        with labelled(labels):
            yield
    finally:
        use_language(before)


def best_language(wishes: list[str]) -> str:
    """The first available language of the system's list, compared without regions; else English."""
    for wish in wishes:
        for language in sorted(languages(), key=lambda code: not _same_code(code, wish)):
            if _same_code(_base(language), _base(wish)):
                return language
    return SOURCE


def _same_code(one: str, other: str) -> bool:
    return one.lower().replace("-", "_") == other.partition(".")[0].lower().replace("-", "_")


def _base(code: str) -> str:
    return re.split(r"[-_.@]", code)[0]


@cache
def _catalogue(language: str) -> dict[str, str]:
    """English texts and their translations; none for English itself."""
    texts: dict[str, str] = {}
    for path in sorted(_folders[language].glob("*.json")) if language in _folders else ():
        if path.name not in (DESCRIPTION, EXAMPLE_TOKENS):
            texts.update(json.loads(path.read_text(encoding="utf-8")))
    return texts


find_languages()
