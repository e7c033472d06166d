"""Number format: how numbers are shown to people and read from them."""

import math
import re
from collections.abc import Iterable, Sequence

from core.base.errors import UserError

MINUS = "\N{MINUS SIGN}"
MAX_DECIMALS = 8
LONGEST = 1600  # characters of a number; all digits of the smallest double are about 770
HUGE = 1e7  # from here on shown with a power of ten, as the digits would not fit a cell
WRITTEN = 300  # the most decimals that are counted, either way: powers of ten that are doubles
TINY = 1e-4  # below, `show_significant` writes a power of ten
NOISE = 1e-12  # smaller values may be the rounding error of a sum
SMALLEST = 5e-324  # the smallest double: `noise` for numbers that are no sums

_TO_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "+")
_FROM_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
# Full-width signs are the ASCII block once more, each as wide as a Chinese character.
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_TO_ASCII = _FULL_WIDTH | str.maketrans({**dict.fromkeys("−–‒‐‑﹣", "-"), "。": ".", "∞": "inf"})
_INVISIBLE = "\u200b\u200e\u200f\u2060\ufeff"

_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_POWER_OF_TEN = re.compile(r"\s*[×x*·]\s*10\s*(?:\^|\*\*)\s*", re.IGNORECASE)
_NUMBER = re.compile(r"([-+]?)\s*([\d.,]+)(e[-+]?\d+)?", re.IGNORECASE | re.ASCII)
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}", re.ASCII)
_INFINITE = re.compile(r"[-+]?\s*inf(?:inity)?", re.IGNORECASE)


def show(value: float, decimals: int) -> str:
    """The number with 0 – 8 decimals and a real minus, as tables and sums show it; "−∞" for a
    masked score.

    Values that round to zero are shown as zero without a sign, from ten million on as 1.23×10³⁰⁰.
    Rounding is to the decimal nearest to the double itself (so 0.125 to two places is 0.12, and
    2.675 is 2.67). Raises ValueError for other decimals.
    """
    if not 0 <= decimals <= MAX_DECIMALS:
        raise ValueError(f"decimals: 0 to {MAX_DECIMALS}, not {decimals}")
    if math.isinf(value):
        return "∞" if value > 0 else MINUS + "∞"
    if abs(value) >= HUGE:
        mantissa, exponent = f"{value:.{decimals}e}".split("e")
        return f"{mantissa.replace('-', MINUS)}×10{str(int(exponent)).translate(_TO_SUPERSCRIPT)}"
    text = f"{value:.{decimals}f}"
    if text.startswith("-"):
        return MINUS + text[1:] if text.strip("-0.") else text[1:]
    return text


def show_all(values: Sequence[float], decimals: int) -> list[str]:
    """`show` of each number; all in one format operation unless one needs a power of ten."""
    if any(HUGE <= abs(value) < math.inf for value in values) or not 0 <= decimals <= MAX_DECIMALS:
        return [show(value, decimals) for value in values]
    zero = f"-{0.0:.{decimals}f} "
    text = f"%.{decimals}f " * len(values) % tuple(values)
    return text.replace(zero, zero[1:]).replace("-", MINUS).replace("inf", "∞").split()


def rounds_to_zero(value: float, decimals: int, noise: float = NOISE) -> bool:
    """Whether `show` writes zero for a number of at least `noise`."""
    return noise <= abs(value) < 1.0 and not float(f"{value:.{decimals}f}")


def show_significant(value: float, decimals: int, noise: float = NOISE) -> str:
    """As `show`, but with two significant digits where `show` would write zero: 0.0039, 2.9×10⁻⁵.

    For sums, where 0.00 × 3.00 = 0.04 would be confusing. Cells of tables and pictures use `show`.
    """
    if not rounds_to_zero(value, decimals, noise):
        return show(value, decimals)
    text = f"{value:.2g}"
    if abs(value) < TINY:
        mantissa, exponent = f"{value:.1e}".split("e")
        text = f"{mantissa.removesuffix('.0')}×10{str(int(exponent)).translate(_TO_SUPERSCRIPT)}"
    return text.replace("-", MINUS)


def exact(value: float) -> str:
    """The shortest text that reads back as the same double, with a plain minus, for editors."""
    return repr(float(value))


def shortened(value: float) -> str:
    """A computed number for editors, in 15 significant digits: 0.74 for 0.7400000000000001."""
    return exact(float(f"{value:.15g}"))


def read(text: str) -> float:
    """The number that a text means.

    Full-width digits and signs, a real minus, 1.5e3 and 1.5×10³ are understood. A single comma or
    point is the decimal sign; the last one is, if both occur; a repeated one separates groups of
    three.

    Raises UserError with the text: "number.empty", "number.unreadable", "number.infinite",
    "number.too_large".
    """
    sign, digits, exponent = _parts(text)
    value = float(sign + digits + exponent)
    if math.isinf(value):
        raise UserError("number.too_large", text=text)
    return value


def may_be_thousands(text: str) -> bool:
    """Whether a comma that `read` takes as the decimal sign could separate thousands: 12,345, but
    not 0,345.
    """
    return _THOUSANDS.fullmatch(_ascii(text)) is not None


def decimals_written(text: str) -> int:
    """The number of decimals written: 2 for "0.50", 0 for "12", 3 for "1e-3", −1 for "1.2e2" (tens
    are exact).

    Raises UserError as `read` does.
    """
    _, digits, exponent = _parts(text)
    return max(-WRITTEN, min(len(digits.rpartition(".")[2]) - int(exponent[1:] or "0"), WRITTEN))


def too_long(texts: Iterable[str]) -> bool:
    """Whether one of the texts is longer than any number that `read` takes."""
    return max(map(len, texts), default=0) > LONGEST


def _parts(text: str) -> tuple[str, str, str]:
    """Sign, digits with a point, and the power of ten as e…"""
    if len(text) > LONGEST:
        raise UserError("number.unreadable", text=text[:40] + "…")
    plain = _ascii(text)
    if not plain:
        raise UserError("number.empty", text=text)
    if _INFINITE.fullmatch(plain):
        raise UserError("number.infinite", text=text)
    match = _NUMBER.fullmatch(plain)
    digits = _decimal_point(match[2]) if match else None
    if match is None or digits is None:
        raise UserError("number.unreadable", text=text)
    return match[1], digits, match[3] or ""


def _ascii(text: str) -> str:
    """The text with plain signs in place of full-width and typographic ones, a power of ten as e…"""
    text = _SUPERSCRIPT.sub(lambda power: "^" + power[0].translate(_FROM_SUPERSCRIPT), text)
    text = text.translate(_TO_ASCII).strip(_INVISIBLE).strip().strip(_INVISIBLE)
    return _POWER_OF_TEN.sub("e", text)


def _decimal_point(digits: str) -> str | None:
    """The digits with groups joined and a point as the decimal sign; None if they are not a number."""
    signs = [sign for sign in digits if sign in ",."]
    decimal = signs[-1] if signs and signs.count(signs[-1]) == 1 else ""
    whole, _, fraction = digits.rpartition(decimal) if decimal else (digits, "", "")
    groups = re.split("[,.]", whole)
    grouped = len(groups) > 1
    if len(set(signs) - {decimal}) > 1 or not (whole.strip(",.") or fraction):
        return None
    if grouped and not (1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])):
        return None
    return "".join(groups) + "." + fraction
