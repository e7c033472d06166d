"""The quiz in the window: every card fits and is told in both languages, keys answer, proofs open, results stay."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QImage, QPainter
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.labs.lab import Setting
from core.quiz.deck import QuizCard, deck
from core.quiz.exercises import exercise
from core.quiz.quiz import LAB, OPEN, option_order
from gui.app.application import build_window
from gui.labs import quiz_page as words
from gui.labs.knobs_many import FieldsKnob
from gui.labs.quiz import EXHIBIT
from gui.labs.quiz_page import page_layout
from gui.painting.theme import BODY, font
from gui.texts.translation import use_language
from gui.widgets.subscripts import Paragraph
from tests.gui.lab_pictures import (
    SIZES,
    assert_spots_lie_apart,
    holds_in_order,
    shown_of,
    texts_of,
)
from tests.gui.labs_kit import lab_window

pytestmark = pytest.mark.usefixtures("qapp")
CARDS = deck().cards
ROOM = QRectF(0, 0, 1400, 900)


def setting_of(card_id: str, option: int | None = None, **values: object) -> Setting:
    """A card, with an option chosen by its index, 0 the right one."""
    if option is not None:
        values["answer"] = str(option_order(deck().card(card_id), 1).index(option) + 1)
    return LAB.start(values={"card": card_id, **values})


def plain(text: str) -> str:
    """As it stands in a picture: without spaces, which the ends of lines take, with indices and powers in place."""
    return re.sub(r"[\s_^]", "", re.sub(r"\^\(([^()]*)\)", r"\1", text))


@pytest.mark.parametrize("size", [(320, 240), (520, 260), *SIZES])
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_card_fits_its_room_with_every_answer(language: str, size: tuple[int, int]) -> None:
    use_language(language)
    room = QRectF(7, 3, *size)
    for card in CARDS:
        for option in (None, *range(card.choices)):
            where = page_layout(room, shown_of(LAB, setting_of(card.id, option)))
            told = where.feedback if option is not None or size in SIZES else where.feedback[:1]
            if option is not None:
                assert where.seen(where.prove, room).bottom() <= room.bottom(), card.id
            for area, text in (where.question, *where.options, *told):
                assert room.contains(where.seen(area.adjusted(0, 0, 0, -1), room)), card.id
                assert text.width <= area.width() + 0.5, card.id


def test_a_card_is_smaller_only_where_it_must_be_and_is_clicked_where_it_is_seen() -> None:
    use_language("en")
    low, usual = QRectF(7, 3, 320, 240), QRectF(7, 3, 560, 360)
    shown = shown_of(LAB, setting_of("why-scaling", 2))
    assert page_layout(usual, shown).scale == 1.0
    where = page_layout(low, shown)
    assert where.scale < 1.0
    image = QImage(334, 246, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    EXHIBIT.paint(painter, low, shown)
    painter.end()
    spots = [spot for spot in EXHIBIT.spots(low, shown) if spot.control == "answer"]
    assert len(spots) == 4
    for spot in spots:
        assert low.contains(spot.area)
        left, wide = spot.area.left() < low.center().x(), spot.area.width()
        inside, outside = (4.0, -3.0) if left else (wide - 4.0, wide + 3.0)
        for x, alpha in ((inside, 255), (outside, 0)):
            seen = QPointF(spot.area.left() + x, spot.area.center().y()).toPoint()
            assert image.pixelColor(seen).alpha() == alpha, "its box is painted there"


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_a_card_says_its_words_and_after_an_answer_why(card: QuizCard, language: str) -> None:
    use_language(language)
    before = shown_of(LAB, setting_of(card.id))
    after = shown_of(LAB, setting_of(card.id, 1))
    asked = plain(words.card_text(card.question, before.result, 2))
    explained = plain(words.card_text(card.explanation, before.result, 2))
    texts = plain("".join(texts_of(EXHIBIT, before)))
    assert asked in texts
    assert explained not in texts
    for place in range(card.choices):
        assert plain(words.option_text(before.result, place, 2)) in texts
    told = plain("".join(texts_of(EXHIBIT, after)))
    assert explained in told
    assert plain(words.verdict_text(after.result, 2)) in told
    assert not re.search(r"\{\w+\}", told)


def test_right_and_wrong_are_words_and_signs() -> None:
    texts = texts_of(EXHIBIT, shown_of(LAB, setting_of("shift", 2)))
    joined = " ".join(texts)
    assert "wrong" in joined
    assert "✓" in joined
    assert "✗" in joined
    assert "✗" not in " ".join(texts_of(EXHIBIT, shown_of(LAB, setting_of("shift", 0))))
    assert "✓" not in " ".join(texts_of(EXHIBIT, shown_of(LAB, setting_of("shift"))))


@pytest.mark.parametrize("card", [card for card in CARDS if card.numbers], ids=lambda card: card.id)
def test_numbers_on_a_card_are_the_cores(card: QuizCard) -> None:
    assert card.numbers is not None
    drawn = exercise(card.numbers, 4)
    shown = shown_of(LAB, LAB.start(values={"card": card.id, "seed": 4, "answer": "1"}))
    texts = texts_of(EXHIBIT, shown)
    for given in drawn.given:
        decimals = max(len(f"{value:.3f}".rstrip("0").split(".")[1]) for value in given.values.flat)
        assert holds_in_order(texts, [show(float(value), decimals) for value in given.values.flat])
    for number in drawn.numbers:
        short = words.number(number, 2)
        assert short in "".join(texts)
        assert abs(float(short.replace("−", "-")) - number) <= 0.005
    for slip, (name, said) in enumerate(card.slips, start=1):
        place = str(option_order(card, 4).index(slip) + 1)
        wrong = shown_of(LAB, LAB.start(values={"card": card.id, "seed": 4, "answer": place}))
        assert words.card_text(said, wrong.result, 2) in EXHIBIT.notice(wrong), name


def test_terms_are_written_as_one_would_write_them() -> None:
    assert words.added(((2.0, -1.0), (-3.0, 4.0), (0.125, 8.0)), 2) == "2·(−1) + (−3)·4 + 0.125·8"
    assert [words.number(value, 0) for value in (3.0, -0.5, 1 / 3, 0.125)] == [
        "3",
        "−0.5",
        "0.33",
        "0.125",
    ]


@pytest.mark.parametrize("size", SIZES)
def test_spots_lie_apart_in_both_views(size: tuple[int, int]) -> None:
    for view in ("card", "results"):
        for card_id in ("key-and-value", "product", "too-long"):
            assert_spots_lie_apart(EXHIBIT, shown_of(LAB, setting_of(card_id, 2, view=view)), size)


def test_spots_answer_turn_pages_and_choose_topics() -> None:
    setting = setting_of("root")
    by_id = {spot.id: spot for spot in EXHIBIT.spots(ROOM, shown_of(LAB, setting))}
    right = option_order(deck().card("root"), 1).index(0)
    answered = LAB.with_value(setting, by_id[f"root/{right}"].control, by_id[f"root/{right}"].value)
    reply = LAB.compute(answered).reply
    assert reply is not None
    assert reply.right
    assert (
        LAB.with_value(setting, by_id["next"].control, by_id["next"].value)["card"] == "temperature"
    )
    assert (
        LAB.with_value(setting, by_id["previous"].control, by_id["previous"].value)["card"]
        == "why-scaling"
    )
    assert (
        LAB.with_value(setting, by_id["topic/heads"].control, by_id["topic/heads"].value)["card"]
        == "more-heads"
    )
    assert "prove" not in by_id
    assert "prove" in {spot.id for spot in EXHIBIT.spots(ROOM, shown_of(LAB, answered))}


def test_bars_tell_first_tries() -> None:
    setting = setting_of("root", 0)
    for card_id, option in (("temperature", 1), ("shift", 0)):
        setting = LAB.with_value(setting, "card", card_id)
        place = str(option_order(deck().card(card_id), 1).index(option) + 1)
        setting = LAB.with_value(setting, "answer", place)
    texts = " ".join(texts_of(EXHIBIT, shown_of(LAB, LAB.with_value(setting, "view", "results"))))
    assert "2 of 3" in texts
    assert "1 of 2" in texts
    assert "1 of 1" in texts
    assert texts.count("not yet") == 4


def test_number_keys_answer_and_page_keys_turn(qtbot: QtBot) -> None:
    with lab_window("quiz") as window:
        window.picture.setFocus()
        qtbot.keyClick(window.picture, Qt.Key.Key_2)
        assert window.session.state.setting["answer"] == "2"
        qtbot.keyClick(window.picture, Qt.Key.Key_PageDown)
        assert window.session.state.setting["card"] == CARDS[1].id
        qtbot.keyClick(window.picture, Qt.Key.Key_4, Qt.KeyboardModifier.KeypadModifier)
        assert window.session.state.setting["answer"] == "4"
        qtbot.keyClick(window.picture, Qt.Key.Key_5)
        qtbot.keyClick(window.picture, Qt.Key.Key_PageUp)
        assert window.session.state.setting["card"] == CARDS[0].id
        window.session.undo_stack.undo()
        window.session.undo_stack.undo()
        assert window.session.state.setting["answer"] == OPEN
        assert sum(one.answered for one in window.session.state.shown.result.tallies) == 1


def test_a_typed_number_answers(qtbot: QtBot) -> None:
    with lab_window("quiz") as window:
        for name, value in (("card", "bias"), ("typed", True)):
            window.session.set_value(name, value)
        knob = window.controls.knobs["number"]
        assert isinstance(knob, FieldsKnob)
        line = knob.fields[0][0].line
        line.selectAll()
        qtbot.keyClicks(line, str(exercise("bias", 1).right))
        qtbot.keyClick(line, Qt.Key.Key_Return)
        assert window.session.state.shown.result.reply.right
        assert window.notice.text().startswith("Right.")


@pytest.mark.realwindow
def test_proofs_open_and_results_survive_the_window(qtbot: QtBot) -> None:
    main = build_window(example="cat-eats-fish")
    qtbot.addWidget(main)
    main.show()
    main.labs.open("quiz")
    window = main.labs.window
    assert window is not None
    session = window.session
    session.set_value("card", "masked-share")
    session.press("prove")
    drawn = exercise("masked_share", 1)
    state = main.session.state
    assert drawn.cell is not None
    assert state.document is drawn.document
    assert (state.cursor.stage, state.cursor.row, state.cursor.column) == (
        "weights",
        drawn.cell.row,
        drawn.cell.column,
    )
    assert np.isclose(state.trace.value(state.focus), drawn.right)
    session.set_value("card", "why-scaling")
    session.set_value("answer", "2")
    session.press("prove")
    assert session.state.lab == "sqrt-dk"
    assert session.state.setting["d_k"] == 512
    assert "Questions and misconceptions" in window.message.text()
    session.open("quiz")
    assert (session.state.setting["card"], session.state.setting["answer"]) == ("why-scaling", "2")
    window.close()
    main.labs.open("quiz")
    again = main.labs.window
    assert again is not None
    assert again.session.state.setting["answer"] == "2"
    main.close()


def test_paragraphs_break_and_lower_their_indices() -> None:
    narrow, wide = (
        Paragraph("√d_k and W_Q and 注意力权重 once more", QFont(font(BODY)), width)
        for width in (90.0, 900.0)
    )
    assert narrow.height > 2 * wide.height
    assert narrow.width <= 90.0
    assert wide.width < 900.0
