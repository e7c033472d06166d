"""Paintings on SVG, whose texts tests read back."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator

from gui.export.pdf import closed, open_buffer

TEXT = "{http://www.w3.org/2000/svg}text"


def svg_of(paint: Callable[[QPainter, QRectF], None], size: tuple[int, int]) -> str:
    """What is painted into a room of that size, as an SVG file."""
    buffer = open_buffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)
    generator.setSize(QSize(*size))
    generator.setViewBox(QRectF(0, 0, *size))
    painter = QPainter(generator)
    paint(painter, QRectF(0, 0, *size))
    painter.end()
    return closed(buffer).decode("utf-8")


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
