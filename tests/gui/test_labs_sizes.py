"""Labs at every text size: a picture has its units, colours keep their meanings, and letters can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.document.document import Mask
from core.document.edits import with_mask
from core.labs.lab import find_lab
from core.storage.examples import load_example
from gui.labs.exhibit import LabAppearance, find_exhibit
from gui.labs.picture import LEAST
from gui.painting import text_size
from gui.painting.theme import THEMES
from tests.gui.lab_pictures import shown_of
from tests.gui.labs_kit import drawn_texts, lab_window
from tests.gui.svg_kit import sized_texts, svg_of


@pytest.fixture
def large(qapp: object) -> Iterator[None]:
    text_size.use_percent(200)
    yield
    text_size.use_percent(100)


@pytest.mark.parametrize("lab_id", ["roles", "heads"])
def test_a_picture_among_large_words_has_its_units_and_the_rest_scrolls(
    qtbot: QtBot, large: None, lab_id: str
) -> None:
    with lab_window(lab_id) as window:
        window.resize(1216, 680)
        picture = window.picture
        qtbot.waitUntil(lambda: window.isVisible() and 640 < picture.width() < 800)
        assert picture.width() / picture._unit >= LEAST.width()
        assert picture.height() / picture._unit >= LEAST.height()
        assert picture._unit > 1.0
        side, frame = picture.parentWidget(), window.split.widget(1)
        assert side is not None
        assert frame is not None
        assert side.height() > frame.height()


def test_keys_of_a_clicker_reach_the_window_from_the_picture_though_it_can_scroll(
    qtbot: QtBot, large: None
) -> None:
    with lab_window("roles") as window, qtbot.waitSignal(window.asked) as asked:
        qtbot.keyClick(window.picture, Qt.Key.Key_PageDown)
    assert asked.args == ["lab_forward"]


@pytest.mark.parametrize(
    ("lab_id", "roles"),
    [
        ("sparse", ("query", "key", "value", "weights")),
        ("context", ("query", "key", "value")),
        ("order", ("value",)),
        ("patches", ("query", "key", "value")),
    ],
)
def test_only_what_has_a_role_wears_its_colour(
    qapp: object, lab_id: str, roles: tuple[str, ...]
) -> None:
    theme = THEMES["light"]
    one = find_lab(lab_id)
    shown = shown_of(one, one.start(), LabAppearance("light"))
    painted = svg_of(
        lambda painter, room: find_exhibit(lab_id).paint(painter, room, shown), (1400, 900)
    ).lower()
    assert theme.text.lower() in painted
    for role in roles:
        assert getattr(theme, role).lower() not in painted, role


def test_the_permutation_is_not_called_as_the_positional_encoding_is(qapp: object) -> None:
    one = find_lab("order")
    written = "".join(drawn_texts("order", one.press(one.start(), "swap")))
    assert "Π·Y" in written
    assert "Π·A·Π" in written
    assert "P·" not in written


@pytest.mark.parametrize("size", [(560, 360), (944, 537), (1400, 900)])
def test_the_table_of_positions_has_digits_that_can_be_read_or_none_and_cuts_no_length(
    qapp: object, size: tuple[int, int]
) -> None:
    one = find_lab("positions")
    for n, d in ((24, 16), (9, 7), (12, 8)):
        shown = shown_of(one, one.start(values={"n": n, "d": d}), LabAppearance("light"))
        written = sized_texts(
            svg_of(
                lambda painter, room, shown=shown: find_exhibit("positions").paint(
                    painter, room, shown
                ),
                size,
            )
        )
        numbers = [letters for text, letters in written if re.fullmatch(r"−?\d\.\d\d", text)]
        assert not numbers or min(numbers) >= 11.0
        assert not any(re.search(r"\d( p\w*)?…", text) for text, _ in written)


def test_waves_that_have_no_room_are_said_to_be_left_out(qapp: object) -> None:
    one = find_lab("positions")
    written = drawn_texts("positions", one.start(values={"d": 32}))
    assert "… 30, 31" in written
    assert "2, 3" in written


@pytest.mark.parametrize(("mask", "row"), [("none", "scaled scores"), ("causal", "masked scores")])
def test_the_plane_says_what_goes_into_the_softmax(qapp: object, mask: str, row: str) -> None:
    document = with_mask(load_example("cat-eats-fish"), Mask(mask))
    one = find_lab("plane")
    written = drawn_texts("plane", one.start(document))
    assert row in written
    assert "hull" in written


def test_lines_of_the_plane_have_a_legend(qapp: object) -> None:
    one = find_lab("plane")
    written = drawn_texts("plane", one.start())
    assert {"where the key goes", "hull", "where y goes"} <= set(written)
    written = drawn_texts("plane", one.with_value(one.start(), "path", False))
    assert "hull" in written
    assert "where the key goes" not in written


@pytest.mark.parametrize("size", [(748, 340), (930, 520), (1400, 900)])
def test_the_question_of_a_card_is_larger_than_its_answers(
    qapp: object, size: tuple[int, int]
) -> None:
    one = find_lab("quiz")
    shown = shown_of(one, one.start(), LabAppearance("light"))
    written = dict(
        sized_texts(
            svg_of(lambda painter, room: find_exhibit("quiz").paint(painter, room, shown), size)
        )
    )
    question, answer = (
        next(letters for text, letters in written.items() if text.startswith(said))
        for said in ("A token has a key k", "v is what the softmax")
    )
    assert question >= 1.25 * answer
