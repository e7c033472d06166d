"""Exhibit of the lab `caution`: its texts."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from core.base.arrays import Array
from core.labs.caution import CautionResult
from gui.labs import caution_picture
from gui.labs.exhibit import BY_HAND, ExhibitView, LabView, Spot, Viewed
from gui.labs.wording import leaders, listed, measured, named, with_off
from gui.texts.names import head_name, visible_token
from gui.texts.translation import mark, tr

SPOTS = {
    "same": caution_picture.same_output_spots,
    "norms": caution_picture.norm_spots,
    "rollout": caution_picture.rollout_spots,
    "entropy": caution_picture.entropy_spots,
}


class CautionExhibit(Viewed):
    """Four reasons not to read a heatmap as an explanation."""

    made = BY_HAND

    labels = {
        "view": mark("Show"),
        "head": mark("Head"),
        "token": mark("Row of"),
        "share": mark("How far towards other weights"),
        "layers": mark("Layers"),
    }
    helps = {
        "share": mark(
            "At 1 and at −1, one weight of every row that can move has fallen to a thousandth "
            "of what it was, but not to 0. So a softmax can give any B: take the scores ln B."
        ),
        "layers": mark("The same layer on its own output: sum of input and output, normalised."),
    }

    def notice(self, view: LabView) -> str:
        """State the claim of the view with its numbers."""
        text = super().notice(view)
        if view.setting["view"] == "rollout":  # over all heads
            return text
        return with_off(text, view.result.document, view.setting.head)

    def spots(self, area: QRectF, view: LabView) -> tuple[Spot, ...]:
        """Return rows and heads as spots."""
        return SPOTS[view.setting["view"]](area, view)

    def spoken(self, view: LabView) -> str:
        """Describe the selected row and the notice."""
        cautioned: CautionResult = view.result
        rows = _rows(cautioned)
        text = tr("; ").join(
            tr("{name}: {numbers}", name=name, numbers=_pairs(view, row)) for name, row in rows
        )
        token = visible_token(cautioned.document.tokens[cautioned.token])
        return tr(
            "Row of “{token}”. {said}. {notice}", token=token, said=text, notice=self.notice(view)
        )


def _rows(cautioned: CautionResult) -> list[tuple[str, Array]]:
    """Describe the selected row."""
    row = cautioned.token
    if cautioned.twin is not None:
        return [
            (tr("Weights A"), cautioned.twin.A[row]),
            (tr("Other weights B"), cautioned.twin.B[row]),
        ]
    if cautioned.contributions is not None:
        flows = cautioned.contributions
        return [(tr("weight"), flows.A[row]), (tr("share of what flows"), flows.share[row])]
    if cautioned.rollout is not None:
        return [
            (tr("weight"), cautioned.rollout.layers[-1][row]),
            (tr("rollout"), cautioned.rollout.flow[-1][row]),
        ]
    assert cautioned.entropies is not None
    return [(tr("weight"), cautioned.entropies.A[cautioned.head, row])]


def _pairs(view: LabView, row: Array) -> str:
    tokens = map(visible_token, view.result.document.tokens)
    return tr(", ").join(
        f"{token} {view.show(value)}" for token, value in zip(tokens, row, strict=True)
    )


def _names(view: LabView) -> list[str]:
    return [visible_token(token) for token in view.result.document.tokens]


def _same(view: LabView) -> str:
    pair, names, row = view.result.twin, _names(view), view.result.token
    assert pair is not None
    if not pair.free.any():
        return tr(
            "Too few tokens: no other weights give this output. More than d_v + 1 tokens are "
            "needed."
        )
    if pair.moved == 0.0:
        return tr("A and B are still the same. Move the slider.")
    most, least = int(pair.D[row].argmax()), int(pair.D[row].argmin())
    gap = measured(pair.gap, view.decimals)
    more, before = view.show(pair.B[row, most]), view.show(pair.A[row, most])
    less, once = view.show(pair.B[row, least]), view.show(pair.A[row, least])
    if more == before or less == once:  # this row hardly changes
        moved = measured(pair.moved, view.decimals)
        return tr("Weights differ by up to {moved}, outputs by {gap}.", moved=moved, gap=gap)
    return tr(
        "“{token}” now takes {more} of “{most}” instead of {before}, and {less} of “{least}” instead of {once}; "
        "its output differs by {gap}.",
        token=names[row],
        most=names[most],
        least=names[least],
        gap=gap,
        more=more,
        before=before,
        less=less,
        once=once,
    )


def _norms(view: LabView) -> str:
    cautioned: CautionResult = view.result
    flows, names, row = cautioned.contributions, _names(view), cautioned.token
    assert flows is not None
    loud, most = leaders(flows.A[row], view.decimals), leaders(flows.share[row], view.decimals)
    weight, share = view.show(flows.A[row, loud[0]]), view.show(flows.share[row, most[0]])
    token, louds, mosts = (
        names[row],
        named(cautioned.document.tokens, loud),
        named(cautioned.document.tokens, most),
    )
    if loud == most:
        return tr(
            "“{token}” gives {loud} the largest weight, {weight}, and most flows from there, too: {share}.",
            token=token,
            loud=louds,
            weight=weight,
            share=share,
        )
    if len(loud) == len(names):
        return tr(
            "“{token}” gives all tokens the same weight, {weight}, and yet most of what flows "
            "comes from {most}: {share}.",
            token=token,
            weight=weight,
            most=mosts,
            share=share,
        )
    if set(loud) & set(most):
        return tr(
            "“{token}” gives {loud} the largest weight, {weight}; most of what flows comes from {most}: {share}.",
            token=token,
            loud=louds,
            weight=weight,
            most=mosts,
            share=share,
        )
    return tr(
        "“{token}” gives {loud} the weight {weight}, and yet only {share} of what flows comes from there; "
        "most comes from {most}.",
        token=token,
        loud=louds,
        weight=weight,
        share=view.show(flows.share[row, loud[0]]),
        most=mosts,
    )


def _rollout(view: LabView) -> str:
    cautioned: CautionResult = view.result
    rolled, names, row = cautioned.rollout, _names(view), cautioned.token
    assert rolled is not None
    count, last, flow = len(rolled.layers), rolled.layers[-1][row], rolled.flow[-1][row]
    most, share = (
        named(cautioned.document.tokens, leaders(flow, view.decimals)),
        view.show(flow.max()),
    )
    if not rolled.stacked:
        return tr(
            "Nothing here feeds a next layer, so each has the same weights: up to layer {count} “{token}” has most from "
            "{most}, {share}.",
            token=names[row],
            count=count,
            most=most,
            share=share,
        )
    return tr(
        "In layer {count} “{token}” looks most at {loud}, {weight}. Traced back to the input by "
        "rollout, most comes from {most}: {share}.",
        token=names[row],
        count=count,
        loud=named(cautioned.document.tokens, leaders(last, view.decimals)),
        weight=view.show(last.max()),
        most=most,
        share=share,
    )


def _entropy(view: LabView) -> str:
    spread = view.result.entropies
    assert spread is not None
    named = [head_name(index, head.name) for index, head in enumerate(view.result.document.heads)]
    most, decimals = view.show(spread.most.max()), view.decimals
    wide, sure = leaders(spread.means, decimals), leaders(-spread.means, decimals)
    if len(named) == 1:
        return tr(
            "The mean entropy is {mean} nats; equal shares have {most}.",
            mean=view.show(spread.means[0]),
            most=most,
        )
    if len(wide) == len(named):
        return tr(
            "All heads have the same mean entropy, {mean} nats; equal shares have {most}.",
            mean=view.show(spread.means[0]),
            most=most,
        )
    return tr(
        "Most decided: {sure}, {low} nats; least: {wide}, {high}; equal shares have {most}. "
        "That does not say how much each contributes.",
        sure=listed([named[head] for head in sure]),
        low=view.show(spread.means[sure[0]]),
        wide=listed([named[head] for head in wide]),
        high=view.show(spread.means[wide[0]]),
        most=most,
    )


VIEWS = {
    "same": ExhibitView(
        mark("Other weights, same output"),
        mark(
            "Move the slider from end to end and watch A·V and B·V: which of the two heatmaps is the reason?"
        ),
        _same,
        caution_picture.paint_same_output,
    ),
    "norms": ExhibitView(
        mark("Weights and what flows"),
        mark("Choose another row: does most of what flows come from the largest weight?"),
        _norms,
        caution_picture.paint_norms,
    ),
    "rollout": ExhibitView(
        mark("Through several layers"),
        mark(
            "Add layers: the rows of the rollout become more and more alike, whatever the "
            "weights of the last layer are."
        ),
        _rollout,
        caution_picture.paint_rollout,
    ),
    "entropy": ExhibitView(
        mark("Entropy of the heads"),
        mark(
            "Click the bar of another head. Would you switch off the head with equal shares, or the other one?"
        ),
        _entropy,
        caution_picture.paint_entropy,
    ),
}

EXHIBIT = CautionExhibit(VIEWS)
