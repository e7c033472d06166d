"""Every problem has its sentence, in both languages, with everything filled in."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.errors import UserError
from core.exchange.tables import read_table
from core.storage.archive import loads
from gui.texts.errors import REASONS, SENTENCES, VARIANTS, error_message, place_text
from gui.texts.translation import languages, use_language

ROOT = Path(__file__).resolve().parent.parent
HAN = re.compile(r"[\u4e00-\u9fff]")


def raised() -> dict[str, set[str]]:
    """Every code in the program with the names of the data that it comes with."""
    codes: dict[str, set[str]] = {}
    for path in sorted([*(ROOT / "core").rglob("*.py"), *(ROOT / "gui").rglob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "id", "") == "UserError"
                and node.args
            ):
                code = node.args[0]
                if isinstance(code, ast.Constant):
                    codes.setdefault(code.value, set()).update(
                        key.arg for key in node.keywords if key.arg
                    )
    # The two ways to the disk give their code to one function.
    for code in ("file.unreadable", "file.unwritable"):
        codes[code] = {"path", "reason", "detail"}
    codes["export.steps"] = codes["export.scenes"] = {"text", "limit"}  # one function checks both
    codes["export.too_many_frames"] = codes["export.too_many"] = {"actual", "limit"}
    # A control of a lab says by its kind what it takes.
    bounds = {"control", "value", "low", "high"}
    codes |= {f"lab.value.{kind}": bounds for kind in ("number", "whole")}
    codes |= {f"lab.value.{kind}": {*bounds, "count"} for kind in ("numbers", "points")}
    codes["lab.value.option"] = {"control", "value", "known"}
    for code in ("head.missing", "head.unexpected"):  # the place is given by one function
        codes[code] = {"head", "name", "source"}
    for code in ("output.height", "output.bias_without_weights"):  # the place only in layers
        codes[code] -= {"place"}
    codes["lab.value.switch"] = {"control", "value"}
    codes["lab.value.order"] = {"control", "value", "count", "high"}
    return codes


RAISED = raised()
VALUES: dict[str, Any] = {
    "row": 2,
    "line": 3,
    "column": 4,
    "byte": 5,
    "head": 1,
    "index": (1, 2),
    "name": "X",
    "place": "heads[1].W_Q[2][0]",
    "expected": (3, 2),
    "actual": (5, 2),
    "known": ("a", "b"),
    "axes": "n × d",
    "path": "x.json",
    "reason": "denied",
    "detail": "Permission denied",
    "text": "abc",
    "value": 2.5,
    "size": 0,
    "axis": "k",
    "kind": "half",
    "stage": "Z",
    "shape": (3, 3),
    "source": "qkv",
    "own": 2,
    "h": 2,
    "v": 3,
    "heads": 6,
    "groups": 4,
    "side": "left",
    "id": "no",
    "key": "W_q",
    "version": 2,
    "format": "other",
    "limit": 10,
    "least": 0,
    "most": 2,
    "file": "../x.attn.json",
    "first": "W_Q",
    "base": "7",
    "n": 4,
    "m": 5,
    "control": "speed",
    "lab": "roles",
    "low": 1,
    "high": 9,
    "count": 3,
    "needed": 3000,
    "available": 900,
    "along": "columns",
    "entry": 1,
    "role": "W_Q",
    "kv_from": 2,
    "c": 6,
    "d": 5,
    "u": 7,
    "dtype": "F4",
    "model": "tiny",
}
SPECIAL = {
    "file.type": {"expected": ("float", "null"), "actual": "str"},
    "output.height": {"expected": 6},
}


def example(code: str) -> UserError:
    given = {name: VALUES[name] for name in RAISED[code]}
    if code == "file.syntax":
        given["reason"] = "comma"
    return UserError(code, **given | SPECIAL.get(code, {}))


def test_there_is_a_sentence_for_every_code_and_a_code_for_every_sentence() -> None:
    assert len(RAISED) > 50
    assert set(SENTENCES) == set(RAISED)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("code", sorted(RAISED))
def test_every_sentence_is_whole(code: str, language: str) -> None:
    use_language(language)
    said = error_message(example(code))
    assert not re.search(r"[{}]|None|\(\)", said)
    assert "\n" not in said
    assert said.endswith("." if language == "en" else "。")
    assert bool(HAN.search(said)) == (language == "zh_CN")
    for name in {field for _, field, _, _ in string.Formatter().parse(SENTENCES[code]) if field}:
        assert name in {*RAISED[code], "where", "reason", "value", "known"}, (
            "a placeholder that nobody fills"
        )


def test_places_are_keys_and_words() -> None:
    assert place_text("heads[1].W_Q[2][0]") == "heads[1].W_Q[2][0] (head 2, row 3, column 1)"
    assert place_text("heads[0].b_V[3]") == "heads[0].b_V[3] (head 1, number 4)"
    assert place_text("scenes[2].changes.heads[0].Q[1][0]") == (
        "scenes[2].changes.heads[0].Q[1][0] (scene 3, head 1, row 2, column 1)"
    )
    assert place_text("lesson") == "the lesson"
    assert place_text("tokens[4]") == "tokens[4] (token 5)"
    assert place_text("pins[0].index[1]") == "pins[0].index[1] (pin 1, number 2)"
    assert place_text("mask.allow[0][2]") == "mask.allow[0][2] (row 1, column 3)"
    assert place_text("X") == "X"
    assert place_text("") == "the experiment"
    use_language("zh_CN")
    assert place_text("heads[1].W_Q[2][0]") == "heads[1].W_Q[2][0]（第 2 个头、第 3 行、第 1 列）"


SAID = [
    (
        UserError("number.unreadable", text="abc"),
        "“abc” is not a number. Type one such as 0.5, −2 or 1.5e3.",
    ),
    (
        UserError("number.empty").at("heads[0].W_K[1][0]"),
        "heads[0].W_K[1][0] (head 1, row 2, column 1): A number is missing: type one, such as 0.5 or −2.",
    ),
    (
        UserError("rows.ragged", place="X", row=2, expected=3, actual=1),
        "X: row 3 has 1 entry, but row 1 has 3; all rows must have the same length.",
    ),
    (
        UserError("output.height", expected=6, h=2, v=3, actual=(5, 2)),
        "W_O is 5 × 2; it must have 6 rows: 2 heads with d_v = 3 columns each.",
    ),
    (
        UserError("not_finite", name="X", index=(1, 2), value=float("nan")),
        "X[1][2] (row 2, column 3) is NaN; it must be a finite number.",
    ),
    (
        UserError("file.type", place="mask.left", expected=("int", "null"), actual="float"),
        "mask.left is a number; it must be a whole number or null.",
    ),
    (UserError("file.version", version=None, known=1), "version is missing; it must be 1."),
    (
        UserError("shape", name="W_O", axes="h·v × d", expected=(6, 2), actual=()),
        "W_O is a single number; it must be 6 × 2 (h·v × d).",
    ),
    (
        UserError("file.unwritable", path="/x/y", reason="other", detail="Stale file handle"),
        "/x/y cannot be written: Stale file handle.",
    ),
    (
        UserError("source.X_missing", path="lesson.attn.json"),
        "lesson.attn.json: X is missing: with source “embeddings” it has one row per token.",
    ),
]


@pytest.mark.parametrize(("problem", "said"), SAID, ids=lambda value: getattr(value, "code", ""))
def test_sentences_say_what_where_and_what_would_be_right(problem: UserError, said: str) -> None:
    assert error_message(problem) == said


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("code", sorted(VARIANTS))
def test_a_special_value_has_a_whole_sentence_of_its_own(code: str, language: str) -> None:
    use_language(language)
    key, special, text = VARIANTS[code]
    said = error_message(UserError(code, **example(code).data | {key: special}))
    assert not re.search(r"[{}]|\b1 (rows|numbers|entries|heads)\b", said)
    assert said != error_message(example(code))
    assert bool(HAN.search(said)) == (language == "zh_CN")
    assert {field for _, field, _, _ in string.Formatter().parse(text) if field} <= {
        *RAISED[code],
        "where",
    }


def test_an_array_without_a_name_is_called_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.array([1j]))
    with pytest.raises(UserError) as caught:
        read_table("a.npy")
    nameless = caught.value
    assert error_message(nameless) == "a.npy: The array contains no table of real numbers."
    assert (
        error_message(UserError("import.numbers", name="W_Q"))
        == "W_Q contains no table of real numbers."
    )
    use_language("zh_CN")
    assert error_message(nameless) == "a.npy：数组中没有实数表格。"


def test_every_reason_of_a_reader_of_json_is_known() -> None:
    for broken in (
        '{"a" 1}',
        "{a: 1}",
        '{"a": }',
        '{"a": 1 "b"}',
        '{"a": "x',
        '{"a": "\\q"}',
        '{"a": 1,}',
        "1 2",
    ):
        with pytest.raises(UserError) as caught:
            loads(broken.encode())
        assert caught.value.code == "file.syntax"
        assert caught.value.data["reason"] in REASONS


def test_braces_in_what_the_user_typed_are_harmless() -> None:
    assert error_message(UserError("number.unreadable", text="{0} {x}")).startswith("“{0} {x}”")


def test_a_place_with_more_digits_than_python_counts_is_said_too() -> None:
    place = "heads[" + "9" * 5000 + "]"
    said = error_message(UserError("lesson.place", place=place))
    assert "heads[999" in said
    assert len(said) < 600


def test_a_table_that_is_too_large_is_told_by_its_own_size() -> None:
    """A file of 3000 × 3000 was refused with "d_k must be a whole number from 1 to 1024."."""
    wide = UserError("size.table", axis="k", along="columns", actual=3000, most=1024)
    tall = UserError("size.table", axis="n", along="rows", actual=3000, most=2048)
    assert error_message(wide) == "The table has 3000 columns; d_k can be 1024 at most."
    assert error_message(tall) == "The table has 3000 rows; n can be 2048 at most."
    use_language("zh_CN")
    assert error_message(wide) == "表格有 3000 列；d_k 最多为 1024。"


def test_a_place_without_a_name_is_said_once() -> None:
    assert place_text("[0][1]") == "Row 1, column 2"
    assert place_text("[1][0][2]") == "Head 2, row 1, column 3"
    assert place_text("[4]") == "Row 5"
    found = UserError("not_finite", name="", index=(0, 1), value=float("nan"))
    assert error_message(found) == "Row 1, column 2 is NaN; it must be a finite number."


def test_no_space_stands_behind_a_place_in_chinese() -> None:
    problem = UserError(
        "shape", place="heads[0].K", name="K", axes="m × k", expected=(3, 2), actual=(2, 2)
    )
    try:
        use_language("zh_CN")
        said = error_message(problem)
    finally:
        use_language("en")
    assert "heads[0].K（第 1 个头）的形状" in said


def test_one_ending_is_not_called_one_of_several() -> None:
    try:
        use_language("zh_CN")
        said = error_message(UserError("output.ending", path="a.txt", known=(".pptx",)))
    finally:
        use_language("en")
    assert ".pptx" in said
    assert "之一" not in said
