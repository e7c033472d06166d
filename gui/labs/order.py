"""The lab of order in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.labs.lab import Setting
from core.labs.order import Reordered
from gui.labs import order_picture
from gui.labs.exhibit import Exhibit, Shown, Spot
from gui.labs.measured import measured
from gui.labs.wording import head_option, listed, quoted
from gui.texts.names import visible_token
from gui.texts.translation import mark, tr, tr_marked

LABELS = {
    "order": mark("Order of the tokens"),
    "swap": mark("Swap first and last"),
    "shuffle": mark("Shuffle"),
    "restore": mark("Original order"),
    "positions": mark("Positional encoding"),
    "head": mark("Weights of"),
}
KINDS = {
    "none": mark("None"),
    "sinusoidal": mark("Sinusoidal"),
    "learned": mark("Learned (table P)"),
    "rotary": mark("Rotary (RoPE)"),
    "alibi": mark("ALiBi"),
}
HELP = {
    "order": mark(
        "Drag a token in the picture onto another one, or hold it with Tab and move it with the arrow keys."
    ),
    "positions": mark(
        "How the model is told where a token stands; without it nothing in the numbers says so."
    ),
}


class OrderExhibit(Exhibit):
    """Y before and after, its rows joined by lines, the weights of both orders."""

    labels = LABELS
    helps = HELP

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Kinds of positions, and heads by name."""
        if control_id == "head" and setting.document is not None:
            return head_option(setting.document, int(option))
        return tr_marked(KINDS[option])

    def entry(self, control_id: str, index: int, setting: Setting) -> str:
        """The token that stood at a place at first."""
        return (
            visible_token(setting.document.tokens[index])
            if setting.document
            else super().entry(control_id, index, setting)
        )

    def notice(self, shown: Shown) -> str:
        """What the swap has done to Y."""
        result: Reordered = shown.result
        gap = measured(result.largest, shown.look.decimals)
        if not result.moved:
            return tr("The tokens stand as they came. Move one and watch where its row of Y goes.")
        if result.largest > 0.0:
            return _difference(shown, gap)
        if shown.setting["positions"] == "alibi" and result.backwards:
            return tr(
                "Backwards, all distances are the same, and ALiBi knows distances alone: the difference is {gap}.",
                gap=gap,
            )
        return tr(
            "Rows of Y have changed places and nothing else: the largest difference is {gap}.",
            gap=gap,
        )

    def attempt(self, shown: Shown) -> str:
        """Another order, then positions, then another kind of them."""
        if not shown.result.moved:
            return tr("Drag the first token onto the last one.")
        if shown.setting["positions"] == "none":
            return tr("Choose a positional encoding and see which lines become dashed.")
        if shown.setting["positions"] == "alibi":
            return tr(
                "Reverse the whole sentence, then swap two neighbours only: which of the two does ALiBi see?"
            )
        return tr("Go back to no positions: is there an order that changes a single number?")

    def paint(self, painter: QPainter, room: QRectF, shown: Shown) -> None:
        """The picture."""
        order_picture.paint(painter, room, shown)

    def spots(self, room: QRectF, shown: Shown) -> tuple[Spot, ...]:
        """The tokens, to be dragged."""
        return order_picture.spots(room, shown)

    def spoken(self, shown: Shown) -> str:
        """The new order, the difference of each row, and what to notice."""
        result: Reordered = shown.result
        gaps = (measured(float(gap), shown.look.decimals) for gap in result.gaps)
        pairs = zip(map(visible_token, result.after.tokens), gaps, strict=True)
        rows = tr(", ").join(map(" ".join, pairs))
        return tr(
            "Rows of Y in the new order and how much each differs: {rows}. {notice}",
            rows=rows,
            notice=self.notice(shown),
        )


def _difference(shown: Shown, gap: str) -> str:
    result: Reordered = shown.result
    most = [
        place
        for place, own in enumerate(result.gaps)
        if measured(float(own), shown.look.decimals) == gap
    ]
    tokens = listed([quoted(result.after.tokens[place]) for place in most])
    count, n = len(result.changed), len(result.order)
    if shown.setting["positions"] == "none":
        return tr(
            "The mask tells places apart: {count} of {n} rows of Y differ, most that of {tokens}, by {gap}.",
            count=count,
            n=n,
            gap=gap,
            tokens=tokens,
        )
    return tr(
        "Now the order counts: {count} of {n} rows of Y differ, most that of {tokens}, by {gap}.",
        count=count,
        n=n,
        gap=gap,
        tokens=tokens,
    )


EXHIBIT = OrderExhibit()
