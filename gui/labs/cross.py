"""The lab of cross-attention in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.number_format import show
from core.labs.cross import Crossed, pair
from core.labs.lab import Setting
from gui.labs import cross_picture
from gui.labs.cross_picture import spoken_word
from gui.labs.exhibit import Exhibit, Shown, Spot
from gui.labs.wording import head_option, leaders, listed, quoted, with_off
from gui.texts.names import visible_token
from gui.texts.translation import mark, tr

LABELS = {
    "pair": mark("Sentence that is read"),
    "written": mark("Words written"),
    "head": mark("Head"),
    "sharpness": mark("How sharply it looks (W_Q times)"),
    "order": mark("Order of the sentence that is read"),
    "reverse": mark("Read it backwards"),
}

HELP = {"order": mark("Click two words: they change places, and the columns with them.")}


class CrossExhibit(Exhibit):
    """Lines between two sentences, and the alignment."""

    labels = LABELS
    helps = HELP

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Pairs of sentences, and heads by name."""
        if control_id == "head":
            assert setting.document is not None
            return head_option(setting.document, int(option))
        return " ".join(pair(option).key_tokens)

    def entry(self, control_id: str, index: int, setting: Setting) -> str:
        """The words that are read."""
        chosen = setting.values.get("pair", "example")
        document = setting.document if chosen == "example" else pair(str(chosen))
        assert document is not None
        return visible_token(document.key_tokens[index])

    def notice(self, shown: Shown) -> str:
        """Where the word that is being written looks; at the end how the orders of both sentences differ."""
        result: Crossed = shown.result
        n, m = result.weights.shape
        if result.written == 0:
            said = tr("Nothing is written yet. {m} keys and values wait for {n} queries.", n=n, m=m)
        elif result.written == n and result.crossings:
            said = tr(
                "{n} queries, {m} keys: weights of {n} × {m}. "
                "The strongest lines of the words cross where word orders differ; crossings: {count}.",
                n=n,
                m=m,
                count=result.crossings,
            )
        else:
            said = _looks(shown, result, result.written - 1)
        return with_off(said, result.document, result.head)

    def attempt(self, shown: Shown) -> str:
        """Order, then sharpness."""
        if shown.setting["sharpness"] < 0.5:
            return tr("Raise the sharpness again: which words find their partner first?")
        if shown.result.written < shown.result.document.n:
            return tr("Write on, word by word: one row of the table each.")
        return tr(
            "Swap two words of the sentence that is read: what happens to the columns, and what to the output?"
        )

    def paint(self, painter: QPainter, room: QRectF, shown: Shown) -> None:
        """The picture."""
        cross_picture.paint(painter, room, shown)

    def spots(self, room: QRectF, shown: Shown) -> tuple[Spot, ...]:
        """The words that are written."""
        return cross_picture.spots(room, shown)

    def spoken(self, shown: Shown) -> str:
        """Every word with the one that it looks at."""
        words = tr("; ").join(spoken_word(shown, index) for index in range(shown.result.written))
        return tr("{words}. {notice}", words=words, notice=self.notice(shown))


def _looks(shown: Shown, result: Crossed, index: int) -> str:
    """At which words a word looks most: at one, at several alike, or at all."""
    word = visible_token(result.document.tokens[index])
    most = leaders(result.weights[index], shown.look.decimals)
    weight = show(float(result.weights[index, most[0]]), shown.look.decimals)
    if len(most) == 1:
        return tr(
            "{word} looks most at {other}, {weight}: word {number} here, word {place} there.",
            word=word,
            other=visible_token(result.document.key_tokens[most[0]]),
            weight=weight,
            number=index + 1,
            place=most[0] + 1,
        )
    if len(most) == result.weights.shape[1]:
        return tr(
            "{word} looks at all {m} words alike, {weight} each.",
            word=word,
            m=len(most),
            weight=weight,
        )
    names = listed([quoted(result.document.key_tokens[place]) for place in most])
    return tr("{word} looks most at {names}, {weight} each.", word=word, names=names, weight=weight)


EXHIBIT = CrossExhibit()
