"""Every slip, planted in random experiments by formulas of the test's own, is named and covers what it spoilt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from core.base.arrays import Array, frozen
from core.check.marking import check
from core.compute.trace import Trace, run
from core.document.document import Document, Head
from core.stages import softmax_source
from tests.core.check_kit import (
    experiment,
    found,
    not_right,
    softmax,
    tensor,
    with_verdict,
    written,
)

DECIMALS = 3
Work = dict[str, Array]


def transposed(array: Array) -> Array:
    return np.asarray(array.swapaxes(-1, -2))


def before(trace: Trace) -> Array:
    """What the softmax reads."""
    return trace[softmax_source(trace.plan)]


def scaled_by(
    factor: Callable[[Document], float], *stages: str
) -> Callable[[Document, Trace], Work]:
    def plant(d: Document, t: Trace) -> Work:
        scaled = t["scores"] * factor(d)
        weights = softmax(scaled)
        every = {"scaled": scaled, "weights": weights, "heads": weights @ t["V"]}
        return {stage: every[stage] for stage in stages}

    return plant


def allow(d: Document) -> Array:
    return np.tril(np.ones((d.n, d.n)))


def exponentials(scores: Array, base: float = np.e) -> Array:
    return np.asarray(np.power(base, scores - scores.max(axis=-1, keepdims=True)))


def positions(d: Document, first: int = 0, swap: bool = False) -> Array:
    table = np.empty((d.n, d.d))
    for row in range(d.n):
        for column in range(d.d):
            angle = (row + first) * d.positional.base ** (-2 * (column // 2) / d.d)
            table[row, column] = np.sin(angle) if (column % 2 == 0) != swap else np.cos(angle)
    return table


def turned(d: Document, array: Array, sign: float, first: int = 0) -> Array:
    """Rotary encoding with complex numbers; an odd last column stays."""
    result = array.copy()
    width = array.shape[-1]
    for pair in range(width // 2):
        angle = (
            sign * (np.arange(array.shape[-2]) + first) * d.positional.base ** (-2 * pair / width)
        )
        number = (array[..., 2 * pair] + 1j * array[..., 2 * pair + 1]) * np.exp(1j * angle)
        result[..., 2 * pair], result[..., 2 * pair + 1] = number.real, number.imag
    return result


def sin_for_cos(d: Document) -> Array:
    return positions(d, swap=True)


def undivided(d: Document, t: Trace) -> Array:
    """The softmax of all scores, the masked ones cut out of it."""
    return np.asarray(softmax(t["scaled"]) * allow(d))


def turned_mask(d: Document, t: Trace) -> Array:
    return softmax(np.where(allow(d).T > 0, t["scaled"], -np.inf))


def unbiased(d: Document, t: Trace, name: str) -> Array:
    return np.asarray(t["X"] @ W(d, f"W_{name}"))


def unbiased_scores(d: Document, t: Trace) -> Array:
    return np.asarray(unbiased(d, t, "Q") @ transposed(unbiased(d, t, "K")))


def W(d: Document, name: str) -> Array:
    return np.stack([getattr(head, name) for head in d.heads])


Plant = Callable[[Document, Trace], Work]
# The id, what is special about the experiment, what the learner hands in; the last stage is the one spoilt.
SLIPS: list[tuple[str, dict[str, Any], Plant]] = [
    ("scale.forgotten", {}, scaled_by(lambda d: 1.0, "scaled")),
    ("scale.forgotten", {}, scaled_by(lambda d: 1.0, "weights")),
    ("scale.forgotten", {}, scaled_by(lambda d: 1.0, "heads")),
    ("scale.forgotten", {}, lambda d, t: {"scaled": t["scaled"], "weights": softmax(t["scores"])}),
    ("scale.by_dk", {}, scaled_by(lambda d: 1 / d.k, "weights")),
    ("scale.by_sqrt_model", {}, scaled_by(lambda d: d.d**-0.5, "weights")),
    ("scale.by_sqrt_model", {}, scaled_by(lambda d: d.d**-0.5, "scaled")),
    ("scale.by_sqrt_dv", {}, scaled_by(lambda d: d.v**-0.5, "weights")),
    ("scale.multiplied", {}, scaled_by(lambda d: d.k**0.5, "scaled")),
    ("scale.multiplied", {}, scaled_by(lambda d: d.k**0.5, "weights")),
    (
        "scale.uncalled",
        {"scale": "none"},
        lambda d, t: {"weights": softmax(t["scores"] / d.k**0.5)},
    ),
    ("softmax.columns", {}, lambda d, t: {"weights": softmax(before(t), axis=-2)}),
    ("softmax.everything", {}, lambda d, t: {"weights": softmax(before(t), axis=(-2, -1))}),
    (
        "softmax.columns",
        {},
        lambda d, t: {"exp": t["exp"], "weights": t["exp"] / t["exp"].sum(axis=-2, keepdims=True)},
    ),
    ("softmax.before_scaling", {}, lambda d, t: {"weights": softmax(t["scores"]) / d.k**0.5}),
    ("softmax.not_normalised", {}, lambda d, t: {"weights": exponentials(before(t))}),
    ("softmax.not_normalised", {}, lambda d, t: {"weights": np.exp(before(t))}),
    ("softmax.base", {}, lambda d, t: {"weights": softmax(before(t), base=2.0)}),
    ("softmax.base", {}, lambda d, t: {"weights": softmax(before(t), base=10.0)}),
    ("softmax.base", {}, lambda d, t: {"exp": exponentials(before(t), 2.0)}),
    ("softmax.base", {}, lambda d, t: {"exp": np.power(10.0, before(t))}),
    ("softmax.negated", {}, lambda d, t: {"weights": softmax(-before(t))}),
    (
        "softmax.no_exp",
        {},
        lambda d, t: {"weights": before(t) / before(t).sum(axis=-1, keepdims=True)},
    ),
    (
        "softmax.largest_only",
        {},
        lambda d, t: {"weights": (before(t) == before(t).max(-1, keepdims=True)) * 1.0},
    ),
    ("scores.swapped", {}, lambda d, t: {"scores": t["K"] @ transposed(t["Q"])}),
    (
        "scores.swapped",
        {},
        lambda d, t: {"weights": softmax(t["K"] @ transposed(t["Q"]) / d.k**0.5)},
    ),
    ("scores.other_factor", {}, lambda d, t: {"scores": t["Q"] @ transposed(t["Q"])}),
    ("mask.forgotten", {"mask": "causal"}, lambda d, t: {"weights": softmax(t["scaled"])}),
    ("mask.zero", {"mask": "causal"}, lambda d, t: {"masked": t["scaled"] * allow(d)}),
    ("mask.zero", {"mask": "causal"}, lambda d, t: {"weights": softmax(t["scaled"] * allow(d))}),
    (
        "mask.zero",
        {"mask": "causal"},
        lambda d, t: {"heads": softmax(t["scaled"] * allow(d)) @ t["V"]},
    ),
    ("mask.after_softmax", {"mask": "causal"}, lambda d, t: {"weights": undivided(d, t)}),
    (
        "mask.not_renormalised",
        {"mask": "causal"},
        lambda d, t: {"masked": t["masked"], "weights": undivided(d, t)},
    ),
    ("mask.transposed", {"mask": "causal"}, lambda d, t: {"weights": turned_mask(d, t)}),
    ("mix.scores", {}, lambda d, t: {"heads": t["scaled"] @ t["V"]}),
    ("mix.scores", {}, lambda d, t: {"heads": t["scores"] @ t["V"]}),
    ("mix.columns", {}, lambda d, t: {"heads": transposed(t["weights"]) @ t["V"]}),
    ("mix.values_alone", {}, lambda d, t: {"heads": t["V"]}),
    ("bias.forgotten", {"biases": True}, lambda d, t: {"Q": unbiased(d, t, "Q")}),
    ("bias.forgotten", {"biases": True}, lambda d, t: {"scores": unbiased_scores(d, t)}),
    (
        "bias.forgotten",
        {"biases": True, "output": True},
        lambda d, t: {"Y": t["concat"] @ tensor(d, "W_O")},
    ),
    ("projection.other", {}, lambda d, t: {"K": t["X"] @ W(d, "W_Q")}),
    ("position.forgotten", {"positional": "learned"}, lambda d, t: {"V": t["X"] @ W(d, "W_V")}),
    ("position.forgotten", {"positional": "sinusoidal"}, lambda d, t: {"input": t["X"]}),
    (
        "position.forgotten",
        {"positional": "rotary"},
        lambda d, t: {"scores": t["Q"] @ transposed(t["K"])},
    ),
    ("position.forgotten", {"positional": "alibi"}, lambda d, t: {"weights": softmax(t["scaled"])}),
    ("position.from_one", {"positional": "sinusoidal"}, lambda d, t: {"P": positions(d, first=1)}),
    ("position.sin_cos_swapped", {"positional": "sinusoidal"}, lambda d, t: {"P": sin_for_cos(d)}),
    (
        "position.sin_cos_swapped",
        {"positional": "sinusoidal"},
        lambda d, t: {"input": t["X"] + sin_for_cos(d)},
    ),
    (
        "position.from_one",
        {"positional": "rotary"},
        lambda d, t: {"Q_rot": turned(d, t["Q"], 1, first=1)},
    ),
    ("rotary.backwards", {"positional": "rotary"}, lambda d, t: {"K_rot": turned(d, t["K"], -1)}),
    ("alibi.sign", {"positional": "alibi"}, lambda d, t: {"biased": 2 * t["scaled"] - t["biased"]}),
    ("entry.transposed", {}, lambda d, t: {"weights": transposed(t["weights"])}),
]


@pytest.mark.parametrize(
    "number", range(len(SLIPS)), ids=[f"{i}-{slip[0]}" for i, slip in enumerate(SLIPS)]
)
@pytest.mark.parametrize(("seed", "h", "k"), [(1, 1, 2), (2, 2, 3), (3, 3, 2), (4, 3, 3)])
def test_a_planted_slip_is_named(number: int, seed: int, h: int, k: int) -> None:
    name, parts, plant = SLIPS[number]
    document = experiment(seed, h, k, **parts)
    work = plant(document, run(document))
    stage = list(work)[-1]
    report = check(document, {stage: written(array, DECIMALS) for stage, array in work.items()})
    wrong = not_right(report, stage)
    cells = found(report, stage)
    assert wrong, "the slip has changed something"
    assert name in cells
    assert cells[name] == wrong


@pytest.mark.parametrize("seed", range(3))
def test_square_sizes_have_slips_of_their_own(seed: int) -> None:
    rng = np.random.default_rng(seed)
    Q, K, V = (rng.normal(size=(4, 4)).round(2) for _ in range(3))
    head = Head(Q=frozen(Q), K=frozen(K), V=frozen(V))
    document = Document(tokens=("a", "b", "c", "d"), heads=(head,), source="qkv")
    weights = run(document)["weights"][0]
    for name, stage, array in (
        ("scores.key_not_transposed", "scores", Q @ K),
        ("mix.value_transposed", "heads", weights @ V.T),
        ("mix.keys", "heads", weights @ K),
    ):
        report = check(document, {stage: written(array, 2)})
        assert found(report, stage)[name] == not_right(report, stage)


@pytest.mark.parametrize("seed", range(3))
def test_sqrt_of_the_model_size_per_head(seed: int) -> None:
    document = experiment(seed, 2, 2)
    weights = softmax(run(document)["scores"] / (document.d / document.h) ** 0.5)
    report = check(document, {"weights": written(weights, 3)})
    assert "scale.by_sqrt_model_per_head" in found(report, "weights")


@pytest.mark.parametrize("seed", range(4))
def test_heads_joined_wrongly(seed: int) -> None:
    document = experiment(seed, 3, 2, output=True, off=(1,))
    heads = run(document)["heads"]
    for name, blocks in (
        ("concat.off_counted", list(heads)),
        ("concat.order", [heads[2], 0 * heads[1], heads[0]]),
    ):
        joined = np.concatenate(blocks, axis=1)
        report = check(document, {"concat": written(joined, 3)})
        assert found(report, "concat")[name] == not_right(report, "concat")
        report = check(document, {"Y": written(joined @ tensor(document, "W_O"), 3)})
        assert found(report, "Y")[name] == not_right(report, "Y")


PAIRS: list[tuple[tuple[str, str], dict[str, Any], Plant]] = [
    (
        ("scale.forgotten", "softmax.columns"),
        {},
        lambda d, t: {"weights": softmax(t["scores"], axis=-2)},
    ),
    (
        ("scale.by_dk", "softmax.everything"),
        {},
        lambda d, t: {"weights": softmax(t["scores"] / d.k, axis=(-2, -1))},
    ),
    (
        ("scale.forgotten", "mix.columns"),
        {},
        lambda d, t: {"heads": transposed(softmax(t["scores"])) @ t["V"]},
    ),
    (
        ("scores.swapped", "softmax.base"),
        {},
        lambda d, t: {"weights": softmax(transposed(t["scaled"]), base=2.0)},
    ),
    (
        ("scale.forgotten", "mask.zero"),
        {"mask": "causal"},
        lambda d, t: {"weights": softmax(t["scores"] * allow(d))},
    ),
]


@pytest.mark.parametrize("number", range(len(PAIRS)))
@pytest.mark.parametrize(("seed", "h", "k"), [(1, 1, 3), (3, 3, 3)])
def test_two_slips_in_one_stage_are_both_named(number: int, seed: int, h: int, k: int) -> None:
    names, parts, plant = PAIRS[number]
    document = experiment(seed, h, k, **parts)
    work = plant(document, run(document))
    stage = list(work)[-1]
    report = check(document, {stage: written(array, DECIMALS) for stage, array in work.items()})
    cells = found(report, stage)
    assert set(names) <= set(cells), cells.keys()
    for name in names:
        assert cells[name] == not_right(report, stage)


@pytest.mark.parametrize("seed", range(4))
def test_two_slips_in_two_stages_are_each_named_in_their_own(seed: int) -> None:
    document = experiment(seed, 2, 3)
    trace = run(document)
    scores = (trace["K"] @ transposed(trace["Q"])).round(3)
    weights = softmax(scores).round(3)
    heads = transposed(weights) @ trace["V"]
    work = {"scores": scores, "weights": weights, "heads": heads}
    report = check(document, {stage: written(array, 3) for stage, array in work.items()})
    for stage, name in (
        ("scores", "scores.swapped"),
        ("weights", "scale.forgotten"),
        ("heads", "mix.columns"),
    ):
        assert found(report, stage)[name] == with_verdict(
            report, stage, "wrong"
        )  # what is 0.000 both ways follows
        assert report.count("wrong", stage) > 20


@pytest.mark.parametrize("seed", range(3))
def test_a_slip_in_one_head_alone(seed: int) -> None:
    document = experiment(seed, 3, 2)
    trace = run(document)
    weights = trace["weights"].copy()
    weights[1] = softmax(trace["scores"][1])
    report = check(document, {"weights": written(weights, 3)})
    wrong = not_right(report, "weights")
    assert {index[0] for index in wrong} == {1}
    assert found(report, "weights")["scale.forgotten"] == wrong
