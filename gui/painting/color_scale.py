"""Colour scale of values, shared by diagram, stage view, table and heatmap.

Softmax weights and numerators lie between 0 and 1 and use a sequential scale. All other values are
signed and use a diverging scale, symmetric around 0.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from core.base.arrays import Array
from core.compute.trace import Trace
from core.document.parts import is_stage
from core.stages import masked_scores, spec_of
from gui.painting.theme import Colours

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Levels:
    """Ends of a colour scale: `low` is 0 for a sequential scale, −high for a diverging one."""

    low: float
    high: float

    @property
    def sequential(self) -> bool:
        """Return whether the scale is sequential, from 0 upwards."""
        return self.low == 0.0


class Extremes(NamedTuple):
    """Minimum and maximum of an array, over all and over finite values (None without any)."""

    low: float
    high: float
    finite: tuple[float, float] | None


def extremes(array: Array) -> Extremes:
    """Compute the extremes of a non-empty array."""
    low, high = float(array.min()), float(array.max())
    if math.isfinite(low) and math.isfinite(high):
        return Extremes(low, high, (low, high))
    finite = array[np.isfinite(array)]
    return Extremes(low, high, (float(finite.min()), float(finite.max())) if finite.size else None)


class ArrayCache(Generic[Made]):
    """Thread-safe cache of results by the memory of their arrays, which are referenced weakly.

    With 2,000 tokens the diagram is painted in 4 instead of 118 ms, so that no frame takes over
    100 ms; with n ≤ 128 the cache saves nothing.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: dict[tuple[object, ...], tuple[weakref.ref[Array], Made]] = {}

    def get(self, values: Array, rest: tuple[object, ...], make: Callable[[], Made]) -> Made:
        """Return the cached result for an array and the further keys `rest`, or make it."""
        owner = values if values.base is None else values.base
        key = values.__array_interface__["data"][0], values.shape, values.strides, *rest
        known = self._made.get(key)
        if known is not None and known[0]() is owner:
            self._made[key] = self._made.pop(key, known)  # to the end, away from what goes first
            return known[1]
        for stale in [name for name, (ref, _) in list(self._made.items()) if ref() is None]:
            self._made.pop(stale, None)
        made = make()
        self._made[key] = weakref.ref(owner), made
        for least_recent in list(self._made)[: -self._most]:
            self._made.pop(least_recent, None)
        return made


_extremes: ArrayCache[Extremes] = ArrayCache(200)


def stage_extremes(trace: Trace, stage_id: str) -> Extremes:
    """Return the extremes of a stage over all its heads."""
    return _extremes.get(trace[stage_id], (), lambda: extremes(trace[stage_id]))


def levels_of(array: Array, stage_id: str) -> Levels:
    """Return the scale of a stage or tensor over all its heads; ignore masked (−∞) cells."""
    return _levels(extremes(array), stage_id) if array.size else Levels(-1.0, 1.0)


def _levels(found: Extremes, stage_id: str) -> Levels:
    sequential = is_stage(stage_id) and spec_of(stage_id).kind.sequential
    if sequential and found.low >= 0 and found.high <= 1:
        return Levels(0.0, 1.0)
    low, high = found.finite or (-1.0, 1.0)
    reach = max(-low, high)
    return Levels(-reach, reach) if reach > 0 else Levels(-1.0, 1.0)


def scores_behind(trace: Trace, stage_id: str, head: int) -> Array | None:
    """Return the scores whose −∞ mark forbidden pairs of a softmax stage; None if unmasked."""
    masked = masked_scores(trace, stage_id)
    return masked[head] if masked is not None and trace.plan[stage_id].kind.in_softmax else None


def stage_levels(trace: Trace, stage_id: str) -> Levels:
    """Return the scale of a stage over all its heads."""
    return _levels(stage_extremes(trace, stage_id), stage_id)


def reached_levels(trace: Trace, stage_id: str, extent: tuple[int, int] | None) -> Levels:
    """Return the scale of a stage up to an extent, which does not give away what comes after it.

    `extent`: whole rows and cells of the next row, of all heads; None for all.
    """
    levels = stage_levels(trace, stage_id)
    if extent is None or levels.sequential:
        return levels
    (rows, cells), array = extent, trace[stage_id]
    parts = array[..., :rows, :], array[..., rows : rows + 1, :cells]
    high = max((levels_of(part, stage_id).high for part in parts if part.size), default=1.0)
    return Levels(-high, high)


AT_ONCE = 1 << 16  # values that are coloured at a time: half a megabyte


@cache
def ramp(theme: Colours) -> npt.NDArray[np.uint8]:
    """Return the diverging scale as 511 RGB colours from low to high, interpolated in OKLab."""
    low, zero, high = (_oklab(name) for name in (theme.low, theme.zero, theme.high))
    part = np.linspace(0.0, 1.0, 256)[:, None]
    below = low + (zero - low) * part
    above = zero + (high - zero) * part
    linear = (np.concatenate([below, above[1:]]) @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(
        _TO_LMS
    ).T
    srgb = np.where(
        linear <= 0.0031308, linear * 12.92, 1.055 * np.maximum(linear, 0.0) ** (1 / 2.4) - 0.055
    )
    return np.round(np.clip(srgb, 0, 1) * 255).astype(np.uint8)


# Linear sRGB to cone responses, and their cube roots to OKLab (Björn Ottosson, 2020).
_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _oklab(name: str) -> Array:
    colour = QColor(name)
    srgb = np.array([colour.redF(), colour.greenF(), colour.blueF()])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    lab: Array = np.cbrt(linear @ _TO_LMS.T) @ _TO_LAB.T
    return lab


def ramp_positions(values: Array, levels: Levels) -> npt.NDArray[np.uint16]:
    """Return positions of values on the ramp (0 … 510); −∞ and NaN get the position of zero."""
    positions = np.empty(values.shape, dtype=np.uint16)
    rows = max(1, AT_ONCE // max(1, values[:1].size))
    for start in range(0, len(values), rows):  # a block fits into the processor's cache
        part = values[start : start + rows] / levels.high
        np.copyto(part, 0.0, where=~(part > -np.inf))
        np.clip(part, -1.0, 1.0, out=part)
        part *= 255
        np.rint(part, out=part)
        part += 255
        positions[start : start + rows] = part
    return positions


def ramp_position(value: float, levels: Levels) -> int:
    """Return the position of one value on the ramp, as ramp_positions() does."""
    part = value / levels.high
    if not part > -math.inf:  # −∞ or NaN
        return 255
    return round(min(max(part, -1.0), 1.0) * 255) + 255


def value_colour(theme: Colours, levels: Levels, value: float) -> QColor:
    """Return the colour of one value."""
    return QColor(ramp_colours(theme)[ramp_position(value, levels)])


@cache
def ramp_colours(theme: Colours) -> tuple[QColor, ...]:
    """Return the colours of ramp() as QColor."""
    return tuple(QColor(*rgb) for rgb in ramp(theme).tolist())


def ink(background: QColor) -> QColor:
    """Return black or white, whichever has more contrast (WCAG) with a background."""
    return QColor(_ink_on(background.rgb()))


@lru_cache(maxsize=2048)
def _ink_on(rgb: int) -> QColor:
    light = _luminance(QColor(rgb))
    return QColor("#FFFFFF") if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else QColor("#000000")


def _luminance(colour: QColor) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mixed(over: QColor | str, under: QColor | str, part: float) -> QColor:
    """Blend a colour over another one with opacity `part`."""
    a, b = QColor(over), QColor(under)
    pairs = ((a.red(), b.red()), (a.green(), b.green()), (a.blue(), b.blue()))
    return QColor(*(round(x * part + y * (1 - part)) for x, y in pairs))


def contrast(a: QColor, b: QColor) -> float:
    """Return the WCAG contrast ratio of two colours, 1 to 21."""
    bright, shade = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (bright + 0.05) / (shade + 0.05)
