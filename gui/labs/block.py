"""Exhibit of the lab `block`: its texts."""

from __future__ import annotations

from collections.abc import Sequence

from core.labs.block import BlockResult
from core.labs.block_stream import Contribution
from core.labs.lab import Setting
from gui.labs import block_picture
from gui.labs.block_charts import curve_name, part_name
from gui.labs.exhibit import Exhibit, LabView
from gui.labs.wording import quoted
from gui.texts.names import visible_token
from gui.texts.translation import mark, tr

ALIKE = 0.99  # mean cosine from which rows count as alike


class BlockExhibit(Exhibit):
    """The stream, who speaks for a word, and how alike the rows become."""

    made = mark(
        "These numbers were drawn at random, in halves, and this draw was chosen out of thousands "
        "because it shows the effects clearly; no model learned them."
    )
    labels = {
        "token": mark("Follow"),
        "word": mark("Word"),
        "residual": mark("Residual connections"),
        "mlp": mark("MLP"),
        "place": mark("Norms of the layers"),
        "times": mark("All layers, times over"),
    }
    helps = {
        "token": mark(
            "Curves show from which tokens it reads in each layer. A trunk is as wide as its stream "
            "is long."
        ),
        "word": mark(
            "The parts add up to its logit after the last token. A norm is no sum: its mean and root "
            "are held at their values here."
        ),
        "residual": mark("Off: what a sub-layer computes replaces the stream."),
        "mlp": mark("Off: the layers are attention alone."),
        "place": mark(
            "Before a sub-layer reads (pre), after its sum (post), or none. The final norm stays. "
            "Layers that have no norm get LayerNorm with γ = 1, β = 0."
        ),
        "times": mark(
            "Only for the chart of how alike the rows become: the last rows enter the first layer again."
        ),
    }
    options = {
        "pre": mark("pre"),
        "post": mark("post"),
        "none": mark("none"),
        "own": mark("as entered"),
    }

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Return the name of an option: a token, or a word of the vocabulary."""
        document = setting.experiment
        if control_id == "word" and document.output is not None:
            return _name(document.output.vocabulary, int(option))
        if control_id == "token":
            return _name(document.tokens, int(option))
        return super().option(control_id, option, setting)

    def notice(self, view: LabView) -> str:
        """Report the largest part of the logit, and how alike the rows end."""
        result: BlockResult = view.result
        said = _depth(view)
        if not result.contributions:
            return said
        most = max(result.contributions, key=lambda part: abs(part.value))
        assert result.document.output is not None
        first = tr(
            "The logit {logit} of {word} is the sum of its parts; the largest is {value}: {part}.",
            logit=view.show(result.logit),
            word=quoted(result.document.output.vocabulary[result.word]),
            value=view.show(most.value),
            part=part_name(most),
        )
        return tr("{said} {more}", said=first, more=said)

    def attempt(self, view: LabView) -> str:
        """Suggest one thing to try."""
        result: BlockResult = view.result
        controls = view.setting.values
        if "residual" in controls and result.residual and result.mlp:
            return tr("Switch the residual connections off: which parts of the logit are left?")
        if not result.residual and result.mlp and "mlp" in controls:
            return tr("Switch the MLP off as well: do the rows become alike sooner or later?")
        if result.place == "pre":
            return tr("Put the norms after the sums (post): what becomes of the lengths?")
        if result.place == "post":
            return tr("Take the norms away: how long do the streams become?")
        return tr("Choose another word: which part speaks for it, and which against it?")

    paint = staticmethod(block_picture.paint)
    spots = staticmethod(block_picture.spots)

    def spoken(self, view: LabView) -> str:
        """Read the parts of the logit and the ends of the curves, and the notice."""
        result: BlockResult = view.result
        parts = tr("; ").join(_part(view, part) for part in result.contributions)
        ends = tr("; ").join(
            f"{curve_name(curve)} {view.show(curve.values[-1])}" for curve in result.curves
        )
        said = tr("Mean cosine at the end: {ends}.", ends=ends)
        if parts:
            said = tr("Parts of the logit: {parts}. {more}", parts=parts, more=said)
        return tr("{said} {more}", said=said, more=self.notice(view))


def _name(words: Sequence[str], index: int) -> str:
    """Name a word, with its place if it occurs more than once."""
    name = visible_token(words[index])
    return f"{name} · {index + 1}" if words.count(words[index]) > 1 else name


def _part(view: LabView, part: Contribution) -> str:
    return f"{part_name(part)} {view.show(part.value)}"


def _depth(view: LabView) -> str:
    """Say how alike the rows are at the end, and since when if they are alike."""
    result: BlockResult = view.result
    curve = result.curve
    last = len(curve.values) - 1
    end = view.show(curve.values[-1])
    if curve.values[-1] < ALIKE:
        return tr(
            "After {count} layers, two rows have a mean cosine of {value}.", count=last, value=end
        )
    low = [layer for layer, value in enumerate(curve.values) if value < ALIKE]
    since = low[-1] + 1 if low else 0
    return tr(
        "After {count} layers, two rows have a mean cosine of {value}; from layer {since} on it is "
        "at least 0.99: all tokens point the same way.",
        count=last,
        value=end,
        since=since,
    )


EXHIBIT = BlockExhibit()
