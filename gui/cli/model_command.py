"""`main.py model`: sizes of a trained model, what its layers compute of a text, the next token."""

from __future__ import annotations

import json
from argparse import Namespace

import numpy as np
import numpy.typing as npt

from core.arithmetic.sampling import ranked, softmax_at
from core.base.arrays import Array
from core.base.errors import UserError
from core.base.files import write_bytes
from core.compute.trace import require_bytes
from core.document.edits import with_title
from core.exchange.traces import npz_bytes
from core.models import open_model, shipped_models
from core.models.forward import run_layers, run_model
from core.models.model import Model
from core.storage import archive
from core.storage.model_file import linked_layer
from gui.cli.argparse_i18n import UsageError
from gui.texts.translation import current_language, tr

SIZES = (
    *("architecture", "layers", "heads", "kv_heads", "d", "vocabulary", "positions", "causal"),
    "parameters",
)


def model(options: Namespace) -> int:
    """Do what the options ask for."""
    if options.source is None:
        if not options.list:
            raise UsageError(tr("SOURCE is missing: a folder, a .gguf file or a shipped model"))
        return _print_shipped(options)
    opened = open_model(options.source)
    if options.list:
        return _print_sizes(opened, options)
    ids = _ids(opened, options)
    if options.next is not None:
        return _print_next(opened, ids, options)
    if options.link and options.layer is None:
        raise UsageError(tr("--link is for --layer"))
    if options.layer is not None:
        return _write_layer(opened, options)
    return _write(opened, ids, options)


def _print_shipped(options: Namespace) -> int:
    language = current_language()
    found = {each.id: each.title.get(language, each.title["en"]) for each in shipped_models()}
    if options.json:
        listed = [{"id": id_, "title": title} for id_, title in found.items()]
        print(json.dumps(listed, ensure_ascii=False))
    else:
        for id_, title in found.items():
            print(f"{id_}\t{title}")
    return 0


def _print_sizes(opened: Model, options: Namespace) -> int:
    sizes = {name: getattr(opened, name) for name in SIZES}
    if options.json:
        print(json.dumps(sizes))
    else:
        for name, value in sizes.items():
            print(f"{name}\t{json.dumps(value) if isinstance(value, bool) else value}")
    return 0


def _ids(opened: Model, options: Namespace) -> tuple[int, ...]:
    """The tokens of --text or --ids. Raises UsageError for neither, UserError where they do not fit."""
    if options.ids is None and options.text is None:
        raise UsageError(tr("--text or --ids is missing: what the model reads"))
    ids = options.ids if options.ids is not None else opened.tokenizer.encode(options.text)
    opened.require_ids(ids)
    return tuple(ids)


def _print_next(opened: Model, ids: tuple[int, ...], options: Namespace) -> int:
    opened.require_output()
    probabilities = run_model(opened, ids).next_probabilities()
    assert probabilities is not None
    most = ranked(probabilities)[: options.next].tolist()
    found = [
        {"token": token, "id": i, "probability": float(probabilities[i])}
        for token, i in zip(opened.labels(most), most, strict=True)
    ]
    if options.json:
        print(json.dumps({"next": found}, ensure_ascii=False))
    else:
        for each in found:
            print(
                f"{each['probability']:.6f}\t{each['id']}\t{json.dumps(each['token'], ensure_ascii=False)}"
            )
    return 0


def _write(opened: Model, ids: tuple[int, ...], options: Namespace) -> int:
    """Every stage of every layer, in the order in which they are computed."""
    _require_ending(options, ".npz")
    arrays: dict[str, npt.NDArray[np.generic]] = {
        "tokens": np.array(opened.pieces(ids), dtype=np.str_),
        "token_ids": np.array(ids),
    }
    final: Array | None = None
    for layer in run_layers(opened, ids):
        stages = layer.stages()
        if layer.index == 0:  # the arrays of all layers, and the bytes of the file
            require_bytes(2 * opened.layers * sum(array.nbytes for array in stages.values()))
        arrays |= stages
        final = layer.final
    if opened.has_output and final is not None:
        arrays["logits"] = logits = opened.logits(final)
        arrays["probabilities"] = softmax_at(logits, 1.0)
    write_bytes(options.output, npz_bytes(arrays))
    return 0


def _write_layer(opened: Model, options: Namespace) -> int:
    """The attention of one layer as an experiment."""
    _require_ending(options, ".attn.json")
    document = linked_layer(opened, options.layer, options.text, options.ids)
    title = tr("{model}, layer {number}", model=opened.name, number=options.layer)
    document = with_title(document, title)
    if not options.link:
        document = document.with_(tokens=document.file_tokens, link=None)
    archive.save(document, options.output)
    return 0


def _require_ending(options: Namespace, ending: str) -> None:
    if not options.output.lower().endswith(ending):
        raise UserError("output.ending", path=options.output, known=(ending,))
