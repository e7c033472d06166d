"""The formulas of the examples are shipped as they would be typeset, and a start does without the typesetter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot

from core.base.files import resource
from gui.painting import formulas
from tools.typeset_formulas import wanted

ROOT = Path(__file__).resolve().parents[2]


def size_of(svg: bytes) -> tuple[float, float]:
    size = QSvgRenderer(svg).defaultSize()
    return size.width(), size.height()


def test_every_formula_of_the_examples_is_there_and_nothing_else(qtbot: QtBot) -> None:
    assert formulas.shipped() == wanted()
    assert sorted(path.name for path in resource("formulas").glob("*.svg")) == sorted(
        wanted().values()
    )


def test_a_shipped_formula_is_the_typeset_one_in_the_wanted_colour(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formulas, "_known", {})
    for latex in wanted():
        shipped = formulas.formula_svg(latex, "#A1B2C3", formulas.SHIPPED_SIZE)
        fresh = formulas.typeset(latex, "#A1B2C3", formulas.SHIPPED_SIZE)
        assert shipped.count(b"#A1B2C3") == fresh.count(b"#A1B2C3") > 0
        assert size_of(shipped) == pytest.approx(
            size_of(fresh), abs=1.5
        )  # typesetters of other versions, too
        assert b"currentColor" not in shipped


def test_what_is_not_shipped_is_typeset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formulas, "_known", {})
    assert not formulas.is_ready(r"X = \frac{1}{7919}", "#000000", formulas.SHIPPED_SIZE)
    assert formulas.formula_svg(r"X = \frac{1}{7919}", "#000000", formulas.SHIPPED_SIZE).startswith(
        b"<svg "
    )


def test_the_first_picture_needs_no_typesetter() -> None:
    program = (
        "import sys; from PySide6.QtWidgets import QApplication; app = QApplication([]);"
        "from gui.app.application import build_window; window = build_window(language='en');"
        "window.resize(1280, 800); window.show();"
        "[app.processEvents() for _ in range(5)];"
        "assert window.stage.scene().header.latex;"
        "assert 'ziamath' not in sys.modules, 'typeset'"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
