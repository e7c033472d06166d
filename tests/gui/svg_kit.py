"""Paintings on SVG, whose texts tests read back."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.export.paint_devices import painted_svg

TEXT = "{http://www.w3.org/2000/svg}text"


def svg_of(paint: Callable[[QPainter, QRectF], None], size: tuple[int, int]) -> str:
    """What is painted into a room of that size, as an SVG file."""
    area = QRectF(0, 0, *size)
    return painted_svg(lambda painter: paint(painter, area), size, "").decode("utf-8")


def sized_texts(svg: str) -> list[tuple[str, float]]:
    """Its texts in the order of painting, each with the size of its letters before any transformation."""
    elements = ElementTree.fromstring(svg).iter(TEXT)
    return [
        ("".join(element.itertext()).strip(), float(element.attrib["font-size"]))
        for element in elements
    ]


def texts(svg: str) -> list[str]:
    """Its texts in the order of painting."""
    return [text for text, _ in sized_texts(svg)]
