"""The power goes while something is saved; disks are full, folders read-only: always a whole file, old or new."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.base.errors import UserError
from core.lesson import lesson
from core.storage import archive
from core.storage.examples import load_example

PROGRAM = Path(__file__).with_name("power.py")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and modes of POSIX")


def test_a_file_is_whole_and_the_last_edits_come_back_after_a_kill(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, str(PROGRAM), "10", "4", str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(ran.stdout)
    assert told["faults"] == []
    assert told["old"] + told["new"] + told["came back"] == told["kills"] == 10


def test_a_folder_that_is_read_only_keeps_the_old_file(tmp_path: Path) -> None:
    code = (
        "import json, sys; from pathlib import Path; from tests.soak.power import refused_write; "
        "print(json.dumps(refused_write(Path(sys.argv[1]))))"
    )
    for folder in (tmp_path, *tmp_path.parents):  # somebody else must get there
        if os.access(folder, os.W_OK) and folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=PROGRAM.parents[2],
    )
    assert json.loads(ran.stdout) == {
        "said": "file.unwritable denied",
        "whole": True,
        "files": ["kept.attn.json"],
    }


@contextmanager
def small_disk() -> Iterator[None]:
    """No file may be longer than 1,000 bytes: as short a time as can be, for what is printed may go to a file, too."""
    limits, handler = (
        resource.getrlimit(resource.RLIMIT_FSIZE),
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
    )
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_disk_without_room_keeps_the_old_file(tmp_path: Path) -> None:
    path, document = tmp_path / "kept.attn.json", load_example("who-ate-whom")
    path.write_text("old")
    with pytest.raises(UserError) as caught, small_disk():
        archive.save(document, path)
    assert caught.value.code == "file.unwritable"
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("call", ["fsync", "replace", "open"])
@pytest.mark.parametrize(
    ("number", "reason"), [(errno.ENOSPC, "full"), (errno.EIO, "other"), (errno.EDQUOT, "full")]
)
def test_every_way_in_which_a_disk_refuses_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, reason: str
) -> None:
    def refuse(*_args: object) -> None:
        raise OSError(number, os.strerror(number))

    own = tmp_path / "kept.lesson.json"
    own.write_text("old")
    found = lesson.load(lesson.lesson_path("first-steps"))
    with monkeypatch.context() as patched:
        patched.setattr(f"core.base.files.os.{call}", refuse)
        with pytest.raises(UserError) as caught:
            lesson.save(found, own)
    assert (caught.value.code, caught.value.data["reason"]) == ("file.unwritable", reason)
    assert own.read_text() == "old"
    assert list(tmp_path.iterdir()) == [own]
