"""What the quiz's cards on positions, heads, cost, training and reading claim, worked out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from core.arithmetic.attention import attend
from core.arithmetic.positional_encoding import alibi_bias, rotate, sinusoidal
from core.base.arrays import frozen
from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Mask
from core.document.edits import with_cell, with_head_enabled, with_mask, with_positional
from core.document.resize import with_token_added, with_tokens_ordered
from core.labs.complexity import LAB as COMPLEXITY
from core.labs.complexity import count, formula
from core.labs.decode import LAB as DECODE
from core.labs.heads import counts, merged
from core.labs.sampling import sampling_steps
from core.labs.sequence import rnn_paths
from core.labs.sharpness import jacobian_norm
from core.labs.tiles import run_blocks
from core.quiz.deck import deck
from tests.core.documents import make
from tests.core.quiz_kit import RNG, checks_in, experiment, result, softmax, weights_of
from tests.core.test_lab_quiz_claims import CHECKS as OTHER_CHECKS

# Cards that tell what something is for, or what people do: nothing in them can be computed.
TOLD = {"stored", "patterns"}


# Positions


def check_shuffle() -> None:
    document, order = make(3), (3, 0, 4, 2, 1)
    before, after = run(document)["Y"], run(with_tokens_ordered(document, order))["Y"]
    assert np.array_equal(after, before[list(order)])


def check_causal_order() -> None:
    shown = result("causal-order")
    assert (shown.before.positional.kind, shown.before.mask.kind) == ("none", "causal")
    before, after = run(shown.before)["Y"], run(with_tokens_ordered(shown.before, shown.order))["Y"]
    assert np.abs(after - before[list(shown.order)]).max() > 0.1
    assert np.array_equal(shown.permuted_Y, after)


def check_too_long() -> None:
    document = experiment("too-long")
    assert run(document)["P"].shape == (4, 2)
    longer = with_token_added(document, 4, "e")
    assert run(longer)["P"].shape == (5, 2)
    assert not run(longer)["P"][4].any()
    assert sinusoidal(600, 2)[599].any()


def check_where_added() -> None:
    trace = run(experiment("where-added"))
    assert np.array_equal(trace["input"], trace["X"] + trace["P"])


def check_position_zero() -> None:
    assert np.array_equal(run(experiment("position-zero"))["P"][0], [0.0, 1.0, 0.0, 1.0])


def check_rotary() -> None:
    document = experiment("rotary")
    trace = run(document)
    assert np.allclose(np.linalg.norm(trace["Q_rot"], axis=-1), np.linalg.norm(trace["Q"], axis=-1))
    bare = run(with_positional(document, replace(document.positional, kind="none")))
    assert np.array_equal(trace["V"], bare["V"])
    q, k = (rotate(np.tile(RNG.normal(size=4), (9, 1))) for _ in "qk")
    assert math.isclose(q[1] @ k[4], q[5] @ k[8], abs_tol=1e-12)


def check_alibi() -> None:
    trace = run(experiment("alibi"))
    n = trace["biased"].shape[1]
    slope = -(trace["biased"] - trace["scaled"])[0, 0, 1]
    for i in range(n):
        for j in range(n):
            added = trace["biased"][0, i, j] - trace["scaled"][0, i, j]
            assert math.isclose(added, -slope * abs(i - j), abs_tol=1e-12)
    assert np.unique(alibi_bias(3, frozen([0.5, 0.25]))[:, 0, 1]).size == 2


def check_relative() -> None:
    P, shift, pair = sinusoidal(40, 6), 7, 2
    angle = shift * 10000.0 ** (-2 * (pair // 2) / 6)
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    for place in (0, 5, 31):
        assert np.allclose(turn @ P[place, pair : pair + 2], P[place + shift, pair : pair + 2])


# Heads and output


def check_more_heads() -> None:
    totals = []
    for h in (2, 3, 4):
        sizes = {"n": 3, "d": 12, "h": h, "k": 12 // h, "v": 12 // h}
        totals.append(sum(found.numbers for found in counts(make(1, sizes=sizes, output=True))))
    assert totals == [4 * 144] * 3


def check_output_matrix() -> None:
    document = make(2, output=True)
    assert document.W_O is not None
    changed = with_cell(
        document, Cell("W_O", document.v, 1), 5.0
    )  # the first row of the second head's block
    before, after = run(document)["Y"], run(changed)["Y"]
    assert np.abs(after - before)[:, 1].max() > 0
    assert np.array_equal(np.delete(after, 1, axis=1), np.delete(before, 1, axis=1))


def check_block_sum() -> None:
    document = make(2, output=True)
    trace = run(document)
    assert document.W_O is not None
    blocks = document.W_O.reshape(document.h, document.v, document.d)
    total = sum(trace["heads"][head] @ blocks[head] for head in range(document.h))
    assert np.allclose(total, trace["Y"])


def check_head_off() -> None:
    document = make(2, output=True)
    before, after = run(document), run(with_head_enabled(document, 1, False))
    assert np.array_equal(before["weights"], after["weights"])
    assert document.W_O is not None
    lost = before["heads"][1] @ document.W_O[document.v : 2 * document.v]
    assert np.allclose(before["Y"] - after["Y"], lost)


def check_one_wide() -> None:
    document = make(2, output=True)
    wide = merged(document)
    assert sum(one.numbers for one in counts(wide)) == sum(one.numbers for one in counts(document))
    assert (weights_of(document).shape[0], weights_of(wide).shape[0]) == (3, 1)
    assert np.abs(run(wide)["Y"] - run(document)["Y"]).max() > 0.1
    assert np.allclose(run(wide)["scores"][0], run(document)["scores"].sum(axis=0))


def check_hull() -> None:
    trace = run(make(4))
    for direction in RNG.normal(size=(200, 4)):
        assert (trace["heads"][0] @ direction).max() <= (trace["V"][0] @ direction).max() + 1e-12


def check_grouped() -> None:
    Q, K, V = RNG.normal(size=(8, 5, 3)), RNG.normal(size=(2, 5, 3)), RNG.normal(size=(2, 5, 4))
    shared = attend(Q, K, V)
    own = attend(Q, np.repeat(K, 4, axis=0), np.repeat(V, 4, axis=0))
    assert np.array_equal(shared.output, own.output)
    assert 4 * (K.size + V.size) == np.repeat(K, 4, axis=0).size + np.repeat(V, 4, axis=0).size
    costs, own = result("grouped"), COMPLEXITY.compute(COMPLEXITY.start(values={"n": 1024}))
    assert costs.sizes["h"] == 8
    assert 4 * costs.cache == own.cache == 2 * 1024 * 64 * 8  # K and V, 64 doubles a token each
    assert {(a.stage, b.size // a.size) for a, b in zip(costs.costs, own.costs, strict=True)} >= {
        ("Q", 1),
        ("K", 4),
        ("V", 4),
        ("scores", 1),
    }


def check_mean_heatmap() -> None:
    mean = result("mean-heatmap").mean
    document = mean.document.with_(pins=())
    trace = run(document)
    assert np.allclose(mean.A.sum(axis=1), 1.0)
    assert document.W_O is not None
    blocks = document.W_O.reshape(document.h, document.v, document.o)
    slowly = sum(mean.A @ trace["V"][head] @ blocks[head] for head in range(document.h))
    assert np.allclose(mean.Y, slowly)
    assert math.isclose(mean.largest, np.abs(slowly - trace["Y"]).max())
    assert mean.largest > 0.3


# Cost, training, reading


def check_n2_parameters() -> None:
    totals = {
        sum(
            one.numbers
            for one in counts(make(1, sizes={"n": n, "d": 6, "h": 3, "k": 2, "v": 4}, output=True))
        )
        for n in (4, 8)
    }
    assert len(totals) == 1


def check_n2_time() -> None:
    once, twice = (
        make(1, sizes={"n": n, "d": 6, "h": 3, "k": 2, "v": 4}, output=True) for n in (5, 10)
    )
    for stage, times in (("Q", 2), ("V", 2), ("Y", 2), ("scores", 4), ("heads", 4)):
        letters, _ = formula(once, stage)
        assert count(letters, twice.sizes) == times * count(letters, once.sizes)


def check_cache() -> None:
    document = with_mask(make(3), Mask("causal"))
    trace = run(document)
    for head in range(3):
        q = trace["Q"][head, 4:5]
        row = softmax((q @ trace["K"][head].T / math.sqrt(2))[0])
        assert np.allclose(row @ trace["V"][head], trace["heads"][head, 4])


def check_parallel() -> None:
    setting = DECODE.start()
    assert setting.document is not None
    for step in range(setting.document.n):
        assert DECODE.compute(DECODE.with_value(setting, "step", step)).difference < 1e-12


def check_blocks() -> None:
    assert result("blocks").difference < 1e-12
    for seed in range(20):
        scores, V = np.random.default_rng(seed).normal(size=(2, 4, 11))
        whole = softmax(scores * 9.0) @ V.T
        for block in (1, 3, 8):
            found = run_blocks(scores * 9.0, V.T, block).means[-1]
            assert np.allclose(found, whole, rtol=0, atol=1e-12)


def check_lost_first() -> None:
    shown = result("lost-first")
    assert shown.rest[8] > 0.75
    before, after = (shown.weights(kept)[8] for kept in ("all", "window"))
    held = after > 0.0
    assert not held[0]
    assert np.allclose(after[held], before[held] / before[held].sum())
    assert (after[held] > 4 * before[held]).all()
    assert shown.errors["window"][8] > 10 * shown.errors["first"][8]


def check_hot_cut() -> None:
    assert result("hot-cut").left["t-k-p"] == 6
    for _ in range(50):
        logits = RNG.normal(size=9) * 2
        counts = [
            sampling_steps(logits, "t-k-p", temperature, 9, 0.85)[-1].kept.sum()
            for temperature in (0.3, 0.7, 1.0, 1.9, 4.0)
        ]
        assert counts == sorted(counts)


def check_saturated() -> None:
    assert jacobian_norm(np.array([[1e-6, 1 - 2e-6, 1e-6]]))[0] < 1e-5
    assert jacobian_norm(np.full((1, 3), 1 / 3))[0] > 0.3


def check_path() -> None:
    assert rnn_paths(9)[8, 0] == 9
    assert (weights_of(make(1)) > 0).all()


def check_explains() -> None:
    A, V = np.array([0.9, 0.1]), np.array([[0.01, 0.0], [0.0, 3.0]])
    parts = np.linalg.norm(A[:, None] * V, axis=1)
    assert parts[0] < 0.05 * parts[1]


def check_same_output() -> None:
    V = RNG.normal(size=(5, 2))
    null = np.linalg.svd(np.column_stack([V, np.ones(5)]).T)[2][-1]
    one = np.full(5, 0.2)
    other = one + null * 0.9 * min(0.2 / abs(step) for step in null)
    assert (other >= 0).all()
    assert math.isclose(other.sum(), 1.0)
    assert np.allclose(one @ V, other @ V)
    assert np.abs(one - other).max() > 0.1


CHECKS = checks_in(globals())


@pytest.mark.parametrize("card_id", CHECKS)
def test_what_a_card_claims(card_id: str) -> None:
    CHECKS[card_id]()


def test_every_card_is_checked_or_told() -> None:
    plain = {card.id for card in deck().cards if not card.numbers}
    assert set(CHECKS) | set(OTHER_CHECKS) | TOLD == plain
    assert not (set(CHECKS) | set(OTHER_CHECKS)) & TOLD


def test_labs_that_prove_a_card_are_set_for_it() -> None:
    assert result("saturated").gradient < 0.01
    assert result("head-off").split.on == (True, False, True)
    assert result("shuffle").largest == 0.0
    assert result("same-output").twin.moved > 0.5
    assert result("explains").contributions.differs
