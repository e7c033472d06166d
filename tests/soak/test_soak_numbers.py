"""At the ends of the doubles every stage is right, and no view says NaN or ∞ of what no mask has done."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from core.compute.trace import Trace, run
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from tests.soak.exact_reference import stage_faults
from tests.soak.extremes import PAIRS, experiment, experiments
from tests.soak.laws import broken_numbers, broken_sums
from tests.soak.view_texts import painted, wrong_texts

TURNS = 9  # each test looks at every ninth experiment; together at all


Still = Callable[[str], MainWindow]


@pytest.fixture
def still(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Still:
    """Opens a window in a language, in which nothing moves."""
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")

    def opened(language: str) -> MainWindow:
        window = build_window(language=language)
        qtbot.addWidget(window)
        window.resize(1280, 720)
        window.show()
        return window

    return opened


@pytest.mark.parametrize("turn", range(TURNS))
def test_every_stage_is_what_exact_arithmetic_says(turn: int) -> None:
    for name, document in islice(experiments(), turn, None, TURNS):
        trace = run(document)
        assert stage_faults(document, trace) == [], name
        assert broken_numbers(trace) + broken_sums(document, trace) == [], name


@pytest.mark.parametrize("stage", ["Q", "scores", "scaled", "exp", "weights", "heads", "Y"])
def test_the_reference_notices_a_wrong_digit(stage: str) -> None:
    document = experiment(PAIRS["ordinary"], 3, 2, "causal", "none")
    right = run(document)
    wrong = np.array(right[stage])
    wrong[np.unravel_index(np.abs(wrong).argmax(), wrong.shape)] *= 1 + 1e-10
    changed = Trace(right.plan, {**right.arrays, stage: wrong}, document)
    assert stage_faults(document, right) == []
    assert any(fault.startswith(stage) for fault in stage_faults(document, changed))


@pytest.mark.parametrize("turn", range(3))
def test_no_view_says_what_is_no_number(still: Still, turn: int) -> None:
    window = still(("en", "zh_CN", "en")[turn])
    for name, document in islice(experiments(), turn * 11, None, 75):
        window.session.open_document(document)
        assert wrong_texts(window) == [], name


def test_what_is_beyond_all_numbers_is_explained(still: Still) -> None:
    window = still("en")
    window.session.open_document(experiment(PAIRS["the largest"], 3, None, "none", "none"))
    for stage in ("Q", "scores", "Y"):
        window.session.go_to_stage(stage)
        assert "beyond the largest number that can be stored" in painted(window.stage).replace(
            "\n", ""
        )
    window.session.open_document(experiment(PAIRS["huge"], 2, None, "none", "none"))
    window.session.go_to_stage("V")
    assert "beyond the largest number" in painted(window.stage).replace("\n", "")
    window.session.open_document(experiment(PAIRS["ordinary"], 3, None, "none", "none"))
    window.session.go_to_stage("Q")
    assert "beyond" not in painted(window.stage)


def test_the_reader_sees_what_views_keep_as_pictures(still: Still) -> None:
    """Else nothing would be found on them, right or wrong; also the second time, when all pictures are there."""
    window = still("en")
    window.session.go_to_stage("weights")
    shown = f"{window.session.state.trace['weights'][0, 0, 0]:.2f}"
    for _ in range(2):
        for view in (window.diagram, window.stage, window.heatmaps):
            assert shown in painted(view)
        assert "exp" in painted(window.bar)
