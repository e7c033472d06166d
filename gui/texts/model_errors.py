"""The message templates of errors about trained models."""

from __future__ import annotations

from gui.texts.translation import mark

SENTENCES: dict[str, str] = {
    "model.unknown": mark(
        "There is no folder or file {path}, and no shipped model of this name; there are {known}."
    ),
    "model.nothing": mark(
        "The folder contains no weights: a file that ends in .safetensors is needed, with "
        "config.json and tokenizer.json beside it."
    ),
    "model.several": mark(
        "The folder contains several files of weights without an index: {known}. Name the one to "
        "open."
    ),
    "model.pickle": mark(
        "The weights are pickled, and such a file can run programs; it is not opened. Save the "
        "model as safetensors."
    ),
    "model.short": mark("The file has {size} bytes, which is too short for weights."),
    "model.header": mark(
        "The header claims {size} bytes, but there can be {limit} at most; the file is damaged, or "
        "is not a safetensors file."
    ),
    "model.header_text": mark(
        "The header is not valid JSON; the file is damaged, or is not a safetensors file."
    ),
    "model.tensor": mark("The tensor {name} cannot be read: {reason}."),
    "model.gguf": mark("The GGUF file is damaged at byte {byte}, or is not a GGUF file."),
    "model.gguf_version": mark("The GGUF file has version {value}; versions 2 and 3 are read."),
    "model.rest": mark("{size} bytes after the last tensor belong to none; the file is damaged."),
    "model.numbers": mark(
        "The tensor {name} has numbers of the type {dtype}, which cannot be read here."
    ),
    "model.index": mark(
        "The index names the file “{name}”; it must be the plain name of a file in its folder."
    ),
    "model.missing": mark("The tensor {name} is missing."),
    "model.extra": mark(
        "The tensor {name} belongs to a layer, but models of this family do not use it."
    ),
    "model.shape": mark("The tensor {name} is {actual}; it must be {expected}."),
    "model.not_finite": mark("The tensor {name} contains NaN or ∞; every weight must be finite."),
    "model.family": mark("Models of the type “{name}” cannot be opened; it can be {known}."),
    "model.setting": mark("{key} is {value}; models with this setting cannot be computed here."),
    "model.value": mark("{key} cannot be {value}."),
    "model.key": mark("{key} is missing from the settings of the model."),
    "model.divides": mark("{key} is {value}, which does not divide {size}."),
    "model.layer": mark("There is no layer {value}; layers are numbered from 1 to {most}."),
    "model.head": mark("There is no head {value}; heads are numbered from 1 to {most}."),
    "model.patch": mark(
        "A stage can come from sentence B only if B has been computed and has as many tokens as A."
    ),
    "edit.index": mark("{name} has no number at {index}; its size is {shape}."),
    "model.lost": mark("The model {model} that this experiment points to is not there."),
    "model.changed": mark(
        "The model {model} has changed since this experiment was saved: its SHA-256 is different."
    ),
    "model.reads": mark("{where} needs either text or ids, and not both."),
    "model.no_ids": mark("There are no tokens: type a text with at least one word."),
    "model.too_long": mark("The text has {n} tokens; this model has {most} positions."),
    "model.id": mark("There is no token with the id {value}; ids go from 0 to {most}."),
    "model.no_output": mark(
        "This model has no output: it gives vectors, and does not predict the next word."
    ),
    # Tokenizers
    "tokenizer.absent": mark("The file has no tokenizer; only ids can be entered."),
    "tokenizer.large": mark("The tokenizer has more than {limit} entries, too many to read here."),
    "tokenizer.id": mark("{where}: “{text}” has the id {value}; ids go from 0 to {most}."),
    "tokenizer.kind": mark(
        "{where} is “{kind}”, which cannot be computed here; it can be {known}."
    ),
    "tokenizer.setting": mark(
        "{where} is {value}; tokenizers with this setting cannot be computed here."
    ),
    "tokenizer.steps": mark(
        "{where} has more than {most} steps, or splits into bytes twice; this cannot be computed here."
    ),
    "tokenizer.pattern": mark("{where}: the pattern “{text}” cannot be computed here."),
    "tokenizer.merge": mark(
        "{where}: “{text}” cannot be merged; a merge needs two pieces of the vocabulary that "
        "make a third."
    ),
    "tokenizer.no_piece": mark("{where} names “{text}”, which is not in the vocabulary."),
    "tokenizer.text": mark(
        "The text has {actual} characters; at most {limit} can be cut into tokens."
    ),
}

REASONS: dict[str, str] = {
    "tensor.entry": mark("it needs dtype, shape and two data_offsets"),
    "tensor.shape": mark("its shape is not valid"),
    "tensor.size": mark("its bytes are too few or too many for its shape and type"),
    "tensor.outside": mark("its place lies outside the file"),
    "tensor.overlap": mark("it overlaps another tensor"),
    "tensor.twice": mark("there are two of this name"),
    "tensor.gap": mark("there is a gap before it"),
}
