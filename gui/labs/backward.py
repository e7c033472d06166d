"""Exhibit of the lab `backward`: its texts."""

from __future__ import annotations

from core.base.number_format import show_significant
from core.labs.backward import Backward
from core.labs.lab import Setting
from gui.labs import backward_picture
from gui.labs.backward_card import check_text, gap_text, sum_text
from gui.labs.exhibit import BY_HAND, Exhibit, LabView
from gui.texts.gradients import gradient_symbol
from gui.texts.names import head_name, header, long_name
from gui.texts.translation import mark, tr

DEAD = 1e-3  # relative gradient norm below which the gradient has vanished


class BackwardExhibit(Exhibit):
    """The graph of stages, numbers beside their gradients, and one worked and checked gradient."""

    made = BY_HAND

    labels = {
        "step": mark("How far back"),
        "head": mark("Head"),
        "cell": mark("Gradient to work out"),
        "sharpness": mark("Sharpness: queries times"),
        "aim": mark("Loss L"),
        "target": mark("Target T"),
        "output": mark("Number of Y"),
    }
    options = {
        "target": mark("½‖Y − T‖²"),
        "zero": mark("½‖Y‖²"),
        "one": mark("one number of Y"),
    }
    helps = {
        "step": mark(
            "From Y towards X, one stage per step; you can also click the signs along the path."
        ),
        "cell": mark("Row by row; you can also click the cells of the matrix on the right."),
        "sharpness": mark(
            "Makes all scores larger or smaller, and so the softmax sharper or softer."
        ),
        "aim": mark(
            "What should become small: the distance from a target, Y itself, or one of its numbers."
        ),
        "target": mark("What each token's output should be."),
        "output": mark("Row by row."),
    }

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Name losses and heads."""
        if control_id == "head" and setting.document is not None:
            return head_name(int(option), setting.document.heads[int(option)].name)
        return super().option(control_id, option, setting)

    def entry(self, control_id: str, index: int, setting: Setting) -> str:
        """Name a number of T by its token and column."""
        if setting.document is None:
            return super().entry(control_id, index, setting)
        row, column = divmod(index, setting.document.stage_shape("Y")[1])
        return f"{header('Y', 'n', row, setting.document)} {column + 1}"

    def notice(self, view: LabView) -> str:
        """Report the gradient check or the effect of saturation."""
        result: Backward = view.result
        most, now = float(result.norms.max()), result.run.scores_norm
        norm = show_significant(now, view.decimals)
        if result.factor != 1.0:
            return _saturation(now < DEAD * most, norm, view.show(result.factor))
        loss = view.show(result.run.loss)
        if result.name == result.run.trace.plan.stages[-1].id:
            return tr(
                "The way back starts at the end: L = {loss}; this gradient says how L changes "
                "with each number of Y.",
                loss=loss,
            )
        if result.difference is None:
            return tr("A number that is fixed has no slope: nothing comes back through it.")
        return tr(
            "{name}: the gradient is {slope}. Change the number slightly, and L changes at just "
            "that rate (off by {gap}).",
            name=long_name(result.name),
            slope=show_significant(result.step.value, view.decimals),
            gap=gap_text(view),
        )

    def attempt(self, view: LabView) -> str:
        """Suggest stepping, sharpening or softening."""
        result: Backward = view.result
        if result.factor != 1.0:
            return tr("Find the factor at which most gradient reaches the scores.")
        if result.name == result.steps[-1]:
            return tr(
                "Now increase the queries step by step: which matrices stop learning, and which "
                "go on?"
            )
        if result.name == result.run.scores:
            return tr("Add up a row of this gradient: why must it be 0?")
        return tr("Before you step back once more: which two matrices will be multiplied?")

    paint = staticmethod(backward_picture.paint)
    spots = staticmethod(backward_picture.spots)

    def spoken(self, view: LabView) -> str:
        """Describe the sum, its check and the notice."""
        parts = (
            gradient_symbol(view.result.name),
            sum_text(view),
            check_text(view),
            self.notice(view),
        )
        return ". ".join(part.rstrip(".") for part in parts)


def _saturation(dead: bool, norm: str, factor: str) -> str:
    if dead:
        return tr(
            "Queries × {factor}: the softmax is saturated, ‖∂L/∂S‖ = {norm}: nothing left for Q and K to learn from.",
            factor=factor,
            norm=norm,
        )
    return tr(
        "Queries × {factor}: ‖∂L/∂S‖ = {norm} comes through the softmax.", factor=factor, norm=norm
    )


EXHIBIT = BackwardExhibit()
