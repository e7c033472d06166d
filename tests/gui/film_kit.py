"""Films, read by Pillow."""

from __future__ import annotations

from pathlib import Path

from PIL import Image


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
