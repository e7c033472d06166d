"""The data of the web page: experiments as in their files, the scenes of a lesson, the colours. Free
of Qt but for the colours.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.classroom.experiment_id import experiment_id
from core.compute.trace import run, trace_bytes
from core.document.document import Document, Head, Positional
from core.explain.timeline import Cursor
from core.storage.archive import dumps
from gui.painting.color_scale import Levels, ink, ramp, value_colour
from gui.painting.theme import Colours

Json = Any
MOST_BYTES = 200_000  # of an experiment; a larger one, as of a model's layer, goes by Q, K and V
MOST_OF_LAYER = 780_000  # of any experiment: with the program the page stays below 1 MB
MOST_NUMBERS = 4_000_000  # in all stages, that a browser computes at each change
FEWEST_PACKED = 64  # numbers of a matrix that is packed
_MOST_DECIMALS = 4
_SMALL = np.iinfo(np.int16)


def experiment_data(document: Document) -> Json:
    """The experiment as in its file, large matrices packed; see `packed`. Of a model's layer, or where
    the weights are large, Q, K and V.

    Raises UserError "export.too_large" (format, size, limit) where a browser would compute too long,
    "export.page_size" (n) where even Q, K and V are too large, and "export.page_numbers" where others
    are.
    """
    numbers = trace_bytes(document) // 8
    if numbers > MOST_NUMBERS:
        raise UserError("export.too_large", format="HTML", size=numbers, limit=MOST_NUMBERS)
    if document.link is None or not is_large_layer(document):
        made = _packed_parts(json.loads(dumps(document.with_(link=None))))
        size = len(json.dumps(made))
        if not is_large_layer(document) and size > MOST_OF_LAYER:
            raise UserError("export.page_numbers")
        if size <= MOST_BYTES or not is_large_layer(document):
            return made
    for rounded in (_single, _to_16_bits):
        made = _by_values(document, rounded)
        if len(json.dumps(made)) <= MOST_OF_LAYER:
            return made
    raise UserError("export.page_size", n=document.n)


def is_large_layer(document: Document) -> bool:
    """Whether an experiment can be given by Q, K and each head's values times W_O."""
    return document.source == "embeddings" and not document.is_stack


def is_by_values(made: Json) -> bool:
    """Whether the data hold Q, K and V instead of the weights."""
    return bool(made.get("sum_heads"))


def _by_values(document: Document, rounded: Callable[[Array], Array]) -> Json:
    """Q, K and each head's V W_O as entered numbers, rounded.

    With `sum_heads` the output is the sum of the heads, and b_O. `id` is that of the experiment with
    its weights, to which answers that are typed on the page belong.
    """
    trace = run(document)
    Q, K, V = (trace[name] for name in "QKV")
    if document.W_O is not None:
        V = np.stack(
            [
                values @ block
                for values, block in zip(V, np.split(document.W_O, document.h), strict=True)
            ]
        )
    heads = tuple(
        Head(name=head.name, enabled=head.enabled, Q=rounded(q), K=rounded(k), V=rounded(v))
        for head, q, k, v in zip(document.heads, Q, K, V, strict=True)
    )
    kind = document.positional.kind
    bare = document.with_(
        source="qkv",
        X=None,
        heads=heads,
        W_O=None,
        b_O=None,
        context=None if document.context is None else replace(document.context, X=None, P=None),
        positional=document.positional if kind in ("rotary", "alibi") else Positional("none"),
        pins=tuple(pin for pin in document.pins if pin.stage in trace.plan and _stays(pin.stage)),
    )
    made = _packed_parts(json.loads(dumps(bare)))
    made["id"] = experiment_id(document)
    if document.W_O is not None:
        made["sum_heads"] = True
        if document.b_O is not None:
            made["b_O"] = _single(document.b_O).tolist()
    return made


def _stays(stage_id: str) -> bool:
    return stage_id in ("Q_rot", "K_rot", "scores", "scaled", "biased", "masked", "exp", "weights")


def _single(values: Array) -> Array:
    """The numbers as single precision has them."""
    return frozen(np.float64(np.float32(values)))


def _to_16_bits(values: Array) -> Array:
    """The numbers with as many decimals, up to four, as whole numbers of 16 bits can hold."""
    largest = max(float(np.abs(values).max()), 1e-300)
    decimals = min(_MOST_DECIMALS, max(0, int(np.floor(np.log10(_SMALL.max / largest)))))
    return frozen(np.rint(values * 10.0**decimals) / 10.0**decimals + 0.0)  # no −0


def _packed_parts(value: Json) -> Json:
    """A file's object with its large matrices packed."""
    if isinstance(value, dict):
        return {key: _packed_parts(part) for key, part in value.items()}
    if isinstance(value, list):
        if value and isinstance(value[0], list) and len(value) * len(value[0]) >= FEWEST_PACKED:
            return packed(value)
        return [_packed_parts(part) for part in value]
    return value


def packed(rows: list[list[Any]]) -> Json:
    """A matrix as {"packed": [rows, columns, decimals, base64]} where that is exact and shorter.

    The bytes are whole numbers of 16 bits, little-endian, to be divided by 10^decimals; with
    decimals −1 they are floating-point numbers of 32 bits. Other matrices stay as they are.
    """
    if not all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in rows[0]):
        return rows
    values = np.array(rows, dtype=np.float64)
    data = _whole(values)
    if data is None:
        single = values.astype("<f4")
        if (single != values).any():
            return rows
        data = -1, single.tobytes()
    made = {"packed": [*values.shape, data[0], base64.b64encode(data[1]).decode()]}
    return made if len(json.dumps(made)) < len(json.dumps(rows)) else rows


def _whole(values: Array) -> tuple[int, bytes] | None:
    """The fewest decimals that give every number exactly, and the numbers times 10^decimals."""
    for decimals in range(_MOST_DECIMALS + 1):
        scaled = np.rint(values * 10.0**decimals)
        if np.abs(scaled).max() > _SMALL.max:
            return None
        if (scaled / 10.0**decimals == values).all() and not (
            np.signbit(values) & (values == 0)
        ).any():
            return decimals, scaled.astype("<i2").tobytes()
    return None


def cursor_data(cursor: Cursor) -> Json:
    """A cursor as the page has it."""
    return {
        "stage": cursor.stage,
        "head": cursor.head,
        "row": cursor.row,
        "column": cursor.column,
        "reach": cursor.reach.value,
    }


def scale_of(theme: Colours) -> dict[str, str]:
    """The colour scale: every colour in hexadecimal, and black (1) or white (0) text on it."""
    levels = Levels(-255.0, 255.0)
    inks = [
        "1" if ink(value_colour(theme, levels, value)).lightness() < 128 else "0"
        for value in range(-255, 256)
    ]
    return {"colours": bytes(ramp(theme).flatten()).hex(), "ink": "".join(inks)}
