"""The ways to draw a picture with digits, and how much each gives away for their size. Free of Qt."""

from __future__ import annotations

from gui.views.diagram.card_sizes import FEW_STAGES, NAMED_STAGES, Style
from gui.views.diagram.columns import FOLDED

# From this size on, in pixels, larger digits are worth little.
GOOD_DIGITS, BEST_DIGITS, BEYOND = 11.0, 20.0, 0.4


def worth(digits: float) -> float:
    """What digits of a size are worth, in pixels of small ones."""
    return min(digits, GOOD_DIGITS) + BEYOND * max(0.0, min(digits, BEST_DIGITS) - GOOD_DIGITS)


# What digits on all cards are worth.
ALL_CARDS = 20.0

# What it is worth to name tokens everywhere, at the places where a strand begins, anywhere; and to have the stages in
# one line.
_LABELS = (
    (0.0, Style()),
    (0.4, Style(named=NAMED_STAGES)),
    (0.9, Style(named=FEW_STAGES, arrows=False)),
    (2.6, Style(named=frozenset(), arrows=False)),
)
_FOLDS = (0.0, 1.0, 1.5, 1.9)

STYLES: tuple[tuple[float, Style], ...] = tuple(
    (labels + _FOLDS[fold], Style(named=style.named, arrows=style.arrows, fold=fold))
    for fold in range(FOLDED + 1)
    for labels, style in _LABELS
)
