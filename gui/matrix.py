"""One painter for matrices, on any QPainter: cells with digits where they fit, an image where they do not.

The diagram, the stage view and the exports draw with it, so that they agree to the digit.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QPainter, QPen, QPolygonF

from core.arrays import Array
from core.numbers import show
from core.orientation import Orientation
from gui.theme import Colours, font
from gui.values import Levels, ink, mixed, ramp, ramp_positions, value_colour

# Below this size in device pixels a cell is a pixel block of an image; below DIGIT_SIZE a digit cannot be read.
SMALL_CELL = 7.0
DIGIT_SIZE = 8.0
# How much of its colour a matrix keeps that is switched off: so little that muted digits can be read in every theme.
PALE = 0.18
PALE_IMAGE = 0.35  # where there are no digits
# More cells than this at once are drawn as an image, however large they are.
MOST_CELLS = 3000
IMAGE_SIZES = (256, 512, 1024)
LARGEST_IMAGE = IMAGE_SIZES[-1]


@dataclass(frozen=True, slots=True)
class Frame:
    """An outline around rows and columns (half-open ranges) in a colour, such as the query's row."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    colour: str
    width: float = 2.5


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What to draw of a matrix.

    `shown` says how much stands there, as (whole rows, cells of the row after them), or, `by_column`, as (whole
    columns, cells of the column after them): the rest are ghosts.
    `asked` says in the same way how far the ghosts reach that wear a question mark.
    `pinned` and `filled` are marked cells; `flash` an (rows, columns) array of changed cells with `flash_alpha`.
    `digits` is the size of the numbers: 0 chooses the largest that fits, None leaves them out; `squeeze` draws them
    narrower than they are.
    `scores` are what a softmax was made of: where they are −∞ the 0 is not computed but forbidden, and hatched.
    """

    values: Array
    levels: Levels
    decimals: int
    shown: tuple[int, int] | None = None
    frames: tuple[Frame, ...] = ()
    pinned: frozenset[tuple[int, int]] = frozenset()
    filled: frozenset[tuple[int, int]] = frozenset()
    flash: npt.NDArray[np.bool_] | None = None
    flash_alpha: float = 0.0
    off: bool = False
    digits: float | None = 0.0
    by_column: bool = False
    asked: tuple[int, int] | None = None
    scores: Array | None = None
    squeeze: float = 1.0

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @property
    def columns(self) -> int:
        """Number of columns."""
        return int(self.values.shape[1])

    def stands(self, row: int, column: int) -> bool:
        """Whether a cell is more than a ghost."""
        return self.shown is None or self._reaches(self.shown, row, column)

    def asks(self, row: int, column: int) -> bool:
        """Whether a cell is a ghost whose number is asked for."""
        return self.asked is not None and self._reaches(self.asked, row, column) and not self.stands(row, column)

    def forbids(self, row: int, column: int) -> bool:
        """Whether a mask has put −∞ here, or the 0 that comes of it; a what-if value is a number like others."""
        value = self.values[row, column]
        if self.scores is None:
            return bool(value == -np.inf)
        return bool(value == 0.0 and self.scores[row, column] == -np.inf)

    def _reaches(self, extent: tuple[int, int], row: int, column: int) -> bool:
        line, place = (column, row) if self.by_column else (row, column)
        return line < extent[0] or (line == extent[0] and place < extent[1])


def seen(picture: Picture, orientation: Orientation) -> Picture:
    """A picture of the document's rows and columns as it is drawn in a convention."""
    if not orientation.columns:
        return picture
    turn = orientation.pair
    return replace(
        picture,
        values=orientation.matrix(picture.values),
        frames=tuple(replace(frame, rows=frame.columns, columns=frame.rows) for frame in picture.frames),
        pinned=frozenset(turn(*place) for place in picture.pinned),
        filled=frozenset(turn(*place) for place in picture.filled),
        flash=None if picture.flash is None else orientation.matrix(picture.flash),
        scores=None if picture.scores is None else orientation.matrix(picture.scores),
        by_column=not picture.by_column,
    )


def cell_rect(rect: QRectF, rows: int, columns: int, row: int, column: int) -> QRectF:
    """Where a cell lies in a matrix's rectangle."""
    width, height = rect.width() / columns, rect.height() / rows
    return QRectF(rect.x() + column * width, rect.y() + row * height, width, height)


def cell_at(rect: QRectF, rows: int, columns: int, point: QPointF) -> tuple[int, int] | None:
    """The cell under a point, None outside."""
    if not rect.contains(point):
        return None
    row = int((point.y() - rect.y()) / rect.height() * rows)
    column = int((point.x() - rect.x()) / rect.width() * columns)
    return min(row, rows - 1), min(column, columns - 1)


def digit_size(values: Array, decimals: int, width: float, height: float) -> float:
    """The font size in pixels at which every number fits a cell of this size; 0 if none that can be read does."""
    if width < 3 * DIGIT_SIZE * 0.6 or height < DIGIT_SIZE or values.size > 20000:
        return 0.0
    at_100 = QFontMetricsF(font(100)).horizontalAdvance(longest_text(values, decimals))
    size = min(height * 0.5, width * 0.82 / at_100 * 100, 30.0)
    return size if size >= DIGIT_SIZE else 0.0


def longest_text(values: Array, decimals: int) -> str:
    """The longest number of a matrix as it is shown: one of its extremes, masked or not."""
    finite = values[np.isfinite(values)]
    extremes = [values.min(), values.max()] if values.size else [0.0]
    if 0 < finite.size < values.size:
        extremes += [finite.min(), finite.max()]
    return max((show(float(value), decimals) for value in extremes), key=len)


def paint_matrix(painter: QPainter, rect: QRectF, picture: Picture, theme: Colours, scale: float = 1.0) -> None:
    """Draw a matrix into a rectangle. `scale` is device pixels a unit, so that detail follows the zoom."""
    painter.save()
    width, height = rect.width() / picture.columns, rect.height() / picture.rows
    rows, columns = _visible(painter, rect, picture)
    many = (rows[1] - rows[0]) * (columns[1] - columns[0]) > MOST_CELLS
    if min(width, height) * scale < SMALL_CELL or many:
        painter.setOpacity(PALE_IMAGE if picture.off else 1.0)
        _paint_image(painter, *_cropped(rect, picture, rows, columns), theme, scale)
    else:
        _paint_cells(painter, rect, picture, theme, scale, rows, columns)
    painter.restore()
    for frame in picture.frames:
        paint_frame(painter, rect, picture.rows, picture.columns, frame, theme.surface)


Span = tuple[int, int]


def _visible(painter: QPainter, rect: QRectF, picture: Picture) -> tuple[Span, Span]:
    """The rows and columns that the painter's clip lets through."""
    seen = painter.clipBoundingRect() if painter.hasClipping() else rect
    width, height = rect.width() / picture.columns, rect.height() / picture.rows
    rows = _span(seen.top() - rect.y(), seen.bottom() - rect.y(), height, picture.rows)
    return rows, _span(seen.left() - rect.x(), seen.right() - rect.x(), width, picture.columns)


def _cropped(rect: QRectF, picture: Picture, rows: Span, columns: Span) -> tuple[QRectF, Picture]:
    """Of a matrix so large that its image is an average, only what is seen, where that is a part."""
    height, width = rows[1] - rows[0], columns[1] - columns[0]
    whole = picture.rows * picture.columns
    if max(picture.rows, picture.columns) <= LARGEST_IMAGE or not 0 < height * width <= whole // 2:
        return rect, picture
    start = cell_rect(rect, picture.rows, picture.columns, rows[0], columns[0])
    end = cell_rect(rect, picture.rows, picture.columns, rows[1] - 1, columns[1] - 1)
    lines, places = (columns, rows) if picture.by_column else (rows, columns)
    shown = shown_part(picture.shown, lines, places)
    part = slice(*rows), slice(*columns)
    scores = None if picture.scores is None else picture.scores[part]
    return start.united(end), replace(picture, values=picture.values[part], shown=shown, scores=scores)


def shown_part(shown: Span | None, lines: Span, places: Span) -> Span | None:
    """How much of a part stands there, given how much of the matrix does: `lines` are its rows (or, of a matrix that
    fills by columns, its columns), `places` those that cross them."""
    if shown is None:
        return None
    inside = lines[0] <= shown[0] < lines[1]
    cells = min(max(shown[1] - places[0], 0), places[1] - places[0]) if inside else 0
    return min(max(shown[0] - lines[0], 0), lines[1] - lines[0]), cells


def _paint_cells(
    painter: QPainter, rect: QRectF, picture: Picture, theme: Colours, scale: float, rows: Span, columns: Span
) -> None:
    width, height = rect.width() / picture.columns, rect.height() / picture.rows
    size = _chosen_size(picture, width * scale, height * scale) / scale
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if size:
        painter.setFont(font(size))
    for row in range(*rows):
        for column in range(*columns):
            cell = cell_rect(rect, picture.rows, picture.columns, row, column)
            _paint_cell(painter, _inset(cell), picture, theme, row, column, size)


def _chosen_size(picture: Picture, width: float, height: float) -> float:
    """The size of the digits in device pixels, as the picture wishes or as fits."""
    if picture.digits is None:
        return 0.0
    return picture.digits or digit_size(picture.values, picture.decimals, width, height)


def _span(start: float, end: float, size: float, count: int) -> Span:
    return max(0, int(start // size)), min(count, int(end // size) + 1)


def _inset(cell: QRectF) -> QRectF:
    gap = min(1.5, cell.width() * 0.04, cell.height() * 0.06)
    return cell.adjusted(gap, gap, -gap, -gap)


def _paint_cell(
    painter: QPainter, cell: QRectF, picture: Picture, theme: Colours, row: int, column: int, size: float
) -> None:
    radius = min(3.0, cell.height() * 0.15)
    if picture.asks(row, column):
        _paint_question(painter, cell, theme, size, radius)
        return
    if not picture.stands(row, column):
        painter.setPen(QPen(QColor(theme.ghost), min(1.0, cell.height() * 0.05), Qt.PenStyle.DotLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(cell, radius, radius)
        return
    masked = picture.forbids(row, column)
    colour, text = cell_colours(picture, theme, row, column)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(cell, radius, radius)
    if masked:
        painter.setBrush(QBrush(QColor(theme.ghost), Qt.BrushStyle.BDiagPattern))
        painter.drawRoundedRect(cell, radius, radius)
    _paint_flash(painter, cell, picture, theme, row, column, radius)
    if size:
        painter.setPen(text)
        _paint_number(painter, cell, show(float(picture.values[row, column]), picture.decimals), picture.squeeze)
    _paint_marks(painter, cell, picture, theme, (row, column), ink(colour))


def cell_colours(picture: Picture, theme: Colours, row: int, column: int) -> tuple[QColor, QColor]:
    """The colours of a cell and of its digits; both are paler where the matrix is switched off."""
    if picture.forbids(row, column):
        colour, text = QColor(theme.sunken), QColor(theme.text)
    else:
        colour = value_colour(theme, picture.levels, float(picture.values[row, column]))
        text = ink(colour)
    if picture.off:
        colour, text = mixed(colour, theme.surface, PALE), QColor(theme.muted)
    return colour, text


def _paint_number(painter: QPainter, cell: QRectF, text: str, squeeze: float) -> None:
    if squeeze == 1.0:
        painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)
        return
    painter.save()
    painter.translate(cell.center())
    painter.scale(squeeze, 1.0)
    half = QPointF(cell.width() / squeeze, cell.height()) / 2
    painter.drawText(QRectF(-half, half), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, text)
    painter.restore()


def _paint_question(painter: QPainter, cell: QRectF, theme: Colours, size: float, radius: float) -> None:
    """A blank to be filled in."""
    painter.setPen(QPen(QColor(theme.accent), min(1.0, cell.height() * 0.05)))
    painter.setBrush(QColor(theme.accent_soft))
    painter.drawRoundedRect(cell, radius, radius)
    if size:
        painter.setPen(QColor(theme.accent))
        painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, "?")


def _paint_flash(
    painter: QPainter, cell: QRectF, picture: Picture, theme: Colours, row: int, column: int, radius: float
) -> None:
    if picture.flash is None or picture.flash_alpha <= 0 or not picture.flash[row, column]:
        return
    colour = QColor(theme.flash)
    colour.setAlphaF(picture.flash_alpha)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, max(1.5, cell.height() * 0.09)))
    painter.drawRoundedRect(cell, radius, radius)
    painter.setPen(Qt.PenStyle.NoPen)


def _paint_marks(
    painter: QPainter, cell: QRectF, picture: Picture, theme: Colours, place: tuple[int, int], line: QColor
) -> None:
    """A pinned cell has a corner folded; a cell that a resize filled has a dotted line under it."""
    if place in picture.pinned:
        side = min(cell.width(), cell.height()) * 0.32
        corner = cell.topRight()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.warning))
        painter.drawPolygon(QPolygonF([corner, corner - QPointF(side, 0), corner + QPointF(0, side)]))
    if place in picture.filled:
        painter.setPen(QPen(line, 1.2, Qt.PenStyle.DotLine))
        inset = cell.width() * 0.15
        y = cell.bottom() - cell.height() * 0.1
        painter.drawLine(QPointF(cell.left() + inset, y), QPointF(cell.right() - inset, y))


def paint_frame(painter: QPainter, rect: QRectF, rows: int, columns: int, frame: Frame, halo: str = "") -> None:
    """An outline around a block of cells, on a halo that sets it off from cells of its own colour."""
    start = cell_rect(rect, rows, columns, frame.rows[0], frame.columns[0])
    end = cell_rect(rect, rows, columns, frame.rows[1] - 1, frame.columns[1] - 1)
    block = start.united(end)
    radius = min(4.0, block.width() * 0.25, block.height() * 0.25)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if halo:
        painter.setPen(QPen(QColor(halo), frame.width * 2.0 if frame.width < 2.0 else frame.width + 3.0))
        painter.drawRoundedRect(block, radius, radius)
    painter.setPen(QPen(QColor(frame.colour), frame.width))
    painter.drawRoundedRect(block, radius, radius)
    painter.restore()


def _paint_image(painter: QPainter, rect: QRectF, picture: Picture, theme: Colours, scale: float) -> None:
    """The part that stands is cut out of one image of the whole, so that a step makes no new image."""
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    rows, columns = picture.rows, picture.columns
    lines, places = (columns, rows) if picture.by_column else (rows, columns)
    whole, cells = picture.shown or (lines, 0)
    if whole or cells:
        pixels = max(rect.width(), rect.height()) * scale
        image = matrix_image(picture.values, picture.levels, theme, pixels, picture.scores)
        parts = [((0.0, whole / lines), (0.0, 1.0))]
        if whole < lines and cells:
            parts.append(((whole / lines, (whole + 1) / lines), (0.0, cells / places)))
        for along, across in parts:
            down, over = (across, along) if picture.by_column else (along, across)
            _paint_part(painter, rect, image, down, over)
    painter.setPen(QPen(QColor(theme.line), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect)


Part = tuple[float, float]


def _paint_part(painter: QPainter, rect: QRectF, image: QImage, down: Part, across: Part) -> None:
    """The same fractions of the image and of the rectangle."""
    source, target = (
        QRectF(
            outer.x() + across[0] * outer.width(),
            outer.y() + down[0] * outer.height(),
            (across[1] - across[0]) * outer.width(),
            (down[1] - down[0]) * outer.height(),
        )
        for outer in (QRectF(image.rect()), rect)
    )
    painter.drawImage(target, image, source)


# By where the numbers lie. The arrays are held weakly: while their owner lives, no other numbers lie there.
_images: dict[tuple[object, ...], tuple[weakref.ref[Array], QImage]] = {}


def matrix_image(
    values: Array, levels: Levels, theme: Colours, pixels: float = LARGEST_IMAGE, scores: Array | None = None
) -> QImage:
    """A read-only matrix as an image, a pixel a cell; blocks of cells are averaged where it is far larger than
    the `pixels` that it is drawn on, or than 1,024. What is forbidden (see Picture.scores) is grey."""
    most = next(size for size in IMAGE_SIZES if size >= min(pixels, LARGEST_IMAGE))
    owner = values if values.base is None else values.base
    key = (
        values.__array_interface__["data"][0],
        values.shape,
        values.strides,
        levels,
        theme.window,
        most,
        scores is None,
    )
    known = _images.get(key)
    if known is not None and known[0]() is owner:
        return known[1]
    for stale in [name for name, (ref, _) in _images.items() if ref() is None]:
        del _images[stale]
    if len(_images) > 64:
        _images.clear()
    closed = values if scores is None else np.where((values == 0.0) & np.isneginf(scores), -np.inf, values)
    image = _make_image(closed, levels, theme, most)
    _images[key] = (weakref.ref(owner), image)
    return image


def _make_image(values: Array, levels: Levels, theme: Colours, most: int) -> QImage:
    small, masked = _reduced(values, most)
    pixels = np.empty((*small.shape, 4), dtype=np.uint8)
    pixels[..., :3] = ramp(theme)[ramp_positions(small, levels)]
    pixels[..., 3] = 255
    grey = QColor(theme.ghost)
    pixels[masked, :3] = (grey.red(), grey.green(), grey.blue())
    height, width = small.shape
    return QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()


def _reduced(values: Array, most: int) -> tuple[Array, npt.NDArray[np.bool_]]:
    """At most `most` rows and columns, by means over blocks of finite values; masked where a whole block is."""
    if max(values.shape) <= most:
        masked = np.isneginf(values)
        return np.where(masked, 0.0, values), masked
    finite = np.isfinite(values)
    if finite.all():
        sums = _block_sums(values, most)
        counts = np.outer(*(_block_sizes(size, most) for size in values.shape))
        return sums / counts, np.zeros(sums.shape, dtype=np.bool_)
    sums = _block_sums(np.where(finite, values, 0.0), most)
    counts = _block_sums(finite.astype(np.float64), most)
    return sums / np.maximum(counts, 1.0), counts == 0


def _block_starts(size: int, most: int) -> npt.NDArray[np.intp]:
    return np.linspace(0, size, min(size, most), endpoint=False).astype(np.intp)


def _block_sizes(size: int, most: int) -> Array:
    return np.diff(np.append(_block_starts(size, most), size)).astype(np.float64)


def _block_sums(values: Array, most: int) -> Array:
    """Sums over blocks of rows and columns; down the columns first, where memory lies in the order of the sums."""
    rows, columns = (_block_starts(size, most) for size in values.shape)
    return np.add.reduceat(np.add.reduceat(values, rows, axis=0), columns, axis=1)
