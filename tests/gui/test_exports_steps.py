"""Which steps an export shows, and how it is stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.explain.timeline import Grain, Reach, first, start, step
from core.storage.examples import load_example
from gui.export.options import ExportOptions, film_size
from gui.export.registry import EXPORTERS, export_shown
from gui.export.states import cursors_at, states, step_count
from gui.texts.translation import current_language
from tests.core.documents import make

GRAINS = list(Grain)


def walked(trace: Trace, grain: Grain) -> list[tuple[object, ...]]:
    """Every stop, found by stepping as the window does."""
    cursor = first(trace, start(trace, make()), grain)
    found = [cursor]
    while True:
        after = step(trace, cursor, grain, 1)
        if after == cursor:
            return [(each.stage, each.row, each.column, each.reach) for each in found]
        cursor = after
        found.append(cursor)


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("source", ["embeddings", "qkv"])
def test_the_stops_are_those_of_the_window(grain: Grain, source: str) -> None:
    document = make(source=source, mask="causal", output=True)
    trace = run(document)
    found = list(cursors_at(trace, grain, start(trace, document)))
    assert len(found) == step_count(trace, grain)
    own = [(each.stage, each.row, each.column, each.reach) for each in found]
    expected = walked(trace, grain)
    assert [each[0] for each in own] == [each[0] for each in expected]
    assert [each[3] for each in own] == [each[3] for each in expected]
    if grain is Grain.CELL:
        assert [each[1:3] for each in own if each[3] is Reach.CELL] == [
            each[1:3] for each in expected if each[3] is Reach.CELL
        ]


def test_a_range_is_a_part_of_the_whole() -> None:
    document = make()
    every = [state.cursor for state in states(document, ExportOptions(grain=Grain.ROW))]
    part = [
        state.cursor for state in states(document, ExportOptions(grain=Grain.ROW, first=4, last=9))
    ]
    assert part == every[3:9]


def test_the_head_that_is_looked_at_stays() -> None:
    assert {state.cursor.head for state in states(make(), ExportOptions(head=2))} == {2}


@pytest.mark.parametrize(("first", "last"), [(0, 2), (3, 2), (1, 10), (10, 10)])
def test_steps_that_are_not_there_are_refused(first: int, last: int) -> None:
    with pytest.raises(UserError) as caught:
        states(load_example("cat-eats-fish"), ExportOptions(first=first, last=last))
    assert caught.value.code == "export.steps"
    assert caught.value.data["limit"] == 9


def test_too_many_steps_are_refused_before_they_are_made() -> None:
    document = make(sizes={"n": 400, "d": 2, "h": 1, "k": 2, "v": 2})
    with pytest.raises(UserError) as caught:
        states(document, ExportOptions(grain=Grain.CELL))
    assert caught.value.code == "export.too_many"


def test_a_film_is_laid_out_as_wide_as_a_small_window() -> None:
    assert film_size((1280, 720)) == ((1280, 720), 1.0)
    assert film_size((3840, 2160)) == ((1280, 720), 3.0)
    assert film_size((640, 480)) == ((1280, 960), 0.5)


@pytest.mark.parametrize("name", [name for name in EXPORTERS if name != "mp4"])
def test_stopping_touches_no_file_and_leaves_the_language(
    name: str, tmp_path: Path, qapp: object
) -> None:
    out = tmp_path / f"out.{name}"
    out.write_bytes(b"before")
    heard: list[tuple[float, str]] = []

    def progress(fraction: float) -> bool:
        heard.append((fraction, current_language()))
        return len(heard) < 2

    written = export_shown(
        load_example("cat-eats-fish"), name, out, ExportOptions(language="zh_CN"), progress
    )
    assert not written
    assert out.read_bytes() == b"before"
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
    assert {language for _, language in heard} == {"en"}, (
        "the window would speak the export's language"
    )
    assert len(heard) == 2


@pytest.mark.parametrize("name", [name for name in EXPORTERS if name != "mp4"])
def test_progress_runs_from_nothing_to_all(name: str, tmp_path: Path, qapp: object) -> None:
    heard: list[float] = []

    def progress(fraction: float) -> bool:
        heard.append(fraction)
        return True

    options = ExportOptions(last=3, size=(400, 300))
    assert export_shown(
        load_example("cat-eats-fish"), name, tmp_path / f"out.{name}", options, progress
    )
    assert heard == sorted(heard)
    assert heard[0] == 0.0
    assert heard[-1] == 1.0


@pytest.mark.parametrize("name", [name for name in EXPORTERS if name != "mp4"])
def test_the_same_experiment_gives_the_same_bytes(name: str, tmp_path: Path, qapp: object) -> None:
    document, options = make(output=True, pins=2), ExportOptions(size=(640, 400))
    for out in ("one", "two"):
        assert export_shown(document, name, tmp_path / out, options)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
