"""The lab of induction: every number is the core's, letters can be chosen, words follow what happens."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtCore import QRectF, Qt
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.labs.induction import LAB, LETTERS, MOST, PATTERNS
from gui.labs.exhibit import LabAppearance
from gui.labs.induction import EXHIBIT
from gui.labs.induction_picture import induction_layout
from gui.texts.translation import spoken
from tests.gui.lab_pictures import SIZES, holds_in_order, lesson_results, shown_of, texts_of
from tests.gui.lab_rooms import faults, placed_texts
from tests.gui.labs_kit import lab_window

pytestmark = pytest.mark.usefixtures("qapp")


def noticed(**values: object) -> str:
    return EXHIBIT.notice(shown_of(LAB, LAB.start(values=values)))


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("decimals", [1, 2])
def test_every_number_is_the_cores(pattern: str, decimals: int) -> None:
    setting = LAB.start(values={"pattern": pattern, "sharpness": 3.5})
    shown = shown_of(LAB, setting, LabAppearance(decimals=decimals))
    result, texts = shown.result, texts_of(EXHIBIT, shown)
    weights = result.weights(2)
    assert weights is not None
    total, direct = result.trace.matrix("L2.scaled")[-1], result.paths.direct[-1]
    rows = [*result.noted.T, direct, total - direct, total, weights[-1]]
    rows += [*result.by_letter, *result.direct_by_letter, result.trace["probabilities"][-1][:1]]
    for row in rows:
        assert holds_in_order(texts, [show(float(number), decimals) for number in row])
    for chance in result.trace["probabilities"][-1]:
        assert show(float(chance), decimals) in texts


@pytest.mark.parametrize("size", [*SIZES, (742, 340), (780, 600)])
@pytest.mark.parametrize("values", [{}, {"pattern": "own", "length": 8, "first": False}])
def test_parts_lie_apart_and_inside(size: tuple[int, int], values: dict[str, object]) -> None:
    shown = shown_of(LAB, LAB.start(values=values))
    room = QRectF(0, 0, *size)
    where = induction_layout(room, shown)
    parts = [where.facts, *where.arcs, *where.chips, where.noted, where.scores]
    parts = [part for part in (*parts, *where.tables, where.chart) if not part.isEmpty()]
    for one, other in combinations(parts, 2):
        assert not one.adjusted(0.1, 0.1, -0.1, -0.1).intersects(other)
    assert all(room.contains(part) for part in parts)
    assert not faults(placed_texts(lambda p, area: EXHIBIT.paint(p, area, shown), size), room)


def test_a_click_changes_a_letter_of_ones_own(qtbot: QtBot) -> None:
    with lab_window("induction") as window:
        assert not window.picture.spots
        window.session.set_value("pattern", "own")
        assert not {f"letter{place}" for place in range(1, MOST + 1)} & set(window.controls.knobs)
        spot = window.picture.spots[5]
        assert spot.name == "Letter 6 is B; a click makes it C"
        at = (spot.area.center() * window.picture._unit).toPoint()
        qtbot.mouseClick(window.picture, Qt.MouseButton.LeftButton, pos=at)
        assert window.session.state.setting["letter6"] == "C"
        assert window.notice.text().startswith(
            "The last C looks for places that noted C, and finds D"
        )


def test_the_next_letter_is_the_most_probable_one_or_two() -> None:
    def coming(**values: object) -> str:
        """The text of the largest size in the row of letters: the one written last there."""
        texts = texts_of(EXHIBIT, shown_of(LAB, LAB.start(values=values)))
        return texts[texts.index("Noted by layer 1: the letter before") - 1]

    assert coming() == "B"
    assert coming(pattern="ABCDAB") == "C"
    assert coming(pattern="ABACA") == "B/C"
    assert coming(second=False) == "?"


def test_a_layer_that_is_off_says_so() -> None:
    for control, layer in (("first", "layer 1: off"), ("second", "layer 2: off")):
        assert layer in texts_of(EXHIBIT, shown_of(LAB, LAB.start(values={control: False})))
    assert "off" not in "".join(texts_of(EXHIBIT, shown_of(LAB, LAB.start())))


def test_words_follow_what_happens() -> None:
    assert noticed() == (
        "The last A looks for places that noted A, and finds B with weight 1.00. It copies B: "
        "probability 0.98."
    )
    assert noticed(pattern="ABACA") == (
        "A was followed by B and C: their places share a weight of 1.00. Probabilities: B 0.46, "
        "C 0.46."
    )
    assert noticed(pattern="ABCD").startswith("D has not occurred before")
    assert noticed(first=False).endswith("each of 5 places gets the weight 0.20.")
    assert noticed(second=False).endswith("every letter has probability 0.25.")
    assert noticed(sharpness=2.0).startswith("The scores are too flat: what came after A gets 0.26")
    settings: list[dict[str, object]] = [
        {},
        {"first": False},
        {"second": False},
        {"first": False, "second": False},
        {"pattern": "own"},
        {"pattern": "ABACA"},
        {"pattern": "ABCD"},
    ]
    said = {EXHIBIT.attempt(shown_of(LAB, LAB.start(values=values))) for values in settings}
    assert len(said) == len(settings)


def test_it_says_how_many_patterns_are_right() -> None:
    joined = "".join(texts_of(EXHIBIT, shown_of(LAB, LAB.start()))).replace(" ", "")
    assert "100%of105" in joined
    for values in ({"first": False}, {"second": False}):
        joined = "".join(texts_of(EXHIBIT, shown_of(LAB, LAB.start(values=values))))
        assert "25%of105" in joined.replace(" ", "")


def test_controls_name_patterns_and_letters() -> None:
    setting = LAB.start(values={"pattern": "own"})
    assert EXHIBIT.option("pattern", "ABCA", setting) == "A B C A"
    assert EXHIBIT.label(LAB.control(setting, "letter3"), setting) == "Letter 3"
    with spoken("zh_CN"):
        assert EXHIBIT.option("pattern", "own", setting) == "自定"
        assert EXHIBIT.label(LAB.control(setting, "letter3"), setting) == "第 3 个字母"


def test_the_lesson_shows_the_lab_as_it_says() -> None:
    first, six, found, unnoted, uncopied, two, flat, own = lesson_results(LAB)
    assert first.probabilities[1] == pytest.approx(0.98, abs=0.005)
    assert (first.accuracy, first.count) == (1.0, 105)
    assert six.weights(1)[range(2, 7), range(1, 6)] == pytest.approx(0.98, abs=0.005)
    noted = [six.tokens[place] for place in range(7) if six.noted[place, 0] > 0.5]
    assert noted == ["B", "B"]
    assert found.paths.total[-1].max() == pytest.approx(19.64, abs=0.005)
    assert found.noted[2, 0] == pytest.approx(0.982, abs=0.0005)
    assert found.by_letter[0].tolist() == [20.0, 0.0, 0.0, 0.0]
    assert unnoted.weights(2)[-1] == pytest.approx(0.2)
    assert unnoted.probabilities[0] == pytest.approx(0.53, abs=0.005)
    assert unnoted.accuracy == uncopied.accuracy == pytest.approx(0.25)
    assert uncopied.probabilities == pytest.approx(0.25)
    assert two.weights(2)[-1, [2, 4]] == pytest.approx(0.5, abs=0.005)
    assert two.probabilities[[1, 2]] == pytest.approx(0.46, abs=0.005)
    assert show(float(flat.weights(2)[-1, 2]), 2) == "0.26"
    assert LETTERS[int(flat.probabilities.argmax())] == "A"
    assert flat.accuracy == pytest.approx(0.4)
    assert len(own.tokens) == 9
