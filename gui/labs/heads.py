"""The lab of heads in words; its three pictures."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from core.base.arrays import Array
from core.base.number_format import show
from core.labs.controls import Control
from core.labs.heads import Split, Views
from core.labs.lab import Setting
from gui.labs import heads_blocks, heads_off, heads_one
from gui.labs.exhibit import Shown, Spot
from gui.labs.measured import measured
from gui.labs.views import View, Viewed
from gui.labs.wording import leaders, listed, quoted
from gui.painting.matrix import cell_rect
from gui.texts.names import head_name, visible_token
from gui.texts.translation import mark, tr

FEW = 4  # heads whose keys are told one by one
LABELS = {"view": mark("Picture"), "token": mark("Row of")}


class HeadsExhibit(Viewed):
    """Heads off, the sum, the single head."""

    labels = LABELS

    def label(self, control: Control, setting: Setting) -> str:
        """Heads by name."""
        if control.id.startswith("head-") and setting.document is not None:
            head = int(control.id.removeprefix("head-")) - 1
            return head_name(head, setting.document.heads[head].name)
        return super().label(control, setting)

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """The pictures and the tokens by name."""
        if control_id == "token" and setting.document is not None:
            return visible_token(setting.document.tokens[int(option)])
        return super().option(control_id, option, setting)

    def spots(self, room: QRectF, shown: Shown) -> tuple[Spot, ...]:
        """Heads, to be switched; rows, to be looked at."""
        views: Views = shown.result
        if shown.setting["view"] == "one":
            return _row_spots(room, views)
        if shown.setting["view"] == "off":
            areas = heads_off.places(room, views.split).heads
        else:
            areas = tuple(
                line.mixed.united(line.part).adjusted(-4.0, -2.0, 4.0, 2.0)
                for line in heads_blocks.places(room, views.split).lines
            )
        return tuple(_head_spot(area, views.split, head) for head, area in enumerate(areas))


def _head_spot(area: QRectF, split: Split, head: int) -> Spot:
    title = head_name(head, split.document.heads[head].name)
    name = tr("{head}, on", head=title) if split.on[head] else tr("{head}, off", head=title)
    control = f"head-{head + 1}"
    return Spot(control, area, name, control, value=not split.on[head])


def _row_spots(room: QRectF, views: Views) -> tuple[Spot, ...]:
    """The rows of the single head."""
    rect = heads_one.rects(room, views.split, views.single)[-1]
    tokens = views.split.document.tokens
    return tuple(
        Spot(
            f"row-{row}",
            cell_rect(rect, len(tokens), 1, row, 0),
            tr("Row of {token}", token=visible_token(token)),
            "token",
            value=str(row),
        )
        for row, token in enumerate(tokens)
    )


def _notice_off(shown: Shown) -> str:
    """What is lost, or would be, by the rows that lose most."""
    split: Split = shown.result.split
    decimals = shown.look.decimals
    off = split.on.count(False)
    if not off:
        return _notice_all_on(split, decimals)
    if not split.lost.any():
        return tr("Heads off: {count} of {h}. No row of Y has changed.", count=off, h=len(split.on))
    most = leaders(split.lost, decimals)
    return tr(
        "Heads off: {count} of {h}. The largest loss is that of {tokens}: ‖ΔY‖ = {loss}.",
        count=off,
        h=len(split.on),
        tokens=_named(split.document.tokens, most),
        loss=show(float(split.lost[most[0]]), decimals),
    )


def _notice_all_on(split: Split, decimals: int) -> str:
    tokens = split.document.tokens
    if not split.without.any():
        return tr("All heads are on, but none of them alone changes a row of Y by its absence.")
    places = [divmod(place, len(tokens)) for place in leaders(split.without.ravel(), decimals)]
    loss = show(float(split.without.max()), decimals)
    heads = sorted({head for head, _ in places})
    names = [head_name(head, split.document.heads[head].name) for head in heads]
    if len(heads) > 1:
        return tr(
            "All heads are on. The loss would be equally large without {heads}: up to ‖ΔY‖ = {loss}.",
            heads=listed(names),
            loss=loss,
        )
    return tr(
        "All heads are on. Without “{head}” the largest loss would be that of {tokens}: ‖ΔY‖ = {loss}.",
        head=names[0],
        tokens=_named(tokens, [row for _, row in places]),
        loss=loss,
    )


def _named(tokens: tuple[str, ...], places: list[int]) -> str:
    return listed([quoted(tokens[place]) for place in places])


def _notice_blocks(shown: Shown) -> str:
    split: Split = shown.result.split
    error = measured(split.error, shown.look.decimals)
    if not any(split.on):
        return tr("All heads are off: there is nothing to add up.")
    return tr(
        "What the heads that are on bring adds up to Y: the difference is at most {error}.",
        error=error,
    )


def _notice_one(shown: Shown) -> str:
    views: Views = shown.result
    split, row, decimals = views.split, views.token, shown.look.decimals
    keys = split.document.key_tokens
    token = visible_token(split.document.tokens[row])
    heads = split.A[:, row]
    single = _looks(keys, views.single.A[row], decimals)
    if len(heads) > FEW:
        seen = len(set(heads.argmax(axis=1).tolist()))
        return tr(
            "{h} heads look from {token} at {count} different tokens; the single head, with as many parameters, most "
            "at {single}.",
            h=len(heads),
            token=token,
            count=seen,
            single=single,
        )
    return tr(
        "{token} looks most, head by head, at: {seen}. The single head, with as many parameters: {single}.",
        token=token,
        seen=tr("; ").join(_looks(keys, weights, decimals) for weights in heads),
        single=single,
    )


def _looks(keys: tuple[str, ...], weights: Array, decimals: int) -> str:
    """The keys with the largest weight, and that weight."""
    most = leaders(weights, decimals)
    weight = show(float(weights[most[0]]), decimals)
    if len(most) == len(weights):
        return tr("all alike, {weight}", weight=weight)
    return tr("{tokens}, {weight}", tokens=_named(keys, most), weight=weight)


VIEWS = {
    "off": View(
        mark("Switch heads off"),
        mark("Switch off one head after the other: which token loses most without which head?"),
        _notice_off,
        heads_off.paint,
    ),
    "blocks": View(
        mark("The sum of the heads"),
        mark("Switch a head off and see which columns of Y it alone had filled."),
        _notice_blocks,
        heads_blocks.paint,
    ),
    "one": View(
        mark("Several heads or one"),
        mark("Choose another token: does the single head ever look where all of them look?"),
        _notice_one,
        heads_one.paint,
    ),
}

EXHIBIT = HeadsExhibit(VIEWS)
