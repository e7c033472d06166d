"""Sentences of the model window: a model's sizes, edits, the selected layer and pair of tokens."""

from __future__ import annotations

from html import escape

from core.base.number_format import show
from core.models.model import Model
from gui.model_window.edits import Edit, HeadOff, NumberEdit, StagePatch, WeightPin, WordSwap
from gui.model_window.map_layout import Place
from gui.model_window.state import A_MINUS_B, CHANGE, EDITED, A, B, ModelState
from gui.painting.theme import colours
from gui.texts.names import STAGE_SYMBOLS, long_name, visible_token
from gui.texts.translation import tr

FAMILIES = {
    "bert": "BERT",
    "distilbert": "DistilBERT",
    "roberta": "RoBERTa",
    "gpt2": "GPT-2",
    "llama": "Llama",
    "qwen2": "Qwen2",
    "mistral": "Mistral",
}


def model_facts(model: Model) -> str:
    """Family, layers, heads and width of a model in a line."""
    heads = tr("{layers} layers × {heads} heads", layers=model.layers, heads=model.heads)
    if model.kv_heads < model.heads:
        heads = tr(
            "{layers} layers × {heads} heads on {shared} keys and values",
            layers=model.layers,
            heads=model.heads,
            shared=model.kv_heads,
        )
    family = FAMILIES.get(model.architecture, model.architecture)
    parts = (family, heads, f"d {model.d}", _parameters(model.parameters))
    return " · ".join((*parts, tr("weights stay on the disk")))


def _parameters(count: int) -> str:
    if count >= 1_000_000:
        return tr("{count} million numbers", count=f"{count / 1e6:.0f}")
    return tr("{count} numbers", count=f"{count:,}")


def head_title(place: Place) -> str:
    """The name of a head with its layer."""
    return tr("Layer {layer} · Head {head}", layer=place[0] + 1, head=place[1] + 1)


def edit_name(edit: Edit, state: ModelState) -> str:
    """An edit in a few words, for its chip."""
    run = state.run(A)
    labels = () if run is None else run.sentence.labels
    match edit:
        case HeadOff(layer, head):
            return tr("{layer}.{head} off", layer=layer + 1, head=head + 1)
        case WeightPin(layer, head, query, key, value):
            return tr(
                "{layer}.{head}: {query} → {key} pinned to {value}",
                layer=layer + 1,
                head=head + 1,
                query=_label(labels, query),
                key=_label(labels, key),
                value=show(value, state.decimals),
            )
        case NumberEdit(layer, tensor, index, value):
            place = ", ".join(str(each + 1) for each in index)
            if not edit.is_of_layer:
                return f"{tensor_label(tensor)} [{place}] = {show(value, state.decimals)}"
            return tr(
                "Layer {layer}: {tensor} [{place}] = {value}",
                layer=layer + 1,
                tensor=tensor_label(tensor),
                place=place,
                value=show(value, state.decimals),
            )
        case WordSwap(place, id_):
            word = "" if state.model is None else visible_token(state.model.tokenizer.label(id_))
            return tr("{old} → {new}", old=_label(labels, place), new=word)
        case StagePatch(layer, stage, head, token):
            where = f"{layer + 1}" if head is None else f"{layer + 1}.{head + 1}"
            symbol = STAGE_SYMBOLS[stage]
            if token is None:
                return tr("{where}: {stage} from B", where=where, stage=symbol)
            word = _label(labels, token)
            return tr("{where}: {stage} of {token} from B", where=where, stage=symbol, token=word)


def tensor_label(name: str) -> str:
    """A tensor as it is shown: W_Q by its symbol, the numbers of a norm in words."""
    return long_name(name) if "." in name else name


def _label(labels: tuple[str, ...], place: int) -> str:
    return visible_token(labels[place]) if place < len(labels) else "?"


def shown_name(show_id: str) -> str:
    """The name of what is shown."""
    named = {A_MINUS_B: "A − B", EDITED: tr("edited"), CHANGE: tr("{run} − A", run=tr("edited"))}
    return named.get(show_id, show_id)


def shared_text(state: ModelState) -> str:
    """Which heads share their keys and values with the selected one."""
    model = state.model
    if model is None or model.kv_heads == model.heads:
        return ""
    each = model.heads // model.kv_heads
    first = state.look.head // each * each
    others = [str(i + 1) for i in range(first, first + each) if i != state.look.head]
    return tr("K, V shared with heads {heads}", heads=tr(", ").join(others)) if others else ""


def notes(state: ModelState) -> list[tuple[str, str]]:
    """What is particular about the layer: a word each, and a sentence."""
    if state.opened is None:
        return []
    document, found = state.opened.plain, []
    layer = document.layers[0]
    if layer.norm.place == "pre" and layer.norm.attention is not None:
        text = tr(
            "The norm comes before the sub-layer: the heads read normalised vectors, and the "
            "residual connection goes around the norm."
        )
        found.append((tr("norm before"), text))
    if document.positional.kind == "rotary":
        text = tr(
            "Queries and keys are turned by their position. Columns that turn together stand side "
            "by side here, also where the file has them in halves."
        )
        found.append((tr("rotary"), text))
    if layer.heads[0].b_Q is not None:
        text = tr("Queries, keys and values have biases.")
        found.append((tr("biases"), text))
    return found


def pair_tokens(state: ModelState) -> tuple[str, str] | None:
    """The two chosen tokens; None where there are none."""
    look, sentence = state.look, state.sentence
    if sentence is None or look.query is None or look.key is None:
        return None
    if max(look.query, look.key) >= sentence.n:
        return None
    return visible_token(sentence.labels[look.query]), visible_token(sentence.labels[look.key])


def pair_weights(state: ModelState) -> list[tuple[str, str]]:
    """The weight of the pair in each run that has it: the run's name and the number."""
    look, found = state.look, []
    if look.query is None or look.key is None:
        return []
    place = max(look.query, look.key)
    for name, text in ((A, A), (B, tr("in B")), (EDITED, tr("edited"))):
        run = state.run(name)
        if run is None or look.layer >= len(run.layers) or place >= run.sentence.n:
            continue
        value = float(run.layers[look.layer].weights[look.head, look.query, look.key])
        found.append((text, show(value, state.decimals)))
    return found


def pair_words(state: ModelState) -> str:
    """The weight of the pair in each run, as plain text."""
    tokens = pair_tokens(state)
    if tokens is None:
        return ""
    numbers = (f"{name} {number}" for name, number in pair_weights(state))
    return "   ".join([f"{tokens[0]} → {tokens[1]}", *numbers])


def pair_text(state: ModelState) -> str:
    """The weight of the pair in each run as rich text, in the colours of query, key and weights."""
    tokens, theme = pair_tokens(state), colours(state.shade)
    if tokens is None:
        return escape(_hint(state), quote=False)
    query, key = (escape(token, quote=False) for token in tokens)
    parts = [
        f'<b style="color: {theme.query}">{query}</b> → <b style="color: {theme.key}">{key}</b>'
    ]
    for name, number in pair_weights(state):
        parts.append(f'{name} <b style="color: {theme.weights}">{number}</b>')
    return "&nbsp;&nbsp; ".join(parts)


def _hint(state: ModelState) -> str:
    """What the two tokens are for, as long as they are not chosen."""
    look, sentence = state.look, state.sentence
    if sentence is None:
        return ""
    if look.query is None or look.query >= sentence.n:
        return tr("Click two tokens above: which heads look from the first at the second, and why?")
    token = visible_token(sentence.labels[look.query])
    return tr("From “{token}” to which token? Click that one.", token=token)
