"""Where a lab shows numbers of its own, it says who made them; of a user's numbers it says nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.labs.lab import LABS, find_lab
from core.labs.learn_training import shapes
from gui.labs.exhibit import LabAppearance, find_exhibit
from gui.labs.session import LabSession
from gui.labs.window import LabWindow
from gui.texts.translation import spoken

pytestmark = pytest.mark.usefixtures("qapp")
# Labs whose numbers the user sets, or draws where the controls say so.
SET_BY_THE_USER = {"plane", "softmax", "sqrt-dk", "positions", "quiz"}


@pytest.mark.parametrize("lab_id", LABS)
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_lab_with_numbers_of_its_own_says_who_made_them(lab_id: str, language: str) -> None:
    lab, exhibit = find_lab(lab_id), find_exhibit(lab_id)
    with spoken(language):
        said = exhibit.origin(lab, lab.start())
    assert bool(said) is (lab_id not in SET_BY_THE_USER)


@pytest.mark.parametrize("lab_id", ["roles", "heads", "order", "caution", "backward"])
def test_of_a_users_experiment_it_says_nothing(lab_id: str) -> None:
    lab = find_lab(lab_id)
    own = lab.experiment() or lab.start().document
    assert own is not None
    mine = lab.start(replace(own, title="mine"))
    assert find_exhibit(lab_id).origin(lab, mine) == ""


@pytest.mark.parametrize("heads", ["1", "2"])
def test_the_lab_of_learning_says_how_many_weights_it_has(heads: str) -> None:
    lab = find_lab("learn")
    setting = lab.start(values={"heads": heads})
    result = lab.compute(setting)
    weights = sum(
        array.size
        for head in result.document.heads
        for array in (head.W_Q, head.W_K, head.W_V)
        if array is not None
    ) + (0 if result.document.W_O is None else result.document.W_O.size)
    assert shapes(result.task, int(heads)).size == weights
    assert f" {weights} weights" in find_exhibit("learn").origin(lab, setting)


def test_it_stands_below_the_controls() -> None:
    session = LabSession("heads", LabAppearance(), "en")
    window = LabWindow(session)
    try:
        origin = window.controls.origin
        assert origin.isVisibleTo(window)
        assert "made by hand" in origin.text()
        session.open("softmax")
        assert not origin.isVisibleTo(window)
    finally:
        window.close()
