"""What the cards of the quiz claim, worked out: a test for every card whose claim can be computed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from core.arrays import Array, frozen
from core.attention import attend
from core.cell import Cell
from core.document import Document, Mask
from core.edits import with_cell, with_head_enabled, with_mask, with_positional
from core.examples import load_example
from core.labs import catalogue
from core.labs.complexity import count, formula
from core.labs.decode import LAB as DECODE
from core.labs.heads import counts, merged
from core.labs.quiz import LAB
from core.labs.quiz_deck import deck
from core.labs.roles import table
from core.labs.sequence import rnn_paths
from core.labs.sharpness import jacobian_norm
from core.positions import alibi_bias, rotate, sinusoidal
from core.resize import with_tokens_ordered
from core.trace import Trace, run
from tests.core.documents import make

RNG = np.random.default_rng(17)
# Cards that tell what something is for, or what people do: nothing in them can be computed.
TOLD = {"stored", "patterns", "too-long", "mean-heatmap"}


def experiment(card_id: str) -> Document:
    document = LAB.document(LAB.start(values={"card": card_id}))
    assert document is not None
    return document


def softmax(scores: Array) -> Array:
    """Row by row, term by term."""
    rows = []
    for row in np.atleast_2d(scores):
        powers = [math.exp(score - max(row)) for score in row]
        rows.append([power / sum(powers) for power in powers])
    return np.array(rows).reshape(np.shape(scores))


def weights_of(document: Document) -> Array:
    return run(document)["weights"]


# Roles


def check_key_and_value() -> None:
    document = experiment("key-and-value")
    trace = run(document)
    assert (document.k, document.v) == (4, 2)
    head = document.heads[0]
    assert np.array_equal(trace["K"][0], trace["X"] @ head.W_K)
    assert np.array_equal(trace["V"][0], trace["X"] @ head.W_V)


def check_widths() -> None:
    Q, K, V = RNG.normal(size=(1, 5, 2)), RNG.normal(size=(1, 6, 2)), RNG.normal(size=(1, 6, 4))
    assert attend(Q, K, V).output.shape == (1, 5, 4)
    for wrong in ((Q, K[..., :1], V), (Q, K, V[:, :5])):
        with pytest.raises(ValueError, match="shape"):
            attend(*wrong)


def check_self_most() -> None:
    document = table()
    trace = run(document)
    row = trace["weights"][0, 1]
    assert row[1] < 0.1 * row.max()
    assert any(float(q @ k) < 0 for q, k in zip(RNG.normal(size=(9, 3)), RNG.normal(size=(9, 3)), strict=True))
    assert any(row.argmax() != place for place, row in enumerate(trace["weights"][0]))


def check_mutual() -> None:
    trace = run(experiment("mutual"))
    assert np.array_equal(trace["scores"][0], trace["scores"][0].T)
    assert np.abs(trace["weights"][0] - trace["weights"][0].T).max() > 0.1


def check_value_matrix() -> None:
    document = experiment("value-matrix")
    changed = with_cell(document, Cell("W_V", 1, 2), 9.0)
    before, after = run(document), run(changed)
    assert np.array_equal(before["weights"], after["weights"])
    assert not np.array_equal(before["Y"], after["Y"])


def check_cross() -> None:
    document = experiment("cross")
    assert document.context is not None
    assert weights_of(document).shape[1:] == (document.n, document.m)


def check_dictionary() -> None:
    scores = np.array([2.1, 0.5, 1.8, 3.2])
    assert (softmax(scores) > 0).all()
    assert softmax(scores * 60).max() > 1 - 1e-12


# Scores


def check_why_scaling() -> None:
    q, k = RNG.standard_normal((4000, 256)), RNG.standard_normal((4000, 256))
    products = (q * k).sum(axis=1)
    assert math.isclose(products.var(), 256, rel_tol=0.1)
    rows = products.reshape(-1, 8)
    raw, scaled = (jacobian_norm(softmax(each)).mean() for each in (rows, rows / 16))
    assert raw < 0.4 * scaled


def check_root() -> None:
    for d_k in (16, 400):
        products = (RNG.standard_normal((8000, d_k)) * RNG.standard_normal((8000, d_k))).sum(axis=1)
        assert math.isclose((products / math.sqrt(d_k)).std(), 1.0, rel_tol=0.05)
        assert math.isclose((products / d_k).std(), 1 / math.sqrt(d_k), rel_tol=0.05)


def check_temperature() -> None:
    for scores in RNG.normal(size=(50, 6)) * 3:
        cold, warm = softmax(scores), softmax(scores / 2)
        assert np.array_equal(np.argsort(cold), np.argsort(warm))
        assert warm.max() - warm.min() < cold.max() - cold.min()
        assert math.isclose(warm.sum(), 1.0)


def check_key_bias() -> None:
    document = experiment("key-bias")
    bare = replace(document, heads=tuple(replace(head, b_K=None) for head in document.heads))
    assert document.heads[0].b_K is not None
    assert np.abs(run(document)["scores"] - run(bare)["scores"]).max() > 1
    assert np.abs(weights_of(document) - weights_of(bare)).max() < 1e-15
    turned = (with_positional(each, replace(each.positional, kind="rotary")) for each in (document, bare))
    one, other = map(weights_of, turned)
    assert np.abs(one - other).max() > 0.01


def check_cosine() -> None:
    q, k = RNG.normal(size=(2, 5))
    cosine = q @ k / np.linalg.norm(q) / np.linalg.norm(k)
    assert math.isclose(q @ k, np.linalg.norm(q) * np.linalg.norm(k) * cosine)
    longer = attend(q[None, None], np.stack([k, 2 * k])[None], np.eye(2)[None])
    assert math.isclose(longer.scores[0, 0, 1], 2 * longer.scores[0, 0, 0])


def check_negative() -> None:
    scores = np.array([-1.0, -3.0, -2.0, -0.5])
    weights = softmax(scores)
    assert (weights > 0).all()
    assert np.array_equal(np.argsort(weights), np.argsort(scores))
    assert math.isclose(weights.sum(), 1.0)


# Softmax and masks


def check_rows_and_columns() -> None:
    A = weights_of(experiment("rows-and-columns"))[0]
    assert np.allclose(A.sum(axis=1), 1.0)
    assert A[0, 0] == 1.0
    assert A[:, 0].sum() > 1.0
    assert A[:, -1].sum() < 1.0


def check_mask_when() -> None:
    document = experiment("mask-when")
    A, free = weights_of(document)[0], weights_of(with_mask(document, Mask()))[0]
    late = np.tril(free)
    assert (late.sum(axis=1)[:-1] < 1.0).all()
    assert np.allclose(A.sum(axis=1), 1.0)
    assert np.abs(A - late).max() > 0.1


def check_masked_zero() -> None:
    A = weights_of(experiment("masked-zero"))[0]
    assert (A[np.triu_indices(4, 1)] == 0.0).all()
    assert math.exp(-1e9) == 0.0


def check_all_masked() -> None:
    trace = run(experiment("all-masked"))
    assert np.isneginf(trace["masked"][0, 1]).all()
    assert not trace["weights"][0, 1].any()
    assert not trace["Y"][1].any()
    assert sum(math.exp(score) for score in trace["masked"][0, 1]) == 0.0
    assert np.allclose(softmax(np.full(3, -1e9)), 1 / 3)


def check_shift() -> None:
    scores = RNG.normal(size=7)
    assert np.abs(softmax(scores + 100.0) - softmax(scores)).max() < 1e-13


def check_hard() -> None:
    assert np.array_equal(softmax(np.array([1.0, 3.0, 3.0, -2.0]) * 1e6), [0.0, 0.5, 0.5, 0.0])
    assert jacobian_norm(softmax(np.array([[1.0, 3.0, 2.0]]) * 100))[0] < 1e-30


def check_zero_weight() -> None:
    A = weights_of(experiment("zero-weight"))[0]
    assert np.array_equal(A, [[1.0, 0.0], [1.0, 0.0]])
    assert math.exp(-745.0) > 0.0
    assert math.exp(-746.0) == 0.0
    assert (softmax(np.array([0.0, -3.0, 1.0])) > 0).all()


def check_first_row() -> None:
    trace = run(experiment("first-row"))
    assert np.array_equal(trace["heads"][0, 0], trace["V"][0, 0])


# Positions


def check_shuffle() -> None:
    document, order = make(3), (3, 0, 4, 2, 1)
    before, after = run(document)["Y"], run(with_tokens_ordered(document, order))["Y"]
    assert np.array_equal(after, before[list(order)])


def check_causal_order() -> None:
    document, order = experiment("causal-order"), (1, 0, 2, 3)
    before, after = run(document)["Y"], run(with_tokens_ordered(document, order))["Y"]
    assert document.positional.kind == "none"
    assert np.abs(after - before[list(order)]).max() > 0.1


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
    changed = with_cell(document, Cell("W_O", document.v, 1), 5.0)  # the first row of the second head's block
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


# Cost, training, reading


def check_n2_parameters() -> None:
    totals = {sum(one.numbers for one in counts(make(1, sizes={"n": n, "d": 6, "h": 3, "k": 2, "v": 4}, output=True)))
              for n in (4, 8)}  # fmt: skip
    assert len(totals) == 1


def check_n2_time() -> None:
    once, twice = (make(1, sizes={"n": n, "d": 6, "h": 3, "k": 2, "v": 4}, output=True) for n in (5, 10))
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
    for step in range(setting.document.n):
        assert DECODE.work_out(DECODE.with_value(setting, "step", step)).difference < 1e-12


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


CHECKS = {name.removeprefix("check_").replace("_", "-"): check for name, check in globals().items()
          if name.startswith("check_")}  # fmt: skip


@pytest.mark.parametrize("card_id", CHECKS)
def test_what_a_card_claims(card_id: str) -> None:
    CHECKS[card_id]()


def test_every_card_is_checked_or_told() -> None:
    plain = {card.id for card in deck().cards if not card.numbers}
    assert set(CHECKS) | TOLD == plain
    assert not set(CHECKS) & TOLD


def test_labs_that_prove_a_card_are_set_for_it() -> None:
    def result(card_id: str) -> object:
        leads = LAB.leads(LAB.start(values={"card": card_id}))
        assert leads is not None
        return catalogue.lab(leads[0]).work_out(leads[1])

    assert result("shift").difference < 1e-12
    assert result("saturated").gradient < 0.01
    assert result("head-off").split.on == (True, False, True)
    assert result("why-scaling").d_k == 512
    assert result("shuffle").largest == 0.0
    assert result("self-most").speaker == 1
    assert result("same-output").twin.moved > 0.5
    assert result("explains").contributions.differs


def trace_of(example: str) -> Trace:
    return run(load_example(example))


def test_examples_that_words_speak_of() -> None:
    assert trace_of("four-words-causal")["weights"].shape == (1, 4, 4)
    assert trace_of("who-ate-whom").plan.ids[:3] == ("X", "P", "input")
