"""The state of the model window: a model, sentences, edits, and the runs as far as they have come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from core.base.arrays import Array
from core.compute.trace import Trace
from core.document.document import Document
from core.models.forward import LayerRun
from core.models.model import Model
from core.models.reasons import Reasons
from gui.model_window.edits import Edit, WordSwap

A, B, EDITED = "A", "B", "edited"  # the runs; EDITED is sentence A with the edits
A_MINUS_B, CHANGE = "A-B", "edited-A"
SHOWN = (A, B, A_MINUS_B, EDITED, CHANGE)
PAIRS = {A_MINUS_B: (A, B), CHANGE: (EDITED, A)}  # what is shown as a difference
ALL, PAIR = "all", "pair"  # filters beside those of the scores
BY_LAYER = "layer"


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """A sentence as tokens: `ids`, the vocabulary's pieces, and the pieces as people read them."""

    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(cls, model: Model, text: str) -> Sentence:
        """The tokens of a text. Raises UserError for an empty or too long one."""
        encoding = model.tokenizer.pieces(text)
        model.require_ids(encoding.ids)
        return cls(encoding.ids, encoding.pieces, encoding.labels)

    @property
    def n(self) -> int:
        """How many tokens it has."""
        return len(self.ids)

    def with_words(self, model: Model, edits: tuple[Edit, ...]) -> Sentence:
        """The sentence with the words that edits put into it."""
        ids = list(self.ids)
        for edit in edits:
            if isinstance(edit, WordSwap):
                ids[edit.place] = edit.id
        if tuple(ids) == self.ids:
            return self
        tokens = model.tokenizer
        return Sentence(tuple(ids), tuple(map(tokens.piece, ids)), tuple(map(tokens.label, ids)))


@dataclass(frozen=True, slots=True, eq=False)
class LayerResult:
    """What is kept of a layer: its input, what comes into its heads, its output (n, d), and its
    attention (h, n, n).
    """

    incoming: Array
    attention_input: Array
    outgoing: Array
    weights: Array

    @classmethod
    def of(cls, layer: LayerRun) -> LayerResult:
        """What is kept of a layer that was run; its trace is not."""
        return cls(layer.incoming, layer.attention_input, layer.outgoing, layer.weights)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A sentence that goes through the model: the layers so far, and at the end the next word."""

    sentence: Sentence
    edits: tuple[Edit, ...] = ()
    layers: tuple[LayerResult, ...] = ()
    final: Array | None = None  # (n, d), after the final norm
    probabilities: Array | None = None  # (u,) of the next word
    done: bool = False


@dataclass(frozen=True, slots=True)
class Setting:
    """What undo and recovery keep: the sentences ("" for no second one) and the edits of A."""

    text: str = ""
    other: str = ""
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """What is looked at; it changes without undo."""

    show: str = A
    layer: int = 0
    head: int = 0
    query: int | None = None  # the token that is followed
    key: int | None = None  # with it, the pair whose weight is sought
    filter: str = ALL
    sort: str = BY_LAYER
    stage: str = "weights"


@dataclass(frozen=True, slots=True, eq=False)
class OpenedLayer:
    """A layer of a run, from 0, with every stage: a stack of one layer, whose ids begin with "L1.".

    `plain` is the stack without edits.
    """

    layer: int
    result: LayerResult
    plain: Document
    trace: Trace

    def stage(self, name: str) -> Array | None:
        """A stage of the layer; None where there is none of this name."""
        return self.trace.arrays.get(f"L1.{name}")


@dataclass(frozen=True, slots=True, eq=False)
class ModelState:
    """The whole state. `working` is the layer that is being computed, and of how many.

    `opened` is the layer of the selected head, `reasons` those of the score of the chosen pair; None
    while they are computed. `source` is what was asked for: a folder, a file or a shipped model.
    `snapshots`: the steps of its training and their files.
    """

    language: str = "en"
    shade: str = "light"
    decimals: int = 2
    model: Model | None = None
    source: str = ""
    title: str = ""
    setting: Setting = Setting()
    look: Look = Look()
    runs: Mapping[str, Run] = field(default_factory=dict)
    working: tuple[int, int] | None = None
    opened: OpenedLayer | None = None
    reasons: Reasons | None = None
    snapshots: tuple[tuple[int, Path], ...] = ()
    snapshot: int = 0
    notes: str = ""
    opening: bool = False

    def run(self, name: str) -> Run | None:
        """A run as far as it has come; that of EDITED is A where there are no edits."""
        return self.runs.get(name)

    @property
    def shown_run(self) -> str:
        """The run that is shown; of a difference the first."""
        return runs_of(self.look.show)[0]

    @property
    def selected(self) -> LayerResult | None:
        """The layer of the selected head in the run that is shown; None where it is to come."""
        run = self.runs.get(self.shown_run)
        return None if run is None else dict(enumerate(run.layers)).get(self.look.layer)

    @property
    def sentence(self) -> Sentence | None:
        """The tokens of what is shown."""
        run = self.runs.get(self.shown_run)
        return None if run is None else run.sentence

    def weight_sources(self, layer: int) -> tuple[Array, ...] | None:
        """The attention of a layer that is shown, of a difference both; None where it is to come.

        # -> (h, n, n) each
        """
        names = runs_of(self.look.show)
        runs = [self.runs.get(name) for name in names]
        found = tuple(run.layers[layer].weights for run in runs if run and layer < len(run.layers))
        if len(found) < len(names) or found[0].shape != found[-1].shape:
            return None
        return found

    def shown_weights(self, layer: int) -> Array | None:
        """The same, with a difference computed.  # -> (h, n, n)"""
        found = self.weight_sources(layer)
        return None if found is None else found[0] if len(found) == 1 else found[0] - found[1]

    @property
    def is_difference(self) -> bool:
        """Whether differences are shown, which have a sign."""
        return self.look.show in PAIRS

    def can_show(self, show: str) -> bool:
        """Whether there is something to show; sentences of other lengths have no difference."""
        runs = [self.runs.get(name) for name in runs_of(show)]
        sizes = {run.sentence.n for run in runs if run is not None}
        return None not in runs and len(sizes) == 1

    def with_run(self, name: str, run: Run | None) -> Mapping[str, Run]:
        """The runs with one replaced, or removed."""
        others = {key: value for key, value in self.runs.items() if key != name}
        return others if run is None else {**others, name: run}


def runs_of(show: str) -> tuple[str, ...]:
    """The runs that something shown is made of: one, or the two of a difference."""
    return PAIRS.get(show, (show,))


def relative_change(before: Array, after: Array) -> Array:
    """How far each token's vector has moved, as a part of its length.  # (n, d), (n, d) -> (n,)"""
    length = np.linalg.norm(before, axis=1)
    moved: Array = np.linalg.norm(after - before, axis=1)
    return moved / np.where(length > 0.0, length, 1.0)


def with_layer(run: Run, layer: LayerResult) -> Run:
    """A run with one more layer."""
    return replace(run, layers=(*run.layers, layer))
