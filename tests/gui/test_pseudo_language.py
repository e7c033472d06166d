"""A language that is only a folder runs through the program: every text is in it, and nothing is cut at 1280 × 720."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pptx
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from core.labs.lab import find_lab
from core.lesson import lesson as lessons
from core.lesson.lesson import Lesson, lesson_path, load
from core.quiz import deck as decks
from core.quiz.deck import Deck
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.cli import run_command_line
from gui.export.options import ExportOptions
from gui.export.registry import export_shown
from gui.labs.exhibit import LabAppearance, show_lab
from gui.labs.frame import paint_picture
from gui.texts.translation import languages, spoken, tr
from gui.views.guide.reader import page_text
from tests.gui.browser_kit import FITS, Browser, running
from tests.gui.fits_kit import misfits
from tests.gui.lab_rooms import faults, placed_texts
from tests.gui.test_main_window import SAME, visible_texts
from tests.gui.test_text_size import (
    DIALOGS,
    SIZES,
    Dialog,
    NotesDialog,
    SmallScreen,
    TermsDialog,
    checking,
    everything,
    settle,
    window_of,
    wrong_with,
)
from tests.pseudo_kit import (
    CODE,
    NAME,
    english_words,
    pseudo,
    pseudo_language,
    pseudo_lesson,
    with_pseudo,
)

# The sentence in the banner; the symbol of a stage and the name of a key are known, too.
DATA = {
    *[
        "A",
        "sentence",
        "that",
        "is",
        "long",
        "enough",
        "to",
        "need",
        "more",
        "than",
        "one",
        "line",
        "of",
        "a",
        "small",
        "window",
    ]
}
KNOWN = SAME | DATA | {NAME, "exp", "Backspace"}


@pytest.fixture(autouse=True)
def language(tmp_path: Path) -> Generator[None]:
    with pseudo_language(tmp_path):
        yield


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    """A course lesson in version 2 of the format."""
    path = tmp_path / "first-steps.lesson.json"
    lessons.save(pseudo_lesson(load(lesson_path("first-steps"))), path)
    assert json.loads(path.read_text(encoding="utf-8"))["version"] == 2
    return path


def test_a_folder_makes_a_language(capsys: pytest.CaptureFixture[str]) -> None:
    assert languages() == ("en", CODE, "zh_CN")
    with spoken(CODE):
        assert tr("Untitled") == pseudo("Untitled") != "Untitled"
    assert run_command_line(["examples", "--language", CODE]) == 0
    assert pseudo("Eight heads, sixteen words") in capsys.readouterr().out
    with pytest.raises(SystemExit):
        run_command_line(["--help", "--language", CODE])
    assert pseudo("language of all texts") in " ".join(capsys.readouterr().out.split())


def test_no_english_in_the_window_and_no_word_is_cut(qtbot: QtBot) -> None:
    window = window_of(qtbot, SIZES[0], CODE, 100, "eight-heads")
    document = window.session.state.document
    known = KNOWN | {*document.tokens, *(head.name for head in document.heads)}
    cut, english = {}, {}
    for step in everything(window):
        settle()
        assert (window.width(), window.height()) == SIZES[0], step
        cut[step] = misfits(window)
        english |= english_words(visible_texts(window), known)
    assert {step: wrong for step, wrong in cut.items() if wrong} == {}
    assert english == {}
    assert window.actions_[f"language_{CODE}"].text() == NAME


def test_no_word_is_cut_while_predicting_and_in_a_lesson(qtbot: QtBot, lesson: Path) -> None:
    window = window_of(qtbot, SIZES[0], CODE, 100, "eight-heads")
    cut = {}
    for step in checking(window):
        settle()
        cut[step] = misfits(window)
    assert window.lesson_files.open(lesson)
    settle()
    cut["its lesson"] = misfits(window)
    assert {step: wrong for step, wrong in cut.items() if wrong} == {}
    title = load(lesson_path("first-steps")).scenes[0].title.get("en")
    assert pseudo(title) in [label.text() for label in window.findChildren(QLabel)]


def test_no_word_of_a_dialog_is_cut(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = window_of(qtbot, SIZES[0], CODE, 100, "cat-eats-fish")
    for kind in (Dialog, NotesDialog, TermsDialog):
        monkeypatch.setattr(kind, "screen", lambda _self: SmallScreen())
    found = {name: wrong_with(make(window, tmp_path), qtbot) for name, make in DIALOGS.items()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> Deck:
    """The quiz with every text in the pseudo-language too."""
    shipped = decks.deck()
    translated = tuple(
        replace(
            card,
            title=with_pseudo(card.title),
            question=with_pseudo(card.question),
            explanation=with_pseudo(card.explanation),
            options=tuple(map(with_pseudo, card.options)),
            slips=tuple((slip, with_pseudo(text)) for slip, text in card.slips),
        )
        for card in shipped.cards
    )
    topics = {topic: with_pseudo(text) for topic, text in shipped.topics.items()}
    deck = Deck(translated, topics)
    for module in ("core.quiz.quiz.deck", "gui.labs.quiz.deck", "gui.labs.quiz_picture.deck"):
        monkeypatch.setattr(module, lambda: deck)
    return deck


@pytest.mark.usefixtures("qapp")
def test_every_card_of_the_quiz_can_be_read(cards: Deck) -> None:
    lab, size, wrong = find_lab("quiz"), (1100, 620), {}
    with spoken(CODE):
        for card in cards.cards[::3]:
            setting = lab.with_value(lab.start(), "card", card.id)
            for answered in (setting, lab.with_value(setting, "answer", "2")):
                shown = show_lab("quiz", answered, LabAppearance())
                placed = placed_texts(
                    lambda painter, room, shown=shown: paint_picture(painter, room, "quiz", shown),
                    size,
                )
                texts = [one.text for one in placed]
                found = [*faults(placed, QRectF(0, 0, *size)), *english_words(texts, KNOWN)]
                if found:
                    wrong[card.id] = found
    assert wrong == {}


def slide_texts(path: Path) -> list[str]:
    deck: Any = pptx.Presentation(str(path))
    frames = [
        shape.text_frame for slide in deck.slides for shape in slide.shapes if shape.has_text_frame
    ]
    notes = [slide.notes_slide.notes_text_frame for slide in deck.slides if slide.has_notes_slide]
    return [frame.text for frame in (*frames, *notes) if frame is not None]


@pytest.mark.usefixtures("qapp")
def test_slides_of_a_lesson_have_no_english(tmp_path: Path, lesson: Path) -> None:
    out = tmp_path / "a.pptx"
    shown: Lesson = load(lesson)
    export_shown(shown, "pptx", out, ExportOptions(language=CODE))
    texts = slide_texts(out)
    assert pseudo(shown.scenes[0].title.get("en")) in texts
    assert english_words(texts, KNOWN) == {}
    deck: Any = pptx.Presentation(str(out))
    for slide in deck.slides:
        for shape in slide.shapes:
            assert shape.left + shape.width <= deck.slide_width
            assert shape.top + shape.height <= deck.slide_height


@pytest.fixture
def page(tmp_path: Path) -> Generator[Browser]:
    with running(tmp_path / "browser") as browser:
        yield browser


@pytest.mark.usefixtures("qapp")
def test_the_page_speaks_it_and_fits(page: Browser, tmp_path: Path, lesson: Path) -> None:
    out, shown = tmp_path / "a.html", load(lesson)
    export_shown(shown, "html", out, ExportOptions(language=CODE))
    page.size(1280, 720)
    page.open(out)
    assert page.text("#lesson h2") == pseudo(shown.scenes[0].title.get("en"))
    page.click("#more")
    assert NAME in page.text("#menu")
    page.press("Escape")
    for _ in range(len(shown.scenes)):
        assert page.ask(FITS)
        assert english_words([page.ask("document.body.innerText")], KNOWN | {"English"}) == {}
        page.press("PageDown")
    assert page.complaints() == []


def test_the_guide_falls_back_to_english(qtbot: QtBot) -> None:
    assert page_text("guide", CODE) == page_text("guide", "en") != page_text("guide", "zh_CN")
    window: MainWindow = build_window(language=CODE)
    qtbot.addWidget(window)
    window.show()
    window.actions_["help"].trigger()
    QApplication.processEvents()
    guide = next(
        one for one in QApplication.topLevelWidgets() if type(one).__name__ == "GuideWindow"
    )
    qtbot.addWidget(guide)
    guide.resize(*SIZES[0])
    settle()
    assert misfits(guide) == []


def test_labels_in_two_languages_add_english(qtbot: QtBot) -> None:
    window = window_of(qtbot, SIZES[0], CODE, 100, "cat-eats-fish")
    window.session.set_preferences(labels="both")
    settle()
    assert window.session.state.language == CODE
    assert list(chain(misfits(window))) == []
