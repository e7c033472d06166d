"""A pseudo-language: English with accents on every vowel, about 40 % longer, made from the program's own texts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from core.base.files import resource
from core.lesson.lesson import Lesson
from core.lesson.lesson_file import TEXTS
from core.lesson.model import LocalizedText
from gui.texts.translation import DESCRIPTION, find_languages, use_language

CODE = "qps"
NAME = "Pšéúdó"
_ACCENTS = str.maketrans("aeiouyAEIOUYcnszCNSZ", "áéíóúýÁÉÍÓÚÝçñšžÇÑŠŽ")
# Placeholders, tags, entities and signs before a key's letter stay.
_PARTS = re.compile(r"(\{\w*\}|<[^<>]*>|&\w+;|&)")
_WORD = re.compile(r"[^\W\d_]+")
_TAG = re.compile(r"<[^<>]*>|&\w+;")
_ASCII_WORD = re.compile(r"(?<![\w.])[A-Za-z]{3,}(?![\w.])")
_VOWEL = re.compile(r"[aeiouAEIOU]")


def pseudo(text: str) -> str:
    """A text in the pseudo-language."""
    return "".join(part if _PARTS.fullmatch(part) else _words(part) for part in _PARTS.split(text))


def _words(part: str) -> str:
    return _WORD.sub(lambda word: _longer(word[0].translate(_ACCENTS)), part)


def _longer(word: str) -> str:
    return word + ("őűæø" * len(word))[: math.floor(0.4 * len(word))]


def write_language(root: Path) -> None:
    """The catalogues of the pseudo-language, in a folder of its own below `root`."""
    folder = root / CODE
    folder.mkdir()
    for path in resource("i18n", "zh_CN").glob("*.json"):
        if path.name != DESCRIPTION:
            texts = json.loads(path.read_text(encoding="utf-8"))
            own = {text: pseudo(text) for text in texts}
            (folder / path.name).write_text(json.dumps(own), encoding="utf-8")
    (folder / DESCRIPTION).write_text(json.dumps({"name": NAME}), encoding="utf-8")


@contextmanager
def pseudo_language(root: Path) -> Iterator[None]:
    """The pseudo-language among the program's languages for a while."""
    write_language(root)
    find_languages(root)
    try:
        yield
    finally:
        find_languages()
        use_language("en")


def with_pseudo(text: LocalizedText) -> LocalizedText:
    """A text of a lesson or a card, in the pseudo-language too."""
    return text.with_text(CODE, pseudo(text.get("en")))


def pseudo_lesson(lesson: Lesson) -> Lesson:
    """A lesson with all its texts in the pseudo-language too."""
    scenes = tuple(
        replace(scene, **{key: with_pseudo(getattr(scene, key)) for key in TEXTS})
        for scene in lesson.scenes
    )
    title, notes = with_pseudo(lesson.title), with_pseudo(lesson.notes)
    return replace(lesson, scenes=scenes, title=title, notes=notes)


def english_words(texts: Iterable[str], known: Iterable[str] = ()) -> dict[str, set[str]]:
    """Words of plain English, by the text that has them; `known` are names and data that are not translated."""
    left = {}
    for text in texts:
        words = set(_ASCII_WORD.findall(_TAG.sub(" ", text))) - set(known)
        words = {word for word in words if _VOWEL.search(word)}
        if words:
            left[text] = words
    return left
