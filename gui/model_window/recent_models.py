"""Models on the disk of the user: the recent ones, and the last with its sentences and edits."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from typing import Any

import msgspec

from gui.model_window.edits import Edit, HeadOff, NumberEdit, StagePatch, WeightPin, WordSwap
from gui.model_window.state import Setting
from gui.session.preferences import read_settings, write_settings

FILE = "models.json"  # in the user's folder
MOST_RECENT = 8
KINDS: dict[str, type[Any]] = {
    "head_off": HeadOff,
    "pin": WeightPin,
    "number": NumberEdit,
    "word": WordSwap,
    "patch": StagePatch,
}
NAMES = {kind: name for name, kind in KINDS.items()}


def recent_models() -> list[str]:
    """The folders and files that were opened, the last first."""
    found = read_settings(FILE).get("recent", [])
    return [path for path in found if isinstance(path, str)] if isinstance(found, list) else []


def remember_model(source: str) -> None:
    """Put a folder or file first in the list."""
    others = [each for each in recent_models() if each != source]
    recent = [source, *others][:MOST_RECENT]
    write_settings(FILE, {**read_settings(FILE), "recent": recent})


def save_last_model(source: str, setting: Setting) -> None:
    """Keep the last model and its setting, for the next time and after a crash."""
    edits = [{"kind": NAMES[type(each)], **dataclasses.asdict(each)} for each in setting.edits]
    last = {"source": source, "text": setting.text, "other": setting.other, "edits": edits}
    write_settings(FILE, {**read_settings(FILE), "last": last})


def last_model() -> tuple[str, Setting] | None:
    """The last model and its setting; what is damaged in the file is left out."""
    last = read_settings(FILE).get("last")
    if not isinstance(last, dict) or not isinstance(last.get("source"), str):
        return None
    texts = {name: last.get(name) for name in ("text", "other")}
    own: dict[str, Any] = {name: text for name, text in texts.items() if isinstance(text, str)}
    found = last.get("edits")
    edits = [_edit(each) for each in found] if isinstance(found, list) else []
    return last["source"], Setting(**own, edits=tuple(each for each in edits if each is not None))


def _edit(entry: Any) -> Edit | None:
    with suppress(msgspec.ValidationError, KeyError, TypeError, AttributeError):
        values = {name: value for name, value in entry.items() if name != "kind"}
        made: Edit = msgspec.convert(values, KINDS[entry["kind"]])
        return made
    return None
