"""What is read fast is read as the careful reader reads it: the same bits, labels and problems, whatever it is."""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import numpy as np
import pytest

from core.base.errors import UserError
from core.exchange import array_files, grid
from core.exchange.paste import parse_file, parse_labelled, parse_matrix
from tests.core import test_found_by_fuzzing

HARD = (
    "0",
    "-0",
    "-0.0",
    "+0",
    "00",
    "007",
    "1.",
    ".5",
    "-.5",
    "+1",
    "1e5",
    "1E+5",
    "1e-400",
    "-1e-400",
    "4.9e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "2.2250738585072011e-308",
    "1.7976931348623157e308",
    "9007199254740993",
    "9007199254740992.5",
    "123456789012345678901234567890",
    "0.1",
    "0.30000000000000004",
    "1" + "0" * 300,
    "0." + "0" * 300 + "1",
    "3.141592653589793238462643383279502884197169399375105820974944592307816",
)
ODD = (
    "1,2",
    "1,2\n3,4",
    "1, 2\n3, 4",
    "1 ,2\n3 ,4",
    "1 2,3 4",
    "0,5 0,3\n0,1 0,2",
    "0,5\t0,3",
    "1.5\t2,5",
    "1;2",
    "1,2;3,4",
    "1 2\n3 4",
    "1  2\n 3 4 ",
    "1 - 2\n3 4",
    "1 -2\n3 -4",
    "1-2 3\n4 5",
    "1- 2\n3 4",
    "- 1 2\n3 4",
    "1,2\n\n3,4",
    "1\n\n2",
    "1\n2\n3",
    "1,2,\n3,4,",
    ",1,2\n3,4,5",
    "1,,2\n3,4,5",
    "1,2\n3",
    "1,2\n3,4,5",
    "1 2\n3",
    "\n\n1,2\n3,4\n\n",
    "1,2\r\n3,4\r\n",
    "1,2\r3,4",
    "1,2\n \n3,4",
    "1e\n2",
    "e\n1",
    "e,e\n1,2",
    "1e400,1\n2,3",
    "1,2e999",
    "1,000\n2,000",
    "1,234.5\t2",
    "1.2.3\n4",
    "1e5e5 2",
    "--1 2",
    "+-1 2",
    "1_000,2",
    "nan,1",
    "inf,1",
    "0x10,1",
    "1e5,\n2,3",
    "\t1\t2\n\t3\t4",
    "1\t2\n3",
    "1\t 2\n3\t4",
    "E",
    " ",
    "\n \n1",
    "-",
    "+",
    ".",
    "1 .",
    "1,.",
    "e5,1",
    "5e,1",
    "1e+,2",
    "1\n,2",
    "1,2\n3,4 ",
    " 1,2\n3,4",
    "1  ,2",
    "1,  2\n3,4",
    "1,\t2\n3,4",
)

Reader = Callable[[str], object]
READERS: tuple[Reader, ...] = (parse_matrix, parse_labelled, parse_file)


def outcome(read: Reader, text: str) -> object:
    """Bits and labels, or what is wrong and where."""
    try:
        found = read(text)
    except UserError as problem:
        return problem.code, sorted(problem.data.items(), key=str)
    values = found if isinstance(found, np.ndarray) else found.values  # type: ignore[attr-defined]
    labels = () if isinstance(found, np.ndarray) else (found.rows, found.columns)  # type: ignore[attr-defined]
    return values.shape, values.tobytes(), values.flags.writeable, labels


@contextmanager
def carefully() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "_all_fractions", lambda _cells: None)
        patch.setattr(grid, "_all_digits", lambda _cells: None)
        yield


def same(text: str) -> None:
    for read in READERS:
        with carefully():
            expected = outcome(read, text)
        assert outcome(read, text) == expected, (read, text[:200])


class TestTheSame:
    @pytest.mark.parametrize("sign", [",", ", ", "\t", " ", "   ", "\n"])
    def test_hard_numbers(self, sign: str) -> None:
        for number in HARD:
            same(sign.join([number, "1.5", number]) + "\n" + sign.join(["2", number, "-7"]))
        same("\n".join(sign.join([number, "0.25", "-3e-2"]) for number in HARD))

    @pytest.mark.parametrize("text", ODD)
    def test_odd_texts(self, text: str) -> None:
        for around in (
            text,
            f"{text}\n{text}",
            f"5,6\n{text}",
            f"{text}\n5 6",
            text.replace("1", "1/3"),
            f"a\n{text}",
        ):
            same(around)

    def test_what_the_fuzzer_found(self) -> None:
        constants = [item for item in vars(test_found_by_fuzzing).values() if callable(item)]
        texts = [word for item in constants for word in _texts_in(item)]
        assert len(texts) > 20
        for text in texts:
            same(text[:3000])

    def test_damaged_tables(self) -> None:
        chance = random.Random(8)
        for _ in range(300):
            sign = chance.choice([",", ", ", "\t", " "])
            rows = [
                [chance.choice((*HARD, "1/3", "2/7", "-4")) for _ in range(3)] for _ in range(3)
            ]
            text = "\n".join(map(sign.join, rows))
            for _ in range(chance.randrange(4)):
                at = chance.randrange(len(text))
                text = (
                    text[:at]
                    + chance.choice("0159.,;eE+-/ \t\n\r\"'|−½[(")
                    + text[at + chance.randrange(2) :]
                )
            same(text)

    def test_random_bits(self) -> None:
        bits = np.random.default_rng(4).integers(0, 2**64, 3000, dtype=np.uint64).view(np.float64)
        numbers = [repr(float(x)) if i % 2 else f"{x:.{i % 30}e}" for i, x in enumerate(bits)]
        numbers = [number for number in numbers if math.isfinite(float(number))]
        text = "\n".join(map(",".join, zip(*[iter(numbers)] * 7)))  # noqa: B905
        found = parse_matrix(text)
        assert (
            found.tobytes()
            == np.array([float(x) for x in text.replace("\n", ",").split(",")]).tobytes()
        )


def _texts_in(item: object) -> Iterator[str]:
    code = getattr(item, "__code__", None)
    yield from (one for one in getattr(code, "co_consts", ()) if isinstance(one, str) and one)
    for mark in getattr(item, "pytestmark", ()):
        yield from (one for one in json.dumps(mark.args, default=str).split('"') if one)


@contextmanager
def counted() -> Iterator[list[str]]:
    """The functions of Python that are called."""
    calls: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)


def test_rows_of_fractions_are_read_many_at_once() -> None:
    fractions = [
        [f"{i - 9}/{j + 1}" if (i + j) % 3 else f"{i}.5" for j in range(13)] for i in range(900)
    ]
    text = "\n".join(map("\t".join, fractions))
    with counted() as calls:
        found = parse_matrix(text)
    assert len(calls) < 2500  # two for a row: cutting it, and looking for what is left out
    expected = [
        float(a) / float(b or 1)
        for row in fractions
        for a, _, b in (cell.partition("/") for cell in row)
    ]
    assert found.ravel().tolist() == expected


@pytest.mark.parametrize(
    "text",
    ["1/3\t1/0", "1/3\t1e400", "1/3\tx", "1/3\t", "1/3\t½", "1/3\t1//2", "1/3\t1/2/3", "1/3\t/2"],
)
def test_what_is_no_fraction_among_fractions(text: str) -> None:
    same(text)


def test_lists_in_json_are_looked_at_in_one_go() -> None:
    data = json.dumps([[i, i / 7] for i in range(4000)]).encode()
    with counted() as calls:
        found = array_files.from_json(data)
    assert len(calls) < 200
    assert found[""].tolist() == [[i, i / 7] for i in range(4000)]


@pytest.mark.parametrize(
    "node",
    [
        [],
        [[]],
        [[], []],
        [[[]]],
        [1],
        [1, 2.5],
        [True],
        [1, True],
        ["1"],
        [None],
        [[1, 2], [3, 4]],
        [[1], [2, 3]],
        [[1], []],
        [1, [2]],
        [[1], 2],
        [[[1]], [[2]]],
        [[[1]], [2]],
        [[[[1]]]],
        [[[1, "2"]]],
        [[[True]]],
        [{"a": 1}],
        [[{"a": [1]}]],
        [10**400],
        [[1, 10**30]],
    ],
)
def test_a_list_is_an_array_where_all_of_it_is_numbers(node: list[object]) -> None:
    def numbers(item: object, levels: int) -> bool:
        if isinstance(item, list):
            return levels > 0 and all(numbers(one, levels - 1) for one in item)
        return isinstance(item, int | float) and not isinstance(item, bool)

    expected = None
    if numbers(node, 3):
        try:
            expected = np.array(node, dtype=np.float64)
        except (ValueError, OverflowError):
            expected = None
    if expected is not None and (not expected.size or not np.isfinite(expected).all()):
        expected = None
    found = array_files._json_array(node, 3)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert found.tolist() == expected.tolist()
