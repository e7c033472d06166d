"""The lab of context in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.number_format import show
from core.labs.context import DEED, FRUIT, PERSON, SENTENCES, TECH, WORD, Compared, Meaning
from core.labs.lab import Setting
from gui.labs import context_picture
from gui.labs.exhibit import Exhibit, Shown
from gui.texts.translation import mark, tr, tr_marked

LABELS = {
    "first": mark("First sentence"),
    "second": mark("Second sentence"),
    "sharpness": mark("How sharply it looks (W_Q times)"),
    "opens": mark("Opens in the main window"),
}
OPTIONS = {"first": mark("first"), "second": mark("second")}

HELP = {"sharpness": mark("At 0 every neighbour counts alike.")}


class ContextExhibit(Exhibit):
    """One word in two sentences."""

    labels = LABELS
    helps = HELP

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Sentences as they are read, and which of the two."""
        return tr_marked(OPTIONS[option]) if control_id == "opens" else " ".join(SENTENCES[option])

    def notice(self, shown: Shown) -> str:
        """The same x, and how far the two outputs are apart."""
        result: Compared = shown.result
        if result.first.document is result.second.document:
            return tr(
                "The same sentence twice gives the same output: only the neighbours make a difference."
            )
        value = show(result.cosine, shown.look.decimals)
        if result.cosine > 0.95:
            return tr(
                "{word} goes in with the same x and comes out nearly the same: the cosine of y₁ and y₂ is {value}.",
                word=WORD,
                value=value,
            )
        return tr(
            "{word} goes in with the same x twice and comes out as y₁ and y₂, whose cosine is {value}.",
            word=WORD,
            value=value,
        )

    def attempt(self, shown: Shown) -> str:
        """Sharpness, and a word alone."""
        if shown.setting["sharpness"] < 0.5:
            return tr(
                "Raise the sharpness: which neighbours gain, and which way do the arrows turn?"
            )
        return tr(
            "Let {word} stand alone: what is its y then? Then lower the sharpness to 0.", word=WORD
        )

    def paint(self, painter: QPainter, room: QRectF, shown: Shown) -> None:
        """The picture."""
        context_picture.paint(painter, room, shown)

    def spoken(self, shown: Shown) -> str:
        """Each sentence with its shares and what became of the word."""
        result: Compared = shown.result
        said = tr("; ").join(_spoken(meaning, shown) for meaning in (result.first, result.second))
        return tr("{said}. {notice}", said=said, notice=self.notice(shown))


def _spoken(meaning: Meaning, shown: Shown) -> str:
    decimals = shown.look.decimals
    pairs = zip(meaning.document.tokens, meaning.weights, strict=True)
    shares = tr(", ").join(f"{token} {show(float(weight), decimals)}" for token, weight in pairs)
    return tr(
        "{sentence}: weights {shares}; fruit {fruit}, company {company}, person {person}, deed {deed}",
        sentence=" ".join(meaning.document.tokens),
        shares=shares,
        fruit=show(float(meaning.y[FRUIT]), decimals),
        company=show(float(meaning.y[TECH]), decimals),
        person=show(float(meaning.y[PERSON]), decimals),
        deed=show(float(meaning.y[DEED]), decimals),
    )


EXHIBIT = ContextExhibit()
