"""Exhibit of the lab `heads`: texts, and the picture of one wide head beside several."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from core.base.arrays import Array
from core.base.number_format import show
from core.labs.controls import Control
from core.labs.heads import ALL_ON, Count, HeadsResult, Single, Split
from core.labs.lab import Setting
from gui.labs import heads_picture
from gui.labs.charts import RIGHT_ALIGNED, Names, grid_rect, paint_grid, write
from gui.labs.exhibit import ROOMY_HEIGHT, ExhibitView, LabView, Spot, Viewed
from gui.labs.heads_picture import map_rects, names_of
from gui.labs.wording import leaders, listed, measured, named
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import Frame, cell_rect
from gui.painting.shapes import paint_shape
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, font
from gui.texts.names import head_name, visible_token
from gui.texts.translation import mark, tr

ROW = 22.0
BETWEEN = 22.0
TALLEST = 118.0
MOST_ALONG = 5  # most heatmaps in one line
GUTTER = 20.0  # gap beside a heatmap, usable by its title


def rects(area: QRectF, split: Split, single: Single) -> tuple[QRectF, ...]:
    """Return the heatmaps of all heads, then that of the single head, above the table."""
    inside = area.adjusted(16.0, 8.0, -16.0, -8.0)
    count = len(split.on) + 1
    high = inside.height() - table_height(area, single) - BETWEEN
    return map_rects(
        QRectF(inside.left(), inside.top(), inside.width(), high),
        split,
        count,
        TALLEST,
        2 if count > MOST_ALONG else 1,
    )


def table_height(area: QRectF, single: Single) -> float:
    """Return the height of the heading, of one line per kind of tensor unless low, and of the sum."""
    return ROW * ((len(single.many_counts) if area.height() >= ROOMY_HEIGHT else 0) + 2) + 10.0


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint heatmaps with the selected row framed, and the table below."""
    views: HeadsResult = view.result
    split, single, theme = views.split, views.single, view.theme
    frames = (Frame((views.token, views.token + 1), (0, split.A.shape[2]), theme.query),)
    many = rects(area, split, single)
    for head, rect in enumerate(many[:-1]):
        names = names_of(split, head, rect.width() + GUTTER, named=rect.left() == many[0].left())
        paint_grid(
            painter,
            rect,
            view,
            split.A[head],
            Levels(0.0, 1.0),
            Names(names.title, names.rows, names.columns, theme.weights),
            frames=frames,
        )
    last = many[-1]
    x = (many[-2].right() + last.left()) / 2
    paint_shape(painter, QLineF(x, last.top() - 38.0, x, last.bottom()), line=theme.line, width=2.0)
    mean = view.setting["view"] == "mean"
    if mean:
        title, short, A = tr("Mean of the heads"), "Ø", views.mean.A
    else:
        title, short, A = tr("One wide head"), "1", single.A
    room = area.right() - 8.0 - last.left()
    if QFontMetricsF(font(BODY, bold=True)).horizontalAdvance(title) > room:
        title = short
    names = Names(title, (), names_of(split, 0, 0.0, named=False).columns, theme.key)
    paint_grid(painter, last, view, A, Levels(0.0, 1.0), names, frames=frames)
    if mean:
        _paint_outputs(painter, area, views, view)
    else:
        _paint_table(painter, area, split, single, view)


def _paint_outputs(painter: QPainter, area: QRectF, views: HeadsResult, view: LabView) -> None:
    """Paint the output of the heads, and that of their mean, side by side."""
    high = table_height(area, views.single) - 8.0
    top, wide = area.bottom() - 8.0 - high, (area.width() - 32.0 - BETWEEN) / 2
    levels = levels_of(views.split.whole, "Y")
    tokens = tuple(map(visible_token, views.split.document.tokens))
    for left, title, Y in (
        (area.left() + 16.0, tr("Y of the heads"), views.split.whole),
        (area.left() + 16.0 + wide + BETWEEN, tr("Y if every head used the mean"), views.mean.Y),
    ):
        names = Names(title, tokens)
        rect = grid_rect(
            QRectF(left, top, wide, high), Y.shape[0], Y.shape[1], names, widest=84.0, tallest=60.0
        )
        paint_grid(painter, rect, view, Y, levels, names)


def _paint_table(
    painter: QPainter, rect: QRectF, split: Split, single: Single, view: LabView
) -> None:
    """Paint the tensors with their parameter counts, and the sums."""
    wide = min(rect.width() - 32.0, 620.0)
    area = QRectF(rect.left() + 16.0, rect.bottom() - 8.0 - table_height(rect, single), wide, ROW)
    heads = tr("{count} heads", count=len(split.on)), tr("one head")
    _paint_row(
        painter,
        area,
        (tr("Parameters"), *heads),
        view.theme,
        (view.theme.muted, view.theme.weights, view.theme.key),
        bold=True,
    )
    kinds = zip(single.many_counts, single.one_counts, strict=True)
    for many, one in kinds if rect.height() >= ROOMY_HEIGHT else ():
        area.translate(0.0, ROW)
        _paint_row(
            painter,
            area,
            (many.name, _counted(many), _counted(one)),
            view.theme,
            (view.theme.text,) * 3,
        )
    area.translate(0.0, ROW + 6.0)
    paint_shape(
        painter,
        QLineF(area.left(), area.top() - 2.0, area.right(), area.top() - 2.0),
        line=view.theme.text,
        width=1.2,
    )
    sums = (_total(single.many_counts), _total(single.one_counts))
    _paint_row(
        painter,
        area,
        (tr("together"), *map(str, sums)),
        view.theme,
        (view.theme.text,) * 3,
        bold=True,
    )
    beside = QRectF(
        area.right() + 40.0, rect.bottom() - 60.0, rect.right() - area.right() - 56.0, 20.0
    )
    if beside.width() > 220.0:
        write(
            painter,
            beside,
            tr("largest difference of the two outputs Y"),
            view.theme.muted,
            font(CAPTION),
        )
        number = measured(single.largest, view.decimals)
        write(
            painter, beside.translated(0.0, 22.0), number, view.theme.text, font(TITLE, bold=True)
        )


def _paint_row(
    painter: QPainter,
    area: QRectF,
    texts: Sequence[str],
    theme: Colours,
    inks: Sequence[str],
    *,
    bold: bool = False,
) -> None:
    edges = (0.0, 0.22, 0.61, 1.0)
    for column, text in enumerate(texts):
        left = area.left() + edges[column] * area.width()
        cell = QRectF(
            left,
            area.top(),
            (edges[column + 1] - edges[column]) * area.width() - 8.0,
            area.height(),
        )
        if column == 0:
            write(painter, cell, text, inks[column], font(BODY, bold=bold))
        else:
            write(painter, cell, text, inks[column], font(BODY, bold=bold), RIGHT_ALIGNED)


def _counted(count: Count) -> str:
    """Return a text such as 3 × 6 × 2 = 36."""
    factors = (count.copies, *count.shape) if count.copies > 1 else count.shape
    return f"{' × '.join(map(str, factors))} = {count.numbers}"


def _total(counts: Sequence[Count]) -> int:
    return sum(count.numbers for count in counts)


FEW = 4  # most heads with a text of their own


class HeadsExhibit(Viewed):
    """Switchable heads, the sum over heads, and the single head."""

    made = mark(
        "The matrices were made by hand, and the heads are named after what they were made for. "
        "No model learned them."
    )

    labels = {"view": mark("Picture"), "token": mark("Row of")}

    def label(self, control: Control, setting: Setting) -> str:
        """Name the heads."""
        if control.id.startswith("head-") and setting.document is not None:
            head = int(control.id.removeprefix("head-")) - 1
            return head_name(head, setting.document.heads[head].name)
        return super().label(control, setting)

    def spots(self, rect: QRectF, view: LabView) -> tuple[Spot, ...]:
        """Return heads as switches and rows as choices."""
        views: HeadsResult = view.result
        if view.setting["view"] in ALL_ON:
            return _row_spots(rect, views)
        if view.setting["view"] == "off":
            areas = heads_picture.switch_layout(rect, views.split).heads
        else:
            areas = tuple(
                line.mixed.united(line.part).adjusted(-4.0, -2.0, 4.0, 2.0)
                for line in heads_picture.block_layout(rect, views.split).lines
            )
        return tuple(_head_spot(area, views.split, head) for head, area in enumerate(areas))


def _head_spot(area: QRectF, split: Split, head: int) -> Spot:
    title = head_name(head, split.document.heads[head].name)
    name = tr("{head}, on", head=title) if split.on[head] else tr("{head}, off", head=title)
    control = f"head-{head + 1}"
    return Spot(control, area, name, control, value=not split.on[head])


def _row_spots(area: QRectF, views: HeadsResult) -> tuple[Spot, ...]:
    """Return the rows of the single head."""
    rect = rects(area, views.split, views.single)[-1]
    tokens = views.split.document.tokens
    return tuple(
        Spot(
            f"row-{row}",
            cell_rect(rect, len(tokens), 1, row, 0),
            tr("Row of “{token}”", token=visible_token(token)),
            "token",
            value=str(row),
        )
        for row, token in enumerate(tokens)
    )


def _notice_off(view: LabView) -> str:
    """Report the loss without some heads, by the most affected rows."""
    split: Split = view.result.split
    off = split.on.count(False)
    if not off:
        return _notice_all_on(split, view.decimals)
    if not split.lost.any():
        return tr("Heads off: {count} of {h}. No row of Y has changed.", count=off, h=len(split.on))
    most = leaders(split.lost, view.decimals)
    return tr(
        "Heads off: {count} of {h}. Of all rows of Y that of {tokens} changes most: ‖ΔY‖ = {change}.",
        count=off,
        h=len(split.on),
        tokens=named(split.document.tokens, most),
        change=view.show(split.lost[most[0]]),
    )


def _notice_all_on(split: Split, decimals: int) -> str:
    tokens = split.document.tokens
    if not split.without.any():
        return tr(
            "All heads are on. In this example any single one could be switched off without changing Y."
        )
    places = [divmod(place, len(tokens)) for place in leaders(split.without.ravel(), decimals)]
    change = show(float(split.without.max()), decimals)
    heads = sorted({head for head, _ in places})
    names = [head_name(head, split.document.heads[head].name) for head in heads]
    if len(heads) > 1:
        return tr(
            "All heads are on. In this example Y would change equally much without {heads}: by up to ‖ΔY‖ = {change}.",
            heads=listed(names),
            change=change,
        )
    return tr(
        "All heads are on. In this example Y would change most without “{head}”, in the row of {tokens}: ‖ΔY‖ = {change}.",
        head=names[0],
        tokens=named(tokens, [row for _, row in places]),
        change=change,
    )


def _notice_blocks(view: LabView) -> str:
    error = measured(view.result.split.error, view.decimals)
    if not any(view.result.split.on):
        return tr("All heads are off: there is nothing to add up.")
    return tr(
        "What the heads that are on contribute adds up to Y: the difference is at most {error}.",
        error=error,
    )


def _notice_mean(view: LabView) -> str:
    views: HeadsResult = view.result
    return tr(
        "The rows of the mean sum to 1 as well, but no head uses them: if each did, Y would change by up to {change}.",
        change=view.show(views.mean.largest),
    )


def _notice_one(view: LabView) -> str:
    views: HeadsResult = view.result
    split, row, decimals = views.split, views.token, view.decimals
    keys = split.document.key_tokens
    token = visible_token(split.document.tokens[row])
    heads = split.A[:, row]
    single = _looks(keys, views.single.A[row], decimals)
    if len(heads) > FEW:
        seen = len(set(heads.argmax(axis=1).tolist()))
        return tr(
            "{h} heads look from “{token}” at {count} different tokens; the single head, with as many parameters, most "
            "at {single}.",
            h=len(heads),
            token=token,
            count=seen,
            single=single,
        )
    return tr(
        "“{token}” looks most, head by head, at: {seen}. The single head, with as many parameters: {single}.",
        token=token,
        seen=tr("; ").join(_looks(keys, weights, decimals) for weights in heads),
        single=single,
    )


def _looks(keys: tuple[str, ...], weights: Array, decimals: int) -> str:
    """Return the keys with the largest weight, and that weight."""
    most = leaders(weights, decimals)
    weight = show(float(weights[most[0]]), decimals)
    if len(most) == len(weights):
        return tr("all equally, {weight}", weight=weight)
    return tr("{tokens}, {weight}", tokens=named(keys, most), weight=weight)


VIEWS = {
    "off": ExhibitView(
        mark("Switch heads off"),
        mark("Switch the heads off one by one: which row of Y changes most without which head?"),
        _notice_off,
        heads_picture.paint_switches,
    ),
    "blocks": ExhibitView(
        mark("The sum of the heads"),
        mark("Switch a head off: which columns of Y did it fill alone?"),
        _notice_blocks,
        heads_picture.paint_blocks,
    ),
    "one": ExhibitView(
        mark("Several heads or one"),
        mark("Choose another token: does the single head ever look where all of them look?"),
        _notice_one,
        paint,
    ),
    "mean": ExhibitView(
        mark("The mean of the heads"),
        mark("Choose a token: does the mean show where any single head looks?"),
        _notice_mean,
        paint,
    ),
}

EXHIBIT = HeadsExhibit(VIEWS)
