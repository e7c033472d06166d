"""Slips after the weights: the weighted sum, the heads joined, the output."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from core.arithmetic.stable_sum import product
from core.base.arrays import Array, frozen
from core.check.alternative_run import Candidate, Flow
from core.document.document import Document
from core.stages import Plan
from core.stages.join import CONCATENATE


def after_weights(document: Document, plan: Plan) -> Iterator[Candidate]:
    """Every slip in the weighted sum and what follows it."""
    yield from _mix(document, plan)
    if plan.of_kind(CONCATENATE):
        yield from _concat(document)
    if document.W_O is not None:
        yield from _output(document)


def _mix(document: Document, plan: Plan) -> Iterator[Candidate]:
    def mixed(name: str, flow: Flow) -> Array:
        weights = np.where(np.isfinite(flow[name]), flow[name], 0.0)
        return product(weights, flow["V"])

    before = [name for name in ("scores", "scaled", "biased", "masked") if name in plan]
    for name in before:
        yield Candidate("mix.scores", {"heads": partial(mixed, name)}, {"used": name})
    if document.n == document.m:
        yield Candidate(
            "mix.columns",
            {"heads": lambda flow: product(flow["weights"].swapaxes(-1, -2), flow["V"])},
        )
    yield Candidate("softmax.not_normalised", {"heads": partial(mixed, "exp")}, given=("weights",))
    if document.n == document.m:
        yield Candidate("mix.values_alone", {"heads": lambda flow: flow["V"]})
    if document.k == document.v:
        yield Candidate("mix.keys", {"heads": lambda flow: product(flow["weights"], flow["K"])})
    if document.m == document.v:
        turned = Candidate(
            "mix.value_transposed",
            {"heads": lambda flow: product(flow["weights"], flow["V"].swapaxes(-1, -2))},
        )
        yield turned


def _concat(document: Document) -> Iterator[Candidate]:
    def joined(kind: str, flow: Flow) -> Array:
        blocks = [
            block if head.enabled or kind == "off" else np.zeros_like(block)
            for head, block in zip(flow.document.heads, flow["heads"], strict=True)
        ]
        if kind == "order":
            blocks.reverse()
        if kind == "interleaved":
            return np.stack(blocks, axis=-1).reshape(len(blocks[0]), -1)
        return np.concatenate(blocks, axis=1)

    if not all(head.enabled for head in document.heads):
        yield Candidate("concat.off_counted", {"concat": partial(joined, "off")})
    if document.h > 1:
        yield Candidate("concat.order", {"concat": partial(joined, "order")})
        if document.v > 1:
            yield Candidate("concat.interleaved", {"concat": partial(joined, "interleaved")})


def _output(document: Document) -> Iterator[Candidate]:
    def unbiased(flow: Flow) -> Array:
        return Flow(flow.document.with_(b_O=None), flow.plan, flow.arrays).plain("Y")

    if document.b_O is not None:
        yield Candidate("bias.forgotten", {"Y": unbiased}, {"names": ("b_O",)})
    if document.c == document.o:
        assert document.W_O is not None
        turned = replace(document, W_O=frozen(document.W_O.T))
        yield Candidate("output.forgotten", {"Y": lambda flow: flow["concat"]})
        yield Candidate(
            "projection.transposed",
            {"Y": lambda flow: Flow(turned, flow.plan, flow.arrays).plain("Y")},
            {"name": "W_O"},
        )
