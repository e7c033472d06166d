"""Preferences and layout: kept between starts, and never a reason to stop."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QLocale, QStandardPaths, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.explain.timeline import Grain
from gui.app.application import build_window
from gui.session import preferences as kept
from gui.session.state import Preferences

OWN = Preferences(
    language="zh_CN",
    theme="dark",
    decimals=5,
    grain=Grain.CELL,
    speed=1.5,
    motion=False,
    heatmap_stage="weights",
    heatmap_levels="weights",
    heatmap_view="difference",
    recent=("/a/b.attn.json", "C:\\实验\\小猫.attn.json"),
)


def write(home: Path, content: str | bytes) -> None:
    data = content if isinstance(content, bytes) else content.encode()
    (home / "preferences.json").write_bytes(data)


def test_nothing_kept_gives_the_defaults() -> None:
    assert kept.load_preferences() == Preferences()


def test_everything_comes_back() -> None:
    assert kept.save_preferences(OWN)
    assert kept.load_preferences() == OWN


def test_the_folder_is_made(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_STEPPER_HOME", str(home / "deep" / "er"))
    assert kept.save_preferences(OWN)
    assert kept.load_preferences() == OWN


def test_home_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ATTENTION_STEPPER_HOME")
    config = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    assert kept.home().parent == Path(config)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", "3", "[" * 100_000, b"\xff\xfe\x00", '{"decimals": 1e999}', "{} {}"],
)
def test_a_damaged_file_gives_the_defaults(home: Path, content: str | bytes) -> None:
    write(home, content)
    assert kept.load_preferences() == Preferences()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("language", "fr"),
        ("language", 3),
        ("theme", "pink"),
        ("theme", None),
        ("decimals", 9),
        ("decimals", -1),
        ("decimals", 2.5),
        ("decimals", True),
        ("decimals", "2"),
        ("decimals", 10**30),
        ("grain", "atom"),
        ("speed", 0),
        ("speed", 1e300),
        ("speed", "fast"),
        ("motion", 1),
        ("heatmap_stage", "nowhere"),
        ("heatmap_levels", "some"),
        ("heatmap_view", []),
        ("recent", "a.attn.json"),
        ("recent", [1, 2]),
        ("recent", ["x"] * 11),
    ],
)
def test_one_foreign_value_falls_back_alone(home: Path, name: str, value: Any) -> None:
    kept.save_preferences(OWN)
    content = json.loads((home / "preferences.json").read_text(encoding="utf-8"))
    write(home, json.dumps({**content, name: value}))
    assert kept.load_preferences() == replace(OWN, **{name: getattr(Preferences(), name)})


def test_unknown_keys_are_kept_out(home: Path) -> None:
    write(home, '{"decimals": 4, "colour_of_the_sky": "blue"}')
    assert kept.load_preferences() == Preferences(decimals=4)
    kept.save_preferences(kept.load_preferences())
    assert "sky" not in (home / "preferences.json").read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_made_is_no_error(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "file").write_text("")
    monkeypatch.setenv("ATTENTION_STEPPER_HOME", str(home / "file"))
    assert not kept.save_preferences(OWN)
    assert not kept.save_layout(geometry=b"1")
    assert kept.load_preferences() == Preferences()
    assert kept.load_layout() == {}


def test_layout_comes_back() -> None:
    parts = {"geometry": bytes(range(256)), "state": b""}
    assert kept.save_layout(**parts)
    assert kept.load_layout() == parts


def test_a_damaged_layout_loses_its_damaged_part_only(home: Path) -> None:
    (home / "layout.json").write_text(
        '{"geometry": "AAE=", "state": "not base64!", "docks": 7, "é": "é"}'
    )
    assert kept.load_layout() == {"geometry": b"\x00\x01"}


@pytest.mark.parametrize(
    ("preference", "system", "language"),
    [
        ("en", ["zh-CN"], "en"),
        ("zh_CN", ["en-US"], "zh_CN"),
        ("system", ["zh-Hans-CN", "en"], "zh_CN"),
        ("system", ["de-DE", "zh-CN"], "zh_CN"),
        ("system", ["en-GB", "zh-CN"], "en"),
        ("system", ["fi-FI"], "en"),
        ("system", [], "en"),
        ("nonsense", ["zh-CN"], "zh_CN"),
    ],
)
def test_language(
    preference: str, system: list[str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Locale:
        @staticmethod
        def system() -> Any:
            return Locale

        @staticmethod
        def uiLanguages() -> list[str]:
            return system

    assert isinstance(QLocale.system().uiLanguages(), list)  # what the stand-in stands for
    monkeypatch.setattr(kept, "QLocale", Locale)
    assert kept.resolve_language(preference) == language


@pytest.mark.parametrize(
    ("preference", "scheme", "shade"),
    [
        ("light", Qt.ColorScheme.Dark, "light"),
        ("dark", Qt.ColorScheme.Light, "dark"),
        ("contrast", Qt.ColorScheme.Dark, "contrast"),
        ("chalkboard", Qt.ColorScheme.Light, "chalkboard"),
        ("system", Qt.ColorScheme.Dark, "dark"),
        ("system", Qt.ColorScheme.Light, "light"),
        ("system", Qt.ColorScheme.Unknown, "light"),
    ],
)
def test_theme(preference: str, scheme: Qt.ColorScheme, shade: str, qapp: QApplication) -> None:
    class Hints:
        @staticmethod
        def colorScheme() -> Qt.ColorScheme:
            return scheme

    class App:
        @staticmethod
        def styleHints() -> Any:
            return Hints

    assert qapp.styleHints().colorScheme() in Qt.ColorScheme  # what the stand-in stands for
    assert kept.resolve_shade(preference, App) == shade  # type: ignore[arg-type]


def test_a_start_follows_the_steps_in_the_heatmap(qtbot: QtBot) -> None:
    """The stage was chosen for the experiment that was open last."""
    kept.save_preferences(Preferences(heatmap_stage="weights"))
    window = build_window(language="en")
    qtbot.addWidget(window)
    assert window.session.state.preferences.heatmap_stage == ""
