"""Learning: gradients against the program's own and finite differences, Adam against its paper, tasks learned."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.compute.backward import backward, half_square
from core.compute.trace import run
from core.document.document import Document, Head, Mask
from core.labs.controls import ends
from core.labs.learn import LAB, RATES, LearnResult
from core.labs.learn_training import (
    PAIRS,
    STEPS,
    TASKS,
    Task,
    adam,
    first_weights,
    loss_and_gradient,
    nestings,
    shapes,
    task,
    train,
    values_of,
)

KINDS = [("copy", 1), ("copy", 2), ("bracket", 1), ("mirror", 1)]


def at(**values: object) -> LearnResult:
    return LAB.compute(LAB.start(values=values))


def sentence(the_task: Task, heads: int, w: Array, index: int) -> Document:
    W_Q, W_K, W_V, W_O = shapes(the_task, heads).split(w)
    values = values_of(the_task, W_V, heads)
    return Document(
        tokens=tuple(the_task.both.texts[index]),
        heads=tuple(
            Head(W_Q=frozen(W_Q[h]), W_K=frozen(W_K[h]), W_V=frozen(values[h]))
            for h in range(heads)
        ),
        X=frozen(the_task.both.X[index]),
        W_O=frozen(W_O) if heads > 1 else None,
        mask=Mask("causal" if the_task.causal else "none"),
    )


@pytest.mark.parametrize(("task_id", "heads"), KINDS)
def test_loss_and_gradient_are_those_of_the_program_sentence_by_sentence(
    task_id: str, heads: int
) -> None:
    the_task = task(task_id, 3)
    w = first_weights(the_task, heads, 3) * 4.0
    loss, new_loss, gradient = loss_and_gradient(the_task, heads, w)
    known = len(the_task.known.T)
    losses = []
    total = [np.zeros(shape) for shape in shapes(the_task, heads).all]
    for index in range(len(the_task.both.texts)):
        document = sentence(the_task, heads, w, index)
        trace, target = run(document), frozen(the_task.wanted(heads)[index])
        losses.append(half_square(trace["Y"], target))
        if index < known:
            back = backward(document, trace, trace["Y"] - target)
            for part, name in zip(total[:3], ("W_Q", "W_K", "W_V"), strict=True):
                for head in range(len(part)):
                    part[head] += back.tensor(name, head) / known
            if heads > 1:
                total[3] += back.tensor("W_O") / known
    assert loss == pytest.approx(np.mean(losses[:known]), rel=1e-12)
    assert new_loss == pytest.approx(np.mean(losses[known:]), rel=1e-12)
    np.testing.assert_allclose(
        gradient, np.concatenate([part.ravel() for part in total]), rtol=1e-9, atol=1e-13
    )


@pytest.mark.parametrize(("task_id", "heads"), KINDS)
def test_the_gradient_is_its_finite_difference(task_id: str, heads: int) -> None:
    the_task = task(task_id, 5)
    w = first_weights(the_task, heads, 5) * 3.0
    gradient = loss_and_gradient(the_task, heads, w)[2]
    for place in np.random.default_rng(1).permutation(len(w))[:12]:
        nudge = np.zeros(len(w))
        nudge[place] = 1e-5
        up, down = (loss_and_gradient(the_task, heads, w + sign * nudge)[0] for sign in (1.0, -1.0))
        assert gradient[place] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-8)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=12), st.floats(1e-4, 1.0))
def test_adam_is_algorithm_1_of_its_paper(slopes: list[float], rate: float) -> None:
    step = adam(rate)
    w, m, v, wanted = np.zeros(1), 0.0, 0.0, 0.0
    for t, g in enumerate(slopes, start=1):
        w = step(w, np.array([g]), t)
        m = 0.9 * m + (1 - 0.9) * g
        v = 0.999 * v + (1 - 0.999) * g * g
        wanted -= rate * (m / (1 - 0.9**t)) / (math.sqrt(v / (1 - 0.999**t)) + 1e-8)
    assert w[0] == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_adams_first_step_is_the_rate_in_the_direction_of_the_sign() -> None:
    moved = adam(0.25)(np.zeros(3), np.array([1e-3, -7.0, 40.0]), 1)
    np.testing.assert_allclose(moved, [-0.25, 0.25, -0.25], rtol=1e-4)


def test_gradient_descent_moves_against_the_gradient() -> None:
    history = train("copy", "descent", 0.3, 1, 2)
    the_task = task("copy", 2)
    gradient = loss_and_gradient(the_task, 1, history.weights[7])[2]
    np.testing.assert_array_equal(history.weights[8], history.weights[7] - 0.3 * gradient)
    assert history.norms[7] == np.linalg.norm(gradient)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("optimiser", ["adam", "descent"])
@pytest.mark.parametrize("task_id", TASKS)
def test_every_task_makes_progress_with_its_defaults(
    task_id: str, optimiser: str, seed: int
) -> None:
    result = at(task=task_id, optimiser=optimiser, seed=seed, step=STEPS)
    assert result.step == STEPS
    assert result.loss < 0.5 * result.history.losses[0]


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("task_id", "heads"), [("copy", 1), ("copy", 2), ("bracket", 1), ("mirror", 1)]
)
def test_weights_reach_the_pattern_on_a_sentence_never_seen(
    task_id: str, heads: int, seed: int
) -> None:
    chosen = {"heads": str(heads)} if task_id == "copy" else {}
    result = at(task=task_id, seed=seed, step=STEPS, **chosen)
    assert result.predicted == result.wanted
    assert all(result.attends_right) or heads == 2  # two heads may part the work in other ways
    assert result.new_loss < 0.05
    if task_id == "bracket":
        assert result.document.tokens not in {tuple(text) for text in result.task.known.texts}


@pytest.mark.parametrize("task_id", ["bracket", "mirror"])
def test_where_a_pattern_is_learned_the_output_is_the_weights(task_id: str) -> None:
    result = at(task=task_id, step=100)
    np.testing.assert_array_equal(result.trace["Y"], result.trace["weights"][0])
    np.testing.assert_array_equal(
        result.document.heads[0].W_V, at(task=task_id).document.heads[0].W_V
    )


def test_a_rate_that_is_too_large_ends_the_history_in_finite_numbers() -> None:
    result = at(optimiser="descent", rate_descent=10.0, step=STEPS)
    assert result.history.diverged
    assert 0 <= result.step == result.history.last < STEPS
    for array in (
        result.history.weights,
        result.history.losses,
        result.history.new_losses,
        result.trace["Y"],
    ):
        assert np.isfinite(array).all()
    assert not at(step=STEPS).history.diverged


def test_seeds_make_other_beginnings_and_the_same_one_makes_the_same() -> None:
    assert train("copy", "adam", 0.03, 1, 1) is train("copy", "adam", 0.03, 1, 1)
    first, second = (at(seed=seed).history.weights[0] for seed in (1, 2))
    assert not np.array_equal(first, second)


def test_brackets_are_all_the_ways_to_nest_three_pairs() -> None:
    every = nestings(PAIRS)
    assert len(every) == len(set(every)) == 30  # 3! orders × Catalan number 5
    for text in every:
        stack: list[str] = []
        for sign in text:
            if sign in "([{":
                stack.append(sign)
            else:
                assert stack.pop() + sign in PAIRS
        assert not stack
    the_task = task("bracket", 8)
    for text, places in zip(the_task.both.texts, the_task.both.places, strict=True):
        assert all(
            text[int(place)] + sign in PAIRS or sign + text[int(place)] in PAIRS
            for sign, place in zip(text, places, strict=True)
        )


def test_what_is_copied_is_the_letter_before() -> None:
    the_task = task("copy", 8)
    for text, X, T in zip(the_task.both.texts, the_task.both.X, the_task.both.T, strict=True):
        assert ["abcd"[int(row.argmax())] for row in T] == [text[0], *text[:-1]]
        assert [the_task.features[int(place)] for place in np.flatnonzero(X.sum(axis=0))][
            -6:
        ] == list("123456")
        assert (X.sum(axis=1) == 2).all()


def test_what_is_handed_over_is_what_is_seen() -> None:
    setting = LAB.start(values={"heads": "2", "head": "2", "step": 120})
    result = LAB.compute(setting)
    document = LAB.document(setting)
    np.testing.assert_array_equal(run(document)["Y"], result.trace["Y"])
    assert document.heads[1].W_Q is not None
    np.testing.assert_array_equal(document.heads[1].W_Q, result.matrices["W_Q"])
    assert set(result.matrices) == {"W_Q", "W_K", "W_V", "W_O"}
    assert all(
        np.abs(matrix).max() <= result.reaches[name] for name, matrix in result.matrices.items()
    )


def test_controls() -> None:
    assert [control.id for control in LAB.valued(LAB.start())] == [
        *("step", "task", "optimiser", "rate_adam", "heads", "seed"),
    ]
    mirror = LAB.start(values={"task": "mirror", "optimiser": "descent"})
    assert [control.id for control in LAB.valued(mirror)] == [
        "step",
        "task",
        "optimiser",
        "rate_descent",
        "seed",
    ]
    assert mirror["rate_descent"] == RATES["descent"][2]
    for control in LAB.valued(mirror):
        for end in ends(control):
            assert math.isfinite(LAB.compute(LAB.with_value(mirror, control.id, end)).loss)
    with pytest.raises(UserError, match=r"lab\.unfit"):
        LAB.start(LAB.document(mirror))
