"""A hall reads everything: the smallest text is a 36th of the height, on every screen, in both themes and languages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from core.document.resize import with_tokens_added
from core.lesson.lesson import PANELS
from core.storage.examples import load_example
from gui.export.pictures import picture_state
from gui.painting.text_size import size_in_units
from gui.presentation.slide import Headline, paint_slide, panel_rects, slide_areas, unit_for
from gui.session.presented_views import (
    CYCLE,
    DEFAULT_VIEWS,
    SIDE_BY_SIDE,
    STACKED,
    PresentedViews,
    parse_views,
)
from gui.session.state import Preferences, State
from gui.texts.translation import use_language
from gui.views.diagram.labels import in_single_letters, wrapped
from gui.views.diagram.scene import visible_crop
from tests.gui.presenting_kit import svg_of, text_sizes

SCREENS = ((1024, 768), (1280, 720), (1920, 1080), (3840, 2160))
WORDS = Headline(
    "One score by hand",
    "Will it be larger or smaller? " * 4,
    "Smaller: 0.2×0.8 + 0.8×0.2 = 0.32. " * 3,
)


@pytest.mark.parametrize("size", SCREENS, ids=str)
@pytest.mark.parametrize(
    ("example", "stage", "language"),
    [
        ("cat-eats-fish", "scores", "en"),
        ("eight-heads", "weights", "zh_CN"),
        ("who-ate-whom", "Y", "en"),
    ],
)
def test_no_text_is_smaller_than_a_36th_of_the_height(
    qtbot: QtBot, size: tuple[int, int], example: str, stage: str, language: str
) -> None:
    state = picture_state(load_example(example), stage, language, shade="light")
    for choice in CYCLE:
        found = text_sizes(svg_of(state, choice, size))
        assert found, choice
        smallest = min(found, key=found.__getitem__)
        assert found[smallest] >= size[1] / 36, (str(choice), smallest)


@pytest.mark.parametrize("size", SCREENS, ids=str)
def test_the_scene_s_words_are_as_large_and_stand_in_their_own_room(
    qtbot: QtBot, size: tuple[int, int]
) -> None:
    state = picture_state(load_example("cat-eats-fish"), "scores", "en", shade="dark")
    with_words = text_sizes(svg_of(state, DEFAULT_VIEWS, size, WORDS))
    assert min(with_words.values()) >= size[1] / 36
    assert with_words["One score by hand"] >= size[1] / 36 * 17 / 12
    assert any(text.startswith("Smaller") for text in with_words)


def test_the_same_picture_on_a_screen_twice_as_large(qtbot: QtBot) -> None:
    state = picture_state(load_example("cat-eats-fish"), "scores", "en", shade="light")
    small = text_sizes(svg_of(state, PresentedViews(("stage",)), (1920, 1080)))
    large = text_sizes(svg_of(state, PresentedViews(("stage",)), (3840, 2160)))
    assert small.keys() == large.keys()
    assert all(large[text] == pytest.approx(2 * small[text], rel=0.01) for text in small)


@pytest.mark.parametrize("size", SCREENS, ids=str)
def test_panels_share_the_screen_without_touching(size: tuple[int, int]) -> None:
    screen = QRect(0, 0, *size)
    for first in PANELS:
        assert len(panel_rects(screen, PresentedViews((first,)), size[1])) == 1
        for second in PANELS:
            for way in (STACKED, SIDE_BY_SIDE):
                if first != second:
                    one, other = panel_rects(screen, PresentedViews((first, second), way), size[1])
                    assert screen.contains(one)
                    assert screen.contains(other)
                    assert not one.intersects(other)
                    assert (one.x() == other.x()) is (way == STACKED)


@pytest.mark.parametrize("size", SCREENS, ids=str)
@pytest.mark.parametrize(
    "panels", [("diagram", "stage"), ("stage", "diagram"), ("heatmap", "diagram")]
)
def test_under_many_words_the_diagram_keeps_room_for_its_cards(
    qtbot: QtBot, size: tuple[int, int], panels: tuple[str, str]
) -> None:
    choice = PresentedViews(panels, STACKED)
    _, places = slide_areas(QRect(0, 0, *size), choice, WORDS)
    plain = panel_rects(QRect(0, 0, *size), choice, size[1])
    at = panels.index("diagram")
    assert places[at].height() < plain[at].height()
    other = places[1 - at].height()
    assert (
        places[at].height() / unit_for("diagram", size[1]) > 105
        or abs(places[at].height() - other) <= 1
    )
    assert other >= places[at].height() - 1
    document = load_example("who-ate-whom")
    room = size_in_units(places[at], unit_for("diagram", size[1]))
    for stage in ("P", "V", "Y"):
        seen = visible_crop(
            picture_state(document, stage, "en", "light"), (room.width(), room.height())
        )
        assert max(box.outer.bottom for box in seen.layout.boxes) * seen.scale <= room.height()


def test_every_panel_paints_something(qtbot: QtBot) -> None:
    state = picture_state(load_example("four-words-causal"), "weights", "en", shade="light")
    seen = set()
    for panel in PANELS:
        image = QImage(640, 360, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        paint_slide(painter, QRect(0, 0, 640, 360), state, PresentedViews((panel,)), Headline())
        painter.end()
        seen.add(bytes(image.constBits()))
    assert len(seen) == len(PANELS)


def crowd(stage: str, preferences: Preferences | None = None) -> State:
    """64 words and 8 heads."""
    document = load_example("eight-heads")
    words = [f"{token}{number}" for number in range(2, 5) for token in document.tokens]
    document = with_tokens_added(document, document.n, words)
    assert (document.n, document.h) == (64, 8)
    return picture_state(document, stage, "en", "light", preferences)


@pytest.mark.parametrize("size", SCREENS[:2], ids=str)
@pytest.mark.parametrize("columns", [False, True])
def test_64_words_and_8_heads_can_be_read(
    qtbot: QtBot, size: tuple[int, int], columns: bool
) -> None:
    for stage in ("Q", "weights", "concat", "Y"):
        state = crowd(stage, Preferences(columns=columns, heatmap_view="heads"))
        for choice in CYCLE:
            found = text_sizes(svg_of(state, choice, size))
            smallest = min(found, key=found.__getitem__)
            assert found[smallest] >= size[1] / 36, (stage, str(choice), smallest)


def test_a_sum_of_many_terms_stays_as_large_as_others(qtbot: QtBot) -> None:
    found = text_sizes(svg_of(crowd("Q"), PresentedViews(("derivation",)), (1024, 768)))
    assert any(" more" in text for text in found)
    assert min(found.values()) >= 768 / 36 * 1.2


@pytest.mark.parametrize(
    ("choice", "preferences", "notes"),
    [
        ("code", Preferences(), set()),
        ("code", Preferences(columns=True), {"tokens as rows"}),
        ("stage+code", Preferences(), {"PyTorch does not fit here"}),
        (
            "stage+code",
            Preferences(columns=True, code="torch"),
            {"tokens as rows · NumPy does not fit here"},
        ),
        ("heatmap/code", Preferences(), {"1 more line"}),
    ],
)
def test_code_says_what_it_leaves_out(
    qtbot: QtBot, choice: str, preferences: Preferences, notes: set[str]
) -> None:
    state = picture_state(load_example("four-words-causal"), "masked", "en", "light", preferences)
    wanted = parse_views(choice)
    assert wanted is not None
    found = text_sizes(svg_of(state, wanted, (1280, 720)))
    said = {
        text for text in found if "more line" in text or "does not fit" in text or "as rows" in text
    }
    assert said == notes
    assert ("PyTorch" in found) is not ("PyTorch does not fit here" in found)


def test_units_follow_the_height_alone() -> None:
    assert unit_for("words", 2160) == pytest.approx(2 * unit_for("words", 1080))
    assert 12 * unit_for("stage", 720) >= 20


def test_choices_are_written_and_read() -> None:
    for choice in (
        *CYCLE,
        PresentedViews(("heatmap", "code"), SIDE_BY_SIDE),
        PresentedViews(("stage", "derivation"), STACKED),
    ):
        assert parse_views(str(choice)) == choice
    for text in ("", "picture", "stage/stage", "stage/", "stage/code/heatmap", "stage|picture"):
        assert parse_views(text) is None


@pytest.mark.parametrize("size", SCREENS[:3], ids=str)
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_worked_sum_alone_is_cut_nowhere(
    qtbot: QtBot, size: tuple[int, int], language: str
) -> None:
    """The road of a weight ends with the division, and the first line names query and key in full."""
    for example in ("cat-eats-fish", "apple-released-iphone"):
        state = picture_state(load_example(example), "weights", language, shade="light")
        found = text_sizes(svg_of(state, PresentedViews(("derivation",)), size))
        assert not any(text.endswith("…") for text in found), found
        whole = state.trace["exp"][state.cursor.head, 0].sum()
        assert sum(f"{whole:.2f}" in text for text in found) >= 1
        (query, key) = (state.document.tokens[0],) * 2
        assert any(text.endswith(key) and query in text for text in found), found
        assert any(text.lstrip("→ ").startswith("÷") for text in found), found


@pytest.mark.parametrize("size", SCREENS, ids=str)
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_name_of_a_card_is_whole_or_not_there(
    qtbot: QtBot, language: str, size: tuple[int, int]
) -> None:
    use_language(language)
    document = load_example("apple-released-iphone")
    document = document.with_(positional=replace(document.positional, kind="rotary"))
    for stage in ("Q_rot", "scores"):
        state = picture_state(document, stage, language, shade="light")
        texts = text_sizes(svg_of(state, PresentedViews(("diagram",)), size)).keys()
        assert {"Q′", "K′"} <= texts
        assert not [text for text in texts if text.endswith("…") or text in set("查询旋转")]


def test_a_name_in_single_letters_is_known() -> None:
    assert in_single_letters(wrapped("旋转查询", 1, len))
    assert not in_single_letters(wrapped("旋转键", 2, len)), "two and one"
    assert not in_single_letters(wrapped("键", 1, len)), "a whole name"
