"""Expressions in cells, and copies that come back bit for bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from core.base.arrays import Array
from core.base.errors import UserError
from core.exchange.expression import parse_number
from core.exchange.paste import parse_matrix, parse_tensor
from core.exchange.write import FORMS, write

finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5),
        ("0,5", 0.5),
        (" １．５ ", 1.5),
        ("−2", -2.0),
        ("1/3", 1 / 3),
        ("√3", math.sqrt(3)),
        ("-√(1+2)", -math.sqrt(3)),
        ("sqrt(2)/2", math.sqrt(2) / 2),
        ("2^-1", 0.5),
        ("2**3", 8.0),
        ("-2^2", -4.0),  # as in mathematics
        ("2^3^2", 512.0),
        ("3²", 9.0),
        ("2⁻¹", 0.5),
        ("pi", math.pi),
        ("2π", 2 * math.pi),
        ("3√4", 6.0),
        ("e", math.e),
        ("e^-1", math.exp(-1)),
        ("exp(-1)", math.exp(-1)),
        ("ln(2) / log2(8)", math.log(2) / 3),
        ("1.5×10^3", 1500.0),
        ("1.5*^3", 1500.0),
        ("12.5%", 0.125),
        ("1e-2%", 1e-4),
        ("½", 0.5),
        ("(1 + 2) * 3 - 4 / 8", 8.5),
        (r"\frac{1}{2}", 0.5),
        (r"\frac{\sqrt{2}}{2}", math.sqrt(2) / 2),
        (r"\sqrt[3]{8}", 2.0),
        (r"-1{,}5", -1.5),
        (r"1.5 \times 10^{-3}", 0.0015),
        ("Sqrt[2]", math.sqrt(2)),
        ("0.5`16", 0.5),
    ],
)
def test_expressions(text: str, value: float) -> None:
    assert parse_number(text) == value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "number.empty"),
        ("  ", "number.empty"),
        ("abc", "number.unreadable"),
        ("1 2", "number.unreadable"),
        ("2(3)", "number.unreadable"),  # may be a product, or an uncertainty of the last digit
        ("1½", "number.unreadable"),
        ("sqrt", "number.unreadable"),
        ("sqrt()", "number.unreadable"),
        ("sqrt(1, 2)", "number.unreadable"),
        ("()", "number.unreadable"),
        ("1 +", "number.unreadable"),
        ("1;2", "number.unreadable"),
        ("pi.real", "number.unreadable"),
        ("e.__class__", "number.unreadable"),
        ("'a'*9", "number.unreadable"),
        ("[1]", "number.unreadable"),
        ("{1}", None),
        ("1 if 1 else 2", "number.unreadable"),
        ("1 < 2", "number.unreadable"),
        ("1 and 2", "number.unreadable"),
        ("f'{1}'", "number.unreadable"),
        ("exec(1)", "number.unreadable"),
        ("0b1", "number.unreadable"),
        ("5!", "number.unreadable"),
        ("1<<9", "number.unreadable"),
        ("1e", "number.unreadable"),
        ("1+" * 1000 + "1", "number.unreadable"),
        ("-" * 390 + "x", "number.unreadable"),
        ("inf", "number.infinite"),
        ("NaN", "number.infinite"),
        ("-∞", "number.infinite"),
        ("1e400", "number.too_large"),
        ("9^9^9", "number.too_large"),
        ("9**9**9**9", "number.too_large"),
        ("exp(1000)", "number.too_large"),
        ("1e999999/1", "number.too_large"),
        ("1/0", "number.undefined"),
        ("0^-1", "number.undefined"),
        ("sqrt(-1)", "number.undefined"),
        ("(-8)^(1/3)", "number.undefined"),
        ("ln(0)", "number.undefined"),
    ],
)
def test_what_is_no_number(text: str, code: str | None) -> None:
    if code is None:
        assert parse_number(text) == 1.0  # braces of LaTeX
        return
    with pytest.raises(UserError) as caught:
        parse_number(text)
    assert caught.value.code == code
    assert len(caught.value.data["text"]) <= 40


@given(st.text(alphabet="0123456789.,eE+-*/^()√π% sqrtpi\\{}[]", max_size=40))
def test_any_text_is_a_finite_number_or_a_problem(text: str) -> None:
    try:
        value = parse_number(text)
    except UserError as problem:
        assert problem.code.startswith("number.")
    else:
        assert math.isfinite(value)


@given(st.text(alphabet="0123456789.,;|&\\[](){}\t\n -e", max_size=60))
def test_any_text_is_a_matrix_or_a_problem(text: str) -> None:
    for parse in (parse_matrix, parse_tensor):
        try:
            array = parse(text)
        except UserError as problem:
            assert problem.code.startswith(("number.", "paste."))
        else:
            assert array.size
            assert np.isfinite(array).all()


# Copies


@pytest.mark.parametrize("form", FORMS)
@given(matrix=arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=finite))
@example(matrix=np.array([[-0.0, 5e-324], [1.7976931348623157e308, 1e22]]))
@example(matrix=np.array([[1e-7]]))
@example(matrix=np.array([[1.0], [2.0], [3.0]]))
def test_a_copy_pasted_back_is_exact(form: str, matrix: Array) -> None:
    pasted = parse_matrix(write(matrix, form))
    assert pasted.shape == matrix.shape
    assert pasted.tobytes() == matrix.tobytes()


@pytest.mark.parametrize("form", FORMS)
@given(
    stack=arrays(
        np.float64,
        st.tuples(st.integers(1, 3), st.integers(2, 4), st.integers(1, 4)),
        elements=finite,
    )
)
def test_a_stack_pasted_back_is_exact(form: str, stack: Array) -> None:
    pasted = parse_tensor(write(stack, form))
    assert pasted.shape == stack.shape
    assert pasted.tobytes() == stack.tobytes()


def test_what_copies_look_like() -> None:
    matrix = [[0.5, -2.0], [1e-7, 3.0]]
    assert write(matrix, "tsv") == "0.5\t-2.0\n1e-07\t3.0\n"
    assert write(matrix, "csv") == "0.5,-2.0\n1e-07,3.0\n"
    assert write(matrix, "numpy") == "np.array([[0.5, -2.0],\n          [1e-07, 3.0]])"
    assert write(matrix, "pytorch") == (
        "torch.tensor([[0.5, -2.0],\n              [1e-07, 3.0]], dtype=torch.float64)"
    )
    assert write(matrix, "matlab") == "[0.5 -2.0; 1e-07 3.0]"
    assert write(matrix, "latex") == (
        "\\begin{bmatrix}\n  0.5 & -2.0 \\\\\n  1 \\times 10^{-7} & 3.0\n\\end{bmatrix}\n"
    )
    assert (
        write(matrix, "markdown") == "|   |   |\n| ---: | ---: |\n| 0.5 | -2.0 |\n| 1e-07 | 3.0 |\n"
    )
    assert write([1.0, 2.0], "csv") == "1.0,2.0\n"


@pytest.mark.parametrize("form", FORMS)
def test_masked_scores_can_be_copied_and_are_refused_when_pasted(form: str) -> None:
    text = write([[1.0, -math.inf], [2.0, 3.0]], form)
    with pytest.raises(UserError) as caught:
        parse_matrix(text)
    assert caught.value.code == "number.infinite"
    assert (caught.value.data["row"], caught.value.data["column"]) == (1, 2)


def test_an_unknown_form() -> None:
    with pytest.raises(UserError) as caught:
        write([[1.0]], "word")
    assert caught.value.code == "kind.unknown"
    assert caught.value.data["known"] == FORMS
