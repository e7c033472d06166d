"""The lab of decoding in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.number_format import show
from core.labs.controls import Clock
from core.labs.decode import Decoded
from core.labs.lab import Setting
from gui.labs import decode_picture
from gui.labs.exhibit import Exhibit, Shown, Spot
from gui.labs.measured import counted, measured
from gui.labs.wording import head_option, with_off
from gui.texts.names import visible_token
from gui.texts.translation import mark, tr

LABELS = {
    "step": mark("Newest token"),
    "cache": mark("Keep keys and values"),
    "head": mark("Head"),
}
HELP = {
    "step": mark("One token after the other, as a language model writes."),
    "cache": mark("Off: with each new token everything is worked out again."),
}


class DecodeExhibit(Exhibit):
    """One band of new numbers across all matrices."""

    labels = LABELS
    helps = HELP

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Heads by name."""
        return option if setting.document is None else head_option(setting.document, int(option))

    def stands(self, control: Clock, value: int) -> str:
        """Tokens are counted from 1, as in the chart."""
        return tr("{number} of {most}", number=value + 1, most=control.last + 1)

    def notice(self, shown: Shown) -> str:
        """What the cache saves, and that nothing else changes."""
        return with_off(_notice(shown), shown.result.document, decode_picture.head_of(shown))

    def attempt(self, shown: Shown) -> str:
        """Go on; switch the cache off."""
        result: Decoded = shown.result
        if not result.keeps and result.step:
            return tr(
                "Which rows of K and V have changed since the token before? Switch the cache on again."
            )
        if result.step < result.document.n - 1:
            return tr("Play to the end: how do the framed row of weights and the cache grow?")
        return tr("Why is no row of Q kept? Think of who asks and who answers.")

    def paint(self, painter: QPainter, room: QRectF, shown: Shown) -> None:
        """The picture."""
        decode_picture.paint(painter, room, shown)

    def spots(self, room: QRectF, shown: Shown) -> tuple[Spot, ...]:
        """The tokens."""
        return decode_picture.spots(room, shown)

    def spoken(self, shown: Shown) -> str:
        """The newest row of weights, and what to notice."""
        result: Decoded = shown.result
        weights = result.row.weights[decode_picture.head_of(shown)]
        pairs = zip(result.document.tokens, weights, strict=False)
        said = tr(", ").join(
            f"{visible_token(token)} {show(float(a), shown.look.decimals)}" for token, a in pairs
        )
        return tr(
            "Weights of the newest token: {said}. {notice}", said=said, notice=self.notice(shown)
        )


def _notice(shown: Shown) -> str:
    result: Decoded = shown.result
    token = visible_token(result.document.tokens[result.step])
    cached, again = result.cached[result.step], result.again[result.step]
    if result.step == 0:
        return tr(
            "The first token has nothing before it: with or without a cache it costs {cached} multiply-adds.",
            cached=counted(cached),
        )
    if not result.keeps:
        return tr(
            "Without a cache {token} costs {again} multiply-adds, and all rows above come out as they were.",
            token=token,
            again=counted(again),
        )
    return tr(
        "With the cache {token} costs {cached} multiply-adds; without it {again}, {times} times as many. "
        "The results differ by {gap}.",
        token=token,
        cached=counted(cached),
        again=counted(again),
        times=show(again / cached, 1),
        gap=measured(result.difference, shown.look.decimals),
    )


EXHIBIT = DecodeExhibit()
