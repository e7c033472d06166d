"""Mistakes in stacks, planted by formulas of the test's own, are named and explain the wrong numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from core.base.arrays import Array
from core.check.alternative_run import Candidate
from core.check.marking import check
from core.check.report import CheckReport, Mistake
from core.check.stack_mistakes import stack_candidates
from core.compute.trace import Trace, run
from core.document.document import Document
from core.document.orientation import COLUMNS, ROWS
from gui.texts.mistakes import mistake_text
from gui.texts.translation import spoken
from tests.core.stacks import make_stack

Plant = Callable[[Document, Trace], dict[str, Array]]


def normal(
    d: Document, stage: str, x: Array, *, less: int = 0, eps: bool = True, axis: int = 1
) -> Array:
    """LayerNorm as the test computes it, with the mistakes that its arguments ask for."""
    norm = d.norm(stage)
    centred = x - x.mean(axis=axis, keepdims=True)
    square = np.square(centred).sum(axis=axis, keepdims=True) / (x.shape[axis] - less)
    rows = centred / np.sqrt(square + (norm.eps if eps else 0.0))
    return rows * norm.gamma + norm.beta


def read(t: Trace, stage: str, place: int = 0) -> Array:
    return t[t.plan[stage].reads[place]]


def of_norm(**mistake: Any) -> Plant:
    return lambda d, t: {"L1.mlp_norm": normal(d, "L1.mlp_norm", read(t, "L1.mlp_norm"), **mistake)}


def after(d: Document, t: Trace) -> dict[str, Array]:
    """The MLP without the norm before it, and the norm of the sum."""
    x, mlp = read(t, "L1.mlp_norm"), d.layers[0].mlp
    out = np.maximum(x @ mlp.W_1 + mlp.b_1, 0.0) @ mlp.W_2 + mlp.b_2
    return {"L1.mlp_residual": normal(d, "L1.mlp_norm", x + out)}


def before(d: Document, t: Trace) -> dict[str, Array]:
    """With post-norm: the norm before the MLP, and none after the sum."""
    x, mlp = t["L1.attention_norm"], d.layers[0].mlp
    inner = normal(d, "L1.mlp_norm", x) @ mlp.W_1 + mlp.b_1
    return {"L1.mlp_norm": x + np.maximum(inner, 0.0) @ mlp.W_2 + mlp.b_2}


def late(d: Document, t: Trace) -> dict[str, Array]:
    mlp = d.layers[0].mlp
    return {"L1.mlp_out": np.maximum(t["L1.mlp_hidden"] @ mlp.W_2 + mlp.b_2, 0.0)}


def over_tokens(d: Document, t: Trace) -> dict[str, Array]:
    powers = np.exp(t["logits"] / d.sampling.temperature)
    return {"probabilities": powers / powers.sum(axis=0)}


def at_one(d: Document, t: Trace) -> dict[str, Array]:
    powers = np.exp(t["logits"])
    return {"probabilities": powers / powers.sum(axis=1, keepdims=True)}


def unscaled_scores(d: Document, t: Trace) -> dict[str, Array]:
    return {"L2.scaled": t["L2.scores"]}


def by_dk(d: Document, t: Trace) -> dict[str, Array]:
    return {"L2.scaled": t["L2.scores"] / d.scope("L2.Q").k}


PLANTS: list[tuple[str, Plant, dict[str, Any]]] = [
    ("norm.by_n_minus_1", of_norm(less=1), {}),
    ("norm.no_eps", of_norm(eps=False), {"eps": 0.3}),
    ("norm.over_tokens", of_norm(axis=0), {}),
    (
        "norm.unscaled",
        lambda d, t: {
            "L2.attention_norm": (t["L2.attention_norm"] - d.norm("L2.attention_norm").beta)
            / d.norm("L2.attention_norm").gamma
        },
        {},
    ),
    ("norm.forgotten", lambda d, t: {"final_norm": read(t, "final_norm")}, {}),
    ("norm.after", after, {}),
    ("norm.before", before, {"place": "post"}),
    ("residual.forgotten", lambda d, t: {"L2.attention_residual": t["L2.Y"]}, {}),
    ("residual.forgotten", lambda d, t: {"L1.mlp_residual": t["L1.mlp_out"]}, {}),
    (
        "bias.forgotten",
        lambda d, t: {"L1.mlp_hidden": t["L1.mlp_hidden"] - d.layers[0].mlp.b_1},
        {},
    ),
    ("bias.forgotten", lambda d, t: {"logits": t["logits"] - d.output.b_U}, {}),
    ("bias.forgotten", lambda d, t: {"L2.Y": t["L2.Y"] - d.layers[1].b_O}, {}),
    ("activation.late", late, {}),
    ("activation.forgotten", lambda d, t: {"L1.mlp_active": t["L1.mlp_hidden"]}, {}),
    (
        "activation.forgotten",
        lambda d, t: {"L1.mlp_active": t["L1.mlp_hidden"] * t["L1.mlp_gate"]},
        {"gate": True, "activation": "silu"},
    ),
    ("words.over_tokens", over_tokens, {}),
    ("words.no_temperature", at_one, {"temperature": 8.0}),
    ("scale.forgotten", unscaled_scores, {"borrowed": True}),
    ("scale.by_dk", by_dk, {"borrowed": True}),
]


@pytest.mark.parametrize("number", range(len(PLANTS)))
@pytest.mark.parametrize("seed", [1, 2])
def test_a_planted_mistake_is_named(number: int, seed: int) -> None:
    name, plant, options = PLANTS[number]
    document = make_stack(seed, **options)
    stated = {stage: np.round(array, 3) for stage, array in plant(document, run(document)).items()}
    report = check(document, stated)
    (stage,) = stated
    named = {mistake.id for mistake in report.mistakes_at(stage, wrong_place(report, stage))}
    assert name in named


def wrong_place(report: CheckReport, stage: str) -> tuple[int, ...]:
    return next(
        mark.index for mark in report.marks if mark.stage == stage and mark.verdict == "wrong"
    )


def test_every_mistake_has_its_sentence_in_both_languages() -> None:
    documents = [
        make_stack(1, temperature=0.5, positional="sinusoidal"),
        make_stack(2, place="post", gate=True, activation="silu", off=(0,)),
    ]
    seen = set()
    for document in documents:
        for candidate in stack_candidates(document, run(document).plan):
            seen.add(candidate.id)
            texts = set()
            for language in ("en", "zh_CN"):
                with spoken(language):
                    for orientation in (ROWS, COLUMNS):
                        text = mistake_text(as_mistake(candidate), orientation)
                        assert "{" not in text
                    texts.add(text)
            assert len(texts) == 2, candidate.id
    assert {name for name, _, _ in PLANTS} <= seen


def as_mistake(candidate: Candidate) -> Mistake:
    return Mistake(candidate.id, "L1.Y", (), candidate.data)
