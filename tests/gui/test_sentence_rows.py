"""The rows of sentences in the model window: fields as wide as their texts, tokens below each other."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from tests.gui.model_window_kit import model_folder, model_window, wait_for


def test_tokens_of_both_sentences_lie_below_each_other(qtbot: QtBot, tmp_path: Path) -> None:
    with model_window(model_folder(tmp_path / "m", "gpt2"), "the cat sat") as (_, window):
        window.session.set_other("the dog ran on the mat")
        wait_for(window.session)
        window.resize(1600, 800)
        window.show()
        qtbot.waitExposed(window)
        rows = (window.sentences.first, window.sentences.second)
        lefts = [row.strip.mapTo(window, QPoint()).x() for row in rows]
        assert lefts[0] == lefts[1]
        for row in rows:
            text = row.line.fontMetrics().horizontalAdvance(row.line.text())
            assert row.line.width() >= text
            assert row.strip.visibleRegion().boundingRect().width() == row.strip.width()


def test_the_row_is_no_higher_than_its_tokens_where_they_fit(qtbot: QtBot, tmp_path: Path) -> None:
    text = "the cat sat on the mat " * 4
    with model_window(model_folder(tmp_path / "m", "gpt2"), text.strip()) as (_, window):
        row = window.sentences.first
        window.show()
        window.resize(700, 700)
        qtbot.waitUntil(lambda: row.height() > row.strip.height())
        window.resize(3600, 700)
        qtbot.waitUntil(lambda: row.height() == row.strip.height())
