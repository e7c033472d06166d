"""Which heads match a filter, and their order."""

from __future__ import annotations

import numpy as np

from core.base.arrays import Array
from core.models.head_scores import ENTROPY, SCORES, head_scores
from gui.model_window.map_layout import Place
from gui.model_window.state import ALL, BY_LAYER, PAIR, ModelState
from gui.painting.color_scale import ArrayCache
from gui.texts.names import visible_token
from gui.texts.translation import mark, tr, tr_marked

SHARE = 0.5  # of the weight that a head sends to a place to match its filter
PAIR_SHARE = 0.2  # of one weight to match a pair of tokens
NAMES = {
    "previous": mark("previous"),
    "first": mark("first token"),
    "itself": mark("itself"),
    "same_word": mark("same word"),
    "after_same": mark("after the same"),
    "next": mark("next"),
    "sentence_end": mark("end"),
    ENTROPY: mark("entropy"),
}
TIPS = {
    "previous": mark("Heads that send at least half of their weight to the previous token"),
    "first": mark("Heads that send at least half of their weight to the first token"),
    "itself": mark("Heads that send at least half of their weight to the token itself"),
    "same_word": mark("Heads that send at least half of their weight to the same word elsewhere"),
    "after_same": mark(
        "Heads that send at least half of their weight to the token that followed the same word "
        "before: induction"
    ),
    "next": mark("Heads that send at least half of their weight to the next token"),
    "sentence_end": mark("Heads that send at least half of their weight to the end of a sentence"),
    PAIR: mark("Heads with at least 0.2 of the first token’s weight on the second"),
}
FILTERS = tuple(name for name in SCORES if name != ENTROPY)
Scores = dict[str, Array]  # (h,) each

# Scores of a layer: with 270 heads a repaint takes 3 instead of 40 ms.
_scores: ArrayCache[Scores] = ArrayCache(200)


def layer_scores(state: ModelState, layer: int) -> Scores | None:
    """The scores of the heads of a layer that are shown; of a difference those of its first run."""
    run = state.run(state.shown_run)
    if run is None or layer >= len(run.layers):
        return None
    sentence, weights = run.sentence, run.layers[layer].weights
    causal = state.model is not None and state.model.causal

    def make() -> Scores:
        return head_scores(weights, sentence.ids, sentence.pieces, causal=causal)

    return _scores.get(weights, sentence.ids, make)


def pair_of(state: ModelState) -> tuple[int, int] | None:
    """The two tokens whose weight is sought."""
    query, key = state.look.query, state.look.key
    return None if query is None or key is None else (query, key)


def value_of(state: ModelState, place: Place, name: str) -> float | None:
    """The score of a head, or for PAIR its weight; None where it is not known."""
    layer, head = place
    pair = pair_of(state)
    if name == PAIR:
        weights = state.shown_weights(layer)
        if weights is None or pair is None or max(pair) >= weights.shape[1]:
            return None
        return float(weights[head][pair])
    scores = layer_scores(state, layer)
    return None if scores is None or name not in scores else float(scores[name][head])


def matches(state: ModelState, place: Place, name: str) -> bool:
    """Whether a head matches a filter."""
    if name == ALL:
        return True
    value = value_of(state, place, name)
    return value is not None and abs(value) >= (PAIR_SHARE if name == PAIR else SHARE)


def all_places(state: ModelState) -> list[Place]:
    """Every head of the model."""
    model = state.model
    if model is None:
        return []
    return [(layer, head) for layer in range(model.layers) for head in range(model.heads)]


def count(state: ModelState, name: str) -> int:
    """How many heads match a filter."""
    model, pair, total = state.model, pair_of(state), 0
    if model is None:
        return 0
    if name == ALL:
        return model.layers * model.heads
    for layer in range(model.layers):
        if name == PAIR:
            weights = state.shown_weights(layer)
            if weights is not None and pair is not None and max(pair) < weights.shape[1]:
                total += int(np.count_nonzero(np.abs(weights[:, *pair]) >= PAIR_SHARE))
        elif (scores := layer_scores(state, layer)) is not None:
            total += int(np.count_nonzero(scores[name] >= SHARE))
    return total


def order(state: ModelState) -> tuple[Place, ...]:
    """The heads sorted by a score, largest first (by entropy smallest first); () for the grid."""
    sort = state.look.sort
    if sort == BY_LAYER:
        return ()
    sign = 1.0 if sort == ENTROPY else -1.0

    def key(place: Place) -> tuple[float, Place]:
        value = value_of(state, place, sort)
        size = np.inf if value is None else sign * (abs(value) if sort == PAIR else value)
        return (float(size), place)

    return tuple(sorted(all_places(state), key=key))


def filter_name(state: ModelState, name: str) -> str:
    """The name of a filter or sort; that of a pair has its tokens."""
    if name == ALL:
        return tr("All")
    sentence, pair = state.sentence, pair_of(state)
    if name == PAIR and pair is not None and sentence is not None:
        return " → ".join(visible_token(sentence.labels[place]) for place in pair)
    return tr_marked(NAMES.get(name, name))
