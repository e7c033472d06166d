"""Exhibit of the lab `patches`: texts and the picture of an image cut into patches."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from core.base.arrays import Array
from core.base.number_format import show
from core.labs.patches import Patches
from gui.labs.charts import FACTS_HEIGHT, Fact, paint_facts, paint_grid, write
from gui.labs.exhibit import Exhibit, LabView, Spot
from gui.labs.wording import counted, leaders, listed
from gui.painting.color_scale import Levels
from gui.painting.shapes import faded, paint_shape
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.texts.translation import mark, tr

WIDE = 1.3
TITLE_HIGH = 24.0
VEIL = 0.86  # opacity of the shade over a patch of weight 0


def areas(area: QRectF) -> tuple[QRectF, QRectF, QRectF, QRectF]:
    """Return the rectangles of facts, picture, map and output."""
    inner = area.adjusted(12, 6, -12, -6)
    facts = QRectF(inner.left(), inner.top(), inner.width(), FACTS_HEIGHT)
    below = inner.adjusted(0, FACTS_HEIGHT + 10, 0, 0)
    if area.width() >= WIDE * area.height():
        large = QRectF(below.left(), below.top(), below.width() * 0.62, below.height())
        x, width = large.right() + 24, below.right() - large.right() - 24
        half = (below.height() - 14) / 2
        small = QRectF(x, below.top(), width, half)
        return facts, large, small, QRectF(x, small.bottom() + 14, width, half)
    large = QRectF(below.left(), below.top(), below.width(), below.height() * 0.6)
    y, height, half = (
        large.bottom() + 10,
        below.bottom() - large.bottom() - 10,
        (below.width() - 16) / 2,
    )
    return (
        facts,
        large,
        QRectF(below.left(), y, half, height),
        QRectF(below.left() + half + 16, y, half, height),
    )


def placed(area: QRectF, patches: Patches) -> QRectF:
    """Return the rectangle of a picture of these patches below its title, as large as fits."""
    rect = area.adjusted(0, TITLE_HIGH, 0, 0)
    unit = min(rect.width() / patches.columns, rect.height() / patches.rows)
    return QRectF(rect.left(), rect.top(), unit * patches.columns, unit * patches.rows)


def cell(rect: QRectF, patches: Patches, patch: int) -> QRectF:
    """Return the rectangle of a patch."""
    row, column = patches.place(patch)
    size = rect.width() / patches.columns
    return QRectF(rect.left() + column * size, rect.top() + row * size, size, size)


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint everything."""
    patches: Patches = view.result
    facts, large, small, output = areas(area)
    _paint_facts(painter, facts, view)
    _paint_looking(painter, large, patches, view.theme)
    _paint_map(painter, small, view)
    _title(painter, output, tr("What every patch has become"), view.theme)
    rect = placed(output, patches)
    _paint_image(painter, rect, patches.seen, smooth=False)
    _frame(painter, cell(rect, patches, patches.patch))


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the chosen patch, draggable, and the others, clickable."""
    patches: Patches = view.result
    rect = placed(areas(area)[1], patches)
    size = rect.width() / patches.columns

    def at(point: QPointF) -> int:
        row = min(max(int((point.y() - rect.top()) // size), 0), patches.rows - 1)
        column = min(max(int((point.x() - rect.left()) // size), 0), patches.columns - 1)
        return row * patches.columns + column + 1

    def name(patch: int) -> str:
        row, column = patches.place(patch)
        weight = show(float(patches.weights[patches.patch, patch]), max(3, view.decimals))
        return tr(
            "patch {row}, {column}: weight {weight}", row=row + 1, column=column + 1, weight=weight
        )

    own = Spot(
        "patch",
        cell(rect, patches, patches.patch),
        name(patches.patch),
        "patch",
        drag=at,
        nudge=size,
    )
    others = (patch for patch in range(patches.n) if patch != patches.patch)
    return (
        own,
        *(
            Spot(f"p{p}", cell(rect, patches, p), name(p), "patch", p + 1, tab=False)
            for p in others
        ),
    )


def _paint_facts(painter: QPainter, area: QRectF, view: LabView) -> None:
    patches: Patches = view.result
    theme, decimals = view.theme, max(3, view.decimals)
    own = float(patches.weights[patches.patch, patches.patch])
    entropy = -float(sum(w * np.log(w) for w in patches.weights[patches.patch] if w > 0))
    size = tr("{rows} × {columns} = {n}", rows=patches.rows, columns=patches.columns, n=patches.n)
    paint_facts(
        painter,
        area,
        theme,
        [
            Fact(tr("Patches"), size),
            Fact(tr("Pairs n²"), counted(patches.n**2)),
            Fact(tr("Weight on itself"), show(own, decimals), theme.weights),
            Fact(tr("Effective number of patches looked at"), show(float(np.exp(entropy)), 1)),
        ],
    )


def _paint_looking(painter: QPainter, area: QRectF, patches: Patches, theme: Colours) -> None:
    """Paint the picture, darker for patches of lower weight."""
    _title(painter, area, tr("Where the framed patch looks: the clearer, the more"), theme)
    rect = placed(area, patches)
    side = patches.side
    whole = patches.pixels[: patches.rows * side, : patches.columns * side]
    _paint_image(painter, rect, whole, smooth=True)
    weights = patches.weights[patches.patch]
    most = float(weights.max()) or 1.0
    for patch in range(patches.n):
        veil = faded("#000000", VEIL * (1.0 - float(weights[patch]) / most))
        paint_shape(painter, cell(rect, patches, patch), fill=veil)
    _frame(painter, cell(rect, patches, patches.patch))


def _paint_map(painter: QPainter, area: QRectF, view: LabView) -> None:
    patches: Patches = view.result
    _title(painter, area, tr("Its row of the attention weights"), view.theme)
    rect = placed(area, patches)
    row = np.ascontiguousarray(patches.row)
    paint_grid(painter, rect, view, row, Levels(0.0, float(row.max()) or 1.0), digits=None)
    _frame(painter, cell(rect, patches, patches.patch))


def _paint_image(painter: QPainter, rect: QRectF, colours: Array, *, smooth: bool) -> None:
    pixels = np.ascontiguousarray(np.round(colours * 255).astype(np.uint8))
    height, width = pixels.shape[:2]
    image = QImage(pixels.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
    painter.drawImage(rect, image)


def _frame(painter: QPainter, rect: QRectF) -> None:
    """Paint a bright line on a dark one, visible on every picture."""
    for colour, width in (("#000000", 4.0), ("#FFFFFF", 2.0)):
        paint_shape(painter, rect, line=colour, width=width)


def _title(painter: QPainter, area: QRectF, text: str, theme: Colours) -> None:
    face = font(BODY if area.width() > 260 else CAPTION, bold=True)
    write(
        painter,
        QRectF(area.left(), area.top(), area.width(), TITLE_HIGH - 4),
        text,
        theme.text,
        face,
    )


class PatchesExhibit(Exhibit):
    """The picture, the map and the output."""

    made = mark("The vectors are computed from the pixels; nothing in this lab is learned.")

    labels = {
        "picture": mark("Picture"),
        "open": mark("Another picture…"),
        "side": mark("Patch width in pixels"),
        "sharpness": mark("How sharply it looks (W_Q times)"),
        "position": mark("Weight of positions"),
        "patch": mark("Patch"),
    }
    helps = {
        "sharpness": mark("At 0 every patch looks at all patches equally."),
        "position": mark(
            "How much row and column count beside colour; at 0 a patch does not know where it is."
        ),
        "side": mark(
            "Half the width means four times as many tokens, and sixteen times as many pairs."
        ),
    }
    options = {"apples": mark("Apples"), "lake": mark("Lake"), "own": mark("Your own")}

    def notice(self, view: LabView) -> str:
        """Report the patch with the largest weight: another one, itself, or all equally."""
        patches: Patches = view.result
        if patches.n == 1:
            return tr("One patch, one token: it can only look at itself.")
        decimals = max(3, view.decimals)
        weights = patches.weights[patches.patch]
        most = leaders(weights, decimals)
        weight, patch = show(float(weights[most[0]]), decimals), _place(patches, patches.patch)
        if len(most) == patches.n:
            return tr(
                "{n} patches, {n} tokens. Patch {patch} looks at all of them equally: {weight} "
                "each.",
                n=patches.n,
                patch=patch,
                weight=weight,
            )
        if most == [patches.patch]:
            other = patches.strongest
            return tr(
                "{n} patches, {n} tokens. Patch {patch} looks most at itself, {weight}, then at {other}, {next}.",
                n=patches.n,
                patch=patch,
                weight=weight,
                other=_place(patches, other),
                next=show(float(weights[other]), decimals),
            )
        names = [
            tr("itself") if place == patches.patch else _place(patches, place) for place in most
        ]
        return tr(
            "{n} patches, {n} tokens. Patch {patch} looks most at {names}: {weight}.",
            n=patches.n,
            patch=patch,
            names=listed(names),
            weight=weight,
        )

    def attempt(self, view: LabView) -> str:
        """Suggest identical patches, then positions."""
        if view.setting["position"] > 0:
            return tr("Raise it further: does a patch still find its twin on the other side?")
        if view.setting["picture"] == "lake":
            return tr("Click the sun: does it find its own reflection? Then let positions count.")
        if view.setting["picture"] == "apples":
            return tr("Click one red apple: does it find the other one? Then let positions count.")
        return tr("Click a patch whose colour comes back elsewhere. Then let positions count.")

    paint = staticmethod(paint)
    spots = staticmethod(spots)


def _place(patches: Patches, patch: int) -> str:
    """Describe the position of a patch."""
    row, column = patches.place(patch)
    return tr("({row}, {column})", row=row + 1, column=column + 1)


EXHIBIT = PatchesExhibit()
