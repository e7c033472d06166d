"""New experiment: typed, clicked and stepped like a person does."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from core.compute.trace import run
from core.document.create import Sizes, create
from core.storage.archive import dumps
from gui.dialogs.new import NewDialog
from gui.dialogs.new_sentence import split_by_hand
from gui.texts.translation import use_language
from gui.widgets.token_preview import CHARACTERS, SPACES, TokenChips, natural_way, split

Key = Qt.Key


@pytest.fixture
def dialog(qtbot: QtBot) -> NewDialog:
    dialog = NewDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(lambda: dialog.sentence.hasFocus())
    return dialog


def write(dialog: NewDialog, qtbot: QtBot, text: str) -> None:
    """Type over the sentence; Chinese comes from an input method."""
    dialog.sentence.selectAll()
    if text.isascii():
        qtbot.keyClicks(dialog.sentence, text)
    else:
        event = QInputMethodEvent()
        event.setCommitString(text)
        QApplication.sendEvent(dialog.sentence, event)


def test_enter_twice_takes_what_is_shown(dialog: NewDialog, qtbot: QtBot) -> None:
    qtbot.keyClick(dialog.sentence, Key.Key_Return)
    assert dialog.isVisible(), "the numbers come next"
    focused = QApplication.focusWidget()
    assert focused is dialog.fills["graded"]
    qtbot.keyClick(focused, Key.Key_Return)
    assert dialog.result() == QDialog.DialogCode.Accepted
    document = dialog.document()
    expected = create(("the", "cat", "eats", "fish"), "embeddings", Sizes(4, 2, 2, 1), "graded", 1)
    assert document.title == "the cat eats fish"
    assert "seed 1" in document.notes
    assert "not learned" in document.notes
    assert document.X is not None
    assert expected.X is not None
    assert document.X.tolist() == expected.X.tolist()


def test_escape_gives_up(dialog: NewDialog, qtbot: QtBot) -> None:
    qtbot.keyClick(dialog, Key.Key_Escape)
    assert dialog.result() == QDialog.DialogCode.Rejected
    assert not dialog.isVisible()


@pytest.mark.realwindow
def test_everything_chosen_with_the_mouse(dialog: NewDialog, qtbot: QtBot) -> None:
    write(dialog, qtbot, "a b c d e")
    qtbot.mouseClick(dialog.words.qkv, Qt.MouseButton.LeftButton)
    for field, text in ((dialog.k, "2"), (dialog.v, "4"), (dialog.h, "3")):
        field.selectAll()
        qtbot.keyClicks(field, text)
    qtbot.mouseClick(dialog.create_button, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(dialog.fills["identity"], Qt.MouseButton.LeftButton)
    document = dialog.document()
    assert dumps(document) == dumps(
        create(tuple("abcde"), "qkv", Sizes(4, 2, 4, 3), "identity", title="a b c d e")
    )
    assert not dialog.d.isEnabled()
    assert not dialog.seed.isEnabled()


def test_everything_chosen_with_the_keyboard(dialog: NewDialog, qtbot: QtBot) -> None:
    write(dialog, qtbot, "a b c")
    visited = [QApplication.focusWidget()]
    for _ in range(8):
        qtbot.keyClick(visited[-1], Key.Key_Tab)
        visited.append(QApplication.focusWidget())
    names = [widget.accessibleName() for widget in visited if widget is not None]
    other = "Keys and values from another sentence"
    assert names == [
        "Sentence",
        "At spaces",
        other,
        "X and the weights",
        "A Transformer block around the attention",
        "d_model",
        "d_k",
        "d_v",
        "Heads",
    ]
    for _ in range(2):
        qtbot.keyClick(visited[5], Key.Key_Up)
    words = dialog.words
    words.embeddings.setFocus()
    qtbot.keyClick(words.embeddings, Key.Key_Right)
    assert words.qkv.isChecked()
    assert not dialog.d.isEnabled()
    qtbot.keyClick(words.qkv, Key.Key_Left)
    assert words.embeddings.isChecked()
    assert dialog.document().d == 6


@pytest.mark.parametrize("source", ["embeddings", "qkv"])
def test_keys_and_values_from_another_sentence(
    dialog: NewDialog, qtbot: QtBot, source: str
) -> None:
    write(dialog, qtbot, "a b c d e")
    dialog.other.box.setFocus()
    qtbot.keyClick(dialog.other.box, Key.Key_Space)
    assert dialog.other.line.hasFocus(), "to be typed over at once"
    qtbot.keyClicks(dialog.other.line, "F G")
    qtbot.mouseClick(getattr(dialog.words, source), Qt.MouseButton.LeftButton)
    for field, text in ((dialog.d, "6"), (dialog.k, "2"), (dialog.v, "4"), (dialog.h, "3")):
        field.selectAll()
        qtbot.keyClicks(field, text)
    document = dialog.document()
    sizes = Sizes(dialog.d.value(), 2, 4, 3)
    expected = create(tuple("abcde"), source, sizes, "graded", 1, "a b c d e", context=("F", "G"))
    assert dumps(document.with_(notes="")) == dumps(expected)
    assert (document.n, document.m) == (5, 2)
    symbols = (
        "X 5 × 6, X_C 2 × 6, W_Q 6 × 2" if source == "embeddings" else "Q 5 × 2, K 2 × 2, V 2 × 4"
    )
    assert symbols in dialog.words.picture.accessibleName()
    assert "A 5 × 2" in dialog.words.picture.accessibleName()
    qtbot.keyClick(dialog.other.box, Key.Key_Space)
    assert not dialog.other.line.isVisible()
    assert dialog.document().context is None


def test_the_other_sentence_needs_a_token_and_is_cut_in_its_own_way(
    dialog: NewDialog, qtbot: QtBot
) -> None:
    at = QPoint(dialog.other.box.height() // 2, dialog.other.box.height() // 2)
    qtbot.mouseClick(dialog.other.box, Qt.MouseButton.LeftButton, pos=at)
    assert dialog.words.context() == ("小猫", "吃", "鱼")
    qtbot.keyClick(dialog.other.line, Key.Key_Delete)
    assert "other sentence" in dialog.problem.text()
    assert not dialog.create_button.isEnabled()
    event = QInputMethodEvent()
    event.setCommitString("人生苦短")
    QApplication.sendEvent(dialog.other.line, event)
    assert (dialog.words.context(), dialog.words.tokens()) == (
        ("人", "生", "苦", "短"),
        ("the", "cat", "eats", "fish"),
    )
    assert dialog.create_button.isEnabled()
    qtbot.mouseClick(dialog.words.at_spaces, Qt.MouseButton.LeftButton)
    assert dialog.words.context() == ("人生苦短",), "as the user has chosen"


def test_mnemonics_lead_to_their_fields(dialog: NewDialog, qtbot: QtBot) -> None:
    buddies = {
        label.text(): label.buddy() for label in dialog.findChildren(QLabel) if label.buddy()
    }
    assert buddies == {
        "S&entence": dialog.sentence,
        "d<sub>mode<u>l</u></sub>": dialog.d,
        "d<sub><u>k</u></sub>": dialog.k,
        "d<sub><u>v</u></sub>": dialog.v,
        "Hea&ds": dialog.h,
        "How shar&p the attention is": dialog.numbers.sharpness,
        "Seed n&umber": dialog.seed,
    }
    for key, field in ((Key.Key_K, dialog.k), (Key.Key_V, dialog.v)):
        qtbot.keyClick(dialog, key, Qt.KeyboardModifier.AltModifier)
        assert QApplication.focusWidget() is field


def test_the_seed_shows_other_numbers_and_the_same_ones_again(
    dialog: NewDialog, qtbot: QtBot
) -> None:
    def pixels() -> bytes:
        image = dialog.numbers.picture.grab().toImage()
        return bytes(image.constBits())

    dialog.accept()
    first = dialog.document().X, pixels()
    qtbot.keyClick(dialog.seed, Key.Key_Up)
    second = dialog.document().X, pixels()
    qtbot.keyClick(dialog.seed, Key.Key_Down)
    again = dialog.document().X, pixels()
    assert first[0] is not None
    assert second[0] is not None
    assert again[0] is not None
    assert first[0].tolist() == again[0].tolist() != second[0].tolist()
    assert first[1] == again[1] != second[1]


def test_chinese_without_spaces_is_cut_by_character(dialog: NewDialog, qtbot: QtBot) -> None:
    write(dialog, qtbot, "人生苦短")
    assert dialog.words.by_character.isChecked()
    assert dialog.words.tokens() == ("人", "生", "苦", "短")
    write(dialog, qtbot, "小猫 吃 鱼")
    assert dialog.words.at_spaces.isChecked()
    assert dialog.words.tokens() == ("小猫", "吃", "鱼")


def test_the_users_choice_of_cutting_stays(dialog: NewDialog, qtbot: QtBot) -> None:
    qtbot.mouseClick(dialog.words.by_character, Qt.MouseButton.LeftButton)
    write(dialog, qtbot, "ab c")
    assert dialog.words.tokens() == ("a", "b", "c")


@pytest.mark.parametrize(
    ("text", "told"), [("", "at least one token"), ("   ", "at least one token")]
)
def test_no_token_no_experiment(dialog: NewDialog, qtbot: QtBot, text: str, told: str) -> None:
    qtbot.keyClick(dialog.sentence, Key.Key_Delete)
    qtbot.keyClicks(dialog.sentence, text)
    assert told in dialog.problem.text()
    assert not dialog.create_button.isEnabled()
    qtbot.keyClick(dialog.sentence, Key.Key_Return)
    assert dialog.isVisible()
    write(dialog, qtbot, "x")
    assert dialog.problem.text() == ""
    assert dialog.create_button.isEnabled()


def test_too_many_scores_are_refused(dialog: NewDialog, qtbot: QtBot) -> None:
    QApplication.clipboard().setText("a " * 2000)
    dialog.sentence.selectAll()
    dialog.sentence.paste()
    dialog.sentence.textEdited.emit(dialog.sentence.text())
    assert len(dialog.words.tokens()) == 2000
    dialog.h.stepBy(7)
    assert dialog.create_button.isEnabled()
    qtbot.keyClick(dialog.h, Key.Key_Up)
    assert "2000 tokens are too many for 9 heads" in dialog.problem.text()
    assert not dialog.create_button.isEnabled()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_everything_focusable_has_a_name_and_nothing_is_cut(qtbot: QtBot, language: str) -> None:
    use_language(language)
    dialog = NewDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.words.by_hand.click()
    for widget in dialog.findChildren(QWidget):
        if (
            widget.focusPolicy() != Qt.FocusPolicy.NoFocus
            and widget.objectName() != "qt_spinbox_lineedit"
        ):
            assert widget.accessibleName() or getattr(widget, "text", str)(), widget
        if isinstance(widget, QLabel) and not widget.wordWrap() and widget.isVisible():
            assert widget.width() >= widget.sizeHint().width(), widget.text()
    assert (dialog.width(), dialog.height()) <= (1280, 680)


@pytest.mark.parametrize(
    ("sentence", "way", "tokens"),
    [
        ("  the  cat\teats\n", SPACES, ("the", "cat", "eats")),
        ("小猫　吃", SPACES, ("小猫", "吃")),
        ("我 爱\n你", CHARACTERS, ("我", "爱", "你")),
        ("👍🏽好👨‍👩‍👧", CHARACTERS, ("👍🏽", "好", "👨‍👩‍👧")),
        ("e\u0301a", CHARACTERS, ("e\u0301", "a")),
        ("שלום", CHARACTERS, ("ש", "ל", "ו", "ם")),
        ("", SPACES, ()),
        ("", CHARACTERS, ()),
    ],
)
def test_cutting(sentence: str, way: str, tokens: tuple[str, ...], qapp: QApplication) -> None:
    assert split(sentence, way) == tokens


@pytest.mark.parametrize(
    ("sentence", "way"),
    [
        ("人生苦短", CHARACTERS),
        ("小猫 吃", SPACES),
        ("cat", SPACES),
        ("the cat", SPACES),
        ("", SPACES),
    ],
)
def test_natural_cutting(sentence: str, way: str) -> None:
    assert natural_way(sentence) == way


@pytest.mark.parametrize(
    ("pieces", "tokens"), [("New York | is| |big|", ("New York", "is", "big")), (" | ", ())]
)
def test_cutting_by_hand(pieces: str, tokens: tuple[str, ...]) -> None:
    assert split_by_hand(pieces) == tokens


def click(dialog: NewDialog, qtbot: QtBot, x: float) -> None:
    chips = dialog.words.findChildren(TokenChips)[0]
    qtbot.mouseClick(chips, Qt.MouseButton.LeftButton, pos=QPoint(round(x), 12))


def edges(dialog: NewDialog, qtbot: QtBot) -> list[tuple[float, float]]:
    """The left and right edges of the chips in the first row, from the picture of the chips."""
    chips = dialog.words.findChildren(TokenChips)[0]
    image, row = chips.grab().toImage(), 4
    ground = image.pixelColor(image.width() - 1, image.height() - 1)
    scale = image.width() / chips.width()
    filled = [image.pixelColor(x, round(row * scale)) != ground for x in range(image.width())]
    changes = [x for x in range(1, len(filled)) if filled[x] != filled[x - 1]]
    ends = [0, *changes] if filled[0] else changes
    return [(a / scale, b / scale) for a, b in zip(ends[::2], ends[1::2], strict=False)]


def test_the_mouse_joins_and_cuts_tokens(dialog: NewDialog, qtbot: QtBot) -> None:
    write(dialog, qtbot, "New York unhappy")
    assert dialog.words.tokens() == ("New", "York", "unhappy")
    first, second, _third = edges(dialog, qtbot)
    click(dialog, qtbot, (first[1] + second[0]) / 2)
    assert dialog.words.tokens() == ("New York", "unhappy")
    assert dialog.words.by_hand.isChecked()
    assert dialog.words.pieces.text() == "New York | unhappy"
    _joined, second = edges(dialog, qtbot)
    click(dialog, qtbot, second[0] + 0.3 * (second[1] - second[0]))
    *rest, start, end = dialog.words.tokens()
    assert rest == ["New York"]
    assert start + end == "unhappy"
    assert 1 <= len(start) <= 3
    _first, second, third = edges(dialog, qtbot)
    click(dialog, qtbot, (second[1] + third[0]) / 2)
    assert dialog.words.tokens() == ("New York", "unhappy")


def test_the_mouse_cuts_no_single_character(dialog: NewDialog, qtbot: QtBot) -> None:
    write(dialog, qtbot, "我爱你")
    (left, right), *_rest = edges(dialog, qtbot)
    click(dialog, qtbot, (left + right) / 2)
    assert dialog.words.tokens() == ("我", "爱", "你")
    first, second, _third = edges(dialog, qtbot)
    click(dialog, qtbot, (first[1] + second[0]) / 2)
    assert dialog.words.tokens() == ("我爱", "你")


def test_tokens_are_cut_by_hand(dialog: NewDialog, qtbot: QtBot) -> None:
    write(dialog, qtbot, "New York unhappy")
    dialog.words.by_hand.click()
    pieces = dialog.words.pieces
    assert pieces.hasFocus()
    assert pieces.text() == "New | York | unhappy"
    pieces.setCursorPosition(len("New |"))
    qtbot.keyClick(pieces, Key.Key_Backspace)
    pieces.setCursorPosition(pieces.text().index("happy"))
    qtbot.keyClicks(pieces, "|")
    assert dialog.words.tokens() == ("New  York", "un", "happy")
    assert dialog.document().title == "New York unhappy"
    write(dialog, qtbot, "a b")
    assert dialog.words.tokens() == ("a", "b"), "another sentence is cut anew"


def test_back_and_forth_keeps_everything(dialog: NewDialog, qtbot: QtBot) -> None:
    write(dialog, qtbot, "a b a")
    dialog.d.stepBy(3)
    dialog.accept()
    dialog.fills["normal"].click()
    dialog.numbers.again.click()
    qtbot.keyClick(dialog, Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert dialog.sentence.isVisible()
    assert dialog.sentence.hasFocus()
    expected = create(("a", "b", "a"), "embeddings", Sizes(7, 2, 2, 1), "normal", 2, "a b a")
    assert dumps(dialog.document().with_(notes="")) == dumps(expected)


def test_sharper_attention_has_larger_weights(dialog: NewDialog, qtbot: QtBot) -> None:
    def largest() -> float:
        document = dialog.document()
        return float(run(document)["weights"].max(axis=2).mean())

    dialog.accept()
    found = []
    dialog.numbers.sharpness.setFocus()
    for key in (Key.Key_Home, Key.Key_PageUp, Key.Key_PageUp, Key.Key_End):
        qtbot.keyClick(dialog.numbers.sharpness, key)
        found.append(largest())
    assert found == sorted(found)
    assert found[0] < 0.5 < found[-1]


def test_what_is_spoken_of_the_weights_is_so(dialog: NewDialog, qtbot: QtBot) -> None:
    dialog.accept()
    weights = run(dialog.document())["weights"][0].max(axis=1)
    said = dialog.numbers.picture.accessibleName()
    assert f"{weights.min():.2f} to {weights.max():.2f}" in said
    dialog.fills["integers"].click()
    assert not dialog.numbers.sharpness.isEnabled()
    weights = run(dialog.document())["weights"][0].max(axis=1)
    said = dialog.numbers.picture.accessibleName()
    assert f"{weights.min():.2f} to {weights.max():.2f}" in said
    count = int((weights > 0.95).sum())
    assert (f"In {count} of 4 rows" in said) == (count > 0)


@pytest.mark.parametrize(
    ("text", "told"),
    [("the cat the", "“the” occurs"), ("a", "only to itself"), ("a " * 17, "scroll"), ("a b", "")],
)
def test_what_is_worth_knowing_is_said(
    dialog: NewDialog, qtbot: QtBot, text: str, told: str
) -> None:
    write(dialog, qtbot, text)
    said = [label.text() for label in dialog.words.findChildren(QLabel) if label.isVisible()]
    notes = ("occurs more", "only to itself", "scroll", "by hand")
    assert any(told in text for text in said if any(note in text for note in notes)) or not told
    assert told or not any(note in text for text in said for note in notes[:3])


def test_a_sentence_that_was_left_is_there_the_next_time(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    first = NewDialog(window)
    first.show()
    write(first, qtbot, "left alone")
    qtbot.keyClick(first, Key.Key_Escape)
    second = NewDialog(window)
    assert second.sentence.text() == "left alone"
    second.accept()
    second.accept()
    assert NewDialog(window).sentence.text() == "the cat eats fish"
    assert NewDialog(window, "we like tea").words.tokens() == ("we", "like", "tea")


def test_a_long_sentence_shows_no_weights_but_makes_them(dialog: NewDialog, qtbot: QtBot) -> None:
    dialog.sentence.setText(" ".join(map(str, range(100))))
    dialog.sentence.textEdited.emit(dialog.sentence.text())
    dialog.accept()
    assert "too long" in dialog.numbers.picture.accessibleName()
    assert dialog.document().n == 100


def test_a_transformer_block_is_made_around_the_attention(dialog: NewDialog) -> None:
    dialog.words.block.click()
    document = dialog.document()
    assert document.is_stack
    assert document.title == "the cat eats fish"
    assert document.output is not None
    assert document.output.vocabulary == ("the", "cat", "eats", "fish")
    alone = create(("the", "cat", "eats", "fish"), "embeddings", Sizes(4, 2, 2, 1), "graded", 1)
    assert document.X is not None
    assert document.X.tolist() == alone.X.tolist()
    assert {"L1.attention_residual", "L1.mlp_out", "probabilities"} <= set(run(document))


def test_only_embeddings_of_one_sentence_become_a_block(dialog: NewDialog) -> None:
    words = dialog.words
    words.block.click()
    for other in (words.qkv, words.embeddings, words.other.box, words.other.box):
        other.click()
        possible = words.embeddings.isChecked() and not words.other.wanted
        assert words.block.isEnabled() == dialog.document().is_stack == possible
