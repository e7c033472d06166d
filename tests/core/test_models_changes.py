"""Changes of a model: what follows from them, against plain loops and against runs from the start."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from core.base.errors import UserError
from core.document.document import Pin
from core.models import open_model
from core.models.changes import UNCHANGED, ModelChanges, Patch, TensorEdit
from core.models.forward import ModelRun, run_layers, run_model
from core.models.head_scores import SCORES, head_scores
from core.models.model import Model
from core.models.reasons import BIAS, HEAD, POSITION, REST, WORD, Part, Reasons, reasons_of
from tests.core.model_kit import CONFIGS, PlainModel, random_tensors, write_checkpoint

IDS = (3, 11, 7, 7, 2)


@pytest.fixture
def model(tmp_path: Path) -> Model:
    return open_model(write_checkpoint(tmp_path / "m", "gpt2"))


def assert_same(one: ModelRun, two: ModelRun) -> None:
    np.testing.assert_array_equal(one.weights, two.weights)
    np.testing.assert_array_equal(one.inputs, two.inputs)
    np.testing.assert_array_equal(one.final, two.final)


def test_an_edit_goes_on_through_all_layers(model: Model) -> None:
    tensors = random_tensors("gpt2")
    tensors["h.1.attn.c_attn.weight"][3, 4 + 2] = 0.75  # W_Q of head 2: columns 4 to 7
    tensors["h.1.mlp.c_fc.bias"][9] = -1.5
    plain = PlainModel("gpt2", tensors)
    plain.run(IDS)
    edits = (TensorEdit("L2.W_Q", (1, 3, 2), 0.75), TensorEdit("L2.b_1", (9,), -1.5))
    done = run_model(model, IDS, ModelChanges(edits=edits))
    np.testing.assert_allclose(done.weights, np.array(plain.weights), atol=1e-12)
    np.testing.assert_allclose(done.final, plain.final, rtol=1e-11, atol=1e-11)


def test_an_edit_of_shared_keys_changes_all_heads_that_read_them(tmp_path: Path) -> None:
    tensors = random_tensors("llama")
    model = open_model(write_checkpoint(tmp_path / "m", "llama", tensors))
    # Head 5 of 6 reads the second of two: rows 4 to 7. Column 1 of a pair is stored at 2.
    tensors["model.layers.0.self_attn.k_proj.weight"][4 + 2, 3] = 0.5
    plain = PlainModel("llama", tensors)
    plain.run(IDS)
    done = run_model(model, IDS, ModelChanges(edits=(TensorEdit("L1.W_K", (4, 3, 1), 0.5),)))
    np.testing.assert_allclose(done.weights, np.array(plain.weights), atol=1e-12)


def test_edits_before_and_after_the_layers(model: Model) -> None:
    tensors = random_tensors("gpt2")
    tensors["wpe.weight"][1, 5] = 2.0
    tensors["ln_f.weight"][3] = 0.25
    plain = PlainModel("gpt2", tensors)
    plain.run(IDS)
    edits = (TensorEdit("P", (1, 5), 2.0), TensorEdit("final_norm.gamma", (3,), 0.25))
    done = run_model(model, IDS, ModelChanges(edits=edits))
    np.testing.assert_allclose(done.final, plain.final, rtol=1e-11, atol=1e-11)


def test_an_edit_of_the_vocabulary(model: Model) -> None:
    base = run_model(model, IDS)
    changed = run_model(
        model, IDS, ModelChanges(edits=(TensorEdit("W_U", (2, 20), 3.0),)), base=base
    )
    assert changed.final is base.final
    W_U = random_tensors("gpt2")["wte.weight"].astype(float).T
    W_U[2, 20] = 3.0
    np.testing.assert_allclose(changed.logits(), base.final[-1] @ W_U, rtol=1e-11)
    pinned = run_model(model, IDS, ModelChanges(pins=(Pin("logits", (4, 1), 100.0),)), base=base)
    probabilities = pinned.next_probabilities()
    assert probabilities is not None
    assert probabilities[1] > 0.999999


def test_a_head_that_is_off_adds_nothing(model: Model) -> None:
    tensors = random_tensors("gpt2")
    tensors["h.0.attn.c_proj.weight"][4:8] = 0.0  # the rows of its columns of concat
    plain = PlainModel("gpt2", tensors)
    plain.run(IDS)
    done = run_model(model, IDS, ModelChanges(heads_off=frozenset({(0, 1)})))
    np.testing.assert_allclose(done.final, plain.final, rtol=1e-11, atol=1e-11)


def test_a_pin_replaces_one_number(model: Model) -> None:
    done = run_model(model, IDS, ModelChanges(pins=(Pin("L2.weights", (1, 4, 0), 0.5),)))
    base = run_model(model, IDS)
    assert done.weights[1][1, 4, 0] == 0.5
    np.testing.assert_array_equal(done.weights[0], base.weights[0])
    np.testing.assert_array_equal(done.inputs[2][:4], base.inputs[2][:4])  # no other token follows
    assert np.abs(done.inputs[2][4] - base.inputs[2][4]).max() > 1e-6


def stages(model: Model, ids: tuple[int, ...]) -> dict[str, np.ndarray]:
    return {
        name: array for layer in run_layers(model, ids) for name, array in layer.stages().items()
    }


def test_a_patched_stream_gives_the_other_run(model: Model) -> None:
    other = (3, 11, 7, 9, 22)
    goal = run_model(model, other)
    patch = Patch("L2.mlp_residual", stages(model, other)["L2.mlp_residual"])
    done = run_model(model, IDS, ModelChanges(patches=(patch,)))
    np.testing.assert_array_equal(done.final, goal.final)
    assert not np.array_equal(done.weights[1], goal.weights[1])


def test_a_patch_of_some_rows_or_heads(model: Model) -> None:
    other = stages(model, (5, 1, 8, 9, 22))
    rows = Patch("L1.mlp_residual", other["L1.mlp_residual"], rows=(2,))
    found = run_model(model, IDS, ModelChanges(patches=(rows,))).inputs[1]
    own = stages(model, IDS)["L1.mlp_residual"]
    np.testing.assert_array_equal(found[2], other["L1.mlp_residual"][2])
    np.testing.assert_array_equal(found[[0, 1, 3, 4]], own[[0, 1, 3, 4]])
    heads = Patch("L2.weights", other["L2.weights"], heads=(1,))
    weights = run_model(model, IDS, ModelChanges(patches=(heads,))).weights[1]
    np.testing.assert_array_equal(weights[1], other["L2.weights"][1])
    np.testing.assert_array_equal(weights[0], stages(model, IDS)["L2.weights"][0])


CHANGES = (
    ModelChanges(edits=(TensorEdit("X", (1, 2), 0.5),)),
    ModelChanges(pins=(Pin("L2.weights", (1, 4, 0), 0.5),)),
    ModelChanges(heads_off=frozenset({(2, 0)})),
    ModelChanges(edits=(TensorEdit("final_norm.beta", (1,), 0.5),)),
    UNCHANGED,
)


@pytest.mark.parametrize("before", CHANGES)
@pytest.mark.parametrize("after", CHANGES)
def test_a_run_after_another_is_that_from_the_start(
    before: ModelChanges, after: ModelChanges, model: Model
) -> None:
    base, computed = run_model(model, IDS, before), list[int]()

    def progress(done: int, _of: int) -> bool:
        computed.append(done)
        return True

    done = run_model(model, IDS, after, base=base, progress=progress)
    assert_same(done, run_model(model, IDS, after))
    assert len(computed) == 3 - after.first_difference(before, 3)
    assert (len(computed) == 0) == (before is after)


def test_other_words_are_run_from_the_start(model: Model) -> None:
    base = run_model(model, (5, 1, 8))
    assert_same(run_model(model, IDS, base=base), run_model(model, IDS))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        (ModelChanges(edits=(TensorEdit("L1.W_Q", (1, 8, 0), 0.5),)), "edit.index"),
        (ModelChanges(edits=(TensorEdit("L1.W_Q", (2, 0, 0), 0.5),)), "tensor.absent"),
        (ModelChanges(edits=(TensorEdit("L1.W_gate", (0, 0), 0.5),)), "tensor.absent"),
        (ModelChanges(edits=(TensorEdit("L1.nothing", (0, 0), 0.5),)), "tensor.absent"),
        (ModelChanges(edits=(TensorEdit("L1.W_O", (0, 0), float("nan")),)), "not_finite"),
        (ModelChanges(heads_off=frozenset({(1, 2)})), "model.head"),
        (ModelChanges(pins=(Pin("L1.weights", (0, 0, 5), 0.5),)), "pin.index"),
        (ModelChanges(pins=(Pin("L1.nothing", (0, 0, 0), 0.5),)), "pin.stage"),
    ],
)
def test_changes_that_do_not_fit(changes: ModelChanges, code: str, model: Model) -> None:
    with pytest.raises(UserError) as caught:
        run_model(model, IDS, changes)
    assert caught.value.code == code


# Scores of heads


def test_scores_of_heads_by_loops() -> None:
    ids, tokens = (4, 9, 4, 9, 1), ("a", "b", "a", "b", "Ġ.")
    draw = np.random.default_rng(3)
    weights = np.tril(draw.random((2, 5, 5)))
    weights /= weights.sum(axis=-1, keepdims=True)
    scores = head_scores(weights, ids, tokens, causal=True)
    assert set(scores) == set(SCORES)
    for head, A in enumerate(weights):
        expected = {
            "previous": np.mean([A[i, i - 1] for i in range(1, 5)]),
            "first": np.mean([A[i, 0] for i in range(1, 5)]),
            "itself": np.mean([A[i, i] for i in range(5)]),
            "same_word": np.mean([A[2, 0], A[3, 1]]),
            "after_same": np.mean([A[2, 1], A[3, 2]]),
            "next": 0.0,
            "sentence_end": A[4, 4],
            "entropy": np.mean([-sum(p * np.log2(p) for p in row if p > 0) for row in A]),
        }
        for name, value in expected.items():
            assert scores[name][head] == pytest.approx(value, abs=1e-12), name


# Reasons


def assert_adds_up(why: Reasons) -> None:
    """Terms and kinds add up to 1e-12 of the score, by exact fractions."""
    score, most = Fraction(why.score), abs(Fraction(why.score)) / 10**12
    assert abs(sum(map(Fraction, why.table.ravel().tolist())) - score) <= most
    assert abs(sum(Fraction(value) for _, _, value in why.terms()) - score) <= most
    assert abs(sum(map(Fraction, why.by_kind().values())) - score) <= most


@pytest.mark.parametrize("index", [0, 1])
def test_terms_that_cancel_to_almost_nothing_add_up(model: Model, index: int) -> None:
    """A bias of the query leaves a score of 1e-6 of terms of about 1."""
    head, query, key = 1, 4, 2
    trace = [*run_layers(model, IDS)][index].trace
    score, k = trace["L1.scores"][head, query, key], trace["L1.K"][head, key, 0]
    b = model.layer(index).heads[head].b_Q
    assert b is not None
    edit = TensorEdit(f"L{index + 1}.b_Q", (head, 0), b[0] - (score - 1e-6) / k)
    why = reasons_of(run_layers(model, IDS, ModelChanges(edits=(edit,))), index, head, query, key)
    assert why.score == pytest.approx(1e-6, rel=1e-6)
    assert np.abs(why.table).max() > 0.1
    assert_adds_up(why)


@pytest.mark.parametrize("family", CONFIGS)
def test_the_parts_of_a_score_add_up(family: str, tmp_path: Path) -> None:
    model = open_model(write_checkpoint(tmp_path / "m", family))
    last = model.layers - 1
    trace = list(run_layers(model, IDS))[last].trace
    for head, query, key in ((1, 4, 2), (0, 3, 3)):
        why = reasons_of(run_layers(model, IDS), last, head, query, key)
        score = trace["L1.scores"][head, query, key]
        assert why.score == score
        assert why.products.sum() == pytest.approx(score, abs=1e-12, rel=1e-12)
        assert_adds_up(why)
        sizes = [abs(value) for _, _, value in why.terms()]
        assert sizes == sorted(sizes, reverse=True)
        rest = why.parts.index(Part(REST))  # nothing is pinned
        assert not why.table[rest].any()
        assert not why.table[:, rest].any()
        assert sum(part.kind == HEAD for part in why.parts) == last * model.heads


def test_the_parts_of_a_first_layer_by_loops(model: Model) -> None:
    """Word and position, each normalised with the root of their sum, and the biases."""
    t = {name: array.astype(float) for name, array in random_tensors("gpt2").items()}
    query, key, head = 4, 1, 1
    why = reasons_of(run_layers(model, IDS), 0, head, query, key)
    parts = {}
    for side, (row, start) in enumerate(((query, 0), (key, 8))):
        word, position = t["wte.weight"][IDS[row]], t["wpe.weight"][row]
        root = np.sqrt(np.var(word + position) + 1e-5)
        W = t["h.0.attn.c_attn.weight"][:, start + 4 : start + 8]
        gamma, beta = t["h.0.ln_1.weight"], t["h.0.ln_1.bias"]
        parts[WORD, side] = ((word - word.mean()) / root * gamma) @ W
        parts[POSITION, side] = ((position - position.mean()) / root * gamma) @ W
        parts[BIAS, side] = beta @ W + t["h.0.attn.c_attn.bias"][start + 4 : start + 8]
    found = why.by_kind()
    for one in (WORD, POSITION, BIAS):
        for two in (WORD, POSITION, BIAS):
            assert found[one, two] == pytest.approx(parts[one, 0] @ parts[two, 1], abs=1e-12)


def test_what_pins_put_in_is_the_rest(model: Model) -> None:
    changes = ModelChanges(pins=(Pin("L1.mlp_residual", (4, 3), 5.0),))
    why = reasons_of(run_layers(model, IDS, changes), 1, 0, 4, 2)
    rest = why.parts.index(Part(REST))
    assert np.abs(why.table[rest]).max() > 1e-3
    assert_adds_up(why)
