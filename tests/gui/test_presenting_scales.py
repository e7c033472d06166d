"""The lecture on screens of different display scales: sizes, ink, pointer and sharp digits, on each of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from core.base.arrays import Array
from tests.gui.scales_program import INKED, SHOWN

ROOT = Path(__file__).parent.parent.parent
# The lecturer's screen and the hall's: place and size in logical pixels, and how many real ones each of them is.
PAIRS = {
    "laptop 2, projector 1": ((0, 0, 1440, 900, 2.0), (2880, 0, 1024, 768, 1.0)),
    "laptop 1, projector 2": ((0, 0, 1280, 800, 1.0), (1280, 0, 1920, 1080, 2.0)),
    "laptop 1.5, wall 3": ((0, 0, 1280, 720, 1.5), (1920, 0, 800, 600, 3.0)),
}
Screen = tuple[float, ...]
Lecture = tuple[Path, dict[str, Any], tuple[Screen, Screen]]


def screens(folder: Path, pair: tuple[Screen, Screen]) -> Path:
    """The file of screens for Qt's platform without any: sizes in real pixels, scales as dots an inch."""
    listed = [
        {
            "name": f"screen {number}",
            "x": x,
            "y": y,
            "width": round(width * scale),
            "height": round(height * scale),
            "logicalDpi": round(96 * scale),
            "logicalBaseDpi": 96,
            "dpr": 1,
        }
        for number, (x, y, width, height, scale) in enumerate(pair)
    ]
    path = folder / "screens.json"
    path.write_text(json.dumps({"screens": listed}))
    return path


@pytest.fixture(scope="module", params=PAIRS)
def lecture(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Lecture:
    """The folder of pictures, what was told, and the screens."""
    folder = tmp_path_factory.mktemp("scales")
    pair = PAIRS[request.param]
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": f"offscreen:configfile={screens(folder, pair)}",
        "ATTENTION_STEPPER_MOTION": "off",
        "ATTENTION_STEPPER_HOME": str(folder),
    }
    command = [sys.executable, "-m", "tests.gui.scales_program", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout), pair


def picture(folder: Path, name: str) -> Array:
    with Image.open(folder / f"{name}.png") as image:
        return np.asarray(image.convert("RGB")).astype(float)


def test_each_window_fills_its_screen(lecture: Lecture) -> None:
    folder, told, (own, hall) = lecture
    assert told["first"] == {"hall": list(hall), "notes": list(own)}
    assert told["swapped"] == {"hall": list(own), "notes": list(hall)}
    for name, place in (("first", hall), ("swapped", own)):
        height, width = picture(folder, name).shape[:2]
        assert (width, height) == (round(place[2] * place[4]), round(place[3] * place[4]))


def test_ink_and_dot_are_where_they_were_put_on_either_screen(lecture: Lecture) -> None:
    folder, _, (own, hall) = lecture
    for name, place in (("first", hall), ("swapped", own)):
        shown, inked, clean = (
            picture(folder, f"{name}{what}") for what in ("", "-inked", "-clean")
        )
        rows, columns = np.nonzero(np.abs(inked - clean).max(axis=2) > 40)
        height, width = clean.shape[:2]
        aspect = (hall[2] / hall[3]) / (
            width / height
        )  # strokes keep their shape: from the middle, in heights
        xs = [0.5 + (x - 0.5) * aspect for x, _ in INKED]
        nib = 0.0055 * height / 2 + 2
        assert columns.min() == pytest.approx(xs[0] * width, abs=nib + 2)
        assert columns.max() == pytest.approx(xs[-1] * width, abs=nib + 2)
        assert rows.min() == pytest.approx(INKED[0][1] * height, abs=nib + 2)
        assert rows.max() == pytest.approx(INKED[1][1] * height, abs=nib + 2)
        dot = np.argwhere((shown - inked)[..., 0] - (shown - inked)[..., 1] > 120)
        middle = dot.mean(axis=0)
        assert middle == pytest.approx([SHOWN[1] * height, SHOWN[0] * width], abs=place[4] + 1)


def sharpness(image: Array) -> float:
    """How abruptly neighbouring pixels change, as a part of how much they change: less in what was enlarged."""
    grey = image.mean(axis=2)[len(image) // 2 :]  # the stage view with its digits
    return float(np.abs(np.diff(grey, 2)).mean() / np.abs(np.diff(grey)).mean())


def test_digits_have_every_pixel_of_the_screen(lecture: Lecture) -> None:
    """What is grabbed is as sharp as what is painted at the real size, and was not painted smaller and enlarged."""
    folder, _, (own, hall) = lecture
    for name, place in (("first", hall), ("swapped", own)):
        clean, painted = picture(folder, f"{name}-clean"), picture(folder, f"{name}-painted")
        assert sharpness(clean) == pytest.approx(sharpness(painted), rel=0.05)
        if place[4] > 1:
            small = Image.fromarray(painted.astype(np.uint8)).resize((int(place[2]), int(place[3])))
            enlarged = np.asarray(small.resize((clean.shape[1], clean.shape[0]))).astype(float)
            assert sharpness(enlarged) < sharpness(painted) * 0.85
