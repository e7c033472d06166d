"""Two sentences: what is written is the alignment, and a word that is clicked is written up to there."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.labs.cross import LAB
from gui.labs.cross import EXHIBIT
from gui.labs.exhibit import LabAppearance, show_lab
from gui.labs.knobs_many import ButtonKnob
from gui.texts.translation import use_language
from tests.gui.labs_kit import drawn_texts, lab_window


@pytest.mark.parametrize("name", ["example", "love", "eaten"])
def test_every_weight_is_written_and_both_sentences(qapp: object, name: str) -> None:
    setting = LAB.start(None, {"pair": name})
    result = LAB.compute(setting)
    texts = drawn_texts("cross", setting)
    assert {*result.document.tokens, *result.document.key_tokens} <= set(texts)
    for weight in result.weights.ravel():
        assert show(float(weight), 2) in texts


def test_rows_come_with_the_words_that_are_written(qapp: object) -> None:
    counts = []
    for written in range(5):
        texts = drawn_texts("cross", LAB.start(None, {"written": written}))
        counts.append(sum("." in text and text.replace(".", "").isdigit() for text in texts))
    assert counts == [0, 5, 10, 15, 20]


def test_a_word_that_is_clicked_is_the_last_one_written(qtbot: QtBot) -> None:
    with lab_window("cross") as window:
        word = window.picture.spots[1]
        qtbot.mouseClick(
            window.picture, Qt.MouseButton.LeftButton, pos=word.area.center().toPoint()
        )
        assert window.session.state.setting["written"] == 2
        assert "“ate” looks most at" in window.notice.text()


def test_read_backwards_and_back_by_undo(qtbot: QtBot) -> None:
    with lab_window("cross") as window:
        button = window.controls.knobs["reverse"]
        assert isinstance(button, ButtonKnob)
        button.button.click()
        assert window.session.state.shown.result.document.key_tokens[0] == "苹果"
        window.session.undo_stack.undo()
        assert window.session.state.shown.result.document.key_tokens[0] == "我"


def notice(**values: object) -> str:
    return EXHIBIT.notice(show_lab("cross", LAB.start(None, values), LabAppearance()))


def test_crossings_are_those_of_the_strongest_lines(qapp: object) -> None:
    result = LAB.compute(LAB.start())
    strongest = [max(range(5), key=lambda key, row=row: row[key]) for row in result.weights]  # type: ignore[misc]
    count = sum(strongest[i] < strongest[j] for i in range(4) for j in range(i))
    assert notice().endswith(
        f"The strongest lines cross where the word order differs; crossings: {count}."
    )


def test_words_that_are_looked_at_alike_are_all_named(qapp: object) -> None:
    assert notice(written=2) == "“ate” looks most at “吃” and “了”, 0.48 each."
    assert notice(written=2, sharpness=0.0) == "“ate” looks at all 5 words equally, 0.20 each."
    assert notice(written=1).startswith("“I” looks most at “我”, ")


def test_names_in_the_list_are_short(qapp: object) -> None:
    for language in ("en", "zh_CN"):
        use_language(language)
        names = [EXHIBIT.option("pair", name, LAB.start()) for name in ("example", "love", "eaten")]
        assert names == ["我 昨天 吃 了 苹果", "我 爱 你", "鱼 被 猫 吃 了"]
