"""Matrices in texts as people copy them: reader_texts.json holds a text of every notation, with the right reading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.base.errors import UserError
from core.exchange.paste import parse_matrices, parse_matrix, parse_tensor
from core.exchange.readers.find import FoundMatrix, find_matrices
from gui.texts.errors import error_message
from gui.texts.exchange import READINGS

TEXTS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "reader_texts.json").read_text(encoding="utf-8")
)
Matrices = list[dict[str, Any]]


def is_reading(found: list[FoundMatrix], wanted: Matrices) -> bool:
    return [one.name for one in found] == [one["name"] for one in wanted] and all(
        one.matrix.tolist() == np.array(other["rows"], dtype=np.float64).tolist()
        for one, other in zip(found, wanted, strict=True)
    )


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case["kind"])
def test_every_text_is_read_rightly_or_asked_about(case: dict[str, Any]) -> None:
    text, expected = case["text"], case["expected"]
    try:
        found = parse_matrices(text)
    except UserError as problem:
        assert expected.keys() & {"refuse", "ask", "or_refuse"}, problem
        assert error_message(problem) != str(problem)  # there is a sentence for it
    else:
        readings = [expected["matrices"]] if "matrices" in expected else []
        readings += expected.get("alternatives", [])
        shown = [(one.name, one.matrix.tolist()) for one in found]
        assert any(is_reading(found, reading) for reading in readings), shown


def test_there_are_texts_of_every_kind() -> None:
    kinds = {case["kind"] for case in TEXTS}
    assert all(sum(case["kind"] == kind for case in TEXTS) >= 15 for kind in kinds)
    assert len(kinds) >= 12


@pytest.mark.parametrize(
    "case", [case for case in TEXTS if "ask" in case["expected"]], ids=lambda case: case["kind"]
)
def test_a_question_shows_every_reading(case: dict[str, Any]) -> None:
    questions = [one.question for one in find_matrices(case["text"]) if one.question is not None]
    assert questions
    for question in questions:
        assert len(question.readings) > 1
        assert {reading.caption for reading in question.readings} <= set(READINGS)
        different = {
            (reading.matrix.shape, reading.matrix.tobytes()) for reading in question.readings
        }
        assert len(different) == len(question.readings)
    if case["expected"]["ask"] is not True:
        shown = [reading.matrix.tolist() for reading in questions[0].readings]
        assert sorted(shown) == sorted(case["expected"]["ask"])


@pytest.mark.parametrize("case", TEXTS[::3], ids=lambda case: case["kind"])
@pytest.mark.parametrize("line", ["\n", "\r\n"])
def test_places_are_those_of_the_text(case: dict[str, Any], line: str) -> None:
    before = f"\ufeffA page.{line}\u200b{line}"
    text = before + case["text"].replace("\n", line)
    for one in find_matrices(text):
        assert len(before) <= one.start < one.end <= len(text)
        assert one.line == text.count("\n", 0, one.start) + 1
        assert any(sign.isdigit() or sign in "½√" for sign in text[one.start : one.end])


def test_a_page_of_several_notations() -> None:
    text = (
        "With d = 2 and 2 heads:\n\nW_Q = np.array([[1.5, -2.0],\n                [0.25, 3.0]])\n\n"
        "Scores:\n\n| | cat | dog |\n|---|---|---|\n| cat | 0.5 | -1 |\n| dog | 2 | 4 |\n\n"
        "$$ A \\approx \\begin{pmatrix} 0.82 & 0.18 \\\\ 0.12 & 0.88 \\end{pmatrix} $$\n"
        "[[1. 2. ... 9.]\n [3. 4. ... 8.]]\n"
    )
    found = find_matrices(text)
    assert [one.name for one in found] == ["W_Q", "Scores", "A", None]
    assert [one.line for one in found] == [3, 8, 13, 14]
    assert [one.decimals for one in found[:3]] == [2, 1, 2]
    assert found[1].row_labels == found[1].column_labels == ("cat", "dog")
    assert found[3].refusal is not None
    assert found[3].refusal.code == "paste.elided"
    assert found[3].matrix.shape == (0, 0)


def test_lists_in_cells_have_the_words_beside_them_as_labels() -> None:
    text = "| token | q | k |\n|---|---|---|\n| cat | [1, 2] | [0, 1] |\n| dog | [3, 4] | [5, 6] |"
    q, k = find_matrices(text)
    assert (q.name, k.name) == ("q", "k")
    assert q.row_labels == k.row_labels == ("cat", "dog")
    assert q.start < k.start < q.end
    [listed] = find_matrices("| token | q |\n|---|---|\n| cat | 1, 2 |\n| dog | 3, 4 |")
    assert (listed.name, listed.row_labels) == ("q", ("cat", "dog"))


@pytest.mark.parametrize(
    ("text", "header", "captions"),
    [
        ("2019 0.5 1\n2021 0.25 2\n2024 1.5 3", "2019 2021 2024", ["data", "column"]),
        ("1/5\t0.5\t0.25\n1/6\t1.5\t0.75", "1/5 1/6", ["data", "column"]),
        ("0 1 2\n0.5 1.5 2.5\n0.1 0.2 0.3", "0 1 2", ["data", "row"]),
    ],
)
def test_a_question_about_a_header_quotes_it(text: str, header: str, captions: list[str]) -> None:
    [found] = find_matrices(text)
    assert found.question is not None
    assert found.question.problem.data["text"] == header
    assert [reading.caption for reading in found.question.readings] == captions


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("2024-01-05 09:30:00 0.5 1\n2024-01-06 09:30:00 0.25 2", ("2024-01-05_09:30:00",)),
        ("Jan 5, 2024  0.5  1\nJan 6, 2024  0.25  2", ("Jan_5__2024",)),
        ("2024-01 0.5 1\n2024-02 0.25 2", ("2024-01",)),
    ],
)
def test_dates_are_labels(text: str, labels: tuple[str, ...]) -> None:
    [found] = find_matrices(text)
    assert found.matrix.tolist() == [[0.5, 1.0], [0.25, 2.0]]
    assert found.row_labels[:1] == labels


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("S = softmax([[1, 2], [3, 4]])", "paste.leftover"),
        ("S = [[1, 2], [3, 4]].'", "paste.leftover"),
        (
            r"A = \mathrm{softmax}\left(\begin{pmatrix}1&2\\3&4\end{pmatrix}\right)",
            "paste.leftover",
        ),
        ("(0, 1)\t1.5\n(1, 0)\t2.5", "paste.sparse"),
        ("tensor(indices=tensor([[0, 1]]), values=tensor([3., 4.]), size=(2,))", "paste.sparse"),
    ],
)
def test_what_is_not_the_matrix_is_refused_with_a_reason(text: str, code: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_matrices(text)
    assert caught.value.code == code


def test_a_named_result_of_a_formula_keeps_its_name() -> None:
    found = find_matrices(
        r"A = \mathrm{softmax}\left(\begin{pmatrix}1&2\end{pmatrix}\right)"
        r" = \begin{pmatrix}0.27&0.73\end{pmatrix}"
    )
    assert [one.name for one in found] == [None, "A"]


def test_more_axes_are_a_list_of_matrices_with_one_place() -> None:
    stack = np.arange(24.0).reshape(2, 3, 4)
    found = find_matrices(f"heads = {stack.tolist()}")
    assert [one.name for one in found] == ["heads", "heads"]
    assert len({(one.start, one.end) for one in found}) == 1
    np.testing.assert_array_equal([one.matrix for one in found], stack)
    np.testing.assert_array_equal(parse_tensor(f"heads = {stack.tolist()}"), stack)


def test_masked_scores_are_refused_and_still_shown() -> None:
    [found] = find_matrices("[[0.5, -inf], [0.25, 1]]")
    assert found.refusal is not None
    assert found.refusal.code == "number.infinite"
    assert found.matrix.tolist() == [[0.5, -np.inf], [0.25, 1.0]]


def test_masked_scores_of_a_page_are_results_and_no_input() -> None:
    scores = "masked scores:\n[[0.5, -inf], [0.25, 1]]\nX = [[1, 2], [3, 4]]"
    assert parse_matrices(scores)[0].matrix.tolist() == [[0.5, -np.inf], [0.25, 1.0]]
    with pytest.raises(UserError, match=r"number\.infinite"):
        parse_matrix("[[0.5, -inf], [0.25, 1]]")
    for text in ("[[0.5, inf], [0.25, 1]]", "[[0.5, nan], [0.25, 1]]"):
        with pytest.raises(UserError, match=r"number\.infinite"):
            parse_matrices(text)


def test_a_linear_weight_is_asked_about() -> None:
    [found] = find_matrices("layers.0.q_proj.weight: tensor([[1., 2., 3.], [4., 5., 6.]])")
    assert found.question is not None
    shapes = {reading.caption: reading.matrix.shape for reading in found.question.readings}
    assert shapes == {"transposed": (3, 2), "as written": (2, 3)}
    assert find_matrices("norm.weight: tensor([[1., 2.]])")[0].question is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("01/05/2024\t1\n2\t3", "number.date"),
        ("q = np.array([1, 2, 3]).reshape(2, 2)", "paste.sizes"),
        ("Matrix(2, 2, [1, 2, 3, 4])", "paste.order"),
        ("0,5\n0,25", "paste.doubt"),
        ("(0.50)\t1", "paste.doubt"),
        ("structure(c(1, 2, 3, 4), dim = c(2, x))", "paste.leftover"),
        ("1 2\nx y", None),
    ],
)
def test_what_is_wrong_is_named(text: str, code: str | None) -> None:
    if code is None:
        assert parse_matrix(text).tolist() == [[1.0, 2.0]]
        return
    with pytest.raises(UserError) as caught:
        parse_matrix(text)
    assert caught.value.code == code


PIECES = st.sampled_from(
    [
        *"[](){}|&\\,;:=%#\n\t -'\"<>*/^.…x1e",
        "0.5",
        "1,5",
        "12",
        "W_Q",
        "cat",
        "array(",
        "c(",
        "np.",
        ">>> ",
        "\\begin{pmatrix}",
        "\\end{pmatrix}",
        "\\\\",
        "[1,]",
        "nan",
        "2×2 Matrix{Float64}:\n",
        "// ",
        "    ",
        "|---|",
        "{{1,2},{3,4}}",
        "[[1, 2], [3, 4]]",
        "1 2\n3 4\n",
        "1\t2\n",
        "Columns 1 through 2\n",
        "1e3 *\n",
    ]
)


@settings(max_examples=400)
@given(st.lists(PIECES, max_size=40).map("".join))
@example("0)\n\t")
@example("1 2\n||")
def test_no_text_is_too_strange(text: str) -> None:
    for one in find_matrices(text):
        assert one.matrix.ndim == 2
        assert 0 <= one.start <= one.end <= len(text)
        assert one.refusal is not None or np.isfinite(one.matrix).all()
    for parse in (parse_matrices, parse_matrix, parse_tensor):
        try:
            parse(text)
        except UserError as problem:
            assert problem.code.startswith(("number.", "paste."))


LONG = 1_000_000  # where time grows with the square, nobody would see the end of it


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "(",
        "{",
        "0",
        " ",
        "\n",
        "a(",
        "a[",
        "[]",
        "()",
        "\\begin{pmatrix}",
        "\\pmatrix{",
        "|",
        "/*",
        "/*/",
        "(*",
        "'",
        '"',
        "=",
        "#",
        "%",
        "\\frac{",
        "\\left(",
        "<!--",
        ">>> ",
        "1&\\\\",
        "_",
        "e-",
        "(1,.,.) =\n",
        "[1",
        "[1,",
        "a.b(",
        "A<<1,",
        "x=",
        "f<",
        "{a:",
        "'a':",
        "<p",
        "http://",
        "- ",
        "\x00",
    ],
)
def test_long_texts_are_gone_over_once(piece: str) -> None:
    assert all(one.refusal is not None for one in find_matrices(piece * (LONG // len(piece))))


NOTATIONS = {
    "spaces": "V:\n{} {} {}\n{} {} {}\n{} {} {}",
    "aligned": "     a      b      c\ncat  {}   {}   {}\ndog  {}   {}   {}\nsun  {}   {}   {}",
    "tabs": "{}\t{}\t{}\n{}\t{}\t{}\n{}\t{}\t{}",
    "commas": "w,a,b,c\ncat,{},{},{}\ndog,{},{},{}\nsun,{},{},{}",
    "matlab": "A =\n\n   {}   {}   {}\n   {}   {}   {}\n   {}   {}   {}\n",
    "R": "     [,1]  [,2]  [,3]\n[1,]  {}  {}  {}\n[2,]  {}  {}  {}\n[3,]  {}  {}  {}",
    "julia": "3×3 Matrix{{Float64}}:\n {}  {}  {}\n {}  {}  {}\n {}  {}  {}",
    "numpy": "[[{} {} {}]\n [{} {} {}]\n [{} {} {}]]",
    "python": "Q = [[{}, {}, {}],\n     [{}, {}, {}],\n     [{}, {}, {}]]",
    "wolfram": "{{{{{}, {}, {}}}, {{{}, {}, {}}}, {{{}, {}, {}}}}}",
    "latex": "\\begin{{bmatrix}} {} & {} & {} \\\\ {} & {} & {} \\\\ {} & {} & {} \\end{{bmatrix}}",
    "markdown": "| | a | b | c |\n|---|---|---|---|\n| cat | {} | {} | {} |\n| dog | {} | {} | {} |\n| sun | {} | {} | {} |",
    "footer": " {}  {}  {}\n {}  {}  {}\n {}  {}  {}\n[ CPUFloatType{{3,3}} ]",
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("place", range(9))
def test_one_bad_cell_never_shortens_a_matrix(notation: str, place: int) -> None:
    numbers = [f"{value:.2f}" for value in np.linspace(-1.3, 2.9, 9)]
    [whole] = find_matrices(NOTATIONS[notation].format(*numbers))
    assert whole.matrix.ravel().tolist() == [float(number) for number in numbers]
    for bad in ("x", "...", "nan", "12:30"):
        text = NOTATIONS[notation].format(*[*numbers[:place], bad, *numbers[place + 1 :]])
        found = find_matrices(text)
        assert any(one.refusal is not None for one in found), (text, found)


def test_a_label_before_a_list_of_several_rows_labels_none_of_them() -> None:
    (found,) = find_matrices("| cat | {1, 2}, {3, 4} |")
    assert found.matrix.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert len(found.row_labels) in (0, 2)
