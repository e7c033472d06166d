"""The lab of learning in the window: every number is the core's, the dot runs along the curve, words follow."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF

from core.base.number_format import show
from core.labs.learn import LAB
from core.labs.learn_training import STEPS
from gui.labs.exhibit import LabAppearance
from gui.labs.learn import EXHIBIT, prediction_text
from tests.gui.lab_pictures import (
    SIZES,
    holds_in_order,
    lesson_results,
    shown_of,
    texts_of,
)

pytestmark = pytest.mark.usefixtures("qapp")
ROOM = QRectF(0, 0, 1400, 900)
SETTINGS = [
    {},
    {"task": "bracket", "step": 40},
    {"heads": "2", "head": "2", "step": 7},
    {"task": "mirror", "step": 300},
]


@pytest.mark.parametrize("values", SETTINGS)
@pytest.mark.parametrize("decimals", [2, 3])
def test_every_number_is_the_cores(values: dict[str, object], decimals: int) -> None:
    shown = shown_of(LAB, LAB.start(values=values), LabAppearance(decimals=decimals))
    result, texts = shown.result, texts_of(EXHIBIT, shown)
    for values_shown in (*result.trace["weights"], *result.matrices.values()):
        assert holds_in_order(
            texts, [show(float(value), decimals) for value in np.ravel(values_shown)]
        )
    for said, wanted in zip(result.predicted, result.wanted, strict=True):
        assert prediction_text(result, said, wanted).replace(" ", "") in "".join(texts).replace(
            " ", ""
        )


def test_a_wrong_answer_says_what_would_be_right() -> None:
    result = LAB.compute(LAB.start())
    assert prediction_text(result, 0, 0) == "a ✓"
    assert prediction_text(result, 3, 1) == "d ✗ (b)"


@pytest.mark.parametrize("size", SIZES)
def test_the_dot_runs_along_the_curve(size: tuple[int, int]) -> None:
    room = QRectF(0, 0, *size)
    setting = LAB.start(values={"step": 40})
    (dot,) = EXHIBIT.spots(room, shown_of(LAB, setting))
    assert dot.drag is not None
    assert dot.drag(dot.area.center()) == 40
    later = dot.drag(dot.area.center() + QPointF(dot.nudge, 0.0))
    assert later in (41, 42)
    assert (dot.drag(QPointF(-9e3, 0.0)), dot.drag(QPointF(9e3, 0.0))) == (0, STEPS)


def test_it_does_not_run_on_where_the_history_ends() -> None:
    setting = LAB.start(values={"optimiser": "descent", "rate_descent": 10.0})
    shown = shown_of(LAB, setting)
    (dot,) = EXHIBIT.spots(ROOM, shown)
    assert dot.drag is not None
    assert dot.drag(QPointF(9e3, 0.0)) == shown.result.history.last < 20


def test_words_follow_what_happens() -> None:
    def said(**values: object) -> tuple[str, str]:
        shown = shown_of(LAB, LAB.start(values=values))
        return EXHIBIT.notice(shown), EXHIBIT.attempt(shown)

    assert said()[0].startswith("Random matrices: L = ")
    assert said()[0].endswith("each token looks a little at itself and at all before it.")
    assert said(task="bracket")[0].endswith("each token looks a little at every token.")
    assert said(step=STEPS)[0].endswith(
        "In this sentence, which is new to it, 6 of 6 tokens answer correctly."
    )
    assert "In the only sentence of this task, 6 of 6 tokens" in said(task="mirror", step=STEPS)[0]
    assert "letters or those of the positions" in said(step=STEPS)[1]
    assert said(optimiser="descent", rate_descent=10.0, step=STEPS)[0].startswith("It diverged")
    assert "largest rate" in said(optimiser="descent", rate_descent=10.0)[1]
    assert "not done" in said(rate_adam=0.001, step=STEPS)[1]


def test_the_lesson_shows_the_lab_as_it_says() -> None:
    results = lesson_results(LAB)
    assert len(results) == 6
    assert results[0].predicted != results[0].wanted
    assert all(results[1].attends_right)
    letters, places = np.split(np.abs(results[2].matrices["W_Q"]), [4])
    assert np.linalg.norm(places) > np.linalg.norm(letters)
    assert (results[2].matrices["W_V"][:4].argmax(axis=1) == np.arange(4)).all()
    signs, places = np.split(np.abs(results[3].matrices["W_Q"]), [6])
    assert np.linalg.norm(signs) > 2 * np.linalg.norm(places)
    assert results[4].loss > results[2].loss
    assert results[5].history.diverged
