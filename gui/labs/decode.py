"""The lab of decoding in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.labs.decode import Decoded
from core.labs.lab import Setting
from core.numbers import show
from gui.labs import decode_picture
from gui.labs.exhibit import Exhibit, Shown, Spot
from gui.labs.measured import counted, measured
from gui.language import mark, tr
from gui.texts.names import head_name, visible_token

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
        if setting.document is None:
            return option
        return head_name(int(option), setting.document.heads[int(option)].name)

    def notice(self, shown: Shown) -> str:
        """How many times less work, and that nothing else has changed."""
        result: Decoded = shown.result
        token = visible_token(result.document.tokens[result.step])
        cached, again = result.cached[result.step], result.again[result.step]
        if not result.keeps:
            return tr(
                "Without a cache {token} costs {again} multiply-adds, and all rows above come out as they were.",
                token=token,
                again=counted(again),
            )
        if result.step == 0:
            return tr(
                "The first token has nothing before it: with or without a cache it costs {cached}.", cached=cached
            )
        return tr(
            "{token} costs {cached} multiply-adds instead of {again}, {times} times less; the numbers differ by {gap}.",
            token=token,
            cached=counted(cached),
            again=counted(again),
            times=show(again / cached, 1),
            gap=measured(result.difference, shown.look.decimals),
        )

    def attempt(self, shown: Shown) -> str:
        """Go on; switch the cache off."""
        result: Decoded = shown.result
        if not result.keeps:
            return tr("Which rows of K and V have changed since the token before? Switch the cache on again.")
        if result.step < result.document.n - 1:
            return tr("Play to the end: how does the band grow, and how does the cache?")
        return tr("Why is no row of Q kept? Say it before you look at who asks whom.")

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
        said = tr(", ").join(f"{visible_token(token)} {show(float(a), shown.look.decimals)}" for token, a in pairs)
        return tr("Weights of the newest token: {said}. {notice}", said=said, notice=self.notice(shown))


EXHIBIT = DecodeExhibit()
