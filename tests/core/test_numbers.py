"""How numbers are shown and read: what people type, and that nothing is lost on the way."""

import math
import struct
from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.base.errors import UserError
from core.base.number_format import (
    exact,
    read,
    rounds_to_zero,
    show,
    show_all,
    show_significant,
    too_long,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
in_cells = st.floats(-9_999_999, 9_999_999)


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.5, 2, "0.50"),
        (-0.5, 2, "−0.50"),
        (0.0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (-0.004, 2, "0.00"),
        (-0.4, 0, "0"),
        (-1e-300, 8, "0.00000000"),
        (3.0, 0, "3"),
        (0.125, 2, "0.12"),
        (2.675, 2, "2.67"),  # the double lies just below
        (-9999999.5, 1, "−9999999.5"),
        (1e7, 2, "1.00×10⁷"),
        (1.234e300, 2, "1.23×10³⁰⁰"),
        (-1.5e10, 1, "−1.5×10¹⁰"),
        (math.inf, 2, "∞"),
        (-math.inf, 2, "−∞"),
    ],
)
def test_show(value: float, decimals: int, text: str) -> None:
    assert show(value, decimals) == text


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.5, 2, "0.50"),
        (2.0**-8, 2, "0.0039"),
        (-(2.0**-8), 2, "−0.0039"),
        (2.0**-8, 4, "0.0039"),
        (0.4, 0, "0.4"),
        (0.0000294, 2, "2.9×10⁻⁵"),
        (-3e-8, 2, "−3×10⁻⁸"),
        (0.0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (5.6e-17, 2, "0.00"),  # 0.1 + 0.2 − 0.3
        (-math.inf, 2, "−∞"),
    ],
)
def test_what_would_be_zero_is_told_by_its_first_digits(
    value: float, decimals: int, text: str
) -> None:
    assert show_significant(value, decimals) == text


ties = st.integers(-4000, 4000).map(lambda eighths: eighths / 8)
around_zero = st.floats(-0.02, 0.02)


@given(
    st.lists(st.one_of(in_cells, ties, around_zero, st.floats(allow_nan=False)), max_size=12),
    st.integers(0, 8),
)
@example([-0.0, 0.0, -0.004, -0.005, -0.5, -10.0, 0.125, 2.675], 2)
@example([-0.0, -0.4, -0.5, -0.6, -10.4, -100.0], 0)
@example([-math.inf, math.inf, -9_999_999.999, 9_999_999.999], 1)
@example([1e7, -0.001, math.inf, -1e300], 2)
def test_many_numbers_are_shown_as_each_of_them(values: list[float], decimals: int) -> None:
    assert show_all(values, decimals) == [show(value, decimals) for value in values]


@given(finite, st.integers(0, 8))
def test_a_telling_number_is_never_a_false_zero(value: float, decimals: int) -> None:
    text = show_significant(value, decimals)
    if rounds_to_zero(value, decimals):
        assert read(text) == pytest.approx(value, rel=0.05)
    else:
        assert text == show(value, decimals)


@pytest.mark.parametrize("decimals", [-1, 9])
def test_show_has_no_more_decimals_than_eight(decimals: int) -> None:
    with pytest.raises(ValueError, match="decimals"):
        show(1.0, decimals)


@given(in_cells, st.integers(0, 8))
def test_show_rounds_the_double_correctly(value: float, decimals: int) -> None:
    rounded = Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)
    text = show(value, decimals)
    assert Decimal(text.replace("−", "-")) == rounded
    assert ("−" in text) == (rounded < 0)
    assert len(text.partition(".")[2]) == decimals


@given(finite)
@example(-0.0)
@example(5e-324)
@example(1.7976931348623157e308)
def test_exact_reads_back_to_the_same_bits(value: float) -> None:
    assert bits(read(exact(value))) == bits(value)
    assert exact(value).isascii()


@given(finite)
def test_what_is_shown_can_be_read(value: float) -> None:
    assert read(show(value, 8)) == pytest.approx(value, rel=1e-8, abs=5.1e-9)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5),
        (" 0.5\t", 0.5),
        ("\u3000０．５\u3000", 0.5),
        ("－１２．５", -12.5),
        ("＋３", 3.0),
        ("−3", -3.0),
        ("–3", -3.0),
        ("- 3", -3.0),
        ("0。5", 0.5),
        ("0,5", 0.5),
        ("０，５", 0.5),
        (",5", 0.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1,234", 1.234),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("1,234,567", 1234567.0),
        ("1.234.567", 1234567.0),
        ("1,234,567.25", 1234567.25),
        ("1.234.567,25", 1234567.25),
        ("1e3", 1000.0),
        ("1,5E-3", 0.0015),
        ("１ｅ３", 1000.0),
        ("1.5×10^3", 1500.0),
        ("1.5 x 10^-3", 0.0015),
        ("−1.5×10³", -1500.0),
        ("2×10⁻²", 0.02),
        ("1.5*10**3", 1500.0),
        ("1e-400", 0.0),
        ("\u200e7\ufeff", 7.0),
    ],
)
def test_read(text: str, value: float) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "number.empty"),
        (" \u3000\t", "number.empty"),
        ("abc", "number.unreadable"),
        ("nan", "number.unreadable"),
        ("NaN", "number.unreadable"),
        ("inf", "number.infinite"),
        ("-Infinity", "number.infinite"),
        ("−∞", "number.infinite"),
        ("1e400", "number.too_large"),
        ("−1e400", "number.too_large"),
        ("9" * 400, "number.too_large"),
        ("1,23,4", "number.unreadable"),
        ("1,234,5", "number.unreadable"),
        ("1.2.3", "number.unreadable"),
        ("1..2", "number.unreadable"),
        ("1,,234", "number.unreadable"),
        ("1,234.567.8", "number.unreadable"),
        (".", "number.unreadable"),
        (",", "number.unreadable"),
        ("-", "number.unreadable"),
        ("--1", "number.unreadable"),
        ("1 2", "number.unreadable"),
        ("1_000", "number.unreadable"),
        ("0x10", "number.unreadable"),
        ("1e", "number.unreadable"),
        ("1e1.5", "number.unreadable"),
        ("2³", "number.unreadable"),
        ("1×103", "number.unreadable"),
        ("1/2", "number.unreadable"),
        ("__import__('os')", "number.unreadable"),
    ],
)
def test_read_refuses_and_hands_the_text_back(text: str, code: str) -> None:
    with pytest.raises(UserError) as caught:
        read(text)
    assert caught.value.code == code
    assert caught.value.data == {"text": text}


@given(st.text("0123456789.,-+e ×^١½²∞−", max_size=12) | st.text(max_size=12))
def test_read_gives_a_finite_number_or_a_problem(text: str) -> None:
    try:
        value = read(text)
    except UserError:
        return
    assert math.isfinite(value)


def test_too_long_is_what_read_refuses_whatever_its_digits() -> None:
    longest = next(length for length in range(1, 10_000) if too_long(["1" * length]))
    assert read("0." + "1" * (longest - 3)) == pytest.approx(1 / 9)
    with pytest.raises(UserError):
        read("0." + "1" * (longest - 2))
    assert too_long(["1", "2" * longest, "3"])
    assert not too_long(["1", "2" * (longest - 1)])
    assert not too_long([])
