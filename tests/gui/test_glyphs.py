"""Characters that no installed font has: what stands in for them, where, and what is said about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pptx import Presentation
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QTextLayout
from pytestqt.qtbot import QtBot

from core.document.document import Document
from core.document.resize import with_tokens_named
from gui.export.options import ExportOptions
from gui.export.pictures import render_picture
from gui.export.registry import export_shown
from gui.painting.theme import BODY, font
from gui.session.session import Session
from gui.session.state import Preferences
from gui.texts.glyphs import (
    as_written,
    drawable_text,
    font_for,
    missing_glyphs_text,
    stand_in,
    use_glyphs,
)
from gui.texts.names import EMPTY_TOKEN, head_name, visible_token, visible_tokens
from gui.texts.rich_text import short
from gui.texts.translation import use_language
from gui.views.heatmaps.painting import make_heatmap
from gui.views.stage.card import sum_text
from gui.views.stage.scene import build_scene
from gui.widgets.font_coverage import FontNotice, ask_fonts, drawable, missing
from tests.gui.diagram_kit import make, painted_texts

# No font has the last private character: it is nobody's, and no font may claim one that is not assigned.
NOBODYS, UNASSIGNED = "\U0010fffd", "\u0378"


def has_box(text: str) -> bool:
    """Whether laying a text out with the program's font gives a box, asked of the glyphs themselves."""
    layout = QTextLayout(text, font(BODY))
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return any(0 in run.glyphIndexes() for run in layout.glyphRuns())


@pytest.fixture
def asked(qapp: object) -> None:
    ask_fonts()


@pytest.mark.parametrize("character", [NOBODYS, UNASSIGNED])
@pytest.mark.usefixtures("qapp")
def test_what_no_font_has_is_a_box_and_known_to_be_one(character: str) -> None:
    assert has_box(character)
    assert not drawable(character)


@pytest.mark.parametrize("character", [*"aé√ₖ猫Ω→", "\u200d", "\ufe0f", "\u202e", "\u0301"])
@pytest.mark.usefixtures("qapp")
def test_what_fonts_have_or_nobody_sees_is_drawn(character: str) -> None:
    assert not has_box(character)
    assert drawable(character)


@pytest.mark.usefixtures("asked")
def test_a_run_becomes_its_first_code_in_brackets() -> None:
    assert drawable_text("猫") == "猫"
    assert drawable_text(f"a{NOBODYS}b") == "a[U+10FFFD]b"
    assert drawable_text(f"猫{NOBODYS}{UNASSIGNED}") == "猫[U+10FFFD …]"
    assert not has_box(drawable_text(f"猫{NOBODYS}{UNASSIGNED}x{UNASSIGNED}"))
    assert visible_token(f" {UNASSIGNED} ") == "[U+0378]"
    assert visible_token("  ") == EMPTY_TOKEN
    assert short(UNASSIGNED) == "[U+0378]"
    assert head_name(1, NOBODYS) == "Head 2: [U+10FFFD]"
    with as_written():
        assert drawable_text(NOBODYS) == NOBODYS
        with as_written(yes=False):
            assert drawable_text(NOBODYS) == "[U+10FFFD]"
    assert drawable_text(NOBODYS) == "[U+10FFFD]"


def test_before_fonts_are_asked_all_is_as_written() -> None:
    assert visible_token(NOBODYS) == NOBODYS


def test_each_character_is_asked_for_once(asked: None) -> None:
    calls: list[str] = []

    def count(character: str) -> bool:
        calls.append(character)
        return drawable(character)

    use_glyphs(count)
    common = bytes(range(0xA1, 0xC9))  # GB 2312 orders its Chinese characters by sound
    known = [bytes((0xB0, second)).decode("gb2312") for second in common]
    tokens = [known[i % 40] for i in range(2000)]
    before = drawable.cache_info().misses
    assert [drawable_text(token) for token in tokens] == tokens
    assert drawable.cache_info().misses - before <= 40
    assert len(calls) == 2000


def document_with(token: str) -> Document:
    return make(tokens=("t0", token, "t2", "t3", "t4"))


@pytest.mark.usefixtures("asked")
def test_every_view_draws_the_stand_in() -> None:
    session = Session(document_with(UNASSIGNED), Preferences(decimals=1), "en")
    session.go_to_stage("weights")
    state = session.state
    said = painted_texts(state, 2600, 700)
    assert not [text for text in said if UNASSIGNED in text]
    assert any(text.startswith("[U+03") for text in said)
    heatmap = make_heatmap(state, QRectF(0, 0, 500, 400))
    assert heatmap.spec.rows[1] == heatmap.spec.columns[1] == "[U+0378]"
    session.set_focus(state.focus.__class__("weights", 1, 2, 0))
    scene = build_scene(session.state, QRectF(0, 0, 1200, 600))
    assert scene.card.where == "Attention weights, query [U+0378], key t2"
    spans = "".join(span.text for row, _ in scene.card.rows for span in row.spans)
    assert "[U+0378]" in spans
    assert UNASSIGNED not in spans
    assert visible_token(state.document.tokens[1]) == "[U+0378]"
    wide = QFontMetricsF(font(BODY)).horizontalAdvance("[U+0378]")
    assert scene.placed[0].labels_width >= wide


@pytest.mark.usefixtures("asked")
def test_copies_slides_and_the_page_keep_what_was_written(tmp_path: Path) -> None:
    document = document_with(UNASSIGNED)
    session = Session(document, Preferences(), "en")
    session.go_to_stage("scores")
    session.set_focus(session.state.focus.__class__("scores", 1, 2, 0))
    assert UNASSIGNED in sum_text(session.state, "text")
    for name in ("html", "pptx"):
        assert export_shown(document, name, tmp_path / f"a.{name}", ExportOptions())
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert UNASSIGNED in page
    assert "[U+0378]" not in page
    texts = [
        shape.text_frame.text for shape in Presentation(str(tmp_path / "a.pptx")).slides[0].shapes
    ]
    assert any(UNASSIGNED in text for text in texts)
    render_picture(document, "weights", tmp_path / "a.svg")
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "[U+0378]" in svg
    assert UNASSIGNED not in svg


def test_it_is_said_once_which_one_and_what_helps(asked: None) -> None:
    said: list[str] = []
    notice = FontNotice(said.append)
    session = Session(make(), Preferences(), "en")
    session.changed.connect(notice.show_state)
    notice.show_state(None, session.state)
    assert said == []
    session.edit(with_tokens_named(session.state.document, ("t0", UNASSIGNED, "t2", NOBODYS, "t4")))
    assert said == [
        "No installed font can display the character U+0378 (token 2); it is shown as [U+0378]. "
        "The same goes for U+10FFFD. Install the font it was made for, or write it another way."
    ]
    session.step(1)
    session.undo_stack.undo()
    session.undo_stack.redo()
    assert len(said) == 1
    session.changed.disconnect(notice.show_state)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_character_with_a_name_is_called_by_it(language: str) -> None:
    use_language(language)
    use_glyphs(lambda character: character not in "🍎ሀ")
    document = make(tokens=("t0", "t1", "🍎ሀ", "t3", "t4"))
    said = missing_glyphs_text(missing(document))
    assert "RED APPLE" in said
    assert stand_in("🍎") == "[U+1F34E]"
    assert stand_in("🍎") in said
    assert "Noto Emoji" in said
    assert "3" in said
    assert said.index("U+1F34E") < said.index("U+1200")


def test_the_title_is_looked_at_too() -> None:
    use_glyphs(lambda character: character != NOBODYS)
    from core.document.edits import with_title

    said = missing_glyphs_text(missing(with_title(make(), f"x{NOBODYS}")))
    assert "(the title)." in said


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("🍎", "Noto Emoji"),
        ("猫", "Noto Sans CJK SC"),
        ("ሀ", "Noto Sans Ethiopic"),
        ("𒀀", "Noto Sans Cuneiform"),
        ("ཀ", "Noto Serif Tibetan"),
        ("𓀀", "Noto Sans Egyptian Hieroglyphs"),
        ("𐀀", "Noto Sans Linear B"),
        ("𝒜", "Noto Sans Math"),
        ("க", "Noto Sans Tamil"),
        (UNASSIGNED, ""),
        (NOBODYS, ""),
    ],
)
def test_the_font_that_helps(character: str, name: str) -> None:
    assert font_for(character) == name


def test_the_window_says_it_in_its_banner(qtbot: QtBot, tmp_path: Path) -> None:
    from core.storage.archive import save
    from gui.app.application import build_window

    path = tmp_path / "a.attn.json"
    save(document_with(UNASSIGNED), path)
    assert json.loads(path.read_text(encoding="utf-8"))["tokens"][1] == UNASSIGNED
    window = build_window(path, language="en")
    qtbot.addWidget(window)
    assert "U+0378 (token 2)" in window.message_bar.accessibleName()
    assert not window.message_bar.isHidden()


def test_tokens_that_are_kept_follow_what_can_be_drawn() -> None:
    tokens = ("a", "猫", " ")
    use_glyphs()
    assert visible_tokens(tokens) == ("a", "猫", EMPTY_TOKEN)
    use_glyphs(str.isascii)
    assert visible_tokens(tokens) == ("a", "[U+732B]", EMPTY_TOKEN)
    with as_written():
        assert visible_tokens(tokens) == ("a", "猫", EMPTY_TOKEN)
    use_glyphs()
    assert visible_tokens(tokens) == ("a", "猫", EMPTY_TOKEN)
