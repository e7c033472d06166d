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
from core.document.parts import FILE_KEYS
from core.stages import plan
from core.stages.dialect import heads_of, is_pinned
from core.storage import archive

KEY = "experiment"  # of the settings, in every format
SETTINGS_FILE = "experiment.json"  # of a folder
MASK = "mask"  # the name of mask.allow, which is no tensor of numbers

Object = dict[str, Any]


def settings(document: Document, reference: Callable[[str, int], str]) -> Object:
    """The experiment file with `reference(name, head)` instead of each entered tensor."""
    tree: Object = msgspec.json.decode(archive.dumps(document))
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
            owner[key] = (array.ravel() if key.startswith("b_") else array).tolist()
    return archive.loads(msgspec.json.encode(tree))


def _slots(tree: Object) -> Iterator[tuple[Object, str, str, int]]:
    """Each tensor of an experiment file: the object and its key, the tensor's name and head."""
    heads = tree.get("heads")
    owners = [
        (tree, {"X": "X", "W_O": "W_O", "b_O": "b_O"}, 0),
        (tree.get("context"), {"X": "X_context", "P": "P_context"}, 0),
        (tree.get("positional"), {"P": "P"}, 0),
        (tree.get("mask"), {"allow": MASK}, 0),
    ]
    for number, head in enumerate(heads if isinstance(heads, list) else ()):
        owners.append((head, {FILE_KEYS.get(name, name): name for name in HEAD_TENSORS}, number))
    for owner, names, number in owners:
        for key, name in names.items():
            if isinstance(owner, dict) and owner.get(key) is not None:
                yield owner, key, name, number


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
        return f"{stored}[{head}]" if name in HEAD_TENSORS else stored

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
            tensor = heads_of(document, name) if name in HEAD_TENSORS else document.tensor(name)
            assert tensor is not None
            found[stored] = tensor
        return stored

    settings(document, reference)
    return found
