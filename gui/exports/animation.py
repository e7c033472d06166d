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

from core.archive_disk import read_bytes, write_bytes
from core.cursor import Grain
from core.document import Document
from core.problems import Problem
from gui.exports.options import Options, Progress, report
from gui.exports.pictures import image, pixels
from gui.exports.steps import states
from gui.language import spoken
from gui.printing import need_application
from gui.state import State

if TYPE_CHECKING:
    from PIL.Image import Image

# Milliseconds that a step stands at speed 1; the last one stands longer, so that an endless loop has an end.
HOLD = {Grain.STAGE: 2400, Grain.ROW: 1300, Grain.CELL: 700}
END = 2
FRAME_RATE = 10  # a second of video; its times are a whole number of frames
MOST_PIXELS = 600_000_000  # of all frames that have to be held at once


def durations(options: Options, steps: int) -> list[int]:
    """How long each step stands, in milliseconds: whole hundredths of a second, as GIF counts."""
    hold = max(20, round(HOLD[options.grain] / options.speed / 10) * 10)
    return [hold] * (steps - 1) + [hold * END]


def write_gif(document: Document, out_path: Path, options: Options, progress: Progress) -> None:
    """An endless GIF, a frame a step, each frame with colours of its own."""
    shown = _states(document, options)
    frames = (_indexed(frame) for frame in _frames(shown, options, progress))
    _save(out_path, next(frames), frames, shown, options, format="GIF", optimize=False, disposal=1)


def write_webp(document: Document, out_path: Path, options: Options, progress: Progress) -> None:
    """An endless WebP without loss, a frame a step."""
    shown = _states(document, options)
    _require_room(shown, options)
    frames = _frames(shown, options, progress)
    _save(out_path, next(frames), list(frames), shown, options, format="WEBP", lossless=True, quality=60, method=4)


def write_mp4(document: Document, out_path: Path, options: Options, progress: Progress) -> None:
    """A video for players that know no other. Raises Problem "export.no_video" without the extra."""
    if importlib.util.find_spec("imageio_ffmpeg") is None:
        raise Problem("export.no_video", name="attention-stepper[video]")
    from imageio_ffmpeg import write_frames  # type: ignore[import-untyped,unused-ignore]

    shown = _states(document, options)
    width, height = (side // 2 * 2 for side in pixels(options))  # the codec wants even sides
    with tempfile.TemporaryDirectory() as folder:
        beside = Path(folder) / "video.mp4"
        writer = write_frames(
            str(beside), (width, height), fps=FRAME_RATE, codec="libx264", quality=8, macro_block_size=2
        )
        writer.send(None)
        try:
            _film(writer, shown, options, progress, (width, height))
        finally:
            writer.close()
        write_bytes(out_path, read_bytes(beside))


def _film(writer: Any, shown: list[State], options: Options, progress: Progress, size: tuple[int, int]) -> None:
    times = durations(options, len(shown))
    for frame, time in zip(_frames(shown, options, progress), times, strict=True):
        data = frame.crop((0, 0, size[0], size[1])).tobytes()
        for _ in range(max(1, round(time * FRAME_RATE / 1000))):
            writer.send(data)


def _states(document: Document, options: Options) -> list[State]:
    need_application()
    return states(document, options)


def _require_room(shown: list[State], options: Options) -> None:
    each = math.prod(pixels(options))
    if each * len(shown) > MOST_PIXELS:
        raise Problem("export.too_many", actual=len(shown), limit=max(1, MOST_PIXELS // each))


def _frames(shown: list[State], options: Options, progress: Progress) -> Iterator[Image]:
    """Each state as an image, painted when it is asked for."""
    for index, state in enumerate(shown):
        report(progress, index / len(shown))
        with spoken(options.language, options.preferences.labels):
            picture = image(state, options)
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


def _save(out_path: Path, first: Image, rest: Any, shown: list[State], options: Options, **how: object) -> None:
    data = io.BytesIO()
    first.save(data, save_all=True, append_images=rest, duration=durations(options, len(shown)), loop=0, **how)  # type: ignore[arg-type]
    write_bytes(out_path, data.getvalue())
