"""How wide the columns of a table are."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QFontMetrics

from core.base.number_format import show
from gui.painting.text_size import face, px
from gui.painting.theme import BODY
from gui.views.tables.contents import Contents
from gui.views.tables.delegate import HANDLE, RIGHT
from gui.widgets.number_table import WIDEST_HEADER

ROOMY = 160


def number_width(shown: Contents) -> int:
    """The width at which every number of a table fits, with its bar and handle."""
    ends = (float(shown.values.min()), float(shown.values.max())) if shown.values.size else (0.0,)
    metrics = QFontMetrics(face(BODY, bold=True))
    return (
        max(metrics.horizontalAdvance(show(value, shown.decimals)) for value in ends)
        + px(HANDLE + RIGHT)
        + 5
    )


def column_width(shown: Contents, labels: Sequence[str], room: int) -> int:
    """The width of each column in a table of `room` pixels: all stand there if their numbers fit, then with their
    labels as far as there is room; what is left is shared."""
    count, numbers = int(shown.values.shape[1]), number_width(shown)
    metrics = QFontMetrics(face(BODY, bold=True))
    label = min(px(WIDEST_HEADER), max(map(metrics.horizontalAdvance, labels)) + px(RIGHT) + 8)
    wanted, share = max(numbers, label), room // count
    if numbers > share:
        return wanted  # they scroll anyway
    return max(numbers, min(share, max(wanted, px(ROOMY))))
