"""What a reader does on the page: numbers, pins, kinds, heads, steps and the id, as the program has them."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.cell import Cell
from core.classroom.experiment_id import experiment_id
from core.compute.trace import run
from core.document.document import Document
from core.document.edits import (
    with_cell,
    with_head_enabled,
    with_mask_kind,
    with_pin,
    with_positional_kind,
)
from core.explain.timeline import Cursor, Grain, Reach, first, last, revealed, start, step
from core.stages.scale import with_scale_kind
from core.storage.archive import dumps, loads
from tests.core.documents import make
from tests.core.stacks import make_stack
from tests.gui.page_kit import MODEL, all_experiments, chance, experiment_of, in_node, program


@pytest.fixture
def ask(tmp_path: Path) -> Callable[[str], Any]:
    """The value of an expression in node."""

    def asked(expression: str) -> Any:
        printed = in_node(
            f"{program(*MODEL)}\nconsole.log(JSON.stringify({expression}));", tmp_path
        )
        if printed is None:
            pytest.skip("no node on this system")
        return json.loads(printed)

    return asked


def same_numbers(file: Any, expected: Document) -> None:
    """Whether an experiment of the page has the trace that the program's has."""
    trace, wanted = run(loads(json.dumps(file).encode())), run(expected)
    assert trace.plan.ids == wanted.plan.ids
    for stage in wanted:
        np.testing.assert_array_equal(trace[stage], wanted[stage], err_msg=stage)


def test_a_changed_number_is_that_of_the_program(ask: Callable[[str], Any]) -> None:
    jobs, expected = [], []
    for seed in range(40):
        document, rng = chance(seed), random.Random(seed)
        name = rng.choice([*document.inputs, *run(document).plan.ids])
        head = rng.randrange(document.scope(name).h) if document.scope(name).heads else 0
        trace = run(document)
        entered = name not in trace or trace.plan[name].entered
        key = trace.plan[name].inputs[0] if name in trace and entered else name
        head = document.lender(key, head) if entered else head
        values = document.tensor(key, head) if entered else trace.matrix(name, head)
        if values is None:
            continue
        values = np.atleast_2d(values)
        row, column = rng.randrange(values.shape[0]), rng.randrange(values.shape[1])
        cell = Cell(name, row, column, head if name not in trace or trace[name].ndim == 3 else 0)
        change = with_cell if entered else with_pin
        expected.append(
            change(document, Cell(key, row, column, cell.head) if entered else cell, 2.5)
        )
        at = {"tensor": name, "row": row, "column": column, "head": cell.head}
        jobs.append([experiment_of(document), at])
    assert len(jobs) > 30
    results = ask(f"{json.dumps(jobs)}.map(([e, cell]) => Experiment.withValue(e, cell, 2.5))")
    for file, document in zip(results, expected, strict=True):
        same_numbers(file, document)


def test_kinds_and_heads(ask: Callable[[str], Any]) -> None:
    documents = [
        make(context=4),
        make(mask="causal", output=True),
        make_stack(1, positional="rotary"),
    ]
    calls, expected = [], []
    for document in documents:
        file = json.dumps(experiment_of(document))
        for kind in ("none", "sinusoidal", "learned", "rotary", "alibi"):
            if document.is_stack and kind == "learned":
                continue
            calls.append(f"Experiment.withPositional({file}, '{kind}')")
            expected.append(with_positional_kind(document, kind))
        for kind in ("none", "causal", "window", "custom"):
            calls.append(f"Experiment.withMask({file}, '{kind}')")
            expected.append(with_mask_kind(document, kind))
        for kind in ("sqrt_dk", "none"):
            calls.append(f"Experiment.withScale({file}, '{kind}')")
            expected.append(with_scale_kind(document, kind))
        if not document.is_stack:
            calls.append(f"Experiment.withHead({file}, null, 1, false)")
            expected.append(with_head_enabled(document, 1, enabled=False))
    for file, document in zip(ask(f"[{', '.join(calls)}]"), expected, strict=True):
        same_numbers(file, document)


def test_steps_and_what_they_reveal(ask: Callable[[str], Any]) -> None:
    documents = [make(mask="causal"), chance(3), chance(8), make_stack(2, layers=1)]
    for document in documents:
        trace, file = run(document), json.dumps(experiment_of(document))
        for grain in Grain:
            walk = [first(trace, start(trace, document), grain)]
            end = last(trace, walk[0], grain)
            while (following := step(trace, walk[-1], grain, 1)) != walk[-1]:
                walk.append(following)
            steps = ask(
                f"(() => {{ const run = Core.run({file}), grain = '{grain.value}', walk = [];"
                "let at = Timeline.first(run, Timeline.start(run), grain), next = at;"
                "do { at = next; walk.push(at); next = Timeline.step(run, at, grain, 1); } while (next !== at);"
                "const back = [at]; for (const _ of walk.slice(1)) back.unshift(Timeline.step(run, back[0], grain, -1));"
                "return [walk, back, Timeline.last(run, at),"
                " walk.map((cursor) => Timeline.reached(run, cursor, cursor.stage))]; })()"
            )
            forward, back, at_end, reached = steps
            assert [_cursor(each) for each in forward] == walk
            assert [(each["stage"], each["reach"]) for each in back] == [
                (each["stage"], each["reach"]) for each in forward
            ]
            assert _cursor(at_end).stage == end.stage
            assert [tuple(each) for each in reached] == [
                revealed(trace.plan, each, each.stage, trace.matrix(each.stage).shape)
                for each in walk
            ]


def _cursor(file: dict[str, Any]) -> Cursor:
    return Cursor(file["stage"], file["head"], file["row"], file["column"], Reach(file["reach"]))


def test_sha_256(ask: Callable[[str], Any]) -> None:
    texts = ["", "abc", "a" * 55, "a" * 56, "a" * 64, "0123456789" * 1000]
    found = ask(
        f"{json.dumps(texts)}.map((text) => Experiment.sha256([...text].map((x) => x.charCodeAt(0))))"
    )
    assert found == [hashlib.sha256(text.encode()).hexdigest() for text in texts]


def test_a_saved_file_is_the_experiment(ask: Callable[[str], Any]) -> None:
    for document in (make(context=3, pins=2), make_stack(4, gate=True, borrowed=True)):
        text = ask(f"Experiment.fileText({json.dumps(experiment_of(document))})")
        assert dumps(loads(text.encode())) == dumps(document)


def test_the_id_is_that_of_the_program(ask: Callable[[str], Any]) -> None:
    documents = [document for _, document in all_experiments()]
    files = json.dumps([experiment_of(document) for document in documents])
    assert ask(f"{files}.map(Experiment.id)") == [experiment_id(document) for document in documents]
