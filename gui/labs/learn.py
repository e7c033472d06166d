"""The lab of learning in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.number_format import show_significant
from core.labs.lab import Setting
from core.labs.learn import Learned
from core.labs.learn_training import STEPS
from gui.labs import learn_picture
from gui.labs.exhibit import Exhibit, Shown, Spot
from gui.labs.learn_picture import saying
from gui.texts.translation import mark, tr, tr_marked

LABELS = {
    "step": mark("Step of learning"),
    "task": mark("Task"),
    "optimiser": mark("How it learns"),
    "rate_adam": mark("Learning rate η"),
    "rate_descent": mark("Learning rate η"),
    "heads": mark("Heads"),
    "head": mark("Matrices of head"),
    "seed": mark("Seed of the first weights and of the sentences"),
}
OPTIONS = {
    "copy": mark("Say the letter before"),
    "bracket": mark("Find the matching bracket"),
    "mirror": mark("Look at the mirror place"),
    "adam": mark("Adam"),
    "descent": mark("Gradient descent"),
}
HELP = {
    "step": mark("The whole history is computed at once: go back and forth in it as you like."),
    "task": mark(
        "Copying and brackets are learned from 20 sentences, and a new one is shown; the mirror has but one."
    ),
    "optimiser": mark(
        "Gradient descent: w − η·g. Adam: a step for each weight, from running means of g and g²."
    ),
    "rate_adam": mark("How long each step is."),
    "rate_descent": mark("How long each step is."),
    "heads": mark("Two heads are joined by a W_O, which is learned as well."),
}
LEARNED = 0.05  # a loss below this has learned its task


class LearnExhibit(Exhibit):
    """Weights, what is said, the loss, the matrices."""

    labels = LABELS
    helps = HELP

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Tasks and optimisers; heads by number."""
        return tr_marked(OPTIONS[option]) if option in OPTIONS else option

    def notice(self, shown: Shown) -> str:
        """How far it is, and whether it ran away."""
        result: Learned = shown.result
        loss = show_significant(result.loss, shown.look.decimals)
        if result.history.ran_away and result.step == result.history.last:
            return tr(
                "It ran away: L = {loss} at step {step}, and the next step leaves every bound. The rate is too large.",
                loss=loss,
                step=result.step,
            )
        if result.step == 0:
            return _random(result, loss)
        right = sum(said == wanted for said, wanted in zip(result.said, result.wanted, strict=True))
        if result.task.new is result.task.known:
            return tr(
                "Step {step}: L = {loss}. In the only sentence of this task {right} of {n} tokens answer correctly.",
                step=result.step,
                loss=loss,
                right=right,
                n=len(result.said),
            )
        return tr(
            "Step {step}: L = {loss}. In this sentence, new to it, {right} of {n} tokens answer correctly.",
            step=result.step,
            loss=loss,
            right=right,
            n=len(result.said),
        )

    def attempt(self, shown: Shown) -> str:
        """Play; then a rate that is too large, another task, another seed."""
        result: Learned = shown.result
        if result.history.ran_away:
            return tr("Find the largest rate with which it does not run away.")
        if result.step < STEPS:
            return tr("Press play: what do the framed cells do, and when?")
        if result.loss > LEARNED:
            return tr("It is not done after {steps} steps: try another rate, or Adam.", steps=STEPS)
        if shown.setting["task"] == "copy":
            return tr(
                "Which rows of W_Q and W_K are large: those of the letters or those of the places?"
            )
        if shown.setting["task"] == "bracket":
            return tr("Compare with copying: which rows of W_Q and W_K does this task need?")
        return tr("Try another seed: do W_Q and W_K become the same as before?")

    def paint(self, painter: QPainter, room: QRectF, shown: Shown) -> None:
        """The picture."""
        learn_picture.paint(painter, room, shown)

    def spots(self, room: QRectF, shown: Shown) -> tuple[Spot, ...]:
        """The dot on the curve."""
        return learn_picture.spots(room, shown)

    def spoken(self, shown: Shown) -> str:
        """What each token says, and what to notice."""
        result: Learned = shown.result
        pairs = zip(result.document.tokens, result.said, result.wanted, strict=True)
        said = tr(", ").join(
            tr("{name}: {text}", name=token, text=saying(result, one, other))
            for token, one, other in pairs
        )
        return tr("What each token says: {said}. {notice}", said=said, notice=self.notice(shown))


def _random(result: Learned, loss: str) -> str:
    """Before the first step."""
    if result.task.causal:
        return tr(
            "Random matrices: L = {loss}, and each token looks a little at itself and all before it.",
            loss=loss,
        )
    return tr(
        "Random matrices: L = {loss}, and each token looks a little at every token.", loss=loss
    )


EXHIBIT = LearnExhibit()
