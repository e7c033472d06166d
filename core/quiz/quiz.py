"""The quiz: misconceptions and interview questions, answered card by card.

An answer is an option, or a number within half a unit of its second decimal. The first answer to a
card counts for the results; numbers of another seed are another question.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from core.document.document import Document
from core.explain.timeline import Cursor
from core.labs.controls import Button, ChoiceControl, Control, Numbers, Seed, Switch, Value
from core.labs.lab import Lab, Setting
from core.lesson.resolve import Resolved, lab_setting
from core.quiz.deck import TOPICS, QuizCard, deck, proof
from core.quiz.exercises import Exercise, exercise

VIEWS = ("card", "results")
ALL = "all"
OPEN = "open"  # no answer yet
HALF = 0.005 + 1e-9  # how far a number with two decimals may be from the right one
FAR = 100_000.0  # the field for a number reaches so far


@dataclass(frozen=True, slots=True)
class QuizAnswer:
    """An answer: the option (0 is right, −1 a number that is none of them) and the number given."""

    option: int
    number: float = 0.0

    @property
    def right(self) -> bool:
        """Whether it is right."""
        return self.option == 0


Replies = Mapping[str, QuizAnswer]  # by card, or by card and seed where the numbers are drawn


@dataclass(frozen=True, slots=True)
class TopicScore:
    """A topic with the numbers of cards, of answered cards, and of those right at the first try."""

    topic: str
    cards: int
    answered: int
    right: int


@dataclass(frozen=True, slots=True, eq=False)
class QuizPage:
    """The current card. `place` of `count` cards counts from 0. `order` are its options in display
    order, 0 is right. `typed` asks for a number instead. `reply` is the answer, None without one.
    """

    card: QuizCard
    place: int
    count: int
    before: str
    after: str
    order: tuple[int, ...]
    exercise: Exercise | None
    typed: bool
    reply: QuizAnswer | None
    proof: str
    tallies: tuple[TopicScore, ...]


def option_order(card: QuizCard, seed: int) -> tuple[int, ...]:
    """The display order of a card's options for a seed."""
    order = list(range(card.choices))
    random.Random(f"{card.id} {seed}").shuffle(order)
    return tuple(order)


def judge_number(drawn: Exercise, number: float) -> QuizAnswer:
    """A number as an answer: the right one, that of a known mistake, or neither."""
    near = (index for index, known in enumerate(drawn.numbers) if abs(known - number) <= HALF)
    return QuizAnswer(next(near, -1), number)


def topic_scores(first: Replies, seed: int) -> tuple[TopicScore, ...]:
    """The results by topic, from the first answer to each card."""
    found = []
    for topic in TOPICS:
        cards = deck().of(topic)
        answered = [card for card in cards if key(card, seed) in first]
        right = [card for card in answered if first[key(card, seed)].right]
        found.append(TopicScore(topic, len(cards), len(answered), len(right)))
    return tuple(found)


def key(card: QuizCard, seed: int) -> str:
    """The key of an answer: by card, and by seed where the numbers are drawn."""
    return f"{card.id} {seed}" if card.numbers else card.id


def draw_exercise(card: QuizCard, seed: int) -> Exercise | None:
    """The numbers of a card, None for one without."""
    return exercise(card.numbers, seed) if card.numbers else None


class QuizLab(Lab):
    """Cards by topic. Answers are stored in the facts, so that undo includes them."""

    id = "quiz"

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """The card and the answer: an option by its place, or a number."""
        card = _card(setting)
        ids = tuple(one.id for one in deck().of(setting.get("topic", ALL)))
        places = tuple(str(place + 1) for place in range(card.choices))
        typed = bool(card.numbers) and setting.get("typed", False)
        return (
            ChoiceControl("view", VIEWS, VIEWS[0]),
            ChoiceControl("topic", (ALL, *TOPICS), ALL),
            ChoiceControl("card", ids, ids[0]),
            Numbers("number", (0.0,), -FAR, FAR)
            if typed
            else ChoiceControl("answer", (OPEN, *places), OPEN),
            Switch("typed"),
            Seed(),
            *((Button("prove", leads=True),) if card.numbers or card.proof else ()),
            Button("restart"),
        )

    def start(
        self, document: Document | None = None, values: Mapping[str, object] | None = None
    ) -> Setting:
        """The setting; an answer among the values counts as given."""
        setting = super().start(document, values)
        return _answered(setting) if {"answer", "number"} & set(values or {}) else setting

    def with_value(self, setting: Setting, control_id: str, value: object) -> Setting:
        """Store an answer; another card shows its earlier answer. A chosen topic shows its cards."""
        new = super().with_value(setting, control_id, value)
        if new is setting:
            return setting
        if control_id in ("answer", "number"):
            return _answered(new)
        if control_id == "topic":
            new = super().with_value(new, "view", VIEWS[0])
        return new if control_id == "view" else _recalled(new)

    def compute(self, setting: Setting) -> QuizPage:
        """The current card with its verdict, and the results."""
        card, seed = _card(setting), int(setting["seed"])
        ids = [one.id for one in deck().of(setting["topic"])]
        place = ids.index(card.id)
        numbers = draw_exercise(card, seed)
        reply = _replies(setting, "last").get(key(card, seed))
        return QuizPage(
            card,
            place,
            len(ids),
            ids[place - 1] if place else "",
            ids[place + 1] if place + 1 < len(ids) else "",
            option_order(card, seed),
            numbers,
            bool(card.numbers) and setting["typed"],
            reply,
            _kind_of_proof(card, numbers),
            topic_scores(_replies(setting, "first"), seed),
        )

    def document(self, setting: Setting) -> Document | None:
        """The experiment that proves the card; None for one that a lab proves, or nothing."""
        numbers, scene = _proofs(setting)
        if numbers is not None:
            return numbers.document
        return scene.document if scene is not None and scene.scene.demo is None else None

    def cursor(self, setting: Setting) -> Cursor | None:
        """The place of the answer in that experiment."""
        numbers, scene = _proofs(setting)
        if numbers is not None and numbers.cell is not None:
            return Cursor(
                numbers.cell.tensor, numbers.cell.head, numbers.cell.row, numbers.cell.column
            )
        return None if scene is None else scene.cursor

    def leads(self, setting: Setting) -> tuple[str, Setting] | None:
        """The lab that proves the card, as it is set; None for one that an experiment proves."""
        numbers, scene = _proofs(setting)
        demo = (
            numbers.demo if numbers is not None else scene.scene.demo if scene is not None else None
        )
        return None if demo is None else (demo.lab, lab_setting(demo))

    def press(self, setting: Setting, button: str) -> Setting:
        """Start over: no card has an answer, and the first of the topic is shown."""
        empty: Replies = MappingProxyType({})
        first = deck().of(setting["topic"])[0].id
        return _recalled(
            super().with_value(setting.with_facts(first=empty, last=empty), "card", first)
        )


def _proofs(setting: Setting) -> tuple[Exercise | None, Resolved | None]:
    """The exercise and the scene of the card, None for those that it does not have."""
    card = _card(setting)
    return draw_exercise(card, int(setting["seed"])), proof(card, setting.folder)


def _card(setting: Setting) -> QuizCard:
    """The card that is chosen, or the first of the topic while that is being set."""
    cards = deck().of(setting.get("topic", ALL))
    return next((card for card in cards if card.id == setting.get("card", "")), cards[0])


def _replies(setting: Setting, which: str) -> Replies:
    found: Replies = setting.facts.get(which, {})
    return found


def _answered(setting: Setting) -> Setting:
    """Store the answer as the last one and, without an earlier one, as the first. "open" removes
    it.
    """
    card, seed = _card(setting), int(setting["seed"])
    name, last = key(card, seed), dict(_replies(setting, "last"))
    if setting.get("answer", "") == OPEN:
        last.pop(name, None)
        return setting.with_facts(last=MappingProxyType(last))
    reply = last[name] = _reply(card, draw_exercise(card, seed), setting)
    first = {name: reply, **_replies(setting, "first")}
    return setting.with_facts(last=MappingProxyType(last), first=MappingProxyType(first))


def _reply(card: QuizCard, numbers: Exercise | None, setting: Setting) -> QuizAnswer:
    if numbers is not None and "number" in setting.values:
        return judge_number(numbers, setting["number"][0])
    option = option_order(card, int(setting["seed"]))[int(setting["answer"]) - 1]
    return QuizAnswer(option, 0.0 if numbers is None else numbers.numbers[option])


def _recalled(setting: Setting) -> Setting:
    """Show the answer to the current card in its control, or none."""
    card, seed = _card(setting), int(setting["seed"])
    reply = _replies(setting, "last").get(key(card, seed))
    value: Value = OPEN
    control = "answer"
    if "number" in setting.values:
        control, value = "number", (reply.number if reply is not None else 0.0,)
    elif reply is not None and reply.option >= 0:
        value = str(option_order(card, seed).index(reply.option) + 1)
    return replace(setting, values=MappingProxyType({**setting.values, control: value}))


def _kind_of_proof(card: QuizCard, numbers: Exercise | None) -> str:
    """ "lab", "experiment", or "" for none."""
    if numbers is not None:
        return "lab" if numbers.demo is not None else "experiment"
    scene = proof(card)
    return "" if scene is None else "experiment" if scene.scene.demo is None else "lab"


LAB = QuizLab()
