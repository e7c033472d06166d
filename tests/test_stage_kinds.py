"""Every kind of stage is complete everywhere: it computes, derives, is differentiated, written, said and drawn."""

from __future__ import annotations

import importlib
import io
import math
import pkgutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from pytestqt.qtbot import QtBot

import core.stages
from core.base.arrays import Array
from core.base.cell import Cell
from core.check.marking import check
from core.check.rounding import RoundedRun
from core.compute.backward import backward
from core.compute.trace import Trace, run
from core.document.document import Document, Softmax
from core.document.edits import MASK_REACHES, with_cell, with_pin
from core.document.orientation import COLUMNS, ROWS
from core.document.parts import (
    HEAD_TENSORS,
    MASK_KINDS,
    POSITIONAL_KINDS,
    SCALE_KINDS,
    SHARED_TENSORS,
    STACK_STAGE_AXES,
    STACK_TENSORS,
    STAGE_AXES,
    split_layer,
)
from core.exchange.exporters import EXPORTERS as DATA_EXPORTERS
from core.exchange.exporters import export, write_export
from core.exchange.scripts import program
from core.exchange.tex import formula as exported_formula
from core.exchange.tex import worked_sum as tex_sum
from core.explain.derivation import (
    Factor,
    Step,
    Term,
    derive,
    derive_back,
    derive_lead,
    exact_trace,
)
from core.explain.timeline import Cursor
from core.stages import SPECS, Stage, StageKind, plan
from core.stages.plan import ENCODINGS
from core.stages.scale import FACTORS
from core.stages.terms import Block
from gui.export.options import ExportOptions
from gui.export.registry import export_shown
from gui.painting.formulas import formula as shown_formula
from gui.session.session import Session
from gui.session.state import Preferences
from gui.texts.gradients import gradient_rule
from gui.texts.names import STAGE_NAMES, long_label
from gui.texts.stage_sentences import POSITIONAL_TEXTS, stage_text
from gui.texts.sum_style import SumStyle
from gui.texts.sums import worked_sum
from gui.texts.translation import spoken
from gui.views.diagram.motion import motion_between
from gui.views.diagram.picture import paint_diagram
from gui.views.diagram.scene import layout_of
from gui.views.stage.picture import paint_stage
from tests.core.documents import ODD_SIZES, make
from tests.core.stacks import make_stack
from tests.gui.svg_kit import svg_of

SMALL_STACK = {"n": 3, "d": 4, "h": 2, "k": 3, "v": 1, "f": 5, "u": 6}
# Together they have every kind of stage.
DOCUMENTS: dict[str, Document] = {
    "sinusoidal": make(1, positional="sinusoidal", mask="causal", biases=True, output=True),
    "learned": make(2, positional="learned", mask="custom", biases=True, output=True, off=(1,)),
    "rotary": make(3, sizes=ODD_SIZES, positional="rotary", scale="factor", mask="window"),
    "alibi": make(4, positional="alibi", source="qkv", slopes=True, scale="none"),
    "one head": make(5, sizes={"n": 3, "d": 4, "h": 1, "k": 2, "v": 5}),
    "context": make(6, context=7, positional="sinusoidal", biases=True, output=True),
    "weights": make(8, source="weights", context=7, output=True, biases=True, off=(1,)),
    "weights, plain": make(9, source="weights", sizes=ODD_SIZES),
    "weights alone": make(10, source="weights", values=False),
    "stack": make_stack(20, borrowed=True, temperature=0.8),
    "stack, post": make_stack(
        21,
        place="post",
        norm="rms",
        activation="silu",
        gate=True,
        positional="learned",
        scale="factor",
        sizes=SMALL_STACK,
    ),
    "stack, gelu": make_stack(
        22,
        layers=1,
        activation="gelu",
        factors=False,
        positional="rotary",
        mask="window",
        off=(0,),
        output=False,
        sizes=SMALL_STACK,
    ),
    "stack, tanh": make_stack(
        23,
        layers=1,
        activation="gelu_tanh",
        residual=False,
        positional="alibi",
        biases=False,
        sizes=SMALL_STACK,
    ),
    "base 2": make(7, mask="causal").with_(softmax=Softmax("2", shift=False)),
}
STAGES = [
    pytest.param(document, stage, id=f"{name}-{stage.id}")
    for name, document in DOCUMENTS.items()
    for stage in plan(document)
]
every_stage = pytest.mark.parametrize(("document", "stage"), STAGES)


def all_kinds() -> set[StageKind]:
    """Every kind that a module of core.stages defines."""
    modules = [
        importlib.import_module(f"core.stages.{module.name}")
        for module in pkgutil.iter_modules(core.stages.__path__)
    ]
    return {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, StageKind)
    }


def cells(document: Document, stage: Stage, most: int = 6) -> Iterator[Cell]:
    """Some cells of a stage."""
    every = list(np.ndindex(document.stage_shape(stage.id)))
    for place in np.random.default_rng(0).permutation(len(every))[:most]:
        *head, row, column = every[place]
        yield Cell(stage.id, row, column, head[0] if head else 0)


def test_the_documents_have_every_kind() -> None:
    used = {stage.kind for document in DOCUMENTS.values() for stage in plan(document)}
    assert used == all_kinds()
    assert len({kind.name for kind in used}) == len(used)


def test_every_stage_has_its_names() -> None:
    assert set(SPECS) == {*STAGE_AXES, *STACK_STAGE_AXES} == set(STAGE_NAMES)
    assert {stage.spec.name for document in DOCUMENTS.values() for stage in plan(document)} == set(
        SPECS
    )


def test_every_entered_tensor_has_a_name() -> None:
    names = {name for document in DOCUMENTS.values() for name in document.inputs}
    assert all(long_label(name) for name in names)
    bases = {split_layer(name)[1] for name in names}
    assert set(STACK_TENSORS) <= bases <= {*HEAD_TENSORS, *SHARED_TENSORS, *STACK_TENSORS}


def test_every_positional_encoding_scale_and_mask_has_a_row() -> None:
    assert set(ENCODINGS) == set(POSITIONAL_KINDS) == set(POSITIONAL_TEXTS)
    assert set(FACTORS) == set(SCALE_KINDS)
    assert {*MASK_REACHES, "custom"} == set(MASK_KINDS)


def test_an_unknown_positional_encoding_fails_loudly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.document.validation.POSITIONAL_KINDS", (*POSITIONAL_KINDS, "spiral"))
    document = make(0)
    document = document.with_(positional=replace(document.positional, kind="spiral"))
    with pytest.raises(KeyError, match="spiral"):
        run(document)


@every_stage
def test_it_computes_an_array_of_its_shape(document: Document, stage: Stage) -> None:
    array = run(document)[stage.id]
    assert array.shape == document.stage_shape(stage.id)
    assert not np.isnan(array).any()


@every_stage
def test_it_derives_its_numbers(document: Document, stage: Stage) -> None:
    trace = run(document)
    for cell in cells(document, stage):
        step = derive(document, trace, cell)
        assert step.value == trace.value(cell)
        if step.kind in ("dot", "add", "rotate"):
            assert float(step.values.sum()) == pytest.approx(step.value)
        if stage.lead:
            assert derive_lead(document, trace, stage.id, cell.row, cell.head).kind == stage.lead
        for language in ("en", "zh_CN"):
            with spoken(language):
                assert worked_sum(SumStyle(document, 2), step)


@every_stage
def test_its_exact_form_is_its_number(document: Document, stage: Stage) -> None:
    trace, exact = run(document), exact_trace(document)
    for cell in cells(document, stage):
        number = exact.value(cell)
        if isinstance(number, Fraction):
            assert float(number) == pytest.approx(trace.value(cell), rel=1e-9, abs=1e-12)
        elif number is not None:
            assert number == trace.value(cell) == -math.inf


@every_stage
def test_its_enclosure_is_its_number_where_nothing_is_rounded(
    document: Document, stage: Stage
) -> None:
    enclosure = RoundedRun(document, run(document).plan, {}).plain(stage.id)
    assert not enclosure.radius.any()
    np.testing.assert_allclose(enclosure.center, run(document)[stage.id], rtol=1e-9, atol=1e-12)


def test_a_kind_writes_a_form_of_its_own_by_templates() -> None:
    document = DOCUMENTS["sinusoidal"]
    term = Term((Factor(-1.5),))
    step = Step(
        "function",
        Cell("scaled"),
        (term,),
        -1.377,
        {"cap": 2.5},
        text="{cap} · tanh({0} ÷ {cap})",
        latex=r"{cap} \tanh({0} / {cap})",
    )
    assert "2.50 · tanh((−1.50) ÷ 2.50)" in "".join(
        span.text for span in worked_sum(SumStyle(document, 2), step)
    )
    assert tex_sum(step) == r"2.5000 \tanh((-1.5000) / 2.5000) = -1.3770"


def result(trace: Trace) -> Array:
    """The last stage's array."""
    return trace[trace.plan.stages[-1].id]


def half_square(document: Document) -> float:
    return float(np.square(result(run(document))).sum() / 2)


@every_stage
def test_its_gradient_is_the_central_difference(document: Document, stage: Stage) -> None:
    trace = run(document)
    gradients = backward(document, trace, result(trace))
    for cell in cells(document, stage, 4):
        value, found = (
            trace.value(cell),
            gradients.matrix(stage.id, cell.head)[cell.row, cell.column],
        )
        if not math.isfinite(value):
            assert found == 0.0
            continue
        up, down = (half_square(with_pin(document, cell, value + by)) for by in (1e-5, -1e-5))
        assert found == pytest.approx((up - down) / 2e-5, rel=1e-4, abs=1e-6)
        step = derive_back(document, trace, gradients, cell)
        assert step.value == found
        if step.kind == "products":
            assert sum(term.value for term in step.terms) == pytest.approx(found, abs=1e-12)
    for name in () if stage.entered else stage.inputs:
        tensor = document.tensor(name)
        assert tensor is not None
        cell = Cell(name, 0, tensor.shape[-1] - 1)
        value = float(np.atleast_2d(tensor)[0, -1])
        up, down = (half_square(with_cell(document, cell, value + by)) for by in (1e-5, -1e-5))
        step = derive_back(document, trace, gradients, cell)
        assert step.value == pytest.approx((up - down) / 2e-5, rel=1e-4, abs=1e-6)
        assert sum(term.value for term in step.terms) == pytest.approx(step.value, abs=1e-12)


@every_stage
def test_its_dependencies_are_what_it_reads(document: Document, stage: Stage) -> None:
    blocks = stage.kind.dependencies(document, stage, Block(stage.id, (0, 1), (0, 1)), 0)
    assert tuple(block.stage_id for block in blocks) == stage.reads
    for block in blocks:
        rows, columns = document.stage_shape(block.stage_id)[-2:]
        assert 0 <= block.rows[0] < block.rows[1] <= rows
        assert 0 <= block.columns[0] < block.columns[1] <= columns


@every_stage
def test_it_is_written_as_code_and_formulas(document: Document, stage: Stage) -> None:
    for library in ("numpy", "torch"):
        statements = [one for one in program(document, library) if one.stage == stage.id]
        assert sum(statement.result for statement in statements) == 1
    assert exported_formula(document, stage)
    letters, _ = stage.kind.operations(document, stage)
    assert stage.entered or letters
    for orientation in (ROWS, COLUMNS):
        assert shown_formula(document, stage.id, orientation=orientation)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_code_computes_every_stage(name: str, tmp_path: Path) -> None:
    document = DOCUMENTS[name]
    trace = run(document)
    write_export(document, "py", tmp_path / "run.py")
    command = [sys.executable, str(tmp_path / "run.py"), str(tmp_path / "out.npz")]
    subprocess.run(command, check=True, capture_output=True)
    with np.load(tmp_path / "out.npz", allow_pickle=False) as arrays:
        for stage_id in trace:
            np.testing.assert_allclose(arrays[stage_id], trace[stage_id], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_workbook_has_a_formula_in_every_cell(name: str) -> None:
    document = DOCUMENTS[name]
    content = export(document, "xlsx")
    assert isinstance(content, bytes)
    book = openpyxl.load_workbook(io.BytesIO(content))
    for stage in plan(document):
        values = [cell.value for row in book[stage.id].iter_rows() for cell in row]
        wanted = math.prod(document.stage_shape(stage.id))
        formulas = sum(isinstance(value, str) and value.startswith("=") for value in values)
        assert formulas == (0 if stage.entered else wanted), stage.id


@pytest.mark.parametrize("name", DOCUMENTS)
def test_right_numbers_are_right_at_every_stage(name: str) -> None:
    document = DOCUMENTS[name]
    trace = run(document)
    for stage in plan(document):
        report = check(document, {stage.id: trace[stage.id]})
        assert {mark.verdict for mark in report.marks} <= {"right"}, stage.id


@pytest.mark.parametrize("name", DOCUMENTS)
def test_one_wrong_number_is_found_at_every_stage(name: str) -> None:
    document = DOCUMENTS[name]
    trace = run(document)
    for stage in plan(document):
        stated = np.array(trace[stage.id])
        place = next(zip(*np.nonzero(np.isfinite(stated)), strict=True))
        stated[place] += 0.31
        report = check(document, {stage.id: stated})
        wrong = [mark.index for mark in report.marks if mark.verdict != "right"]
        assert wrong == [tuple(map(int, place))], stage.id


@every_stage
def test_it_has_its_texts_in_both_languages(document: Document, stage: Stage) -> None:
    first = plan(document).stages[0] == stage
    for field in ("name", "title", "sentence", "note", *(() if first else ("next",))):
        texts = set()
        for language in ("en", "zh_CN"):
            with spoken(language):
                texts.add(stage_text(field, document, stage))
        assert len(texts) == 2, (stage.id, field)
    assert gradient_rule(document, plan(document), stage.id, "target").startswith("∂L/∂")


@every_stage
def test_it_is_drawn(document: Document, stage: Stage, qtbot: QtBot) -> None:
    session = Session(document, Preferences(), "en", "light")
    session.go_to(Cursor(stage.id))
    for paint in (paint_stage, paint_diagram):
        assert len(svg_of(partial(draw, paint, session), (900, 420))) > 2000


def draw(paint: Callable[..., None], session: Session, painter: QPainter, room: QRectF) -> None:
    paint(painter, room, session.state)


@every_stage
def test_its_step_moves_in_the_diagram(document: Document, stage: Stage) -> None:
    session = Session(document, Preferences(), "en", "light")
    session.go_to(Cursor(stage.id))
    after, index = session.state, plan(document).index(stage.id)
    if stage.entered:
        return
    session.go_to(Cursor(plan(document).stages[index - 1].id))
    motion = motion_between(session.state, after, layout_of(after, (1280.0, 400.0)))
    assert motion is not None
    assert bool(motion.blocks) == bool(stage.reads)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_export_is_written(name: str, tmp_path: Path, qtbot: QtBot) -> None:
    for form in DATA_EXPORTERS:
        assert export(DOCUMENTS[name], form)
    for form in ("pptx", "html", "svg"):
        options = ExportOptions(size=(640, 400))
        assert export_shown(DOCUMENTS[name], form, tmp_path / f"run.{form}", options)
