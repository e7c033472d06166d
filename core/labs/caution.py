"""Caution: a heatmap is a clue, not the whole reason.

- Two weight matrices with the same output: whatever lies in the null space of V changes A and not A·V (Brunner et al.
  2020).
- Weights against contributions: what flows is α_ij f(x_j), so that its length counts (Kobayashi et al. 2020).
- Rollout: through several layers the product of ½(A + I) (Abnar & Zuidema 2020).
- Entropy: how a head spreads its attention, which does not say how much depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from core.base.arrays import frozen
from core.base.errors import UserError
from core.document.document import Document, Head, Pin
from core.labs.caution_views import (
    MOST_LAYERS,
    Contributions,
    Entropies,
    Rollout,
    Twin,
    contributions,
    entropies,
    rollout,
    twin,
)
from core.labs.controls import Choice, Control, Slider
from core.labs.lab import Lab, Setting

VIEWS = ("same", "norms", "rollout", "entropy")
MOST = 16
TOKENS = ("小明", "吃", "了", "苹果", "。")
# Columns: a person, a deed, food, a filler.
VECTORS = ((2, 0, 0, 0), (0, 2, 0, 0), (0, 0.5, 0, 1), (0, 0, 2, 0), (0, 0, 0, 2))
# Head 1 looks for who and what; head 2 rests on the full stop, which has next to nothing to give.
ASKS = (
    ((0.2, 0.1), (0.9, 0.8), (0.4, 0.2), (0.6, 0.1)),
    ((0.6, 0.2), (0.5, 0.4), (0.6, 0.3), (0.3, 0.2)),
)
ANSWERS = (
    ((0.9, 0.1), (0.1, 0.2), (0.2, 0.9), (0.1, 0.1)),
    ((0.1, 0.2), (0.2, 0.1), (0.2, 0.2), (1.6, 1.4)),
)
CARRIES = (
    ((1, 0), (0.6, 0.4), (0, 1.2), (0.2, 0.1)),
    ((1, 0.2), (0.5, 0.6), (0.1, 1.1), (0.01, 0.01)),
)
MIXES = ((1, 0, 0.2, 0), (0, 0.3, 1, 0), (0.2, 1, 0, 0.1), (0, 0.2, 0.4, 1))


@dataclass(frozen=True, slots=True, eq=False)
class Cautioned:
    """What is seen: the head and the row that are looked at, and of the four results the one that is shown."""

    document: Document
    head: int
    token: int
    twin: Twin | None = None
    contributions: Contributions | None = None
    rollout: Rollout | None = None
    entropies: Entropies | None = None


@lru_cache(maxsize=1)
def own() -> Document:
    """小明 吃 了 苹果 。 with two heads: n 5, d 4, d_k 2, d_v 2, and W_O."""
    heads = tuple(
        Head(W_Q=frozen(asks), W_K=frozen(answers), W_V=frozen(carries))
        for asks, answers, carries in zip(ASKS, ANSWERS, CARRIES, strict=True)
    )
    return Document(
        TOKENS, heads, title="A heatmap is a clue", X=frozen(VECTORS), W_O=frozen(MIXES)
    )


class CautionLab(Lab):
    """Four views of the same experiment."""

    id = "caution"

    def experiment(self) -> Document:
        """A head for content, and one that rests on the full stop."""
        return own()

    def require(self, document: Document) -> None:
        """From 2 to 16 tokens that attend to themselves."""
        if document.context is not None:
            raise UserError("lab.unfit", reason="context")
        if not 2 <= document.n <= MOST:
            raise UserError("lab.unfit", reason="tokens_2_16")

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """The view first; then what it lets one set."""
        document, view = setting.unpinned, setting.get("view", VIEWS[0])
        heads, tokens = tuple(map(str, range(document.h))), tuple(map(str, range(document.n)))
        head = (Choice("head", heads, str(_telling(document)) if view == "norms" else "0"),)
        return (
            Choice("view", VIEWS, VIEWS[0]),
            *(head if document.h > 1 and view != "rollout" else ()),
            Choice("token", tokens, "1"),
            *((Slider("share", -1.0, 1.0, 1.0, step=0.01),) if view == "same" else ()),
            *(
                (Slider("layers", 1, MOST_LAYERS, 2, step=1, whole=True),)
                if view == "rollout"
                else ()
            ),
        )

    def with_value(self, setting: Setting, control_id: str, value: object) -> Setting:
        """Another view begins with the head in which there is most to see."""
        new = super().with_value(setting, control_id, value)
        if new is setting or control_id != "view" or "head" not in new.values:
            return new
        return super().with_value(new, "head", self.control(new, "head").default)

    def work_out(self, setting: Setting) -> Cautioned:
        """The numbers of the view that is chosen."""
        document, view = setting.unpinned, setting["view"]
        head, token = int(setting.get("head", "0")), int(setting["token"])
        return Cautioned(
            document,
            head,
            token,
            twin(document, head, setting["share"]) if view == "same" else None,
            contributions(document, head) if view == "norms" else None,
            rollout(document, setting["layers"]) if view == "rollout" else None,
            entropies(document) if view == "entropy" else None,
        )

    def document(self, setting: Setting) -> Document:
        """The experiment; beside the other weights with these in place of its own, as what-if values."""
        document = setting.unpinned
        if setting["view"] != "same" or setting["share"] == 0.0:
            return document
        head = int(setting.get("head", "0"))
        other = twin(document, head, setting["share"])
        return _pinned(document, head, other)


def _pinned(document: Document, head: int, other: Twin) -> Document:
    moved = [(int(row), int(column)) for row, column in zip(*other.D.nonzero(), strict=True)]
    return document.with_(
        pins=tuple(Pin("weights", (head, *place), float(other.B[place])) for place in moved)
    )


@lru_cache(maxsize=4)
def _telling(document: Document) -> int:
    """The head of which most rows have their largest weight where not most comes from."""
    return max(range(document.h), key=lambda head: len(contributions(document, head).differs))


LAB = CautionLab()
