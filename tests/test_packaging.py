"""What `make venv` installs: pinned, with hashes, from nowhere in particular; what it says where something lacks."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tools import system_needs

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ["requirements.txt", "requirements-dev.txt", "requirements-lowest.txt"]
TARGETS = ["venv", "run", "test", "check", "bench", "soak", "bundle", "guide", "test-matrix"]


def locked(name: str) -> list[str]:
    """Return the pins of a lock without their hashes."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return [line.rstrip(" \\") for line in text.splitlines() if line[:1] not in ("", " ", "#")]


def pins(name: str) -> dict[str, tuple[Requirement, int]]:
    """Return the last pin of each package in a lock, with the number of its hashes."""
    found: dict[str, tuple[Requirement, int]] = {}
    for entry in (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        if entry.strip() and not entry.startswith("#"):
            line, *hashes = entry.split("--hash=sha256:")
            requirement = Requirement(line)
            found[canonicalize_name(requirement.name)] = (requirement, len(hashes))
    return found


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_is_exact_and_hashed(name: str) -> None:
    for requirement, hashes in pins(name).values():
        assert [part.operator for part in requirement.specifier] == ["=="], requirement
        assert hashes >= 1, requirement


@pytest.mark.parametrize("name", LOCKS)
def test_locks_name_no_address(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert "index" not in text


def test_what_pyproject_asks_for_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = {"requirements.txt": project["project"]["dependencies"]}
    wanted["requirements-dev.txt"] = project["dependency-groups"]["dev"]
    for name, requirements in wanted.items():
        pinned = pins(name)
        for requirement in map(Requirement, requirements):
            exact, _ = pinned[canonicalize_name(requirement.name)]
            (version,) = (part.version for part in exact.specifier)
            assert requirement.specifier.contains(version), f"{name}: {exact} but {requirement}"


def test_the_lowest_versions_are_those_that_pyproject_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lowest = {
        canonicalize_name(one.name): one
        for one in map(Requirement, locked("requirements-lowest.txt"))
    }
    for requirement in map(Requirement, project["dependencies"]):
        if requirement.marker is None:
            (low,) = (part.version for part in requirement.specifier if part.operator == ">=")
            (pinned,) = (
                part.version for part in lowest[canonicalize_name(requirement.name)].specifier
            )
            assert Version(pinned) == Version(low)


def test_qt_is_one_that_keeps_references_to_none() -> None:
    requirement, _ = pins("requirements.txt")["pyside6-essentials"]
    (version,) = (tuple(map(int, part.version.split("."))) for part in requirement.specifier)
    assert (6, 9) <= version < (6, 12)


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    outer = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}  # of the make that may be running these tests
    environment = {key: value for key, value in os.environ.items() if key not in outer}
    command = ["make", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_make_lists_its_commands() -> None:
    listed = [line.split()[1] for line in make().stdout.splitlines()]
    assert set(TARGETS) <= set(listed)


@pytest.mark.parametrize("target", TARGETS)
def test_every_command_is_well_formed(target: str) -> None:
    done = make("--dry-run", target)
    assert done.returncode == 0, done.stderr


def test_one_command_installs_what_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    missing = {
        "libEGL.so.1": "libegl1",
        "libgthread-2.0.so.0": "libglib2.0-0",
        "libglib-2.0.so.0": "libglib2.0-0",
    }
    system_needs.report(missing, 0)
    told = capsys.readouterr().err
    assert told.startswith(
        "error: this system lacks libEGL.so.1, libglib-2.0.so.0, libgthread-2.0.so.0\n"
    )
    assert "sudo apt-get update && sudo apt-get install --yes libegl1 libglib2.0-0\n" in told


def test_an_absent_library_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(
        system_needs, "LIBRARIES", {"libnowhere.so.7": ("libnowhere7", "nowhere", "nowhere-libs")}
    )
    assert system_needs.missing_for_running(0)["libnowhere.so.7"] == "libnowhere7"
    assert system_needs.missing_for_running(2)["libnowhere.so.7"] == "nowhere-libs"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries of Linux alone")
@pytest.mark.parametrize("plugin", ["libqxcb.so", "libqoffscreen.so"])
def test_the_list_of_libraries_is_complete(plugin: str) -> None:
    (path,) = (
        file for file in distribution("PySide6-Essentials").files or [] if file.name == plugin
    )
    linked = subprocess.run(
        ["ldd", str(path.locate())], capture_output=True, text=True, check=True
    ).stdout
    assert "libxkbcommon.so.0 => /" in linked
    assert [line for line in linked.splitlines() if "not found" in line] == []
