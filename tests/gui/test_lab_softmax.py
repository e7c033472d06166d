"""The lab of the softmax in the window: every number is the core's, bars are dragged, words follow what happens."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.base.errors import UserError
from core.base.number_format import show
from core.labs.softmax import LAB
from core.lesson.lesson import lesson_path, load
from core.storage.examples import load_example
from gui.export.pictures import render_lab
from gui.labs.charts import ChartAxis, chart_in, paint_rule
from gui.labs.exhibit import LabAppearance
from gui.labs.softmax import EXHIBIT
from gui.labs.wording import measured
from gui.painting.theme import THEMES
from gui.texts.errors import error_message
from tests.gui.lab_pictures import (
    SIZES,
    holds_in_order,
    lesson_results,
    shown_of,
    texts_of,
)
from tests.gui.labs_kit import lab_window

pytestmark = pytest.mark.usefixtures("qapp")
ROOM = QRectF(0, 0, 1400, 900)


@pytest.mark.parametrize(
    "values", [{}, {"temperature": 0.3, "base": "10"}, {"constant": 100.0, "subtract": False}]
)
@pytest.mark.parametrize("decimals", [2, 4])
def test_every_number_is_the_cores(values: dict[str, object], decimals: int) -> None:
    shown = shown_of(LAB, LAB.start(values=values), LabAppearance(decimals=decimals))
    result, texts = shown.result, texts_of(EXHIBIT, shown)
    for row in (result.scores, result.z, result.numerators, result.weights):
        assert holds_in_order(texts, [show(float(value), decimals) for value in row])
    joined = "".join(texts)
    assert show(result.total, decimals) in joined
    assert measured(result.gradient, decimals) in joined
    assert measured(result.difference, decimals) in joined
    assert show(result.entropy, decimals) in joined


@pytest.mark.parametrize(
    ("constant", "power", "warnings"),
    [
        (800.0, "inf", ["overflow encountered in exp", "invalid value encountered in divide"]),
        (-800.0, "0.00", ["invalid value encountered in divide"]),
    ],
)
def test_broken_weights_are_shown_as_numpy_shows_them(
    constant: float, power: str, warnings: list[str]
) -> None:
    shown = shown_of(LAB, LAB.start(values={"constant": constant, "subtract": False}))
    texts = texts_of(EXHIBIT, shown)
    assert holds_in_order(texts, [power] * 5)  # numerators and their sum
    assert "".join(texts).count("nan") == 4 + 4 + 1 + 3  # bars, weights, their sum, facts
    said = EXHIBIT.notice(shown)
    assert "np.exp(z)" in said
    assert "[nan nan nan nan]" in said
    assert said.endswith("; ".join(f"RuntimeWarning: {text}" for text in warnings) + ".")
    assert "weight nan" in EXHIBIT.spoken(shown)


def test_weights_of_the_textbook_stand_over_their_bars() -> None:
    texts = texts_of(EXHIBIT, shown_of(LAB, LAB.start(), LabAppearance(decimals=3)))
    assert [texts.count(text) for text in ("0.202", "0.041", "0.150", "0.607")] == [
        2,
        2,
        2,
        2,
    ]  # bars and table


def test_a_bar_follows_the_pointer_in_tenths() -> None:
    setting = LAB.start()
    spots = EXHIBIT.spots(ROOM, shown_of(LAB, setting))
    assert [spot.id for spot in spots] == [f"score {index}" for index in range(4)]
    held = spots[1]
    assert held.drag is not None
    assert held.drag(held.area.center()) == setting["scores"]
    lifted = held.drag(QPointF(0.0, spots[3].area.center().y()))
    assert lifted == (2.1, 3.2, 1.8, 3.2)
    assert held.drag(QPointF(0.0, -9999.0)) == (2.1, 6.0, 1.8, 3.2)
    assert held.drag(QPointF(0.0, 9999.0)) == (2.1, -6.0, 1.8, 3.2)


@pytest.mark.parametrize("size", SIZES)
def test_every_arrow_key_moves_a_score_and_back(size: tuple[int, int]) -> None:
    room, setting = QRectF(0, 0, *size), LAB.start()
    for down in (True, True, False, False):
        spot = EXHIBIT.spots(room, shown_of(LAB, setting))[0]
        assert spot.drag is not None
        before = setting["scores"][0]
        to = spot.area.center() + QPointF(0.0, spot.nudge if down else -spot.nudge)
        setting = LAB.with_value(setting, spot.control, spot.drag(to))
        assert (setting["scores"][0] < before) is down
        assert setting["scores"][0] != before
    assert setting["scores"] == (2.1, 0.5, 1.8, 3.2)


def test_words_follow_what_happens() -> None:
    def said(**values: object) -> tuple[str, str]:
        shown = shown_of(LAB, LAB.start(values=values))
        return EXHIBIT.notice(shown), EXHIBIT.attempt(shown)

    assert (
        said()[0]
        == "All shares are positive and sum to 1.00; k₄ has the largest score and gets 0.61."
    )
    assert said(scores=[2.0, 1.0, 2.0, 0.0])[0].endswith(
        "k₁ and k₃ have the largest scores and get 0.40 each."
    )
    assert said(scores=[1.5] * 4)[0] == "Equal scores get equal shares: 0.25 each."
    assert said(scores=[0.2, 0.0, 0.0, 0.2])[0].startswith(
        "Nearly equal shares: the largest scores, those of k₁ and k₄,"
    )
    assert "Lower T" in said()[1]
    assert said(temperature=0.05)[0].startswith("Saturated: k₄ takes 1.00")
    assert said(temperature=20.0)[0].startswith("Nearly equal")
    assert "no weight moved" in said(constant=-30.0)[0]
    assert "switch off" in said(constant=-30.0)[1]
    assert "above the largest number" in said(constant=800.0, subtract=False)[0]
    assert "0 ÷ 0" in said(constant=-800.0, subtract=False)[0]


def test_the_lesson_shows_the_lab_as_it_says() -> None:
    results = lesson_results(LAB)
    assert len(results) == 6
    assert results[1].difference < 1e-13
    assert results[2].overflows
    assert [round(float(weight) * 13) for weight in results[5].weights] == [2, 1, 2, 8]


def test_no_curve_runs_through_the_name_of_the_temperature() -> None:
    room = QRectF(0, 0, 700, 300)
    for temperature in (0.05, 0.5, 20.0):
        image = QImage(700, 300, QImage.Format.Format_RGB32)
        image.fill(QColor("white"))
        painter = QPainter(image)
        chart = chart_in(room, ChartAxis(0.05, 20.0, log=True), ChartAxis(0.0, 1.0), y_label="α")
        paint_rule(painter, chart, THEMES["light"], temperature, "T", vertical=True, above=True)
        painter.end()
        rows = {
            y for y in range(300) for x in range(700) if image.pixelColor(x, y) != QColor("white")
        }
        text = [y for y in rows if y < chart.rect.top() - 2]
        assert text
        assert min(text) > 0


def test_the_lesson_does_not_ask_for_a_number_that_stands_on_the_screen() -> None:
    scene = load(lesson_path("lab-softmax")).scenes[-1]
    assert "fraction" in scene.question.get("en")


def test_nothing_asks_to_be_dragged_in_a_file(tmp_path: Path) -> None:
    """The window's own lab does, and a picture of it does not."""
    look = LabAppearance(live=True)
    for shown, asks in (
        (shown_of(LAB, LAB.start(), look), True),
        (shown_of(LAB, LAB.start()), False),
    ):
        assert ("Scores: drag them" in texts_of(EXHIBIT, shown)) == asks
    render_lab("softmax", LAB.start(), tmp_path / "a.svg", (1200, 700), "en", look)
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "drag them" not in text
    assert ">Scores" in text


@pytest.mark.parametrize("labels", ["one", "both"])
def test_a_picture_may_have_its_title_in_both_languages(labels: str, tmp_path: Path) -> None:
    render_lab(
        "softmax", LAB.start(), tmp_path / "a.svg", (1200, 700), "en", LabAppearance(), labels
    )
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "Scores become shares" in text
    assert ("得分变成份额" in text) == (labels == "both")


def test_a_refused_score_moves_nothing_below_it_and_goes_with_the_next_change(qtbot: QtBot) -> None:
    with lab_window("softmax") as window:
        window.resize(1240, 780)
        scores, below = window.controls.knobs["scores"], window.controls.knobs["temperature"]
        qtbot.waitUntil(lambda: below.y() > 0)
        before, field = below.y(), scores.fields[0][0]
        field.line.setFocus()
        field.line.selectAll()
        qtbot.keyClicks(field.line, "1e9")
        qtbot.keyClick(field.line, Qt.Key.Key_Return)
        QApplication.processEvents()
        assert field.error.isVisible()
        assert below.y() - before <= 8
        scores.fields[2][0].line.setFocus()
        window.session.set_value("temperature", 2.0)
        assert field.line.text() == "2.1"
        assert not field.error.isVisible()


def test_an_experiment_that_cannot_fit_is_told_what_the_lab_works_on(qapp: object) -> None:
    with pytest.raises(UserError) as refused:
        LAB.require(load_example("cat-eats-fish"))
    assert "set on the left" in error_message(refused.value)
