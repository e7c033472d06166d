"""Run tests with the lowest and with the newest libraries, on each Python from 3.11 to 3.13 that this machine has.

    python tools/matrix.py [--all] [--only=3.13-lowest] [PYTEST ARGUMENTS …]

Lowest are the versions of requirements-lowest.txt, newest those of requirements.txt. Each pair gets a virtual
environment in build/matrix, which is kept. Without --all the tests of TESTS are run: those that use each library, and
the whole workshop. --only takes one pair. Prints a table and below each pair the tests that failed; what pytest said
stands in build/matrix/PAIR.log. Exits with 1 where a test failed or no Python was found.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "build" / "matrix"
MINORS = (11, 12, 13)
LOCKS = {"lowest": "requirements-lowest.txt", "newest": "requirements.txt"}
DEVELOPMENT = "requirements-dev.txt"

# Of the tests that need a window, those in which a library of ours is at work.
TESTS = (
    "tests/core",  # numpy, msgspec, simpleeval, openpyxl
    "tests/test_architecture.py",
    "tests/test_command_line.py",
    "tests/test_export_command.py",
    "tests/gui/test_exports_animation.py",  # pillow
    "tests/gui/test_exports_slides.py",  # python-pptx
    "tests/gui/test_files_open.py",
    "tests/gui/test_heatmaps_panel.py",  # pyqtgraph
    "tests/gui/test_heatmaps_panes.py",
    "tests/gui/test_import_dialog.py",
    "tests/gui/test_labs_window.py",
    "tests/gui/test_main_window.py",  # Qt
    "tests/gui/test_preferences.py",
    "tests/gui/test_render.py",
    "tests/gui/test_session.py",
    "tests/gui/test_stage_picture.py",  # ziamath
    "tests/gui/test_stage_view.py",
    "tests/gui/test_starting.py",  # how PySide imports
    "tests/gui/test_tables_clipboard.py",
    "tests/gui/test_theme.py",
)
# Compare the installed libraries with requirements.txt, or build with the tools of one environment.
PINNED = ("tests/test_notices.py", "tests/test_packaging.py")


@dataclass(frozen=True)
class Outcome:
    """How one pair went: the last line of pytest, whether it passed, its seconds, and what failed, a line each."""

    name: str
    told: str
    passed: bool
    seconds: float
    failures: tuple[str, ...]

    def __str__(self) -> str:
        verdict = "passed" if self.passed else "FAILED"
        return "\n  ".join(
            (f"{self.name:12} {verdict} {self.seconds:6.0f} s  {self.told}", *self.failures)
        )


def pythons() -> dict[str, str]:
    """The interpreters on the PATH and in pyenv, by version such as "3.12"; one for each."""
    found = {}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in MINORS:
        version = f"3.{minor}"
        candidates = [
            shutil.which(f"python{version}"),
            *map(str, sorted(pyenv.glob(f"{version}.*/bin/python"))),
        ]
        works = (path for path in candidates if path is not None and is_python(path, version))
        if (path := next(works, None)) is not None:
            found[version] = path
    return found


def is_python(path: str, version: str) -> bool:
    """Whether it starts, is of that version, and can make virtual environments."""
    script = "import ensurepip, sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([path, "-c", script], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def environment(python: str, name: str, lock: str) -> Path:
    """The interpreter of a virtual environment with what *lock* pins, made anew where a lock has changed."""
    folder = PLACE / name
    inner = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    stamp = folder / "installed"
    locks = [ROOT / lock, ROOT / DEVELOPMENT]
    if not stamp.exists() or stamp.stat().st_mtime < max(path.stat().st_mtime for path in locks):
        subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
        options = [
            "--quiet",
            "--disable-pip-version-check",
            "--require-hashes",
            "--only-binary",
            ":all:",
        ]
        wanted = [argument for path in locks for argument in ("-r", str(path))]
        subprocess.run([str(inner), "-m", "pip", "install", *options, *wanted], check=True)
        stamp.touch()
    return inner


def run_tests(name: str, python: Path, arguments: list[str]) -> Outcome:
    """Run pytest; what it says goes into a file beside the environment."""
    log = PLACE / f"{name}.log"
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    began = time.monotonic()
    with log.open("wb") as output:
        status = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            stdout=output,
            stderr=output,
            check=False,
        ).returncode
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    failures = tuple(line for line in lines if line.startswith(("FAILED ", "ERROR ")))
    return Outcome(
        name, lines[-1] if lines else "", status == 0, time.monotonic() - began, failures
    )


def main(arguments: list[str]) -> int:
    more = [
        argument
        for argument in arguments
        if argument != "--all" and not argument.startswith("--only=")
    ]
    only = {
        argument.removeprefix("--only=") for argument in arguments if argument.startswith("--only=")
    }
    chosen = [f"--ignore={path}" for path in PINNED] if "--all" in arguments else list(TESTS)
    outcomes = []
    for version, python in pythons().items():
        for kind, lock in LOCKS.items():
            name = f"{version}-{kind}"
            if not only or name in only:
                outcomes.append(run_tests(name, environment(python, name, lock), [*chosen, *more]))
                print(outcomes[-1], flush=True)
    if not outcomes:
        print(
            "error: no Python from 3.11 to 3.13 was found, or none that --only names",
            file=sys.stderr,
        )
    return int(not outcomes or not all(outcome.passed for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
