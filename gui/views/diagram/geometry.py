"""Layout of the diagram: boxes and arrows as plain numbers. Free of Qt.

Columns from left to right: tokens or X (P below), X′, Q over K over V, then one or two stages each;
two if the picture would be too wide for digits otherwise. The attention matrices are centred
between Q and K, so that V's arrow passes below them to A·V.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat

from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.stages import Plan
from core.stages import plan as plan_of
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
    with_optional_stages,
    without_missing,
)
from gui.views.diagram.shapes import MOST_EDGES, STACK_Y, WORDS, DiagramLayout

# Digits above this size in pixels add little value.
GOOD_DIGITS, BEST_DIGITS, BEYOND = 11.0, 20.0, 0.4


def digit_value(digits: float) -> float:
    """Return the value of digits of a size, in pixels of small ones."""
    return min(digits, GOOD_DIGITS) + BEYOND * max(0.0, min(digits, BEST_DIGITS) - GOOD_DIGITS)


# Value of digits on all cards.
ALL_CARDS = 20.0

# Value of token names everywhere, at the start of each strand, or anywhere; and of all stages in
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

# A picture with places for optional stages needs this score, which digits of ordinary size on all
# cards have. Labels of all arrows, and attention matrices in one line, are worth more in it.
ROOMY = ALL_CARDS + 10.0
ROOMY_STYLES = tuple(
    (penalty + (not style.arrows) + (style.fold >= 2), style) for penalty, style in STYLES
)

WIDEST_GAP = 96.0
# Area of the diagram in a window of 1280 × 720, and the area at which texts have their nominal
# size; they grow with larger areas.
AREA = (1240.0, 260.0)
TEXT_AREA = (1240.0, 230.0)
SMALLEST_TEXT, LARGEST_TEXT = 0.86, 2.2
LARGEST_CELL = 64.0
SEARCHES = 5
GROWN_LINE = 25.0  # height of a name in a picture with enlarged texts
# Maximum stretch of the picture's height towards that of its window.
MOST_STRETCH = 1.7
ORDINARY = 13.0  # digits of this size may shrink in favour of stage names
FOLD_GAIN = 1.12  # least enlargement of images that justifies folding


def layout(
    document: Document,
    plan: Plan,
    decimals: int = 2,
    area: tuple[float, float] = AREA,
    orientation: Orientation = ROWS,
) -> DiagramLayout:
    """Lay out boxes and arrows for an area in pixels, with digits if they can be readable.

    Otherwise cells are smaller and show only colours. Sizes, tokens and parts of an experiment
    decide, never its numbers. Equal arguments give equal pictures.
    """
    base = CardStyle(decimals=decimals, orientation=orientation)
    roomy, tight = _sizers(document, plan)
    return (
        with_digits(roomy, area, base)
        or with_digits(tight, area, base)
        or without_digits(tight, area, base)
    )


def _sizers(document: Document, plan: Plan) -> tuple[ColumnSizer, ColumnSizer]:
    """Return the sizes with places for optional stages, and those of the drawn stages alone."""
    whole = with_optional_stages(document)
    return ColumnSizer(whole, plan_of(whole), plan, roomy=True), ColumnSizer(document, plan)


def with_digits(
    sizes: ColumnSizer, area: tuple[float, float], base: CardStyle
) -> DiagramLayout | None:
    """Return the layout with digits; None without readable ones or room for optional stages."""
    if not sizes.readable(area[1], base.orientation):
        return None
    scale = min(max(min(area[0] / TEXT_AREA[0], area[1] / TEXT_AREA[1]), 1.0), LARGEST_TEXT)
    score, style = _best(sizes, area, replace(base, scale=scale))
    if score < ALL_CARDS:  # digits everywhere take precedence over full-size headings
        smaller = replace(base, scale=SMALLEST_TEXT, growth=1.0 / SMALLEST_TEXT)
        found = _best(sizes, area, smaller)
        score, style = found if found[0] > score else (score, style)
    if style is None or (sizes.roomy and score < ROOMY):
        return None
    return _laid_out(sizes, (area[0] / style.scale, area[1] / style.scale), style)


def _best(
    sizes: ColumnSizer, area: tuple[float, float], base: CardStyle
) -> tuple[float, CardStyle | None]:
    """Return the style with the most readable digits and its score; None without any."""
    size = area[0] / base.scale, area[1] / base.scale
    best, best_score = None, 0.0
    for penalty, style in ROOMY_STYLES if sizes.roomy else STYLES:
        if style.fold and sizes.groups(style.fold) == sizes.groups(style.fold - 1):
            continue
        found = _widest(sizes, size, _adapted(base, style, base.growth))
        if found is not None and (best is None or found[0] - penalty > best_score):
            best, best_score = found[1], found[0] - penalty
    return best_score, best


def _adapted(base: CardStyle, style: CardStyle, growth: float) -> CardStyle:
    """Adapt a style to a document and its orientation."""
    return replace(
        style,
        scale=base.scale,
        growth=growth,
        decimals=base.decimals,
        orientation=base.orientation,
    )


def _widest(
    sizes: ColumnSizer, size: tuple[float, float], style: CardStyle
) -> tuple[float, CardStyle] | None:
    """Return a style with the widest cells that fit, and the score of its digits."""
    style = replace(style, cell=least_cell(style), heading=SYMBOL_LINE)
    groups, heights = sizes.groups(style.fold), sizes.heights(size[1], style)
    fixed = 2 * MARGIN + sum(sizes.gaps(style))
    steepest = sum(
        max((sizes.fixed(name, style).columns for name in ids if name not in WORDS), default=0)
        for _, ids in groups
    )
    for _ in range(SEARCHES):
        cards = sizes.cards(heights, style)
        spare = size[0] - fixed - sum(max(card.outer_width for card in column) for column in cards)
        if spare < 0.0 or not all(map(fits_height, cards, groups, repeat(size[1]))):
            return None
        if style.cell >= LARGEST_CELL or spare < 1.0:
            break
        style = replace(style, cell=min(style.cell + spare / steepest, LARGEST_CELL))
    score = _score([card for column in cards for card in column])
    return None if score is None else (score, style)


def _laid_out(sizes: ColumnSizer, size: tuple[float, float], style: CardStyle) -> DiagramLayout:
    """Lay out a style with all names that fit, and distribute the remaining width to the gaps."""
    style = _with_names(sizes, size, style)
    columns, gaps = _sized(sizes, size[1], style)
    slack = max(0.0, size[0] - _width(columns, gaps)) / max(1, len(gaps))
    gaps = [min(gap + slack, max(gap, WIDEST_GAP)) for gap in gaps]
    return replace(_finished(sizes, columns, gaps, size[1], style), digits=True)


def _sized(sizes: ColumnSizer, height: float, style: CardStyle) -> tuple[list[Column], list[float]]:
    return _columns(sizes, height, style), list(sizes.gaps(style))


def _score(cards: list[CardSize]) -> float | None:
    """Score the size of digits and the number of cards with digits; None if too low."""
    cards = [card for card in cards if card.stage_id not in WORDS]
    digits = [card.digits for card in cards if card.digits >= LEAST_DIGITS]
    if 2 * len(digits) < len(cards):
        return None
    return ALL_CARDS * len(digits) / len(cards) + digit_value(min(digits))


def _with_names(sizes: ColumnSizer, size: tuple[float, float], style: CardStyle) -> CardStyle:
    """Add names below symbols, as far as no digits become smaller than ordinary text."""
    cards = _cards(_columns(sizes, size[1], style))
    plain = min(_score(cards) or 0.0, ALL_CARDS + digit_value(ORDINARY))
    for lines in range(name_lines(sizes.document, cards, style), 0, -1):
        named = replace(style, heading=SYMBOL_LINE + lines * NAME_LINE * style.growth)
        columns = _columns(sizes, size[1], named)
        score = _score(_cards(columns))
        names_fit = all(
            fits_height(column.cards, (column.kind, column.ids), size[1]) for column in columns
        )
        if names_fit and score is not None and score >= plain - 0.5:
            return named
    return style


def _cards(columns: list[Column]) -> list[CardSize]:
    return [card for column in columns for card in column.cards]


def without_digits(
    sizes: ColumnSizer, area: tuple[float, float], base: CardStyle, bare: CardStyle = BARE
) -> DiagramLayout:
    """Return the layout with images only, folded where that enlarges them."""
    best, best_scale, style = None, 0.0, _adapted(base, bare, bare.growth)
    for fold in range(FOLDED + 1):
        found = _with_images(sizes, area[0] / area[1], replace(style, fold=fold))
        scale = min(area[0] / found.width, area[1] / found.height)
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
) -> DiagramLayout:
    """Lay out images only at a height, as narrow as possible; height 0 means the minimum.

    `named` says whether tokens may have space beside the images.
    """
    style = replace(bare, fold=fold, orientation=orientation)
    style = style if named else replace(style, named=frozenset())
    style = _with_lines(sizes, style)
    height = height or _least_height(sizes, style)
    return _finished(sizes, *_sized(sizes, height, style), height, style)


def _with_images(sizes: ColumnSizer, aspect: float, style: CardStyle) -> DiagramLayout:
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
) -> DiagramLayout:
    placed = tuple(place_boxes(columns, gaps, height, style.orientation))
    boxes = with_one_chip(sizes.document, tuple(without_missing(placed, sizes.shown)), style)
    arrows = tuple(route(sizes.document, sizes.shown, boxes, height - MARGIN, style))
    return DiagramLayout(
        _width(columns, gaps),
        height,
        in_order(sizes.shown, boxes),
        arrows,
        softmax_frame(sizes.shown, boxes),
    )


def _with_lines(sizes: ColumnSizer, style: CardStyle) -> CardStyle:
    """Reserve one line for names if all fit, else two, or three if necessary."""
    if style.plain:
        return style
    cards = _cards(_columns(sizes, _least_height(sizes, style), style))
    lines = name_lines(sizes.document, cards, style)
    return replace(style, heading=style.heading + {1: -NAME_LINE, 3: GROWN_LINE}.get(lines, 0.0))


def _width(columns: list[Column], gaps: list[float]) -> float:
    return 2 * MARGIN + sum(column.width for column in columns) + sum(gaps)


def _least_height(sizes: ColumnSizer, style: CardStyle) -> float:
    """Return the minimum height at which all parts are distinguishable without digits."""
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
    columns, found = [], sizes.cards(sizes.heights(height, style), style)
    for given, (kind, _) in zip(found, sizes.groups(style.fold), strict=True):
        cards = (
            _with_fewer_lines(sizes, given, kind, height, style)
            if kind in ("input", "around")
            else given
        )
        widest = max(card.width for card in cards)
        columns.append(Column(tuple(replace(card, least_width=widest) for card in cards), kind))
    return _aligned_tops(columns)


def _with_fewer_lines(
    sizes: ColumnSizer, cards: list[CardSize], kind: str, height: float, style: CardStyle
) -> list[CardSize]:
    """Let low, stacked tables reserve only the lines that their own names need."""
    lines = round((style.heading - SYMBOL_LINE) / (NAME_LINE * style.growth)) if style.cell else 0
    widest = max(card.width for card in cards)
    spare = lines - name_lines(
        sizes.document, [replace(card, least_width=widest) for card in cards], style
    )
    if len(cards) < 2 or lines < 1 or spare < 1:
        return cards
    less = replace(style, heading=style.heading - spare * NAME_LINE * style.growth)
    ids = tuple(card.stage_id for card in cards)
    area = matrix_height(sizes.document, kind, ids, height - 2 * MARGIN, less)
    closer = [sizes.card(name, area, less) for name in ids]
    if max(card.outer_width for card in closer) <= max(card.outer_width for card in cards):
        return closer
    return [replace(card, heading=less.heading) for card in cards]


def _aligned_tops(columns: list[Column]) -> list[Column]:
    """Align the tops of the attention matrices, with or without tokens above their columns."""
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


# At this scale symbols, grown as far as possible, have the minimum size of texts.
LEGIBLE = 0.4
# Maximum enlargement of images to fill the height.
LARGEST_IMAGES = 0.8
# Below this scale tokens beside images are unreadable and get no space.
NAMED = 0.58
# Below this scale names and shapes of stages are unreadable and get no space.
WORDS_SEEN = 0.52
# Maximum width of a picture with digits, as a multiple of the available width.
FOR_DIGITS = (1.0, 1.25, 1.5, 1.75, 2.0)

# Gaps and margins of three stacked matrices, in units.
BETWEEN = 34.0


def unit_for_digits(
    document: Document, orientation: Orientation, height: float, wanted: float
) -> float:
    """Return the pixels per unit: `wanted`, or fewer if that makes digits fit the height.

    The stacked queries, keys and values determine the result.
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
    area: tuple[float, float] = AREA,
    orientation: Orientation = ROWS,
) -> DiagramLayout:
    """Lay out with digits if at least half of the picture fits, else as a whole, else in part.

    The whole picture must have readable symbols. A picture in part has images only, and as many
    cards in view as possible.
    """
    base = CardStyle(decimals=decimals, orientation=orientation)
    roomy, sizes = _sizers(document, plan)
    inside = with_digits(roomy, area, base)
    if inside is not None and _neighbours_fit(inside, area):
        return inside
    inside = with_digits(sizes, area, base)
    for times in FOR_DIGITS:
        found = inside if times == 1.0 else with_digits(sizes, (area[0] * times, area[1]), base)
        if found is not None and _neighbours_fit(found, area):
            return found
    found = _images(sizes, area, inside, base, BARE)
    if found is inside or _fit_scale(found, area) >= WORDS_SEEN:
        return found
    return _images(sizes, area, inside, base, PLAIN)


def _images(
    sizes: ColumnSizer,
    area: tuple[float, float],
    inside: DiagramLayout | None,
    base: CardStyle,
    bare: CardStyle,
) -> DiagramLayout:
    """Return the whole picture if its symbols are readable, else one with most cards in view."""
    whole = inside or without_digits(sizes, area, base, bare)
    narrow = _narrowest(sizes, area[1], base.orientation, bare)
    return whole if _fit_scale(whole, area) >= max(LEGIBLE, _fit_scale(narrow, area)) else narrow


def _fit_scale(diagram: DiagramLayout, area: tuple[float, float]) -> float:
    """Return the scale at which the whole picture fits an area."""
    return min(area[0] / diagram.width, area[1] / diagram.height)


def _neighbours_fit(diagram: DiagramLayout, area: tuple[float, float]) -> bool:
    """Return whether neighbouring columns always fit together."""
    columns, scale = columns_of(diagram.boxes), area[1] / diagram.height
    pairs = range(len(columns.boxes) - 1)
    return all(
        needed_width(columns, index, index + 1, BAND / scale) <= area[0] / scale for index in pairs
    )


def _narrowest(
    sizes: ColumnSizer, area: float, orientation: Orientation, bare: CardStyle
) -> DiagramLayout:
    """Return the legible folding of images that shows most of the picture."""
    best, best_width = None, 0.0
    for fold in range(FOLDED + 1):
        scale = min(area / images(sizes, 0.0, fold, orientation, bare=bare).height, LARGEST_IMAGES)
        if best is not None and scale < LEGIBLE:
            continue
        scale = max(scale, LEGIBLE)
        found = images(sizes, area / scale, fold, orientation, named=scale >= NAMED, bare=bare)
        if best is None or found.width * scale < best_width:
            best, best_width = found, found.width * scale
    assert best is not None
    return best
