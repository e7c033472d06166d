"""What the page's program reads instead of holding it: stages, their texts, templates of sums.

A text is a list with one entry a language, in the order of `languages()`. Free of Qt.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Document
from core.explain.derivation import derive
from core.stages import SPECS
from core.stages.activation import FORMS
from core.storage.archive import loads
from gui.export.page_words import WORDS
from gui.texts.column_sentences import COLUMN_TEXTS
from gui.texts.kinds import MASK_NAMES, SCALE_NAMES
from gui.texts.mistakes import COLUMN_SENTENCES, SENTENCES
from gui.texts.names import ROLES
from gui.texts.stage_sentences import INPUT_NAMES, POSITIONAL_NAMES, STAGE_TEXTS
from gui.texts.translation import (
    current_labels,
    label,
    language_name,
    language_tag,
    languages,
    spoken,
    tr_marked,
)

Json = Any
Texts = list[str]
# The mistakes that the page's program can compute; their sentences are those of Check.
PAGE_MISTAKES = (
    "scale.forgotten", "scale.by_dk", "scale.by_sqrt_model", "scale.by_sqrt_model_per_head",
    "scale.by_sqrt_dv", "scale.multiplied", "scale.by_model", "scale.by_sqrt_dk", "scores.swapped",
    "scores.key_not_transposed", "scores.other_factor", "mask.forgotten", "mask.zero",
    "mask.transposed", "mask.after_softmax", "softmax.base", "softmax.negated", "softmax.columns",
    "softmax.everything", "softmax.not_normalised", "softmax.no_exp", "softmax.largest_only",
    "mix.columns", "mix.values_alone", "mix.keys", "output.forgotten", "position.forgotten",
    "alibi.sign", "residual.forgotten",
)  # fmt: skip
FIELDS = ("name", "title", "sentence", "next")  # of the texts of a stage


def in_all_languages(text: str) -> Texts:
    """A marked text in every language."""
    return [_spoken(language, text) for language in languages()]


def _spoken(language: str, text: str) -> str:
    with spoken(language):
        return tr_marked(text)


def _labels(text: str) -> Texts:
    """A marked name, in two languages at once where labels are."""
    found = []
    for language in languages():
        with spoken(language, current_labels()):
            found.append(label(text))
    return found


def page_tables(*, columns: bool = False) -> Json:
    """All tables, ready for JSON; `columns`: with the texts for tokens as columns."""
    return {
        "languages": [
            {"id": language, "name": language_name(language), "tag": language_tag(language)}
            for language in languages()
        ],
        "stages": {name: _stage(name) for name in SPECS},
        "roles": ROLES,
        "texts": _stage_texts(STAGE_TEXTS),
        "column_texts": _stage_texts(COLUMN_TEXTS) if columns else {},
        "inputs": {name: _labels(text) for name, text in INPUT_NAMES.items()},
        "activations": {name: form.name for name, form in FORMS.items()},
        "templates": templates(),
        "positional": _names(POSITIONAL_NAMES),
        "mask": _names(MASK_NAMES),
        "scale": _names(SCALE_NAMES),
        "mistakes": _mistakes(SENTENCES),
        "column_mistakes": _mistakes(COLUMN_SENTENCES) if columns else {},
        "words": _names(WORDS),
    }


def _mistakes(sentences: Mapping[str, str]) -> dict[str, Texts]:
    """The sentences of the page's mistakes; of those with tokens as columns what differs."""
    differs = {name for name in PAGE_MISTAKES if sentences[name] is not SENTENCES[name]}
    chosen = PAGE_MISTAKES if sentences is SENTENCES else tuple(sorted(differs))
    return {name: in_all_languages(sentences[name]) for name in chosen}


def _names(texts: Mapping[str, str]) -> dict[str, Texts]:
    return {name: in_all_languages(text) for name, text in texts.items()}


def _stage(name: str) -> Json:
    """A stage's symbols, axes and role; what is empty or false is left out."""
    spec, kind = SPECS[name], SPECS[name].kind
    facts = {
        "symbol": spec.symbol,
        "short": spec.short,
        "column_short": spec.column_short,
        "letter": spec.letter,
        "role": spec.role,
        "axes": "".join(spec.axes),
        "context": spec.of_context,
        "mlp": spec.of_mlp,
        "side": spec.side,
        "sequential": kind.sequential,
    }
    return {key: fact for key, fact in facts.items() if fact}


def _stage_texts(texts: Mapping[str, Mapping[str, str]]) -> Json:
    """The fields that the page shows, with their variants, by stage."""
    return {
        name: {
            key: (_labels if key == "name" else in_all_languages)(text)
            for key, text in fields.items()
            if key.partition(":")[0] in FIELDS
        }
        for name, fields in texts.items()
    }


# Templates of worked sums, as the kinds of the stages write them.


@cache
def templates() -> dict[str, str]:
    """The template of each norm, activation and softmax over a vocabulary, by what it is made of."""
    found: dict[str, str] = {}
    for kind in ("layer", "rms"):
        for fields in ((), ("gamma",), ("beta",), ("gamma", "beta")):
            if kind == "rms" and "beta" in fields:
                continue
            norm = {"kind": kind, **{field: [1.0, 1.0] for field in fields}}
            document = _stack({"final_norm": norm})
            found[" ".join((f"{kind}_norm", *fields))] = _template(document, "final_norm")
    for name in FORMS:
        for gate in (False, True):
            mlp = {"W_1": _ONES, "W_2": _ONES, "activation": name}
            mlp |= {"W_gate": _ONES} if gate else {}
            document = _stack({}, mlp)
            found[f"{name} gate" if gate else name] = _template(document, "L1.mlp_active")
    output = {"output": {"W_U": _ONES, "vocabulary": ["a", "b"]}}
    for name, temperature in (("softmax", 1.0), ("softmax temperature", 2.0)):
        document = _stack(output | {"sampling": {"temperature": temperature}})
        found[name] = _template(document, "probabilities")
    return found


_ONES = [[1.0, 1.0], [1.0, 1.0]]


def _stack(parts: Mapping[str, Json], mlp: Json = None) -> Document:
    """One layer for one token, with some parts."""
    head = dict.fromkeys(("W_Q", "W_K", "W_V"), _ONES)
    layer = {"heads": [head]} | ({"mlp": mlp} if mlp else {})
    file = {
        "format": "self-attention-experiment",
        "version": 2,
        "tokens": ["a"],
        "source": "embeddings",
        "X": [[1.0, 2.0]],
        "layers": [layer],
        **parts,
    }
    return loads(json.dumps(file).encode())


def _template(document: Document, stage_id: str) -> str:
    return derive(document, run(document), Cell(stage_id, 0, 0)).text
