"""Verdicts: right to the digits written, consistent with the learner's own numbers, or wrong."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.check.answers import EnteredNumber, parse_entered
from core.check.given import Given
from core.check.marking import check
from core.compute.trace import run
from core.document.document import Document, Head, Pin, Softmax
from core.storage.archive import loads
from tests.core.check_kit import experiment, found, not_right, softmax, with_verdict, written
from tests.core.documents import documents, make


def verdict(document: Document, stage: str, index: tuple[int, ...], number: Any) -> str:
    """The verdict on one number, the rest of the stage not stated."""
    values = np.full(document.stage_shape(stage), None, dtype=object)
    values[index] = number
    (mark,) = check(document, {stage: values}).marks
    assert (mark.stage, mark.index) == (stage, index)
    return mark.verdict


@pytest.mark.parametrize(
    ("given", "value", "decimals"),
    [
        ("0.50", 0.5, 2),
        ("12", 12.0, 0),
        ("1e-3", 1e-3, 3),
        ("1.5e-3", 1.5e-3, 4),
        ("1.2e2", 120.0, -1),
        ("−0,50", -0.5, 2),
        ("０．５０", 0.5, 2),
        ("1.20×10⁻³", 1.2e-3, 5),
        (0.25, 0.25, 2),
        (1e-05, 1e-5, 5),
        (2, 2.0, 0),
        (2.0, 2.0, 1),
        (np.float32(0.1), np.float32(0.1), 1),
        (np.int64(3), 3.0, 0),
    ],
)
def test_digits_written(given: Any, value: float, decimals: int) -> None:
    assert parse_entered(given) == EnteredNumber(value, decimals)


@pytest.mark.parametrize("given", [None, "", "  ", float("nan"), np.nan])
def test_not_stated(given: Any) -> None:
    assert parse_entered(given) is None


# Weights of this one are 1/3 and 2/3: nothing to compute.
THIRDS = Document(
    tokens=("a", "b"),
    heads=(
        Head(
            Q=frozen([[1.0], [0.0]]),
            K=frozen([[0.0], [np.log(2.0)]]),
            V=frozen([[3.0, 30.0], [6.0, 60.0]]),
        ),
    ),
    source="qkv",
)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("0.67", "right"),
        ("0.7", "right"),
        ("0.667", "right"),
        (0.6667, "right"),
        (EnteredNumber(2 / 3), "right"),
        ("0.66", "wrong"),
        ("0.670", "wrong"),
        ("0.6", "wrong"),
        ("1", "wrong"),
        (EnteredNumber(0.667), "wrong"),
        ("-0.67", "wrong"),
        ("inf", "wrong"),
    ],
)
def test_right_to_the_digits_written(number: Any, expected: str) -> None:
    assert verdict(THIRDS, "weights", (0, 0, 1), number) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [("50", "right"), ("5e1", "right"), ("50.0", "right"), ("49", "wrong"), ("49.5", "wrong")],
)
def test_whole_numbers(number: str, expected: str) -> None:
    assert verdict(THIRDS, "heads", (0, 0, 1), number) == expected


@pytest.mark.parametrize(
    ("number", "expected"), [("-inf", "right"), ("−∞", "right"), ("-1e9", "right"), ("0", "wrong")]
)
def test_a_masked_score_is_minus_infinity_or_as_good(number: str, expected: str) -> None:
    assert verdict(make(mask="causal"), "masked", (1, 0, 3), number) == expected


@given(documents(), st.integers(1, 4), st.booleans())
def test_right_work_is_never_called_wrong(document: Document, decimals: int, as_text: bool) -> None:
    """Every stage stated, each rounded from the true value: as text with all its digits, or as a bare float."""
    trace = run(document)
    values = {
        s: written(trace[s], decimals) if as_text else trace[s].round(decimals) for s in trace
    }
    report = check(document, values)
    assert [m for m in report.marks if m.verdict != "right"] == []
    assert report.mistakes == ()
    assert len(report.marks) == sum(trace[s].size for s in trace)


@given(documents(), st.data())
def test_right_numbers_in_any_mixture_of_digits_are_right(
    document: Document, data: st.DataObject
) -> None:
    trace = run(document)
    stage = data.draw(st.sampled_from([s for s in trace if np.isfinite(trace[s]).all()]))
    digits = data.draw(
        st.lists(st.integers(1, 4), min_size=trace[stage].size, max_size=trace[stage].size)
    )
    texts = [f"{value:.{d}f}" for value, d in zip(trace[stage].flat, digits, strict=True)]
    values = np.array(texts, dtype=object).reshape(trace[stage].shape)
    assert check(document, {stage: values}).count("right") == len(texts)


@given(documents(max_pins=0), st.integers(1, 4), st.data())
@settings(max_examples=50)
def test_work_that_goes_on_from_a_wrong_number_follows(
    document: Document, decimals: int, data: st.DataObject
) -> None:
    """One score is wrong; all that comes after is done rightly from there, and rounded as written."""
    trace = run(document)
    index = tuple(data.draw(st.integers(0, size - 1)) for size in trace["scores"].shape)
    scores = trace["scores"].round(decimals)
    scores[index] += data.draw(st.sampled_from([-3.0, -1.0, 1.0, 2.5]))
    pinned = document.with_(pins=tuple(_pins(scores)))
    own = run(pinned)
    later = data.draw(st.sampled_from(["exp", "weights", "heads"]))
    report = check(
        document, {"scores": written(scores, decimals), later: written(own[later], decimals)}
    )
    assert not_right(report, "scores") == {index}
    assert with_verdict(report, later, "wrong") == set()


def _pins(scores: Array) -> list[Pin]:
    return [
        Pin("scores", tuple(i), float(scores[tuple(i)]))
        for i in np.argwhere(np.isfinite(scores)).tolist()
    ]


@pytest.mark.parametrize("seed", range(4))
def test_what_was_carried_on_is_said_with_its_source(seed: int) -> None:
    document = experiment(seed, 2, 3)
    trace = run(document)
    scores = trace["scores"].round(2)
    top = int(scores[1, 3].argmax())
    scores[1, 3, top] = scores[1, 3].mean().round(2)
    weights = trace["weights"].copy()
    weights[1, 3] = softmax(scores[1, 3] / 3**0.5)
    report = check(document, {"scores": written(scores, 2), "weights": written(weights, 3)})
    assert not_right(report, "scores") == {(1, 3, top)}
    follows = with_verdict(report, "weights", "follows")
    assert follows
    assert {index[:2] for index in follows} == {(1, 3)}
    assert with_verdict(report, "weights", "wrong") == set()
    (carried,) = [slip for slip in report.mistakes if slip.stage == "weights"]
    assert (carried.id, carried.data) == ("carried", {"stages": ("scores",)})
    assert set(carried.cells) == follows


def test_a_chain_of_numbers_keeps_its_first_slip_alone() -> None:
    """A wrong K goes through scores, scaled scores, weights and output; only K is wrong."""
    document = experiment(6, 1, 2)
    trace = run(document)
    K = trace["K"].round(3)
    K[0, 2, 1] = -K[0, 2, 1]
    scores = (trace["Q"].round(3) @ K.swapaxes(-1, -2)).round(3)
    scaled = (scores / 2**0.5).round(3)
    weights = softmax(scaled).round(3)
    heads = weights @ trace["V"].round(3)
    work = {"Q": trace["Q"], "K": K, "V": trace["V"]}
    work |= {"scores": scores, "scaled": scaled, "weights": weights, "heads": heads}
    report = check(document, {stage: written(array, 3) for stage, array in work.items()})
    assert [(mark.stage, mark.index) for mark in report.marks if mark.verdict == "wrong"] == [
        ("K", (0, 2, 1))
    ]
    assert found(report, "K") == {"cell.sign": {(0, 2, 1)}}
    for stage in ("scores", "scaled", "weights", "heads"):
        assert found(report, stage)["carried"] <= not_right(report, stage)
        assert report.count("follows", stage) > 0


@pytest.mark.parametrize("decimals", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_rounding_too_early_follows_and_is_named_with_its_digits(seed: int, decimals: int) -> None:
    document = experiment(seed, 2, 3)
    trace = run(document)
    heads = trace["weights"].round(decimals) @ trace["V"]
    report = check(document, {"heads": written(heads, 4)})
    slips = [slip for slip in report.mistakes if slip.stage == "heads"]
    assert [slip.id for slip in slips] == ["rounding.early"]
    assert slips[0].data == {"stage": "weights", "decimals": decimals}
    assert (
        set(slips[0].cells)
        == with_verdict(report, "heads", "follows")
        == not_right(report, "heads")
    )


def test_rounded_as_stated_and_gone_on_follows() -> None:
    document = experiment(7, 1, 2)
    trace = run(document)
    weights = trace["weights"].round(2)
    report = check(
        document, {"weights": written(weights, 2), "heads": written(weights @ trace["V"], 4)}
    )
    assert report.count("wrong") == 0
    assert report.count("follows", "heads") > 10
    (slip,) = report.mistakes
    assert (slip.id, slip.data) == ("rounding.early", {"stage": "weights", "decimals": 2})


@pytest.mark.parametrize("stage", ["weights", "scores", "heads"])
def test_cut_off_digits_are_wrong_and_named(stage: str) -> None:
    document = experiment(8, 2, 3)
    trace = run(document)
    cut = np.trunc(trace[stage] * 1000) / 1000
    report = check(document, {stage: written(cut, 3)})
    off = np.argwhere(np.abs(trace[stage] - cut) > 0.000501)
    assert with_verdict(report, stage, "wrong") == {tuple(index) for index in off.tolist()}
    assert found(report, stage) == {"digits.truncated": with_verdict(report, stage, "wrong")}


def test_the_row_maximum_need_not_be_subtracted() -> None:
    document = experiment(9, 3, 2)
    trace = run(document)
    plain = np.exp(trace["scaled"])
    report = check(document, {"exp": written(plain, 3), "weights": written(trace["weights"], 3)})
    assert report.count("right") == len(report.marks)
    (slip,) = report.mistakes
    assert (slip.id, slip.harmless, len(slip.cells)) == ("exp.unshifted", True, 75)


def test_another_base_and_no_shift() -> None:
    """What is right and what is a slip goes by the softmax of the experiment."""
    document = experiment(9, 1, 2).with_(softmax=Softmax("2", False))
    scaled = run(document)["scaled"]
    report = check(
        document, {"exp": written(2.0**scaled, 3), "weights": written(softmax(scaled, base=2.0), 3)}
    )
    assert (report.count("right"), report.mistakes) == (50, ())
    report = check(
        document, {"exp": written(2.0 ** (scaled - scaled.max(axis=-1, keepdims=True)), 3)}
    )
    assert (report.count("right"), [slip.id for slip in report.mistakes]) == (25, ["exp.shifted"])
    report = check(document, {"weights": written(softmax(scaled), 3)})
    (slip,) = report.mistakes
    assert (slip.id, slip.data) == ("softmax.base", {"base": "e", "own": "2"})


def test_the_last_weight_made_to_fit() -> None:
    document = experiment(3, 1, 2)
    weights = run(document)["weights"][0].round(2)
    row = int(np.argmax(np.abs(weights.sum(axis=1) - 1)))
    assert abs(weights[row].sum() - 1) > 0.005, "rounding spoils the sum of this row"
    weights[row, 4] = 1 - weights[row, :4].sum()
    report = check(document, {"weights": written(weights, 2)})
    assert found(report, "weights") == {"weights.filled_up": {(0, row, 4)}}


@pytest.mark.parametrize("given_as", ["exact", "rounded"])
def test_worked_examples(case: dict[str, Any], given_as: str) -> None:
    """The public pages: what they print wrong is not right, all else is, and what they carried on follows."""
    document = loads(json.dumps(case["experiment"]).encode())
    values = {
        stage: _as_printed(v, case["printed_rounding"][stage])
        for stage, v in case["published"].items()
    }
    report = check(document, values, Given(given_as))
    expected = {}
    for cell in case["wrong_cells"]:
        index = (cell["head"], cell["row"], cell["col"])[
            -len(document.stage_shape(cell["stage"])) :
        ]
        expected[cell["stage"], index] = (
            "follows" if cell["origin"].startswith("carried") else "wrong"
        )
    assert {(m.stage, m.index): m.verdict for m in report.marks if m.verdict != "right"} == expected


def _as_printed(value: Any, rounding: str) -> Any:
    """The digits as on the page: JSON loses zeros at the end; numbers with more digits than usual keep them."""
    if isinstance(value, list):
        return [_as_printed(part, rounding) for part in value]
    if value is None or not rounding.endswith("decimals"):
        return value
    decimals = max(
        int(rounding.split()[0]), len(repr(float(value)).partition(".")[2].removesuffix("0"))
    )
    return f"{value:.{decimals}f}"


NAMED = {
    "01_integers_unscaled_rounded_early": {("heads", "rounding.early")},
    "07_softmax_of_four": {("weights", "cell.step")},
    "20_two_heads_of_identity": {("Y", "mix.scores")},
    "39_equal_scores_unequal_weights": {("weights", "cell.step"), ("heads", "carried")},
    "44_key_slip_cascades": {
        ("K", "cell.term"),
        ("scores", "carried"),
        ("weights", "digits.truncated"),
    },
    "47_one_value_wrong": {("V", "cell.term"), ("heads", "carried")},
    "52_last_digit": {("heads", "rounding.early")},
    "63_sinusoid_truncated": {("P", "digits.truncated")},
}


@pytest.mark.parametrize("name", NAMED)
def test_slips_of_the_worked_examples(cases: dict[str, dict[str, Any]], name: str) -> None:
    case = cases[name]
    values = {
        stage: _as_printed(v, case["printed_rounding"][stage])
        for stage, v in case["published"].items()
    }
    report = check(loads(json.dumps(case["experiment"]).encode()), values)
    assert NAMED[name] <= {(slip.stage, slip.id) for slip in report.mistakes}


@pytest.mark.parametrize(
    ("values", "code", "data"),
    [
        ({"masked": [[0.0]]}, "stage.absent", {"stage": "masked"}),
        ({"weights": [[1, 2], [3, 4]]}, "shape", {"expected": (3, 5, 5), "actual": (2, 2)}),
        ({"Y": [[1, 2], [3]]}, "shape", {"name": "Y"}),
        (
            {"X": [["x"] + [None] * 5] + [[None] * 6] * 4},
            "number.unreadable",
            {"stage": "X", "index": (0, 0)},
        ),
        (
            {"X": [[None] * 5 + [True]] + [[None] * 6] * 4},
            "array.not_numeric",
            {"stage": "X", "index": (0, 5)},
        ),
    ],
)
def test_what_cannot_be_marked(values: dict[str, Any], code: str, data: dict[str, Any]) -> None:
    with pytest.raises(UserError) as caught:
        check(make(), values)
    assert caught.value.code == code
    assert data.items() <= caught.value.data.items()


def test_marks_stand_in_the_order_of_the_plan() -> None:
    document = make()
    trace = run(document)
    report = check(document, {stage: trace[stage] for stage in ("heads", "Q", "weights")})
    assert list(dict.fromkeys(mark.stage for mark in report.marks)) == ["Q", "weights", "heads"]
    indices = [mark.index for mark in report.marks if mark.stage == "Q"]
    assert indices == sorted(indices)
    for mark in report.marks:
        assert mark.expected == mark.own == trace[mark.stage][mark.index]


def test_pins_are_the_truth_of_the_experiment() -> None:
    document = make(3, pins=3)
    trace = run(document)
    report = check(document, {stage: written(trace[stage], 3) for stage in trace})
    assert report.count("right") == len(report.marks)
