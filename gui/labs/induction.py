"""Exhibit of the lab `induction`: its texts."""

from __future__ import annotations

from core.labs.controls import Control
from core.labs.induction import LETTERS, MOST, InductionResult
from core.labs.lab import Setting
from gui.labs import induction_picture
from gui.labs.exhibit import BY_HAND, Exhibit, LabView
from gui.labs.wording import listed
from gui.texts.names import visible_token
from gui.texts.translation import mark, tr

FLAT = 0.9  # a weight below this is no clear choice


class InductionExhibit(Exhibit):
    """Two layers over a few letters, the scores of layer 2 by path, and the next letter."""

    made = BY_HAND
    pictured = frozenset(f"letter{place}" for place in range(1, MOST + 1))
    labels = {
        "pattern": mark("Pattern of letters"),
        "length": mark("Letters"),
        "first": mark("Layer 1: note the letter before"),
        "second": mark("Layer 2: find and copy"),
        "sharpness": mark("Factor c of the scores"),
    }
    helps = {
        "pattern": mark("The next letter is the one that came after the last letter before."),
        "length": mark("Click a letter in the picture to change it."),
        "first": mark("Switched off, the layer passes its input on unchanged."),
        "second": mark("Its keys read what layer 1 noted; its values are the letters."),
        "sharpness": mark(
            "Multiplies the scores of both layers; 0 makes all weights of a row equal."
        ),
    }
    options = {"own": mark("my own")}

    def label(self, control: Control, setting: Setting) -> str:
        """Name the letters by their places."""
        if control.id in self.pictured:
            return tr("Letter {number}", number=control.id.removeprefix("letter"))
        return super().label(control, setting)

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Write a pattern with spaces between its letters."""
        if control_id == "pattern" and option not in self.options:
            return " ".join(option)
        return super().option(control_id, option, setting)

    def notice(self, view: LabView) -> str:
        """Report what the last letter finds, and what is copied."""
        result: InductionResult = view.result
        if not result.layers[1]:
            return tr(
                "Without layer 2 nothing is copied: every letter has probability {share}.",
                share=view.show(result.probabilities[0]),
            )
        if not result.layers[0]:
            return tr(
                "Without layer 1 no place knows the letter before it: all scores are 0, and each of "
                "{count} places gets the weight {weight}.",
                count=len(result.tokens),
                weight=view.show(_weight(result, 0)),
            )
        last, seen = result.tokens[-1], result.continuations
        if not seen:
            return tr(
                "{last} has not occurred before: no place noted it, and no weight is above {weight}.",
                last=last,
                weight=view.show(max(_weight(result, key) for key in range(len(result.tokens)))),
            )
        return _found(view, last, seen)

    def attempt(self, view: LabView) -> str:
        """Suggest one thing to try."""
        result: InductionResult = view.result
        if not any(result.layers):
            return tr(
                "Switch the layers on one by one: which of them alone is better than guessing?"
            )
        if not result.layers[0]:
            return tr("Raise the factor c of the scores to 40: does a sharper softmax help?")
        if not result.layers[1]:
            return tr("Layer 1 still notes the letter before. Who reads it?")
        if view.setting["pattern"] == "own":
            return tr("Give a letter two different continuations: how is the weight shared?")
        if len(result.continuations) > 1:
            return tr("Does it matter which of the two continuations came last?")
        if not result.continuations:
            return tr("Choose a pattern of your own in which the last letter occurs before.")
        return tr("Switch layer 1 off: which row of numbers becomes 0, and what is left to copy?")

    paint = staticmethod(induction_picture.paint)
    spots = staticmethod(induction_picture.spots)

    def spoken(self, view: LabView) -> str:
        """Describe the letters, the weights of layer 2, the probabilities, and the notice."""
        result: InductionResult = view.result
        weights = result.weights(2)
        said = tr("off")
        if weights is not None:
            pairs = zip(map(visible_token, result.tokens), weights[-1], strict=True)
            said = tr(", ").join(f"{token} {view.show(weight)}" for token, weight in pairs)
        chances = zip(LETTERS, result.probabilities, strict=True)
        return tr(
            "Weights of layer 2: {weights}. Next letter: {chances}. {notice}",
            weights=said,
            chances=tr(", ").join(f"{letter} {view.show(chance)}" for letter, chance in chances),
            notice=self.notice(view),
        )


def _weight(result: InductionResult, key: int) -> float:
    """Return the weight of a key for the last letter in layer 2, 0 if it is off."""
    weights = result.weights(2)
    return 0.0 if weights is None else float(weights[-1, key])


def _chance(view: LabView, letter: str) -> str:
    return view.show(view.result.probabilities[LETTERS.index(letter)])


def _found(view: LabView, last: str, seen: tuple[str, ...]) -> str:
    """Report the weight of the places after earlier occurrences, and what is copied."""
    result: InductionResult = view.result
    tokens = result.tokens
    places = [key for key in range(1, len(tokens)) if tokens[key - 1] == last]
    weight = sum(_weight(result, key) for key in places)
    shown = view.show(weight)
    if weight < FLAT:
        return tr(
            "The scores are too flat: what came after {last} gets {weight} of the weight, and the "
            "rest is copied from other places.",
            last=last,
            weight=shown,
        )
    if len(seen) > 1:
        return tr(
            "{last} was followed by {letters}: their places share a weight of {weight}. Probabilities: "
            "{chances}.",
            last=last,
            letters=listed(seen),
            weight=shown,
            chances=tr(", ").join(f"{letter} {_chance(view, letter)}" for letter in seen),
        )
    return tr(
        "The last {last} looks for places that noted {last}, and finds {letter} with weight {weight}. "
        "It copies {letter}: probability {chance}.",
        last=last,
        letter=seen[0],
        weight=shown,
        chance=_chance(view, seen[0]),
    )


EXHIBIT = InductionExhibit()
