"""Start what `tools/bundle.py` has built as a stranger would: no Python, no network, no environment, an odd folder.

Copies the folder and the one file into a folder named 注意力 ë and there, each time in an emptied environment, lists
the examples, computes a trace, renders a picture (which must be that of the source, byte for byte), exports, and opens
a file in a real window, of which it takes a screenshot. On Linux the network is taken away, and this source tree and
the Python that runs this are hidden, where the system lets us (`unshare`). Prints sizes, and the program's own times;
exits with 1 where anything is amiss.

    python tools/check_bundle.py [DIST]
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import real_window

NAME = "attention-stepper"
ODD_FOLDER = "注意力 ë"
EXAMPLE = ROOT / "resources" / "examples" / "cat-eats-fish.attn.json"
LARGEST_FILE = 130.0  # MB = 10⁶ bytes, of the one file
SMALLEST_EXPORT = 2000  # bytes
PATIENCE = 120.0  # seconds
STILL = 3.0  # seconds without a change, after which nothing more is expected
# What Qt says where no locale is set at all.
LOCALE_TOLD = (
    "Detected locale",
    "Qt depends on a UTF-8 locale",
    "If this causes problems",
    "for more information",
)
SHOT = "shot.png"
SHOOT = (
    "import sys; from PySide6.QtWidgets import QApplication; app = QApplication(sys.argv[:1]);"
    "app.primaryScreen().grabWindow(0).save(sys.argv[1])"
)


class Amiss(Exception):
    """What a check found wrong, in a sentence."""


@dataclass(frozen=True)
class Stranger:
    """A machine that has never heard of the program: where it runs it, and what goes before a command there."""

    folder: Path
    shield: tuple[str, ...]
    spent: list[float] = field(default_factory=list)  # seconds, of each start of the program

    def environment(self, **more: str) -> dict[str, str]:
        """Nothing but a home; Windows cannot start programs without its own two."""
        kept = {key: os.environ[key] for key in ("SYSTEMROOT", "TEMP") if key in os.environ}
        return {
            **kept,
            "HOME": str(self.folder),
            "ATTENTION_STEPPER_HOME": str(self.folder / "home"),
            **more,
        }

    def run(self, program: Path, *arguments: str) -> str:
        """The output of a command that must succeed. Raises Amiss."""
        command = [*self.shield, str(program), *arguments]
        began = time.monotonic()
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        self.spent.append(time.monotonic() - began)
        if done.returncode != 0:
            raise Amiss(
                f"{arguments[0]} ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}"
            )
        return done.stdout.decode("utf-8")


def shield() -> tuple[str, ...]:
    """What takes network, source tree and Python away from a command; nothing where the system does not let us."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return ()
    hidden = {ROOT, Path(sys.prefix), Path(sys.base_prefix)} - {Path("/usr")}
    outer = sorted(
        str(path) for path in hidden if hidden.isdisjoint(path.parents)
    )  # what lies in one goes with it
    hide = "; ".join(f"/bin/mount -t tmpfs none {shlex.quote(path)}" for path in outer)
    for user in ([], ["--map-root-user"]):
        command = [unshare, *user, "--net", "--mount", "/bin/sh", "-ec", f'{hide}; exec "$@"', "sh"]
        if (
            subprocess.run([*command, "/bin/true"], capture_output=True, check=False).returncode
            == 0
        ):
            return tuple(command)
    return ()


def source(folder: Path, *arguments: str) -> str:
    """What the source tree says to the same command in the same folder."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "main.py"), *arguments],
        cwd=folder,
        env={**os.environ, "LC_ALL": "C.UTF-8", "ATTENTION_STEPPER_HOME": str(folder / "home")},
        capture_output=True,
        check=True,
    )
    return done.stdout.decode("utf-8")


def check_examples(stranger: Stranger, program: Path) -> None:
    if stranger.run(program, "examples") != source(stranger.folder, "examples"):
        raise Amiss("examples differ from those of the source")


def check_trace(stranger: Stranger, program: Path) -> None:
    written, expected = stranger.folder / "überall.json", stranger.folder / "expected.json"
    stranger.run(program, "trace", EXAMPLE.name, "-o", written.name)
    source(stranger.folder, "trace", EXAMPLE.name, "-o", expected.name)
    if json.loads(written.read_text(encoding="utf-8")) != json.loads(
        expected.read_text(encoding="utf-8")
    ):
        raise Amiss("the trace differs from that of the source")


def check_picture(stranger: Stranger, program: Path, *what: str) -> None:
    written, expected = stranger.folder / "图.png", stranger.folder / "expected.png"
    for told, path in (
        (partial(stranger.run, program), written),
        (partial(source, stranger.folder), expected),
    ):
        told("render", *what, "-o", path.name, "--size", "1000x600", "--language", "zh_CN")
    if written.read_bytes() != expected.read_bytes():
        raise Amiss(f"render {' '.join(what)} differs from that of the source")
    with Image.open(written) as image:
        if image.size != (1000, 600):
            raise Amiss(f"{written.name} has {image.size} pixels")
    if is_blank(written):
        raise Amiss(f"{written.name} is blank")


def check_exports(stranger: Stranger, program: Path) -> None:
    """The formats whose libraries bring files of their own, or are imported when they are first needed."""
    for form in ("pptx", "xlsx", "html", "webp", "gif", "report"):
        path = stranger.folder / f"out.{'pdf' if form == 'report' else form}"
        stranger.run(program, "export", EXAMPLE.name, "--format", form, "-o", path.name)
        if path.stat().st_size < SMALLEST_EXPORT:
            raise Amiss(f"export --format {form} wrote {path.stat().st_size} bytes")


def is_blank(path: Path) -> bool:
    """Whether a picture has few colours, or one of them nearly everywhere."""
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB")).reshape(-1, 3).astype(np.int64)
    counts = np.unique(pixels @ [1 << 16, 1 << 8, 1], return_counts=True)[1]
    return bool(counts.size < 50 or counts.max() > 0.97 * len(pixels))


def check_window(stranger: Stranger, program: Path) -> None:
    """Open a file in a real window and wait until the screen shows it."""
    with tempfile.TemporaryDirectory(prefix="bundle-screen-") as name, ExitStack() as stack:
        screen = Path(name)
        outer = real_window.screen_environment(real_window.start_screen(stack, screen), screen)
        real_window.start_window_manager(stack, screen, outer)
        inner = {key: outer[key] for key in ("DISPLAY", "XDG_RUNTIME_DIR")}
        command = [
            *stranger.shield,
            str(program),
            EXAMPLE.name,
            "--stage",
            "weights",
            "--language",
            "zh_CN",
        ]
        log = stranger.folder / "window.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                cwd=stranger.folder,
                env=stranger.environment(**inner),
                stdout=output,
                stderr=output,
            )
        stack.callback(end, process)
        stranger.spent.append(wait_for_window(process, stranger.folder / SHOT, outer))
        told = [
            line
            for line in log.read_text(errors="replace").splitlines()
            if not line.startswith(LOCALE_TOLD)
        ]
        if told:
            raise Amiss("the window says: " + "\n".join(told))


def end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(PATIENCE)


def wait_for_window(
    process: subprocess.Popen[bytes], path: Path, environment: Mapping[str, str]
) -> float:
    """Wait until the screen shows something and keeps still; returns the seconds until it showed something.

    What takes long to load comes after the first picture.
    """
    began = since = time.monotonic()
    shown, before = 0.0, b""
    while not shown or time.monotonic() - since < STILL:
        if process.poll() is not None:
            raise Amiss(f"the window ended with {process.returncode}")
        if time.monotonic() - began > PATIENCE:
            raise Amiss("the window shows nothing, or never keeps still")
        subprocess.run(
            [sys.executable, "-c", SHOOT, str(path)],
            env={**environment},
            capture_output=True,
            check=True,
        )
        if not shown and not is_blank(path):
            shown = time.monotonic() - began
        if path.read_bytes() != before:
            before, since = path.read_bytes(), time.monotonic()
        time.sleep(0.2)
    return shown


def check_stage_picture(stranger: Stranger, program: Path) -> None:
    check_picture(stranger, program, EXAMPLE.name, "--stage", "weights")


def check_lab_picture(stranger: Stranger, program: Path) -> None:
    check_picture(stranger, program, "--lab", "positions")


CHECKS: dict[str, Callable[[Stranger, Path], None]] = {
    "examples": check_examples,
    "trace": check_trace,
    "render": check_stage_picture,
    "render --lab": check_lab_picture,
    "six exports": check_exports,
    "a file in a window": check_window,
}


def size_of(path: Path) -> float:
    """MB = 10⁶ bytes, links not followed."""
    files = (
        [path]
        if path.is_file()
        else [file for file in path.rglob("*") if file.is_file() and not file.is_symlink()]
    )
    return sum(file.stat().st_size for file in files) / 1e6


def built(dist: Path) -> dict[str, Path]:
    """The folder and the one file that lie in *dist*. Raises Amiss."""
    ending = ".exe" if sys.platform == "win32" else ""
    found = {
        "folder": dist / NAME,
        "one file": next(dist.glob(f"{NAME}-*{ending}"), dist / f"{NAME}-*{ending}"),
    }
    for path in found.values():
        if not path.exists():
            raise Amiss(f"{path} is not there; run tools/bundle.py first")
    return found


def try_out(what: str, original: Path, shield_: tuple[str, ...]) -> list[str]:
    """Copy a program into an odd folder and do everything with it; prints times, returns what is amiss."""
    amiss: list[str] = []
    with tempfile.TemporaryDirectory(prefix="bundle-") as name:
        stranger = Stranger(Path(name) / ODD_FOLDER, shield_)
        stranger.folder.mkdir()
        shutil.copy(EXAMPLE, stranger.folder)
        copy = stranger.folder / original.name
        program = copy
        if original.is_dir():
            shutil.copytree(original, copy, symlinks=True)
            program = copy / (NAME + (".exe" if sys.platform == "win32" else ""))
        else:
            shutil.copy2(original, copy)
        for title, check in CHECKS.items():
            if check is check_window and not all(map(shutil.which, real_window.PROGRAMS)):
                print(f"{what:10} {title:20} not done: Xvfb or openbox is not installed")
                continue
            stranger.spent.clear()
            try:
                check(stranger, program)
                told = f"{sum(stranger.spent):5.1f} s"
            except (Amiss, OSError, subprocess.SubprocessError) as problem:
                amiss.append(f"{what}, {title}: {problem}")
                told = "AMISS"
            print(f"{what:10} {title:20} {told}", flush=True)
        if (shot := stranger.folder / SHOT).exists():
            shutil.copy(shot, original.parent / f"window-{what.replace(' ', '-')}.png")
    return amiss


def main(arguments: list[str]) -> int:
    dist = Path(arguments[0]) if arguments else ROOT / "dist"
    try:
        programs = built(dist)
    except Amiss as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    cover = shield()
    print(
        "without network, source tree and Python"
        if cover
        else "the system does not let us take the network away"
    )
    amiss = []
    for what, path in programs.items():
        size = size_of(path)
        print(f"{what:10} {path.name:20} {size:5.1f} MB", flush=True)
        if what == "one file" and size >= LARGEST_FILE:
            amiss.append(
                f"the one file has {size:.1f} MB, allowed are fewer than {LARGEST_FILE:.0f}"
            )
        amiss += try_out(what, path, cover)
    for text in amiss:
        print(f"error: {text}", file=sys.stderr)
    return int(bool(amiss))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
