"""The lab of the way back: finite differences agree at every step, sharpness is what it says, nothing else moves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from core.base.arrays import frozen
from core.compute.trace import run
from core.document.document import Document, Pin
from core.labs.backward import LAB, Backward, backward_steps, sharpened
from core.labs.controls import ChoiceControl, Clock, Numbers, Slider, ends
from core.storage.examples import load_example
from tests.core.documents import documents, make
from tests.core.stacks import ATTENTION_EXAMPLES


def at(document: Document, **values: object) -> Backward:
    return LAB.compute(LAB.start(document, values))


@pytest.mark.parametrize("example", ATTENTION_EXAMPLES)
def test_every_step_of_every_example_agrees_with_its_finite_difference(example: str) -> None:
    document = load_example(example)
    for step in range(len(backward_steps(document))):
        result = at(document, step=step)
        assert result.gradient.shape == result.numbers.shape
        assert result.step.value == result.gradient[result.cell.row, result.cell.column]
        if result.difference is not None:
            assert result.difference == pytest.approx(result.step.value, rel=1e-5, abs=1e-7), (
                result.name
            )


@given(documents(max_pins=3))
@settings(max_examples=15)
def test_any_experiment_opens_and_every_step_can_be_looked_at(document: Document) -> None:
    LAB.require(document)
    setting = LAB.start(document)
    for step in (0, 3, len(backward_steps(document)) - 1):
        setting = LAB.with_value(setting, "step", step)
        for control in LAB.valued(setting):
            if control.id == "cell":
                for end in ends(control):
                    result = LAB.compute(LAB.with_value(setting, "cell", end))
                    assert math.isfinite(result.step.value)
                    assert np.isfinite(result.norms).all()


def test_the_steps_go_from_y_to_x_over_what_was_entered() -> None:
    document = make(50, positional="learned", biases=True, output=True, mask="causal")
    assert backward_steps(document) == (
        *("Y", "W_O", "b_O", "concat", "heads", "weights", "masked", "scaled", "scores"),
        *("V", "W_V", "b_V", "K", "W_K", "b_K", "Q", "W_Q", "b_Q", "input", "P", "X"),
    )
    assert "P" not in backward_steps(make(50, positional="sinusoidal"))
    assert "exp" in backward_steps(make(50).with_(pins=(Pin("exp", (0, 0, 0), 0.5),)))


def test_sharpness_multiplies_the_scores_and_nothing_else() -> None:
    for document in (make(51, biases=True), make(52, source="qkv")):
        before, after = run(document), run(sharpened(document, 8.0))
        np.testing.assert_array_equal(after["scores"], before["scores"] * 8.0)
        np.testing.assert_array_equal(after["V"], before["V"])
        assert sharpened(document, 1.0) is document
    opened = LAB.document(LAB.start(document, {"sharpness": 8.0}))
    np.testing.assert_array_equal(run(opened)["scores"], after["scores"])


def test_a_saturated_softmax_lets_nothing_through() -> None:
    start = at(LAB.experiment())
    end = at(LAB.experiment(), sharpness=100.0)
    assert start.run.scores_norm > 0.1
    assert end.run.scores_norm < 1e-12
    assert (end.factors[-1], end.norms[-1]) == (100.0, pytest.approx(end.run.scores_norm))
    weights = end.run.trace["weights"]
    assert np.abs(weights - np.round(weights)).max() < 1e-12
    assert np.abs(end.run.gradients["V"]).max() > 0.1  # the values still learn


def test_losses() -> None:
    document = load_example("cat-eats-fish")
    Y = run(document)["Y"]
    target = tuple(float(number) for number in np.arange(6.0))
    square = at(document, target=target)
    assert square.run.loss == pytest.approx(
        0.5 * float(((Y - np.arange(6.0).reshape(3, 2)) ** 2).sum())
    )
    np.testing.assert_array_equal(at(document, aim="zero").gradient, Y)
    one = at(document, aim="one", output=4)
    np.testing.assert_array_equal(one.gradient, [[0, 0], [0, 1], [0, 0]])
    assert one.run.loss == Y[1, 1]


def test_the_target_is_what_the_next_token_says() -> None:
    document = load_example("cat-eats-fish")
    wanted = LAB.start(document)["target"]
    Y = run(document)["Y"]
    assert list(wanted[:2]) == np.round(Y[1], 1).tolist()
    assert list(wanted[4:]) == np.round(Y[0], 1).tolist()


def test_controls_hang_on_the_experiment() -> None:
    small, large = LAB.start(), LAB.start(load_example("eight-heads"))
    kinds = {control.id: type(control) for control in LAB.valued(small)}
    assert kinds == {
        "step": Clock,
        "cell": Slider,
        "sharpness": Slider,
        "aim": ChoiceControl,
        "target": Numbers,
    }
    assert [control.id for control in LAB.valued(large)] == [
        "step",
        "head",
        "cell",
        "sharpness",
        "aim",
    ]
    last = LAB.with_value(large, "step", len(backward_steps(load_example("eight-heads"))) - 1)
    (cell,) = [control for control in LAB.valued(last) if control.id == "cell"]
    assert ends(cell) == (1, 16 * 64)


def test_a_bias_that_one_head_lacks() -> None:
    document = make(53, biases=True)
    heads = list(document.heads)
    heads[0] = type(heads[0])(name="", W_Q=heads[0].W_Q, W_K=heads[0].W_K, W_V=heads[0].W_V)
    document = document.with_(heads=tuple(heads))
    result = at(document, step=backward_steps(document).index("b_K"))
    assert (result.head, result.cell.head) == (1, 1)
    np.testing.assert_array_equal(
        result.numbers[0],
        frozen(document.heads[1].b_K if document.heads[1].b_K is not None else []),
    )
