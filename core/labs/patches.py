"""Patches: an image is a sentence of patches.

A picture is cut into square patches (Dosovitskiy et al. 2021, ViT); each becomes a token. Its
vector is small enough to read: mean color, variation of color, brightness relative to the left and
upper half, and optionally its position. Columns are standardised; q and k are the vector itself, v
is the mean color, so the output is the mean color a patch receives.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.base.files import read_bytes, resource
from core.compute.trace import run
from core.document.document import Document, Head
from core.labs.controls import ChoiceControl, Control, Opener, Slider
from core.labs.lab import Lab, Setting

if TYPE_CHECKING:
    from PIL.Image import Image

PICTURES = ("apples", "lake")
SIDES = ("32", "16", "8")  # patch sizes in pixels
LARGEST = 192  # longest side in pixels; larger pictures are scaled down
LEAST = 32  # shortest side in pixels: a patch of the largest size
MOST_ASPECT = 12  # long side to short side
MOST_PIXELS = 50_000_000
FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF")  # others may start a program, as EPS does
ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif")


@dataclass(frozen=True, slots=True, eq=False)
class Patches:
    """A picture as a sentence of n = rows × columns patches.

    `pixels` (height, width, 3) are the colours, 0 to 1; `X` (n, d) the tokens' vectors; `weights`
    (n, n) the attention; `seen` (rows, columns, 3) the output of each patch: the weighted mean of
    all patches' colours.
    """

    pixels: Array
    side: int
    rows: int
    columns: int
    X: Array
    weights: Array
    seen: Array
    patch: int

    @property
    def n(self) -> int:
        """Return the number of patches."""
        return self.rows * self.columns

    @property
    def row(self) -> Array:
        """Return the chosen patch's weights as a picture (rows, columns)."""
        row: Array = self.weights[self.patch].reshape(self.rows, self.columns)
        return row

    @property
    def strongest(self) -> int:
        """Return the other patch with the largest weight for the chosen one."""
        others = np.array(self.weights[self.patch])
        others[self.patch] = -1.0
        return int(others.argmax())

    def place(self, patch: int) -> tuple[int, int]:
        """Return row and column of a patch."""
        return divmod(patch, self.columns)


def read_picture(path: Path) -> Array:
    """Read a picture file as colours (height, width, 3), 0 to 1, turned as its camera was held.

    The longer side has at most 192 pixels, or the shorter one 32. Transparent parts lie on white.
    Raises UserError "file.unreadable" or "file.too_large" as read_bytes does, and "lab.picture"
    (path, reason): "picture.unreadable", "picture.large", "picture.small" or "picture.narrow".
    """
    from PIL import Image, ImageOps

    data = read_bytes(path)
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            reason = _unsuitable(*image.size)
            if reason is None:
                whole = _colours(ImageOps.exif_transpose(image))
                small = whole.resize(_reduced(*whole.size), reducing_gap=2.0)
                pixels = np.asarray(small, dtype=np.float64) / 255.0
    except Exception as error:  # decoders raise anything for damaged data
        raise UserError("lab.picture", path=str(path), reason="picture.unreadable") from error
    if reason is not None:
        raise UserError("lab.picture", path=str(path), reason=reason)
    return frozen(pixels)


def _unsuitable(width: int, height: int) -> str | None:
    """Why a picture of this size cannot be used; None if it can."""
    if width * height > MOST_PIXELS:
        return "picture.large"
    if min(width, height) < LEAST:
        return "picture.small"
    return "picture.narrow" if max(width, height) > MOST_ASPECT * min(width, height) else None


def _colours(image: Image) -> Image:
    """The picture as 8-bit RGB: sixteen-bit grey scaled, transparent parts on white."""
    import PIL.Image

    if image.mode.startswith(("I", "F")):
        grey = np.asarray(image, dtype=np.float64) / 257.0  # 65,535 to 255
        return PIL.Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8)).convert("RGB")
    if image.has_transparency_data:
        white = PIL.Image.new("RGBA", image.size, "white")
        white.alpha_composite(image.convert("RGBA"))
        return white.convert("RGB")
    return image.convert("RGB")


def _reduced(width: int, height: int) -> tuple[int, int]:
    """The size in pixels to which a picture is scaled down."""
    scale = min(1.0, max(LARGEST / max(width, height), LEAST / min(width, height)))
    return max(LEAST, round(width * scale)), max(LEAST, round(height * scale))


@lru_cache(maxsize=4)
def shipped(name: str) -> Array:
    """Read a shipped picture."""
    return read_picture(resource("pictures", f"{name}.png"))


def cut(pixels: Array, side: int) -> Array:
    """Cut into patches, cropping right and bottom.

    # (height, width, 3) -> (rows, columns, side, side, 3)
    """
    rows, columns = pixels.shape[0] // side, pixels.shape[1] // side
    whole = pixels[: rows * side, : columns * side]
    return whole.reshape(rows, side, columns, side, 3).swapaxes(1, 2)


def features(patches: Array, position: float) -> Array:
    """Compute patch features, with row and column times `position` if it is not 0.

    Columns are centred, and scaled to variance 1 unless constant.
    # (rows, columns, side, side, 3) -> (n, 6) or (n, 8)
    """
    rows, columns, side = patches.shape[:3]
    light = patches.mean(axis=-1)
    half = side // 2
    parts = [
        *np.moveaxis(patches.mean(axis=(2, 3)), -1, 0),
        light.std(axis=(2, 3)),
        light[..., :half].mean(axis=(2, 3)) - light[..., half:].mean(axis=(2, 3)),
        light[:, :, :half].mean(axis=(2, 3)) - light[:, :, half:].mean(axis=(2, 3)),
    ]
    X = np.stack([part.ravel() for part in parts], axis=1)
    if position > 0:
        places = np.indices((rows, columns)).reshape(2, -1).T
        X = np.concatenate([_scaled(X), position * _scaled(places.astype(np.float64))], axis=1)
        return frozen(X)
    return frozen(_scaled(X))


def _scaled(X: Array) -> Array:
    centred = X - X.mean(axis=0)
    deviation = centred.std(axis=0)
    result: Array = centred / np.where(deviation > 1e-9, deviation, 1.0)
    return result


def experiment(pixels: Array, side: int, sharpness: float, position: float) -> Document:
    """Build the experiment: one token per patch, W_Q = `sharpness` · I, values are colours."""
    return _experiment(
        pixels.tobytes(), pixels.shape[0], pixels.shape[1], side, sharpness, position
    )


@lru_cache(maxsize=8)
def _experiment(
    data: bytes, height: int, width: int, side: int, sharpness: float, position: float
) -> Document:
    patches = cut(np.frombuffer(data).reshape(height, width, 3), side)
    rows, columns = patches.shape[:2]
    X = features(patches, position)
    colours = patches.mean(axis=(2, 3)).reshape(-1, 3)
    everything = frozen(np.concatenate([X, colours], axis=1))
    d, k = everything.shape[1], X.shape[1]
    look, carry = np.eye(d)[:, :k], np.eye(d)[:, k:]
    names = tuple(f"{row + 1},{column + 1}" for row in range(rows) for column in range(columns))
    head = Head(W_Q=frozen(look * sharpness), W_K=frozen(look), W_V=frozen(carry))
    return Document(names, (head,), title="An image is a sentence", X=everything)


@lru_cache(maxsize=8)
def _attended(document: Document) -> tuple[Array, Array]:
    trace = run(document)
    return trace["weights"][0], trace["Y"]


class PatchesLab(Lab):
    """Controls: picture, patch size, sharpness, positions, and the chosen patch."""

    id = "patches"

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer the shipped pictures; the user's own replaces the choice until another is chosen."""
        pixels, side = _pixels(setting), int(setting.get("side", "16"))
        n = (pixels.shape[0] // side) * (pixels.shape[1] // side)
        own = ("own",) if "pixels" in setting.facts else ()
        return (
            ChoiceControl("picture", (*PICTURES, *own), PICTURES[0]),
            Opener("open", ENDINGS),
            ChoiceControl("side", SIDES, "16"),
            Slider("sharpness", 0.0, 4.0, 1.5, step=0.05),
            Slider("position", 0.0, 2.0, 0.0, step=0.05),
            Slider("patch", 1, max(2, n), min(51, max(2, n)), step=1, whole=True),
        )

    def compute(self, setting: Setting) -> Patches:
        """Compute the attention of every patch."""
        pixels, side = _pixels(setting), int(setting["side"])
        document = self.document(setting)
        weights, seen = _attended(document)
        rows, columns = pixels.shape[0] // side, pixels.shape[1] // side
        X = document.X
        assert X is not None
        colours = frozen(np.clip(seen, 0.0, 1.0).reshape(rows, columns, 3))
        return Patches(
            pixels,
            side,
            rows,
            columns,
            X,
            weights,
            colours,
            min(setting["patch"], rows * columns) - 1,
        )

    def document(self, setting: Setting) -> Document:
        """Return the patches as an experiment."""
        return experiment(
            _pixels(setting), int(setting["side"]), setting["sharpness"], setting["position"]
        )

    def open(self, setting: Setting, opener: str, path: Path) -> Setting:
        """Load a picture of the user."""
        return self.with_value(setting.with_facts(pixels=read_picture(path)), "picture", "own")


def _pixels(setting: Setting) -> Array:
    name = setting.get("picture", PICTURES[0])
    pixels: Array = (
        setting.facts["pixels"]
        if name == "own" and "pixels" in setting.facts
        else shipped(str(name))
    )
    return pixels


LAB = PatchesLab()
