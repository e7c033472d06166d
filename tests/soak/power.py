"""Kill -9 in the middle of saving, again and again: the old file or the new one, whole; and the last edits come back.

python tests/soak/power.py TIMES SEED FOLDER     one line of JSON: {"kills", "faults", "old", "new", "came back"}
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QCoreApplication

from core.base.errors import UserError
from core.base.files import write_bytes
from core.document.document import Document, Head
from core.document.edits import with_title
from core.lesson import lesson
from core.storage import archive
from core.storage.examples import load_example
from gui.session.session import Session
from gui.session.state import Preferences
from gui.storage.recovery import Recovery
from gui.storage.recovery_store import copy_names, read_entry

MAIN = "kept.attn.json"
LATEST = 0.012  # seconds to a cut; about as long as starting the child and writing take


def large(title: str, number: float) -> Document:
    """An experiment of a megabyte, so that writing takes a while."""
    ones = np.full((250, 64), number)
    return Document(
        tuple(map(str, range(250))), (Head(Q=ones, K=ones, V=ones),), title=title, source="qkv"
    )


def child_of(work: Callable[[], None]) -> int:
    """A process that does this; its id."""
    process = os.fork()
    if process:
        return process
    try:
        work()
    finally:
        os._exit(0)


def kill_after(process: int, seconds: float) -> None:
    """The moment at which the power goes."""
    time.sleep(seconds)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def cut_while_saving(folder: Path, chance: Random) -> str:
    """Which of the two files is there after the cut: "old", "new", or what is wrong."""
    path = folder / MAIN
    old, new = archive.dumps(large("old", 1.0)), archive.dumps(large("new", 1.0 / 3.0))
    path.write_bytes(old)
    process = child_of(
        lambda: write_bytes(path, new)
    )  # made before, so that the cut meets the writing itself
    kill_after(process, chance.uniform(0, LATEST))
    found = path.read_bytes()
    if found == old:
        return "old"
    return "new" if found == new else f"neither the old nor the new file: {len(found)} bytes"


def cut_while_working(folder: Path, chance: Random, *, teaching: bool) -> str:
    """ "new", or what is wrong with what comes back. A child edits without end and keeps its copy after each edit; it
    says which edit is safe."""
    os.environ["ATTENTION_STEPPER_HOME"] = str(folder / f"home{chance.random()}")
    reading, writing = os.pipe()
    process = child_of(lambda: _work(writing, teaching))
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        told.readline()  # the first edit is safe
        kill_after(process, chance.uniform(0, 0.03))
        last = int((told.read().split(b"\n")[:-1] or [b"0"])[-1])
    names = copy_names()
    entry = read_entry(names[0]) if len(names) == 1 else None
    if entry is None:
        return f"nothing comes back of {names}"
    if teaching:
        came = int(entry.lesson.title.get("en")) if entry.lesson else -1
    else:
        came = int(entry.document.title) if entry.document else -1
    return "new" if came in (last, last + 1) else f"edit {came} comes back, {last} was safe"


def _work(pipe: int, teaching: bool) -> None:
    session = Session(load_example("who-ate-whom"), Preferences())
    recovery = Recovery(session)
    if teaching:
        session.lesson_player.new()
    for number in range(100_000):
        if teaching:
            session.lesson_player.edit_lesson(
                title=lesson.LocalizedText({"en": str(number), "zh_CN": str(number)})
            )
        else:
            session.change(with_title, str(number), text="Edit")
        if not recovery.write():
            os.write(pipe, b"-1\n")
            return
        os.write(pipe, b"%d\n" % number)


def cut_often(times: int, seed: int, folder: Path) -> dict[str, object]:
    """So many cuts while saving; one in five while working on an experiment, and one in five on a lesson."""
    chance, counts, faults = Random(seed), {"old": 0, "new": 0, "came back": 0}, set()
    for number in range(times):
        match number % 5:
            case 3:
                how = cut_while_working(folder, chance, teaching=False)
            case 4:
                how = cut_while_working(folder, chance, teaching=True)
            case _:
                how = cut_while_saving(folder, chance)
        if how in counts and number % 5 < 3:
            counts[how] += 1
        elif how == "new":
            counts["came back"] += 1
        else:
            faults.add(how)
    return {"kills": times, "faults": sorted(faults), **counts}


def refused_write(folder: Path) -> dict[str, object]:
    """Saving into a folder that cannot be written, as somebody who is not root, and onto a disk that is full."""
    path = folder / MAIN
    path.write_bytes(archive.dumps(large("old", 1.0)))
    before, process = path.read_bytes(), None
    folder.chmod(0o555)
    reading, writing = os.pipe()
    process = child_of(lambda: _refused(path, writing))
    os.close(writing)
    with os.fdopen(reading) as told:
        said = told.read()
    os.waitpid(process, 0)
    folder.chmod(0o755)
    return {
        "said": said,
        "whole": path.read_bytes() == before,
        "files": sorted(p.name for p in folder.iterdir()),
    }


def _refused(path: Path, pipe: int) -> None:
    if os.getuid() == 0:
        os.setuid(65534)  # modes mean nothing to root
    try:
        archive.save(large("new", 2.0), path)
        os.write(pipe, b"saved")
    except UserError as problem:
        os.write(pipe, f"{problem.code} {problem.data['reason']}".encode())


if __name__ == "__main__":
    application = QCoreApplication([])
    print(json.dumps(cut_often(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))))
