"""Answer files and the counts of a class, against simulated students with planted mistakes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.errors import UserError
from core.check.answers import parse_answer, stated_arrays, with_answers
from core.check.marking import check
from core.classroom.answer_file import (
    LARGEST,
    LONGEST_NAME,
    entries_from,
    is_answer_file,
    loads,
    read_answers,
    write_answers,
)
from core.classroom.marking import MOST_FILES, VERDICTS, answer_paths, mark_class
from core.compute.trace import run
from core.document.document import Document
from core.stages import plan
from core.storage.examples import load_example
from tests.core.class_kit import PLANTED, answer_text, planted_class
from tests.core.documents import make
from tests.core.stacks import make_stack

CAT = load_example("cat-eats-fish")


def save(folder: Path, name: str, text: str | bytes, time: int = 0) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    if time:
        os.utime(path, (time, time))
    return path


def blank(document: Document, stage: str) -> Any:
    return np.full(document.stage_shape(stage), None, dtype=object).tolist()


# A class


def test_every_planted_mistake_is_named_and_counted(tmp_path: Path) -> None:
    document = planted_class(tmp_path)
    result = mark_class(document, [tmp_path])
    assert len(result.students) == sum(count for _, count, _ in PLANTED) == 30
    counted = {one.id: len(one.students) for one in result.mistakes}
    assert counted == {name: count for name, count, _ in PLANTED if name}
    assert len(result.without_mistake) == 8
    assert result.unexplained == ()
    names = [{student.name for student in one.students} for one in result.mistakes]
    assert {f"student {number:02}" for number in range(9, 16)} in names  # those who divide by d_k


def test_the_counts_are_those_of_a_plain_loop(tmp_path: Path) -> None:
    document = planted_class(tmp_path)
    result = mark_class(document, [tmp_path])
    expected: dict[tuple[str, tuple[int, ...], str], int] = {}
    for path in tmp_path.iterdir():
        values = json.loads(path.read_text(encoding="utf-8"))["values"]
        for mark in check(document, values).marks:
            key = (mark.stage, mark.index, mark.verdict)
            expected[key] = expected.get(key, 0) + 1
    for stage, counts in result.counts.items():
        assert counts.shape == (4, *document.stage_shape(stage))
        assert (counts.sum(axis=0) == 30).all()
        for index in np.ndindex(*counts.shape[1:]):
            for place, verdict in enumerate(VERDICTS[:-1]):
                assert counts[(place, *index)] == expected.get((stage, index, verdict), 0)
    assert set(result.counts) == {"scores", "scaled", "weights", "Y"}


def test_a_first_mistake_is_wrong_and_what_follows_is_not(tmp_path: Path) -> None:
    document = planted_class(tmp_path)
    counts = mark_class(document, [tmp_path]).counts
    wrong = dict(zip(VERDICTS, counts["scaled"], strict=True))["wrong"]
    assert (wrong == 10).all()  # seven divide by d_k, three do not divide
    follows = dict(zip(VERDICTS, counts["weights"], strict=True))["follows"]
    assert follows.max() >= 7


def test_blanks_are_counted_for_every_stage_that_anyone_answered(tmp_path: Path) -> None:
    scores = blank(CAT, "scores")
    scores[0][0][0] = "0.74"
    save(tmp_path, "a.answers.json", answer_text(CAT, "a", {"scores": scores}))
    weights = blank(CAT, "weights")
    weights[0][1] = [0.333, "1/3", "33.3 %"]
    save(tmp_path, "b.answers.json", answer_text(CAT, "b", {"weights": weights}))
    save(tmp_path, "c.answers.json", answer_text(CAT, "c", {}))
    result = mark_class(CAT, [tmp_path])
    assert list(result.counts) == ["scores", "weights"]
    assert result.counts["scores"][:, 0, 0, 0].tolist() == [1, 0, 0, 2]
    assert result.counts["scores"][:, 0, 1, 1].tolist() == [0, 0, 0, 3]
    assert result.counts["weights"][:, 0, 1].tolist() == [[1, 1, 1], [0] * 3, [0] * 3, [2, 2, 2]]
    assert [student.name for student in result.without_mistake] == ["a", "b"]


def test_the_newer_of_two_files_with_a_name_counts(tmp_path: Path) -> None:
    right, wrong = blank(CAT, "scores"), blank(CAT, "scores")
    right[0][0][0], wrong[0][0][0] = "0.74", "0.99"
    save(tmp_path, "1.answers.json", answer_text(CAT, "Ada", {"scores": right}), time=2_000)
    save(tmp_path, "2.answers.json", answer_text(CAT, " ADA ", {"scores": wrong}), time=1_000)
    save(tmp_path, "3.answers.json", answer_text(CAT, "", {"scores": wrong}), time=1_000)
    save(tmp_path, "4.answers.json", answer_text(CAT, "", {"scores": wrong}), time=1_000)
    result = mark_class(CAT, [tmp_path])
    assert [path.name for path in result.doubles[0].paths] == ["1.answers.json", "2.answers.json"]
    assert len(result.doubles) == 1
    assert [student.path.name[0] for student in result.students] == ["1", "3", "4"]
    assert result.counts["scores"][:, 0, 0, 0].tolist() == [1, 0, 2, 0]


def test_a_file_that_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    document = planted_class(tmp_path)
    known: dict[Path, Any] = {}
    first = mark_class(document, [tmp_path], known=known)
    path = tmp_path / "01.answers.json"
    save(tmp_path, path.name, "{", time=5_000)
    second = mark_class(document, [tmp_path], known=known)
    assert [one.path for one in second.refused] == [path]
    assert second.students == first.students[1:]


def test_stacks_and_heads(tmp_path: Path) -> None:
    document = make_stack(3)
    trace = run(document)
    stages = [stage.id for stage in plan(document) if not stage.entered]
    values = {stage: trace[stage].round(6) for stage in stages}
    values = {
        stage: np.where(np.isinf(array), "-inf", array.astype(object)).tolist()
        for stage, array in values.items()
    }
    save(tmp_path, "a.answers.json", answer_text(document, "a", values))
    result = mark_class(document, [tmp_path])
    assert result.refused == ()
    assert list(result.counts) == stages
    assert all((counts[0] == 1).all() for counts in result.counts.values())


# Files and folders


def test_folders_are_searched_for_answers_alone(tmp_path: Path) -> None:
    inner = tmp_path / "Ada_12_file"
    inner.mkdir()
    for name in (
        "b.answers.json",
        "b.answers (1).json",
        "notes.txt",
        "x.attn.json",
        ".h.answers.json",
    ):
        save(tmp_path, name, "{}")
    save(inner, "A.Answers.JSON", "{}")
    found = answer_paths([tmp_path, tmp_path / "b.answers.json"])
    assert sorted(path.name for path in found) == [
        "A.Answers.JSON",
        "b.answers (1).json",
        "b.answers.json",
    ]
    assert [path.name for path in answer_paths([tmp_path / "notes.txt"])] == ["notes.txt"]
    assert not is_answer_file("answers.attn.json")


def test_a_folder_of_too_many_files_is_refused(tmp_path: Path) -> None:
    for number in range(MOST_FILES + 1):
        (tmp_path / f"{number}.answers.json").touch()
    with pytest.raises(UserError) as refused:
        answer_paths([tmp_path])
    assert refused.value.code == "answers.too_many_files"


def test_what_was_typed_comes_back(tmp_path: Path) -> None:
    document = make(4, mask="causal")
    typed = ["0.50", "1/8", "-inf", "40.1%", "−0.3", "5e-3", "√2/2", "-\\infty"]
    answers = {(0, 0, 0): typed[0], (1, 2, 1): typed[1], (2, 0, 4): typed[2], (0, 1, 0): typed[3]}
    answers |= {(1, 0, 0): typed[4], (1, 1, 1): typed[5], (2, 4, 4): typed[6], (0, 0, 1): typed[7]}
    entries = with_answers(
        {}, "masked", {index: parse_answer(text) for index, text in answers.items()}
    )
    path = tmp_path / "a.answers.json"
    write_answers(path, document, entries, "  Ada\nLovelace ")
    file = read_answers(path)
    assert file.name == "Ada Lovelace"
    assert {i: a.text for i, a in entries_from(document, file)["masked"].items()} == answers
    again, before = (
        check(document, stated_arrays(document, each))
        for each in (entries_from(document, file), entries)
    )
    assert again.marks == before.marks
    nested = json.loads(path.read_text(encoding="utf-8"))["values"]["masked"]
    assert (nested[0][0][0], nested[1][2][1], nested[2][0][4]) == ("0.50", "1/8", "-inf")
    assert nested[0][2][2] is None


def test_numbers_and_texts_mean_the_same() -> None:
    row = [["0.5", 0.5, 5e-1]] * 3
    text = answer_text(CAT, "", {"scores": [row]})
    cells = entries_from(CAT, loads(text.encode()))["scores"]
    assert {answer.number.value for answer in cells.values()} == {0.5}
    plain = answer_text(CAT, "", {"scores": row})  # a single head may stand as a plain matrix
    assert entries_from(CAT, loads(plain.encode())) == entries_from(CAT, loads(text.encode()))


ROWS = [[1, 2, 3]] * 3
HOSTILE: dict[str, tuple[str | bytes, str]] = {
    "no JSON": ("{", "file.syntax"),
    "empty": ("", "file.empty"),
    "not UTF-8": (b"\xff\xfe{}", "file.encoding"),
    "another format": ('{"format": "self-attention-experiment", "version": 1}', "answers.format"),
    "a list": ("[]", "file.type"),
    "deep": ('{"values": ' + "[" * 200_000, "file.too_deep"),
    "deep and closed": (
        answer_text(CAT, "", {"scores": 0}).replace(
            ": 0}", ": " + "[" * 90_000 + "]" * 90_000 + "}"
        ),
        "file.too_deep",
    ),
    "newer": (answer_text(CAT, "", {}, version=2), "file.newer"),
    "key unknown": (answer_text(CAT, "", {}, more=1), "file.unknown_key"),
    "key twice": (answer_text(CAT, "", {})[:-1] + ', "name": "x"}', "file.duplicate_key"),
    "values missing": ('{"format": "self-attention-answers", "version": 1}', "file.missing_key"),
    "name too long": (answer_text(CAT, "x" * (LONGEST_NAME + 1), {}), "answers.name"),
    "name no text": (answer_text(CAT, "", {}).replace('""', "[]"), "file.type"),
    "foreign": (answer_text(CAT, "", {}, experiment="0" * 64), "answers.foreign"),
    "unknown stage": (answer_text(CAT, "", {"masked": [ROWS]}), "stage.absent"),
    "another shape": (answer_text(CAT, "", {"scores": [ROWS, ROWS]}), "shape"),
    "ragged": (answer_text(CAT, "", {"scores": [[[1, 2, 3], [1], [2]]]}), "shape"),
    "too deep a number": (answer_text(CAT, "", {"scores": [[[1, 2, [3]]] * 3]}), "shape"),
    "no list": (answer_text(CAT, "", {"scores": "scores"}), "shape"),
    "an object": (answer_text(CAT, "", {"scores": {"0": 1}}), "shape"),
    "a truth value": (answer_text(CAT, "", {"scores": [[[True, 2, 3]] * 3]}), "array.not_numeric"),
    "a word": (answer_text(CAT, "", {"scores": [[["one", 2, 3]] * 3]}), "number.unreadable"),
    "code": (
        answer_text(CAT, "", {"scores": [[["__import__('os')", 2, 3]] * 3]}),
        "number.unreadable",
    ),
    "a long text": (
        answer_text(CAT, "", {"scores": [[["1+" * 300 + "1", 2, 3]] * 3]}),
        "number.unreadable",
    ),
    "a huge number": (
        answer_text(CAT, "", {"scores": [ROWS]}).replace("[1,", f"[{'9' * 90_000},", 1),
        "file.not_finite",
    ),
    "beyond the doubles": (
        answer_text(CAT, "", {"scores": [[["1e999", 2, 3]] * 3]}),
        "number.too_large",
    ),
    "not a number": (answer_text(CAT, "", {"scores": [ROWS]}).replace("[1,", "[NaN,", 1), "file"),
    "too large": (" " * (LARGEST + 1), "file.too_large"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_listed_with_a_reason(name: str, tmp_path: Path) -> None:
    text, code = HOSTILE[name]
    save(tmp_path, "x.answers.json", text)
    result = mark_class(CAT, [tmp_path])
    assert result.students == ()
    assert result.refused[0].problem.code.startswith(code)


def test_what_is_no_file_is_listed(tmp_path: Path) -> None:
    (tmp_path / "loop.answers.json").symlink_to(tmp_path / "loop.answers.json")
    (tmp_path / "gone.answers.json").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.answers.json")
    result = mark_class(CAT, [tmp_path, tmp_path / "absent.answers.json"])
    assert {one.problem.code for one in result.refused} == {"file.unreadable"}
    assert len(result.refused) == 4


def test_a_stage_that_nobody_works_out_by_hand_is_refused() -> None:
    document = make(sizes={"n": 150, "d": 2, "h": 1, "k": 1, "v": 1})
    file = loads(answer_text(document, "", {"scores": []}).encode())
    with pytest.raises(UserError) as refused:
        entries_from(document, file)
    assert refused.value.code == "answers.too_many"
