"""A class of simulated students: answer files with mistakes planted by formulas of the kit's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from core.base.arrays import Array
from core.classroom.experiment_id import experiment_id
from core.compute.trace import Trace, run
from core.document.document import Document
from core.storage.examples import load_example
from tests.core.check_kit import softmax, written

Sheets = dict[str, Array]


def answer_text(document: Document, name: str, values: dict[str, Any], **other: Any) -> str:
    """The text of an answer file, written without the program's own writer."""
    file = {
        "format": "self-attention-answers",
        "version": 1,
        "experiment": experiment_id(document),
        "name": name,
        "values": values,
        **other,
    }
    return json.dumps(file, ensure_ascii=False)


def worked(t: Trace, **spoilt: Array) -> Sheets:
    """Four stages by hand, each from the one before it, with some of them spoilt."""
    scores = spoilt.get("scores", t["Q"] @ t["K"].swapaxes(-1, -2))
    scaled = spoilt.get("scaled", scores / np.sqrt(t["Q"].shape[-1]))
    weights = spoilt.get("weights", softmax(scaled))
    return {
        "scores": scores,
        "scaled": scaled,
        "weights": weights,
        "Y": spoilt.get("Y", (weights @ t["V"])[0]),
    }


def _no_exp(t: Trace) -> Sheets:
    return worked(t, weights=t["scaled"] / t["scaled"].sum(axis=-1, keepdims=True))


def _sign(t: Trace) -> Sheets:
    scores = t["scores"].copy()
    scores[0, 2, 2] *= -1
    return worked(t, scores=scores)


# The id of each planted mistake, how many students make it, and what they hand in.
PLANTED: list[tuple[str, int, Callable[[Trace], Sheets]]] = [
    ("", 8, worked),
    ("scale.by_dk", 7, lambda t: worked(t, scaled=t["scores"] / 2)),
    ("softmax.no_exp", 4, _no_exp),
    ("scale.forgotten", 3, lambda t: worked(t, scaled=t["scores"])),
    ("mix.keys", 3, lambda t: worked(t, Y=(t["weights"] @ t["K"])[0])),
    ("scores.swapped", 2, lambda t: worked(t, scores=t["K"] @ t["Q"].swapaxes(-1, -2))),
    ("softmax.columns", 2, lambda t: worked(t, weights=softmax(t["scaled"], axis=-2))),
    ("cell.sign", 1, _sign),
]


def planted_class(folder: Path, example: str = "cat-eats-fish") -> Document:
    """Write 30 answer files into a folder."""
    document = load_example(example)
    trace = run(document)
    number = 0
    for _, count, plant in PLANTED:
        for _ in range(count):
            number += 1
            values = {stage: written(array, 3) for stage, array in plant(trace).items()}
            name = f"student {number:02}"
            text = answer_text(document, name, values)
            (folder / f"{number:02}.answers.json").write_text(text, encoding="utf-8")
    return document
