"""The lab of cross-attention in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.labs.cross import Crossed, pair
from core.labs.lab import Setting
from core.numbers import show
from gui.labs import cross_picture
from gui.labs.cross_picture import spoken_word
from gui.labs.exhibit import Exhibit, Shown, Spot
from gui.language import mark, tr
from gui.texts.names import head_name, visible_token

LABELS = {
    "pair": mark("Sentences"),
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
            return head_name(int(option), setting.document.heads[int(option)].name)
        document = pair(option)
        return tr("{written} ← {read}", written=" ".join(document.tokens), read=" ".join(document.key_tokens))

    def entry(self, control_id: str, index: int, setting: Setting) -> str:
        """The words that are read."""
        chosen = setting.values.get("pair", "example")
        document = setting.document if chosen == "example" else pair(str(chosen))
        assert document is not None
        return visible_token(document.key_tokens[index])

    def notice(self, shown: Shown) -> str:
        """Where the word that is being written looks."""
        result: Crossed = shown.result
        n, m = result.weights.shape
        if result.written == 0:
            return tr("Nothing is written yet. {m} keys and values wait for {n} queries.", n=n, m=m)
        index = result.written - 1
        place = result.best[index]
        word, other = result.document.tokens[index], result.document.key_tokens[place]
        weight = show(float(result.weights[index, place]), shown.look.decimals)
        if result.written == n and result.crossings:
            return tr(
                "{n} queries, {m} keys: weights of {n} × {m}. Lines cross where word orders differ: {count} times.",
                n=n, m=m, count=result.crossings,
            )  # fmt: skip
        return tr(
            "{word} looks at {other} with {weight}: word {number} here, word {place} there.",
            word=visible_token(word), other=visible_token(other), weight=weight, number=index + 1, place=place + 1,
        )  # fmt: skip

    def attempt(self, shown: Shown) -> str:
        """Order, then sharpness."""
        if shown.setting["sharpness"] < 0.5:
            return tr("Raise the sharpness again: which words find their partner first?")
        if shown.result.written < shown.result.document.n:
            return tr("Write on, word by word: one row of the table each.")
        return tr("Swap two words of the sentence that is read: what happens to the columns, and what to the output?")

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


EXHIBIT = CrossExhibit()
