"""Where the texts of a picture stand: read back from an SVG, each with the rectangle that its letters cover."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from xml.etree import ElementTree

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QTransform

from gui.painting.theme import font
from tests.gui.svg_kit import TEXT, svg_of

LEAST, LEAST_SMALL = (
    9.0,
    8.0,
)  # units of the letters, and of indices and of numbers, which matrices write small
OVERLAP = 0.06  # of the smaller one of two texts
OUTSIDE = 1.5  # units beyond the room that smoothing may cover
SMALL = re.compile(r"[−+\d.,%×⁻⁰¹²³⁴⁵⁶⁷⁸⁹\s∞/?-]+|[A-Za-z]|model")

SPELLED = re.compile(r"[A-Za-z]_[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Placed:
    """A text, what it covers, and the size of its letters."""

    text: str
    area: QRectF
    size: float


def placed_texts(paint: Callable[[QPainter, QRectF], None], size: tuple[int, int]) -> list[Placed]:
    """Every text that a painter of a room writes, in the order of painting."""
    return list(_texts(ElementTree.fromstring(svg_of(paint, size)), QTransform()))


def faults(texts: list[Placed], room: QRectF) -> list[str]:
    """What cannot be read: texts over each other, outside the room, or too small."""
    found = [f"{one.text!r} is {one.size:.1f} high" for one in texts if one.size < _least(one.text)]
    found += [
        f"{one.text!r} writes an index as it is spelled"
        for one in texts
        if SPELLED.search(one.text)
    ]
    inside = room.adjusted(-OUTSIDE, -OUTSIDE, OUTSIDE, OUTSIDE)
    found += [
        f"{one.text!r} leaves the room: {_said(one.area)}"
        for one in texts
        if not inside.contains(one.area)
    ]
    for one, other in combinations(texts, 2):
        shared = one.area.intersected(other.area)
        if not shared.isEmpty() and _size(shared) > OVERLAP * min(
            _size(one.area), _size(other.area)
        ):
            found.append(f"{one.text!r} over {other.text!r} at {_said(shared)}")
    return found


def _least(text: str) -> float:
    return LEAST_SMALL if SMALL.fullmatch(text) else LEAST


def _size(area: QRectF) -> float:
    return area.width() * area.height()


def _said(area: QRectF) -> str:
    return f"x {area.left():.0f}–{area.right():.0f}, y {area.top():.0f}–{area.bottom():.0f}"


def _texts(element: ElementTree.Element, around: QTransform) -> Iterator[Placed]:
    here = _transform(element.get("transform", "")) * around
    if element.tag == TEXT:
        text = "".join(element.itertext()).rstrip()
        if text.strip():
            yield _placed(text, element, here)
    for child in element:
        yield from _texts(child, here)


def _placed(text: str, element: ElementTree.Element, here: QTransform) -> Placed:
    pixels = float(element.get("font-size", "0"))
    weight = int(element.get("font-weight", "400"))
    face = QFont(font(100, bold=weight >= QFont.Weight.DemiBold))
    face.setWeight(QFont.Weight(weight))
    tight = QFontMetricsF(face).tightBoundingRect(text)  # at 100 pixels: not rounded to whole ones
    part = pixels / 100.0
    covered = QRectF(
        tight.x() * part, tight.y() * part, tight.width() * part, tight.height() * part
    )
    area = here.mapRect(
        covered.translated(float(element.get("x", "0")), float(element.get("y", "0")))
    )
    return Placed(text, area, pixels * here.m22())


def _transform(text: str) -> QTransform:
    numbers = [float(number) for number in re.findall(r"[-+\d.e]+", text)]
    return QTransform(*numbers) if len(numbers) == 6 else QTransform()
