"""Exhibit of the lab `circuits`: its texts."""

from __future__ import annotations

from core.labs.circuits import Circuit, CircuitsResult, attention_of
from core.labs.lab import Setting
from gui.labs import circuits_picture
from gui.labs.exhibit import BY_HAND, Exhibit, LabView, head_option
from gui.labs.wording import leaders, listed, measured, named, quoted
from gui.texts.translation import mark, tr


class CircuitsExhibit(Exhibit):
    """What a head looks for and what it says, as tables of words."""

    made = BY_HAND
    labels = {
        "layer": mark("Layer"),
        "head": mark("Head"),
        "angle": mark("Turn the columns (degrees)"),
        "cut": mark("Singular values cut: W_Q W_Kᵀ"),
        "cut_ov": mark("Singular values cut: W_V W_O"),
    }
    helps = {
        "angle": mark(
            "The first two columns of Q and K turn together, and those of V with the rows of W_O."
        ),
        "cut": mark("How many singular values are set to 0, from the smallest."),
        "cut_ov": mark("How many singular values are set to 0, from the smallest."),
    }

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Name the heads of the chosen layer."""
        document = setting.document
        if control_id == "head" and document is not None and document.is_stack:
            scope = attention_of(document, int(setting.get("layer", "1")))
            return head_option(scope, int(option))
        return super().option(control_id, option, setting)

    def notice(self, view: LabView) -> str:
        """Report what turning keeps, what the cut changes, or the largest entries."""
        result: CircuitsResult = view.result
        if result.is_cut:
            return _cut(view)
        if result.angle:
            return tr(
                "The factors have other numbers now, and their product stays: the left table changes "
                "by {change}. A single column of Q or K means nothing by itself.",
                change=measured(result.score_change, view.decimals),
            )
        query, keys = _largest(view, result.qk)
        word, columns = _largest(view, result.ov)
        sought = (
            tr("Without positions no word looks for another: all scores are 0.")
            if not result.qk.table.any()
            else tr(
                "{query} looks most for {keys}: {score}.",
                query=quoted(result.tokens[query]),
                keys=named(result.tokens, keys),
                score=view.show(result.qk.table[query, keys[0]]),
            )
        )
        name, value = quoted(result.tokens[word]), view.show(result.ov.table[word, columns[0]])
        if result.has_words:
            said = tr(
                "Where {word} is attended to, it adds {value} to the logit of {names}.",
                word=name,
                value=value,
                names=named(result.columns, columns),
            )
        else:
            said = tr(
                "Where {word} is attended to, it adds {value} to column {number} of Y.",
                word=name,
                value=value,
                number=listed([result.columns[column] for column in columns]),
            )
        return tr("{said} {more}", said=sought, more=said)

    def attempt(self, view: LabView) -> str:
        """Suggest turning, then cutting."""
        result, values = view.result, view.setting.values
        if result.is_cut:
            return tr("Which product can lose a singular value while the output changes least?")
        if "angle" in values and not result.angle:
            return tr("Turn the columns: which numbers move, and which stay?")
        if "cut" in values:
            return tr("Cut the rank of W_Q W_Kᵀ to 1: which words still find each other?")
        return tr("Open an experiment with layers or with wider heads: what do its heads look for?")

    paint = staticmethod(circuits_picture.paint)
    spots = staticmethod(circuits_picture.spots)

    def spoken(self, view: LabView) -> str:
        """Describe what each word looks for most, the singular values, and the notice."""
        result: CircuitsResult = view.result
        pairs = tr("; ").join(
            tr(
                "{query} most for {key}: {score}",
                query=quoted(token),
                key=quoted(result.tokens[int(row.argmax())]),
                score=view.show(row.max()),
            )
            for token, row in zip(result.tokens, result.qk.table, strict=True)
        )
        first, second = (
            tr(", ").join(view.show(value) for value in one.values)
            for one in (result.qk, result.ov)
        )
        return tr(
            "{pairs}. Singular values of W_Q W_Kᵀ: {first}; of W_V W_O: {second}. {notice}",
            pairs=pairs,
            first=first,
            second=second,
            notice=self.notice(view),
        )


def _largest(view: LabView, circuit: Circuit) -> tuple[int, list[int]]:
    """Return the row with the largest entry of a table, and the columns that have it."""
    row = int(circuit.table.max(axis=1).argmax())
    return row, leaders(circuit.table[row], view.decimals)


def _cut(view: LabView) -> str:
    """Report what a cut takes from each product, and what it changes."""
    result: CircuitsResult = view.result
    said = []
    for circuit, product in ((result.qk, "W_Q W_Kᵀ"), (result.ov, "W_V W_O")):
        if circuit.kept < len(circuit.values):
            said.append(
                tr(
                    "{product} keeps {kept} of {count} singular values and loses {share} of its norm.",
                    product=product,
                    kept=circuit.kept,
                    count=len(circuit.values),
                    share=f"{circuit.error:.0%}",
                )
            )
    effect = tr(
        "A weight changes by up to {weight}, the output by {change} of its norm.",
        weight=view.show(result.weight_change),
        change=f"{result.change:.0%}",
    )
    whole = effect
    for sentence in reversed(said):
        whole = tr("{said} {more}", said=sentence, more=whole)
    return whole


EXHIBIT = CircuitsExhibit()
