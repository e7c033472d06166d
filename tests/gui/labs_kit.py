"""A lab that exists only in tests, with a control of every kind, and what opens labs in a window."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication

from core.base.errors import UserError
from core.document.document import Document
from core.labs.controls import (
    Button,
    ChoiceControl,
    Clock,
    Control,
    Numbers,
    Opener,
    Order,
    Points,
    Seed,
    Slider,
    Switch,
)
from core.labs.lab import Lab, Progress, Setting, find_lab
from core.storage.examples import load_example
from gui.labs import exhibit as exhibits
from gui.labs.exhibit import Exhibit, LabAppearance, LabView, Spot, show_lab
from gui.labs.session import LabSession
from gui.labs.window import LabWindow
from gui.texts import labs as words
from tests.gui.lab_pictures import texts_of

ID = "everything"


@dataclass(frozen=True, slots=True, eq=False)
class Total:
    """What the lab works out."""

    total: float


class Everything(Lab):
    """Sums what can be summed."""

    id = ID

    def experiment(self) -> Document | None:
        return load_example("cat-eats-fish")

    def require(self, document: Document) -> None:
        if document.n > 4:
            raise UserError("lab.unfit", reason="lab.own")

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        last = 7 if setting.get("wide", False) else 3
        return (
            Slider("warmth", 0.5, 4.5, 1.0, step=0.25),
            Slider("size", 1, 1024, 64, log=True, whole=True),
            Clock("time", last, pause=5),
            ChoiceControl("kind", ("red", "green"), "red"),
            ChoiceControl("many", tuple(f"option number {i}" for i in range(9)), "option number 0"),
            Switch("wide"),
            Numbers("scores", (2.0, -0.5, 1.75), -9.0, 9.0),
            Points("arrows", ((1.0, 0.0), (0.5, -2.0)), 3.0),
            Order("order", 3),
            Seed(),
            Button("double"),
            Button("slowly", job=True),
            Opener("file", (".txt",)),
        )

    def compute(self, setting: Setting) -> Total:
        return Total(
            setting["warmth"]
            + sum(setting["scores"])
            + setting["time"]
            + setting.facts.get("extra", 0.0)
        )

    def press(self, setting: Setting, button: str) -> Setting:
        return self.with_value(setting, "warmth", min(setting["warmth"] * 2, 4.5))

    def job(self, setting: Setting, button: str, progress: Progress) -> Setting:
        return setting.with_facts(extra=100.0)

    def open(self, setting: Setting, opener: str, path: Path) -> Setting:
        try:
            return setting.with_facts(extra=float(path.read_text(encoding="utf-8")))
        except ValueError as error:
            raise UserError("number.unreadable", text=path.name) from error


class Exposed(Exhibit):
    """The total as a text, and two spots."""

    def label(self, control: Control, setting: Setting) -> str:
        return control.id

    def notice(self, shown: LabView) -> str:
        return f"total {shown.result.total:g}"

    def attempt(self, shown: LabView) -> str:
        return "anything"

    def paint(self, painter: QPainter, room: QRectF, shown: LabView) -> None:
        painter.drawText(room, 0, self.notice(shown))

    def spots(self, room: QRectF, shown: LabView) -> tuple[Spot, ...]:
        warmth = shown.setting["warmth"]
        place = QRectF(warmth * 100 - 5, 200, 10, 10)
        return (
            Spot("green", QRectF(10, 10, 40, 40), "green spot", "kind", "green"),
            Spot("handle", place, f"warmth {warmth:g}", "warmth", drag=_warmth, nudge=25.0),
        )


def _warmth(point: QPointF) -> float:
    return min(max(point.x() / 100, 0.5), 4.5)


@pytest.fixture
def everything(monkeypatch: pytest.MonkeyPatch) -> Iterator[Everything]:
    """The lab, known to the program for the time of a test."""
    lab = Everything()
    for name, attribute, value in (("core", "LAB", lab), ("gui", "EXHIBIT", Exposed())):
        module = ModuleType(f"{name}.labs.{ID}")
        setattr(module, attribute, value)
        monkeypatch.setitem(sys.modules, f"{name}.labs.{ID}", module)
    monkeypatch.setattr("core.labs.lab.LABS", (ID,))
    monkeypatch.setattr("gui.labs.window.LABS", (ID,))
    monkeypatch.setitem(words.TITLES, ID, "Everything")
    monkeypatch.setitem(words.CLAIMS, ID, "All at once.")
    forget()
    yield lab
    forget()


def forget() -> None:
    """Labs are looked up anew."""
    find_lab.cache_clear()
    exhibits.find_exhibit.cache_clear()


@contextmanager
def lab_window(
    lab_id: str, language: str = "en", shade: str = "light", **kwargs: Any
) -> Iterator[LabWindow]:
    """A lab in its window, gone afterwards."""
    window = LabWindow(LabSession(lab_id, LabAppearance(shade), language, **kwargs))
    window.resize(1240, 780)
    window.show()
    QApplication.processEvents()
    try:
        yield window
    finally:
        window.close()
        window.deleteLater()
        QApplication.sendPostedEvents(None, 52)  # QEvent.DeferredDelete


def drawn_texts(lab_id: str, setting: Setting, size: tuple[int, int] = (1200, 700)) -> list[str]:
    """Every text of a lab's picture, read back from an SVG."""
    return texts_of(exhibits.find_exhibit(lab_id), show_lab(lab_id, setting, LabAppearance()), size)
