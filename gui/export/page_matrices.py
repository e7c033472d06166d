"""The matrices of the page: numbers as they are shown and colours as places on the scale; of large ones an image."""

from __future__ import annotations

import base64
import json
from typing import Any

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImage, QImageWriter

from core.base.arrays import Array
from core.base.number_format import show
from gui.export.page_words import line_text
from gui.export.pdf import closed, open_buffer
from gui.painting.color_scale import Levels, ink, ramp, ramp_positions, value_colour
from gui.painting.matrix import matrix_image
from gui.painting.theme import DARK, LIGHT, Colours
from gui.session.state import State
from gui.texts.names import ROLES
from gui.views.stage.operation import Operand, Operation, Pile, Sign

LARGEST_IMAGE = 256  # cells along a side


class Matrices:
    """Every matrix once: operands name it by its number."""

    def __init__(self, state: State, numbers: bool) -> None:
        self._decimals, self._numbers = state.decimals, numbers
        self._known: dict[str, int] = {}
        self.store: list[dict[str, Any]] = []

    def add(self, values: Array, levels: Levels, *, whole: bool = False) -> int:
        """The number of a matrix as it is seen."""
        made = (
            self._as_numbers(values, levels, whole) if self._numbers else _as_images(values, levels)
        )
        key = json.dumps(made)
        if key not in self._known:
            self._known[key] = len(self.store)
            self.store.append(made)
        return self._known[key]

    def _as_numbers(self, values: Array, levels: Levels, whole: bool) -> dict[str, Any]:
        decimals = 0 if whole else self._decimals
        return {
            "text": [[show(float(value), decimals) for value in row] for row in values],
            "colour": ramp_positions(values, levels).tolist(),
        }


def _as_images(values: Array, levels: Levels) -> dict[str, Any]:
    images = {
        name: _image(values, levels, theme) for name, theme in (("light", LIGHT), ("dark", DARK))
    }
    return {"size": list(values.shape), "image": images}


def _image(values: Array, levels: Levels, theme: Colours) -> str:
    """A matrix as a PNG inside an address, a pixel a cell, or a mean of cells."""
    buffer = open_buffer()
    picture = matrix_image(values, levels, theme, LARGEST_IMAGE).convertToFormat(
        QImage.Format.Format_RGB888
    )
    QImageWriter(buffer, QByteArray(b"png")).write(picture)
    return "data:image/png;base64," + base64.b64encode(closed(buffer)).decode("ascii")


def operation_items(operation: Operation, state: State, matrices: Matrices) -> list[dict[str, Any]]:
    """Matrices and signs in their order."""
    return [_item(item, operation, state, matrices) for item in operation.items]


def _item(
    item: Operand | Pile | Sign, operation: Operation, state: State, matrices: Matrices
) -> dict[str, Any]:
    if isinstance(item, Sign):
        return {"sign": item.text, "above": item.above}
    if isinstance(item, Pile):
        return {
            "pile": [_operand(operand, operation, state, matrices) for operand in item.operands]
        }
    return _operand(item, operation, state, matrices)


def _operand(
    operand: Operand, operation: Operation, state: State, matrices: Matrices
) -> dict[str, Any]:
    in_plan = operand.tensor in state.trace.plan
    axes = (operand.rows, operand.columns)
    return {
        "matrix": matrices.add(operand.values, operand.levels, whole=operand.whole_numbers),
        "title": line_text(operand.title),
        "stage": operand.tensor if in_plan else "",
        "tensor": operand.tensor,
        "head": operand.head,
        "axes": list(axes),
        "tokens": [_sentence(operation.axes[axis].tokens, state) for axis in axes],
        "names": [operand.row_name, operand.column_name],
        "turned": operand.transposed,
        "by_column": operand.by_column,
        "labelled": operand.labelled,
        "off": operand.off,
        "role": ROLES.get(operand.tensor, "plain"),
        "lead": not operand.tensor and "one" in axes,
    }


def _sentence(tokens: tuple[str, ...] | None, state: State) -> int | None:
    """Which of the two sentences names the places of an axis."""
    if tokens is None:
        return None
    return 0 if tokens is state.document.tokens else 1


def scale_of(theme: Colours) -> dict[str, str]:
    """The scale of values: every colour in six digits, and whether black (1) or white (0) is written on it."""
    levels = Levels(-255.0, 255.0)
    inks = [
        "1" if ink(value_colour(theme, levels, value)).lightness() < 128 else "0"
        for value in range(-255, 256)
    ]
    return {"colours": bytes(ramp(theme).flatten()).hex(), "ink": "".join(inks)}
