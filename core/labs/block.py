"""Lab of the residual stream: switch parts of a stack off, move its norms, and repeat its layers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import Document, Head, Layer, Mask, Mlp, Norm, Output
from core.document.edits import without_pins
from core.document.parts import ADDED_POSITIONAL_KINDS, Norms, layer_id
from core.document.stack_edits import with_layer, with_mlp, with_norm, with_norm_place
from core.labs.block_stream import (
    Contribution,
    Sublayer,
    contributions,
    entrance,
    likeness,
    sublayers,
)
from core.labs.controls import ChoiceControl, Control, Slider, Switch
from core.labs.lab import Lab, Setting, traced

MOST_TOKENS, MOST_LAYERS, MOST_WORDS = 6, 4, 32
MOST_TIMES = 12
SEED = 1982  # of the lab's own numbers
WIDTH, HIDDEN = 4, 6  # d and f of the lab's own stack
PLACES = ("pre", "post", "none")


# How alike the rows become


def depth_curve(document: Document, times: int) -> Array:
    """Return the likeness of the rows before the first layer and after each, the stack repeated.

    # (layers · times + 1,)
    """
    return frozen(_whole_curve(document)[: len(document.layers) * times + 1])


@lru_cache(maxsize=64)
def _whole_curve(document: Document) -> Array:
    """Return the curve for MOST_TIMES repetitions: the last rows enter the first layer again."""
    stack = document.with_(output=None, final_norm=None, filled=frozenset())
    trace = run(stack)
    values = [likeness(trace[entrance(trace)])]
    positional = document.positional
    if positional.kind in ADDED_POSITIONAL_KINDS:  # added once, before the first layer
        positional = replace(positional, kind="none")
    later = stack.with_(embedding_norm=None, positional=positional)
    for _ in range(MOST_TIMES):
        after = {sub.layer: sub.after for sub in sublayers(trace)}
        last = entrance(trace)
        for layer in range(1, len(document.layers) + 1):
            last = after.get(layer, last)  # a layer that is off passes on what comes in
            values.append(likeness(trace[last]))
        trace = run(later.with_(X=trace[last]))
    return frozen(np.array(values))


# Parts switched off


@lru_cache(maxsize=64)
def switched(document: Document, residual: bool, mlp: bool, place: str) -> Document:
    """Switch residual connections or MLPs of all layers off, and move their norms.

    `place` "own" leaves the norms alone; "none" switches them off; "pre" and "post" give a layer
    without norms LayerNorm with γ 1 and β 0. The final norm stays.
    """
    for number, layer in enumerate(document.layers, 1):
        names = ("attention_norm", *(("mlp_norm",) if layer.mlp is not None else ()))
        if place != "own":
            for name in names:
                document = with_norm(document, layer_id(number, name), place != "none")
        if place in ("pre", "post"):
            document = with_norm_place(document, number, place)
        if not residual:
            document = with_layer(document, number, residual=False)
        if not mlp:
            document = with_mlp(document, number, False)
    return document


def norm_place(document: Document) -> str:
    """Return "pre", "post" or "none" if all norms of the layers agree, else "own"."""
    places = set()
    for layer in document.layers:
        norms = (layer.norm.attention, *((layer.norm.mlp,) if layer.mlp is not None else ()))
        places |= {
            layer.norm.place if norm is not None and norm.enabled else "none" for norm in norms
        }
    return places.pop() if len(places) == 1 else "own"


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Likeness by depth with residual connections and MLPs on or off.  # values (layers + 1,)"""

    residual: bool
    mlp: bool
    place: str
    values: Array


@dataclass(frozen=True, slots=True, eq=False)
class BlockResult:
    """The stack with the chosen parts, the followed token, and the parts of the word's logit.

    `contributions` are those of the last token to `word`, empty without an output. `others` is the
    curve of the other place of the norms, None where there is none.
    """

    document: Document
    trace: Trace
    token: int
    word: int
    residual: bool
    mlp: bool
    place: str
    sublayers: tuple[Sublayer, ...]
    contributions: tuple[Contribution, ...]
    curves: tuple[Curve, ...]
    other: Curve | None

    @property
    def entrance(self) -> str:
        """Return the id of the stage that enters the first layer."""
        return entrance(self.trace)

    @property
    def logit(self) -> float:
        """Return the word's logit after the last token."""
        return float(self.trace["logits"][-1, self.word])

    @property
    def curve(self) -> Curve:
        """Return the curve of the chosen parts."""
        wanted = (self.residual, self.mlp)
        return next(curve for curve in self.curves if (curve.residual, curve.mlp) == wanted)

    def weights(self, layer: int) -> Array:
        """Return the mean of the weights of all heads that are on for the followed token.  # (n,)"""
        heads = self.document.layers[layer - 1].heads
        on = [index for index, head in enumerate(heads) if head.enabled]
        weights = self.trace[layer_id(layer, "weights")][:, self.token]
        return weights[on].mean(axis=0) if on else np.zeros(self.document.n)


# The lab


@lru_cache(maxsize=1)
def drawn() -> Document:
    """Draw a stack of two layers: vectors of 0, 1 and 2, weights in halves from −1 to 1."""
    random = np.random.default_rng(SEED)

    def halves(*shape: int) -> Array:
        return frozen(random.integers(-2, 3, shape) / 2)

    def norm() -> Norm:
        return Norm(gamma=frozen(np.ones(WIDTH)), beta=frozen(np.zeros(WIDTH)))

    def head() -> Head:
        return Head(W_Q=halves(WIDTH, 2), W_K=halves(WIDTH, 2), W_V=halves(WIDTH, 2))

    def layer() -> Layer:
        heads = (head(), head())
        W_O, W_1, W_2 = halves(4, WIDTH), halves(WIDTH, HIDDEN), halves(HIDDEN, WIDTH)
        mlp = Mlp(W_1, W_2, halves(HIDDEN), frozen(np.zeros(WIDTH)))
        return Layer(heads, W_O=W_O, norm=Norms(attention=norm(), mlp=norm()), mlp=mlp)

    X = frozen(random.integers(0, 3, (3, WIDTH)).astype(float))
    return Document(
        ("小", "猫", "吃"),
        X=X,
        layers=(layer(), layer()),
        final_norm=norm(),
        output=Output(halves(WIDTH, 6), ("小", "猫", "吃", "鱼", "睡", "。")),
        mask=Mask("causal"),
        title="What each part adds",
    )


class BlockLab(Lab):
    """Controls: followed token, word, residual, MLP, place of the norms, repetitions."""

    id = "block"
    stacks = True

    def experiment(self) -> Document:
        """Return the drawn stack."""
        return drawn()

    def require(self, document: Document) -> None:
        """Accept a stack of 2 to MOST_TOKENS tokens and at most MOST_LAYERS layers."""
        if not document.is_stack:
            raise UserError("lab.unfit", reason="no_stack")
        words = 0 if document.output is None else len(document.output.vocabulary)
        if not 2 <= document.n <= MOST_TOKENS or len(document.layers) > MOST_LAYERS:
            raise UserError("lab.unfit", reason="stack_size")
        if words > MOST_WORDS or not any(layer.enabled for layer in document.layers):
            raise UserError("lab.unfit", reason="stack_size")

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer a switch only for what the stack has, and a word only with an output."""
        document = setting.experiment
        last = str(document.n - 1)
        place = norm_place(document)
        places = (*(("own",) if place == "own" else ()), *PLACES)
        found: list[Control] = [
            ChoiceControl("token", tuple(map(str, range(document.n))), last),
        ]
        if document.output is not None:
            words = tuple(map(str, range(len(document.output.vocabulary))))
            found.append(ChoiceControl("word", words, str(_likeliest(document))))
        if _has_residual(document):
            found.append(Switch("residual", True))
        if _has_mlp(document):
            found.append(Switch("mlp", True))
        found.append(ChoiceControl("place", places, place))
        found.append(Slider("times", 1, MOST_TIMES, 6, step=1, whole=True))
        return tuple(found)

    def compute(self, setting: Setting) -> BlockResult:
        """Run the stack with the chosen parts, and the curves of all choices."""
        own = _bare(setting.experiment)
        residual, mlp = bool(setting.get("residual", True)), bool(setting.get("mlp", True))
        place, times = str(setting["place"]), int(setting["times"])
        document = switched(own, residual, mlp, place)
        trace = traced(document)
        word = int(setting.get("word", "0"))
        last = document.n - 1
        parts = () if document.output is None else contributions(trace, last, word)
        other = {"pre": "post", "post": "pre"}.get(place)
        return BlockResult(
            document,
            trace,
            int(setting["token"]),
            word,
            residual,
            mlp,
            place,
            sublayers(trace),
            parts,
            tuple(_curves(own, place, times)),
            None if other is None else _curve(own, True, True, other, times),
        )

    def document(self, setting: Setting) -> Document:
        """Return the stack with the chosen parts for the main window."""
        return self.compute(setting).document


@lru_cache(maxsize=4)
def _bare(document: Document) -> Document:
    """Remove what-if values; the same object each time, because curves are cached by identity."""
    return without_pins(document)


@lru_cache(maxsize=4)
def _likeliest(document: Document) -> int:
    return int(traced(_bare(document))["logits"][-1].argmax())


def _has_residual(document: Document) -> bool:
    return any(layer.residual for layer in document.layers)


def _has_mlp(document: Document) -> bool:
    return any(layer.mlp is not None and layer.mlp.enabled for layer in document.layers)


def _curves(document: Document, place: str, times: int) -> Iterator[Curve]:
    """Compute the curve as it is, without MLP, without residual, and without either."""
    for residual in (True, False) if _has_residual(document) else (True,):
        for mlp in (True, False) if _has_mlp(document) else (True,):
            yield _curve(document, residual, mlp, place, times)


def _curve(document: Document, residual: bool, mlp: bool, place: str, times: int) -> Curve:
    values = depth_curve(switched(document, residual, mlp, place), times)
    return Curve(residual, mlp, place, values)


LAB = BlockLab()
