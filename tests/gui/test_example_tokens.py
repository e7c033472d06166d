"""The tokens of examples follow the language of the interface, in window, lessons, labs and answers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.check.answers import parse_answer
from core.document.document import Document
from core.document.edits import with_cell
from core.document.resize import with_token_named
from core.labs.lab import LABS, find_lab
from core.lesson.lesson import (
    LESSONS,
    ExampleSource,
    Lesson,
    lesson_path,
    load,
    resolve_all,
)
from core.quiz.deck import deck
from core.storage.archive import dumps
from core.storage.examples import EXAMPLES, load_example
from gui.app import build_window
from gui.labs.exhibit import LabAppearance, show_lab
from gui.labs.session import LabSession
from gui.session.session import Session
from gui.session.state import Preferences
from gui.storage.answers import key_of_numbers
from gui.texts.translation import (
    find_languages,
    language_folder,
    languages,
    spoken,
    tr_marked,
    use_language,
)

CHINESE = re.compile(r"[\u4e00-\u9fff]")
ENGLISH_TOKENS = {
    "cat-eats-fish": ("cat", "eats", "fish"),
    "i-love-this-apple": ("I", "love", "this", "apple"),
    "who-ate-whom": ("Ming", "eats", "apple"),
    "which-apple-pronoun": ("apple", "is", "sweet", "Ming", "eats", "it"),
    "ming-ate-that-apple": ("Ming", "ate", "up", "that", "apple"),
    "apple-released-iphone": ("Apple", "released", "the", "new", "iPhone"),
    "block-by-hand": ("I", "like", "tea"),
    "induction": ("<s>", "spring", "summer", "autumn", "spring"),
    "not-bad": ("the", "tea", "is", "not", "bad"),
}
ENGLISH_WORDS = {
    "block-by-hand": ("I", "like", "tea", "milk", "you", "."),
    "induction": ("spring", "summer", "autumn"),
    "not-bad": ("negative", "positive"),
}
SOURCES = ("我", "昨天", "吃", "了", "苹果")  # the sentence that is translated stays Chinese


def opened(example: str, language: str = "en") -> Session:
    document = load_example(example, language_folder(language))
    return Session(document, Preferences(), language)


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("language", languages())
def test_only_tokens_differ_between_languages(example: str, language: str) -> None:
    file = load_example(example)
    document = load_example(example, language_folder(language))
    assert len(document.tokens) == file.n
    assert len(document.key_tokens) == file.m
    renamed = replace(document, tokens=file.tokens, context=file.context)
    if file.output is not None and document.output is not None:
        words = document.output.vocabulary
        assert words == (ENGLISH_WORDS[example] if language == "en" else file.output.vocabulary)
        renamed = renamed.with_(output=replace(document.output, vocabulary=file.output.vocabulary))
    assert dumps(renamed) == dumps(file)
    if language == "zh_CN":
        assert document.tokens == file.tokens
    else:
        assert document.tokens == ENGLISH_TOKENS.get(example, file.tokens)
        assert not CHINESE.search(" ".join(document.tokens))


@pytest.mark.parametrize("language", languages())
def test_the_translated_sentence_stays_chinese(language: str) -> None:
    document = load_example("translation", language_folder(language))
    assert document.key_tokens == SOURCES
    assert document.tokens == ("I", "ate", "apples", "yesterday")


@pytest.mark.parametrize(
    ("language", "tokens"), [("en", ("cat", "eats", "fish")), ("zh_CN", ("小猫", "吃", "鱼"))]
)
def test_a_window_opens_an_example_in_its_language(
    qtbot: QtBot, language: str, tokens: tuple[str, ...]
) -> None:
    window = build_window(example="cat-eats-fish", language=language)
    qtbot.addWidget(window)
    assert window.session.state.document.tokens == tokens
    window.files.open_example("who-ate-whom")
    assert window.session.state.document.tokens[1] in tokens


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_switch_of_language_changes_tokens_and_nothing_else(example: str) -> None:
    session = opened(example)
    session.go_to_stage("weights")
    session.set_focus(Cell("weights", 1, 0))
    before = session.state
    for language in ("zh_CN", "en"):
        session.set_language(language)
        after = session.state
        assert dumps(after.document) == dumps(load_example(example, language_folder(language)))
        assert (after.cursor, after.focus) == (before.cursor, before.focus)
        assert (after.dirty, after.path, session.undo_stack.count()) == (False, None, 0)
        for stage in after.trace.plan:
            assert np.array_equal(after.trace[stage.id], before.trace[stage.id])


@pytest.mark.parametrize(
    "edit",
    [
        lambda document: with_cell(document, Cell("Q", 0, 0), 3.0),
        lambda document: with_token_named(document, 0, "dog"),
    ],
)
def test_an_edited_example_keeps_its_tokens(edit: object) -> None:
    session = opened("cat-eats-fish")
    session.edit(edit(session.state.document))  # type: ignore[operator]
    edited = session.state.document
    session.set_language("zh_CN")
    assert session.state.document is edited
    session.undo()
    session.set_language("en")
    assert session.state.document.tokens == ("cat", "eats", "fish")
    assert session.undo_stack.canRedo()


def test_the_same_language_once_more_changes_nothing() -> None:
    session = opened("who-ate-whom")
    before = session.state
    session.set_language("en")
    assert session.state is before


def test_a_saved_example_keeps_its_tokens(tmp_path: Path) -> None:
    session = opened("cat-eats-fish")
    session.mark_saved(tmp_path / "cat.attn.json")
    saved = session.state.document
    session.set_language("zh_CN")
    assert session.state.document is saved


def test_an_experiment_with_the_tokens_of_an_example_is_none() -> None:
    example = load_example("cat-eats-fish", language_folder("en"))
    session = Session(with_cell(example, Cell("V", 2, 1), 0.25), Preferences(), "en")
    own = session.state.document
    session.set_language("zh_CN")
    assert session.state.document is own


def test_answers_stay_through_a_switch_and_between_the_languages(qtbot: QtBot) -> None:
    window = build_window(example="cat-eats-fish", language="en")
    qtbot.addWidget(window)
    session = window.session
    session.answers.write("scores", {(0, 0, 0): parse_answer("0.74")})
    entries = session.state.entries
    session.set_language("zh_CN")
    assert session.state.entries is entries
    assert window.answers.save_now()
    window.files.open_example("translation")
    assert not session.state.entries
    for language in ("zh_CN", "en"):
        session.set_language(language)
        window.files.open_example("cat-eats-fish")
        assert session.state.entries["scores"][0, 0, 0].text == "0.74"


def test_answers_belong_to_numbers_not_to_tokens() -> None:
    chinese, english = (load_example("translation", language_folder(code)) for code in languages())
    assert key_of_numbers(chinese) == key_of_numbers(english)
    other = with_cell(english, Cell("X", 0, 0), 9.0)
    assert key_of_numbers(other) != key_of_numbers(english)


def shown_texts(lesson: Lesson) -> list[str]:
    document_tokens = [
        " ".join(shown.document.tokens) for shown in resolve_all(lesson, language_folder("en"))
    ]
    texts = [
        text.get("en")
        for scene in lesson.scenes
        for text in (scene.title, scene.say, scene.question, scene.answer, scene.notes)
    ]
    return [*document_tokens, *texts, lesson.title.get("en"), lesson.notes.get("en")]


@pytest.mark.parametrize("name", [name for name in LESSONS if name != "lab-cross"])
def test_lessons_in_english_show_english_tokens(name: str) -> None:
    """But for the sentence that first names the Chinese one; cross-attention reads Chinese."""
    named = [text for text in shown_texts(load(lesson_path(name))) if CHINESE.search(text)]
    assert all(re.search(r"Chinese (sentence )?[\u4e00-\u9fff]", text) for text in named)
    assert len(named) <= 1


def test_a_swap_of_tokens_in_a_lesson_has_the_words_of_the_language() -> None:
    lesson = load(lesson_path("who-ate-whom"))
    for language, swapped in (("en", "apple eats Ming"), ("zh_CN", "苹果 吃 小明")):
        third = resolve_all(lesson, language_folder(language))[2]
        assert " ".join(third.document.tokens) == swapped


def test_a_switch_of_language_changes_the_tokens_of_a_scene(qtbot: QtBot) -> None:
    session = opened("translation")
    session.lesson_player.open(load(lesson_path("who-ate-whom")))
    session.lesson_player.go_to(2)
    before = session.state
    assert before.document.tokens == ("apple", "eats", "Ming")
    session.set_language("zh_CN")
    after = session.state
    assert after.document.tokens == ("苹果", "吃", "小明")
    assert not after.live
    assert (after.cursor, after.focus, after.scene_index) == (before.cursor, before.focus, 2)
    session.edit(with_cell(after.document, Cell("X", 0, 0), 0.5))
    session.set_language("en")
    assert session.state.live
    assert session.state.document.tokens == ("苹果", "吃", "小明")
    session.lesson_player.go_to(3)
    assert session.state.document.tokens == ("apple", "eats", "Ming")


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("example", EXAMPLES)
def test_a_recorded_scene_names_its_example(example: str, language: str) -> None:
    session = opened(example, language)
    session.lesson_player.add_scene()
    session.edit(with_cell(session.state.document, tensor_cell(session.state.document), 0.5))
    session.lesson_player.add_scene()
    first, second = session.state.lesson.scenes  # type: ignore[union-attr]
    assert first.source == ExampleSource(example)
    assert not first.changes
    assert len(second.changes) == 1
    other = next(code for code in languages() if code != language)
    tokens = load_example(example, language_folder(other)).tokens
    lesson = session.state.lesson
    assert lesson is not None
    shown = resolve_all(lesson, language_folder(other))
    assert [scene.document.tokens for scene in shown] == [tokens, tokens]


def tensor_cell(document: Document) -> Cell:
    return Cell("Q" if document.source == "qkv" else "X", 0, 0)


@pytest.mark.parametrize("lab_id", [lab for lab in LABS if lab != "cross"])
def test_labs_name_their_own_tokens_in_the_language(lab_id: str) -> None:
    lab = find_lab(lab_id)
    with spoken("zh_CN"):
        chinese = lab.document(show_lab(lab_id, lab.start(), LabAppearance()).setting)
    english = lab.document(show_lab(lab_id, lab.start(), LabAppearance()).setting)
    if chinese is None or english is None:
        assert chinese is english
        return
    output = english.output
    words = output.vocabulary if output else ()
    assert not CHINESE.search(" ".join((*english.tokens, *english.key_tokens, *words)))
    if output and chinese.output:
        output = replace(output, vocabulary=chinese.output.vocabulary)
    renamed = replace(english, tokens=chinese.tokens, context=chinese.context, output=output)
    assert dumps(renamed) == dumps(chinese)


def test_a_lab_on_the_users_experiment_keeps_its_tokens() -> None:
    document = load_example("who-ate-whom")
    for lab_id in ("order", "roles", "plane"):
        setting = find_lab(lab_id).start(document)
        assert show_lab(lab_id, setting, LabAppearance()).setting.document is document


@pytest.mark.parametrize("lab_id", ["roles", "order", "context"])
def test_an_open_lab_follows_the_language_and_keeps_its_setting(qtbot: QtBot, lab_id: str) -> None:
    session = LabSession(lab_id, LabAppearance(), "en")
    control = {"roles": ("speaker", "3"), "context": ("second", "shares")}.get(
        lab_id, ("order", (1, 0, 2))
    )
    session.set_value(*control)
    english = session.lab.document(session.state.setting)
    use_language("zh_CN")
    session.appear("light", 2, "zh_CN")
    chinese = session.lab.document(session.state.setting)
    assert english is not None
    assert chinese is not None
    assert CHINESE.search(" ".join(chinese.tokens))
    assert not CHINESE.search(" ".join(english.tokens))
    assert session.state.setting[control[0]] == control[1]
    assert session.undo_stack.canUndo()


def test_the_word_with_two_meanings_is_one_token_in_each_language() -> None:
    for language, word in (("en", "apple"), ("zh_CN", "苹果")):
        with spoken(language):
            lab = find_lab("context")
            for option in lab.controls(lab.start())[0].options:  # type: ignore[union-attr]
                setting = lab.start(None, {"first": option})
                assert show_lab("context", setting, LabAppearance()).result.first.word == word


def test_the_quiz_speaks_english() -> None:
    texts = [
        text.get("en")
        for card in deck().cards
        for text in (card.title, card.question, card.explanation, *card.options)
    ]
    assert [text for text in texts if CHINESE.search(text)] == []


def test_a_language_of_a_folder_brings_its_own_tokens_or_has_the_english_ones(
    tmp_path: Path,
) -> None:
    for code, names in (
        ("fr", {"cat-eats-fish": {"tokens": ["chat", "mange", "poisson"]}}),
        ("it", None),
    ):
        folder = tmp_path / code
        folder.mkdir()
        (folder / "language.json").write_text(json.dumps({"name": code}), encoding="utf-8")
        if names is not None:
            (folder / "example-tokens.json").write_text(json.dumps(names), encoding="utf-8")
    try:
        find_languages(tmp_path)
        session = opened("cat-eats-fish", "fr")
        assert session.state.document.tokens == ("chat", "mange", "poisson")
        assert tr_marked("chat") == "chat"
        session.set_language("it")
        assert session.state.document.tokens == ("cat", "eats", "fish")
    finally:
        find_languages()
