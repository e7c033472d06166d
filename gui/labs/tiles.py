"""Exhibit of the lab `tiles`: its texts."""

from __future__ import annotations

import numpy as np

from core.labs.controls import Clock
from core.labs.lab import Lab, Setting
from core.labs.tiles import TilesResult
from gui.labs import tiles_picture
from gui.labs.exhibit import Exhibit, LabView
from gui.labs.tiles_picture import WRONG, block_title, worked_line
from gui.labs.wording import measured, with_off
from gui.texts.rich_text import plain_text
from gui.texts.translation import mark, tr


class TilesExhibit(Exhibit):
    """The table in tiles, and the running sums of one query."""

    made = mark("These numbers were drawn at random and rounded; no model learned them.")
    pictured = frozenset({"column"})
    labels = {
        "step": mark("Block of keys"),
        "column": mark("Worked sum of"),
        "block": mark("Queries and keys in a tile"),
        "query": mark("Query"),
        "n": mark("Tokens n"),
        "causal": mark("Causal mask"),
        "rescale": mark("Rescale when m rises"),
        "head": mark("Head"),
    }
    helps = {
        "step": mark("After each block, o ÷ ℓ is the output over the keys so far."),
        "block": mark("1 goes key by key. With all keys in one tile it is the usual softmax."),
        "causal": mark("A tile in which every pair is masked adds nothing and can be skipped."),
        "rescale": mark(
            "Multiplies ℓ and o by ρ = e^(m − m′) when the maximum rises from m to m′."
        ),
    }

    def clock_text(self, control: Clock, value: int) -> str:
        """Return the clock's text: blocks count from 1."""
        return tr("{number} of {most}", number=value + 1, most=control.last + 1)

    def origin(self, lab: Lab, setting: Setting) -> str:
        """Say who made the numbers, unless they are those of an experiment."""
        return super().origin(lab, setting) if setting.document is None else ""

    def notice(self, view: LabView) -> str:
        """Report what the block does to m, and after the last one how exact the result is."""
        result: TilesResult = view.result
        said = _rise(view)
        if result.step == result.steps - 1:
            said = tr("{said} {more}", said=said, more=_end(view))
        return with_off(said, result.document, result.head)

    def attempt(self, view: LabView) -> str:
        """Suggest switching the rescaling off, then what to look for."""
        result: TilesResult = view.result
        if not result.rescale:
            return tr(
                "Find a query that comes out right even so. What does its row of m look like?"
            )
        if result.skipped.any():
            return tr("Raise n: which part of the tiles does the causal mask skip?")
        if result.step == 0:
            return tr("Click ℓ or a number of o: its sum is written below.")
        if result.block == 1:
            return tr("Now every key is a block. How often does m rise, and for which keys?")
        if result.step < result.steps - 1:
            return tr(
                "Play to the last block: in which blocks does m rise, and what is ρ in the others?"
            )
        return tr("Switch the rescaling off: is it ℓ, o or both that come out wrong?")

    paint = staticmethod(tiles_picture.paint)
    spots = staticmethod(tiles_picture.spots)

    def spoken(self, view: LabView) -> str:
        """Describe the state after the block, and the notice."""
        result: TilesResult = view.result
        m, total, output = result.state(result.step)
        return tr(
            "{title}: m = {m}, ℓ = {sum}, o = {output}; {worked}. {notice}",
            title=block_title(result),
            worked=plain_text(worked_line(view, int(view.setting["column"]))),
            m=view.show(m) if np.isfinite(m) else "—",
            sum=view.show(total),
            output=tr(", ").join(map(view.show, output)),
            notice=self.notice(view),
        )


def _rise(view: LabView) -> str:
    result: TilesResult = view.result
    before, now = result.before[0], result.state(result.step)[0]
    shown = view.show
    if not np.isfinite(now):
        return tr("Every key so far is masked for this query: nothing is added up.")
    if not np.isfinite(before):
        return tr(
            "The first block: m is its largest score, {m}, and nothing has been summed before.",
            m=shown(now),
        )
    if now == before:
        return tr(
            "No score of this block is above m = {m}: ρ = 1, nothing is rescaled.", m=shown(now)
        )
    if not result.rescale:
        return tr(
            "m rises from {before} to {m}, but what was added up keeps the scale of {before}.",
            before=shown(before),
            m=shown(now),
        )
    factor = float(result.running.factors[result.step, result.query])
    return tr(
        "m rises from {before} to {m}: what was added up so far is multiplied by "
        "ρ = {base}^({before} − {m}) = {factor}.",
        before=shown(before),
        m=shown(now),
        base=result.document.softmax.base,
        factor=shown(factor),
    )


def _end(view: LabView) -> str:
    result: TilesResult = view.result
    gap = measured(result.own_difference, view.decimals)
    if result.own_difference > WRONG:
        return tr(
            "o ÷ ℓ is wrong: it differs from the softmax over the whole row by {gap}.", gap=gap
        )
    return tr(
        "All keys are summed: o ÷ ℓ differs from the softmax over the whole row by {gap}.", gap=gap
    )


EXHIBIT = TilesExhibit()
