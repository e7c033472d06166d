"""Keys and values of another sentence: the whole run against plain loops, its laws, its edits."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arithmetic import positional_encoding as positions
from core.arithmetic.attention import attend
from core.base.cell import Cell
from core.base.errors import UserError
from core.check.marking import check
from core.compute.trace import run
from core.document import edits, resize
from core.document.create import Sizes, create
from core.document.document import MASK_KINDS, POSITIONAL_KINDS, Document, Mask, Positional
from core.stages import plan
from core.storage.archive import dumps, loads
from tests.core import oracle
from tests.core.documents import make

N, M, D, H, K, V = 5, 7, 6, 3, 2, 4
KINDS = [
    *product(("embeddings",), POSITIONAL_KINDS, MASK_KINDS),
    *product(("qkv",), ("none", "rotary", "alibi"), MASK_KINDS),
]


def cross(seed: int = 0, m: int = M, **settings: object) -> Document:
    """Five queries, seven keys, all else of another size, too."""
    return make(seed, context=m, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(("source", "positional", "mask"), KINDS)
@pytest.mark.parametrize("m", [M, 3])
def test_plain_loops_agree_with_every_mask_and_position(
    source: str, positional: str, mask: str, m: int
) -> None:
    document = cross(
        4,
        m,
        source=source,
        positional=positional,
        mask=mask,
        biases=source == "embeddings",
        output=True,
    )
    trace, expected = run(document), oracle.run(json.loads(dumps(document)))
    assert list(trace) == [stage.id for stage in plan(document)]
    assert set(trace) == set(expected)
    for stage, value in expected.items():
        np.testing.assert_allclose(
            trace[stage], np.array(value), rtol=1e-9, atol=1e-12, err_msg=stage
        )
    assert trace["weights"].shape == (H, N, m)
    assert trace["V"].shape == (H, m, V)
    assert trace["Y"].shape == (N, D)


def test_learned_positions_reach_the_context_only_where_it_has_its_own() -> None:
    without = run(cross(positional="learned", places=False))
    assert list(without)[:4] == ["X", "P", "input", "X_context"]
    assert "P_context" not in without
    document = cross(positional="learned", places=False)
    expected = oracle.run(json.loads(dumps(document)))
    np.testing.assert_allclose(without["Y"], np.array(expected["Y"]), rtol=1e-9, atol=1e-12)


def test_stages_say_what_they_read() -> None:
    found = plan(cross(positional="sinusoidal"))
    assert found.ids[:6] == ("X", "P", "input", "X_context", "P_context", "input_context")
    assert [found[name].reads for name in "QKV"] == [
        ("input",),
        ("input_context",),
        ("input_context",),
    ]
    bare = plan(cross())
    assert [bare[name].reads for name in "QKV"] == [("X",), ("X_context",), ("X_context",)]
    assert "X_context" not in plan(make())
    assert plan(cross(source="qkv")).ids == plan(make(source="qkv")).ids


@given(st.permutations(range(M)), st.sampled_from(("embeddings", "qkv")))
def test_the_order_of_a_context_without_positions_matters_to_the_weights_alone(
    order: list[int], source: str
) -> None:
    document = cross(2, source=source, output=True)
    moved = resize.with_tokens_ordered(document, order, "m")
    before, after = run(document), run(moved)
    assert moved.key_tokens == tuple(document.key_tokens[i] for i in order)
    assert (after["scores"] == before["scores"][:, :, order]).all()
    assert (after["exp"] == before["exp"][:, :, order]).all()
    assert (after["weights"] == before["weights"][:, :, order]).all()
    assert (after["V"] == before["V"][:, order]).all()
    np.testing.assert_allclose(after["Y"], before["Y"], rtol=0, atol=1e-12)


@given(st.permutations(range(N)))
def test_the_order_of_the_queries_is_the_order_of_the_outputs(order: list[int]) -> None:
    document = cross(3, output=True)
    before, after = run(document), run(resize.with_tokens_ordered(document, order))
    assert (after["weights"] == before["weights"][:, order]).all()
    np.testing.assert_allclose(after["Y"], before["Y"][order], rtol=0, atol=1e-12)
    assert after["X_context"] is not None


@pytest.mark.parametrize("settings", [{"causal": True}, {"window": (1, 2)}, {}])
def test_masks_mean_what_they_mean_in_attend(settings: dict[str, object]) -> None:
    mask = Mask("causal") if "causal" in settings else Mask("window", 1, 2) if settings else Mask()
    document = cross(1, mask="none").with_(mask=mask)
    trace = run(document)
    expected = attend(trace["Q"], trace["K"], trace["V"], **settings)  # type: ignore[arg-type]
    np.testing.assert_allclose(trace["weights"], expected.weights, rtol=0, atol=1e-15)
    np.testing.assert_allclose(trace["heads"], expected.output, rtol=0, atol=1e-14)


def test_only_what_reads_the_context_is_computed_anew() -> None:
    document = cross(positional="sinusoidal", mask="causal", output=True)
    first = run(document)
    asked = run(edits.with_cell(document, Cell("X", 1, 2), 9.0), first)
    assert all(
        asked[name] is first[name] for name in ("X_context", "P_context", "input_context", "K", "V")
    )
    assert asked["Q"] is not first["Q"]
    told = run(edits.with_cell(document, Cell("X_context", 6, 2), 9.0), first)
    assert all(told[name] is first[name] for name in ("X", "P", "input", "Q", "P_context"))
    assert told["K"] is not first["K"]


# Edits


def test_a_context_starts_as_a_copy_and_changes_no_number() -> None:
    for settings in (
        {"positional": "learned", "mask": "custom"},
        {"source": "qkv", "mask": "causal"},
    ):
        document = make(5, pins=4, **settings)  # type: ignore[arg-type]
        turned = resize.with_context(document)
        assert turned.context is not None
        assert turned.context.tokens == document.tokens
        before, after = run(document), run(turned)
        assert all((after[stage] == before[stage]).all() for stage in before)
        assert resize.with_context(turned) is turned
        again = resize.without_context(turned)
        assert dumps(again) == dumps(document)
        assert again.filled == document.filled
    marked = {cell.tensor for cell in resize.with_context(make(positional="learned")).filled}
    assert marked == {"X_context", "P_context"}
    assert resize.without_context(make()).context is None


@pytest.mark.parametrize("m", [M, 3])
@pytest.mark.parametrize("source", ["embeddings", "qkv"])
def test_without_a_context_the_keys_are_the_tokens_again(source: str, m: int) -> None:
    document = cross(6, m, source=source, mask="custom", pins=12)
    back = resize.without_context(document)
    assert (back.n, back.m, back.key_tokens) == (N, N, document.tokens)
    kept = min(N, m)
    assert back.mask.allow is not None
    assert document.mask.allow is not None
    assert (back.mask.allow[:, :kept] == document.mask.allow[:, :kept]).all()
    assert back.mask.allow[:, kept:].all()
    if source == "qkv":
        new, old = back.heads[1].K, document.heads[1].K
        assert new is not None
        assert old is not None
        assert (new[:kept] == old[:kept]).all()
        assert (new[kept:] == 0).all()
        assert {cell.row for cell in back.filled if cell.tensor == "K"} == set(range(kept, N))
    assert not {pin.stage for pin in back.pins} & {"X_context", "P_context", "input_context"}
    assert run(back)["weights"].shape == (H, N, N)


def test_tokens_of_either_sentence_come_and_go_alone() -> None:
    document = cross(7, positional="learned", mask="custom", pins=8)
    wider = resize.with_token_added(document, 2, "new", "m")
    assert (wider.n, wider.m) == (N, M + 1)
    assert wider.X is document.X
    assert wider.key_tokens[2] == "new"
    assert {cell.row for cell in wider.filled if cell.tensor == "X_context"} == {2}
    assert {cell.row for cell in wider.filled if cell.tensor == "P_context"} == {
        M
    }  # its rows belong to places
    assert wider.mask.allow is not None
    assert wider.mask.allow[:, 2].all()
    longer = resize.with_token_added(document, 0, "new")
    assert (longer.n, longer.m) == (N + 1, M)
    assert longer.context is not None
    assert document.context is not None
    assert longer.context.X is document.context.X
    back = resize.with_tokens_removed(wider, [2], "m")
    assert dumps(back) == dumps(document)
    named = resize.with_token_named(document, 3, "鱼", "m")
    assert named.key_tokens[3] == "鱼"
    assert named.tokens is document.tokens
    assert resize.with_token_named(named, 3, "鱼", "m") is named
    moved = resize.with_token_moved(document, 0, 6, "m")
    assert moved.key_tokens == (*document.key_tokens[1:], document.key_tokens[0])
    assert moved.context is not None
    assert moved.context.P is not None
    assert document.context.P is not None
    assert (moved.context.P == document.context.P).all()
    single = cross(m=1)
    with pytest.raises(UserError, match=r"tokens\.last"):
        resize.with_tokens_removed(single, [0], "m")
    with pytest.raises(UserError, match=r"context\.absent"):
        resize.with_token_named(make(), 0, "x", "m")


def test_sizes_reach_the_context_too() -> None:
    wider = resize.with_size(cross(positional="learned"), "d", D + 2)
    assert wider.stage_shape("X_context") == (M, D + 2)
    assert {cell.tensor for cell in wider.filled} >= {"X_context", "P_context", "W_K"}
    assert run(wider)["K"].shape == (H, M, K)
    assert run(resize.with_head_added(cross(source="qkv")))["V"].shape == (H + 1, M, V)


def test_the_first_learned_positions_are_given_to_both() -> None:
    learned = edits.with_positional(cross(), Positional("learned"))
    assert learned.context is not None
    assert learned.context.P is not None
    assert learned.context.P.shape == (M, D)
    assert {cell.tensor for cell in learned.filled} == {"P", "P_context"}
    assert learned.inputs[:4] == ("X", "P", "X_context", "P_context")


def test_new_experiments_can_have_a_context() -> None:
    document = create(
        list("abcde"), "embeddings", Sizes(D, K, V, H), seed=3, context=list("ABCDEFG")
    )
    assert (document.n, document.m) == (N, M)
    plain = create(list("abcde"), "embeddings", Sizes(D, K, V, H), seed=3)
    assert plain.X is not None
    assert document.X is not None
    assert (plain.X == document.X).all()
    entered = create(list("abcde"), "qkv", Sizes(D, K, V, H), context=list("ABCDEFG"))
    assert entered.heads[2].K is not None
    assert entered.heads[2].K.shape == (M, K)


# Marking


@pytest.mark.parametrize(("name", "source"), [("K", "X"), ("V", "X"), ("Q", "X_context")])
def test_the_wrong_sentence_is_a_slip_with_a_name(name: str, source: str) -> None:
    document = cross(8, N, output=True)
    trace = run(document)
    weights = np.stack([document.tensor(f"W_{name}", head) for head in range(H)])  # type: ignore[misc]
    report = check(document, {name: np.round(trace[source] @ weights, 3)})
    assert {slip.id for slip in report.mistakes} == {"projection.other_sentence"}
    assert report.mistakes[0].data == {"name": name}
    assert len(report.mistakes[0].cells) == trace[name].size


@pytest.mark.parametrize("m", [M, 3, N])
@pytest.mark.parametrize("positional", POSITIONAL_KINDS)
def test_right_numbers_are_right_and_others_are_looked_into(m: int, positional: str) -> None:
    document = cross(9, m, positional=positional, mask="causal", output=True)
    trace = run(document)
    report = check(document, {stage: trace[stage] for stage in trace})
    assert {mark.verdict for mark in report.marks} == {"right"}
    late = {"P_context": ("position.from_one",)} if positional == "sinusoidal" else {}
    for stage, slips in late.items():
        shifted = positions.sinusoidal(m + 1, D, document.positional.base)[1:]
        found = check(document, {stage: np.round(shifted, 3)})
        assert [slip.id for slip in found.mistakes] == list(slips)
    wrong = check(
        document, {"scores": np.round(trace["scores"], 3) + 7.3, "heads": trace["heads"] * 1.01}
    )
    assert "wrong" in {mark.verdict for mark in wrong.marks}
    with pytest.raises(UserError) as caught:
        check(document, {"weights": np.zeros((H, N, m + 1))})
    assert caught.value.data["axes"] == "h × n × m"


# Files


def broken(**context: object) -> bytes:
    file = json.loads(dumps(cross()))
    file["context"] = {**file["context"], **context}
    return json.dumps({key: value for key, value in file.items() if value is not None}).encode()


@pytest.mark.parametrize(
    ("context", "code", "data"),
    [
        ({"tokens": []}, "context.no_tokens", {}),
        ({"X": None}, "context.X_missing", {}),
        (
            {"X": [[1.0] * D] * 6},
            "shape",
            {"name": "context.X", "axes": "m × d", "expected": (M, D), "actual": (6, D)},
        ),
        (
            {"X": [[1.0] * 5] * M},
            "shape",
            {"name": "context.X", "expected": (M, D), "actual": (M, 5)},
        ),
        (
            {"P": [[1.0] * D] * N},
            "shape",
            {"name": "context.P", "expected": (M, D), "actual": (N, D)},
        ),
        ({"X": [[1.0] * D, [1.0]]}, "rows.ragged", {"place": "context.X", "row": 1}),
        ({"X": [[True] * D] * M}, "file.type", {"place": "context.X[0][0]"}),
        (
            {"K": []},
            "file.unknown_key",
            {"place": "context", "key": "K", "known": ("tokens", "X", "P")},
        ),
        ({"tokens": 3}, "file.type", {"place": "context.tokens"}),
    ],
)
def test_what_is_wrong_with_a_context_and_where(
    context: dict[str, object], code: str, data: dict[str, object]
) -> None:
    with pytest.raises(UserError) as caught:
        loads(broken(**context))
    assert caught.value.code == code
    assert {key: caught.value.data[key] for key in data} == data


def test_a_context_of_entered_keys_has_tokens_alone() -> None:
    document = cross(source="qkv")
    file = json.loads(dumps(document))
    assert set(file["context"]) == {"tokens"}
    file["context"]["X"] = [[1.0]] * M
    with pytest.raises(UserError, match=r"context\.with_qkv"):
        loads(json.dumps(file).encode())
    file["context"] = {"tokens": ["a"]}
    with pytest.raises(UserError) as caught:
        loads(json.dumps(file).encode())
    assert caught.value.data["name"] == "heads[0].K"
    assert caught.value.data["axes"] == "m × k"


def test_without_a_context_nobody_hears_of_m() -> None:
    file = json.loads(dumps(make(source="qkv")))
    file["heads"][0]["K"].pop()
    with pytest.raises(UserError) as caught:
        loads(json.dumps(file).encode())
    assert caught.value.data["axes"] == "n × k"
    assert b"context" not in dumps(make())


def test_a_worked_cross_attention_by_hand() -> None:
    """One query, two keys with scores ln 3 and 0: weights 3/4 and 1/4, and their mean of the values."""
    text = {
        "format": "self-attention-experiment",
        "version": 1,
        "tokens": ["q"],
        "source": "embeddings",
        "X": [[1, 0]],
        "context": {"tokens": ["a", "b"], "X": [[1, 0], [0, 1]]},
        "scale": {"kind": "none"},
        "heads": [{"W_Q": [[1.0986122886681098], [0]], "W_K": [[1], [0]], "W_V": [[4], [8]]}],
    }
    trace = run(loads(json.dumps(text).encode()))
    np.testing.assert_allclose(trace["weights"], [[[0.75, 0.25]]], rtol=0, atol=1e-15)
    np.testing.assert_allclose(trace["Y"], [[5.0]], rtol=0, atol=1e-14)


def test_wholly_masked_late_queries_get_nothing() -> None:
    trace = run(cross(m=2).with_(mask=Mask("window", left=1, right=0)))
    assert (trace["weights"][:, 3:] == 0).all()
    assert (trace["heads"][:, 3:] == 0).all()
    np.testing.assert_allclose(trace["weights"][:, :3].sum(axis=-1), 1.0, rtol=0, atol=1e-12)
