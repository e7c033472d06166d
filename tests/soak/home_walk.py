"""Corrupted files of the user's folder: preferences, layout, recovery. They are never an error for the user."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from random import Random

from core.lesson import lesson
from core.storage import archive
from core.storage.examples import EXAMPLES, load_example
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.session.preferences import home, load_preferences, save_preferences
from gui.session.state import Preferences
from gui.storage.recovery_store import copy_names, recovery_folder
from tests.soak.corrupting import corrupted
from tests.soak.measuring import settle
from tests.soak.watching import Watch


class HomeWalk:
    """Writes what a healthy program keeps, corrupts it, and starts the program on it."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.faults: dict[str, str] = {}
        home().mkdir(parents=True, exist_ok=True)
        self.whole = self._kept()

    def _kept(self) -> dict[str, bytes]:
        """The files of a program that has run."""
        save_preferences(
            Preferences(recent=("/tmp/a.attn.json",), presented=(("scores", "diagram/stage"),))
        )
        window = build_window(language="en")
        window.show()
        window.dock_layout.save()
        _end(window)
        document = archive.dumps(load_example(EXAMPLES[1]))
        origin = {
            "path": "/tmp/x.attn.json",
            "lesson": "/tmp/y.lesson.json",
            "folder": "/tmp",
            "scene": 0,
        }
        recovery = {
            "recovery/dead.attn.json": document,
            "recovery/dead.lesson.json": lesson.lesson_path("first-steps").read_bytes(),
            "recovery/dead.origin.json": json.dumps(origin).encode(),
        }
        return {
            name: (home() / name).read_bytes() for name in ("preferences.json", "layout.json")
        } | recovery

    def walk(self, starts: int) -> None:
        """So many starts, each on files of which one to three are corrupted."""
        for number in range(starts):
            names = self.chance.sample(sorted(self.whole), self.chance.choice((1, 1, 2, 3)))
            for name, data in self.whole.items():
                path = home() / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(self._wrong(name, data) if name in names else data)
            with Watch() as watch:
                self._start()
            for text in watch.found:
                self.faults.setdefault(
                    text.strip().splitlines()[-1], f"start {number}, {names}\n{text}"
                )

    def _wrong(self, name: str, data: bytes) -> bytes:
        if name == "layout.json" and self.chance.random() < 0.8:  # what Qt itself reads
            parts = json.loads(data)
            key = self.chance.choice(sorted(parts))
            parts[key] = base64.b64encode(
                corrupted(base64.b64decode(parts[key]), [b"x"], self.chance)
            ).decode()
            return json.dumps(parts).encode()
        return corrupted(data, list(self.whole.values()), self.chance)

    def _start(self) -> None:
        try:
            load_preferences()
            window = build_window()
            window.show()
            window.offer_recovery()
            for entry in window.recovery.find_recovered():
                window.recovery.restore(entry)
            assert window.diagram.width() > 0
            _end(window)
        except Exception as error:
            self.faults.setdefault(repr(error), f"start\n{error!r}")

    def clean(self) -> None:
        """Nothing is left for others."""
        for name in copy_names():
            for path in recovery_folder().glob(f"{name}*"):
                path.unlink()


def _end(window: MainWindow) -> None:
    window.session.undo_stack.setClean()
    window.recovery.finish()
    window.deleteLater()
    settle()


def remove(folder: Path) -> None:
    """What a walk has left in a folder."""
    for path in folder.rglob("*"):
        if path.is_file():
            path.unlink()
