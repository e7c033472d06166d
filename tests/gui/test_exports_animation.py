"""GIF, WebP and video of the steps, read by Pillow and by ffmpeg."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from core.base.errors import UserError
from core.base.number_format import show
from core.compute.trace import run
from core.explain.timeline import Grain, Reach
from core.lesson.lesson import ExampleSource, Lesson, LessonScene, LessonSteps
from core.storage.examples import load_example
from gui.export import animation
from gui.export.animation import LAST_FACTOR, STILL_TIMES, film_frames
from gui.export.options import ExportOptions, film_size
from gui.export.paint_devices import PICTURE_WRITERS
from gui.export.pictures import image, painting
from gui.export.registry import export_shown
from gui.export.states import SceneSteps, states
from gui.session.playback import MOTION_MS, REST_MS
from gui.session.state import State
from tests.gui.film_kit import frame_count, frames

SMALL = ExportOptions(size=(640, 400))


@pytest.mark.parametrize("name", ["gif", "webp"])
@pytest.mark.parametrize(
    ("grain", "first", "last", "speed"),
    [
        (Grain.STAGE, 1, 9, 1.0),
        (Grain.ROW, 5, 11, 2.0),
        (Grain.CELL, 12, 17, 0.5),
        (Grain.STAGE, 4, 4, 1.0),
    ],
)
def test_a_frame_a_step(
    tmp_path: Path, qapp: object, name: str, grain: Grain, first: int, last: int, speed: float
) -> None:
    out = tmp_path / f"a.{name}"
    options = replace(SMALL, grain=grain, first=first, last=last, speed=speed)
    export_shown(load_example("cat-eats-fish"), name, out, options)
    steps = last - first + 1
    hold = round(STILL_TIMES[grain] / speed)
    if steps > 1:
        times, pixels = frames(out)
        assert times == [hold] * (steps - 1) + [hold * LAST_FACTOR]
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
    for state, own in zip(states(document, replace(SMALL, first=2, last=3)), pixels, strict=True):
        assert animation.as_pillow(image(state, SMALL)).tobytes() == own


def test_size_in_pixels(tmp_path: Path, qapp: object) -> None:
    size, scale = film_size((960, 540))
    export_shown(
        load_example("cat-eats-fish"),
        "gif",
        tmp_path / "a.gif",
        ExportOptions(size=size, scale=scale, last=2),
    )
    with Image.open(tmp_path / "a.gif") as film:
        assert film.size == (960, 540)


def test_a_webp_that_needs_too_much_memory_is_refused(tmp_path: Path, qapp: object) -> None:
    with pytest.raises(UserError) as caught:
        export_shown(
            load_example("cat-eats-fish"),
            "webp",
            tmp_path / "a.webp",
            ExportOptions(grain=Grain.CELL, scale=8.0),
        )
    assert caught.value.code == "export.too_many"
    assert list(tmp_path.iterdir()) == []


def test_without_the_extra_video_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError) as caught:
        export_shown(load_example("cat-eats-fish"), "mp4", tmp_path / "a.mp4", SMALL)
    assert caught.value.code == "export.no_video"
    assert caught.value.data["name"] == "attention-stepper[video]"


# How a step comes about


MOVING = replace(SMALL, motion=True, frames=10.0, speed=2.0)


@pytest.mark.parametrize("name", ["gif", "webp"])
@pytest.mark.parametrize(
    ("grain", "first", "last", "rate"), [(Grain.ROW, 4, 6, 10.0), (Grain.STAGE, 4, 5, 20.0)]
)
def test_motion_fills_the_time_between_steps(
    tmp_path: Path, qapp: object, name: str, grain: Grain, first: int, last: int, rate: float
) -> None:
    out = tmp_path / f"a.{name}"
    options = replace(MOVING, grain=grain, first=first, last=last, frames=rate)
    export_shown(load_example("cat-eats-fish"), name, out, options)
    times, pixels = frames(out)
    each, rest = round(1000 / rate), REST_MS[grain] // 2
    count = MOTION_MS[grain] // 2 // each
    moves = [*[each] * count, rest] * (last - first)
    assert times == [STILL_TIMES[grain] // 2, *moves[:-1], rest * LAST_FACTOR]
    assert all(one != other for one, other in pairwise(pixels)), "no frame stands still"


def test_a_frame_on_the_way_shows_numbers_of_the_trace(qapp: object) -> None:
    document = load_example("cat-eats-fish")
    options = replace(
        MOVING, size=(1280, 720), parts=("diagram",), grain=Grain.ROW, first=4, last=5
    )
    before, after = states(document, options)
    early = film_frames([before, after], options)[2]
    assert (early.state, early.previous) == (after, before)
    assert early.progress == pytest.approx(1 / 6)
    moved = before, early.progress
    query, keys = run(document).matrix("Q", 0)[1], run(document).matrix("K", 0)
    carried = [show(float(value), 2) for value in (*query, *keys.flat)]
    assert numbers(after, options, moved) - numbers(before, options, None) == Counter(carried)
    assert numbers(before, options, None) - numbers(after, options, moved) == Counter()
    pictures = [bytes(image(after, options, each).constBits()) for each in (moved, None)]
    assert len({*pictures, bytes(image(before, options).constBits())}) == 3, "unlike its neighbours"


def numbers(
    state: State, options: ExportOptions, moved: tuple[State, float] | None
) -> Counter[str]:
    """The numbers that are drawn, as a drawing with texts tells them."""
    drawing = PICTURE_WRITERS[".svg"](painting(state, options, moved), options.size, "").decode()
    return Counter(re.findall(r">\s*(−?\d+\.\d\d)\s*<", drawing))


def test_what_does_not_move_has_no_frames_for_it(qapp: object) -> None:
    document = load_example("cat-eats-fish")
    every = states(document, MOVING)
    film = film_frames(every, MOVING)
    assert (
        next(shot.state.cursor.stage for shot in film if shot.previous is not None) == "scores"
    ), "Q, K, V are entered"
    assert all(
        shot.previous is None for shot in film_frames(every, replace(MOVING, parts=("stage",)))
    )
    assert len(film_frames(every, replace(MOVING, motion=False))) == len(every)
    starts = [
        shot.progress
        for shot in film
        if shot.previous is not None and shot.state.cursor.stage == "weights"
    ]
    assert starts == [pytest.approx(i / 9) for i in range(9)]


def test_motion_leads_through_the_steps_of_a_scene(qapp: object) -> None:
    scene = LessonScene(
        ExampleSource("cat-eats-fish"),
        stage="scores",
        reach=Reach.CELL,
        steps=LessonSteps(Grain.CELL, 2),
        view=("diagram",),
    )
    lesson = Lesson((scene, replace(scene, source=None, view=("stage",), row=1)))
    film = film_frames(states(lesson, MOVING, SceneSteps.EVERY), MOVING)
    moving = [
        (shot.state.scene_index, shot.state.steps_taken)
        for shot in film
        if shot.previous is not None
    ]
    assert moving == [(0, 1)] * 4 + [(0, 2)] * 4


@pytest.mark.parametrize("name", ["gif", "webp"])
def test_films_with_motion_are_the_same_bytes_each_time(
    tmp_path: Path, qapp: object, name: str
) -> None:
    options = replace(MOVING, first=4, last=6, speed=4.0)
    for out in ("one", "two"):
        export_shown(load_example("four-words-causal"), name, tmp_path / out, options)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.skipif(
    importlib.util.find_spec("imageio_ffmpeg") is None, reason="the extra “video” is not installed"
)
def test_videos_are_the_same_bytes_each_time(tmp_path: Path, qapp: object) -> None:
    for out in ("one.mp4", "two.mp4"):
        export_shown(
            load_example("cat-eats-fish"), "mp4", tmp_path / out, replace(MOVING, first=4, last=5)
        )
    assert (tmp_path / "one.mp4").read_bytes() == (tmp_path / "two.mp4").read_bytes()


def test_a_film_with_motion_can_be_stopped(tmp_path: Path, qapp: object) -> None:
    heard: list[float] = []

    def progress(fraction: float) -> bool:
        heard.append(fraction)
        return len(heard) < 12

    assert not export_shown(
        load_example("cat-eats-fish"), "gif", tmp_path / "a.gif", MOVING, progress
    )
    assert len(heard) == 12
    assert 0.0 < heard[-1] < 0.3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["gif", "webp"])
def test_too_many_frames_are_refused_before_they_are_made(
    tmp_path: Path, qapp: object, name: str
) -> None:
    options = replace(MOVING, grain=Grain.CELL, scale=4.0, size=(1280, 720))
    with pytest.raises(UserError) as caught:
        export_shown(load_example("cat-eats-fish"), name, tmp_path / "a", options)
    assert caught.value.code == "export.too_many_frames"


@pytest.mark.skipif(
    importlib.util.find_spec("imageio_ffmpeg") is None, reason="the extra “video” is not installed"
)
def test_video(tmp_path: Path, qapp: object) -> None:
    from imageio_ffmpeg import count_frames_and_secs, read_frames

    out = tmp_path / "a.mp4"
    export_shown(
        load_example("cat-eats-fish"),
        "mp4",
        out,
        replace(SMALL, last=3, speed=4.0, size=(401, 301)),
    )
    count, seconds = count_frames_and_secs(str(out))
    assert count == 6 + 6 + 12
    assert seconds == pytest.approx(2.4, abs=0.11)
    reader = read_frames(str(out))
    assert next(reader)["size"] == (400, 300)
    reader.close()


@pytest.mark.skipif(
    importlib.util.find_spec("imageio_ffmpeg") is None, reason="the extra “video” is not installed"
)
def test_video_with_motion(tmp_path: Path, qapp: object) -> None:
    from imageio_ffmpeg import count_frames_and_secs

    out = tmp_path / "a.mp4"
    options = replace(MOVING, frames=20.0, first=4, last=5, size=(400, 300))
    export_shown(load_example("cat-eats-fish"), "mp4", out, options)
    count, seconds = count_frames_and_secs(str(out))
    assert count == 24 + 18 + 24, (
        "1.2 s at rest, 0.9 s of motion, twice 0.6 s at the end, 20 frames a second"
    )
    assert seconds == pytest.approx(3.3, abs=0.06)
