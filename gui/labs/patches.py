"""The lab of patches in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.number_format import show
from core.labs.lab import Setting
from core.labs.patches import Patches
from gui.labs import patches_picture
from gui.labs.exhibit import Exhibit, Shown, Spot
from gui.labs.wording import leaders, listed
from gui.texts.translation import mark, tr, tr_marked

LABELS = {
    "picture": mark("Picture"),
    "open": mark("Another picture…"),
    "side": mark("Pixels a patch is wide"),
    "sharpness": mark("How sharply it looks (W_Q times)"),
    "position": mark("Weight of positions"),
    "patch": mark("Patch"),
}
OPTIONS = {"apples": mark("Apples"), "lake": mark("Lake"), "own": mark("Your own")}
HELP = {
    "sharpness": mark("At 0 every patch looks at all patches alike."),
    "position": mark(
        "How much row and column weigh beside colour; at 0 a patch does not know where it lies."
    ),
    "side": mark("Half as wide means four times as many tokens, and sixteen times as many pairs."),
}


class PatchesExhibit(Exhibit):
    """The picture, the map, the output."""

    labels = LABELS
    helps = HELP

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Pictures by name, sizes as numbers."""
        return option if control_id == "side" else tr_marked(OPTIONS[option])

    def notice(self, shown: Shown) -> str:
        """Which patch is looked at most: another one, itself, or all of them alike."""
        patches: Patches = shown.result
        if patches.n == 1:
            return tr("One patch, one token: it can look at nothing but itself.")
        decimals = max(3, shown.look.decimals)
        weights = patches.weights[patches.patch]
        most = leaders(weights, decimals)
        weight, patch = show(float(weights[most[0]]), decimals), _place(patches, patches.patch)
        if len(most) == patches.n:
            return tr(
                "{n} patches, {n} tokens. Patch {patch} looks at all of them alike: {weight} each.",
                n=patches.n,
                patch=patch,
                weight=weight,
            )
        if most == [patches.patch]:
            other = patches.strongest
            return tr(
                "{n} patches, {n} tokens. Patch {patch} looks most at itself, {weight}, then at {other}, {next}.",
                n=patches.n,
                patch=patch,
                weight=weight,
                other=_place(patches, other),
                next=show(float(weights[other]), decimals),
            )
        names = [
            tr("itself") if place == patches.patch else _place(patches, place) for place in most
        ]
        return tr(
            "{n} patches, {n} tokens. Patch {patch} looks most at {names}: {weight}.",
            n=patches.n,
            patch=patch,
            names=listed(names),
            weight=weight,
        )

    def attempt(self, shown: Shown) -> str:
        """Twins, then places."""
        if shown.setting["position"] > 0:
            return tr("Raise it further: does a patch still find its twin at the other side?")
        if shown.setting["picture"] == "lake":
            return tr("Click the sun: does it find its own reflection? Then let positions count.")
        if shown.setting["picture"] == "apples":
            return tr("Click one red apple: does it find the other one? Then let positions count.")
        return tr("Click a patch whose colour comes back elsewhere. Then let positions count.")

    def paint(self, painter: QPainter, room: QRectF, shown: Shown) -> None:
        """The picture."""
        patches_picture.paint(painter, room, shown)

    def spots(self, room: QRectF, shown: Shown) -> tuple[Spot, ...]:
        """The patches."""
        return patches_picture.spots(room, shown)


def _place(patches: Patches, patch: int) -> str:
    """Where a patch lies."""
    row, column = patches.place(patch)
    return tr("({row}, {column})", row=row + 1, column=column + 1)


EXHIBIT = PatchesExhibit()
