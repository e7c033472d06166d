"""Circuits: a head is two products of matrices, W_Q W_Kᵀ and W_V W_O, read as tables of words.

After Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits". With X the vectors of
the words and c the factor of the scores,

    QK    c X W_Q (X W_K)ᵀ        what each word looks for
    OV    X W_V W_O W_U           what a word that is attended to adds to each logit

where W_O has the rows of this head. The tables take the words alone: positions, biases, masks, norms
and earlier layers are left out. Only the products matter: with any invertible R,
W_Q R (W_K R⁻ᵀ)ᵀ = W_Q W_Kᵀ and W_V R R⁻¹ W_O = W_V W_O. Both have at most as many singular values
above 0 as a head is wide. The largest r of them give the nearest matrix of rank r (Eckart & Young
1936); its relative distance is √(Σ of the squares cut off ÷ Σ of all squares).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from core.arithmetic.stable_sum import product
from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.compute.trace import Trace
from core.document.document import Document, Head, Mask, Scale
from core.document.parts import Layer, Output, layer_id
from core.document.stack_edits import in_layer, with_lender
from core.labs.controls import ChoiceControl, Control, Slider
from core.labs.groups import relative_change
from core.labs.lab import Lab, Setting, head_choice, require_tokens, traced
from core.stages.scale import scale_factor

MOST_TOKENS, MOST_COLUMNS, MOST_WIDTH = 8, 12, 8
FULL_TURN = 180  # degrees
LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """The two matrices of a product, (d, r) and (r, o)."""

    first: Array
    second: Array


@dataclass(frozen=True, slots=True, eq=False)
class Circuit:
    """A table of words as the product of `left` and `above`, times `factor`.

    left (n, r), above (r, u), table (n, u). `values` are the singular values of the whole product,
    from the largest; `kept` of them are left.
    """

    left: Array
    above: Array
    table: Array
    values: Array
    kept: int
    factor: float = 1.0

    @property
    def error(self) -> float:
        """Return the distance to the whole product, relative to its norm."""
        largest = float(self.values.max(initial=0.0))
        if largest == 0.0:
            return 0.0
        squares = (self.values / largest) ** 2
        return float(np.sqrt(squares[self.kept :].sum() / squares.sum()))


@dataclass(frozen=True, slots=True, eq=False)
class CircuitsResult:
    """The two circuits of a head, turned by `angle` degrees and cut.

    `columns` name those of the OV table: words of the vocabulary, or columns of Y (`has_words`).
    `before` and `after` are the runs; `score_change` is the largest change of an entry of the QK
    table by turning alone, `weight_change` that of a weight of the head by all that was done, and
    `change` is ‖ΔY‖ ÷ ‖Y‖ of the layer's output.
    """

    before: Trace
    after: Trace
    layer: int | None
    head: int
    angle: float
    qk: Circuit
    ov: Circuit
    columns: tuple[str, ...]
    has_words: bool
    score_change: float
    weight_change: float
    change: float

    @property
    def document(self) -> Document:
        """Return the experiment as it was."""
        return self.before.document

    @property
    def tokens(self) -> tuple[str, ...]:
        """Return the words."""
        return self.document.tokens

    @property
    def is_cut(self) -> bool:
        """Return whether singular values are cut off."""
        return any(one.kept < len(one.values) for one in (self.qk, self.ov))


def singular(factors: Factors) -> tuple[Array, Array]:
    """Return left singular vectors and singular values of a product.  # (d, r), (r,)

    r is at most the width of the product. Works on the factors: the product itself, (d, o), may be
    large.
    """
    sizes = [float(np.abs(one).max(initial=0.0)) or 1.0 for one in (factors.first, factors.second)]
    basis, upper = np.linalg.qr(factors.first / sizes[0])
    other = np.linalg.qr((factors.second / sizes[1]).T)[1]
    vectors, values, _ = np.linalg.svd(upper @ other.T, full_matrices=False)
    with np.errstate(over="ignore"):
        values = np.minimum(values * sizes[0] * sizes[1], LARGEST)
    return frozen(basis @ vectors), frozen(values)


def cut(factors: Factors, less: int) -> Factors:
    """Cut the smallest singular values off a product: the first factor is projected."""
    if not less:
        return factors
    vectors, values = singular(factors)
    kept = vectors[:, : len(values) - less]
    return Factors(frozen(kept @ (kept.T @ factors.first)), factors.second)


def rotation(width: int, degrees: float) -> Array:
    """Return the rotation of the first two of some columns; a single one stays.  # (width, width)"""
    turn = np.eye(width)
    if width < 2:
        return turn
    angle = np.deg2rad(degrees)
    turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return turn


def turned(factors: Factors, degrees: float) -> Factors:
    """Turn the inner columns of a product, which stays the same; the same object for 0 degrees."""
    width = factors.first.shape[1]
    if degrees == 0.0:
        return factors
    turn = rotation(width, degrees)
    return Factors(frozen(factors.first @ turn), frozen(turn.T @ factors.second))


# A head of an experiment


def own_heads(document: Document) -> Document:
    """Give every head that borrows keys and values copies of its own."""
    for number, layer in enumerate(document.layers, 1):
        for head, one in enumerate(layer.heads):
            if one.kv_from is not None:
                document = with_lender(document, number, head, None)
    return document


def attention_of(document: Document, layer: int | None) -> Document:
    """Return the attention of a layer, or the experiment itself."""
    return document if layer is None else document.scopes[layer - 1]


def head_factors(scope: Document, head: int) -> tuple[Factors, Factors]:
    """Return the factors of W_Q W_Kᵀ and of W_V W_O; without W_O the latter is W_V itself."""
    one = scope.heads[head]
    assert one.W_Q is not None
    assert one.W_K is not None
    assert one.W_V is not None
    rows = slice(head * scope.v, (head + 1) * scope.v)
    W_O = np.eye(scope.v) if scope.W_O is None else scope.W_O[rows]
    return Factors(one.W_Q, frozen(one.W_K.T)), Factors(one.W_V, frozen(W_O))


def with_factors(scope: Document, head: int, qk: Factors, ov: Factors, angle: float) -> Document:
    """Replace the matrices of a head, and turn its biases. W_O stays None where there is none."""
    heads, one = list(scope.heads), scope.heads[head]
    turns = {"b_Q": angle, "b_K": angle, "b_V": 0.0 if scope.W_O is None else angle}
    biases: dict[str, Any] = {}
    for name, degrees in turns.items():
        bias = getattr(one, name)
        if bias is not None and degrees:
            biases[name] = frozen(bias @ rotation(len(bias), degrees))
    W_K = frozen(np.ascontiguousarray(qk.second.T))
    heads[head] = replace(one, W_Q=qk.first, W_K=W_K, W_V=ov.first, **biases)
    W_O = scope.W_O
    if W_O is not None:
        W_O = np.array(W_O)
        W_O[head * scope.v : (head + 1) * scope.v] = ov.second
    return scope.with_(heads=tuple(heads), W_O=W_O if W_O is None else frozen(W_O))


@lru_cache(maxsize=16)
def changed(
    document: Document, layer: int | None, head: int, angle: float, cuts: tuple[int, int]
) -> Document:
    """Cut some singular values off the products of a head, and turn their inner columns."""
    scope = attention_of(document, layer)
    qk, ov = head_factors(scope, head)
    ov_angle = 0.0 if scope.W_O is None else angle  # nothing undoes it
    qk, ov = turned(cut(qk, cuts[0]), angle), turned(cut(ov, cuts[1]), ov_angle)
    return in_layer(document, layer, lambda one: with_factors(one, head, qk, ov, angle))


def circuits(
    document: Document, layer: int | None, head: int, whole: Document
) -> tuple[Circuit, Circuit]:
    """Return both circuits of a head; singular values are those of the `whole` experiment."""
    assert document.X is not None
    scope = attention_of(document, layer)
    qk, ov = head_factors(scope, head)
    output = document.output
    second = ov.second if output is None else product(ov.second, output.W_U)
    queries, keys = product(document.X, qk.first), product(document.X, qk.second.T)
    values = product(document.X, ov.first)
    before = head_factors(attention_of(whole, layer), head)
    (_, all_qk), (_, all_ov) = singular(before[0]), singular(before[1])
    c = float(scale_factor(scope))
    return (
        Circuit(queries, keys.T, product(queries, keys.T) * c, all_qk, len(all_qk), c),
        Circuit(values, second, product(values, second), all_ov, len(all_ov)),
    )


# The lab

WORDS = ("小", "猫", "吃", "鱼", "。")
SIGNS = (  # of five words at right angles to each other
    (1, 1, 1, 1, 1, 1, 1, 1),
    (1, -1, 1, -1, 1, -1, 1, -1),
    (1, 1, -1, -1, 1, 1, -1, -1),
    (1, -1, -1, 1, 1, -1, -1, 1),
    (1, 1, 1, 1, -1, -1, -1, -1),
)
# A row for each word. A verb looks for nouns, a noun for its adjective, the full stop for the verb.
SOUGHT = ((0, 0, 0), (0, 2, 0), (3, 0, 0), (0, 2, 0), (0, 0, 2))
OFFERED = ((0, 1, 0), (1, 0, 0), (0, 0, 1), (1, 0, 0), (0, 0, 0))
# What a word says when it is attended to, and what that adds to the logits of the words.
SAID = ((1, 0, 0), (2, 0, 0), (0, 0, 1), (0, 1.5, 0), (0, 0, 0))
HEARD = ((0, 1, 0, 0, 0), (0, 0, 0, 1, 0), (0, 0, 0, 0.5, 1))


@lru_cache(maxsize=1)
def own() -> Document:
    """Build one layer with one head whose tables are made by hand; every number is exact."""
    X = np.array(SIGNS, dtype=np.float64)
    read = X.T / X.shape[1]  # X times this is the identity
    head = Head(
        W_Q=frozen(read @ np.array(SOUGHT)),
        W_K=frozen(read @ np.array(OFFERED)),
        W_V=frozen(read @ np.array(SAID)),
    )
    layer = Layer((head,), W_O=frozen(np.array(HEARD) @ X))
    return Document(
        WORDS,
        title="Circuits of a head",
        X=frozen(X),
        layers=(layer,),
        output=Output(frozen(read), WORDS),
        mask=Mask("causal"),
        scale=Scale("none"),
    )


class CircuitsLab(Lab):
    """Controls: the layer and head, the angle, and the singular values cut off both products."""

    id = "circuits"
    stacks = True

    def experiment(self) -> Document:
        """Return the head made by hand."""
        return own()

    def require(self, document: Document) -> None:
        """Accept words with vectors and heads of a width that can be shown."""
        require_tokens(document, 2, MOST_TOKENS)
        if document.source != "embeddings":
            raise UserError("lab.unfit", reason="embeddings")
        columns = document.o if document.output is None else len(document.output.vocabulary)
        if max(document.k, document.v) > MOST_WIDTH or columns > MOST_COLUMNS:
            raise UserError("lab.unfit", reason="narrow_heads")

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer the layer, head, angle and ranks of which there are several."""
        document = setting.experiment
        layers = tuple(str(number + 1) for number in range(len(document.layers)))
        found: list[Control] = []
        if len(layers) > 1:
            found.append(ChoiceControl("layer", layers, "1"))
        scope = attention_of(document, _layer(setting))
        found += head_choice(scope)
        if max(scope.k, scope.v if scope.W_O is not None else 0) > 1:
            found.append(Slider("angle", -FULL_TURN, FULL_TURN, 0, step=5, whole=True))
        d, o = document.d, scope.o if scope.W_O is not None else scope.v
        ranks = {"cut": min(d, scope.k), "cut_ov": min(d, scope.v, o)}
        for name, most in ranks.items():
            if most > 1:
                found.append(Slider(name, 0, most - 1, 0, step=1, whole=True))
        return tuple(found)

    def compute(self, setting: Setting) -> CircuitsResult:
        """Compute both circuits as turned and cut, and what that changes in the run."""
        before = _whole(setting.experiment)
        layer, head, angle = _layer(setting), setting.head, float(setting.get("angle", 0))
        cuts = int(setting.get("cut", 0)), int(setting.get("cut_ov", 0))
        after = changed(before, layer, head, angle, cuts)
        qk, ov = (
            replace(one, kept=len(one.values) - less)
            for one, less in zip(circuits(after, layer, head, before), cuts, strict=True)
        )
        unturned = circuits(changed(before, layer, head, 0.0, cuts), layer, head, before)[0]
        runs = traced(before), traced(after)
        weights = [run[layer_id(layer, "weights")][head] for run in runs]
        outputs = [run[layer_id(layer, "Y")] for run in runs]
        output = before.output
        columns = tuple(str(place + 1) for place in range(ov.table.shape[1]))
        return CircuitsResult(
            *runs,
            layer,
            head,
            angle,
            qk,
            ov,
            columns if output is None else output.vocabulary,
            output is not None,
            float(np.abs(qk.table - unturned.table).max()),
            float(np.abs(weights[1] - weights[0]).max()),
            relative_change(outputs[0], outputs[1]),
        )

    def document(self, setting: Setting) -> Document:
        """Return the experiment with the head as turned and cut."""
        return self.compute(setting).after.document


@lru_cache(maxsize=4)
def _whole(document: Document) -> Document:
    """Remove what-if values and give all heads keys and values of their own, all layers on."""
    document = own_heads(replace(document, pins=()))
    layers = tuple(replace(layer, enabled=True) for layer in document.layers)
    return replace(document, layers=layers)


def _layer(setting: Setting) -> int | None:
    """Return the chosen layer, None for attention alone."""
    return int(setting.get("layer", "1")) if setting.experiment.is_stack else None


LAB = CircuitsLab()
