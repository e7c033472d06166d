"""What a worksheet is asked to be. Free of Qt."""

from __future__ import annotations

from msgspec import Struct

from core.document.orientation import ROWS, Orientation
from core.explain.exercise import LARGEST_SEED, MOST_SHEETS

KEYS = (
    "after",
    "separate",
    "none",
)  # where the answer keys stand: behind all sheets, in a file of their own, nowhere
MOST_DECIMALS = 4


class Options(Struct, frozen=True):
    """Sheets for the seeds from `seed` on, each in every language, rounded to 0 – 4 decimals; where the keys stand.

    `labels`: "both" for headings in English and Chinese at once.
    """

    decimals: int = 2
    sheets: int = 1
    seed: int = 0
    key: str = "after"
    languages: tuple[str, ...] = ("en",)
    orientation: Orientation = ROWS
    labels: str = "one"

    def __post_init__(self) -> None:
        if not (0 <= self.decimals <= MOST_DECIMALS and 1 <= self.sheets <= MOST_SHEETS):
            raise ValueError(f"decimals 0 – {MOST_DECIMALS}, sheets 1 – {MOST_SHEETS}")
        if not 0 <= self.seed <= LARGEST_SEED or self.key not in KEYS or not self.languages:
            raise ValueError("seed, key or languages")

    @property
    def seeds(self) -> range:
        """The seed of each sheet."""
        return range(self.seed, self.seed + self.sheets)
