"""Worth: what a head of a stack contributes to an answer, by three causal tests.

The answer is the logit of a word less that of a rival, after the last token. Each head is tested

    off        its output A·V counts as 0 (ablation)
    patched    its output A·V comes from another sentence, all other numbers from this one
               (activation patching; Vig et al. 2020, Meng et al. 2022)
    pruned     heads are switched off one after the other, the least change by `off` first
               (Michel, Levy & Neubig 2019)

A pattern of weights shows where a head looks, not what depends on it. Changes of single heads do not
add up to the change by all of them, because later heads read what earlier ones wrote.

The other sentence is this one with the vector of one token replaced by that of another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import Document, Head, Pin
from core.document.edits import without_pins
from core.document.parts import layer_id
from core.labs.controls import ChoiceControl, Control, Slider
from core.labs.induction import LETTERS, stack
from core.labs.lab import Lab, Setting, require_tokens, traced

MOST_TOKENS, MOST_HEADS, MOST_LAYERS, MOST_WORDS = 8, 8, 4, 32
SMALL = 1e-9  # of the largest change: what is smaller is a rounding error
LETTERS_SHOWN, SHARPNESS = "ABCA", 10.0
REPEATED = 0.3  # how much the second head of layer 1 repeats its own letter

Place = tuple[int, int]  # layer from 1, head from 0


@dataclass(frozen=True, slots=True)
class Answer:
    """A word and its rival, as places in the vocabulary."""

    word: int
    rival: int

    def difference(self, logits: Array) -> float:
        """Return the logit of the word less that of its rival.  # (u,)"""
        most = np.finfo(np.float64).max
        with np.errstate(over="ignore"):
            return float(np.clip(logits[self.word] - logits[self.rival], -most, most))


@dataclass(frozen=True, slots=True)
class HeadWorth:
    """A head with the changes of the answer when it is off, and when it is patched."""

    layer: int
    head: int
    off: float
    patched: float


@dataclass(frozen=True, slots=True, eq=False)
class WorthResult:
    """The tests of every head that is on, layer by layer.

    `whole` is the answer as it is, `others` that of the other sentence; `order` ranks the heads from
    the largest change by `off`; `curve` (H + 1,) is the answer with 0 … H of them on; `kept` of
    them are chosen. `patch` is the run with the output of the chosen head from the other sentence.
    """

    trace: Trace
    other: Trace
    patch: Trace
    answer: Answer
    heads: tuple[HeadWorth, ...]
    chosen: int
    place: int
    whole: float
    others: float
    order: tuple[int, ...]
    curve: Array
    kept: int

    @property
    def document(self) -> Document:
        """Return the experiment as it is."""
        return self.trace.document

    @property
    def one(self) -> HeadWorth:
        """Return the chosen head."""
        return self.heads[self.chosen]

    @property
    def differs(self) -> bool:
        """Return whether the other sentence has other numbers."""
        return bool((self.trace["X"] != self.other["X"]).any())

    @property
    def largest(self) -> float:
        """Return the largest change of any test."""
        return max(max(abs(one.off), abs(one.patched)) for one in self.heads)

    @property
    def span(self) -> tuple[float, float]:
        """Return the least and the greatest change of any test, or 0."""
        found = [0.0, *(value for one in self.heads for value in (one.off, one.patched))]
        return min(found), max(found)

    def changes(self, value: float) -> bool:
        """Return whether a change is more than a rounding error."""
        return abs(value) > SMALL * max(self.largest, abs(self.whole))

    def weights(self, place: int) -> Array:
        """Return the weights of a head.  # (n, n)"""
        one = self.heads[place]
        weights: Array = self.trace[layer_id(one.layer, "weights")][one.head]
        return weights

    def scores(self, place: int) -> Array:
        """Return what the softmax of a head reads, −∞ where a mask hides a key.  # (n, n)"""
        one = self.heads[place]
        names = (layer_id(one.layer, name) for name in ("masked", "biased", "scaled", "scores"))
        found = next(name for name in names if name in self.trace.arrays)
        scores: Array = self.trace[found][one.head]
        return scores


def places(document: Document) -> tuple[Place, ...]:
    """List the heads that are on, layer by layer."""
    return tuple(
        (number, head)
        for number, layer in enumerate(document.layers, 1)
        if layer.enabled
        for head, one in enumerate(layer.heads)
        if one.enabled
    )


def without_heads(document: Document, off: tuple[Place, ...]) -> Document:
    """Switch some heads off."""
    layers = tuple(
        replace(
            layer,
            heads=tuple(
                replace(head, enabled=False) if (number, index) in off else head
                for index, head in enumerate(layer.heads)
            ),
        )
        for number, layer in enumerate(document.layers, 1)
    )
    return document.with_(layers=layers)


def patched(document: Document, other: Trace, place: Place) -> Document:
    """Pin the output of a head to what it is in another run."""
    layer, head = place
    stage = layer_id(layer, "heads")
    values = other[stage][head]
    pins = tuple(
        Pin(stage, (head, *index), float(value)) for index, value in np.ndenumerate(values)
    )
    return document.with_(pins=pins)


def other_sentence(document: Document, place: int, source: int) -> Document:
    """Replace the token at a place and its vector by those of another token."""
    assert document.X is not None
    X, tokens = np.array(document.X), list(document.tokens)
    X[place], tokens[place] = X[source], tokens[source]
    return document.with_(X=frozen(X), tokens=tuple(tokens))


# Logits after the last token, each (u,); all but `ranked` keep their last results


@lru_cache(maxsize=4)
def logits_without(document: Document) -> tuple[Array, ...]:
    """Return the logits with each head off."""
    return tuple(_logits(document, without_heads(document, (place,))) for place in places(document))


@lru_cache(maxsize=8)
def logits_patched(document: Document, place: int, source: int) -> tuple[Trace, tuple[Array, ...]]:
    """Return the run of the other sentence, and the logits with each head patched from it."""
    other = run(other_sentence(document, place, source))
    return other, tuple(
        _logits(document, patched(document, other, head)) for head in places(document)
    )


def ranked(changes: Iterable[float]) -> tuple[int, ...]:
    """Rank heads from the largest change; equal ones in order."""
    sizes = [abs(change) for change in changes]
    return tuple(sorted(range(len(sizes)), key=lambda place: -sizes[place]))


@lru_cache(maxsize=8)
def logits_pruned(document: Document, order: tuple[int, ...]) -> tuple[Array, ...]:
    """Return the logits with 0, 1, 2 … heads of an order on."""
    return tuple(
        _logits(document, _pruned(document, order, kept)) for kept in range(len(order) + 1)
    )


def _pruned(document: Document, order: tuple[int, ...], kept: int) -> Document:
    """Keep the first heads of an order, and switch the others off."""
    heads = places(document)
    return without_heads(document, tuple(heads[place] for place in order[kept:]))


def _logits(document: Document, changed: Document) -> Array:
    logits: Array = run(changed, traced(document))["logits"][-1]
    return logits


# The lab


@lru_cache(maxsize=1)
def own() -> Document:
    """Build two layers of two heads that continue a pattern, from those of the lab `induction`.

    In layer 1 head 1 notes the letter before, head 2 looks at its own place and pushes its own
    letter a little. In layer 2 head 1 finds and copies; head 2 looks one place back, and writes
    where nothing reads.
    """
    document = stack(LETTERS_SHOWN, True, True, SHARPNESS)
    one, two = document.layers
    (back,), (find,) = one.heads, two.heads
    assert one.W_O is not None
    assert two.W_O is not None
    first = replace(
        one,
        heads=(back, replace(back, W_Q=back.W_K)),
        W_O=frozen(np.vstack([one.W_O, REPEATED * two.W_O])),
    )
    second = replace(
        two,
        heads=(find, _widened(back)),
        W_O=frozen(np.vstack([two.W_O, one.W_O])),
    )
    return document.with_(layers=(first, second), title="What a head is worth")


def _widened(head: Head) -> Head:
    """Widen queries and keys to the letters by columns of 0."""
    assert head.W_Q is not None
    assert head.W_K is not None
    more = ((0, 0), (0, len(LETTERS) - head.W_Q.shape[1]))
    W_Q, W_K = (frozen(np.pad(matrix, more)) for matrix in (head.W_Q, head.W_K))
    return replace(head, W_Q=W_Q, W_K=W_K)


class WorthLab(Lab):
    """Controls: the head, the word and its rival, the other sentence, and how many heads stay."""

    id = "worth"
    stacks = True

    def experiment(self) -> Document:
        """Return the four heads made by hand."""
        return own()

    def require(self, document: Document) -> None:
        """Accept a stack with a vocabulary whose heads can all be shown."""
        if not document.is_stack:
            raise UserError("lab.unfit", reason="no_stack")
        require_tokens(document, 2, MOST_TOKENS)
        words = 0 if document.output is None else len(document.output.vocabulary)
        if not 2 <= words <= MOST_WORDS or not places(document):
            raise UserError("lab.unfit", reason="words_2_32")
        if len(document.layers) > MOST_LAYERS or document.h > MOST_HEADS:
            raise UserError("lab.unfit", reason="layers_4_heads_8")

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer words, tokens and heads of the experiment."""
        document = _bare(setting.experiment)
        assert document.output is not None
        words = tuple(map(str, range(len(document.output.vocabulary))))
        tokens = tuple(map(str, range(document.n)))
        middle = document.n // 2
        source = str((middle + 1) % document.n)
        place = ChoiceControl("place", tokens, str(middle))
        taken = ChoiceControl("source", tokens, source)
        count = len(places(document))
        best = _ranking(document)
        word = int(setting.get("word", str(best[0])))
        rivals = tuple(name for name in words if name != str(word))
        rival = next(one for one in _rivals(setting, document) if one != word)
        return (
            ChoiceControl("chosen", tuple(map(str, range(count))), "0"),
            place,
            taken,
            ChoiceControl("word", words, str(best[0])),
            ChoiceControl("rival", rivals, str(rival)),
            Slider("kept", 0, count, count, step=1, whole=True),
        )

    def compute(self, setting: Setting) -> WorthResult:
        """Test every head."""
        document = _bare(setting.experiment)
        answer = Answer(int(setting["word"]), int(setting["rival"]))
        place, source = int(setting["place"]), int(setting["source"])
        trace = traced(document)
        whole = answer.difference(trace["logits"][-1])
        other, patches = logits_patched(document, place, source)
        pairs = zip(places(document), logits_without(document), patches, strict=True)
        heads = tuple(
            HeadWorth(*head, answer.difference(off) - whole, answer.difference(patch) - whole)
            for head, off, patch in pairs
        )
        order = ranked(one.off for one in heads)
        chosen = int(setting["chosen"])
        one = heads[chosen]
        return WorthResult(
            trace,
            other,
            run(patched(document, other, (one.layer, one.head)), trace),
            answer,
            heads,
            chosen,
            place,
            whole,
            answer.difference(other["logits"][-1]),
            order,
            frozen([answer.difference(logits) for logits in logits_pruned(document, order)]),
            int(setting["kept"]),
        )

    def document(self, setting: Setting) -> Document:
        """Return the experiment with the heads that are kept."""
        result = self.compute(setting)
        return _pruned(result.document, result.order, result.kept)


@lru_cache(maxsize=4)
def _bare(document: Document) -> Document:
    """Remove what-if values; the same object each time, because runs are cached by identity."""
    return without_pins(document)


@lru_cache(maxsize=4)
def _ranking(document: Document) -> tuple[int, ...]:
    """Rank the words after the last token from the likeliest."""
    return tuple(np.argsort(-traced(document)["logits"][-1], kind="stable").tolist())


@lru_cache(maxsize=8)
def _rivals_of(document: Document, place: int, source: int) -> tuple[int, ...]:
    """Rank the words after the other sentence, then those after this one."""
    return _ranking(other_sentence(document, place, source)) + _ranking(document)


def _rivals(setting: Setting, document: Document) -> tuple[int, ...]:
    middle = document.n // 2
    place = int(setting.get("place", str(middle)))
    source = int(setting.get("source", str((middle + 1) % document.n)))
    return _rivals_of(document, place, source)


LAB = WorthLab()
