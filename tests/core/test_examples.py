"""The examples keep every promise that their notes make. Recomputed here from the files with plain loops."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest

from core.base.errors import UserError
from core.base.files import resource
from core.compute.trace import run
from core.document.document import Document, Positional
from core.document.stack_edits import with_layer
from core.storage.examples import EXAMPLES, example_path, load_example
from tests.core.stacks import ATTENTION_EXAMPLES, STACK_EXAMPLES, plain_stack

Matrix = list[list[float]]
SWAPS = [(0, 1), (0, 2), (1, 2)]


def read(example_id: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(example_path(example_id).read_text(encoding="utf-8"))
    return document


def heads_of(file: dict[str, Any]) -> list[dict[str, Any]]:
    """The heads of a file, in a stack layer by layer."""
    return [head for owner in file.get("layers", [file]) for head in owner["heads"]]


def times(a: Matrix, b: Matrix) -> Matrix:
    """The matrix product, one product after the other."""
    return [
        [sum(a[i][t] * b[t][j] for t in range(len(b))) for j in range(len(b[0]))]
        for i in range(len(a))
    ]


def sinusoids(n: int, d: int) -> Matrix:
    angles = [[p / 10000.0 ** (2 * (c // 2) / d) for c in range(d)] for p in range(n)]
    return [[math.cos(a) if c % 2 else math.sin(a) for c, a in enumerate(row)] for row in angles]


def softmax(row: list[float], seen: int) -> list[float]:
    """Weights over the first `seen` keys, 0 on the rest."""
    numerators = [math.exp(s - max(row[:seen])) for s in row[:seen]]
    return [e / math.fsum(numerators) for e in numerators] + [0.0] * (len(row) - seen)


def attend_slowly(file: dict[str, Any]) -> tuple[list[Matrix], list[Matrix], Matrix]:
    """Scores (h, n, n), weights (h, n, n) and Y of an experiment file, without NumPy."""
    n, x = len(file["tokens"]), file.get("X", [])
    if file["positional"]["kind"] == "sinusoidal":
        x = [
            [a + b for a, b in zip(r, p, strict=True)]
            for r, p in zip(x, sinusoids(n, len(x[0])), strict=True)
        ]
    all_scores: list[Matrix] = []
    all_weights: list[Matrix] = []
    rows: Matrix = [[] for _ in range(n)]
    for head in file["heads"]:
        other = file["context"]["X"] if "context" in file else x
        sources = {"Q": x, "K": other, "V": other}
        q, k, v = (
            head[c] if file["source"] == "qkv" else times(sources[c], head[f"W_{c}"]) for c in "QKV"
        )
        scores = times(q, [list(column) for column in zip(*k, strict=True)])
        scaled = [[s / math.sqrt(len(q[0])) for s in row] for row in scores]
        weights = [
            softmax(row, i + 1 if file["mask"]["kind"] == "causal" else len(row))
            for i, row in enumerate(scaled)
        ]
        for row, mixed in zip(rows, times(weights, v), strict=True):
            row += mixed
        all_scores.append(scores)
        all_weights.append(weights)
    return all_scores, all_weights, times(rows, file["W_O"]) if file.get("W_O") else rows


def swapped(file: dict[str, Any], a: int, b: int, positional: str) -> dict[str, Any]:
    order = list(range(len(file["tokens"])))
    order[a], order[b] = b, a
    moved = {name: [file[name][i] for i in order] for name in ("tokens", "X")}
    return {**file, **moved, "positional": {"kind": positional}}


def test_every_file_is_in_the_list_and_every_entry_has_its_file() -> None:
    files = {
        path.name.removesuffix(".attn.json") for path in resource("examples").glob("*.attn.json")
    }
    assert files == set(EXAMPLES)
    assert len(EXAMPLES) == len(set(EXAMPLES)) == 12


def test_the_notes_of_the_first_example_say_in_english_what_its_tokens_mean() -> None:
    assert load_example("cat-eats-fish").notes.startswith("Cat eats fish, in Chinese 小猫 吃 鱼")


def test_an_unknown_id_says_which_are_known() -> None:
    with pytest.raises(UserError) as caught:
        load_example("dog-eats-fish")
    assert caught.value.code == "example.unknown"
    assert caught.value.data == {"id": "dog-eats-fish", "known": list(EXAMPLES)}


@pytest.mark.parametrize("example_id", EXAMPLES)
def test_the_file_loads_into_the_numbers_that_stand_in_it(example_id: str) -> None:
    file, document = read(example_id), load_example(example_id)
    assert (document.title, document.notes, list(document.tokens)) == (
        file["title"],
        file["notes"],
        file["tokens"],
    )
    assert 0 < len(document.title) <= 40
    assert 2 <= document.notes.count(". ") + document.notes.endswith(".") <= 4
    if document.is_stack:
        layers = [layer["heads"] for layer in file["layers"]]
        assert [layer.heads[0].name for layer in document.layers] == [
            heads[0].get("name", "") for heads in layers
        ]
        for number, heads in enumerate(layers, 1):
            for index, head in enumerate(heads):
                for name in set(head) - {"name"}:
                    tensor = document.tensor(f"L{number}.{name}", index)
                    assert np.array_equal(tensor, head[name])  # type: ignore[arg-type]
        return
    for name in ("X", "W_O"):
        assert (document.tensor(name) is None) == (name not in file)
        if name in file:
            assert np.array_equal(document.tensor(name), file[name])  # type: ignore[arg-type]
    for index, head in enumerate(file["heads"]):
        assert document.heads[index].name == head.get("name", "")
        for name in set(head) - {"name"}:
            assert np.array_equal(document.tensor(name, index), head[name])  # type: ignore[arg-type]


@pytest.mark.parametrize("example_id", STACK_EXAMPLES)
def test_the_trace_of_a_stack_agrees_with_plain_loops(example_id: str) -> None:
    document = load_example(example_id)
    trace, slow = run(document), plain_stack(document)
    assert {name.rpartition(".")[2] for name in set(trace) - set(slow)} <= {
        "scaled",
        "masked",
        "exp",
    }
    for stage, expected in slow.items():
        np.testing.assert_allclose(trace[stage], expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("example_id", ATTENTION_EXAMPLES)
def test_the_trace_agrees_with_plain_loops(example_id: str) -> None:
    trace = run(load_example(example_id))
    scores, weights, output = map(np.array, attend_slowly(read(example_id)))
    for stage, expected in (("scores", scores), ("weights", weights), ("Y", output)):
        assert trace[stage].shape == expected.shape
        np.testing.assert_allclose(trace[stage], expected, rtol=1e-11, atol=1e-12)


def test_every_text_of_the_examples_has_its_chinese_and_no_more() -> None:
    files = [read(example_id) for example_id in EXAMPLES]
    texts = {file[key] for file in files for key in ("title", "notes")}
    texts |= {head["name"] for file in files for head in heads_of(file) if "name" in head}
    translations = json.loads(
        resource("i18n", "zh_CN", "examples.json").read_text(encoding="utf-8")
    )
    assert list(translations) == sorted(texts)
    assert all(
        any("一" <= letter <= "鿿" for letter in chinese) for chinese in translations.values()
    )


@pytest.mark.parametrize("example_id", EXAMPLES)
def test_the_file_reads_well_in_a_diff(example_id: str) -> None:
    """UTF-8 as people write it, one row of a matrix on a line."""
    text = example_path(example_id).read_text(encoding="utf-8")
    assert "\\u" not in text
    rows = [
        row
        for head in heads_of(read(example_id))
        for name, rows in head.items()
        if name != "name"
        for row in rows
    ]
    lines = {line.strip().removesuffix(",") for line in text.splitlines()}
    assert all(json.dumps(row) in lines for row in rows)


def test_cat_eats_fish_shows_the_true_sums() -> None:
    trace = run(load_example("cat-eats-fish"))
    true_scores = [[0.74, 0.44, 0.32], [0.50, 0.50, 0.50], [0.18, 0.58, 0.74]]
    np.testing.assert_allclose(trace["scores"][0], true_scores, rtol=0, atol=1e-15)
    rounded = [[0.39, 0.32, 0.29], [0.33, 0.33, 0.33], [0.26, 0.35, 0.39]]
    assert trace["weights"][0].round(2).tolist() == rounded


def test_translation_keeps_what_its_notes_promise() -> None:
    document = load_example("translation")
    weights = run(document)["weights"][0]
    assert weights.shape == (4, 5)
    at = {(q, k): i for i, q in enumerate(document.tokens) for k in document.key_tokens}
    shown = {
        pair: round(float(weights[i, document.key_tokens.index(pair[1])]), 2)
        for pair, i in at.items()
    }
    assert (shown["ate", "吃"], shown["ate", "了"], shown["yesterday", "昨天"]) == (
        0.48,
        0.48,
        0.93,
    )
    best = [document.key_tokens[int(j)] for j in weights.argmax(axis=1)]
    assert [best[i] for i in (0, 2, 3)] == ["我", "苹果", "昨天"]


def test_i_love_this_apple_is_drawn_from_the_seed_in_its_notes() -> None:
    file = read("i-love-this-apple")
    assert "np.random.seed(42)" in file["notes"]
    legacy = np.random.RandomState(
        42
    )  # the generator behind np.random.seed, without touching the global one
    assert np.array_equal(file["X"], legacy.randn(4, 8))
    for name in ("W_Q", "W_K", "W_V"):
        assert np.array_equal(file["heads"][0][name], legacy.randn(8, 4) * 0.1)


def test_i_love_this_apple_gives_the_published_figures() -> None:
    trace = run(load_example("i-love-this-apple"))
    assert trace["weights"][0, 0].round(3).tolist() == [0.250, 0.242, 0.254, 0.254]
    assert trace["Y"][0].round(3).tolist() == [-0.032, 0.143, -0.215, -0.045]
    _, weights, output = attend_slowly(read("i-love-this-apple"))
    assert [round(w, 3) for w in weights[0][0]] == [0.250, 0.242, 0.254, 0.254]
    assert [round(y, 3) for y in output[0]] == [-0.032, 0.143, -0.215, -0.045]


@pytest.mark.parametrize(
    ("name", "found"), [("grammar", "发布"), ("meaning", "iPhone"), ("reference", "苹果")]
)
def test_each_head_of_apple_looks_where_its_name_says(name: str, found: str) -> None:
    document = load_example("apple-released-iphone")
    head = [head.name for head in document.heads].index(name)
    row = run(document)["weights"][head, document.tokens.index("苹果")]
    assert document.tokens[int(row.argmax())] == found
    assert row.max() > 0.6
    assert f"{row.max():.2f}" == "0.81"  # as the notes say


def test_apple_comes_out_as_a_company_and_not_as_a_fruit() -> None:
    fruit, company = run(load_example("apple-released-iphone"))["Y"][0, :2]
    assert (f"{company:.2f}", f"{fruit:.2f}") == ("1.62", "-0.81")


@pytest.mark.parametrize("example_id", ["apple-released-iphone", "four-words-causal"])
def test_what_is_followed_by_hand_has_whole_numbers_only(example_id: str) -> None:
    file = read(example_id)
    weights = [rows for head in file["heads"] for name, rows in head.items() if name != "name"]
    entries = {
        x for rows in (file["X"], *weights, file.get("W_O", [])) for row in rows for x in row
    }
    assert entries <= {-1, 0, 1, 2}


@pytest.mark.parametrize(("a", "b"), SWAPS)
def test_without_positions_a_swap_of_tokens_only_swaps_rows(a: int, b: int) -> None:
    file, document = read("who-ate-whom"), load_example("who-ate-whom")
    order = list(range(3))
    order[a], order[b] = b, a
    before, after = (run(plain(document, rows))["Y"] for rows in ([0, 1, 2], order))
    assert np.array_equal(after, before[order])  # exactly, to the last bit
    slow = [
        attend_slowly({**file, "positional": {"kind": "none"}}),
        attend_slowly(swapped(file, a, b, "none")),
    ]
    np.testing.assert_allclose(slow[1][2], [slow[0][2][i] for i in order], rtol=0, atol=1e-15)


def plain(document: Document, order: list[int]) -> Document:
    """The same experiment without positions, its tokens in another order."""
    assert document.X is not None
    tokens = tuple(document.tokens[i] for i in order)
    return document.with_(tokens=tokens, X=document.X[order], positional=Positional())


@pytest.mark.parametrize(("a", "b"), SWAPS)
def test_with_positions_a_swap_changes_every_row(a: int, b: int) -> None:
    file = read("who-ate-whom")
    order = list(range(3))
    order[a], order[b] = b, a
    before = np.array(attend_slowly(file)[2])
    after = np.array(attend_slowly(swapped(file, a, b, "sinusoidal"))[2])
    assert np.abs(after - before[order]).max(axis=1).min() > 0.01


def test_who_ate_whom_has_an_even_width_and_the_weights_of_its_notes() -> None:
    document = load_example("who-ate-whom")
    assert document.d >= 4
    assert document.d % 2 == 0
    with_positions = run(document)["weights"][0, 1]
    without = run(plain(document, [0, 1, 2]))["weights"][0, 1]
    assert [f"{w:.2f}" for w in without[[0, 2]]] == ["0.37", "0.37"]
    assert [f"{w:.2f}" for w in with_positions[[2, 0]]] == ["0.61", "0.25"]


def test_four_words_sees_nothing_of_the_future() -> None:
    document = load_example("four-words-causal")
    trace = run(document)
    weights = trace["weights"][0]
    assert weights[0].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert not np.triu(weights, 1).any()
    assert (weights[np.tril_indices(4)] > 0).all()
    assert weights[1:].max() < 0.9  # not saturated: there is something to weigh
    assert all(token.isascii() for token in document.tokens)


def test_four_words_can_be_done_with_a_pencil() -> None:
    trace = run(load_example("four-words-causal"))
    allowed = trace["scaled"][0][np.tril_indices(4)]
    assert np.array_equal(allowed, allowed.round())
    scores = trace["scores"][0]
    assert scores.max() == scores[1, 2] == 6  # from "like" to "green", which the notes point at
    assert int(trace["weights"][0, 3].argmax()) == 2


def test_the_pronoun_finds_the_thing_and_with_another_row_of_W_Q_the_person() -> None:
    file = read("which-apple-pronoun")
    tokens = file["tokens"]
    it = tokens.index("它")
    _, (weights,), y = attend_slowly(file)
    assert [f"{weight:.2f}" for weight in weights[it]] == [
        "0.87" if token == "苹果" else "0.03" for token in tokens
    ]
    assert [f"{number:.2f}" for number in y[it]] == ["0.03", "0.87", "0.03"]
    for place, row in enumerate(weights):
        assert place == it or row == pytest.approx([1 / len(tokens)] * len(tokens))
    pronoun = file["X"][it].index(1)
    file["heads"][0]["W_Q"][pronoun] = [0, 5]
    _, (weights,), _ = attend_slowly(file)
    assert max(range(len(tokens)), key=weights[it].__getitem__) == tokens.index("小明")


def test_each_head_of_the_sentence_finds_what_it_is_named_after() -> None:
    file = read("ming-ate-that-apple")
    tokens = file["tokens"]
    assert file["X"] == [[int(i == j) for j in range(5)] for i in range(5)]
    _, weights, _ = attend_slowly(file)
    found = {head["name"]: rows for head, rows in zip(file["heads"], weights, strict=True)}
    asked = {
        ("who", "吃"): "小明",
        ("what", "吃"): "苹果",
        ("done", "吃"): "了",
        ("which", "那个"): "苹果",
        ("which", "苹果"): "那个",
    }
    for name, rows in found.items():
        for token, row in zip(tokens, rows, strict=True):
            wanted = asked.get((name, token))
            said = [f"{weight:.2f}" for weight in row]
            if wanted is None:
                assert said == ["0.20"] * 5
            else:
                assert said == ["0.81" if key == wanted else "0.05" for key in tokens]


@pytest.mark.parametrize("example_id", EXAMPLES)
def test_notes_say_who_made_the_numbers(example_id: str) -> None:
    notes, chinese = (
        load_example(example_id).notes,
        json.loads(resource("i18n", "zh_CN", "examples.json").read_text(encoding="utf-8")),
    )
    assert re.search(r"by hand|entered directly|drawn|Random numbers", notes)
    assert re.search(r"手工设计|直接给出|抽取|随机数", chinese[notes])


def test_a_block_by_hand_has_halves_only_and_a_sensible_word_follows_each() -> None:
    document = load_example("block-by-hand", resource("i18n", "en"))
    for name in document.inputs:
        for head in range(document.scope(name).h):
            tensor = document.tensor(name, head)
            assert tensor is None or np.array_equal(2 * tensor, np.round(2 * tensor))
    assert document.output is not None
    found = run(document)["probabilities"].argmax(axis=1)
    assert [document.output.vocabulary[word] for word in found] == ["like", "tea", "."]


def test_induction_continues_the_pattern_and_needs_its_first_layer() -> None:
    document = load_example("induction", resource("i18n", "en"))
    assert document.output is not None
    trace = run(document)
    words, last = document.output.vocabulary, trace["probabilities"][-1]
    assert words[int(last.argmax())] == "summer"
    assert last.max() > 0.9
    before = trace["L1.weights"][0]
    assert all(before[row, row - 1] > 0.9 for row in range(1, 5))
    assert trace["L2.weights"][0, 4].argmax() == 2  # the place after the first spring
    alone = run(with_layer(document, 1, enabled=False))["probabilities"][-1]
    assert alone.max() < 0.6


@pytest.mark.parametrize(
    ("adjective", "negated", "found"),
    [("bad", True, 1), ("bad", False, 0), ("good", True, 0), ("good", False, 1)],
)
def test_not_bad_judges_all_four_sentences(adjective: str, negated: bool, found: int) -> None:
    document = load_example("not-bad")
    assert document.X is not None
    X = np.array(document.X)
    X[-1, 0] = 1.0 if adjective == "good" else -1.0
    X[3, 1] = float(negated)
    row = run(document.with_(X=X))["probabilities"][-1]
    assert row.argmax() == found
    assert row.max() > 0.9
