"""The mistakes that the page knows are those of the program: what it computes is named the same by Check."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.check.marking import check
from core.compute.trace import run
from core.document.document import Document
from gui.export.page_tables import PAGE_MISTAKES, page_tables
from gui.texts.mistakes import SENTENCES
from tests.core.check_kit import found, not_right, written
from tests.core.documents import make
from tests.core.stacks import make_stack
from tests.gui.page_kit import SUMS, array_of, experiment_of, in_node, program

SIZES = {"n": 3, "d": 4, "h": 2, "k": 3, "v": 2}
DOCUMENTS = (
    make(1, sizes=SIZES, mask="causal", output=True),
    make(2, sizes=SIZES, scale="factor", positional="alibi", slopes=True),
    make(3, sizes=SIZES, scale="none", positional="rotary", base="2"),
    make(4, sizes={**SIZES, "v": 3}, positional="learned", mask="custom", output=True),
    make_stack(5, layers=1),
)

ALL = """
const all = (experiment) => {
  const run = Core.run(experiment), found = [];
  for (const stage of run.plan) for (const each of Mistakes.candidates(run, stage)) {
    if (each.given) continue;
    const heads = Core.isHeadwise(stage.id) ? run.arrays.get(stage.id).map((_, head) => each.compute(head)) : each.compute(0);
    found.push([stage.id, each.id, heads]);
  }
  return found;
};
"""


def candidates(document: Document, folder: Path) -> list[tuple[str, str, np.ndarray]]:
    """What the page computes for every mistake: the stage, the mistake's id, the wrong array."""
    file = json.dumps(experiment_of(document))
    script = f"{program(*SUMS, 'mistakes.js')}\n{ALL}\nconsole.log(JSON.stringify(all({file}), (key, x) => (x === -Infinity ? '-' : x)));"
    printed = in_node(script, folder)
    if printed is None:
        pytest.skip("no node on this system")
    return [(stage, name, array_of(values)) for stage, name, values in json.loads(printed)]


def test_check_names_what_the_page_computes(tmp_path: Path) -> None:
    named = set()
    for document in DOCUMENTS:
        trace = run(document)
        for stage, name, wrong in candidates(document, tmp_path):
            assert wrong.shape == trace[stage].shape, (stage, name)
            report = check(document, {stage: written(wrong, 5)})
            if not not_right(report, stage):
                continue
            assert name in found(report, stage), (stage, name, found(report, stage))
            named.add(name)
    assert named == set(PAGE_MISTAKES)


def test_their_sentences_are_the_program_s() -> None:
    tables = page_tables()
    assert set(tables["mistakes"]) == set(PAGE_MISTAKES)
    for name, texts in tables["mistakes"].items():
        assert texts[0] == SENTENCES[name]
