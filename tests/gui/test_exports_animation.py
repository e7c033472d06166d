"""GIF, WebP and video of the steps, read by Pillow and by ffmpeg."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from core.cursor import Grain
from core.examples import load_example
from core.problems import Problem
from gui.exports import animation
from gui.exports.animation import END, HOLD
from gui.exports.options import Options, film_size
from gui.exports.registry import export_shown

SMALL = Options(size=(640, 400))


def frame_count(film: Image.Image) -> int:
    """Pillow's readers know it, its types do not."""
    return int(getattr(film, "n_frames", 1))


def frames(path: Path) -> tuple[list[int], list[bytes]]:
    """The duration and the pixels of each frame."""
    times, pixels = [], []
    with Image.open(path) as film:
        for index in range(frame_count(film)):
            film.seek(index)
            film.load()
            times.append(int(film.info["duration"]))
            pixels.append(film.convert("RGB").tobytes())
    return times, pixels


@pytest.mark.parametrize("name", ["gif", "webp"])
@pytest.mark.parametrize(
    ("grain", "first", "last", "speed"),
    [(Grain.STAGE, 1, 9, 1.0), (Grain.ROW, 5, 11, 2.0), (Grain.CELL, 12, 17, 0.5), (Grain.STAGE, 4, 4, 1.0)],
)
def test_a_frame_a_step(
    tmp_path: Path, qapp: object, name: str, grain: Grain, first: int, last: int, speed: float
) -> None:
    out = tmp_path / f"a.{name}"
    options = replace(SMALL, grain=grain, first=first, last=last, speed=speed)
    export_shown(load_example("cat-eats-fish"), name, out, options)
    steps = last - first + 1
    hold = round(HOLD[grain] / speed)
    if steps > 1:
        times, pixels = frames(out)
        assert times == [hold] * (steps - 1) + [hold * END]
        assert len(set(pixels)) == steps, "each step looks different"
    with Image.open(out) as film:
        assert frame_count(film) == steps
        assert film.size == (640, 400)
        if steps > 1:
            assert film.info["loop"] == 0


def test_webp_frames_are_the_pictures_to_the_pixel(tmp_path: Path, qapp: object) -> None:
    document = load_example("four-words-causal")
    export_shown(document, "webp", tmp_path / "a.webp", replace(SMALL, first=2, last=3))
    _, pixels = frames(tmp_path / "a.webp")
    from gui.exports.pictures import image
    from gui.exports.steps import states

    for state, own in zip(states(document, replace(SMALL, first=2, last=3)), pixels, strict=True):
        assert animation.as_pillow(image(state, SMALL)).tobytes() == own


def test_size_in_pixels(tmp_path: Path, qapp: object) -> None:
    size, scale = film_size((960, 540))
    export_shown(load_example("cat-eats-fish"), "gif", tmp_path / "a.gif", Options(size=size, scale=scale, last=2))
    with Image.open(tmp_path / "a.gif") as film:
        assert film.size == (960, 540)


def test_a_webp_that_needs_too_much_memory_is_refused(tmp_path: Path, qapp: object) -> None:
    with pytest.raises(Problem) as caught:
        export_shown(load_example("cat-eats-fish"), "webp", tmp_path / "a.webp", Options(grain=Grain.CELL, scale=8.0))
    assert caught.value.code == "export.too_many"
    assert list(tmp_path.iterdir()) == []


def test_without_the_extra_video_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Problem) as caught:
        export_shown(load_example("cat-eats-fish"), "mp4", tmp_path / "a.mp4", SMALL)
    assert caught.value.code == "export.no_video"
    assert caught.value.data["name"] == "attention-stepper[video]"


@pytest.mark.skipif(importlib.util.find_spec("imageio_ffmpeg") is None, reason="the extra “video” is not installed")
def test_video(tmp_path: Path, qapp: object) -> None:
    from imageio_ffmpeg import count_frames_and_secs, read_frames

    out = tmp_path / "a.mp4"
    export_shown(load_example("cat-eats-fish"), "mp4", out, replace(SMALL, last=3, speed=4.0, size=(401, 301)))
    count, seconds = count_frames_and_secs(str(out))
    assert count == 6 + 6 + 12
    assert seconds == pytest.approx(2.4, abs=0.11)
    reader = read_frames(str(out))
    assert next(reader)["size"] == (400, 300)
    reader.close()
