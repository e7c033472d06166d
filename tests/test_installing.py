"""`pip install .` gives the command `attention-stepper`; wheel and sdist hold all that it needs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from core import __version__
from core.base.files import resource
from tools import bundle_contents

ROOT = Path(__file__).resolve().parent.parent
NAME = f"attention_stepper-{__version__}"
BUILD = "import sys; from setuptools import build_meta; build_meta.build_{}(sys.argv[1])"
SCRIPTS = Path("Scripts" if os.name == "nt" else "bin")


def call(*command: str | Path, cwd: Path) -> str:
    """The output of a command that must succeed, without this tree on its path."""
    environment = {
        key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "LC_ALL"}
    }
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env={**environment, "LANG": "C.UTF-8"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout.decode("utf-8")


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of what git would hold, so that nothing is left in this tree."""
    copy, out = tmp_path_factory.mktemp("tree") / "copy", tmp_path_factory.mktemp("sdist")
    shutil.copytree(
        ROOT,
        copy,
        ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info"),
    )
    call(sys.executable, "-c", BUILD.format("sdist"), out, cwd=copy)
    return out / f"{NAME}.tar.gz"


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the unpacked sdist, and so from nothing that the sdist lacks."""
    unpacked, out = tmp_path_factory.mktemp("unpacked"), tmp_path_factory.mktemp("wheel")
    with tarfile.open(sdist) as archive:
        if hasattr(tarfile, "data_filter"):  # from Python 3.11.4 on
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(unpacked)
    call(sys.executable, "-c", BUILD.format("wheel"), out, cwd=unpacked / NAME)
    return out / f"{NAME}-py3-none-any.whl"


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel alone; the libraries are those that run these tests."""
    folder = tmp_path_factory.mktemp("fresh") / "venv"
    venv.create(folder, with_pip=True)
    python = folder / SCRIPTS / "python"
    options = ("--quiet", "--no-deps", "--no-index", "--disable-pip-version-check")
    call(python, "-m", "pip", "install", *options, wheel, cwd=folder)
    site = Path(
        call(
            python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder
        ).strip()
    )
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return folder


def test_the_wheel_holds_every_shipped_file_and_module(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    shipped = {
        f"{folder}/{Path(path).name}"
        for path, folder in bundle_contents.resources()
        if folder != "."
    }
    assert len(shipped) > 100
    assert shipped <= names
    modules = {
        f"{path.relative_to(ROOT).as_posix()}"
        for room in ("core", "gui")
        for path in (ROOT / room).rglob("*.py")
    }
    assert modules | {"main.py"} <= names
    assert {
        f"{NAME}.dist-info/licenses/{path}" for path in ("LICENSE", "docs/guide/notices.md")
    } <= names
    assert {name.split("/")[0] for name in names} == {
        "core",
        "gui",
        "resources",
        "main.py",
        f"{NAME}.dist-info",
    }


def test_the_installed_command_runs_elsewhere(installed: Path, tmp_path: Path) -> None:
    command = installed / SCRIPTS / "attention-stepper"
    listed = call(command, "examples", "--language", "zh_CN", cwd=tmp_path)
    assert len(listed.splitlines()) == len(list(resource("examples").glob("*.attn.json")))
    assert "小猫吃鱼" in listed
    call(command, "trace", "--example", "cat-eats-fish", "-o", "out.npz", cwd=tmp_path)
    call(command, "render", "--lab", "patches", "-o", "图.png", "--size", "640x400", cwd=tmp_path)
    assert (tmp_path / "out.npz").exists()
    assert (tmp_path / "图.png").read_bytes().startswith(b"\x89PNG")


def test_it_runs_from_where_it_was_installed(installed: Path, tmp_path: Path) -> None:
    where = (
        "import core.base.files, main; print(core.base.files.__file__, main.__file__, sep='\\n')"
    )
    for path in call(installed / SCRIPTS / "python", "-c", where, cwd=tmp_path).splitlines():
        assert Path(path).is_relative_to(installed)
