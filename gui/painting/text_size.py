"""Text size of the window: a global factor for fonts and sizes of widgets.

Widgets store their sizes at 100 %, so that a new text size also changes existing widgets. Painters
with logical units apply the same factor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QAbstractButton, QHeaderView, QWidget
from shiboken6 import isValid

from gui.painting import theme

PERCENTS = (100, 125, 150, 175, 200)

_Setter = Callable[..., None]
_sizes: WeakKeyDictionary[QWidget, dict[_Setter, tuple[Any, Any]]] = WeakKeyDictionary()
_percent: float = PERCENTS[0]


def factor() -> float:
    """Return the current factor, 1 at 100 %."""
    return _percent / 100


def px(pixels: float) -> int:
    """Scale a length by the text size, in whole pixels."""
    return round(pixels * factor())


def face(pixels: float, *, bold: bool = False) -> QFont:
    """Return the shared font of a type scale size at the current text size."""
    return theme.font(pixels * factor(), bold=bold)


def use_percent(percent: int) -> None:
    """Set the text size in per cent and update all registered widgets."""
    global _percent
    if percent == _percent:
        return
    _percent = percent
    refresh()


def refresh() -> None:
    """Apply sizes and fonts of all registered widgets again, such as after a change of family."""
    for widget, setters in list(_sizes.items()):
        if isValid(widget):
            for setter, (sizes, more) in setters.items():
                setter(widget, *sizes, **more)


def magnify_within(root: QWidget, times: float) -> None:
    """Apply the sizes of a widget and all in it, `times` as large as the text size."""
    global _percent
    percent = _percent
    _percent = percent * times
    try:
        for widget, setters in list(_sizes.items()):
            if isValid(widget) and (widget is root or root.isAncestorOf(widget)):
                for setter, (sizes, more) in list(setters.items()):
                    setter(widget, *sizes, **more)
    finally:
        _percent = percent


def next_percent(percent: int, by: int) -> int:
    """Return the size `by` steps larger (negative: smaller), limited to the available sizes."""
    nearest = min(range(len(PERCENTS)), key=lambda i: abs(PERCENTS[i] - percent))
    return PERCENTS[min(max(nearest + by, 0), len(PERCENTS) - 1)]


def set_font(widget: QWidget, pixels: float, *, bold: bool = False) -> None:
    """Set the program's font at a size of the type scale."""
    _remember(widget, set_font, pixels, bold=bold)
    widget.setFont(face(pixels, bold=bold))


def set_fixed(widget: QWidget, width: int, height: int) -> None:
    """Set a fixed size."""
    _remember(widget, set_fixed, width, height)
    widget.setFixedSize(px(width), px(height))


def set_least(widget: QWidget, width: int = 0, height: int = 0) -> None:
    """Set the minimum size; 0 leaves it to the contents."""
    _remember(widget, set_least, width, height)
    widget.setMinimumSize(px(width), px(height))


def set_widest(widget: QWidget, width: int) -> None:
    """Set the maximum width."""
    _remember(widget, set_widest, width)
    widget.setMaximumWidth(px(width))


def set_icon_size(button: QAbstractButton, pixels: int) -> None:
    """Set the size of a square icon."""
    _remember(button, set_icon_size, pixels)
    button.setIconSize(QSize(px(pixels), px(pixels)))


def set_section(header: QHeaderView, pixels: int) -> None:
    """Set the height of rows, or the width of columns."""
    _remember(header, set_section, pixels)
    header.setDefaultSectionSize(px(pixels))


def _remember(widget: QWidget, setter: _Setter, *sizes: float, **more: Any) -> None:
    _sizes.setdefault(widget, {})[setter] = sizes, more


def size_in_units(size: QRect, unit: float) -> QRectF:
    """Return a rectangle of pixels in logical units, with its origin at 0, 0."""
    return QRectF(0.0, 0.0, max(1, round(size.width() / unit)), max(1, round(size.height() / unit)))


@contextmanager
def saved(painter: QPainter) -> Iterator[None]:
    """Save the painter's state and restore it at the end, also after an error."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()


@contextmanager
def in_units(painter: QPainter, place: QRect, unit: float) -> Iterator[QRectF]:
    """Paint in logical units, clipped to a rectangle of pixels; yields the rectangle in units."""
    area = size_in_units(place, unit)
    with saved(painter):
        if unit != 1.0 or place.topLeft() != area.topLeft().toPoint():
            width, height = round(area.width() * unit), round(area.height() * unit)
            painter.setViewport(place.x(), place.y(), width, height)
            painter.setWindow(area.toRect())
            painter.setClipRect(area)
        yield area
