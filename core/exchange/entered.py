"""The experiment beside the stages of an export: its settings, and a reference to each tensor.

An export holds the experiment file as JSON in which a text replaces each entered
tensor: a name with its head, such as W_Q[0], the name of a file, or a range of a sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from core.document.document import HEAD_TENSORS, Document
from core.document.layers import NORM_FIELDS, OF_ATTENTION, OF_MLP, OF_NORM, OF_OUTPUT
from core.document.parts import FILE_KEYS, is_of_head, is_tensor, layer_id, tensor_axes
from core.stages import plan
from core.stages.dialect import heads_of, is_pinned
from core.storage import archive

KEY = "experiment"  # of the settings, in every format
SETTINGS_FILE = "experiment.json"  # of a folder
MASK = "mask"  # the name of mask.allow, which is no tensor of numbers

Object = dict[str, Any]


def settings(document: Document, reference: Callable[[str, int], str]) -> Object:
    """The experiment file with `reference(name, head)` instead of each entered tensor."""
    tree: Object = msgspec.json.decode(archive.dumps(document.with_(link=None)))
    for owner, key, name, head in _slots(tree):
        owner[key] = reference(name, head)
    return tree


def restored(tree: Any, values: Callable[[str], npt.NDArray[np.generic]]) -> Document:
    """The experiment of settings; `values` gives the numbers that a reference means.

    Raises UserError as archive.loads does.
    """
    for owner, key, name, _ in _slots(tree) if isinstance(tree, dict) else ():
        if isinstance(owner[key], str):
            array = values(owner[key])
            flags = name == MASK and bool(np.isin(array, (0, 1)).all())
            array = array.astype(bool) if flags else array
            owner[key] = (array.ravel() if _is_vector(name) else array).tolist()
    return archive.loads(msgspec.json.encode(tree))


def _is_vector(name: str) -> bool:
    return is_tensor(name) and len(tensor_axes(name)) == 1


def _slots(tree: Object) -> Iterator[tuple[Object, str, str, int]]:
    """Each tensor of an experiment file: the object and its key, the tensor's name and head."""
    owners: list[tuple[Any, dict[str, str], int]] = [
        (tree, {"X": "X"}, 0),
        (tree.get("context"), {"X": "X_context", "P": "P_context"}, 0),
        (tree.get("positional"), {"P": "P"}, 0),
        (tree.get("mask"), {"allow": MASK}, 0),
        (tree.get("embedding_norm"), _norm_slots("embedding_norm"), 0),
        *_attention_slots(tree, None),
    ]
    for number, layer in enumerate(_list(tree, "layers"), 1):
        owners += _layer_slots(layer, number)
    owners += [
        (tree.get("final_norm"), _norm_slots("final_norm"), 0),
        (tree.get("output"), {name: name for name in OF_OUTPUT}, 0),
    ]
    for owner, names, number in owners:
        for key, name in names.items():
            if isinstance(owner, dict) and owner.get(key) is not None:
                yield owner, key, name, number


Slots = tuple[Any, dict[str, str], int]  # an object, the tensor names of its keys, the head


def _list(tree: Any, key: str) -> list[Any]:
    found = tree.get(key) if isinstance(tree, dict) else None
    return found if isinstance(found, list) else []


def _norm_slots(stage: str) -> dict[str, str]:
    return {name: f"{stage}.{name}" for name in OF_NORM}


def _attention_slots(tree: Any, layer: int | None) -> Iterator[Slots]:
    yield tree, {name: layer_id(layer, name) for name in OF_ATTENTION}, 0
    keys = {FILE_KEYS.get(name, name): layer_id(layer, name) for name in HEAD_TENSORS}
    for number, head in enumerate(_list(tree, "heads")):
        yield head, keys, number


def _layer_slots(layer: Any, number: int) -> Iterator[Slots]:
    yield from _attention_slots(layer, number)
    if isinstance(layer, dict):
        norm = layer.get("norm")
        for name, key in NORM_FIELDS.items():
            part = norm.get(key) if isinstance(norm, dict) else None
            yield part, _norm_slots(layer_id(number, name)), 0
        yield layer.get("mlp"), {name: layer_id(number, name) for name in OF_MLP}, 0


def stored_name(document: Document, name: str) -> str:
    """What an entered tensor is called beside the stages: its id, unless the stage of that id holds
    other numbers.
    """
    stages = plan(document)
    same = name not in stages or (stages[name].entered and not is_pinned(document, name))
    return name if same else f"{name}_entered"


def array_reference(document: Document) -> Callable[[str, int], str]:
    """References to arrays that hold all heads: W_Q[0], X."""

    def reference(name: str, head: int) -> str:
        stored = stored_name(document, name)
        return f"{stored}[{head}]" if is_of_head(name) else stored

    return reference


def entered_arrays(document: Document) -> Mapping[str, npt.NDArray[np.generic]]:
    """Every entered tensor, also one that is kept while it is switched off, by its stored name.

    Those of heads are stacked; a bias that a head lacks is 0.
    """
    found: dict[str, npt.NDArray[np.generic]] = {}

    def reference(name: str, head: int) -> str:
        stored = stored_name(document, name)
        if name == MASK:
            assert document.mask.allow is not None
            found[stored] = document.mask.allow
        elif stored not in found:
            tensor = heads_of(document, name) if is_of_head(name) else document.tensor(name)
            assert tensor is not None
            found[stored] = tensor
        return stored

    settings(document, reference)
    return found
