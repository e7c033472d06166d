"""Large pasted texts: what is read many cells at a time is what each is alone, and there is an end to it."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from core.base.errors import UserError
from core.exchange import grid, paste
from core.exchange.expression import parse_number
from core.exchange.paste import parse_cells, parse_labelled, parse_matrix

CELLS = (
    "0",
    "-0.0",
    "+1",
    ".5",
    "1.",
    "1e5",
    "-2.5E-3",
    "5e-324",
    "1.7976931348623157e308",
    "50%",
    "-12.5 %",
    ".5%",
    "1/3",
    "-7/9",
    "+2/4",
    "0/5",
    "1.5 \\times 10^{-7}",
    "-2 \\cdot 10^{3}",
    "1.5×10³",
    "√2",
    "2^-1",
    "sqrt(2)/2",
    "½",
)


def test_a_cell_among_others_is_what_it_is_alone() -> None:
    chance = Random(3)
    cells = [
        [chance.choice(CELLS) for _ in range(7)] for _ in range(1500)
    ]  # more than are looked at together
    found = parse_matrix("\n".join("\t".join(row) for row in cells))
    assert found.shape == (1500, 7)
    alone = {cell: parse_number(cell) for cell in CELLS}
    for row, values in zip(cells, found, strict=True):
        assert [value.hex() for value in values.tolist()] == [alone[cell].hex() for cell in row]


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("1__0", "number.unreadable"),
        ("1e", "number.unreadable"),
        ("1.2.3", "number.unreadable"),
        ("nan", "number.infinite"),
        ("1e999", "number.too_large"),
        ("", "number.empty"),
        ("1/0", "number.undefined"),
        ("...", "paste.elided"),
        ("--1", None),
    ],
)
def test_one_cell_among_thousands_of_digits(cell: str, code: str | None) -> None:
    cells = [["1.5"] * 3 for _ in range(4000)]
    cells[2999][1] = cell
    text = "\n".join("\t".join(row) for row in cells)
    if code is None:
        assert parse_matrix(text)[2999, 1] == 1.0
        return
    with pytest.raises(UserError) as caught:
        parse_matrix(text)
    assert (caught.value.code, caught.value.data["row"], caught.value.data.get("column", 2)) == (
        code,
        3000,
        2,
    )


@pytest.mark.parametrize(
    "text", ["1," * 9, "1;" * 9, "1\t" * 9, "1 " * 9, "1&" * 9, "1|" * 9, "1\n" * 9]
)
def test_too_many_cells(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paste, "MOST_CELLS", 8)
    with pytest.raises(UserError) as caught:
        parse_matrix(text)
    assert caught.value.code == "paste.too_many"
    monkeypatch.setattr(paste, "MOST_CELLS", 9)
    if "&" not in text and "|" not in text:
        assert parse_matrix(text).size == 9


@pytest.mark.parametrize(
    "text",
    ["1 2\n" * 4, "[[1], [2], [3]]", "{{1,2},{3,4},{5,6}}", "((1,2),(3,4),(5,6),(7,8),(9,0))"],
)
def test_too_many_rows(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paste, "MOST_ROWS", 3)
    for door in (parse_matrix, parse_labelled, parse_cells):
        with pytest.raises(UserError) as caught:
            door(text)
        assert caught.value.code == "paste.too_many"
    monkeypatch.setattr(paste, "MOST_ROWS", 4)
    assert parse_matrix(text).shape[0] in (3, 4, 5)


def test_too_many_different_expressions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "MOST_EXPRESSIONS", 2)
    np.testing.assert_array_equal(
        parse_matrix("√4, √9, √4, 1/4, 50%, √9"), [[2, 3, 2, 0.25, 0.5, 3]]
    )
    with pytest.raises(UserError) as caught:
        parse_matrix("√4, √9, √16")
    assert (caught.value.code, caught.value.data) == ("paste.laboured", {"limit": 2})
