"""The system's wish for reduced motion, asked where each desktop keeps it; a desktop that hangs holds nobody up."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gui.session import reduced_motion
from gui.session.reduced_motion import DesktopQuery, prefers_reduced_motion, query_desktop

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="GNOME is a desktop of Linux"
)
Install = Callable[[str], Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a program called gsettings on the PATH; its body is a shell script."""

    def write(body: str) -> Path:
        program = tmp_path / "gsettings"
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        return program

    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "ubuntu:GNOME")
    monkeypatch.delenv("ATTENTION_STEPPER_MOTION")
    monkeypatch.setattr(reduced_motion, "system_reduces_motion", lambda: False)
    monkeypatch.setattr(reduced_motion, "_queries", [])
    yield write
    for query in reduced_motion._queries:
        query.end()


def answered() -> bool:
    """What is wanted once the program has ended."""
    for query in reduced_motion._queries:
        query._program.wait(30)
    return prefers_reduced_motion()


@pytest.mark.parametrize(
    ("answer", "still"), [("false", True), ("true", False), ("", False), ("No such key", False)]
)
def test_gnome_says_whether_it_animates(
    install: Install, tmp_path: Path, answer: str, still: bool
) -> None:
    install(f'echo "$@" > {tmp_path}/asked; echo {answer}')
    query_desktop()
    assert answered() is still
    assert prefers_reduced_motion() is still  # the answer stays
    assert (tmp_path / "asked").read_text() == "get org.gnome.desktop.interface enable-animations\n"


def test_the_variable_decides_over_gnome(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("echo false")
    query_desktop()
    assert answered()
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "on")
    assert not prefers_reduced_motion()


@pytest.mark.parametrize("desktop", ["KDE", "XFCE", "", "GNOMEish"])
def test_other_desktops_are_not_asked(
    install: Install, monkeypatch: pytest.MonkeyPatch, desktop: str
) -> None:
    install("echo false")
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", desktop)
    query_desktop()
    assert reduced_motion._queries == []
    assert not prefers_reduced_motion()


def test_without_the_program_nothing_is_asked(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    query_desktop()
    assert reduced_motion._queries == []


def test_a_program_that_cannot_start_is_no_answer(install: Install) -> None:
    install("echo false").write_bytes(b"\x7fELF nothing that runs")
    query_desktop()
    assert not prefers_reduced_motion()


def test_nobody_waits_for_a_desktop_that_hangs(install: Install) -> None:
    install("exec sleep 600")
    query_desktop()
    asked: DesktopQuery = reduced_motion._queries[0]
    assert not prefers_reduced_motion()
    assert asked._program.poll() is None
    asked.end()
    assert asked._program.returncode == -9


def test_a_program_that_ends_takes_it_along(install: Install, tmp_path: Path) -> None:
    install(f"echo $$ > {tmp_path}/number; exec sleep 600")
    wait = "while not (open(p).read() if os.path.exists(p) else ''): pass"
    code = f"import os; from gui.session.reduced_motion import query_desktop; p = {str(tmp_path / 'number')!r}; query_desktop()\n{wait}"
    root = Path(__file__).parent.parent.parent
    subprocess.run([sys.executable, "-c", code], cwd=root, check=True, timeout=60)
    number = int((tmp_path / "number").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
