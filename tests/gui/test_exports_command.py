"""`main.py export` with the formats of what is seen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from pptx import Presentation
from pypdf import PdfReader

from gui.cli import run_command_line
from gui.export.registry import EXPORTERS
from tests.command_kit import refused

ROOT = Path(__file__).resolve().parent.parent.parent
CAT = ("export", "--example", "cat-eats-fish")


def test_every_format_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["export", "--list", "--language", "zh_CN"]) == 0
    listed = dict(line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert set(EXPORTERS) <= set(listed)
    assert listed["html"] == "单个网页文件，可逐步计算"


def test_slides_without_a_screen(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    command = [
        sys.executable,
        str(ROOT / "main.py"),
        *CAT,
        "--format",
        "pptx",
        "-o",
        "a.pptx",
        "--steps",
        "4-6",
    ]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(Presentation(str(tmp_path / "a.pptx")).slides) == 1 + 3


def test_a_film_as_asked_for(tmp_path: Path, qapp: object) -> None:
    out = tmp_path / "a.gif"
    wishes = (
        "--grain",
        "cell",
        "--steps",
        "4-8",
        "--size",
        "640x360",
        "--speed",
        "2",
        "--show",
        "stage",
    )
    assert run_command_line([*CAT, "--format", "gif", "-o", str(out), *wishes]) == 0
    with Image.open(out) as film:
        assert getattr(film, "n_frames", 1) == 5
        assert film.size == (640, 360)
        assert film.info["duration"] == 350


def test_a_picture_of_a_stage(tmp_path: Path, qapp: object) -> None:
    wishes = (
        "--stage",
        "weights",
        "--language",
        "zh_CN",
        "--decimals",
        "3",
        "--columns",
        "--theme",
        "dark",
    )
    assert run_command_line([*CAT, "--format", "pdf", "-o", str(tmp_path / "a.pdf"), *wishes]) == 0
    text = PdfReader(tmp_path / "a.pdf").pages[0].extract_text()
    assert "0.392" in text
    assert "注意力权重" in "".join(text.split()), (
        "in the worked sum, between whose words the file puts tabs"
    )
    larger = ("--size", "800x450", "--scale", "3")
    assert run_command_line([*CAT, "--format", "png", "-o", str(tmp_path / "a.png"), *larger]) == 0
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.size == (2400, 1350)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gif", "-o", "a.png"), "a.png must end in .gif, which decides what is written."),
        (("html", "-o", "a.html", "--steps", "1-2"), "--steps cannot be used with --format html"),
        (("svg", "-o", "a.svg", "--scale", "2"), "--scale cannot be used with --format svg"),
        (("png", "-o", "a.png", "--seed", "3"), "--seed is only for --format worksheet"),
        (
            ("png", "-o", "a.png", "--language", "both"),
            "--language both is only for --format worksheet",
        ),
        (("xlsx", "-o", "a.xlsx", "--grain", "row"), "--grain cannot be used with --format xlsx"),
        (
            ("gif", "-o", "a.gif", "--steps", "8-10"),
            "There are no steps 8-10; steps are numbered from 1 to 9.",
        ),
        (
            ("gif", "-o", "a.gif", "--steps", "8"),
            "argument --steps: 8 is not a range of steps such as 3-9",
        ),
        (
            ("gif", "-o", "a.gif", "--speed", "9"),
            "argument --speed: 9 is not a number from 0.25 to 8",
        ),
        (("png", "-o", "a.png", "--stage", "masked"), "This experiment has no stage “masked”"),
        (("bmp", "-o", "a.bmp"), "There is no format “bmp”"),
    ],
)
def test_what_does_not_fit_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    qapp: object,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused(capsys, *CAT, "--format", *arguments).startswith(said)
    assert list(tmp_path.iterdir()) == []
