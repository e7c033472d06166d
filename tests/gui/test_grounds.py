"""Pictures over a ground that stays: what is painted when, and that it is the same as painted at once."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from core.base.arrays import frozen
from gui.painting.background_cache import MOST_WANTED, Background, BackgroundCache
from gui.painting.pixmap_cache import Paint, PixmapCache

BOUNDS, SIZE = QRectF(0, 0, 9, 7), (1.0, 1.0)


def filling(told: list[str], name: str, rect: QRectF, colour: str) -> Paint:
    def paint(painter: QPainter) -> None:
        told.append(name)
        painter.fillRect(rect, QColor(colour))

    return paint


class Cards:
    """Cards with a head and numbers, and what was painted of them."""

    def __init__(self) -> None:
        self.pixmaps, self.grounds, self.told = PixmapCache(), BackgroundCache(), list[str]()
        self.numbers = [frozen(np.full((2, 3), number)) for number in (0.5, 1.5, 2.5, 3.5)]

    def picture(self, number: int, head: object = "head") -> QImage:
        ground = Background(
            head, filling(self.told, "ground", QRectF(0, 0, 9, 3), "#204060"), QColor("#ffffff")
        )
        paint = filling(self.told, "numbers", QRectF(2, 2, 4, 4), "#a01010")
        shown = "card", (head, number), (self.numbers[number],), SIZE
        found = self.pixmaps.find(*shown) or self.grounds.make_over(
            ground, self.pixmaps, *shown, BOUNDS, paint
        )
        return found.toImage()


def test_a_ground_is_kept_from_the_second_time_on_and_painted_no_more(qapp: object) -> None:
    cards = Cards()
    pictures = [cards.picture(number) for number in range(4)]
    assert cards.told == ["ground", "numbers", "ground", "numbers", "numbers", "numbers"]
    assert (cards.pixmaps.painted, cards.grounds.painted) == (["card"] * 4, ["card"])
    assert all(picture == pictures[0] for picture in pictures)
    assert [pictures[2].pixelColor(*at).name() for at in ((0, 0), (3, 3), (8, 6))] == [
        "#204060",
        "#a01010",
        "#ffffff",
    ]


def test_another_ground_is_another_picture(qapp: object) -> None:
    cards = Cards()
    for head in ("head", "other", "head"):
        cards.picture(0, head)
    assert cards.told == ["ground", "numbers", "ground", "numbers"]  # the third is the first


def test_what_is_wanted_once_is_not_remembered_for_ever(qapp: object) -> None:
    cards = Cards()
    for head in range(MOST_WANTED + 5):
        cards.picture(0, head)
    assert cards.grounds.painted == []
    assert len(cards.grounds._wanted) == 5
