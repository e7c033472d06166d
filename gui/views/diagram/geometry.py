"""Plan and sizes → boxes and arrows as plain numbers. Free of Qt.

Columns from left to right: tokens or X (P below), X′, Q over K over V, then one column a stage, or two stages one
over the other where the picture would else be too wide for digits. The stages of the attention matrix stand at the
height between Q and K, so that V's arrow passes below them to A·V.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import repeat

from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.stages import Plan
from gui.views.diagram.arrows import route
from gui.views.diagram.card_sizes import (
    ATTENTION_HEIGHT,
    BARE,
    FEW_STAGES,
    LABELS,
    LEAST_DIGITS,
    LEAST_ROW,
    NAME_LINE,
    NAMED_STAGES,
    PAD,
    PLAIN,
    SIDE_LEAST,
    SIDE_PAD,
    SYMBOL_LINE,
    CardSize,
    CardStyle,
    least_cell,
    name_lines,
    with_one_chip,
)
from gui.views.diagram.columns import (
    BAND,
    CAPTION,
    FOLD_GAP,
    FOLDED,
    GAP,
    LANE,
    MARGIN,
    Column,
    ColumnSizer,
    columns_of,
    fits_height,
    in_order,
    lane_height,
    matrix_height,
    needed_width,
    place_boxes,
    softmax_frame,
)
from gui.views.diagram.shapes import MOST_EDGES, STACK_Y, WORDS, Layout

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
    (0.0, CardStyle()),
    (0.4, CardStyle(named=NAMED_STAGES)),
    (0.9, CardStyle(named=FEW_STAGES, arrows=False)),
    (2.6, CardStyle(named=frozenset(), arrows=False)),
)
_FOLDS = (0.0, 1.0, 1.5, 1.9)

STYLES: tuple[tuple[float, CardStyle], ...] = tuple(
    (labels + _FOLDS[fold], CardStyle(named=style.named, arrows=style.arrows, fold=fold))
    for fold in range(FOLDED + 1)
    for labels, style in _LABELS
)

WIDEST_GAP = 96.0
# The room of the diagram in a window of 1280 × 720, and the one for which texts have their own size: in a larger one
# they grow, too.
ROOM = (1240.0, 260.0)
TEXT_ROOM = (1240.0, 230.0)
SMALLEST_TEXT, LARGEST_TEXT = 0.86, 2.2
LARGEST_CELL = 64.0
SEARCHES = 5
# A line of a name where texts grow against the picture.
GROWN_LINE = 25.0
# How much taller than at rest the picture may become to use the height of its window.
MOST_STRETCH = 1.7
# Digits of this size may get that small for the names of their stages.
ORDINARY = 13.0
# How much larger images must get for folding them.
FOLD_GAIN = 1.12


def layout(
    document: Document,
    plan: Plan,
    decimals: int = 2,
    room: tuple[float, float] = ROOM,
    orientation: Orientation = ROWS,
    longest: Mapping[str, str] | None = None,
) -> Layout:
    """Boxes and arrows for a window of `room` pixels: with digits in the cells where there is any way to make them
    readable, else with smaller cells whose colours carry it. `longest` is the longest number of each stage as it is
    shown; without it ordinary numbers are meant. The same arguments always give the same picture."""
    sizes, base = (
        ColumnSizer(document, plan),
        CardStyle(decimals=decimals, orientation=orientation, longest=longest or {}),
    )
    return with_digits(sizes, room, base) or without_digits(sizes, room, base)


def with_digits(sizes: ColumnSizer, room: tuple[float, float], base: CardStyle) -> Layout | None:
    """The picture with digits; None where they cannot be read."""
    if not sizes.readable(room[1], base.orientation):
        return None
    scale = min(max(min(room[0] / TEXT_ROOM[0], room[1] / TEXT_ROOM[1]), 1.0), LARGEST_TEXT)
    score, style = _best(sizes, room, replace(base, scale=scale))
    if score < ALL_CARDS:  # rather digits everywhere than headings of their full size
        smaller = replace(base, scale=SMALLEST_TEXT, growth=1.0 / SMALLEST_TEXT)
        style = max((score, style), _best(sizes, room, smaller), key=lambda found: found[0])[1]
    return (
        None
        if style is None
        else _shown(sizes, (room[0] / style.scale, room[1] / style.scale), style)
    )


def _best(
    sizes: ColumnSizer, room: tuple[float, float], base: CardStyle
) -> tuple[float, CardStyle | None]:
    """The style in which digits can be read best, and how well; None where they cannot."""
    size = room[0] / base.scale, room[1] / base.scale
    best, best_score = None, 0.0
    for penalty, style in STYLES:
        if style.fold and sizes.groups(style.fold) == sizes.groups(style.fold - 1):
            continue
        found = _widest(sizes, size, _of(base, style, base.growth))
        if found is not None and (best is None or found[0] - penalty > best_score):
            best, best_score = found[1], found[0] - penalty
    return best_score, best


def _of(base: CardStyle, style: CardStyle, growth: float) -> CardStyle:
    """A style for one document, in its convention."""
    return replace(
        style,
        scale=base.scale,
        growth=growth,
        decimals=base.decimals,
        orientation=base.orientation,
        longest=base.longest,
    )


def _widest(
    sizes: ColumnSizer, size: tuple[float, float], style: CardStyle
) -> tuple[float, CardStyle] | None:
    """A style with the widest cells that the room allows, and how well its digits can be read."""
    style = replace(style, cell=least_cell(style), heading=SYMBOL_LINE)
    groups, rooms = sizes.groups(style.fold), sizes.rooms(size[1], style)
    fixed = 2 * MARGIN + sum(sizes.gaps(style))
    steepest = sum(
        max((sizes.fixed(name, style).columns for name in ids if name not in WORDS), default=0)
        for _, ids in groups
    )
    for _ in range(SEARCHES):
        cards = sizes.cards(rooms, style)
        spare = size[0] - fixed - sum(max(card.outer_width for card in column) for column in cards)
        if spare < 0.0 or not all(map(fits_height, cards, groups, repeat(size[1]))):
            return None
        if style.cell >= LARGEST_CELL or spare < 1.0:
            break
        style = replace(style, cell=min(style.cell + spare / steepest, LARGEST_CELL))
    score = _score([card for column in cards for card in column])
    return None if score is None else (score, style)


def _shown(sizes: ColumnSizer, size: tuple[float, float], style: CardStyle) -> Layout:
    """The picture in a style, with names as far as they fit; what is left over goes between the columns."""
    style = _with_names(sizes, size, style)
    columns, gaps = _sized(sizes, size[1], style)
    slack = max(0.0, size[0] - _width(columns, gaps)) / max(1, len(gaps))
    gaps = [min(gap + slack, max(gap, WIDEST_GAP)) for gap in gaps]
    return replace(_finished(sizes, columns, gaps, size[1], style), digits=True)


def _sized(sizes: ColumnSizer, height: float, style: CardStyle) -> tuple[list[Column], list[float]]:
    return _columns(sizes, height, style), list(sizes.gaps(style))


def _score(cards: list[CardSize]) -> float | None:
    """The size of the digits, and above all on how many cards there are some; None where it is not worth it."""
    cards = [card for card in cards if card.stage_id not in WORDS]
    digits = [card.digits for card in cards if card.digits >= LEAST_DIGITS]
    if 2 * len(digits) < len(cards):
        return None
    return ALL_CARDS * len(digits) / len(cards) + worth(min(digits))


def _with_names(sizes: ColumnSizer, size: tuple[float, float], style: CardStyle) -> CardStyle:
    """Names under the symbols, as far as no digit gets smaller for them than an ordinary text."""
    cards = _cards(_columns(sizes, size[1], style))
    plain = min(_score(cards) or 0.0, ALL_CARDS + worth(ORDINARY))
    for lines in range(name_lines(sizes.document, cards, style), 0, -1):
        named = replace(style, heading=SYMBOL_LINE + lines * NAME_LINE * style.growth)
        columns = _columns(sizes, size[1], named)
        score = _score(_cards(columns))
        standing = all(
            fits_height(column.cards, (column.kind, column.ids), size[1]) for column in columns
        )
        if standing and score is not None and score >= plain - 0.5:
            return named
    return style


def _cards(columns: list[Column]) -> list[CardSize]:
    return [card for column in columns for card in column.cards]


def without_digits(
    sizes: ColumnSizer, room: tuple[float, float], base: CardStyle, bare: CardStyle = BARE
) -> Layout:
    """The picture with images only, folded where that makes them larger."""
    best, best_scale, style = None, 0.0, _of(base, bare, bare.growth)
    for fold in range(FOLDED + 1):
        found = _with_images(sizes, room[0] / room[1], replace(style, fold=fold))
        scale = min(room[0] / found.width, room[1] / found.height)
        if best is None or scale > best_scale * FOLD_GAIN:
            best, best_scale = found, scale
    assert best is not None
    return best


def images(
    sizes: ColumnSizer,
    height: float,
    fold: int,
    orientation: Orientation,
    *,
    named: bool = True,
    bare: CardStyle = BARE,
) -> Layout:
    """The picture with images only at a height, as narrow as it can be; 0 stands for the least height that it needs.

    `named` says whether tokens may have room beside the images.
    """
    style = replace(bare, fold=fold, orientation=orientation)
    style = style if named else replace(style, named=frozenset())
    style = _with_lines(sizes, style)
    height = height or _least_height(sizes, style)
    return _finished(sizes, *_sized(sizes, height, style), height, style)


def _with_images(sizes: ColumnSizer, aspect: float, style: CardStyle) -> Layout:
    style = _with_lines(sizes, style)
    height = _least_height(sizes, style)
    columns, gaps = _sized(sizes, height, style)
    width = _width(columns, gaps)
    if width / height > aspect:
        height = min(width / aspect, height * MOST_STRETCH)
        columns, gaps = _sized(sizes, height, style)
        width = _width(columns, gaps)
    slack = max(0.0, height * aspect - width) / max(1, len(gaps))
    gaps = [min(gap + slack, max(gap, WIDEST_GAP)) for gap in gaps]
    return _finished(sizes, columns, gaps, height, style)


def _finished(
    sizes: ColumnSizer, columns: list[Column], gaps: list[float], height: float, style: CardStyle
) -> Layout:
    boxes = with_one_chip(
        sizes.document, tuple(place_boxes(columns, gaps, height, style.orientation)), style
    )
    arrows = tuple(route(sizes.document, sizes.plan, boxes, height - MARGIN, style))
    return Layout(
        _width(columns, gaps), height, in_order(sizes.plan, boxes), arrows, softmax_frame(boxes)
    )


def _with_lines(sizes: ColumnSizer, style: CardStyle) -> CardStyle:
    """Where every name fits in one line, no room is kept for a second one; there is some for a third if need be."""
    if style.plain:
        return style
    cards = _cards(_columns(sizes, _least_height(sizes, style), style))
    lines = name_lines(sizes.document, cards, style)
    return replace(style, heading=style.heading + {1: -NAME_LINE, 3: GROWN_LINE}.get(lines, 0.0))


def _width(columns: list[Column], gaps: list[float]) -> float:
    return 2 * MARGIN + sum(column.width for column in columns) + sum(gaps)


def _least_height(sizes: ColumnSizer, style: CardStyle) -> float:
    """The height at which everything can be told apart without digits."""
    document, plan = sizes.document, sizes.plan
    stack, longest = STACK_Y * min(document.h - 1, 4), max(document.n, document.m)
    n, rows, above = style.orientation.pair(document.n, document.m)[0], longest, 0.0
    if style.orientation.columns:
        rows, above = max(document.k, document.v), LABELS
    projections = (
        3 * (max(SIDE_LEAST, min(rows * 20.0, 72.0) + above) + 2 * SIDE_PAD + stack) + 2 * GAP
    )
    attention = style.heading + PAD + LABELS + stack + min(n * 26.0, ATTENTION_HEIGHT)
    attention = CAPTION + LANE + (2 * attention + FOLD_GAP if style.fold >= 2 else attention)
    output = (
        2 * (style.heading + PAD + min(rows * 20.0, ATTENTION_HEIGHT)) + FOLD_GAP
        if style.fold
        else 0.0
    )
    rows = document.d if style.orientation.columns else longest
    inputs = (
        2 * (min(rows * 20.0, 72.0) + above + style.heading + PAD) + GAP + 2 * lane_height(plan)
    )
    inputs = inputs if len(plan.vectors[0]) == 3 or document.context is not None else 0.0
    return 2 * MARGIN + max(projections, attention, inputs, output)


def _columns(sizes: ColumnSizer, height: float, style: CardStyle) -> list[Column]:
    columns, found = [], sizes.cards(sizes.rooms(height, style), style)
    for given, (kind, _) in zip(found, sizes.groups(style.fold), strict=True):
        cards = _closer(sizes, given, kind, height, style) if kind in ("input", "around") else given
        widest = max(card.width for card in cards)
        columns.append(Column(tuple(replace(card, least_width=widest) for card in cards), kind))
    return _evened(columns)


def _closer(
    sizes: ColumnSizer, cards: list[CardSize], kind: str, height: float, style: CardStyle
) -> list[CardSize]:
    """Tables one over the other, which are low, take the lines that their own names leave over."""
    lines = round((style.heading - SYMBOL_LINE) / (NAME_LINE * style.growth)) if style.cell else 0
    widest = max(card.width for card in cards)
    spare = lines - name_lines(
        sizes.document, [replace(card, least_width=widest) for card in cards], style
    )
    if len(cards) < 2 or lines < 1 or spare < 1:
        return cards
    less = replace(style, heading=style.heading - spare * NAME_LINE * style.growth)
    ids = tuple(card.stage_id for card in cards)
    room = matrix_height(sizes.document, kind, ids, height - 2 * MARGIN, less)
    closer = [sizes.card(name, room, less) for name in ids]
    wider = max(card.outer_width for card in closer) > max(card.outer_width for card in cards)
    return cards if wider else closer


def _evened(columns: list[Column]) -> list[Column]:
    """The attention matrices begin at one height, whether tokens stand above their columns or not."""
    highest = max(
        card.label_height
        for column in columns
        if column.kind == "attention"
        for card in column.cards
    )
    return [
        replace(column, cards=tuple(_raised(card, highest) for card in column.cards))
        if column.kind == "attention"
        else column
        for column in columns
    ]


def _raised(card: CardSize, label_height: float) -> CardSize:
    return replace(card, heading=card.heading + label_height - card.label_height)


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
    sizes = ColumnSizer(document, plan)
    base = CardStyle(decimals=decimals, orientation=orientation, longest=longest or {})
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
    sizes: ColumnSizer,
    room: tuple[float, float],
    inside: Layout | None,
    base: CardStyle,
    bare: CardStyle,
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
        needed_width(columns, index, index + 1, BAND / scale) <= room[0] / scale for index in pairs
    )


def _narrowest(
    sizes: ColumnSizer, room: float, orientation: Orientation, bare: CardStyle
) -> Layout:
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
