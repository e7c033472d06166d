"""The picture for a hall: as high as its room, and where it is wider, seen in part. Free of Qt."""

from __future__ import annotations

from collections.abc import Mapping

from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.stages import Plan
from gui.views.diagram.card_sizes import BARE, LEAST_ROW, PLAIN, SIDE_LEAST, SIDE_PAD, Style
from gui.views.diagram.column_window import BAND, columns_of, needed
from gui.views.diagram.columns import FOLDED
from gui.views.diagram.geometry import ROOM, SMALLEST_TEXT, images, with_digits, without_digits
from gui.views.diagram.shapes import MOST_EDGES, STACK_Y, Layout
from gui.views.diagram.sizing import Sizes

# At this scale symbols, grown as far as cards have room for them, are as small as any text may be.
LEGIBLE = 0.4
# Images are not drawn larger than this only to fill the height.
LARGEST_IMAGES = 0.8
# At smaller scales tokens beside images cannot be read: they need no room.
NAMED = 0.58
# At smaller scales no name of a stage can be read, nor its shape: its card keeps no room for them.
WORDS_SEEN = 0.52
# How much wider than its room the picture may be for the sake of digits.
FOR_DIGITS = (1.0, 1.25, 1.5, 1.75, 2.0)

# Between three matrices one over the other, in units: gaps and margins.
BETWEEN = 34.0


def unit_for_digits(
    document: Document, orientation: Orientation, height: float, wanted: float
) -> float:
    """Pixels a unit in so many pixels of height: those that are wanted, or fewer, where digits need it and that helps.

    What decides is the queries, keys and values, which stand one over the other.
    """
    rows, columns = max(document.n, document.m), max(document.k, document.v)
    row = LEAST_ROW / SMALLEST_TEXT
    stack = min(document.h - 1, MOST_EDGES) * STACK_Y
    card = max(SIDE_LEAST, orientation.pair(rows, columns)[0] * row) + 2 * SIDE_PAD + stack
    fitting = height / (SMALLEST_TEXT * (3 * card + BETWEEN))
    return fitting if 1.0 <= fitting < wanted else wanted


def strip(
    document: Document,
    plan: Plan,
    decimals: int = 2,
    room: tuple[float, float] = ROOM,
    orientation: Orientation = ROWS,
    longest: Mapping[str, str] | None = None,
) -> Layout:
    """With digits, even if only half of the picture is seen at a time; else the whole picture if its symbols can be
    read; else cards with images, as many in view as can be."""
    sizes = Sizes(document, plan)
    base = Style(decimals=decimals, orientation=orientation, longest=longest or {})
    inside = with_digits(sizes, room, base)
    for times in FOR_DIGITS:
        found = inside if times == 1.0 else with_digits(sizes, (room[0] * times, room[1]), base)
        if found is not None and _company(found, room):
            return found
    found = _images(sizes, room, inside, base, BARE)
    if found is inside or _fit(found, room) >= WORDS_SEEN:
        return found
    return _images(sizes, room, inside, base, PLAIN)


def _images(
    sizes: Sizes, room: tuple[float, float], inside: Layout | None, base: Style, bare: Style
) -> Layout:
    """The whole picture if its symbols can be read, else cards of which as many are in view as can be."""
    whole = inside or without_digits(sizes, room, base, bare)
    narrow = _narrowest(sizes, room[1], base.orientation, bare)
    return whole if _fit(whole, room) >= max(LEGIBLE, _fit(narrow, room)) else narrow


def _fit(where: Layout, room: tuple[float, float]) -> float:
    """The scale at which a room shows the whole picture."""
    return min(room[0] / where.width, room[1] / where.height)


def _company(where: Layout, room: tuple[float, float]) -> bool:
    """Whether neighbouring columns can always be seen together."""
    columns, scale = columns_of(where), room[1] / where.height
    pairs = range(len(columns.boxes) - 1)
    return all(
        needed(columns, index, index + 1, BAND / scale) <= room[0] / scale for index in pairs
    )


def _narrowest(sizes: Sizes, room: float, orientation: Orientation, bare: Style) -> Layout:
    """Of all ways to fold images that are legible in a room so high, the one of which the most is seen."""
    best, best_width = None, 0.0
    for fold in range(FOLDED + 1):
        scale = min(room / images(sizes, 0.0, fold, orientation, bare=bare).height, LARGEST_IMAGES)
        if best is not None and scale < LEGIBLE:
            continue
        scale = max(scale, LEGIBLE)
        found = images(sizes, room / scale, fold, orientation, named=scale >= NAMED, bare=bare)
        if best is None or found.width * scale < best_width:
            best, best_width = found, found.width * scale
    assert best is not None
    return best
