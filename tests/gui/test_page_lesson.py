"""A lesson on the page: every step of every scene stands where the window has it, with its texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.lesson.lesson import lesson_path, load
from gui.export.options import ExportOptions
from gui.export.registry import export_shown
from gui.export.states import SceneSteps, states
from tests.gui.browser_kit import FITS, Browser

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.mark.parametrize("name", ["first-steps", "gpt-and-bert"])
def test_every_step_of_every_scene(browser: Browser, tmp_path: Path, name: str) -> None:
    lesson, path, options = load(lesson_path(name)), tmp_path / "a.html", ExportOptions()
    assert export_shown(lesson, "html", path, options)
    shown = states(lesson, options, SceneSteps.EVERY)
    browser.size(1280, 720)
    browser.events.clear()
    browser.open(path)
    seen = []
    for count, state in enumerate(shown, 1):
        assert state.scene is not None
        assert browser.text("#lesson h2") == state.scene.scene.title.of("en")
        assert browser.text("#count") == f"Step {count} of {len(shown)}"
        assert browser.ask("document.body.dataset.stage") == state.cursor.stage
        assert browser.ask("document.body.dataset.reach") == state.cursor.reach.value
        stage = state.cursor.stage
        found = np.array(browser.ask(f"attentionStepper.stage('{stage}')"), dtype=np.float64)
        found[np.isnan(found)] = -np.inf
        np.testing.assert_allclose(found, state.trace[stage], rtol=1e-12, atol=1e-12)
        assert browser.ask(FITS)
        seen.append(browser.ask("document.body.innerText"))
        browser.press("ArrowRight")
    for expected in seen[-2::-1]:
        browser.press("ArrowLeft")
        assert browser.ask("document.body.innerText") == expected
    assert browser.complaints() == []


def test_an_answer_opens_and_a_change_holds_in_its_scene(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    assert export_shown(load(lesson_path("first-steps")), "html", path, ExportOptions())
    browser.size(360, 740, mobile=True)
    browser.open(path)
    browser.tap("#lesson summary")
    assert browser.ask("document.querySelector('#lesson details').open") is True
    assert "V is what is passed on" in browser.text("#lesson details")
    browser.ask("attentionStepper.set('Q', 0, 0, 0, 9)")
    assert browser.ask("document.querySelector('#lesson details').open") is True, "it stays open"
    assert browser.ask("attentionStepper.stage('Q')[0][0][0]") == 9
    browser.ask("attentionStepper.step(3)")
    assert browser.ask("attentionStepper.stage('Q')[0][0][0]") == 0.2, (
        "each scene has its own numbers"
    )
