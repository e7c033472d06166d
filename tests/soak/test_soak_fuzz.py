"""A short run of the project's own fuzzer over every reader, the same each time; and that it would tell."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from core.base.errors import UserError
from tests.soak.file_kinds import Kind
from tests.soak.fuzz_guided import Guided, Lines, lines_of
from tests.soak.fuzz_judge import Judge
from tests.soak.fuzz_oracles import plain_value, simple_csv, tree_of
from tests.soak.fuzz_readers import READERS, ROOMS
from tests.soak.opening import fault_of

FEW = {"xlsx": 20, "range": 20, "home": 30, "paste": 30}  # these take long for each


@pytest.mark.parametrize("name", READERS)
def test_what_is_read_is_right_or_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTENTION_STEPPER_HOME", str(tmp_path / "home"))
    judge = Judge(READERS[name], tmp_path, tmp_path)
    READERS["experiment"].seeds()
    (tmp_path / "near.attn.json").write_bytes(READERS["experiment"].seeds()[0])
    judge.warm_up()
    guided = Guided(READERS[name], judge, Random(f"11 {name}"))
    guided.begin()
    whole = len(guided.corpus)
    guided.go_on(FEW.get(name, 60))
    assert judge.faults == {}
    assert judge.count == whole + FEW.get(name, 60)
    assert len(guided.lines.reached & lines_of(ROOMS[name])) > 10


@pytest.mark.parametrize("text", ["(", "{", "1+", "1 2", "abs(", "2**", ")"])
def test_an_expression_with_a_mistake_opens_no_file(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")  # in the project's folder files may be read
    path = tmp_path / "input.txt"
    path.write_text(text)
    assert fault_of(READERS["typed"], path) == ""


def planted(path: Path) -> None:
    """A reader with a fault that three words must be there for at once."""
    data = path.read_bytes()
    if b"[" in data:
        if b"NaN" in data:
            if b"../" in data:
                raise RuntimeError("found")
            raise UserError("file.empty")
        raise UserError("file.empty")


def test_what_reaches_a_new_line_is_grown_on(tmp_path: Path) -> None:
    kind = Kind("planted", ".txt", lambda: [b"abc"], planted)
    judge = Judge(kind, tmp_path, tmp_path)
    guided = Guided(kind, judge, Random(5), lines=Lines(Path(__file__).parent))
    guided.begin()
    while not judge.faults and judge.count < 6000:
        guided.go_on(100)
    [(place, told)] = judge.faults.items()
    assert place.endswith("in planted RuntimeError")
    assert "RuntimeError: found" in told
    [kept] = tmp_path.glob("planted-*.txt")
    assert all(word in kept.read_bytes() for word in (b"[", b"NaN", b"../"))
    assert any(b"[" in data and b"NaN" in data for data in guided.corpus)


def test_what_a_reader_must_not_do_is_told(tmp_path: Path) -> None:
    def outside(path: Path) -> None:
        Path(os.devnull).read_bytes()

    judge = Judge(Kind("outside", ".txt", lambda: [b""], outside), tmp_path, tmp_path)
    judge.try_(b"")
    [told] = judge.faults.values()
    assert "open" in told
    assert os.devnull in told


def test_second_opinions() -> None:
    assert simple_csv("1, 2.5\n-3,4e1\n") == [[1.0, 2.5], [-3.0, 40.0]]
    assert [simple_csv(text) for text in ("1,2", "1,2\n3", "1,a\n2,3", "1;2\n3;4")] == [None] * 4
    for text, value in (
        ("1+2*3", 7.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("2**3**2", 512.0),
        ("(1+2)/4", 0.75),
    ):
        assert plain_value(text) == value
    assert [plain_value(text) for text in ("", "1+", "(1", "1 2", "a", "1/0")] == [None] * 6
    one = tree_of(
        b'{"heads": [{"name": "", "Q": [[1]]}], "pins": [], "softmax": {"base": "e", "shift": true}}'
    )
    assert one == tree_of(b'\xef\xbb\xbf{"heads": [{"Q": [[1.0]], "enabled": true}]}')
    assert one != tree_of(b'{"heads": [{"Q": [[1]], "enabled": false}]}')
