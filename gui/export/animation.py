"""Steps as moving pictures: GIF and WebP by Pillow, MP4 where the extra "video" is installed."""

from __future__ import annotations

import importlib.util
import io
import math
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QImage

from core.base.errors import UserError
from core.base.files import read_bytes, write_bytes
from gui.export.export_source import Subject
from gui.export.film import Shot, frame_time, shots
from gui.export.options import Options, Progress, report
from gui.export.pdf import need_application
from gui.export.pictures import image, pixels
from gui.export.scenes import Moment
from gui.export.steps import states
from gui.texts.translation import spoken

if TYPE_CHECKING:
    from PIL.Image import Image

FRAME_RATE = 10  # a second of video in which nothing moves; its times are a whole number of frames
MOST_PIXELS = 600_000_000  # of all frames that have to be held at once


def write_gif(subject: Subject, out_path: Path, options: Options, progress: Progress) -> None:
    """An endless GIF, a frame a step and those of its motion, each frame with colours of its own."""
    film = _shots(subject, options)
    _require_room(film, options)
    frames = (_indexed(frame) for frame in _frames(film, options, progress))
    _save(out_path, next(frames), frames, film, format="GIF", optimize=False, disposal=1)


def write_webp(subject: Subject, out_path: Path, options: Options, progress: Progress) -> None:
    """An endless WebP without loss, a frame a step and those of its motion."""
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


def write_mp4(subject: Subject, out_path: Path, options: Options, progress: Progress) -> None:
    """A video for players that know no other. Raises UserError "export.no_video" without the extra."""
    if importlib.util.find_spec("imageio_ffmpeg") is None:
        raise UserError("export.no_video", name="attention-stepper[video]")
    from imageio_ffmpeg import write_frames  # type: ignore[import-untyped,unused-ignore]

    film = _shots(subject, options)
    width, height = (side // 2 * 2 for side in pixels(options))  # the codec wants even sides
    with tempfile.TemporaryDirectory() as folder:
        beside = Path(folder) / "video.mp4"
        writer = write_frames(
            str(beside),
            (width, height),
            fps=_rate(options),
            codec="libx264",
            quality=8,
            macro_block_size=2,
        )
        writer.send(None)
        try:
            _film(writer, film, options, progress, (width, height))
        finally:
            writer.close()
        write_bytes(out_path, read_bytes(beside))


def _rate(options: Options) -> float:
    """Frames a second of video: as many as the motion has."""
    return 1000 / frame_time(options) if options.motion else FRAME_RATE


def _film(
    writer: Any, film: list[Shot], options: Options, progress: Progress, size: tuple[int, int]
) -> None:
    for frame, shot in zip(_frames(film, options, progress), film, strict=True):
        data = frame.crop((0, 0, size[0], size[1])).tobytes()
        for _ in range(max(1, round(shot.time * _rate(options) / 1000))):
            writer.send(data)


def _shots(subject: Subject, options: Options) -> list[Shot]:
    need_application()
    with spoken(
        options.language, options.preferences.labels
    ):  # what moves is laid out in words, too
        return shots(states(subject, options, Moment.EVERY), options)


def _require_room(film: list[Shot], options: Options) -> None:
    each = math.prod(pixels(options))
    if each * len(film) > MOST_PIXELS:
        code = "export.too_many_frames" if options.motion else "export.too_many"
        raise UserError(code, actual=len(film), limit=max(1, MOST_PIXELS // each))


def _frames(film: list[Shot], options: Options, progress: Progress) -> Iterator[Image]:
    """Each frame as an image, painted when it is asked for."""
    for index, shot in enumerate(film):
        report(progress, index / len(film))
        with spoken(options.language, options.preferences.labels):
            picture = image(
                shot.state, options, None if shot.before is None else (shot.before, shot.progress)
            )
        yield as_pillow(picture)
    report(progress, 1.0)


def as_pillow(picture: QImage) -> Image:
    """The same pixels for Pillow."""
    from PIL import Image

    size, line = (picture.width(), picture.height()), picture.bytesPerLine()
    return Image.frombytes("RGB", size, bytes(picture.constBits()), "raw", "RGB", line)


def _indexed(frame: Image) -> Image:
    """At most 256 colours, chosen for this frame; flat surfaces stay flat."""
    from PIL import Image

    return frame.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def _save(out_path: Path, first: Image, rest: Any, film: list[Shot], **how: object) -> None:
    data = io.BytesIO()
    times = [shot.time for shot in film]
    first.save(data, save_all=True, append_images=rest, duration=times, loop=0, **how)  # type: ignore[arg-type]
    write_bytes(out_path, data.getvalue())
