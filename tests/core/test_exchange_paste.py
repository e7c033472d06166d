"""The door for pasted numbers: a table of texts, good and bad."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from core.base.errors import UserError
from core.exchange.paste import LARGEST_TEXT, parse_labelled, parse_matrix, parse_tensor

AB = [[1.0, 2.0], [3.0, 4.0]]
DECIMALS = [[0.5, -0.25], [1500.0, 0.003]]

GOOD: dict[str, tuple[str, list[list[float]] | Any]] = {
    # spreadsheets
    "a header": ("a,b\n1,2\n3,4", AB),
    "underscores of code": ("1_000 2_5.5", [[1000, 25.5]]),
    "excel": ("1\t2\r\n3\t4\r\n", AB),
    "libreoffice": ("1\t2\n3\t4\n", AB),
    "one cell": ("0.74", [[0.74]]),
    "one row": ("1\t2\t3", [[1, 2, 3]]),
    "one column": ("1\n2\n3\n", [[1], [2], [3]]),
    "excel in German": ("0,5\t−0,25\r\n1500\t3,0E-03\r\n", DECIMALS),
    "excel with thousands": ("1,234\t0.5\n1,234,567\t2", [[1234, 0.5], [1234567, 2]]),
    "excel, quoted": ('"1"\t"2"\n"3"\t"4"', AB),
    "excel percent": ("50%\t12.5 %\n100%\t0%", [[0.5, 0.125], [1, 0]]),
    # comma, semicolon, spaces
    "csv": ("1,2\n3,4\n", AB),
    "csv with spaces": ("1, 2\n3, 4", AB),
    "csv, separators at line ends": ("1,2,\n3,4,\n", AB),
    "csv, quoted decimal commas": ('"0,5","−0,25"\n"1500","0,003"', DECIMALS),
    "csv with a byte order mark": ("\ufeff1,2\n3,4\n", AB),
    "csv with semicolons": ("1;2\n3;4", AB),
    "csv of the continent": ("0,5;-0,25\n1500;0,003", DECIMALS),
    "one line with semicolons": ("0,5;0,3", [[0.5, 0.3]]),
    "spaces": ("1 2\n3 4", AB),
    "decimal commas and spaces": ("0,5 0,3\n1 2,25", [[0.5, 0.3], [1, 2.25]]),
    "aligned columns": ("   0.5   -0.25 \n  1500    0.003  ", DECIMALS),
    "empty lines between": ("1 2\n\n3 4\n", AB),
    "full-width": ("０．５，－０．２５\n１５００，０．００３", DECIMALS),
    "an ideographic space": ("1\u30002\n3\u30004", AB),
    "no-break spaces": ("1\u00a02\n3\u00a04", AB),
    "old Mac lines": ("1\t2\r3\t4\r", AB),
    "every minus": ("−1 –2\n‒3 －4", [[-1, -2], [-3, -4]]),
    # NumPy
    "numpy print": ("[[ 1.  2.]\n [ 3.  4.]]", AB),
    "numpy print, scientific": ("[[ 5.0e-01 -2.5e-01]\n [ 1.5e+03  3.0e-03]]", DECIMALS),
    "numpy repr": ("array([[1., 2.],\n       [3., 4.]])", AB),
    "numpy repr with dtype": ("array([[1, 2],\n       [3, 4]], dtype=float32)", AB),
    "numpy script": ("X = np.array([[1, 2],\n              [3, 4]])", AB),
    "numpy print, rows wrapped": ("[[1. 2.\n  3.]\n [4. 5.\n  6.]]", [[1, 2, 3], [4, 5, 6]]),
    "numpy print, one long row wrapped": (
        str(np.arange(16) / 7),
        (np.arange(16) / 7).round(8).reshape(1, 16),
    ),
    "numpy repr, one long row wrapped": (
        repr(np.arange(16) / 4),
        (np.arange(16) / 4).reshape(1, 16),
    ),
    "numpy scalars in a list": ("[np.float64(0.5), np.float64(-0.25)]", [[0.5, -0.25]]),
    "numpy, one head": ("[[[1. 2.]\n  [3. 4.]]]", AB),
    # Python, PyTorch and its like
    "lists": ("[[1, 2], [3, 4]]", AB),
    "tuples": ("((1, 2), (3, 4))", AB),
    "one list": ("[1, 2,\n 3, 4]", [[1, 2, 3, 4]]),
    "rows without brackets around": ("[1, 2],\n[3, 4],", AB),
    "json": ("[\n  [\n    1,\n    2\n  ],\n  [\n    3,\n    4\n  ]\n]", AB),
    "torch": ("tensor([[1., 2.],\n        [3., 4.]])", AB),
    "torch with gradient": ("tensor([[1., 2.],\n        [3., 4.]], grad_fn=<MmBackward0>)", AB),
    "torch on a GPU": (
        "tensor([[1., 2.], [3., 4.]], device='cuda:0', dtype=torch.float64, requires_grad=True)",
        AB,
    ),
    "torch parameter": (
        "Parameter containing:\ntensor([[1., 2.],\n        [3., 4.]], requires_grad=True)",
        AB,
    ),
    "tensorflow": ("tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)", AB),
    # MATLAB, Octave, Julia
    "matlab": ("[1 2; 3 4]", AB),
    "matlab with a name": ("A = [1, 2; 3, 4];", AB),
    "matlab rows by line": ("[1 2\n 3 4]", AB),
    "matlab continued, plain": ("[1 ...\n 2; 3 4]", AB),
    "matlab comment within": ("[1 2; % one\n 3 4]", AB),
    "matlab signs without commas": ("[1 -2; 3 - 1 +4]", [[1, -2], [2, 4]]),
    "matlab with remarks": ("A = [1, 2; % one\n     3, 4] % two", AB),
    "matlab continued with a remark": ("[1 ... first\n 2; 3 4]", AB),
    "percent with a space": ("10 % 20%", [[0.1, 0.2]]),
    "matlab expressions": ("[1/2 sqrt(2)/2; 2^-1 pi]", [[0.5, math.sqrt(2) / 2], [0.5, math.pi]]),
    "matlab prints": ("A =\n\n   1   2\n   3   4\n\n", AB),
    "rows by semicolon without brackets": ("1 2; 3 4", AB),
    "julia": ("Float64[1.0 2.0; 3.0 4.0]", AB),
    "julia prints": ("2×2 Matrix{Float64}:\n 1.0  2.0\n 3.0  4.0", AB),
    "julia fractions": ("[1//2 3//4]", [[0.5, 0.75]]),
    "column of matlab": ("[1; 2; 3]", [[1], [2], [3]]),
    # LaTeX, Markdown, Wolfram
    "bmatrix": (r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}", AB),
    "pmatrix, last line ended": ("\\begin{pmatrix}\n1 & 2 \\\\\n3 & 4 \\\\\n\\end{pmatrix}", AB),
    "array": (r"\left[\begin{array}{r|r} 1 & 2 \\ \hline 3 & 4 \end{array}\right]", AB),
    "latex equation": (r"$$ W_Q = \begin{bmatrix} 1 & 2 \\[2pt] 3 & 4 \end{bmatrix}. $$", AB),
    "latex fractions": (
        r"\begin{matrix}\frac{1}{2} & \tfrac14 \\ \frac{\sqrt{2}}{2} & -\sqrt3 \end{matrix}",
        [[0.5, 0.25], [math.sqrt(2) / 2, -math.sqrt(3)]],
    ),
    "latex powers": (
        r"1.5 \times 10^{-3} & 2 \cdot 10^3 \\ 2^{-1} & \pi \\",
        [[0.0015, 2000], [0.5, math.pi]],
    ),
    "markdown": ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", AB),
    "markdown, numbers on top": ("| 1 | 2 |\n|--:|:-:|\n| 3 | 4 |", AB),
    "markdown, no rule": ("| 1 | 2 |\n| 3 | 4 |", AB),
    "markdown of pandas": (
        "|    |   x |   y |\n|---:|----:|----:|\n|  0 |   1 |   2 |\n|  1 |   3 |   4 |",
        AB,
    ),
    "markdown in a fence": ("```\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n```", AB),
    "wolfram": ("{{1, 2}, {3, 4}}", AB),
    "wolfram numbers": ("{{0.5`, -0.25`16.}, {1.5*^3, 3.*^-3}}", DECIMALS),
    "wolfram expressions": (
        "{{Sqrt[2]/2, Pi}, {E, 1/3}}",
        [[math.sqrt(2) / 2, math.pi], [math.e, 1 / 3]],
    ),
    # expressions between separators
    "expressions in a csv": (
        "1/3,√3\nsqrt(2)/2,2^-1",
        [[1 / 3, math.sqrt(3)], [math.sqrt(2) / 2, 0.5]],
    ),
    "scientific": ("1.5e3 1.5×10^3 1.5×10³", [[1500, 1500, 1500]]),
    "spaces around operators": ("1 / 2  3 * 4\n5 - 1  2", [[0.5, 12], [4, 2]]),
    "two groups": ("(1+2)/3, 4\n(2+2)/2, 6", [[1, 4], [2, 6]]),
}

BAD: dict[str, tuple[str, str, dict[str, Any]]] = {
    # text, code, and what the problem must name
    "nothing": ("", "paste.empty", {}),
    "spaces alone": (" \n\t\n ", "paste.empty", {}),
    "empty list": ("[]", "paste.empty", {}),
    "empty lists": ("[[], []]", "paste.empty", {}),
    "empty tensor": ("tensor([], size=(0, 3))", "paste.empty", {}),
    "a word": ("1 2\n3 abc", "number.unreadable", {"row": 2, "column": 2, "text": "abc"}),
    "a word in a spreadsheet": (
        "1\tx y\n3\t4",
        "number.unreadable",
        {"row": 1, "column": 2, "text": "x y"},
    ),
    "a word in lists": (
        "[[1, 2], [3, four]]",
        "number.unreadable",
        {"row": 2, "column": 2, "text": "four"},
    ),
    "a word in latex": (
        r"\begin{bmatrix}1&2\\3&x\end{bmatrix}",
        "number.unreadable",
        {"row": 2, "column": 2},
    ),
    "an empty cell": ("1\t\t3\n4\t5\t6", "number.empty", {"row": 1, "column": 2}),
    "an empty cell of csv": ("1,,3\n4,5,6", "number.empty", {"row": 1, "column": 2}),
    "ragged lines": ("1 2 3\n4 5", "paste.ragged", {"row": 2, "expected": 3, "actual": 2}),
    "ragged lists": (
        "[[1, 2], [3, 4], [5]]",
        "paste.ragged",
        {"row": 3, "expected": 2, "actual": 1},
    ),
    "ragged matlab": ("[1 2; 3]", "paste.ragged", {"row": 2, "expected": 2, "actual": 1}),
    "ragged latex": (r"\begin{bmatrix}1&2\\3\end{bmatrix}", "paste.ragged", {"row": 2}),
    "an empty list among rows": ("[[1, 2], []]", "paste.ragged", {"row": 2, "actual": 0}),
    "numpy left out rows": ("[[1. 2.]\n [3. 4.]\n ...\n [5. 6.]]", "paste.elided", {"row": 3}),
    "numpy left out columns": ("[[1. 2. ... 9.]\n [3. 4. ... 8.]]", "paste.elided", {"row": 1}),
    "numpy repr left out": (
        "array([[1, 2],\n       ...,\n       [5, 6]])",
        "paste.elided",
        {"row": 2},
    ),
    "latex left out": (
        r"\begin{bmatrix} 1 & \cdots \\ 3 & 4 \end{bmatrix}",
        "paste.elided",
        {"row": 1},
    ),
    "julia left out": (
        "2×3 Matrix{Float64}:\n 1.0  …  2.0\n 3.0  …  4.0",
        "paste.elided",
        {"row": 1},
    ),
    "infinity": ("1 inf\n3 4", "number.infinite", {"row": 1, "column": 2}),
    "minus infinity": ("[[1, 2], [3, -Infinity]]", "number.infinite", {"row": 2, "column": 2}),
    "infinity as a sign": ("1 2\n3 −∞", "number.infinite", {"row": 2, "column": 2}),
    "not a number": ("[[nan, 2.]]", "number.infinite", {"row": 1, "column": 1}),
    "numpy's infinity": ("np.array([[1, -np.inf]])", "number.infinite", {"row": 1, "column": 2}),
    "beyond the doubles": ("1e400 2", "number.too_large", {"row": 1, "column": 1, "text": "1e400"}),
    "a power tower": ("9^9^9\t1", "number.too_large", {"row": 1, "column": 1, "text": "9^9^9"}),
    "a huge exponent": ("[1e999999]", "number.too_large", {"row": 1, "column": 1}),
    "a huge factor": ("1e308*10, 2", "number.too_large", {"row": 1, "column": 1}),
    "division by zero": ("1/0 2", "number.undefined", {"row": 1, "column": 1, "text": "1/0"}),
    "root of a negative": ("[sqrt(-1), 2]", "number.undefined", {"row": 1, "column": 1}),
    "complex": ("[1+2j, 3]", "number.unreadable", {"row": 1, "column": 1, "text": "1+2j"}),
    "true": ("[[True, 2]]", "number.unreadable", {"row": 1, "column": 1}),
    "none": ("[[1, None]]", "number.unreadable", {"row": 1, "column": 2}),
    "a call": ("__import__('os').system('x')", "number.unreadable", {"row": 1, "column": 1}),
    "an attribute": ("(1).__class__, 2", "number.unreadable", {"row": 1, "column": 1}),
    "a lambda": ("[(lambda: 0)(), 1]", "number.unreadable", {"row": 1, "column": 1}),
    "strings": ("[['a', 'b']]", "number.unreadable", {"row": 1, "column": 1}),
    "a hexadecimal": ("0x10 1", "number.unreadable", {"row": 1, "column": 1}),
    "an underscore too many": ("1__000 1", "number.unreadable", {"row": 1, "column": 1}),
    "half an exponent": ("1e 2", "number.unreadable", {"row": 1, "column": 1, "text": "1e"}),
    "two decimal signs": ("0,5\t0.3\n1\t2", "paste.commas", {"row": 1, "column": 1, "text": "0,5"}),
    "one number or two": ("0,5", "paste.ambiguous", {"text": "0,5"}),
    "latex without its end": (
        r"\begin{bmatrix} 1 & 2",
        "paste.bracket",
        {"text": r"\begin{bmatrix}"},
    ),
    "latex environments without end": (r"\begin{bmatrix}" * 100_000, "paste.bracket", {}),
    "open bracket": ("[[1, 2], [3, 4]", "paste.bracket", {"text": "["}),
    "wrong bracket": ("[[1, 2), [3, 4]]", "paste.bracket", {"text": ")"}),
    "closed too often": ("[[1, 2]]]", "paste.bracket", {"text": "]"}),
    "three axes": ("[[[1, 2]], [[3, 4]]]", "paste.several", {"actual": 2}),
    "four axes": ("[[[[1]], [[2]]], [[[3]], [[4]]]]", "paste.axes", {"actual": 4}),
    "nesting without end": ("[" * 100_000 + "1" + "]" * 100_000, "paste.axes", {}),
    "parentheses without end": ("(" * 100_000 + "1" + ")" * 100_000, "paste.axes", {}),
    "parentheses in a cell": (
        "(" * 250 + "1" + ")" * 250,
        "number.unreadable",
        {"row": 1, "column": 1},
    ),
    "two blocks": ("1 2\n3 4\n\n5 6\n7 8", "paste.several", {"actual": 2}),
    "a factor in front": (r"\frac{1}{2} \begin{bmatrix} 1 & 2 \end{bmatrix}", "paste.leftover", {}),
    "transposed behind": (
        r"\begin{bmatrix} 1 & 2 \end{bmatrix}^T",
        "paste.leftover",
        {"text": "^T"},
    ),
    "text behind": ("[[1, 2]] * 3", "paste.leftover", {"text": "* 3"}),
    "text between": ("[[1, 2] and [3, 4]]", "paste.leftover", {"text": "and"}),
    "an open quote": ('"1,2\n3,4', "paste.quotes", {}),
    "prose": ("The quick brown fox", "number.unreadable", {"row": 1, "column": 1, "text": "The"}),
    "digits without end": ("1" * 1_000_000, "number.too_large", {"row": 1, "column": 1}),
    "too much": ("1" * (LARGEST_TEXT + 1), "paste.too_large", {"limit": LARGEST_TEXT}),
    "ten megabytes": ("1" * 10_000_000, "paste.too_large", {}),
    "an expression without end": (
        "1+" * 1_000_000 + "1",
        "number.unreadable",
        {"row": 1, "column": 1},
    ),
}


def test_the_table_is_long_enough() -> None:
    assert len(GOOD) + len(BAD) >= 60


@pytest.mark.parametrize("name", GOOD)
def test_good(name: str) -> None:
    text, expected = GOOD[name]
    array = parse_matrix(text)
    assert array.dtype == np.float64
    assert not array.flags.writeable
    np.testing.assert_array_equal(array, np.array(expected, dtype=float))


@pytest.mark.parametrize("name", BAD)
def test_bad(name: str) -> None:
    text, code, data = BAD[name]
    with pytest.raises(UserError) as caught:
        parse_matrix(text)
    assert caught.value.code == code, caught.value
    for key, value in data.items():
        assert caught.value.data[key] == value, caught.value
    for value in caught.value.data.values():
        assert len(str(value)) <= 60, "a problem quotes no more than fits a line"


STACK = np.arange(12.0).reshape(2, 3, 2)


@pytest.mark.parametrize(
    "text",
    [
        str(STACK),
        repr(STACK),
        repr(STACK.tolist()),
        "tensor(" + repr(STACK.tolist()) + ", grad_fn=<StackBackward0>)",
        "0 1\n2 3\n4 5\n\n6 7\n8 9\n10 11\n",
        "0,1\n2,3\n4,5\n\n\n6,7\n8,9\n10,11",
        "cat(3, [0 1; 2 3; 4 5], [6 7; 8 9; 10 11])",
        r"\begin{bmatrix}0&1\\2&3\\4&5\end{bmatrix}, \begin{bmatrix}6&7\\8&9\\10&11\end{bmatrix}",
        "{{{0,1},{2,3},{4,5}},{{6,7},{8,9},{10,11}}}",
    ],
)
def test_stacks_of_matrices(text: str) -> None:
    np.testing.assert_array_equal(parse_tensor(text), STACK)


def test_one_matrix_is_a_stack_of_one_and_unlike_matrices_are_named() -> None:
    assert parse_tensor("1 2 3\n4 5 6").shape == (1, 2, 3)
    with pytest.raises(UserError) as caught:
        parse_tensor("1 2\n3 4\n\n5 6")
    assert caught.value.code == "paste.heads"
    assert caught.value.data == {"head": 2, "expected": (2, 2), "actual": (1, 2)}


@pytest.mark.parametrize(
    ("text", "rows", "columns"),
    [
        ("\t吃\t鱼\n小猫\t1\t2\n狗\t3\t4\n", ("小猫", "狗"), ("吃", "鱼")),
        ("a,b\n1,2\n3,4", (), ("a", "b")),
        ("cat 1 2\ndog 3 4", ("cat", "dog"), ()),
        ("token;x;y\ncat;1;2\ndog;3;4", ("cat", "dog"), ("x", "y")),
        (",x,y\n0,1,2\n1,3,4", ("0", "1"), ("x", "y")),
        ("1 2\n3 4", (), ()),
    ],
)
def test_labels_are_recognised(text: str, rows: tuple[str, ...], columns: tuple[str, ...]) -> None:
    found = parse_labelled(text)
    np.testing.assert_array_equal(found.values, AB)
    assert (found.rows, found.columns) == (rows, columns)


@pytest.mark.parametrize(
    "text", ["nan nan\n1 2", "NaN\tinf\n3\t4", "#N/A\t1\n#DIV/0!\t2", "∞ ∞\n0 1"]
)
def test_what_could_not_be_worked_out_is_no_label(text: str) -> None:
    with pytest.raises(UserError) as refused:
        parse_labelled(text)
    assert (refused.value.data["row"], refused.value.data["column"]) == (1, 1)


def test_what_may_be_a_slip_is_no_label() -> None:
    with pytest.raises(UserError) as caught:
        parse_labelled("x,y\n1,2\nl,4")
    assert caught.value.code == "number.unreadable"
    assert (caught.value.data["row"], caught.value.data["column"]) == (3, 1)
    with pytest.raises(UserError):
        parse_labelled("abc")
