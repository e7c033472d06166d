"""Sentences of the model window: a model's sizes, an edit in words."""

from __future__ import annotations

from core.base.number_format import show
from core.models.model import Model
from gui.model_window.edits import Edit, HeadOff, NumberEdit, StagePatch, WeightPin, WordSwap
from gui.model_window.state import A_MINUS_B, CHANGE, EDITED, A, ModelState
from gui.texts.names import STAGE_SYMBOLS, visible_token
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
    return " · ".join((*parts, tr("numbers stay on the disk")))


def _parameters(count: int) -> str:
    if count >= 1_000_000:
        return tr("{count} million numbers", count=f"{count / 1e6:.0f}")
    return tr("{count} numbers", count=f"{count:,}")


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
            return tr(
                "Layer {layer}: {tensor} [{place}] = {value}",
                layer=layer + 1,
                tensor=tensor,
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


def _label(labels: tuple[str, ...], place: int) -> str:
    return visible_token(labels[place]) if place < len(labels) else "?"


def shown_name(show_id: str) -> str:
    """The name of what is shown."""
    named = {A_MINUS_B: "A − B", EDITED: tr("edited"), CHANGE: tr("{run} − A", run=tr("edited"))}
    return named.get(show_id, show_id)
