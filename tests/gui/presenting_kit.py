"""What the tests of the lecture room share: screens that are not there, sizes of text as they are painted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QRect, Qt
from pytestqt.qtbot import QtBot

from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.presentation.audience_view import AudienceView
from gui.presentation.presentation import Presentation
from gui.presentation.slide import Headline, paint_slide
from gui.session.presented_views import PresentedViews
from gui.session.state import State
from tests.gui import svg_kit
from tests.gui.window_kit import bring_forward

Key = Qt.Key
Modifier = Qt.KeyboardModifier
MATRIX = re.compile(r"matrix\(([^)]*)\)")


@dataclass(frozen=True)
class FakeScreen:
    """A screen by its place alone."""

    place: QRect

    def geometry(self) -> QRect:
        return self.place


LAPTOP = FakeScreen(QRect(0, 0, 1280, 800))
PROJECTOR = FakeScreen(QRect(1280, 0, 1024, 768))


def svg_of(
    state: State, choice: PresentedViews, size: tuple[int, int], words: Headline | None = None
) -> str:
    """What the hall sees as a drawing with its texts."""
    return svg_kit.svg_of(
        lambda painter, room: paint_slide(
            painter, room.toRect(), state, choice, words or Headline()
        ),
        size,
    )


def text_sizes(svg: str) -> dict[str, float]:
    """The smallest size in pixels of each text, its transformation included."""
    found: dict[str, float] = {}
    _collect(ElementTree.fromstring(svg), 1.0, found)
    return found


def _collect(node: ElementTree.Element, scale: float, found: dict[str, float]) -> None:
    if match := MATRIX.search(node.get("transform", "")):
        scale *= float(match.group(1).split(",")[3])
    if node.tag.endswith("}text") and (node.text or "").strip():
        size = float(node.get("font-size", "0").removesuffix("px")) * scale
        text = (node.text or "").strip()
        found[text] = min(size, found.get(text, size))
    for child in node:
        _collect(child, scale, found)


def shown(qtbot: QtBot, **wishes: object) -> MainWindow:
    window = build_window(language="en", theme_name="light", **wishes)  # type: ignore[arg-type]
    window.resize(1200, 760)
    bring_forward(qtbot, window)
    return window


@contextmanager
def beside_projector(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, **wishes: object
) -> Iterator[MainWindow]:
    """The main window without motion, a projector beside its screen; what it presents ends with the test."""
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window = shown(qtbot, **wishes)
    window.presentation.screens = lambda: [PROJECTOR]
    yield window
    window.presentation.stop()


def begun(qtbot: QtBot, window: MainWindow) -> Presentation:
    """The room, once the hall's window has the keyboard: until then keys still belong to the main window."""
    qtbot.waitUntil(board(window.presentation).isActiveWindow)
    return window.presentation


def board(room: Presentation) -> AudienceView:
    assert room.audience is not None
    return room.audience


def press(
    qtbot: QtBot, room: Presentation, *keys: Key, modifier: Modifier = Modifier.NoModifier
) -> None:
    for key in keys:
        qtbot.keyClick(board(room), key, modifier)
