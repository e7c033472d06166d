"""What the tests of the quiz's claims share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from core.base.arrays import Array
from core.compute.trace import run
from core.document.document import Document
from core.labs.lab import find_lab
from core.quiz.quiz import LAB

RNG = np.random.default_rng(17)
PREFIX = "check_"


def experiment(card_id: str) -> Document:
    """The experiment that proves a card."""
    document = LAB.document(LAB.start(values={"card": card_id}))
    assert document is not None
    return document


def result(card_id: str) -> Any:
    """What the lab that proves a card works out, set as it is for the card."""
    leads = LAB.leads(LAB.start(values={"card": card_id}))
    assert leads is not None
    return find_lab(leads[0]).compute(leads[1])


def softmax(scores: Array) -> Array:
    """Row by row, term by term."""
    rows = []
    for row in np.atleast_2d(scores):
        powers = [math.exp(score - max(row)) for score in row]
        rows.append([power / sum(powers) for power in powers])
    return np.array(rows).reshape(np.shape(scores))


def weights_of(document: Document) -> Array:
    """A of all heads."""
    return run(document)["weights"]


def checks_in(names: dict[str, Any]) -> dict[str, Callable[[], None]]:
    """The functions check_… of a module, by the card whose claim each works out."""
    return {
        name.removeprefix(PREFIX).replace("_", "-"): check
        for name, check in names.items()
        if name.startswith(PREFIX)
    }
