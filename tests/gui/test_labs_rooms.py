"""Every lab in every room: no two texts over each other, none outside, none too small to be read."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from core.labs.lab import LABS, find_lab
from gui.export.pictures import LARGEST, unit_of
from gui.labs.charts import legible_size, number_step
from gui.labs.exhibit import LabAppearance, LabView, find_exhibit, show_lab
from gui.labs.frame import LEAST_PICTURE, paint_page, paint_picture
from gui.painting.theme import CAPTION, DISPLAY, LIGHT, font
from gui.texts.labs import lab_claim, lab_title
from gui.texts.translation import spoken
from tests.gui.lab_pictures import settings_at_ends
from tests.gui.lab_rooms import Placed, faults, placed_texts
from tests.gui.labs_kit import drawn_texts
from tests.gui.svg_kit import svg_of

ROOMS = ((560, 360), (700, 480), (742, 340), (1100, 620), (1400, 900))
TINY = (
    (1, 1),
    (10, 10),
    (40, 40),
    (300, 20),
    (20, 300),
    (200, 60),
    (60, 200),
    (600, 100),
    (100, 600),
    (200, 150),
)
LOW = (560, 360)  # the least picture with title, claim and notice around it
LANGUAGES = ("en", "zh_CN")


def _settings(lab_id: str) -> list[LabView]:
    """As the lab begins, and with all its controls at their low and at their high ends."""
    lab = find_lab(lab_id)
    start = lab.start()
    return [
        show_lab(lab_id, setting, LabAppearance())
        for setting in (start, *settings_at_ends(lab, start)[-2:])
    ]


def _picture(lab_id: str, shown: LabView, painter: QPainter, room: QRectF) -> None:
    paint_picture(painter, room, lab_id, shown)


def _sheet(lab_id: str, shown: LabView, painter: QPainter, room: QRectF) -> None:
    paint_page(painter, room.adjusted(20, 20, -20, -20), lab_id, shown)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("lab_id", LABS)
def test_no_room_is_too_small_to_be_painted_in(lab_id: str) -> None:
    """A window can be drawn as narrow or as low as one likes: what has no room is left out, and nothing fails."""
    for shown in _settings(lab_id):
        for size in TINY:
            svg_of(partial(_picture, lab_id, shown), size)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lab_id", LABS)
def test_texts_can_be_read_in_every_room(lab_id: str, language: str) -> None:
    with spoken(language):
        for shown in _settings(lab_id):
            for size in ROOMS:
                found = faults(
                    placed_texts(partial(_picture, lab_id, shown), size), QRectF(0, 0, *size)
                )
                assert not found, (size, dict(shown.setting.values), found)
            found = faults(placed_texts(partial(_sheet, lab_id, shown), LOW), QRectF(0, 0, *LOW))
            assert not found, ("with its words", dict(shown.setting.values), found)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("lab_id", LABS)
def test_each_control_leaves_texts_readable_in_the_lowest_room(lab_id: str) -> None:
    lab = find_lab(lab_id)
    with spoken("en"):
        for setting in settings_at_ends(lab, lab.start()):
            shown = show_lab(lab_id, setting, LabAppearance())
            found = faults(placed_texts(partial(_picture, lab_id, shown), LOW), QRectF(0, 0, *LOW))
            assert not found, (dict(setting.values), found)


def _heard(lab_id: str, size: tuple[int, int]) -> str:
    shown = show_lab(lab_id, find_lab(lab_id).start(), LabAppearance())
    return "".join(one.text for one in placed_texts(partial(_sheet, lab_id, shown), size)).replace(
        " ", ""
    )


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("high", "titled", "claimed"), [(300, False, False), (360, True, False), (480, True, True)]
)
def test_claim_and_then_title_give_way_to_the_picture(
    high: int, titled: bool, claimed: bool
) -> None:
    with spoken("en"):
        heard = _heard("softmax", (560, high))
        assert (lab_title("softmax").replace(" ", "") in heard) is titled
        assert (lab_claim("softmax").replace(" ", "") in heard) is claimed


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("lab_id", LABS)
def test_the_picture_keeps_most_of_the_lowest_room(
    lab_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms: list[QRectF] = []
    monkeypatch.setattr(
        "gui.labs.frame.paint_picture", lambda painter, place, lab, shown: rooms.append(place)
    )
    for language in LANGUAGES:
        with spoken(language):
            _heard(lab_id, LOW)
    assert min(room.height() for room in rooms) >= min(LEAST_PICTURE, 0.65 * LOW[1])


def test_a_large_picture_is_magnified_rather_than_laid_out_larger() -> None:
    assert unit_of((560, 360)) == 1.0
    assert unit_of((1600, 900)) == 1.0
    assert unit_of((3200, 1800)) == 2.0
    assert unit_of((3200, 900)) == 1.0  # as low as this it is as it was
    assert 2560 / unit_of((2560, 1440)) == LARGEST[0]


def test_faults_are_found() -> None:
    room = QRectF(0, 0, 100, 50)
    apart = [
        Placed("one", QRectF(0, 0, 20, 10), 12.0),
        Placed("other", QRectF(0, 12, 20, 10), 12.0),
    ]
    assert faults(apart, room) == []
    over = [*apart, Placed("third", QRectF(10, 5, 20, 10), 12.0)]
    assert [text.split("'")[1::2] for text in faults(over, room)] == [
        ["one", "third"],
        ["other", "third"],
    ]
    assert "leaves the room" in faults([Placed("long", QRectF(90, 0, 20, 10), 12.0)], room)[0]
    assert "8.0 high" in faults([Placed("small", QRectF(0, 0, 9, 9), 8.0)], room)[0]
    assert "as it is spelled" in faults([Placed("Y_perm", QRectF(0, 0, 9, 9), 12.0)], room)[0]
    assert faults([Placed("−0.25", QRectF(0, 0, 9, 9), 8.0)], room) == []


HALL = (
    748,
    345,
)  # units of a picture on a projector of 1280 × 720, whose text is 1/36 of its height: 12 units


@pytest.mark.usefixtures("qapp")
def test_numbers_in_cells_are_as_large_as_names_where_they_have_room() -> None:
    weights = np.array([[0.25, -0.75], [0.5, 1.0]])
    assert legible_size(weights, 2, 66.0, 18.0) == CAPTION
    assert 8.0 <= legible_size(weights, 2, 66.0, 14.0) < CAPTION
    assert legible_size(weights, 2, 66.0, 9.0) == 0.0
    assert legible_size(weights, 2, 200.0, 90.0) == DISPLAY
    narrow = legible_size(weights, 2, 26.0, 18.0)
    assert QFontMetricsF(font(narrow)).horizontalAdvance("−0.75") <= 0.85 * 26.0


@pytest.mark.parametrize(
    ("apart", "every"), [(13.0, 1), (12.9, 2), (6.5, 2), (6.4, 5), (2.6, 5), (2.5, 10), (0.7, 20)]
)
def test_numbers_go_by_round_steps_and_none_touch(apart: float, every: int) -> None:
    assert number_step(13.0, apart, 64) == every


def test_only_the_first_number_stands_where_no_second_has_room() -> None:
    assert number_step(13.0, 2.0, 6) >= 6
    assert number_step(13.0, 0.0, 64) >= 64


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("lab_id", "wanted"),
    [
        ("learn", ["W Q", "0.27 −0.14 0.52 0.24", "−0.29 0.14 0.61 −0.30", *"abcd123456"]),
        ("roles", ["q·k", "scaled", "weight"]),
        (
            "sqrt-dk",
            ["Dot products", "One row of weights", "Share of rows with hardly any gradient"],
        ),
        ("context", ["y₁ fruit", "1.34"]),
        ("heads", ["‖ΔY‖"]),
    ],
)
def test_on_a_projector_nothing_of_a_picture_is_left_out(lab_id: str, wanted: list[str]) -> None:
    with spoken("en"):
        shown = show_lab(lab_id, find_lab(lab_id).start(), LabAppearance())
        placed = placed_texts(partial(_picture, lab_id, shown), HALL)
    heard = "".join(one.text for one in placed).replace(" ", "")
    assert [text for text in wanted if text.replace(" ", "") not in heard] == []
    numbers = [one.size for one in placed if re.fullmatch(r"−?\d\.\d\d", one.text)]
    assert min(numbers, default=9.0) >= 9.0


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("lab_id", ["sqrt-dk", "positions", "sequence", "complexity"])
def test_what_is_neither_query_nor_key_wears_neither_colour(lab_id: str) -> None:
    shown = show_lab(lab_id, find_lab(lab_id).start(), LabAppearance())
    painted = svg_of(partial(_picture, lab_id, shown), (1100, 620))
    drawn = painted if isinstance(painted, str) else painted.decode()
    assert not {LIGHT.query.lower(), LIGHT.key.lower()} & set(re.findall(r"#[0-9a-f]{6}", drawn))


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_are_written_in_one_way(language: str) -> None:
    with spoken(language):
        notices = {
            lab_id: find_exhibit(lab_id).notice(
                show_lab(lab_id, find_lab(lab_id).start(), LabAppearance())
            )
            for lab_id in ("complexity", "positions")
        }
        assert "11%" in notices["complexity"]
        assert "19\N{NARROW NO-BREAK SPACE}869.2" in notices["positions"]
        assert "20%" in drawn_texts("sparse", find_lab("sparse").start())
