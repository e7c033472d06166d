"""The page writes every worked sum as the program does, from the exported tables."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Document
from core.document.orientation import Orientation
from core.explain.derivation import derive, derive_lead
from core.storage.examples import EXAMPLES, load_example
from gui.export.page_tables import page_tables
from gui.texts.glyphs import as_written
from gui.texts.sum_style import SumStyle
from gui.texts.sums import worked_lines
from gui.texts.translation import languages, spoken
from tests.gui.page_kit import SUMS, chance, experiment_of, golden, in_node, program

MOST = 4
STYLES = list(product((2, 4), (False, True)))  # decimals, tokens as columns

# The sum of each cell of every stage, then the sub-steps of its rows, of each experiment.
ALL_SUMS = """
const allSums = (experiment, language, decimals, columns) => {
  const run = Core.run(experiment), found = [];
  const say = (name, values = {}) =>
    tables.words[name][language].replace(/\\{(\\w+)\\}/g, (whole, key) => String(values[key]));
  const style = { run, tables, say, decimals, most: MOST, columns };
  const note = (step) => found.push(Sums.plain(Sums.line(style, step)), Sums.plain(Sums.finer(style, step)));
  for (const stage of run.plan) {
    const array = run.arrays.get(stage.id);
    (Core.isHeadwise(stage.id) ? array : [array]).forEach((matrix, head) => {
      if (head > 1) return;
      matrix.forEach((row, i) => {
        row.forEach((_, j) => note(Core.derive(run, stage.id, i, j, head)));
        if (stage.lead) note(Core.deriveLead(run, stage.id, i, head));
      });
    });
  }
  return found;
};
"""


def expected_sums(document: Document, decimals: int, columns: bool) -> list[str]:
    trace, found = run(document), []
    style = SumStyle(document, decimals, MOST, orientation=Orientation(columns))

    def note(step: object) -> None:
        for line in worked_lines(style, step):  # type: ignore[arg-type]
            found.append("".join(span.text for span in line))

    for stage in trace.plan:
        heads = range(min(2, len(trace[stage.id]))) if stage.headwise else range(1)
        for head in heads:
            rows, columns_ = trace.matrix(stage.id, head).shape
            for i in range(rows):
                for j in range(columns_):
                    note(derive(document, trace, Cell(stage.id, i, j, head)))
                if stage.lead:
                    note(derive_lead(document, trace, stage.id, i, head))
    return found


def test_every_sum_is_the_program_s_own(tmp_path: Path) -> None:
    documents = [load_example(each) for each in EXAMPLES if each != "eight-heads"]
    documents += [document for _, document in golden()]
    documents += [chance(seed) for seed in range(30)]
    jobs = [
        (document, place % len(languages()), *STYLES[place % len(STYLES)])
        for place, document in enumerate(documents)
    ]
    calls = [[experiment_of(document), *rest] for document, *rest in jobs]
    script = (
        f"{program(*SUMS)}\nconst MOST = {MOST};\nconst tables = {json.dumps(page_tables(columns=True))};"
        f"{ALL_SUMS}\nconsole.log(JSON.stringify({json.dumps(calls)}.map((job) => allSums(...job))));"
    )
    printed = in_node(script, tmp_path)
    if printed is None:
        pytest.skip("no node on this system")
    count = finer = 0
    for (document, language, decimals, columns), actual in zip(
        jobs, json.loads(printed), strict=True
    ):
        with as_written(), spoken(languages()[language]):
            expected = expected_sums(document, decimals, columns)
        for mine, theirs in zip(actual, expected, strict=True):
            assert mine == theirs, document.title
            count += 1
            finer += mine.startswith(("With more digits", "多取几位"))
    assert count > 10_000
    assert finer > 20
