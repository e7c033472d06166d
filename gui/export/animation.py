"""Animations of steps or scenes: GIF and WebP by Pillow, MP4 with the extra "video"."""

from __future__ import annotations

import importlib.util
import io
import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from PySide6.QtGui import QImage

from core.base.errors import UserError
from core.base.files import read_bytes, write_bytes
from core.explain.timeline import Grain
from gui.export.options import ExportOptions, Progress, Subject, report_progress
from gui.export.paint_devices import need_application
from gui.export.pictures import image, pixels
from gui.export.states import SceneSteps, states
from gui.session.playback import REST_MS, motion_ms
from gui.session.state import State
from gui.texts.translation import spoken
from gui.views.diagram.motion import motion_between
from gui.views.diagram.scene import layout_of

# Milliseconds of a step at speed 1. The last step of a loop takes longer, and so does the first one
# of
# a scene, whose texts have to be read.
STILL_TIMES = {Grain.STAGE: 2400, Grain.ROW: 1300, Grain.CELL: 700}
SCENE_TIME = 5000
LAST_FACTOR = 2


@dataclass(frozen=True, slots=True, eq=False)
class FilmFrame:
    """One frame of an animation: a state and its duration in milliseconds.

    While a step is animated, `previous` is the state it starts from and `progress` how far it has
    come (0 to 1).
    """

    state: State
    duration: int
    previous: State | None = None
    progress: float = 1.0


def film_frames(shown: list[State], options: ExportOptions) -> list[FilmFrame]:
    """The frames of some states: each state at rest, and before it the frames of its motion."""
    made: list[FilmFrame] = []
    for index, state in enumerate(shown):
        grain = moving_grain(shown[index - 1], state, options) if index else None
        if grain is not None:
            made += _motion_frames(shown[index - 1], state, options, grain)
        last = LAST_FACTOR if index == len(shown) - 1 else 1
        made.append(FilmFrame(state, _still_time(state, options, grain) * last))
    return made


def moving_grain(before: State, state: State, options: ExportOptions) -> Grain | None:
    """The grain of the step that leads to a state; None if no motion is wanted or visible."""
    parts = options.parts if state.scene is None else state.view
    if not options.motion or "diagram" not in parts:
        return None
    motion = motion_between(before, state, layout_of(state, options.size))
    return None if motion is None else motion.grain


def _motion_frames(
    before: State, state: State, options: ExportOptions, grain: Grain
) -> Iterator[FilmFrame]:
    time = frame_time(options)
    count = max(1, round(motion_ms(grain, options.speed) / time))
    for number in range(count):
        yield FilmFrame(state, time, before, number / count)


def _still_time(state: State, options: ExportOptions, grain: Grain | None) -> int:
    """Duration of a state at rest in milliseconds: whole hundredths of a second, as GIF counts."""
    if state.scene is not None and state.steps_taken == 0:
        time = SCENE_TIME
    else:
        own = (
            options.grain
            if state.scene is None or state.scene.scene.steps is None
            else state.scene.scene.steps.grain
        )
        time = REST_MS[own] if grain is not None else STILL_TIMES[own]
    return max(20, round(time / options.speed / 10) * 10)


def frame_time(options: ExportOptions) -> int:
    """Duration of a frame of motion in milliseconds, a whole number of hundredths of a second."""
    return max(20, round(100 / options.frames) * 10)


FRAME_RATE = 10  # a second of video in which nothing moves; its times are a whole number of frames
MOST_PIXELS = 600_000_000  # of all frames that have to be held at once


def write_gif(subject: Subject, out_path: Path, options: ExportOptions, progress: Progress) -> None:
    """Write an endless GIF; each frame has its own palette."""
    film = _shots(subject, options)
    _require_room(film, options)
    frames = (  # flat areas stay flat
        frame.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        for frame in _frames(film, options, progress)
    )
    _save(out_path, next(frames), frames, film, format="GIF", optimize=False, disposal=1)


def write_webp(
    subject: Subject, out_path: Path, options: ExportOptions, progress: Progress
) -> None:
    """Write an endless lossless WebP."""
    film = _shots(subject, options)
    _require_room(film, options)
    frames = _frames(film, options, progress)
    _save(
        out_path,
        next(frames),
        list(frames),
        film,
        format="WEBP",
        lossless=True,
        quality=60,
        method=4,
    )


def write_mp4(subject: Subject, out_path: Path, options: ExportOptions, progress: Progress) -> None:
    """Write a video. Raises UserError "export.no_video" if the extra "video" is not installed."""
    if importlib.util.find_spec("imageio_ffmpeg") is None:
        raise UserError("export.no_video", name="attention-stepper[video]")
    from imageio_ffmpeg import write_frames  # type: ignore[import-untyped,unused-ignore]

    film = _shots(subject, options)
    rate = 1000 / frame_time(options) if options.motion else FRAME_RATE
    width, height = (side // 2 * 2 for side in pixels(options))  # the codec wants even sides
    with tempfile.TemporaryDirectory() as folder:
        beside = Path(folder) / "video.mp4"
        writer = write_frames(
            str(beside),
            (width, height),
            fps=rate,
            codec="libx264",
            quality=8,
            macro_block_size=2,
        )
        writer.send(None)
        try:
            for frame, shot in zip(_frames(film, options, progress), film, strict=True):
                data = frame.crop((0, 0, width, height)).tobytes()
                for _ in range(max(1, round(shot.duration * rate / 1000))):
                    writer.send(data)
        finally:
            writer.close()
        write_bytes(out_path, read_bytes(beside))


def _shots(subject: Subject, options: ExportOptions) -> list[FilmFrame]:
    need_application()
    with spoken(
        options.language, options.preferences.labels
    ):  # what moves is laid out in words, too
        return film_frames(states(subject, options, SceneSteps.EVERY), options)


def _require_room(film: list[FilmFrame], options: ExportOptions) -> None:
    each = math.prod(pixels(options))
    if each * len(film) > MOST_PIXELS:
        code = "export.too_many_frames" if options.motion else "export.too_many"
        raise UserError(code, actual=len(film), limit=max(1, MOST_PIXELS // each))


def _frames(
    film: list[FilmFrame], options: ExportOptions, progress: Progress
) -> Iterator[Image.Image]:
    """Paint the frames one by one as Pillow images."""
    for index, shot in enumerate(film):
        report_progress(progress, index / len(film))
        with spoken(options.language, options.preferences.labels):
            picture = image(
                shot.state,
                options,
                None if shot.previous is None else (shot.previous, shot.progress),
            )
        yield as_pillow(picture)
    report_progress(progress, 1.0)


def as_pillow(picture: QImage) -> Image.Image:
    """Convert an RGB image to Pillow."""
    size, line = (picture.width(), picture.height()), picture.bytesPerLine()
    return Image.frombytes("RGB", size, bytes(picture.constBits()), "raw", "RGB", line)


def _save(
    out_path: Path, first: Image.Image, rest: Any, film: list[FilmFrame], **how: object
) -> None:
    data = io.BytesIO()
    times = [shot.duration for shot in film]
    first.save(data, save_all=True, append_images=rest, duration=times, loop=0, **how)  # type: ignore[arg-type]
    write_bytes(out_path, data.getvalue())
