"""A grammar of small English and Chinese sentences, of which the shipped model `sentences` learns.

    yesterday , the old cat was woken by the dogs in the garden because they barked .
    昨天，那只老猫在花园里被那些狗吵醒了，因为它们汪汪叫。

The pronoun means whoever made the noise. The verb tells who that is: one wakes or scares somebody by
noise, one hears or notices somebody else's. What comes after the pronoun follows from the noun that
it means: each animal and each person makes one noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TypeVar

import numpy as np

from tools.small_gpt import Ints
from tools.training_texts import UNKNOWN, Batch

T = TypeVar("T")

START = "[S]"  # in front of each sentence, and its end
KINDS = ("it", "they", "he", "she")
SAME_KIND = {"it": 0.2, "they": 0.1, "he": 0.15, "she": 0.15}  # the other 0.4: two kinds
PLAIN = 0.5  # the share of nouns without an adjective, of sentences without a time or a place
CORPUS = 40_000  # sentences
HELD_OUT = 0.1  # the share of (noun, noun, verb, voice) that no text of the training has


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun: its words, which follow its adjective if it may have one, and the noise it makes."""

    before: tuple[str, ...]
    word: str
    kind: str
    noise: tuple[str, ...]
    being: str  # the same in singular and plural

    @property
    def may_have_adjective(self) -> bool:
        """Whether it is an animal; persons have names."""
        return bool(self.before)


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb in the active and the passive voice; whether its subject makes the noise."""

    active: str
    passive: str
    subject_is_heard: bool


@dataclass(frozen=True, slots=True)
class Language:
    """Words of a language."""

    name: str
    nouns: tuple[Noun, ...]
    verbs: tuple[Verb, ...]
    adjectives: tuple[str, ...]
    times: tuple[str, ...]
    places: tuple[tuple[str, ...], ...]
    pronouns: dict[str, str]


_ENGLISH_ANIMALS = (
    ("cat", "cats", "meowed"),
    ("dog", "dogs", "barked"),
    ("cow", "cows", "mooed"),
    ("duck", "ducks", "quacked"),
    ("pig", "pigs", "grunted"),
    ("frog", "frogs", "croaked"),
)
_CHINESE_ANIMALS = (
    ("只", "猫", "喵喵"),
    ("条", "狗", "汪汪"),
    ("头", "牛", "哞哞"),
    ("只", "鸭", "嘎嘎"),
    ("头", "猪", "哼哼"),
    ("只", "青蛙", "呱呱"),
)
_ENGLISH_NAMES = {
    "he": (("tom", "snored"), ("ben", "whistled"), ("paul", "coughed"), ("max", "shouted")),
    "she": (("anna", "sang"), ("mary", "laughed"), ("lucy", "cried"), ("emma", "clapped")),
}
_CHINESE_NAMES = {
    "he": (("小明", "打鼾"), ("小刚", "吹哨"), ("小强", "咳嗽"), ("大伟", "大喊")),
    "she": (("小红", "唱歌"), ("小芳", "大笑"), ("小丽", "大哭"), ("小美", "鼓掌")),
}


def _english() -> Language:
    nouns = [
        Noun(("the",), word, kind, (noise,), one)
        for one, many, noise in _ENGLISH_ANIMALS
        for kind, word in (("it", one), ("they", many))
    ]
    verbs = (
        Verb("woke", "woken", True),
        Verb("scared", "scared", True),
        Verb("heard", "heard", False),
        Verb("noticed", "noticed", False),
    )
    places = (("in", "the", "garden"), ("near", "the", "house"))
    return Language(
        "en",
        (*nouns, *_persons(_ENGLISH_NAMES)),
        verbs,
        ("old", "small", "big"),
        ("yesterday", "today"),
        places,
        {kind: kind for kind in KINDS},
    )


def _chinese() -> Language:
    nouns = [
        Noun(("那", measure), word, kind, (noise, "叫"), word)
        for count, word, noise in _CHINESE_ANIMALS
        for kind, measure in (("it", count), ("they", "些"))
    ]
    verbs = (
        Verb("吵醒", "吵醒", True),
        Verb("吓到", "吓到", True),
        Verb("听见", "听见", False),
        Verb("发现", "发现", False),
    )
    return Language(
        "zh_CN",
        (*nouns, *_persons(_CHINESE_NAMES)),
        verbs,
        ("老", "小", "大"),
        ("昨天", "今天"),
        (("在", "花园", "里"), ("在", "门口")),
        {"it": "它", "they": "它们", "he": "他", "she": "她"},
    )


def _persons(names: Mapping[str, tuple[tuple[str, str], ...]]) -> list[Noun]:
    return [
        Noun((), name, kind, (noise,), name)
        for kind, persons in names.items()
        for name, noise in persons
    ]


LANGUAGES = (_english(), _chinese())


@dataclass(frozen=True, slots=True)
class Plan:
    """What a sentence says."""

    language: Language
    nouns: tuple[Noun, Noun]  # in the order in which they are said
    adjectives: tuple[str, str]  # "" for none
    verb: Verb
    passive: bool
    time: str
    place: tuple[str, ...]

    @property
    def heard(self) -> int:
        """Which noun makes the noise, 0 or 1: the pronoun means it."""
        return int(self.verb.subject_is_heard == self.passive)


@dataclass(frozen=True, slots=True)
class Sentence:
    """Its words after [S], and the places (from 0, counting [S]) of both nouns and the pronoun."""

    plan: Plan
    words: tuple[str, ...]
    nouns: tuple[int, int]
    pronoun: int

    @property
    def meant(self) -> int:
        """The place of the noun that the pronoun means."""
        return self.nouns[self.plan.heard]


def spoken(plan: Plan) -> Sentence:
    """Put a plan into words."""
    english = plan.language.name == "en"
    places: list[int] = []
    words = [plan.time, "," if english else "，"] if plan.time else []

    def say(which: int) -> None:
        noun = plan.nouns[which]
        words.extend((*noun.before, *filter(None, (plan.adjectives[which],)), noun.word))
        places.append(len(words))

    verb = plan.verb
    say(0)
    if english:
        be = "were" if plan.nouns[0].kind == "they" else "was"
        words += [be, verb.passive, "by"] if plan.passive else [verb.active]
        say(1)
        words += [*plan.place, "because"]
    else:
        words += [*plan.place, *(("被",) if plan.passive else (verb.active, "了"))]
        say(1)
        words += [*((verb.passive, "了") if plan.passive else ()), "，", "因为"]
    noun = plan.nouns[plan.heard]
    words.append(plan.language.pronouns[noun.kind])
    pronoun = len(words)
    words += [*noun.noise, "." if english else "。"]
    return Sentence(plan, tuple(words), (places[0], places[1]), pronoun)


def pairs(language: Language) -> list[tuple[float, tuple[Noun, Noun]]]:
    """Every pair of nouns with its probability."""
    of_kind = {kind: [noun for noun in language.nouns if noun.kind == kind] for kind in KINDS}
    mixed = (1 - sum(SAME_KIND.values())) / (len(KINDS) * (len(KINDS) - 1))
    found = []
    for first, second in product(KINDS, KINDS):
        share = SAME_KIND[first] if first == second else mixed
        each = [
            (one, other)
            for one, other in product(of_kind[first], of_kind[second])
            if one.being != other.being
        ]
        found += [(share / len(each), pair) for pair in each]
    return found


def entropy() -> float:
    """The entropy of a sentence in nats: that of each choice, since no two plans sound alike."""
    total = math.log(len(LANGUAGES))
    for language in LANGUAGES:
        frame = math.log(len(language.verbs)) + math.log(2)
        frame += _optional(len(language.times)) + _optional(len(language.places))
        adjective = _optional(len(language.adjectives))
        own = sum(
            share * (frame - math.log(share) + adjective * sum(n.may_have_adjective for n in pair))
            for share, pair in pairs(language)
        )
        total += own / len(LANGUAGES)
    return total


def _optional(count: int) -> float:
    """The entropy of nothing, by half, or one of `count`."""
    return -PLAIN * math.log(PLAIN) - (1 - PLAIN) * math.log((1 - PLAIN) / count)


class Grammar:
    """Draws sentences; `held_out` are the combinations of nouns, verb and voice set aside."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._pairs = [pairs(language) for language in LANGUAGES]
        aside = np.random.default_rng(0)
        self.held_out = {
            key
            for language, own in zip(LANGUAGES, self._pairs, strict=True)
            for (_, pair), verb, passive in product(own, language.verbs, (False, True))
            for key in [_key(pair, verb, passive)]
            if aside.random() < HELD_OUT
        }

    def sentences(self, count: int, *, held_out: bool | None = None) -> list[Sentence]:
        """Draw sentences: of any combination, or only of those (not) held out."""
        found: list[Sentence] = []
        while len(found) < count:
            for plan in self._plans(count):
                aside = _key(plan.nouns, plan.verb, plan.passive) in self.held_out
                if held_out in (None, aside):
                    found.append(spoken(plan))
        return found[:count]

    def _plans(self, count: int) -> Iterator[Plan]:
        rng = self._rng
        which = rng.integers(len(LANGUAGES), size=count)
        chosen = [
            rng.choice(len(own), size=count, p=[share for share, _ in own]) for own in self._pairs
        ]
        draws = rng.random((count, 6))
        for row, number in enumerate(which):
            language = LANGUAGES[number]
            nouns = self._pairs[number][chosen[number][row]][1]
            verb, voice, first, second, time, place = draws[row].tolist()
            adjectives = [
                _pick(draw, ("", *language.adjectives)) if noun.may_have_adjective else ""
                for draw, noun in zip((first, second), nouns, strict=True)
            ]
            yield Plan(
                language,
                nouns,
                (adjectives[0], adjectives[1]),
                language.verbs[int(verb * len(language.verbs))],
                voice < 0.5,
                _pick(time, ("", *language.times)),
                _pick(place, ((), *language.places)),
            )


def _key(pair: tuple[Noun, Noun], verb: Verb, passive: bool) -> tuple[object, ...]:
    return pair[0].word, pair[0].kind, pair[1].word, pair[1].kind, verb.active, passive


def _pick(draw: float, options: Sequence[T]) -> T:
    """Return the first option with the probability PLAIN, else one of the others.  # draw in [0, 1)"""
    if draw < PLAIN:
        return options[0]
    return options[1 + int((draw - PLAIN) / (1 - PLAIN) * (len(options) - 1))]


def _vocabulary() -> tuple[str, ...]:
    """All words, as an exhaustive set of sentences has them."""
    words: dict[str, None] = {}
    for language in LANGUAGES:
        for noun in language.nouns:
            words |= dict.fromkeys((*noun.before, noun.word, *noun.noise))
        for verb in language.verbs:
            words |= dict.fromkeys((verb.active, verb.passive))
        words |= dict.fromkeys((*language.adjectives, *language.times))
        words |= dict.fromkeys(word for place in language.places for word in place)
        words |= dict.fromkeys(language.pronouns.values())
    words |= dict.fromkeys(
        ("was", "were", "by", "because", ",", ".", "了", "被", "因为", "，", "。")
    )
    return (UNKNOWN, START, *words)


VOCABULARY = _vocabulary()
IDS = {word: id_ for id_, word in enumerate(VOCABULARY)}


def ids(sentences: Sequence[Sentence], places: int) -> Ints:
    """The ids of sentences between [S] and [S], filled up with [S].  # (b, places + 1)"""
    found = np.full((len(sentences), places + 1), IDS[START])
    for row, sentence in enumerate(sentences):
        found[row, 1 : len(sentence.words) + 1] = [IDS[word] for word in sentence.words]
    return found


@cache
def _corpus(places: int) -> Ints:
    return ids(Grammar(1).sentences(CORPUS, held_out=False), places)


def drawn(rng: np.random.Generator, size: int, places: int) -> Batch:
    """Draw sentences of the corpus; every word counts, and the [S] that ends a sentence."""
    tokens = _corpus(places)[rng.integers(0, CORPUS, size)]
    inside = tokens[:, :-1] != IDS[START]
    inside[:, 0] = True
    share = inside.astype(np.float32)
    return Batch(tokens[:, :-1], tokens[:, 1:], share / share.sum())
