"""Given numbers that are roundings, and numbers from single precision: right ones stay right, mistakes are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from core.base.arrays import Array, frozen
from core.check.given import (
    EXACT,
    ROUNDED,
    Given,
    changed_tensors,
    decimals_of,
    entered_tensors,
    rounded_tensors,
)
from core.check.marking import check
from core.check.rounding import RoundedRun
from core.compute.trace import run
from core.document.document import Document, Head, Softmax
from core.document.edits import with_tensor
from core.stages import plan
from core.storage.examples import load_example
from gui.texts.mistakes import mistake_text
from tests.core.check_kit import experiment, found, softmax, tensor, with_verdict, written
from tests.core.documents import make
from tests.core.test_check_mistakes import SLIPS

KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"mask": "causal"},
    "rotary": {"positional": "rotary"},
    "alibi": {"positional": "alibi"},
    "sinusoidal": {"positional": "sinusoidal"},
    "learned": {"positional": "learned", "biases": True},
    "output": {"output": True, "off": (1,)},
    "unscaled": {"scale": "none"},
    "pinned": {"pins": 3},
    "context": {"context": 4, "positional": "learned"},
    "entered": {"source": "qkv", "mask": "causal"},
    "base": {"base": "10", "shift": False},
}


def changed(document: Document, change: Callable[[Array], Array]) -> Document:
    """The document with every entered tensor changed."""
    for (name, head), array in list(entered_tensors(document)):
        document = with_tensor(document, name, frozen(change(array)), head)
    return document


def pair(seed: int, decimals: int, **parts: Any) -> tuple[Document, Document]:
    """An experiment with numbers of many digits, and as it is printed."""
    rng = np.random.default_rng(seed)
    base = experiment(seed, 1 + seed % 3, 2 + seed % 2, **parts)
    full = changed(base, lambda array: rng.normal(size=array.shape) / 2)
    return full, changed(full, lambda array: np.round(array, decimals))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("decimals", [2, 3])
def test_no_numbers_that_round_to_the_given_ones_lead_out_of_the_bounds(
    kind: str, decimals: int
) -> None:
    _, document = pair(3, decimals, **KINDS[kind])
    bounds = RoundedRun(document, plan(document), rounded_tensors(document, Given(ROUNDED)))
    rng = np.random.default_rng(1)
    half = 0.5 * 10.0**-decimals
    for _ in range(60):
        corner = changed(document, lambda a: a + half * rng.choice([-1.0, 1.0], a.shape))
        trace = run(corner)
        for stage in trace:
            lower, upper = bounds.plain(stage).bounds
            finite = np.isfinite(trace[stage])
            assert (np.isfinite(lower) == finite).all()
            assert (trace[stage] >= lower - 1e-12)[finite].all()
            assert (trace[stage] <= upper + 1e-12)[finite].all()


@pytest.mark.parametrize(
    ("stage", "cell"), [("scores", (0, 2, 3)), ("weights", (0, 2, 3)), ("heads", (0, 2, 1))]
)
@pytest.mark.parametrize("softmax_of", [Softmax(), Softmax("2", False)])
def test_the_bounds_are_close_to_the_worst_case(
    stage: str, cell: tuple[int, ...], softmax_of: Softmax
) -> None:
    """The worst case is sought along the gradient, by differences."""
    document = pair(4, 3)[1].with_(softmax=softmax_of)
    decimals = rounded_tensors(document, Given(ROUNDED))
    assert set(decimals.values()) == {3}
    tensors = list(entered_tensors(document))
    ends = []
    for sign in (1.0, -1.0):
        corner = document
        for name, array in tensors:
            gradient = np.zeros(array.shape)
            for index in np.ndindex(*array.shape):
                moved = array.copy()
                moved[index] += 1e-6
                beside = with_tensor(document, name[0], moved, name[1])
                gradient[index] = run(beside)[stage][cell] - run(document)[stage][cell]
            corner = with_tensor(
                corner, name[0], array + sign * 0.0005 * np.sign(gradient), name[1]
            )
        ends.append(float(run(corner)[stage][cell]))
    enclosure = RoundedRun(document, plan(document), decimals).plain(stage)
    assert abs(ends[0] - ends[1]) <= 2 * enclosure.radius[cell] <= 1.1 * abs(ends[0] - ends[1])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "pinned"])
@pytest.mark.parametrize("decimals", [2, 4])
def test_a_page_that_printed_rounded_numbers_is_right(kind: str, decimals: int) -> None:
    full, document = pair(5, decimals, **KINDS[kind])
    trace = run(full)
    values = {
        stage: written(trace[stage], 4)
        for stage in trace
        if stage not in ("X", "P") or not plan(document)[stage].entered
    }
    report = check(document, values, Given(ROUNDED))
    assert [mark for mark in report.marks if mark.verdict != "right"] == []
    assert report.mistakes == ()
    assert any(mark.rounded for mark in report.marks)
    assert check(document, values, Given(EXACT)).count("wrong") > 0


@pytest.mark.parametrize("number", range(len(SLIPS)))
def test_mistakes_made_with_the_printed_numbers_are_named_and_not_excused(number: int) -> None:
    name, parts, plant = SLIPS[number]
    _, document = pair(6, 3, **parts)
    work = plant(document, run(document))
    stage = list(work)[-1]
    values = {stage: written(array, 3) for stage, array in work.items()}
    report = check(document, values, Given(ROUNDED))
    assert name in found(report, stage)
    exactly = check(document, values, Given(EXACT))
    assert with_verdict(report, stage, "wrong") == with_verdict(exactly, stage, "wrong")


@pytest.mark.parametrize("number", range(0, len(SLIPS), 3))
def test_mistakes_of_a_page_with_more_digits_are_named(number: int) -> None:
    name, parts, plant = SLIPS[number]
    full, document = pair(6, 3, **parts)
    work = plant(full, run(full))
    stage = list(work)[-1]
    values = {stage: written(array, 3) for stage, array in work.items()}
    assert name in found(check(document, values, Given(ROUNDED)), stage)


def test_what_is_beyond_the_rounding_is_wrong() -> None:
    full, document = pair(7, 3)
    weights = run(full)["weights"].copy()
    radius = RoundedRun(document, plan(document), rounded_tensors(document, Given(ROUNDED)))
    weights[0, 1, 2] += 2.5 * radius.plain("weights").radius[0, 1, 2]
    report = check(document, {"weights": written(weights, 5)}, Given(ROUNDED))
    assert with_verdict(report, "weights", "wrong") == {(0, 1, 2)}


def test_the_row_maximum_need_not_be_subtracted_from_rounded_numbers_either() -> None:
    full, document = pair(5, 2)
    values = {"exp": written(np.exp(run(full)["scaled"]), 4)}
    report = check(document, values, Given(ROUNDED))
    assert report.count("right") == len(report.marks)
    (mistake,) = report.mistakes
    assert (mistake.id, mistake.harmless) == ("exp.unshifted", True)


def test_which_tensors_count_as_rounded() -> None:
    document = pair(1, 4)[1]
    whole = changed(document, lambda array: np.round(array))
    halves = changed(document, lambda array: np.round(2 * array) / 2)
    assert set(rounded_tensors(document, Given(ROUNDED)).values()) == {4}
    for each in (whole, halves):
        assert rounded_tensors(each, Given(ROUNDED)) == {}
    assert rounded_tensors(document, Given()) == {}
    assert rounded_tensors(document, Given("", frozenset({("W_K", 1)}))) == {("W_K", 1): 4}
    assert rounded_tensors(document, Given(EXACT, frozenset({("W_K", 1)}))) == {}
    assert rounded_tensors(pair(1, 4)[0], Given(ROUNDED)) == {}, "all digits of a double"


def test_an_import_replaces_the_tensors_that_it_has_changed() -> None:
    document = experiment(1, 3, 2)
    one = with_tensor(document, "W_K", tensor(document, "W_K", 1) + 0.25, 1)
    assert changed_tensors(document, one, "W_K") == [("W_K", 1)]
    assert changed_tensors(document, with_tensor(one, "X", tensor(one, "X") / 4), "X") == [("X", 0)]
    assert changed_tensors(document, document, "X") == []


@pytest.mark.parametrize(
    ("numbers", "decimals"),
    [
        ([1.0, -2.0], 0),
        ([0.5], 1),
        ([0.25, 1.0], 2),
        ([0.285, 1e6], 3),
        ([1 / 3], 13),
        ([1e300], 0),
    ],
)
def test_decimals_of_the_shortest_form(numbers: list[float], decimals: int) -> None:
    assert decimals_of(np.array(numbers)) == decimals


def test_an_output_after_a_wrong_sheet_follows_by_worst_case() -> None:
    """The columns' softmax to four decimals, and the output with all digits of it."""
    document = load_example("i-love-this-apple")
    trace = run(document)
    weights = softmax(trace["scaled"], axis=-2)
    report = check(
        document, {"weights": written(weights, 4), "heads": written(weights @ trace["V"], 4)}
    )
    assert report.count("wrong", "heads") == 0
    assert found(report, "weights").keys() == {"softmax.columns"}
    assert found(report, "heads").keys() == {"carried"}


# Single precision


def single(document: Document) -> dict[str, np.ndarray[Any, np.dtype[np.float32]]]:
    """Attention in single precision, one head after another."""
    f = np.float32
    assert document.X is not None
    X = document.X.astype(f)
    stages: dict[str, list[Any]] = {name: [] for name in ("Q", "K", "V", "scores", "scaled")}
    stages |= {name: [] for name in ("exp", "weights", "heads")}
    for head in document.heads:
        Q, K, V = (X @ getattr(head, f"W_{name}").astype(f) for name in "QKV")
        scores = Q @ K.T
        scaled = scores / np.sqrt(f(Q.shape[1]))
        exp = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        weights = exp / exp.sum(axis=1, keepdims=True)
        arrays = (Q, K, V, scores, scaled, exp, weights, weights @ V)
        for name, array in zip(stages, arrays, strict=True):
            stages[name].append(array)
    return {name: np.stack(arrays) for name, arrays in stages.items()}


def shortest(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """As NumPy prints single precision."""
    texts = [np.format_float_positional(np.float32(x), unique=True, trim="0") for x in array.flat]
    return np.array(texts, dtype=object).reshape(array.shape)


@pytest.mark.parametrize("seed", range(8))
def test_single_precision_is_right(seed: int) -> None:
    document = changed(pair(seed, 3)[0], lambda a: 3 * a.astype(np.float32).astype(np.float64))
    values = {stage: shortest(array) for stage, array in single(document).items()}
    report = check(document, values)
    assert [mark for mark in report.marks if mark.verdict != "right"] == []
    assert report.mistakes == ()


@pytest.mark.parametrize("stage", ["Q", "scores", "weights", "heads"])
def test_a_digit_that_single_precision_does_not_explain_is_wrong(stage: str) -> None:
    document = pair(2, 3)[0]
    values = shortest(single(document)[stage])
    values[0, 1, 1] = f"{run(document)[stage][0, 1, 1] * 1.0001:.8f}"
    assert with_verdict(check(document, {stage: values}), stage, "wrong") == {(0, 1, 1)}


def test_mistakes_in_single_precision_are_named() -> None:
    document = pair(2, 3)[0]
    scores = single(document)["scores"]
    power = np.exp(scores)
    values = shortest(power / power.sum(axis=-1, keepdims=True))
    report = check(document, {"weights": values})
    assert "scale.forgotten" in found(report, "weights")


# The mistake that gives most of the sheet, lone numbers, mixtures


@pytest.mark.parametrize("decimals", [2, 3, 4])
def test_a_mistake_that_gives_the_whole_sheet_wins(decimals: int) -> None:
    document = load_example("cat-eats-fish")
    trace = run(document)
    columns = written(softmax(trace["scaled"], axis=-2), decimals)
    assert found(check(document, {"weights": columns}), "weights").keys() == {"softmax.columns"}
    turned = written(trace["weights"].swapaxes(-1, -2) @ trace["V"], decimals)
    assert found(check(document, {"heads": turned}), "heads").keys() == {"mix.columns"}


def test_a_mistake_is_found_behind_results_rounded_on_the_way() -> None:
    document = load_example("cat-eats-fish")
    trace = run(document)
    turned = trace["weights"].round(2).swapaxes(-1, -2) @ trace["V"]
    report = check(document, {"heads": written(turned, 2)})
    assert found(report, "heads").keys() == {"mix.columns"}


def lone(document: Document, stage: str, cells: dict[tuple[int, ...], float]) -> Any:
    values = np.full(document.stage_shape(stage), None, dtype=object)
    for cell, value in cells.items():
        values[cell] = f"{value:.2f}"
    return values


def test_a_lone_number_names_what_may_be() -> None:
    document = experiment(2, 2, 3)
    wrong = softmax(run(document)["scores"] / 3)
    report = check(document, {"weights": lone(document, "weights", {(1, 2, 0): wrong[1, 2, 0]})})
    (mistake,) = report.mistakes
    assert (mistake.id, mistake.maybe, mistake.cells) == ("scale.by_dk", True, ((1, 2, 0),))


def test_a_mixture_of_mistakes_names_each() -> None:
    document = experiment(2, 1, 3)
    scores = run(document)["scores"]
    cells = {
        (0, 0, 1): scores[0, 0, 1] / 3,
        (0, 1, 2): scores[0, 1, 2],
        (0, 3, 3): scores[0, 3, 3] / 6**0.5,
        (0, 4, 4): scores[0, 4, 4] / 3**0.5,
    }
    report = check(document, {"scaled": lone(document, "scaled", cells)})
    cells_of = found(report, "scaled")
    assert cells_of["scale.by_dk"] == {(0, 0, 1)}
    assert cells_of["scale.forgotten"] == {(0, 1, 2)}
    assert cells_of["scale.by_sqrt_model"] == {(0, 3, 3)}
    assert all(mistake.maybe for mistake in report.mistakes)
    assert all("One more number would decide." in mistake_text(one) for one in report.mistakes)
    assert with_verdict(report, "scaled", "right") == {(0, 4, 4)}


@pytest.mark.parametrize("seed", range(20))
def test_lone_noise_names_nothing_for_certain(seed: int) -> None:
    document = experiment(seed, 1, 2)
    rng = np.random.default_rng(seed)
    values = run(document)["weights"] + rng.uniform(0.03, 0.4, size=(1, 5, 5))
    report = check(document, {"weights": written(values, 3)})
    assert not [mistake for mistake in report.mistakes if mistake.maybe]


def test_no_model_size_where_there_is_none() -> None:
    rng = np.random.default_rng(3)
    Q, K, V = (frozen(rng.normal(size=(4, 3)).round(2)) for _ in range(3))
    document = Document(("a", "b", "c", "d"), (Head(Q=Q, K=K, V=V),) * 2, source="qkv")
    for factor in (6**-0.5, 3**-0.5, 1 / 6):
        weights = softmax(run(document)["scores"] * factor)
        names = found(check(document, {"weights": written(weights, 3)}), "weights")
        assert not [name for name in names if "model" in name]


def test_early_rounding_follows_with_rounded_given_numbers() -> None:
    document = make(7, sizes={"n": 5, "d": 6, "h": 1, "k": 2, "v": 4})
    document = changed(document, lambda array: np.round(array, 1))
    trace = run(document)
    heads = trace["weights"].round(1) @ trace["V"]
    report = check(document, {"heads": written(heads, 4)}, Given(ROUNDED))
    assert report.count("wrong") == 0
    assert found(report, "heads").keys() == {"rounding.early"}


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_near_the_end_of_the_doubles_are_marked(kind: str) -> None:
    """Right numbers are right, and nothing overflows with a warning."""
    rng = np.random.default_rng(9)
    powers = [0, 0, 1, 3, 100, 154, 300]

    def wild(array: Array) -> Array:
        large = array * 10.0 ** rng.choice(powers, size=array.shape)
        return np.where(np.abs(large) < 1e6, np.round(large, 2), large)

    document = changed(pair(9, 2, **KINDS[kind])[1], wild)
    trace = run(document)
    values: dict[str, Any] = {}
    for stage in trace:
        values[stage] = np.array(written(trace[stage], 3), dtype=object)
        values[stage][(0,) * trace[stage].ndim] = "0.123"
    report = check(document, values, Given(ROUNDED))
    assert report.count("right") >= len(report.marks) - len(values)
