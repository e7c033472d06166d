"""Two sentences: what is written is the alignment, and a word that is clicked is written up to there."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.labs.cross import LAB
from core.numbers import show
from gui.labs.knobs_many import ButtonKnob
from tests.gui.labs_kit import drawn_texts, lab_window


@pytest.mark.parametrize("name", ["example", "love", "eaten"])
def test_every_weight_is_written_and_both_sentences(qapp: object, name: str) -> None:
    setting = LAB.start(None, {"pair": name})
    result = LAB.work_out(setting)
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
        qtbot.mouseClick(window.picture, Qt.MouseButton.LeftButton, pos=word.area.center().toPoint())
        assert window.session.state.setting["written"] == 2
        assert "ate looks at" in window.notice.text()


def test_read_backwards_and_back_by_undo(qtbot: QtBot) -> None:
    with lab_window("cross") as window:
        button = window.controls.knobs["reverse"]
        assert isinstance(button, ButtonKnob)
        button.button.click()
        assert window.session.state.shown.result.document.key_tokens[0] == "苹果"
        window.session.undo_stack.undo()
        assert window.session.state.shown.result.document.key_tokens[0] == "我"
