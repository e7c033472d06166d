"""What of a scene stays when its numbers change, told by a key: equal keys are equal grounds."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from gui.painting.pixmap_cache import Hashed, Key
from gui.views.stage.card import Card
from gui.views.stage.header import Header
from gui.views.stage.layout import Window
from gui.views.stage.operand_layout import Placed
from gui.views.stage.operation import Axis
from gui.views.stage.scene import Scene


def ground_key(scene: Scene) -> Hashed:
    """All that `gui.views.stage.picture.paint_ground` depends on."""
    cell, state = scene.target.cell, scene.state
    signs = (
        (sign.text, sign.above, _rect(rect)) for sign, rect in scene.signs if sign.turn is None
    )
    return Hashed(
        state.shade,
        state.language,
        cell.row,
        cell.column,
        scene.target.lead,
        _header(scene.header),
        tuple(map(_placed, scene.placed)),
        tuple(signs),
        _card(scene.card, scene.card_rect),
    )


def _header(header: Header) -> Key:
    return (
        header.title,
        header.asides,
        header.sentence,
        header.warning,
        header.latex,
        header.title_width,
        _rect(header.rect),
        _rect(header.text),
        _rect(header.formula),
    )


def _placed(placed: Placed) -> Key:
    """A matrix without its cells."""
    operand = placed.operand
    return (
        operand.title,
        operand.aside,
        operand.labelled,
        operand.by_column,
        operand.row_name,
        operand.column_name,
        operand.rows,
        operand.columns,
        _rect(placed.rect),
        placed.rows,
        placed.columns,
        placed.labels,
        placed.lowest,
        placed.more,
        placed.text,
        placed.lines,
        _named(placed.row_axis, placed.rows),
        _named(placed.column_axis, placed.columns),
    )


def _named(axis: Axis, part: Window) -> Key:
    """The names along an axis that are seen."""
    return axis.size, None if axis.tokens is None else axis.tokens[part.start : part.stop]


def _card(card: Card, rect: QRectF) -> Key:
    """A card without its sum."""
    return bool(card.rows), card.where, card.briefly, card.few, card.code, card.library, _rect(rect)


def _rect(rect: QRectF) -> Key:
    return rect.x(), rect.y(), rect.width(), rect.height()
