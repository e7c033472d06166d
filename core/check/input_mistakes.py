"""Slips before the scores: positions, projections, biases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from core.arithmetic.positional_encoding import alibi_bias, rotate, sinusoidal
from core.arithmetic.stable_sum import product
from core.base.arrays import Array
from core.check.alternative_run import Candidate, Change, Flow
from core.document.document import Document
from core.stages import Plan
from core.stages.bias import slopes
from core.stages.inputs import ADD

PROJECTIONS = ("Q", "K", "V")


def before_scores(document: Document, plan: Plan) -> Iterator[Candidate]:
    """Every slip that can happen on the way to Q, K and V, their rotation and the ALiBi bias."""
    if document.positional.kind == "sinusoidal":
        yield from _sinusoidal(document, plan)
    if plan.of_kind(ADD):
        yield from _position_forgotten(plan)
    if document.positional.kind == "rotary":
        yield from _rotary(document)
    if document.positional.kind == "alibi":
        yield from _alibi(document)
    if document.source == "embeddings":
        yield from _biases(document)
        yield from _projections(document)
        yield from _other_sentence(document, plan)


def _sinusoidal(document: Document, plan: Plan) -> Iterator[Candidate]:
    """Done alike for both sentences, or for one of them."""
    stages = [name for name in ("P", "P_context") if name in plan]
    tables = {
        name: _wrong_positions(document, document.sizes[plan[name].axes[0]]) for name in stages
    }
    for slip in tables["P"]:
        every: dict[str, Change] = {name: partial(_constant, tables[name][slip]) for name in stages}
        yield Candidate(slip, every)
        if len(stages) > 1:
            for name in stages:
                yield Candidate(slip, {name: every[name]})


def _wrong_positions(document: Document, n: int) -> dict[str, Array]:
    """Tables of n positions that come out of slips."""
    d, base = document.d, document.positional.base
    later = sinusoidal(n + 1, d, base)[1:]
    column, position = np.arange(d), np.arange(n, dtype=np.float64)[:, None]
    angles = position * base ** (-2.0 * (column // 2) / d)
    swapped = np.where(column % 2 == 0, np.cos(angles), np.sin(angles))
    unshared = position * base ** (-1.0 * column / d)
    apart = np.where(column % 2 == 0, np.sin(unshared), np.cos(unshared))
    half = (d + 1) // 2
    halves = np.concatenate(
        [sinusoidal(n, d, base)[:, 0::2], sinusoidal(n, d, base)[:, 1::2]], axis=1
    )
    tables = {"from_one": later, "sin_cos_swapped": swapped, "unshared": apart}
    if half < d and d > 2:
        tables["halves"] = halves
    return {f"position.{name}": table for name, table in tables.items()}


def _constant(table: Array, flow: Flow) -> Array:
    return table


def _position_forgotten(plan: Plan) -> Iterator[Candidate]:
    pairs = {name: plan[name].reads[0] for name in ("input", "input_context") if name in plan}

    def bare(name: str, flow: Flow) -> Array:
        return flow[pairs[name]]

    def projected(name: str, flow: Flow) -> Array:
        source = plan[name].reads[0]
        arrays = {**flow.arrays, source: flow[pairs.get(source, source)]}
        return Flow(flow.document, flow.plan, arrays).plain(name)

    added: dict[str, Change] = {name: partial(bare, name) for name in pairs}
    yield Candidate("position.forgotten", added)
    if len(added) > 1:
        for name, change in added.items():
            yield Candidate("position.forgotten", {name: change})
    each: dict[str, Change] = {name: partial(projected, name) for name in PROJECTIONS}
    for name in PROJECTIONS:
        yield Candidate("position.forgotten", {name: each[name]}, given=tuple(pairs))


def _rotary(document: Document) -> Iterator[Candidate]:
    base = document.positional.base

    def turned(kind: str, flow: Flow, name: str) -> Array:
        array = flow[name]
        if kind == "forgotten":
            return array
        if kind == "from_one":
            one_more = np.concatenate([np.zeros_like(array[:, :1]), array], axis=1)
            return rotate(one_more, base)[:, 1:]
        sign = np.where(np.arange(array.shape[-1]) % 2 == 0, 1.0, -1.0)
        return (
            rotate(array * sign, base) * sign
        )  # mirrored, turned, mirrored back: turned the other way

    names = {
        "forgotten": "position.forgotten",
        "from_one": "position.from_one",
        "backwards": "rotary.backwards",
    }
    for kind, slip in names.items():
        query, key = (partial(turned, kind, name=name) for name in ("Q", "K"))
        yield Candidate(slip, {"Q_rot": query, "K_rot": key})
        yield Candidate(slip, {"Q_rot": query})
        yield Candidate(slip, {"K_rot": key})


def _alibi(document: Document) -> Iterator[Candidate]:
    def biased(sign: float, flow: Flow) -> Array:
        bias = alibi_bias(flow.document.n, slopes(flow.document), flow.document.m)
        return np.asarray(flow[flow.plan["biased"].reads[0]] + sign * bias)

    yield Candidate("position.forgotten", {"biased": partial(biased, 0.0)})
    yield Candidate("alibi.sign", {"biased": partial(biased, -1.0)})


def _biases(document: Document) -> Iterator[Candidate]:
    names = [
        name
        for name in PROJECTIONS
        if any(getattr(head, f"b_{name}") is not None for head in document.heads)
    ]

    def unbiased(name: str, flow: Flow) -> Array:
        nothing: dict[str, Any] = {f"b_{name}": None}
        heads = tuple(replace(head, **nothing) for head in flow.document.heads)
        return Flow(flow.document.with_(heads=heads), flow.plan, flow.arrays).plain(name)

    every: dict[str, Change] = {name: partial(unbiased, name) for name in names}
    if len(names) > 1:
        yield Candidate("bias.forgotten", every, {"names": tuple(f"b_{name}" for name in names)})
    for name in names:
        yield Candidate("bias.forgotten", {name: every[name]}, {"names": (f"b_{name}",)})


def _projections(document: Document) -> Iterator[Candidate]:
    for name in PROJECTIONS:
        if document.d == (document.v if name == "V" else document.k):
            yield Candidate(
                "projection.transposed",
                {name: partial(_projected, name, name, True)},
                {"name": f"W_{name}"},
            )
        for other in PROJECTIONS:
            if other != name and (document.k == document.v or "V" not in (name, other)):
                data = {"name": f"W_{name}", "used": f"W_{other}"}
                yield Candidate(
                    "projection.other", {name: partial(_projected, name, other, False)}, data
                )


def _other_sentence(document: Document, plan: Plan) -> Iterator[Candidate]:
    """The projection of the wrong sentence's vectors, where both are equally long."""
    if document.context is None or document.n != document.m:
        return
    own, other = (plan[name].reads[0] for name in "QK")

    def projected(name: str, flow: Flow) -> Array:
        arrays = {**flow.arrays, own: flow[other], other: flow[own]}
        return Flow(flow.document, flow.plan, arrays).plain(name)

    for name in PROJECTIONS:
        yield Candidate(
            "projection.other_sentence", {name: partial(projected, name)}, {"name": name}
        )


def _projected(name: str, weights: str, transposed: bool, flow: Flow) -> Array:
    """X·W with another matrix; the bias stays."""
    heads = []
    x = flow[flow.plan[name].reads[0]]
    for head in flow.document.heads:
        matrix, bias = getattr(head, f"W_{weights}"), getattr(head, f"b_{name}")
        result = product(x, matrix.T if transposed else matrix)
        heads.append(result if bias is None else result + bias)
    return np.stack(heads)
