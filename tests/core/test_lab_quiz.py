"""The quiz as a lab: a whole deck, answers that are kept and taken back, first tries that count."""

from __future__ import annotations

import re

import pytest

from core.base.errors import UserError
from core.compute.trace import run
from core.labs.lab import Setting, find_lab
from core.lesson.model import LocalizedText
from core.quiz.deck import TOPICS, QuizCard, deck, proof
from core.quiz.exercises import exercise
from core.quiz.quiz import LAB, OPEN, QuizAnswer, QuizPage, TopicScore, option_order

CARDS = deck().cards
CHINESE = re.compile(r"[\u4e00-\u9fff]")
PLACEHOLDER = re.compile(r"\{(\w+)\}")


def page(setting: Setting) -> QuizPage:
    result: QuizPage = LAB.compute(setting)
    return result


def reply(setting: Setting) -> QuizAnswer:
    found = page(setting).reply
    assert found is not None
    return found


def place_of(card: QuizCard, option: int, seed: int = 1) -> str:
    return str(option_order(card, seed).index(option) + 1)


def texts(card: QuizCard) -> list[LocalizedText]:
    return [
        card.title,
        card.question,
        card.explanation,
        *card.options,
        *(words for _, words in card.slips),
    ]


# The deck


def test_the_deck_is_as_large_as_it_should_be() -> None:
    assert len(CARDS) >= 42
    assert len({card.id for card in CARDS}) == len(CARDS)
    assert {card.topic for card in CARDS} == set(TOPICS)
    assert len(TOPICS) == 6
    assert all(len(deck().of(topic)) >= 7 for topic in TOPICS)
    assert sum(bool(card.numbers) for card in CARDS) >= 10
    assert sum(bool(card.numbers or card.proof) for card in CARDS) >= max(24, len(CARDS) / 2)
    assert (
        len({card.title.get("en") for card in CARDS})
        == len({card.title.get("zh_CN") for card in CARDS})
        == len(CARDS)
    )


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_a_card_is_whole_in_both_languages(card: QuizCard) -> None:
    for words in texts(card):
        assert words.get("en").strip() == words.get("en")
        assert words.get("zh_CN").strip() == words.get("zh_CN")
        assert words.get("en")
        assert words.get("zh_CN")
        assert set(CHINESE.findall(words.get("en"))) <= set(
            "吃狗咬人"
        )  # tokens of examples, which are explained
        assert set(PLACEHOLDER.findall(words.get("en"))) == set(
            PLACEHOLDER.findall(words.get("zh_CN"))
        )
    assert all(CHINESE.search(words.get("zh_CN")) for words in (card.title, card.question))
    assert 3 <= card.choices <= 5
    assert bool(card.options) != bool(card.numbers)
    for side in ("en", "zh_CN"):
        offered = [words.get(side) for words in card.options]
        assert len(set(offered)) == len(offered)


@pytest.mark.parametrize("card", [card for card in CARDS if card.numbers], ids=lambda card: card.id)
def test_words_of_a_card_with_numbers_mention_only_what_is_told(card: QuizCard) -> None:
    drawn = exercise(card.numbers, 1)
    known = {*drawn.values, "right", "sum"}
    for words in texts(card):
        assert set(PLACEHOLDER.findall(words.get("en"))) <= known
    assert set(PLACEHOLDER.findall(card.question.get("en"))).isdisjoint({"right", "sum"})
    assert tuple(name for name, _ in card.slips) == tuple(drawn.slips)


@pytest.mark.parametrize(
    "card", [card for card in CARDS if not card.numbers], ids=lambda card: card.id
)
def test_words_of_other_cards_have_no_placeholders(card: QuizCard) -> None:
    assert not any(PLACEHOLDER.search(words.get("en")) for words in texts(card))


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_a_proof_opens_an_experiment_at_a_cell_or_another_lab(card: QuizCard) -> None:
    setting = LAB.start(values={"card": card.id})
    document, cursor, leads = LAB.document(setting), LAB.cursor(setting), LAB.leads(setting)
    kind = page(setting).proof
    assert kind == ("" if not (card.numbers or card.proof) else "lab" if leads else "experiment")
    if kind == "lab":
        assert leads is not None
        assert document is None
        assert leads[0] != "quiz"
        find_lab(leads[0]).compute(leads[1])
    if kind == "experiment":
        assert document is not None
        assert cursor is not None
        assert cursor.stage in run(document)
    assert any(control.id == "prove" for control in LAB.controls(setting)) == bool(kind)


def test_right_answers_stand_at_every_place() -> None:
    places = [option_order(card, 1).index(0) for card in CARDS]
    assert all(places.count(place) >= len(CARDS) / 10 for place in range(4))
    assert places != [option_order(card, 2).index(0) for card in CARDS]


# The lab


def test_an_answer_is_judged_and_kept_while_other_cards_are_seen() -> None:
    first, second = CARDS[0], CARDS[1]
    setting = LAB.with_value(LAB.start(), "answer", place_of(first, 0))
    assert reply(setting).right
    setting = LAB.with_value(setting, "card", second.id)
    assert setting["answer"] == OPEN
    assert page(setting).reply is None
    setting = LAB.with_value(setting, "answer", place_of(second, 3))
    assert not reply(setting).right
    back = LAB.with_value(setting, "card", first.id)
    assert back["answer"] == place_of(first, 0)
    assert reply(back).right
    assert page(back).tallies[0] == TopicScore("roles", len(deck().of("roles")), 2, 1)


def test_only_the_first_answer_counts() -> None:
    card = CARDS[0]
    setting = LAB.with_value(LAB.start(), "answer", place_of(card, 2))
    for place in (place_of(card, 0), OPEN, place_of(card, 0)):
        setting = LAB.with_value(setting, "answer", place)
    assert reply(setting).right
    assert (page(setting).tallies[0].answered, page(setting).tallies[0].right) == (1, 0)


def test_an_answer_follows_its_option_when_another_seed_shuffles() -> None:
    card = deck().card("shift")
    setting = LAB.start(values={"card": "shift", "answer": place_of(card, 1)})
    for seed in range(2, 9):
        moved = LAB.with_value(setting, "seed", seed)
        assert moved["answer"] == place_of(card, 1, seed)
        assert reply(moved).option == 1


def test_numbers_of_another_seed_are_another_question() -> None:
    card = deck().card("product")
    setting = LAB.start(values={"card": "product", "answer": place_of(card, 0)})
    other = LAB.with_value(setting, "seed", 2)
    assert other["answer"] == OPEN
    assert page(other).reply is None
    assert sum(tally.answered for tally in page(other).tallies) == 0
    assert reply(LAB.with_value(other, "seed", 1)).right


@pytest.mark.parametrize("card", [card for card in CARDS if card.numbers], ids=lambda card: card.id)
def test_a_typed_number_is_the_answer_a_slip_or_neither(card: QuizCard) -> None:
    setting = LAB.start(values={"card": card.id, "typed": True, "seed": 7})
    drawn = exercise(card.numbers, 7)
    for index, number in enumerate(drawn.numbers):
        if number != 0.0:  # the field stands there already
            assert reply(LAB.with_value(setting, "number", (round(number, 2),))).option == index
    assert reply(LAB.with_value(setting, "number", (drawn.right + 0.009,))).option != 0
    assert reply(LAB.with_value(setting, "number", (54321.5,))).option == -1


def test_typing_and_choosing_are_the_same_answer() -> None:
    drawn = exercise("share", 1)
    setting = LAB.start(
        values={"card": "share", "typed": True, "number": [round(drawn.slips["columns"], 2)]}
    )
    chosen = LAB.with_value(setting, "typed", False)
    assert chosen["answer"] == place_of(deck().card("share"), 1)
    again = LAB.with_value(
        LAB.with_value(chosen, "answer", place_of(deck().card("share"), 0)), "typed", True
    )
    assert again["number"] == (drawn.right,)


def test_a_topic_shows_its_cards_alone() -> None:
    setting = LAB.start(values={"view": "results"})
    for topic in TOPICS:
        chosen = LAB.with_value(setting, "topic", topic)
        assert (chosen["view"], page(chosen).card) == ("card", deck().of(topic)[0])
        assert page(chosen).count == len(deck().of(topic))
    all_again = LAB.with_value(chosen, "topic", "all")
    assert page(all_again).card is page(chosen).card
    assert page(all_again).count == len(CARDS)


def test_before_and_after_lead_through_all_cards() -> None:
    setting, seen = LAB.start(), []
    while True:
        seen.append(page(setting).card.id)
        if not page(setting).after:
            break
        following = LAB.with_value(setting, "card", page(setting).after)
        assert page(following).before == seen[-1]
        setting = following
    assert seen == [card.id for card in CARDS]


def test_start_over_takes_back_every_answer() -> None:
    setting = LAB.start(values={"card": "hull", "answer": "1"})
    over = LAB.press(setting, "restart")
    assert all(tally.answered == 0 for tally in page(over).tallies)
    assert (over["card"], over["answer"]) == (CARDS[0].id, OPEN)
    assert page(setting).reply is not None  # what was is as it was


def test_values_that_are_no_answer_are_refused() -> None:
    for values in ({"card": "no-such-card"}, {"answer": "5"}, {"topic": "weather"}):
        with pytest.raises(UserError):
            LAB.start(values=values)


def test_only_cards_without_a_lab_have_an_experiment() -> None:
    scenes = [proof(card) for card in CARDS if card.proof]
    assert all(scene is not None for scene in scenes)
    assert proof(deck().card("bias")) is None  # its numbers are its experiment
