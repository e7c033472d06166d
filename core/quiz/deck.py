"""The cards of the quiz: resources/quiz/<topic>.json, with every text by language code
(docs/format.md).

A card has an `id`, a `title`, a `question` and an `explanation`. It offers `options`, the first is
right (they are shown in another order); or it names a kind of `numbers` to be drawn and says in
`slips` what went wrong where one of the wrong ones is given. `proof` is a scene of a lesson
(docs/format.md): an experiment with a place on its timeline, or a lab with its values.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from core.base.files import read_bytes, resource
from core.base.json_text import compact
from core.lesson.lesson_file import FORMAT, VERSION, FileText, loads, localized
from core.lesson.model import LocalizedText
from core.lesson.resolve import Resolved, resolve
from core.quiz.exercises import exercise
from core.quiz.topics import TOPICS as TOPICS

_NOTHING = msgspec.Raw(b"")


@dataclass(frozen=True, slots=True)
class QuizCard:
    """One question. `options` are the right answer and the wrong ones, in the words of a conceptual
    card; a card with `numbers` has its wrong ones in `slips` instead, by what went wrong. `proof`
    is the text of a lesson with one scene, "" where there is none.
    """

    id: str
    topic: str
    title: LocalizedText
    question: LocalizedText
    explanation: LocalizedText
    options: tuple[LocalizedText, ...] = ()
    numbers: str = ""
    slips: tuple[tuple[str, LocalizedText], ...] = ()
    proof: str = ""

    @property
    def choices(self) -> int:
        """The number of offered answers."""
        return len(self.options) or 1 + len(self.slips)


@dataclass(frozen=True, slots=True)
class Deck:
    """All cards in the order of their topics, and the names of the topics."""

    cards: tuple[QuizCard, ...]
    topics: Mapping[str, LocalizedText]

    def of(self, topic: str) -> tuple[QuizCard, ...]:
        """The cards of a topic; all of them for any other name."""
        return tuple(card for card in self.cards if card.topic == topic) or self.cards

    def card(self, card_id: str) -> QuizCard:
        """A card by its id. KeyError for no such card."""
        for card in self.cards:
            if card.id == card_id:
                return card
        raise KeyError(card_id)


class FileCard(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An entry of `cards`."""

    id: str
    title: FileText
    question: FileText
    explanation: FileText
    options: list[FileText] = []
    numbers: str = ""
    slips: dict[str, FileText] = {}
    proof: msgspec.Raw = _NOTHING


class FileTopic(msgspec.Struct, forbid_unknown_fields=True):
    """A whole file."""

    topic: FileText
    cards: list[FileCard]
    version: int = 1


@cache
def deck() -> Deck:
    """The shipped cards."""
    files = {
        topic: msgspec.json.decode(read_bytes(resource("quiz", f"{topic}.json")), type=FileTopic)
        for topic in TOPICS
    }
    cards = [
        _card(topic, card, file.version) for topic, file in files.items() for card in file.cards
    ]
    topics = {topic: localized(file.topic, file.version, topic) for topic, file in files.items()}
    return Deck(tuple(cards), MappingProxyType(topics))


@lru_cache(maxsize=128)
def proof(card: QuizCard, folder: Path | None = None) -> Resolved | None:
    """The scene that proves a card: an experiment, with tokens in the language of a folder, or a
    lab; None for a card without one.
    """
    return resolve(loads(card.proof.encode()), 0, folder) if card.proof else None


def _card(topic: str, file: FileCard, version: int) -> QuizCard:
    """Raises KeyError for an unknown kind of numbers or a slip without a text, UserError for a
    language.
    """

    def text(texts: FileText) -> LocalizedText:
        return localized(texts, version, f"{topic}.{file.id}")

    slips = exercise(file.numbers, 0).slips if file.numbers else ()
    return QuizCard(
        file.id,
        topic,
        text(file.title),
        text(file.question),
        text(file.explanation),
        tuple(map(text, file.options)),
        file.numbers,
        tuple((slip, text(file.slips[slip])) for slip in slips),
        _lesson(json.loads(bytes(file.proof))) if bytes(file.proof) else "",
    )


def _lesson(scene: Any) -> str:
    return compact({"format": FORMAT, "version": VERSION, "scenes": [scene]})
