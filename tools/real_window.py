"""Run a command on screens of its own: Xvfb on free displays with the window manager openbox on each.

    python tools/real_window.py [--screens=2] -- COMMAND …

Starts both, runs the command with DISPLAY set and Qt's real window plugin, ends both, and exits with the command's
status. Several screens are for pytest-xdist: REAL_WINDOW_DISPLAYS has one for each worker (tests/conftest.py). Where
Xvfb or openbox is not installed it says so in one line and runs the command offscreen; in CI (CI=true) it exits with 1.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PROGRAMS = ("Xvfb", "openbox")
PATIENCE = 30.0  # seconds; both are up within one on an idle machine


@contextmanager
def started(
    command: list[str], environment: dict[str, str], log: Path, pass_fds: tuple[int, ...] = ()
) -> Iterator[None]:
    """Have *command* running meanwhile; end it, and only it, afterwards."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=environment, stdout=output, stderr=output, pass_fds=pass_fds
        )
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def start_screen(stack: ExitStack, folder: Path) -> str:
    """Start Xvfb, which picks the display itself, and return the display's name."""
    reading, writing = os.pipe()
    size = ["-screen", "0", "1920x1080x24"]
    command = ["Xvfb", "-displayfd", str(writing), *size, "-nolisten", "tcp", "-noreset"]
    stack.enter_context(
        started(command, dict(os.environ), folder / "Xvfb.log", pass_fds=(writing,))
    )
    os.close(writing)
    with os.fdopen(reading) as pipe:
        number = pipe.readline().strip()  # empty once Xvfb has ended without a display
    if not number:
        raise RuntimeError(
            "Xvfb did not start:\n" + (folder / "Xvfb.log").read_text(errors="replace")
        )
    return f":{number}"


def start_window_manager(stack: ExitStack, folder: Path, environment: dict[str, str]) -> None:
    """Start openbox and wait until it manages windows: only then does it run its start-up command."""
    ready = folder / "ready"
    command = ["openbox", "--sm-disable", "--startup", f"touch {ready}"]
    stack.enter_context(started(command, environment, folder / "openbox.log"))
    deadline = time.monotonic() + PATIENCE
    while not ready.exists():
        if time.monotonic() > deadline:
            raise RuntimeError(
                "openbox did not start:\n" + (folder / "openbox.log").read_text(errors="replace")
            )
        time.sleep(0.05)


def screen_environment(display: str, folder: Path) -> dict[str, str]:
    """Return the environment for programs on *display*: nothing in it leads to the user's own desktop."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if key not in {"WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"}
    }
    chosen = {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "XDG_RUNTIME_DIR": str(folder)}
    return {**kept, **chosen, "LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1"}


def run(command: list[str], screens: int) -> int:
    """Run *command* in a real window and return its exit status."""
    with tempfile.TemporaryDirectory(prefix="real-window-") as name, ExitStack() as stack:
        displays, environment = [], dict(os.environ)
        for number in range(screens):
            folder = Path(name, str(number))
            folder.mkdir()
            displays.append(start_screen(stack, folder))
            environment = screen_environment(displays[-1], folder)
            start_window_manager(stack, folder, environment)
        environment["REAL_WINDOW_DISPLAYS"] = " ".join(displays)
        return subprocess.run(command, env=environment, check=False).returncode


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="real_window.py")
    parser.add_argument("--screens", type=int, default=1)
    parser.add_argument("command", nargs="+", metavar="-- COMMAND …")
    options = parser.parse_args(arguments)
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        print(f"Not run in a real window: {' and '.join(missing)} not installed.", file=sys.stderr)
        if os.environ.get("CI") == "true":
            return 1
        offscreen = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        return subprocess.run(options.command, env=offscreen, check=False).returncode
    try:
        return run(options.command, options.screens)
    except RuntimeError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
