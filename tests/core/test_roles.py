"""What the matrices of a page are, and the experiment that they make.

`pages` holds whole pages: blog posts, notebooks, lecture notes, sessions, printouts. The numbers in
`expected.json` are those that the pages were written with.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.errors import UserError
from core.exchange.assemble import Draft, assemble
from core.exchange.pages import html_text, notebook_text, readable_text
from core.exchange.role_names import role_of_name
from core.exchange.roles import parse_role, propose_roles
from core.exchange.source_files import read_source
from core.exchange.sources import Entry, entries_of_text

PAGES = Path(__file__).with_name("pages")
EXPECTED: dict[str, dict[str, Any]] = json.loads(
    (PAGES / "expected.json").read_text(encoding="utf-8")
)


def draft_of(entries: Sequence[Entry], **answers: Any) -> Draft:
    return assemble(entries, propose_roles(entries), **answers)


def draft_of_text(text: str, **answers: Any) -> Draft:
    return draft_of(entries_of_text(text), **answers)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_whole_page_becomes_its_experiment(name: str) -> None:
    page, draft = EXPECTED[name], draft_of(read_source(PAGES / name).entries)
    document = draft.document
    assert document is not None, draft.problem
    assert document.source == page["source"]
    for tensor, values in page["tensors"].items():
        role, _, head = tensor.partition(".")
        found = document.tensor("weights" if role == "A" else role, int(head or 1) - 1)
        assert found is not None, tensor
        assert found.tolist() == values, tensor
    assert sorted(role for role in draft.roles if role.startswith("check:")) == page["checks"]
    if "tokens" in page:
        assert list(document.tokens) == page["tokens"]
    if page["source"] != "weights":
        assert document.scale.kind == page.get("scale", "sqrt_dk")
        assert document.mask.kind == page.get("mask", "none")


@pytest.mark.parametrize("name", [name for name, page in EXPECTED.items() if page["checks"]])
def test_the_printed_results_of_a_page_come_out(name: str) -> None:
    draft = draft_of(read_source(PAGES / name).entries)
    assert len(draft.results) == len(EXPECTED[name]["checks"])
    assert all(printed.matched == printed.total for _, _, printed in draft.results.values())


def test_masked_scores_are_no_input() -> None:
    entries = entries_of_text("Q = [[1, 0], [0, 1]] K = [[1, -inf], [0, 1]] V = [[1, 2], [3, 4]]")
    draft = assemble(entries, ("Q", "K", "V"))
    assert draft.document is None
    assert draft.faults.keys() == {1}
    assert draft.faults[1].code == "number.infinite"


@pytest.mark.parametrize(
    ("names", "role"),
    [
        (
            "W_query Wq W_Q w_q q_proj.weight self_attn.q_proj.weight W^Q to_q.weight 查询权重",
            "W_Q",
        ),
        ("W_key wK key_weights k_proj.weight \\mathbf{W}_K 键权重矩阵", "W_K"),
        ("Wv W_value v_proj.weight valueWeights W_{V}", "W_V"),
        ("W_O Wo out_proj.weight W_out o_proj.weight", "W_O"),
        ("Q query queries XWq 查询向量", "Q"),
        ("inputs embeddings E x X input_embeddings tokens 输入 词嵌入 hidden_states", "X"),
        ("positional_encoding pe pos_emb 位置编码", "P"),
        ("b_q q_proj.bias bQ", "b_Q"),
        (
            "attention_weights attn_weights A alpha attn 注意力权重 attn_scores_softmax",
            "check:weights",
        ),
        ("scores attn_scores QK^T qk_t S 注意力得分", "check:scores"),
        ("scaled_scores scores_scaled", "check:scaled"),
        ("context_vec output Z outputs 输出", "check:heads"),
        ("loss epoch mask", "-"),
        ("banana foo", ""),
    ],
)
def test_common_names(names: str, role: str) -> None:
    assert {name: role_of_name(name).role for name in names.split()} == dict.fromkeys(
        names.split(), role
    )


def test_numbers_of_heads_in_names() -> None:
    assert role_of_name("W_K_2") == ("W_K", 2)
    assert role_of_name("heads[1].W_Q") == ("W_Q", 1)
    assert role_of_name("W_{V}^{(3)}") == ("W_V", 3)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("W_Q", ("W_Q", 1, False)),
        ("W_Q.2.T", ("W_Q", 2, True)),
        ("check:scores.3", ("check:scores", 3, False)),
    ],
)
def test_roles_are_read(text: str, part: tuple[str, int, bool]) -> None:
    assert parse_role(text) == part


@pytest.mark.parametrize("text", ["", "W", "W_Q.0", "W_Q.x", "check:", "check:X", "check:nothing"])
def test_unknown_roles_are_refused(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_role(text)
    assert caught.value.code == "role.unknown"


LINEAR = """
X = [[1, 0, 2], [0, 2, 1], [1, 1, 0]]
q_proj.weight = [[0.5, -0.5, 0.0], [0.0, 1.0, 0.5], [0.5, 0.0, -1.0]]
k_proj.weight = [[1.0, 0.0, 0.5], [0.5, 0.5, 0.0], [0.0, -1.0, 0.5]]
v_proj.weight = [[1.0, 0.0, 1.0], [0.0, 2.0, -1.0]]
"""
PRINTED = "scores = [[0.00, 3.50, 3.00], [-1.75, 3.50, 2.50], [1.00, 0.25, 0.50]]\n"


def test_square_layers_without_results_are_asked() -> None:
    draft = draft_of_text(LINEAR)
    assert draft.document is None
    assert draft.problem is not None
    assert draft.problem.code == "role.transposed"
    assert [reading.turned for reading in draft.readings] == [False, True]
    assert draft.open == (1, 2)
    assert 3 in draft.readings[0].document.sizes.values()


def test_printed_results_decide_between_two_readings() -> None:
    draft = draft_of_text(LINEAR + PRINTED)
    assert draft.document is not None
    written, turned = draft.readings
    assert (written.printed.matched, turned.printed) == (0, (9, 9))
    assert draft.document.heads[0].W_Q is not None
    assert draft.document.heads[0].W_Q.tolist() == [
        [0.5, 0.0, 0.5],
        [-0.5, 1.0, 0.0],
        [0.0, 0.5, -1.0],
    ]
    assert draft.turned == {1, 2, 3}


def test_an_answer_settles_the_question() -> None:
    for turned in (False, True):
        draft = draft_of_text(LINEAR, transposed=turned)
        assert draft.document is not None
        assert draft.document.heads[0].W_Q is not None
        assert draft.document.heads[0].W_Q[0, 1] == (0.0 if turned else -0.5)


def test_a_shape_that_fits_only_transposed_is_turned() -> None:
    draft = draft_of_text(
        "X = [[1, 0, 2], [0, 2, 1]]\nWq = [[1, 2, 3], [4, 5, 6]]\nWk = [[1, 0, 3], [4, 5, 6]]\n"
        "Wv = [[1, 2, 3], [4, 5, 7]]\n"
    )
    assert draft.document is not None
    assert draft.document.heads[0].W_K is not None
    assert draft.document.heads[0].W_K.tolist() == [[1, 4], [0, 5], [3, 6]]


def test_a_symmetric_layer_is_no_question() -> None:
    eye = "[[1, 0], [0, 1]]"
    draft = draft_of_text(
        f"X = [[1, 2], [3, 4], [5, 6]]\nq_proj.weight = {eye}\nk_proj.weight = {eye}\nv_proj.weight = {eye}\n"
    )
    assert draft.document is not None


@pytest.mark.parametrize(
    ("roles", "code", "at"),
    [
        (("X", "W_Q", "W_Q", "W_V"), "role.twice", {1, 2}),
        (("X", "W_Q", "W_K", "-"), "role.missing", set()),
        (("-", "W_Q", "W_K", "W_V"), "role.missing", set()),
        (("W_Q", "X", "W_K", "W_V"), "role.shape", {3}),
        (("-", "-", "-", "-"), "role.missing", set()),
    ],
)
def test_what_does_not_fit_is_said(roles: tuple[str, ...], code: str, at: set[int]) -> None:
    entries = entries_of_text(
        "X = [[1, 0, 2], [0, 2, 1]]\nA1 = [[1, 2], [3, 4], [5, 6]]\n"
        "A2 = [[1, 2], [3, 4], [5, 7]]\nA3 = [[1, 2, 3, 4], [4, 5, 7, 9], [1, 1, 1, 2]]\n"
    )
    if code == "role.shape":
        entries = (entries[1], entries[0], entries[2], entries[3])
        entries = (*entries[:3], entries_of_text("Z = [[1, 2, 3, 4, 5]]")[0])
    draft = assemble(entries, roles)
    assert draft.document is None
    assert draft.problem is not None
    assert draft.problem.code == code
    assert set(draft.faults) == at


def test_a_matrix_with_numbers_left_out_is_never_used() -> None:
    draft = draft_of_text("Q = [[1, 2], [3, 4]]\nK = [[1, ..., 2], [3, ..., 4]]\nV = [[1], [2]]\n")
    assert draft.document is None


def test_wrong_printed_numbers_still_go_to_check() -> None:
    draft = draft_of_text(
        "Q = [[1, 0], [0, 1]]\nK = [[1, 1], [0, 1]]\nV = [[1], [2]]\nscores = [[9, 9], [9, 1]]"
    )
    assert draft.roles[3] == "check:scores"
    assert draft.results[3] == ("scores", 0, (1, 4))


def test_a_definition_and_its_print_are_one_matrix() -> None:
    draft = draft_of_text(
        "Q = [[1, 0], [0, 1]]\nK = [[1, 1], [0, 1]]\nV = [[1], [2]]\n>>> Q\narray([[1, 0],\n       [0, 1]])\n"
    )
    assert draft.roles == ("Q", "K", "V", "-")
    assert draft.document is not None


def test_keys_of_another_sentence_are_a_context() -> None:
    draft = draft_of_text(
        "Q = [[1, 0], [0, 1]]\nK = [[1, 1], [0, 1], [2, 2]]\nV = [[1, 2], [2, 5], [3, 1]]\n",
        token=lambda number: f"t{number}",
    )
    assert draft.document is not None
    assert (draft.document.n, draft.document.m) == (2, 3)
    assert draft.document.key_tokens == ("t1", "t2", "t3")


def test_vectors_one_by_one_are_the_rows_of_one_matrix() -> None:
    entries = entries_of_text("q1 = [1, 2, 3]\nq2 = [4, 5, 6]\n")
    assert [entry.matrix.tolist() for entry in entries] == [[[1, 2, 3], [4, 5, 6]]]


def test_lists_of_words_are_tokens() -> None:
    entries = entries_of_text(
        'words = ["red", "fox"]\nX = [[1, 2], [3, 4]]\nnames = ["a", "b", "c"]\n'
    )
    assert [(entry.texts, entry.shape) for entry in entries] == [
        (("red", "fox"), (2,)),
        ((), (2, 2)),
    ]


def test_a_notebook_shows_inputs_and_outputs_and_runs_nothing(tmp_path: Path) -> None:
    output = {
        "output_type": "execute_result",
        "data": {"text/plain": ["array([[1, 2],\n", "       [3, 4]])"]},
    }
    source = f"open({str(tmp_path / 'made')!r}, 'w')\nW_q"
    cell = {"cell_type": "code", "source": source, "outputs": [output]}
    text = notebook_text(json.dumps({"cells": [cell]}))
    assert text.splitlines()[1:] == [">>> W_q", "array([[1, 2],", "       [3, 4]])"]
    assert not (tmp_path / "made").exists()
    assert readable_text(json.dumps({"cells": [cell]})) == text


@pytest.mark.parametrize("text", ["{", '{"cells": 3}', '{"cells": [3]}', "[]"])
def test_a_damaged_notebook_is_refused(text: str) -> None:
    with pytest.raises(UserError) as caught:
        notebook_text(text)
    assert caught.value.code == "import.damaged"


def test_html_keeps_code_tables_and_formulas_and_drops_the_rest() -> None:
    text = html_text(
        "<title>no</title><script>x = [[1, 2]]</script><p>Take <b>W</b></p><pre>A = [[1,\n 2]]</pre>"
        '<table><tr><th>a</th><td>1</td></tr></table><script type="math/tex">Q = 1</script>'
    )
    assert text.splitlines() == ["Take W", "A = [[1,", " 2]]", "a\t1", "$Q = 1$"]


def test_one_projection_of_all_heads_is_cut_where_the_results_say_so() -> None:
    draw = np.random.default_rng(12)
    X, W_Q, W_K, W_V = (
        np.round(draw.uniform(-1, 1, size), 1) for size in ((3, 4), (4, 4), (4, 6), (4, 6))
    )
    W_K = W_K[:, :4]
    weights = []
    for half in (slice(0, 2), slice(2, 4)):
        scores = (X @ W_Q[:, half]) @ (X @ W_K[:, half]).T / np.sqrt(2)
        exponentials = np.exp(scores)
        weights.append(np.round(exponentials / exponentials.sum(axis=1, keepdims=True), 4))
    page = f"X = {X.tolist()}\nW_q = {W_Q.tolist()}\nW_k = {W_K.tolist()}\nW_v = {W_V.tolist()}\n"
    assert draft_of_text(page).document is not None
    printed = "".join(f"weights_{i} = {each.tolist()}\n" for i, each in enumerate(weights, 1))
    draft = draft_of_text(page + printed)
    assert draft.document is not None
    assert (draft.document.h, draft.document.k, draft.document.v) == (2, 2, 3)
    found = draft.document.heads[1].W_V
    assert found is not None
    assert found.tolist() == W_V[:, 3:].tolist()
    assert all(result[2].matched == 9 for result in draft.results.values())
