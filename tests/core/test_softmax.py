"""The base of the softmax and its shift: the numbers, the plan, the file; base e with the shift is as it always was."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arithmetic import attention
from core.arithmetic.stable_sum import LARGEST
from core.base.cell import Cell
from core.base.errors import UserError
from core.compute.trace import run
from core.document import edits
from core.document.document import SOFTMAX_BASES, Document, Pin, Softmax
from core.explain.derivation import derive, derive_lead, pair_steps
from core.explain.timeline import Cursor, Grain, first, step, timeline
from core.stages import softmax_source
from core.storage.archive import dumps, load, loads
from tests.core.documents import make

GOLDEN = Path(__file__).parents[1] / "golden"
NUMBERS = {"e": math.e, "2": 2.0, "3": 3.0, "10": 10.0}
ALL = [Softmax(base, shift) for base in SOFTMAX_BASES for shift in (True, False)]


def plain(row: list[float], base: float, shift: bool) -> list[float]:
    highest = max(row)
    if highest == -math.inf:
        return [0.0] * len(row)
    return [0.0 if s == -math.inf else base ** (s - highest if shift else s) for s in row]


@pytest.mark.parametrize("softmax", ALL, ids=str)
@pytest.mark.parametrize("mask", ["none", "causal", "custom"])
def test_powers_and_weights_are_those_of_plain_loops(softmax: Softmax, mask: str) -> None:
    trace = run(make(3, mask=mask, output=True, positional="alibi").with_(softmax=softmax))
    before = trace[softmax_source(trace.plan)]
    for head in range(3):
        for row in range(5):
            wanted = plain(before[head, row].tolist(), NUMBERS[softmax.base], softmax.shift)
            np.testing.assert_allclose(trace["exp"][head, row], wanted, rtol=1e-13, atol=0)
            total = sum(wanted)
            shares = [part / total if total else 0.0 for part in wanted]
            np.testing.assert_allclose(trace["weights"][head, row], shares, rtol=1e-13, atol=0)


def test_the_shift_changes_no_weight_and_the_base_does() -> None:
    document = make(4, mask="causal")
    for base in SOFTMAX_BASES:
        shifted, plain_ = (
            run(document.with_(softmax=Softmax(base, shift)))["weights"] for shift in (True, False)
        )
        np.testing.assert_allclose(shifted, plain_, rtol=1e-13, atol=0)
    e, two = (run(document.with_(softmax=Softmax(base)))["weights"] for base in ("e", "2"))
    assert np.abs(e - two).max() > 1e-3


def test_another_base_is_scores_times_its_logarithm() -> None:
    document = make(5)
    two = run(document.with_(softmax=Softmax("10")))["weights"]
    scores = run(document)["scaled"]
    np.testing.assert_allclose(
        two, attention.normalise(attention.exponentials(scores * math.log(10))), rtol=1e-12
    )


def test_base_e_with_the_shift_is_what_attend_does() -> None:
    document = make(6, source="qkv", mask="causal")
    trace = run(document)
    whole = attention.attend(trace["Q"], trace["K"], trace["V"], causal=True)
    assert (trace["exp"] == whole.exp).all()
    assert (trace["weights"] == whole.weights).all()


def test_whole_exponents_are_exact() -> None:
    trace = run(load(GOLDEN / "format-1-softmax.attn.json"))
    assert trace["scores"][0].tolist() == [[0, 1, 2], [0, 0, 1], [0, 1, 3]]
    assert trace["exp"][0].tolist() == [[1, 2, 4], [1, 1, 2], [1, 2, 8]]
    assert trace["heads"][0, 0].tolist() == [5.0, 6.0, 15 / 7, 2.0]
    for base in (3, 10):
        powers = attention.exponentials(
            np.array([[0.0, 1.0, 2.0, 3.0]]), base=float(base), shift=False
        )
        assert powers.tolist() == [[1, base, base**2, base**3]]


@given(
    st.lists(st.floats(allow_nan=False, max_value=LARGEST), min_size=1, max_size=5),
    st.sampled_from(ALL),
)
def test_never_nan_nor_infinite_and_a_row_sums_to_1_or_is_nothing(
    row: list[float], softmax: Softmax
) -> None:
    with np.errstate(all="raise"):
        exp = attention.exponentials(np.array([row]), base=softmax.number, shift=softmax.shift)
        weights = attention.normalise(exp)
    assert np.isfinite(exp).all()
    assert (exp >= 0).all()
    assert exp[0][np.isneginf(row)].tolist() == [0.0] * row.count(-math.inf)
    assert weights.sum() == pytest.approx(1.0) or not exp.any()
    if softmax.shift:
        assert exp.max() == (1.0 if max(row) > -math.inf else 0.0)


def test_the_input_stays_as_it_is_and_out_is_filled() -> None:
    scores = np.array([[1.0, -math.inf], [-math.inf, -math.inf]])
    before = scores.copy()
    for softmax in ALL:
        out = np.empty_like(scores)
        assert attention.exponentials(scores, out, base=softmax.number, shift=softmax.shift) is out
        assert (scores == before).all()
        assert out[1].tolist() == [0.0, 0.0]


# Plan, steps, edits


def test_without_the_shift_no_row_opens_with_its_maximum() -> None:
    document = make()
    plans = {softmax: run(document.with_(softmax=softmax)).plan for softmax in ALL}
    assert {softmax.shift: plan["exp"].lead for softmax, plan in plans.items()} == {
        True: "max",
        False: "",
    }
    assert {plan["weights"].lead for plan in plans.values()} == {"sum"}
    assert plans[Softmax()]["exp"].symbol == "e^{s−max}"
    assert plans[Softmax("2")]["exp"].symbol == "2^{s−max}"
    assert plans[Softmax("10", False)]["exp"].symbol == "10^{s}"


def test_the_line_of_positions_is_a_row_of_cells_long() -> None:
    whole, less = (run(make().with_(softmax=Softmax("e", shift))) for shift in (True, False))
    assert timeline(whole).length - timeline(less).length == 5
    cursor, positions = first(less, Cursor(less.plan.stages[0].id), Grain.CELL), []
    for _ in range(timeline(less).length):
        positions.append(timeline(less).position(cursor))
        cursor = step(less, cursor, Grain.CELL, 1)
    assert positions == list(range(timeline(less).length))


@pytest.mark.parametrize("softmax", ALL, ids=str)
def test_the_step_says_what_was_raised_and_what_was_taken_off(softmax: Softmax) -> None:
    document = make(8, mask="causal").with_(softmax=softmax)
    trace = run(document)
    for row, column in ((4, 2), (1, 3)):
        found = derive(document, trace, Cell("exp", row, column, 1))
        assert found.data["base"] == NUMBERS[softmax.base]
        assert ("maximum" in found.data) == softmax.shift
        exponent = found.terms[0].value - found.data.get("maximum", 0.0)
        assert found.value == pytest.approx(found.data["base"] ** exponent, rel=1e-13)
    kinds = [one.kind for one in pair_steps(document, trace, Cell("exp", 4, 2, 1))]
    assert kinds == [
        "dot",
        "scale",
        "mask",
        *(["max"] if softmax.shift else []),
        "exp",
        "sum",
        "quotient",
    ]
    assert derive_lead(document, trace, "weights", 4, 1).kind == "sum"


def test_edit() -> None:
    document = make()
    assert document.softmax == Softmax("e", True)
    assert edits.with_softmax(document, Softmax()) is document
    changed = edits.with_softmax(document, Softmax("3", False))
    assert changed.softmax == Softmax("3", False)
    assert document.softmax == Softmax()
    with pytest.raises(UserError) as caught:
        edits.with_softmax(document, Softmax("7"))
    assert (caught.value.code, caught.value.data["base"]) == ("softmax.base", "7")


def test_only_what_the_softmax_gives_is_computed_anew() -> None:
    document = make(mask="causal", output=True)
    before = run(document)
    for softmax in (Softmax("2"), Softmax("e", False)):
        after = run(edits.with_softmax(document, softmax), before)
        moved = {stage for stage in after if after[stage] is not before[stage]}
        assert moved == {"exp", "weights", "heads", "concat", "Y"}


def test_a_pin_holds_in_every_base() -> None:
    document = make().with_(pins=(Pin("exp", (0, 1, 2), 5.0),), softmax=Softmax("2", False))
    trace = run(document)
    assert trace["exp"][0, 1, 2] == 5.0
    row = trace["exp"][0, 1]
    assert trace["weights"][0, 1, 2] == pytest.approx(5.0 / row.sum())


# Files


def written(document: Document) -> Any:
    return json.loads(dumps(document)).get("softmax")


def test_the_golden_file_opens_forever() -> None:
    path = GOLDEN / "format-1-softmax.attn.json"
    document = load(path)
    assert document.softmax == Softmax("2", False)
    assert dumps(document) == path.read_bytes()


@pytest.mark.parametrize("name", ["format-1.attn.json", "format-1-qkv.attn.json"])
def test_older_files_have_base_e_and_the_shift(name: str) -> None:
    assert load(GOLDEN / name).softmax == Softmax("e", True)


@pytest.mark.parametrize("softmax", ALL, ids=str)
def test_comes_back_and_what_is_as_by_default_is_left_out(softmax: Softmax) -> None:
    document = make().with_(softmax=softmax)
    assert loads(dumps(document)).softmax == softmax
    wanted: dict[str, Any] = {} if softmax.base == "e" else {"base": int(softmax.base)}
    wanted |= {} if softmax.shift else {"shift": False}
    assert written(document) == (wanted or None)


def changed(softmax: str) -> bytes:
    return (
        (GOLDEN / "format-1-softmax.attn.json")
        .read_bytes()
        .replace(b'{"base": 2, "shift": false}', softmax.encode())
    )


def test_a_base_may_be_written_as_a_decimal_number_and_e_as_a_text() -> None:
    assert loads(changed('{"base": 10.0}')).softmax == Softmax("10")
    assert loads(changed('{"base": "e", "shift": false}')).softmax == Softmax("e", False)
    assert loads(changed("{}")).softmax == Softmax()


@pytest.mark.parametrize(
    ("text", "code", "data"),
    [
        ('{"base": 4}', "softmax.base", {"place": "softmax.base", "base": "4"}),
        ('{"base": 2.0000001}', "softmax.base", {"base": "2.0000001"}),
        ('{"base": "2"}', "softmax.base", {"base": "“2”"}),
        ('{"base": "E"}', "softmax.base", {"base": "“E”"}),
        ('{"base": true}', "file.type", {"place": "softmax.base", "actual": "bool"}),
        ('{"base": null}', "file.type", {"place": "softmax.base", "actual": "null"}),
        (
            '{"shift": 1}',
            "file.type",
            {"place": "softmax.shift", "expected": ("bool",), "actual": "int"},
        ),
        ('{"shfit": false}', "file.unknown_key", {"place": "softmax", "known": ("base", "shift")}),
        ("2", "file.type", {"place": "softmax", "expected": ("object",)}),
        ('{"base": 1e999}', "file.not_finite", {"place": "softmax.base"}),
    ],
)
def test_refuses_and_says_where(text: str, code: str, data: dict[str, Any]) -> None:
    with pytest.raises(UserError) as caught:
        loads(changed(text))
    assert caught.value.code == code
    assert data.items() <= caught.value.data.items()
