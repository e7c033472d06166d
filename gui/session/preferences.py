"""Load and save the preferences and the window layout, small JSON files in the user's folder.

Damaged values and files are no error: their defaults are used.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
from PySide6.QtCore import QLocale, QLockFile, QStandardPaths, Qt
from PySide6.QtWidgets import QApplication

from core.base.errors import UserError
from core.base.files import read_bytes, write_bytes
from core.base.number_format import MAX_DECIMALS
from core.document.parts import is_stage
from gui.painting.text_size import PERCENTS
from gui.painting.theme import THEMES
from gui.session.presented_views import are_valid_views
from gui.session.state import Preferences
from gui.texts.translation import LABELS, best_language, languages

HOME_VARIABLE = "ATTENTION_STEPPER_HOME"
MOST_RECENT = 10
LOCK_MS = 1000  # how long another program may hold a file
SLOWEST, FASTEST = 0.5, 4.0
_FOLDER = "AttentionStepper"

# Conditions on values beyond their type.
_RULES: dict[str, Callable[[Any], bool]] = {
    "language": lambda value: value in ("system", *languages()),
    "labels": lambda value: value in LABELS,
    "theme": lambda value: value == "system" or value in THEMES,
    "text_size": lambda value: value in PERCENTS,
    "decimals": lambda value: 0 <= value <= MAX_DECIMALS,
    "speed": lambda value: SLOWEST <= value <= FASTEST,
    "heatmap_stage": lambda value: value == "" or is_stage(value),
    "heatmap_levels": lambda value: value in ("stage", "heads", "weights"),
    "heatmap_view": lambda value: value in ("one", "heads", "difference"),
    "code": lambda value: value in ("numpy", "torch", "latex"),
    "presented": are_valid_views,
    "at_start": lambda value: value in ("page", "last", "example"),
    "presented_text": lambda value: value in PERCENTS,
    "recent": lambda value: len(value) <= MOST_RECENT,
}


def home() -> Path:
    """The folder of preferences, layout and recovery files; it may not exist yet."""
    chosen = os.environ.get(HOME_VARIABLE, "")
    if chosen:
        return Path(chosen)
    return (
        Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation))
        / _FOLDER
    )


def load_preferences() -> Preferences:
    """Load the preferences; a missing or invalid value gets its default."""
    saved = read_settings("preferences.json")
    types = get_type_hints(Preferences)
    good: dict[str, Any] = {}
    for field in dataclasses.fields(Preferences):
        with suppress(KeyError, msgspec.ValidationError):
            value = msgspec.convert(saved[field.name], types[field.name])
            if _RULES.get(field.name, _anything)(value):
                good[field.name] = value
    return Preferences(**good)


def save_preferences(
    preferences: Preferences, known: Preferences | None = None
) -> Preferences | None:
    """Save the preferences; return what the file then holds, None where the disk refuses.

    `known` is what the caller loaded or saved last: what it has not changed since stays as another
    program may have saved it. Lists of recent files are united.
    """
    with locked("preferences"):
        if known is not None:
            preferences = _merged(known, preferences, load_preferences())
        return preferences if write_settings("preferences.json", preferences) else None


def _merged(known: Preferences, mine: Preferences, theirs: Preferences) -> Preferences:
    changed = {
        field.name: getattr(mine, field.name)
        for field in dataclasses.fields(Preferences)
        if getattr(mine, field.name) != getattr(known, field.name)
    }
    if "recent" in changed:
        new = [path for path in theirs.recent if path not in (*known.recent, *mine.recent)]
        changed["recent"] = (*mine.recent, *new)[:MOST_RECENT]
    return dataclasses.replace(theirs, **changed)


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold a lock file of the user's folder, or go on without where it cannot be had."""
    with suppress(OSError):
        home().mkdir(parents=True, exist_ok=True)
    lock = QLockFile(str(home() / f"{name}.lock"))
    lock.tryLock(LOCK_MS)
    try:
        yield
    finally:
        lock.unlock()


def load_layout() -> dict[str, bytes]:
    """Load the parts of `save_layout`, such as "geometry" and "state", without damaged ones."""
    parts: dict[str, bytes] = {}
    for name, text in read_settings("layout.json").items():
        with suppress(TypeError, ValueError, binascii.Error):
            parts[name] = base64.b64decode(text, validate=True)
    return parts


def save_layout(**parts: bytes | bytearray | memoryview[int]) -> bool:
    """Save parts of the layout, as bytes from Qt, by name; other parts stay."""
    texts = {name: base64.b64encode(part).decode("ascii") for name, part in parts.items()}
    return write_settings("layout.json", {**read_settings("layout.json"), **texts})


def resolve_language(preference: str) -> str:
    """The code of the chosen language, or of the best one for the system."""
    if preference in languages():
        return preference
    return best_language(QLocale.system().uiLanguages())


def resolve_shade(preference: str, app: QApplication) -> str:
    """The theme: the chosen one, or the system's light or dark."""
    if preference in THEMES:
        return preference
    return "dark" if app.styleHints().colorScheme() is Qt.ColorScheme.Dark else "light"


def _anything(_value: object) -> bool:
    return True


def read_settings(name: str) -> dict[str, Any]:
    """A JSON object from the user's folder, empty where it cannot be read."""
    try:
        found = json.loads(read_bytes(home() / name))
    except (UserError, RecursionError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def json_bytes(content: object) -> bytes:
    """Any data as JSON in ASCII. File names that are not UTF-8 hold surrogates, which msgspec refuses."""
    return json.dumps(msgspec.to_builtins(content), indent=2).encode() + b"\n"


def write_settings(name: str, content: object) -> bool:
    try:
        home().mkdir(parents=True, exist_ok=True)
        write_bytes(home() / name, json_bytes(content))
    except (OSError, UserError):
        return False
    return True
