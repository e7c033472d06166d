"""The lab of heads in words; its three pictures."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.labs.controls import Control
from core.labs.heads import Split, Views
from core.labs.lab import Setting
from core.numbers import show
from gui.labs import heads_blocks, heads_off, heads_one
from gui.labs.exhibit import Exhibit, Shown, Spot
from gui.labs.measured import measured
from gui.language import mark, tr, tr_marked
from gui.matrix import cell_rect
from gui.texts.names import head_name, visible_token

FEW = 4  # heads whose keys are told one by one
LABELS = {"view": mark("Picture"), "token": mark("Row of")}
VIEWS = {
    "off": mark("Switch heads off"),
    "blocks": mark("The sum of the heads"),
    "one": mark("Several heads or one"),
}
PICTURES = {"off": heads_off.paint, "blocks": heads_blocks.paint, "one": heads_one.paint}
ATTEMPTS = {
    "off": mark("Switch off one head after the other: which token loses most without which head?"),
    "blocks": mark("Switch a head off and see which columns of Y it alone had filled."),
    "one": mark("Choose another token: does the single head ever look where all of them look?"),
}


class HeadsExhibit(Exhibit):
    """Heads off, the sum, the single head."""

    def label(self, control: Control, setting: Setting) -> str:
        """Heads by name."""
        if control.id.startswith("head-") and setting.document is not None:
            head = int(control.id.removeprefix("head-")) - 1
            return head_name(head, setting.document.heads[head].name)
        return tr_marked(LABELS[control.id])

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """The pictures, and the tokens."""
        if control_id == "token" and setting.document is not None:
            return visible_token(setting.document.tokens[int(option)])
        return tr_marked(VIEWS[option])

    def notice(self, shown: Shown) -> str:
        """What the picture chosen shows."""
        return _NOTICES[shown.setting["view"]](shown)

    def attempt(self, shown: Shown) -> str:
        """One thing to try in the picture chosen."""
        return tr_marked(ATTEMPTS[shown.setting["view"]])

    def paint(self, painter: QPainter, room: QRectF, shown: Shown) -> None:
        """The picture chosen."""
        PICTURES[shown.setting["view"]](painter, room, shown)

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
    split: Split = shown.result.split
    tokens, decimals = split.document.tokens, shown.look.decimals
    off = [head for head, on in enumerate(split.on) if not on]
    if not off:
        head, row = divmod(int(split.without.argmax()), len(tokens))
        return tr(
            "All heads are on. {token} would lose most without {head}: ‖ΔY‖ = {loss}.",
            token=visible_token(tokens[row]),
            head=head_name(head, split.document.heads[head].name),
            loss=show(float(split.without[head, row]), decimals),
        )
    row = int(split.lost.argmax())
    return tr(
        "{count} of {h} heads are off: {token} has lost most, ‖ΔY‖ = {loss}.",
        count=len(off),
        h=len(split.on),
        token=visible_token(tokens[row]),
        loss=show(float(split.lost[row]), decimals),
    )


def _notice_blocks(shown: Shown) -> str:
    split: Split = shown.result.split
    return tr(
        "{count} blocks add up to Y: the sum differs from it by at most {error}.",
        count=sum(split.on),
        error=measured(split.error, shown.look.decimals),
    )


def _notice_one(shown: Shown) -> str:
    views: Views = shown.result
    split, row, decimals = views.split, views.token, shown.look.decimals
    keys = split.document.key_tokens
    token = visible_token(split.document.tokens[row])
    heads = split.A[:, row].argmax(axis=1).tolist()
    single = views.single.A[row]
    key, weight = visible_token(keys[int(single.argmax())]), show(float(single.max()), decimals)
    if len(heads) > FEW:
        return tr(
            "{h} heads look from {token} at {count} different tokens; the single head most at {key}, {weight}.",
            h=len(heads),
            token=token,
            count=len(set(heads)),
            key=key,
            weight=weight,
        )
    seen = tr(", ").join(
        tr("{token} {weight}", token=visible_token(keys[at]), weight=show(float(split.A[head, row, at]), decimals))
        for head, at in enumerate(heads)
    )
    return tr(
        "{token} looks most at {seen}; the single head at {key} with {weight}, with as many parameters.",
        token=token,
        seen=seen,
        key=key,
        weight=weight,
    )


_NOTICES = {"off": _notice_off, "blocks": _notice_blocks, "one": _notice_one}

EXHIBIT = HeadsExhibit()
