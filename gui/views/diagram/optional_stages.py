"""Places of stages that can be switched off, so that a switch moves few boxes. Free of Qt.

The picture is laid out for the experiment with scale and mask. Where one is off, the boxes before
its place and the last ones stay where they are; those between spread over the free width.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.document.document import Document, Mask, Scale
from core.stages import Plan
from gui.views.diagram.columns import columns_of
from gui.views.diagram.shapes import WORDS, CardBox


def with_optional_stages(document: Document) -> Document:
    """Return an experiment with scale and mask; given weights have neither."""
    if document.source == "weights":
        return document
    scale = Scale() if document.scale.kind == "none" else document.scale
    mask = Mask("causal") if document.mask.kind == "none" else document.mask
    return replace(document, scale=scale, mask=mask)


def without_missing(boxes: tuple[CardBox, ...], plan: Plan) -> Iterator[CardBox]:
    """Return the boxes of a plan; the width of missing columns goes to the gaps after them."""
    columns = columns_of(boxes)
    drawn = [
        [box for box in column if box.stage_id in (*WORDS, *plan.ids)] for column in columns.boxes
    ]
    missing = [index for index, column in enumerate(drawn) if not column]
    after = sum(map(bool, drawn[missing[0] :])) if missing else 0
    free = {index: columns.right(index) - columns.right(index - 1) for index in missing}
    shift = 0.0
    for index, column in enumerate(drawn):
        if index in free:
            shift -= free[index]
        elif missing and index > missing[0]:
            shift += sum(free.values()) / after
        for box in column:
            yield box.moved(shift)
