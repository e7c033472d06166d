"""Exhibit of the lab `sparse`: texts and the picture of patterns and reach."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from core.labs.sparse import BYTES, LONGEST, WIDTH, Links
from gui.labs.charts import (
    RIGHT_ALIGNED,
    ChartAxis,
    ChartStroke,
    Fact,
    chart_in,
    ends_width,
    paint_curves,
    paint_facts,
    paint_frame,
    paint_points,
    split_facts,
    write,
)
from gui.labs.exhibit import Exhibit, LabView, Spot
from gui.labs.wording import bytes_text, counted
from gui.painting.shapes import faded, paint_disc, paint_shape, set_ink
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.texts.translation import mark, tr
from gui.widgets.subscripts import width_of

WIDE = 1.35
TITLE_HIGH = 24.0
LABEL = 34.0  # width left of the grid and of the layers
BETWEEN = 28.0
LEAST_THIRD = 200.0  # least width of each of three parts
KEY_LINE = 16.0
FAR = 0.4  # opacity of tokens reached through layers, relative to a link


def areas(area: QRectF) -> tuple[QRectF, QRectF, QRectF, QRectF]:
    """Return the rectangles of facts, grid, layers and chart.

    Facts and chart empty if they do not fit.
    """
    facts, below = split_facts(area, 14.0)
    if area.width() >= WIDE * area.height():
        count = 3 if below.width() - 2 * BETWEEN >= 3 * LEAST_THIRD else 2
        wide = (below.width() - (count - 1) * BETWEEN) / count
        parts = [
            QRectF(below.left() + place * (wide + BETWEEN), below.top(), wide, below.height())
            for place in range(count)
        ]
        return facts, parts[0], parts[1], parts[2] if count == 3 else QRectF()
    half, high = (below.width() - BETWEEN) / 2, below.height() * 0.56
    grid = QRectF(below.left(), below.top(), half, high)
    layers = QRectF(grid.right() + BETWEEN, below.top(), half, high)
    return (
        facts,
        grid,
        layers,
        QRectF(below.left(), grid.bottom() + 12, below.width(), below.height() - high - 12),
    )


def cells(area: QRectF, n: int) -> QRectF:
    """Return the square of the pattern."""
    side = min(area.width() - LABEL, area.height() - TITLE_HIGH - 8 - 2 * KEY_LINE)
    return QRectF(area.left() + LABEL, area.top() + TITLE_HIGH, side, side)


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint everything."""
    links: Links = view.result
    facts, grid, layers, chart = areas(area)
    _paint_grid(painter, grid, links, view.theme)
    _paint_layers(painter, layers, links, view.theme)
    if facts.height():
        _paint_facts(painter, facts, links, view)
    if chart.height():
        _paint_chart(painter, chart, links, view.theme)


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the chosen row, draggable, and the others, clickable."""
    links: Links = view.result
    square = cells(areas(area)[1], links.n)
    high = square.height() / links.n

    def row(token: int) -> QRectF:
        return QRectF(
            square.left() - LABEL, square.top() + token * high, square.width() + LABEL, high
        )

    def dragged(point: QPointF) -> int:
        return int(min(max((point.y() - square.top()) // high, 0), links.n - 1)) + 1

    def name(token: int) -> str:
        return tr(
            "token {number}, looks at {count}",
            number=token + 1,
            count=int(links.allowed[token].sum()),
        )

    own = Spot("row", row(links.token), name(links.token), "token", drag=dragged, nudge=high)
    others = (token for token in range(links.n) if token != links.token)
    return (
        own,
        *(
            Spot(f"row {token}", row(token), name(token), "token", token + 1, tab=False)
            for token in others
        ),
    )


def _paint_facts(painter: QPainter, area: QRectF, links: Links, view: LabView) -> None:
    theme = view.theme
    share = f"{links.links / links.n**2:.0%}"
    reached = tr("{seen} of {n}", seen=links.seen, n=links.n)
    paint_facts(
        painter,
        area,
        theme,
        [
            Fact(tr("Links"), counted(links.links)),
            Fact(tr("of n² = {count}", count=counted(links.n**2)), share),
            Fact(tr("Multiply-adds at d = {width}", width=WIDTH), counted(links.links * 2 * WIDTH)),
            Fact(tr("Reached through {layers}", layers=_layers(len(links.layers) - 1)), reached),
            Fact(tr("Memory of the weights"), bytes_text(links.links * BYTES)),
            Fact(
                tr("‖Δy‖ of token {token}, and largest", token=links.token + 1),
                f"{view.show(links.changed[links.token])}, {view.show(links.changed.max())}",
            ),
        ],
    )


def _paint_title(painter: QPainter, area: QRectF, text: str, theme: Colours) -> None:
    place = QRectF(area.left(), area.top(), area.width(), TITLE_HIGH)
    write(painter, place, text, theme.text, font(BODY, bold=True))


def _layers(count: int) -> str:
    return tr("1 layer") if count == 1 else tr("{count} layers", count=count)


def _paint_grid(painter: QPainter, area: QRectF, links: Links, theme: Colours) -> None:
    """Paint the pattern and, in the chosen row, what further layers reach."""
    square = cells(area, links.n)
    size = square.width() / links.n
    gap = min(1.5, size * 0.12)
    _paint_title(painter, area, tr("Who looks at whom"), theme)
    direct, far, empty = QColor(theme.text), faded(theme.text, FAR), QColor(theme.sunken)
    for row in range(links.n):
        for column in range(links.n):
            reached = row == links.token and links.layers[-1][column]
            fill = direct if links.allowed[row, column] else far if reached else empty
            left, top = square.left() + column * size, square.top() + row * size
            paint_shape(painter, QRectF(left, top, size - gap, size - gap), fill=fill)
    frame = QRectF(
        square.left() - 2, square.top() + links.token * size - 2, square.width() + 4, size + 4 - gap
    )
    paint_shape(painter, frame, line=theme.text, width=1.6, radius=3)
    label = QRectF(area.left(), frame.center().y() - 9, LABEL - 6, 18)
    write(painter, label, str(links.token + 1), theme.text, font(CAPTION, bold=True), RIGHT_ALIGNED)
    _paint_key(
        painter,
        QRectF(square.left(), square.bottom() + 8, area.right() - square.left(), KEY_LINE),
        links,
        theme,
    )


def _paint_key(painter: QPainter, area: QRectF, links: Links, theme: Colours) -> None:
    """Paint the legend of colours in one line or in several."""
    x, y = area.left(), area.top()
    far = tr("reached through {layers}", layers=_layers(len(links.layers) - 1))
    for alpha, text in ((1.0, tr("a link")), (FAR, far)):
        wide = 17 + width_of(text, font(CAPTION)) + 1
        if x > area.left() and x + wide > area.right():
            x, y = area.left(), y + KEY_LINE
        paint_shape(painter, QRectF(x, y + 3, 11, 11), fill=faded(theme.text, alpha))
        write(
            painter,
            QRectF(x + 17, y, area.right() - x - 17, KEY_LINE),
            text,
            theme.muted,
            font(CAPTION),
        )
        x += wide + 18


def _paint_layers(painter: QPainter, area: QRectF, links: Links, theme: Colours) -> None:
    """Paint the chosen token at the top and below, layer by layer, the tokens it reaches."""
    count = len(links.layers) - 1
    title = tr("Tokens that reach token {number}", number=links.token + 1)
    _paint_title(painter, area, title, theme)
    plot = area.adjusted(LABEL, TITLE_HIGH + 10, -6, -36)
    step_x, step_y = plot.width() / max(1, links.n - 1), plot.height() / count
    radius = max(1.6, min(5.0, step_x * 0.36))

    def at(token: int, layer: int) -> QPointF:
        return QPointF(plot.left() + token * step_x, plot.top() + layer * step_y)

    set_ink(painter, theme.muted)
    for layer in range(count):
        for query in np.flatnonzero(links.layers[layer]).tolist():
            keys = np.flatnonzero(links.allowed[query]).tolist()
            painter.drawLines([QLineF(at(query, layer), at(key, layer + 1)) for key in keys])
    for layer in range(count + 1):
        for token in range(links.n):
            fill = theme.text if links.layers[layer][token] else theme.line
            paint_disc(painter, at(token, layer), radius, fill=fill)
        label = QRectF(area.left(), at(0, layer).y() - 9, LABEL - 10, 18)
        write(
            painter,
            label,
            str(int(links.layers[layer].sum())),
            theme.muted,
            font(CAPTION),
            RIGHT_ALIGNED,
        )
    foot = QRectF(area.left(), plot.bottom() + 12, area.width(), 18)
    write(
        painter,
        foot,
        tr("one row per layer, with the number of tokens"),
        theme.muted,
        font(CAPTION),
    )


def _paint_chart(painter: QPainter, area: QRectF, links: Links, theme: Colours) -> None:
    """Paint links against length: formula as lines, counts as points, n² for comparison."""
    names = (tr("n²"), tr("this"))
    x = ChartAxis(4.0, float(LONGEST), log=True)
    y = ChartAxis(float(min(links.formula.min(), 16.0)), float(links.full.max()), log=True)
    chart = paint_frame(
        painter,
        chart_in(
            area,
            x,
            y,
            x_label="n",
            y_label=tr("links"),
            title=tr("Links against the length"),
            right=ends_width(names),
        ),
        theme,
    )
    whole, own = ChartStroke(theme.muted, "dashed"), ChartStroke(theme.text, width=2.5)
    curves = list(zip(names, (links.full, links.formula), (whole, own), strict=True))
    paint_curves(painter, chart, links.lengths, curves)
    lengths, counts = zip(*links.counted, strict=True)
    paint_points(painter, chart, lengths, counts, theme.text)


def _reach(links: Links) -> str:
    count, whole = counted(links.links), counted(links.n**2)
    layers = len(links.layers) - 1
    if links.everywhere is not None and links.everywhere <= 1:
        return tr(
            "{count} of {whole} links: every token sees every token at once.",
            count=count,
            whole=whole,
        )
    if links.everywhere is not None:
        return tr(
            "{count} of {whole} links, and yet after {layers} layers every token has something of all of them.",
            count=count,
            whole=whole,
            layers=links.everywhere,
        )
    if layers == 1:
        return tr(
            "{count} of {whole} links: with one layer token {token} has something of {seen} of {n} tokens.",
            count=count,
            whole=whole,
            token=links.token + 1,
            seen=links.seen,
            n=links.n,
        )
    return tr(
        "{count} of {whole} links: after {layers} layers token {token} has something of {seen} of {n} tokens.",
        count=count,
        whole=whole,
        layers=layers,
        token=links.token + 1,
        seen=links.seen,
        n=links.n,
    )


class SparseExhibit(Exhibit):
    """Grid, layers, chart."""

    labels = {
        "kind": mark("Pattern"),
        "reach": mark("Reach to each side"),
        "gap": mark("Every … token"),
        "block": mark("Tokens in a block"),
        "hubs": mark("Global tokens"),
        "extra": mark("Random links per row"),
        "seed": mark("Seed"),
        "n": mark("Tokens n"),
        "layers": mark("Layers"),
        "token": mark("Whose reach"),
    }
    helps = {
        "gap": mark("2 means that every second neighbour is seen."),
        "hubs": mark("They see every token, and every token sees them."),
        "layers": mark(
            "In each layer a token takes up what its links carry, and keeps what it has."
        ),
    }
    made = mark(
        "The change of the output is measured in one layer, for randomly drawn token vectors "
        "with W_Q = W_K = W_V = I, against dense attention."
    )
    options = {
        "full": mark("Dense"),
        "causal": mark("Causal"),
        "window": mark("Window"),
        "dilated": mark("Dilated window"),
        "block": mark("Blocks"),
        "global": mark("Window and global tokens"),
        "random": mark("Window and random links"),
    }

    def notice(self, view: LabView) -> str:
        """Report the number of links and their reach, and what is lost in the output."""
        links: Links = view.result
        if not links.changed.any():
            return _reach(links)
        lost = tr(
            "In one layer the output differs from that of dense attention by up to ‖Δy‖ = {change}.",
            change=view.show(links.changed.max()),
        )
        return tr("{said} {more}", said=_reach(links), more=lost)

    def attempt(self, view: LabView) -> str:
        """Suggest something specific to each pattern."""
        kind = view.setting["kind"]
        if kind == "window":
            return tr(
                "Choose “Window and global tokens”: how many layers does one global token save?"
            )
        if kind == "block":
            return tr(
                "Add layers: why does the reach not grow? What would have to change from layer to layer?"
            )
        if kind == "dilated":
            return tr(
                "Look at the layers: which tokens are never reached, however many layers there are?"
            )
        return tr(
            "Let n grow to 64: which patterns keep a line that rises like n, and which like n²?"
        )

    paint = staticmethod(paint)
    spots = staticmethod(spots)

    def spoken(self, view: LabView) -> str:
        """Describe how many tokens each layer adds."""
        reach = tr(", ").join(str(int(layer.sum())) for layer in view.result.layers)
        kind = self.option("kind", view.result.pattern.kind, view.setting)
        return tr(
            "{kind}. Reached layer by layer: {reach}. {notice}",
            kind=kind,
            reach=reach,
            notice=self.notice(view),
        )


EXHIBIT = SparseExhibit()
