"""Labels in both languages at once: how they are said, that every view follows, and that nothing is cut for them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pptx import Presentation
from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QTextLayout
from PySide6.QtWidgets import QCheckBox
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.document import Document
from core.document.edits import with_cell
from core.document.orientation import COLUMNS, ROWS
from core.document.parts import split_layer
from core.document.resize import with_tokens_named
from core.labs.lab import LABS, find_lab
from core.stages import plan
from core.storage.examples import EXAMPLES, load_example
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.cli import run_command_line
from gui.dialogs.preferences import PreferencesDialog
from gui.export.options import ExportOptions
from gui.export.pictures import render_picture
from gui.export.registry import export_shown
from gui.labs.exhibit import find_exhibit
from gui.painting.theme import CAPTION, font
from gui.presentation.navigation import step_name
from gui.session.preferences import load_preferences, save_preferences
from gui.session.session import Session
from gui.session.state import Preferences
from gui.texts.names import (
    INPUT_NAMES,
    STAGE_NAMES,
    head_label,
    key_axis,
    long_label,
    query_axis,
    stage_label,
    stage_name,
)
from gui.texts.translation import label, label_words, labelled, spoken, use_labels, use_language
from gui.views.diagram.labels import name_lines
from gui.views.diagram.scene import card_specs, layout_of
from gui.views.diagram.shapes import TOKENS
from gui.views.heatmaps.painting import make_heatmap
from gui.views.stage.operand_layout import names_fit
from gui.views.stage.scene import build_scene
from gui.views.tables.panel import COMPUTED, GIVEN, SETUP
from tests.core.stacks import make_stack
from tests.gui.diagram_kit import every_kind, make, painted_texts
from tests.gui.files_helpers import Answers
from tests.gui.fits_kit import misfits
from tests.gui.svg_kit import sized_texts
from tests.gui.test_text_size import everything, settle

CHINESE = {
    text: said
    for path in (Path(__file__).parents[2] / "resources" / "i18n" / "zh_CN").glob("*.json")
    for text, said in json.loads(path.read_text(encoding="utf-8")).items()
}
HAN, LATIN = re.compile("[\u4e00-\u9fff]"), re.compile("[A-Za-z]")
SCREENS = [(1024, 768), (1280, 720), (1920, 1080)]


def session_of(document: Document, language: str, **preferences: object) -> Session:
    return Session(document, Preferences(labels="both", **preferences), language)  # type: ignore[arg-type]


# How labels are said


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_stage_and_tensor_of_every_plan_is_called_in_both_languages(language: str) -> None:
    from core.stages import plan

    documents = (*every_kind(), make_stack(gate=True))
    names = {split_layer(stage.id)[1] for document in documents for stage in plan(document)}
    assert names == set(STAGE_NAMES)
    for name in names | set(INPUT_NAMES):
        english = {**STAGE_NAMES, **INPUT_NAMES}[name]
        with spoken(language, "both"):
            said = long_label(name)
        order = (english, CHINESE[english]) if language == "en" else (CHINESE[english], english)
        assert said == " ".join(order)
        assert HAN.search(said)
        assert LATIN.search(said)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_one_language_is_as_ever(language: str) -> None:
    use_language(language)
    for name in STAGE_NAMES:
        assert stage_label(name) == stage_name(name) == label_words(STAGE_NAMES[name])[0]
    assert len(label_words(STAGE_NAMES["Q"])) == 1


def test_what_both_end_with_is_said_once() -> None:
    with spoken("en", "both"):
        assert [query_axis(ROWS), key_axis(COLUMNS)] == ["query 查询 ↓", "key 键 ↓"]
        assert head_label(1, "") == "Head 头 2"
        assert (
            head_label(0, "previous word") == f"Head 头 1: previous word {CHINESE['previous word']}"
        )
        assert head_label(0, "mine {x} 我的") == "Head 头 1: mine {x} 我的"
        assert label("softmax") == "softmax"
    with spoken("zh_CN", "both"):
        assert [query_axis(COLUMNS), key_axis(ROWS)] == ["查询 query →", "键 key →"]
        assert head_label(0, "mine") == "头 Head 1：mine"


def test_a_paper_or_little_room_says_one_language() -> None:
    use_labels("both")
    with spoken("zh_CN"):
        assert stage_label("Q") == "查询"
    with labelled("one"):
        assert stage_label("Q") == "Query"
    assert stage_label("Q") == "Query 查询"


# Every view follows


def window_of(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], **wishes: str
) -> MainWindow:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window = build_window(**wishes)
    window.files.ask = Answers()
    window.files.ask.answer = "discard"
    qtbot.addWidget(window)
    window.resize(*size)
    window.show()
    qtbot.waitExposed(window)
    return window


def words_of(window: MainWindow) -> dict[str, str]:
    """What the views say, each by its own road."""
    state = window.session.state
    heatmap = make_heatmap(state, QRectF(0, 0, 420, 320))
    scene = build_scene(state, QRectF(0, 0, 1800, 700))
    return {
        "diagram": " ".join(painted_texts(state)),
        "axes": " ".join(heatmap.layout.captions),
        "titles": " ".join(heatmap.spec.titles[0]),
        "stages": " ".join(
            window.heatmaps.stages.itemText(i) for i in range(1, window.heatmaps.stages.count())
        ),
        "header": scene.header.subtitles[0],
        "names": " ".join(
            "".join(span.text for span in placed.operand.title) for placed in scene.placed
        ),
        "where": scene.card.where,
        "groups": " ".join(
            window.tables.groups.tabText(i) for i in range(window.tables.groups.count())
        ),
        "heads": window.tables.setup.heads.chips[0].label.text(),
        "tips": str(window.tables.head.itemData(0, Qt.ItemDataRole.ToolTipRole)),
        "note": window.tables.note.text(),
        "docks": " ".join(dock._label.text() for dock in window.docks.values()),
        "toolbar": window.bar._head.text(),
        "step": step_name(state, 2),
    }


@pytest.mark.parametrize(
    ("language", "other"),
    [("en", HAN), ("zh_CN", re.compile("Key|Query|Scores|Head|Heatmap|Positional|query|Given"))],
)
def test_switching_them_on_and_off_relabels_every_view(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, language: str, other: re.Pattern[str]
) -> None:
    window = window_of(qtbot, monkeypatch, (1920, 1080), example="eight-heads", language=language)
    session = window.session
    session.go_to_stage("scores")
    session.set_preferences(decimals=1)
    window.tables.show_table("scores")
    session.edit(with_cell(session.state.document, Cell("X", 0, 0, 0), 2.5))
    document, trace, count = session.state.document, session.state.trace, session.undo_stack.count()
    tabs = window.tables.groups
    tabs.resize(600, tabs.height())
    before = words_of(window)
    window.perform("toggle_labels")
    after = words_of(window)
    for name, said in after.items():
        assert said != before[name], name
        assert other.search(said), (name, said)
    assert window.actions_["toggle_labels"].isChecked()
    assert session.state.document is document
    assert session.state.trace is trace
    assert session.undo_stack.count() == count
    window.perform("toggle_labels")
    assert words_of(window) == before
    assert not window.actions_["toggle_labels"].isChecked()


def test_the_timeline_is_told_and_menus_stay_in_one_language(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = window_of(
        qtbot, monkeypatch, (1280, 720), example="cat-eats-fish", language="zh_CN", labels="both"
    )
    titles = [action.text() for action in window.menuBar().actions()]
    assert not any("Experiment" in title or "View" in title for title in titles)
    assert window.windowTitle().startswith(CHINESE[load_example("cat-eats-fish").title])
    assert window.bar.timeline.accessibleDescription().endswith("查询")
    assert stage_label(window.bar.timeline.nearest_stage(0.0)) == "查询 Query"


def test_the_choice_survives_a_restart(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = window_of(qtbot, monkeypatch, (1280, 720), language="en")
    dialog = PreferencesDialog(window.session, window)
    assert not dialog.labels.isChecked()
    dialog.labels.click()
    assert window.session.state.preferences.labels == "both"
    save_preferences(window.session.state.preferences)
    assert load_preferences().labels == "both"
    assert window_of(qtbot, monkeypatch, (1280, 720)).session.state.preferences.labels == "both"
    assert isinstance(dialog.labels, QCheckBox)
    dialog.labels.click()
    assert window.session.state.preferences.labels == "one"
    dialog.close()


def test_a_foreign_choice_is_not_taken(home: Path) -> None:
    (home / "preferences.json").write_text('{"labels": "three"}', encoding="utf-8")
    assert load_preferences().labels == "one"


# What leaves the program


@pytest.mark.usefixtures("qapp")
def test_pictures_slides_and_the_page_say_both(tmp_path: Path) -> None:
    document = load_example("cat-eats-fish")
    options = ExportOptions("zh_CN", preferences=Preferences(labels="both"))
    render_picture(document, "scores", tmp_path / "a.svg", language="en", labels="both")
    said = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "Scores" in said
    assert "得分" in said
    for name in ("svg", "pptx", "html"):
        assert export_shown(document, name, tmp_path / f"b.{name}", options)
    assert "Exponentials" in (tmp_path / "b.svg").read_text(encoding="utf-8")
    titles = [slide.shapes.title.text for slide in Presentation(str(tmp_path / "b.pptx")).slides]
    assert any(title.endswith(" · 得分 Scores") for title in titles)
    page = (tmp_path / "b.html").read_text(encoding="utf-8")
    assert '["Scores 得分","得分 Scores"]' in page


def test_the_command_line_has_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a.svg"
    asked = ["render", "--example", "cat-eats-fish", "--stage", "Q", "-o", str(out)]
    assert run_command_line([*asked, "--labels", "both", "--language", "en"]) == 0
    assert "查询" in out.read_text(encoding="utf-8")
    assert run_command_line([*asked, "--labels", "one", "--language", "en"]) == 0
    assert "查询" not in out.read_text(encoding="utf-8")
    assert run_command_line(
        ["export", "--example", "cat-eats-fish", "--format", "json", "-o", "x", "--labels", "both"]
    )
    assert "--labels" in capsys.readouterr().err


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_box_of_tokens_and_the_options_of_labs_say_both(language: str) -> None:
    session = Session(load_example("cat-eats-fish"), Preferences(labels="both"), language)
    texts = painted_texts(session.state, 1280, 238)
    assert {"Tokens", "词元"} <= set(texts), "each in its own font"
    with spoken(language, "both"):
        twice = 0
        for lab_id in LABS:
            exhibit, setting = find_exhibit(lab_id), find_lab(lab_id).start()
            for control in find_lab(lab_id).valued(setting):
                for option in getattr(control, "options", ()):
                    own = exhibit.option(control.id, str(option), setting)
                    named = exhibit.option_label(control.id, str(option), setting)
                    assert named.startswith(own) or named.endswith(own)
                    twice += named != own
    assert twice > 20


# Nothing is cut


def test_a_name_takes_what_lines_there_are() -> None:
    names = ("注意力权重", "Attention weights")

    def lines(most: int, width: float) -> list[str]:
        return name_lines(names, most, width, len)

    assert lines(0, 99) == []
    assert lines(1, 23) == ["注意力权重 Attention weights"]
    assert lines(1, 22) == ["注意力权重"]
    assert lines(2, 22) == ["注意力权重", "Attention weights"]
    assert lines(2, 16) == ["注意力权重"]
    assert lines(3, 16) == ["注意力权重", "Attention", "weights"]
    assert lines(3, 8) == ["注意力权重"]
    assert lines(3, 3) == ["注意力", "权重"]
    assert lines(1, 4) == []


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize(
    "size", [(1240.0, 260.0), (990.0, 250.0), (1880.0, 300.0), (2600.0, 640.0)]
)
@pytest.mark.usefixtures("qapp")
def test_no_name_of_a_card_is_cut(language: str, size: tuple[float, float]) -> None:
    documents = [load_example(name) for name in EXAMPLES] + [
        make(mask="causal", positional="rotary")
    ]
    for document in documents:
        state = session_of(document, language).state
        cut = [
            text[:-1]
            for text in painted_texts(state, round(size[0]), round(size[1]))
            if text.endswith("…")
        ]
        assert not [
            text for text in cut if not any(token.startswith(text) for token in document.tokens)
        ]
        where = layout_of(state, size)
        for look in card_specs(state, where):
            assert where.box(look.box.stage_id) is look.box
            assert look.box.stage_id == TOKENS or len(look.heading.names) == 2


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("size", [(480, 420), (752, 380), (1100, 600)])
@pytest.mark.usefixtures("qapp")
def test_names_in_the_stage_view_fit_in_both_languages_or_in_one(
    language: str, size: tuple[int, int]
) -> None:
    for document in (load_example("cat-eats-fish"), load_example("apple-released-iphone")):
        session = session_of(document, language)
        for stage in session.state.trace.plan:
            session.go_to_stage(stage.id)
            scene = build_scene(session.state, QRectF(0, 0, *size))
            spoken_twice = any(HAN.search(title) and LATIN.search(title) for title in _names(scene))
            assert (
                all(names_fit(placed, QRectF(0, 0, *size)) for placed in scene.placed)
                or not spoken_twice
            )


def _names(scene: object) -> list[str]:
    return [placed.operand.row_name for placed in scene.placed if placed.operand.row_name]  # type: ignore[attr-defined]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("width", [180, 260, 420, 900])
@pytest.mark.usefixtures("qapp")
def test_captions_of_the_heatmap_fit_beside_the_matrix(language: str, width: int) -> None:
    metrics = QFontMetricsF(font(CAPTION))
    session = session_of(load_example("cat-eats-fish"), language)
    for stage in ("Q", "scores"):
        session.go_to_stage(stage)
        shown = make_heatmap(session.state, QRectF(0, 0, width, 300))
        widest = max(map(metrics.horizontalAdvance, shown.layout.captions))
        assert widest <= shown.layout.gutter - 8 + 0.5
        assert bool(
            HAN.search(shown.layout.captions[0]) and LATIN.search(shown.layout.captions[0])
        ) == (width >= 260)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("size", SCREENS)
def test_tabs_are_whole_on_every_screen(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, language: str, size: tuple[int, int]
) -> None:
    window = window_of(
        qtbot, monkeypatch, size, example="eight-heads", language=language, labels="both"
    )
    window.docks["tables"].raise_()
    for group in (GIVEN, COMPUTED, SETUP):
        window.tables._show_group(group)
        qtbot.wait(1)
        for strip in (window.tables.groups, window.tables.tabs):
            total = sum(strip.tabSizeHint(index).width() for index in range(strip.count()))
            both = any(
                HAN.search(strip.tabText(i)) and LATIN.search(strip.tabText(i))
                for i in range(strip.count())
            )
            assert total <= strip.width() or not both
    head = window.bar._head
    assert head.width() >= head.sizeHint().width()
    assert window.bar.rect().contains(QRect(head.mapTo(window.bar, QPoint()), head.size()))


# Fonts


@pytest.mark.parametrize("text", ["查询 Query", "Query 查询", "query 查询 ↓"])
@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.usefixtures("qapp")
def test_each_script_has_its_own_font_in_either_order(text: str, bold: bool) -> None:
    layout = QTextLayout(text, font(CAPTION, bold=bold))
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    families = {run.rawFont().familyName() for run in layout.glyphRuns()}
    assert not any(0 in run.glyphIndexes() for run in layout.glyphRuns())
    assert families == {"Attention Stepper Sans", "Attention Stepper Chinese"}


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("example", ["cat-eats-fish", "block-by-hand"])
def test_a_walk_over_all_panels_finds_nothing_cut(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, language: str, example: str
) -> None:
    window = window_of(
        qtbot, monkeypatch, (1280, 720), example=example, language=language, labels="both"
    )
    session = window.session
    document = session.state.document
    tokens = [f"{token} ({'gloss' if token.isascii() else '注'})" for token in document.tokens]
    session.edit(with_tokens_named(document, tuple(tokens), "n"))
    cut = {}
    for stage in session.state.trace.plan.ids:
        session.go_to_stage(stage)
        settle()
        cut[stage] = misfits(window)
    for step in everything(window):
        settle()
        cut[step] = misfits(window)
    assert {step: wrong for step, wrong in cut.items() if wrong} == {}


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_no_text_of_a_picture_in_both_languages_is_cut(tmp_path: Path, language: str) -> None:
    for example in ("cat-eats-fish", "block-by-hand"):
        document = load_example(example)
        for stage in plan(document).ids:
            out = tmp_path / "a.svg"
            render_picture(document, stage, out, (1280, 720), language, labels="both")
            found = [text for text, _ in sized_texts(out.read_text(encoding="utf-8"))]
            assert len(found) > 20
            assert [text for text in found if "…" in text] == []
