"""Sinks: a row of weights must sum to 1, also for a query that no key matches.

A null key has score 0 and value 0. With it, the weights of the other keys are
e^s_i / (1 + Σ e^s_j), "softmax1" or "off by one" (Miller 2023): their sum can be anything from 0
to 1, and a head is switched off by lowering all its scores. Without one, trained models give what
is left over to the first token, an attention sink (Xiao et al. 2023, StreamingLLM): a cache that
keeps only a window of the newest tokens loses it, and every other weight of the row grows.

All numbers of this lab were made by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from core.arithmetic.attention import exponentials, normalise
from core.base.arrays import Array, BoolArray, frozen
from core.compute.trace import Trace
from core.document.document import Context, Document, Head, Mask, Scale
from core.labs.controls import ChoiceControl, Clock, Control, Numbers, Slider
from core.labs.lab import Lab, Setting, traced

VIEWS = ("cache", "query")
KEPT = ("all", "window", "first")  # which keys the cache holds
NULL = "∅"  # name of the null key
# One query: the scores of four keys, and their values.
SCORES = (1.5, 0.5, 0.2, -0.8)
VALUES = ((1.0, 2.0), (-1.0, 1.0), (2.0, -1.0), (0.0, 1.5))
REACH = 4.0  # largest |score|
SHIFT = 8.0  # largest |shift|
# A sentence: every query is (1, MATCH), every key (0, MATCHED), the first one (height, 0). With a
# null key, whose key is (0, 0), every key is (−height, MATCHED).
TOKENS = ("<s>", "小猫", "坐", "在", "红", "垫子", "上", "它", "看见", "一条", "鱼", "。")
MATCH = (0.0, 0.5, 1.0, 0.8, -0.4, 0.5, 0.9, 0.2, 1.0, -0.3, 0.8, 0.3)
MATCHED = (0.0, 0.6, 1.0, 0.4, -0.5, 0.2, 0.9, -0.2, 0.8, 0.1, 1.2, -0.6)
SENTENCE_VALUES = (
    (0.1, 0.0),
    (1.0, 0.5),
    (-0.8, 1.2),
    (1.5, -0.4),
    (0.2, 0.9),
    (-1.1, 0.3),
    (0.9, 1.4),
    (-0.3, -1.0),
    (1.2, 0.8),
    (0.4, -0.7),
    (1.8, 1.1),
    (-0.6, 0.5),
)
HIGHEST = 6.0  # of what takes the rest, above the other scores
RESTS = ("token", "null")  # what takes the rest


@dataclass(frozen=True, slots=True, eq=False)
class RowResult:
    """One query without and with a null key.

    `scores` (m,) include the shift; `plain` (m,) are the softmax, `shared` (m,) the weights beside
    a null key, `null` its weight. `y_plain` and `y_null` (v,) are the outputs. `totals` (t,) are
    the sums of `shared` at the shifts `shifts` (t,).
    """

    scores: Array
    plain: Array
    shared: Array
    null: float
    y_plain: Array
    y_null: Array
    shifts: Array
    totals: Array

    @property
    def total(self) -> float:
        """Return what the keys get beside a null key."""
        return float(self.shared.sum())


@dataclass(frozen=True, slots=True, eq=False)
class WindowResult:
    """A sentence with three kinds of cache, by KEPT.

    `runs` are their traces; a null key is the first key of each. `errors` (n,) are ‖y − y_all‖ of
    every token, `rest` (n,) the weights of what takes the rest if all keys are kept: the first
    token or the null key.
    """

    tokens: tuple[str, ...]
    runs: Mapping[str, Trace]
    errors: Mapping[str, Array]
    rest: Array
    kept: str
    token: int
    window: int
    null: bool

    def weights(self, kept: str) -> Array:
        """Return the weights of a kind of cache, without those of a null key.  # (n, n)"""
        weights: Array = self.runs[kept].matrix("weights")[:, int(self.null) :]
        return weights

    @property
    def lost(self) -> bool:
        """Return whether the chosen token's window no longer holds the first token."""
        return self.token >= self.window

    def cached(self, kept: str) -> int:
        """Count the tokens in the cache at the chosen token."""
        return int(allowed(kept, len(self.tokens), self.window)[self.token].sum())


def softmax_row(scores: Array) -> Array:
    """Compute the softmax of a row.  # (m,) -> (m,)"""
    return np.asarray(normalise(exponentials(scores[None]))[0])


def row_result(scores: Array, shift: float) -> RowResult:
    """Compute a row without and with a null key, as a further key of score 0 and value 0."""
    values = np.array(VALUES)
    shifted = scores + shift
    plain, beside = softmax_row(shifted), softmax_row(np.append(shifted, 0.0))
    shifts = np.linspace(-SHIFT, SHIFT, 81)
    totals = [float(softmax_row(np.append(scores + by, 0.0))[:-1].sum()) for by in shifts]
    return RowResult(
        frozen(shifted),
        frozen(plain),
        frozen(beside[:-1]),
        float(beside[-1]),
        frozen(plain @ values),
        frozen(beside[:-1] @ values),
        frozen(shifts),
        frozen(totals),
    )


def allowed(kept: str, n: int, window: int) -> BoolArray:
    """Say which keys each query finds in the cache; `window` counts the query's own.  # (n, n)"""
    rows, columns = np.arange(n)[:, None], np.arange(n)[None, :]
    causal: BoolArray = columns <= rows
    if kept == "all":
        return causal
    near: BoolArray = causal & (rows - columns < window)
    return near | (causal & (columns == 0)) if kept == "first" else near


@lru_cache(maxsize=16)
def sentence(document: Document, kept: str, window: int, height: float, null: bool) -> Document:
    """Mask what the cache does not hold, and put the first key `height` above the others.

    With `null` a null key comes before the first key, and all others are `height` below it.
    `document` holds the tokens, queries, keys and values of the sentence.
    """
    (head,) = document.heads
    assert head.K is not None
    assert head.V is not None
    K, V = np.array(head.K), np.array(head.V)
    K[0] = (0.0, 0.0) if null else (height, 0.0)
    allow = allowed(kept, document.n, window)
    context = None
    if null:
        K[:, 0] -= height
        K, V = np.vstack([np.zeros((1, 2)), K]), np.vstack([np.zeros((1, 2)), V])
        allow = np.hstack([np.ones((document.n, 1), dtype=np.bool_), allow])
        context = Context((NULL, *document.tokens))
    mask = Mask("causal") if kept == "all" and not null else Mask("custom", allow=allow)
    return replace(
        document, heads=(replace(head, K=frozen(K), V=frozen(V)),), mask=mask, context=context
    )


def query(scores: Array) -> Document:
    """Build the row with its null key: q = 1, and K holds the scores.  # (m,)"""
    K, V = np.append(scores, 0.0)[:, None], np.vstack([VALUES, np.zeros((1, 2))])
    names = tuple(f"k{number}" for number in range(1, len(scores) + 1))
    return Document(
        ("q",),
        (Head(Q=frozen([[1.0]]), K=frozen(K), V=frozen(V)),),
        title="A null key",
        source="qkv",
        context=Context((*names, NULL)),
        scale=Scale("none"),
    )


class SinksLab(Lab):
    """Controls: the view; for a row scores and shift, for a window the cache, the token and the sink."""

    id = "sinks"

    def experiment(self) -> Document:
        """Return the sentence."""
        return _OWN

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer the controls of the view."""
        view = ChoiceControl("view", VIEWS, "cache")
        if setting.get("view", "cache") == "query":
            return (
                view,
                Slider("shift", -SHIFT, SHIFT, 0.0, step=0.1),
                Numbers("scores", SCORES, -REACH, REACH),
            )
        n = len(TOKENS)
        return (
            view,
            ChoiceControl("kept", KEPT, "window"),
            Clock("token", n - 1, 8, pause=1200),
            Slider("window", 2, n, 4, step=1, whole=True),
            ChoiceControl("rest", RESTS, "token"),
            Slider("height", 0.0, HIGHEST, 4.0, step=0.1),
        )

    def compute(self, setting: Setting) -> RowResult | WindowResult:
        """Compute the row, or the sentence with every kind of cache."""
        if setting["view"] == "query":
            return row_result(frozen(setting["scores"]), float(setting["shift"]))
        runs = {kept: traced(self._sentence(setting, kept)) for kept in KEPT}
        whole = runs["all"]["Y"]
        errors = {
            kept: frozen(np.linalg.norm(run["Y"] - whole, axis=1)) for kept, run in runs.items()
        }
        null = setting["rest"] == "null"
        return WindowResult(
            setting.experiment.tokens,
            runs,
            errors,
            frozen(runs["all"].matrix("weights")[:, 0]),
            str(setting["kept"]),
            int(setting["token"]),
            int(setting["window"]),
            null,
        )

    def document(self, setting: Setting) -> Document:
        """Return the row with its null key, or the sentence with the chosen cache."""
        if setting["view"] == "query":
            return query(np.array(setting["scores"]) + float(setting["shift"]))
        return self._sentence(setting, str(setting["kept"]))

    def _sentence(self, setting: Setting, kept: str) -> Document:
        window, height = int(setting["window"]), float(setting["height"])
        return sentence(setting.experiment, kept, window, height, setting["rest"] == "null")


def _sentence() -> Document:
    head = Head(
        Q=frozen(np.column_stack([np.ones(len(TOKENS)), MATCH])),
        K=frozen(np.column_stack([np.zeros(len(TOKENS)), MATCHED])),
        V=frozen(SENTENCE_VALUES),
    )
    return Document(
        TOKENS,
        (head,),
        title="Attention sinks",
        source="qkv",
        scale=Scale("none"),
        mask=Mask("causal"),
    )


_OWN = _sentence()
LAB = SinksLab()
