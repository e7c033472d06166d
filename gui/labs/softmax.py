"""The lab of the softmax in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.number_format import show
from core.labs.lab import Setting
from core.labs.softmax import Shares
from gui.labs import softmax_picture
from gui.labs.exhibit import Exhibit, Shown, Spot
from gui.labs.measured import measured
from gui.labs.softmax_picture import key_name
from gui.labs.wording import leaders, listed
from gui.texts.translation import mark, tr, tr_marked

SATURATED, EVEN = 0.99, 0.98  # of the whole weight, of the largest entropy
LABELS = {
    "scores": mark("Scores s"),
    "temperature": mark("Temperature T"),
    "constant": mark("Constant c added to every score"),
    "base": mark("Base of the power"),
    "subtract": mark("Subtract the largest score"),
    "hardmax": mark("Compare with hardmax"),
    "view": mark("Beside the scores"),
}
HELP = {
    "scores": mark("Drag the bars, or hold one with Tab and move it with the arrow keys."),
    "temperature": mark(
        "All scores are divided by T: below 1 the largest one gains, above 1 the shares even out."
    ),
    "constant": mark(
        "The same number for all: it cancels when each power is divided by their sum."
    ),
    "base": mark("Base b is base e at the temperature T / ln b."),
    "subtract": mark("It changes no weight either, and keeps every power at 1 or less."),
    "hardmax": mark("Everything to the largest score: what softmax comes to as T goes to 0."),
}
OPTIONS = {"shares": mark("Weights"), "sweep": mark("Weights at every T")}


class SoftmaxExhibit(Exhibit):
    """Scores as bars to be dragged, the way of the numbers, and the weights."""

    labels = LABELS
    helps = HELP

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Bases are numbers; the rest has names."""
        return option if control_id == "base" else tr_marked(OPTIONS[option])

    def entry(self, control_id: str, index: int, setting: Setting) -> str:
        """The key that a score belongs to."""
        return key_name(index)

    def notice(self, shown: Shown) -> str:
        """What the setting shows: an overflow, a constant, saturation, even shares, or shares as such."""
        result: Shares = shown.result
        gap = measured(result.difference, shown.look.decimals)
        if result.vanishes:
            return tr(
                "Every power is below the smallest number of the machine, so they sum to 0: no weight is left."
            )
        if result.overflows:
            return tr(
                "Powers beyond the largest number of the machine: the weights are off by up to {gap}.",
                gap=gap,
            )
        if float(shown.setting["constant"]) != 0.0:
            constant = show(float(shown.setting["constant"]), shown.look.decimals)
            return tr(
                "Every score has {c} added, and no weight moved by more than {gap}.",
                c=constant,
                gap=gap,
            )
        return _shares(result, shown.look.decimals)

    def attempt(self, shown: Shown) -> str:
        """Temperature, then the constant, then the overflow, then the other base."""
        setting = shown.setting
        if float(setting["constant"]) != 0.0 and setting["subtract"]:
            return tr("Go to c = 800, then switch off “Subtract the largest score”.")
        if not setting["subtract"]:
            return tr(
                "Find the c at which the weights break. Base 2: does it break earlier or later?"
            )
        if float(setting["temperature"]) == 1.0:
            return tr("Lower T to 0.1, then raise it to 20: towards what do the weights go?")
        return tr("Set T back to 1 and add a constant: which bars on the right move?")

    def paint(self, painter: QPainter, room: QRectF, shown: Shown) -> None:
        """The picture."""
        softmax_picture.paint(painter, room, shown)

    def spots(self, room: QRectF, shown: Shown) -> tuple[Spot, ...]:
        """The ends of the bars, to be dragged."""
        return softmax_picture.spots(room, shown)

    def spoken(self, shown: Shown) -> str:
        """Each score with its weight, and what to notice."""
        result: Shares = shown.result
        pairs = tr("; ").join(
            tr(
                "{key}: score {score}, weight {weight}",
                key=key_name(index),
                score=show(float(score), shown.look.decimals),
                weight=show(float(weight), shown.look.decimals),
            )
            for index, (score, weight) in enumerate(zip(result.scores, result.weights, strict=True))
        )
        return tr("{pairs}. {notice}", pairs=pairs, notice=self.notice(shown))


def _shares(result: Shares, decimals: int) -> str:
    most = leaders(result.scores, decimals)
    winner, names = key_name(most[0]), listed([key_name(place) for place in most])
    weight = show(float(result.weights[most[0]]), decimals)
    left = measured(result.gradient, decimals)
    if result.weights.max() >= SATURATED:
        return tr(
            "Saturated: {key} takes {weight} of the whole, and the gradient that is left for the scores is {gradient}.",
            key=key_name(result.winner),
            weight=weight,
            gradient=left,
        )
    if len(most) == len(result.scores):
        return tr("Equal scores get equal shares: {weight} each.", weight=weight)
    if result.entropy >= EVEN * result.most_entropy:
        if len(most) > 1:
            return tr(
                "Nearly equal shares: the largest scores, those of {keys}, get {weight} each.",
                keys=names,
                weight=weight,
            )
        return tr(
            "Nearly equal shares: the largest score, that of {key}, gets {weight}.",
            key=winner,
            weight=weight,
        )
    if len(most) > 1:
        return tr(
            "All shares are positive and sum to {sum}; {keys} have the largest scores and get {weight} each.",
            sum=show(float(result.weights.sum()), decimals),
            keys=names,
            weight=weight,
        )
    return tr(
        "All shares are positive and sum to {sum}; {key} has the largest score and gets {weight}.",
        sum=show(float(result.weights.sum()), decimals),
        key=winner,
        weight=weight,
    )


EXHIBIT = SoftmaxExhibit()
