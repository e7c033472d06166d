"""The lab of √d_k in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.number_format import show
from core.labs.lab import Setting
from core.labs.sqrt_dk import DotProducts
from gui.labs import sqrt_dk_picture
from gui.labs.charts.ticks import grouped
from gui.labs.exhibit import Exhibit, Shown
from gui.labs.measured import measured
from gui.texts.translation import mark, tr, tr_marked

LABELS = {
    "d_k": mark("Size of queries and keys, dₖ"),
    "keys": mark("Keys in a row, n"),
    "curve": mark("Curve against dₖ"),
    "samples": mark("Dot products drawn"),
    "seed": mark("Seed"),
}
HELP = {
    "d_k": mark("The vectors only grow longer: their first numbers stay the same."),
    "keys": mark("The softmax shares among so many."),
    "samples": mark("More of them make the histogram smoother."),
    "seed": mark("The numbers of q and k are drawn from N(0, 1), from this seed on."),
}
OPTIONS = {
    "gradient": mark("Mean gradient left"),
    "largest": mark("Mean largest weight"),
    "entropy": mark("Mean entropy of a row"),
}
SHORT = 12  # of d_k: up to here the scaling does little


class SqrtDkExhibit(Exhibit):
    """Two histograms, one row of weights, and what becomes of it as d_k grows: everything with and without scaling."""

    labels = LABELS
    helps = HELP

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """What a curve is of, or how many are drawn."""
        return tr_marked(OPTIONS[option]) if control_id == "curve" else grouped(float(option), 0)

    def notice(self, shown: Shown) -> str:
        """How far the products spread, and what that does to the softmax."""
        result: DotProducts = shown.result
        decimals = shown.look.decimals
        gradient = result.measures["gradient"]
        if result.d_k == 1:
            return tr(
                "With dₖ = 1 there is nothing to divide by: both sides are the same, with σ = {sigma} (theory: 1). "
                "A product of two normal numbers is not normal: the curve holds for large dₖ.",
                sigma=show(result.sigmas[0], decimals),
            )
        raw, scaled = (measured(float(value), decimals) for value in gradient)
        sigma, theory = show(result.sigmas[0], decimals), show(result.spread, decimals)
        if gradient[0] > gradient[1]:
            return tr(
                "At dₖ = {d_k} dot products have σ = {sigma} (theory: √dₖ = {theory}). Among {keys} keys the sharper "
                "weights still have the larger mean gradient, {raw} against {scaled}; longer vectors saturate them.",
                d_k=result.d_k,
                sigma=sigma,
                theory=theory,
                keys=result.keys,
                raw=raw,
                scaled=scaled,
            )
        return tr(
            "At dₖ = {d_k} dot products have σ = {sigma} (theory: √dₖ = {theory}). "
            "The mean gradient of the softmax is {raw} without scaling, {scaled} when divided by √dₖ.",
            d_k=result.d_k,
            sigma=sigma,
            theory=theory,
            raw=raw,
            scaled=scaled,
        )

    def attempt(self, shown: Shown) -> str:
        """To the end of the slider, then its beginning, then more keys."""
        if shown.result.d_k == 1:
            return tr(
                "The histogram of one product is no bell: from which dₖ on does it look like one?"
            )
        if shown.result.d_k <= SHORT:
            return tr(
                "Drag dₖ up to 1024 and watch the orange bars: how many keys still get something?"
            )
        if shown.setting["keys"] == 8:
            return tr("Take 64 keys instead of 8: does that save the gradient without scaling?")
        return tr("Drag dₖ down to 1: where do the two curves meet?")

    def paint(self, painter: QPainter, room: QRectF, shown: Shown) -> None:
        """The picture."""
        sqrt_dk_picture.paint(painter, room, shown)

    def spoken(self, shown: Shown) -> str:
        """What to notice, and the weights of the first row."""
        decimals = shown.look.decimals
        raw, scaled = (
            tr(", ").join(show(float(weight), decimals) for weight in row)
            for row in shown.result.row
        )
        return tr(
            "{notice} One row of weights without scaling: {raw}; divided by √dₖ: {scaled}.",
            notice=self.notice(shown),
            raw=raw,
            scaled=scaled,
        )


EXHIBIT = SqrtDkExhibit()
