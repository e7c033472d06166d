"""Where each lab is looked at: as it begins, in each of its views, and on other experiments that it can work on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.document.document import Document
from core.labs.controls import ChoiceControl
from core.labs.lab import Lab, Setting, find_lab
from core.storage.examples import load_example
from tests.core.documents import make
from tests.core.stacks import make_stack
from tests.gui.lab_pictures import settings_at_ends

# Beside each lab's own experiment: these. Examples by name.
DOCUMENTS: Mapping[str, Sequence[Document | str]] = {
    "backward": (make(61, pins=9, biases=True, output=True, mask="custom"),),
    "block": ("block-by-hand", "induction", "not-bad", make_stack(3, layers=1, place="post")),
    "caution": (
        "eight-heads",
        make(7, mask="custom", off=(0, 1, 2)),
        make(6, sizes={"n": 2, "d": 3, "h": 1, "k": 2, "v": 4}),
    ),
    "circuits": (
        "who-ate-whom",
        "induction",
        make(6, output=True, biases=True),
        make_stack(4, layers=2, borrowed=True, positional="rotary"),
    ),
    "decode": (
        make(81, positional="alibi", output=True, off=(1,)),
        "induction",
        make_stack(3, layers=2, borrowed=True),
    ),
    "heads": (
        "eight-heads",
        make(6, output=True, biases=True),
        make(7, source="qkv", mask="causal", off=(0, 1, 2)),
    ),
    "order": ("eight-heads", make(1, mask="causal")),
    "plane": ("eight-heads", "translation", "four-words-causal"),
    "worth": ("block-by-hand", "not-bad", make_stack(4, layers=3, off=(1,))),
}

# Beside each lab's own values: these.
VALUES: Mapping[str, Sequence[Mapping[str, object]]] = {
    "backward": ({"step": 9}, {"step": 3, "sharpness": 100.0}),
    "learn": (
        {"task": "bracket", "optimiser": "descent"},
        {"task": "bracket", "step": 40},
        {"heads": "2", "head": "2", "step": 7},
        {"task": "mirror", "step": 300},
    ),
    "positions": (
        {"n": 2},
        {"n": 64, "d": 63},
        {"position": 23, "shift": 23},
        {"position": 0, "shift": 0},
    ),
    "quiz": ({"card": "output", "typed": True},),
    "sequence": ({"n": 2}, {"n": 48, "d": 32}),
}


def starts(lab_id: str) -> Iterator[Setting]:
    """The lab as it begins and beside that, in each of its views."""
    lab = find_lab(lab_id)
    for document in (None, *DOCUMENTS.get(lab_id, ())):
        experiment = load_example(document) if isinstance(document, str) else document
        for values in ({}, *VALUES.get(lab_id, ())):
            for view in views(lab, lab.start(experiment, values)):
                yield lab.start(experiment, {**values, **view})


def views(lab: Lab, setting: Setting) -> list[dict[str, object]]:
    """The values that choose each of a lab's views; one without any, for a lab that has one view."""
    choices = [
        control
        for control in lab.controls(setting)
        if isinstance(control, ChoiceControl) and control.id == "view"
    ]
    return [{"view": option} for choice in choices for option in choice.options] or [{}]


def extremes(lab_id: str) -> Iterator[Setting]:
    """Each start, with each control at each of its ends alone, and with all of them at an end."""
    lab = find_lab(lab_id)
    for start in starts(lab_id):
        yield start
        yield from settings_at_ends(lab, start)
