"""How large everything is: the smallest text is a 36th of the height, and all else follows."""

from __future__ import annotations

from PySide6.QtCore import QRect

from gui.session.presented import PresentedViews

LINES = 36
# The smallest size, in units, at which each panel writes anything at all.
LEAST = {
    "diagram": 8.5,
    "stage": 11.9,
    "derivation": 11.9,
    "heatmap": 9.8,
    "code": 11.9,
    "lab": 11.9,
    "words": 11.9,
}
MARGIN, BETWEEN = 10, 10  # units of words
DIAGRAM = 106  # units of a diagram whose cards are not cut


def unit_for(part: str, height: int) -> float:
    """Pixels a unit of a panel (or of "words"), on a screen of so many pixels."""
    return max(height, LINES) / LINES / LEAST[part]


def placed(area: QRect, choice: PresentedViews, height: int) -> tuple[QRect, ...]:
    """Where the panels stand in what the headline leaves of a screen of this height."""
    unit = unit_for("words", height)
    inner = area.adjusted(*(round(side * MARGIN * unit) for side in (1, 1, -1, -1)))
    if len(choice.panels) == 1:
        return (inner,)
    gap, aspect = round(BETWEEN * unit), area.width() / max(1, height)
    if choice.beside(aspect):
        first = round((inner.width() - gap) * choice.share(aspect))
        second = inner.adjusted(first + gap, 0, 0, 0)
        return QRect(inner.x(), inner.y(), first, inner.height()), second
    first = _high(choice, inner.height() - gap, choice.share(aspect), height)
    return QRect(inner.x(), inner.y(), inner.width(), first), inner.adjusted(0, first + gap, 0, 0)


def _high(choice: PresentedViews, room: int, share: float, height: int) -> int:
    """The upper panel's height: its share, but a diagram keeps what its cards need as far as half of the room."""
    needed = min(round(DIAGRAM * unit_for("diagram", height)), room // 2)
    shares = (round(room * share), room - round(room * share))
    if "diagram" not in choice.panels or shares[choice.panels.index("diagram")] >= needed:
        return shares[0]
    return needed if choice.panels[0] == "diagram" else room - needed
