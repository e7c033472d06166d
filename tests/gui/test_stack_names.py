"""Names, titles and colours of stacks, as they are read in views, lists and papers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pptx import Presentation
from pypdf import PdfReader
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.base.errors import UserError
from core.document.document import Document
from core.labs.lab import LABS, find_lab
from core.stages import plan
from core.storage.examples import load_example
from gui.cli import run_command_line
from gui.session.spoken_cell import spoken_place
from gui.texts.names import long_name, stage_label, stage_name, symbol
from gui.texts.rich_text import typeset
from gui.texts.translation import use_language
from gui.views.stage.operation import Operand, target
from gui.views.stage.operation_builder import operation
from tests.core.stacks import STACK_EXAMPLES, make_stack
from tests.gui.stage_kit import session_at


@pytest.mark.parametrize("example", STACK_EXAMPLES)
def test_no_two_stages_or_tensors_have_the_same_name(example: str) -> None:
    document = load_example(example)
    ids = plan(document).ids
    for name_of in (stage_name, stage_label, long_name):
        names = [name_of(stage_id) for stage_id in ids]
        assert len(set(names)) == len(names)
    entered = [symbol(name, document) for name in document.inputs]
    assert len(set(entered)) == len(entered)


def test_the_layer_is_named_in_both_languages() -> None:
    assert stage_name("L2.Q") == "Layer 2: Query"
    assert stage_name("logits") == "Logits"
    use_language("zh_CN")
    try:
        assert stage_name("L2.Q") == "第 2 层：查询"
    finally:
        use_language("en")


def test_parameters_of_a_norm_have_their_letter_and_the_norm() -> None:
    document = load_example("block-by-hand")
    names = ("L1.attention_norm.gamma", "L1.mlp_norm.beta", "final_norm.gamma", "L1.W_1", "W_U")
    shown = [symbol(name, document) for name in names]
    assert shown == ["L1.γ LN₁", "L1.β LN₂", "γ LN", "L1.W_1", "W_U"]


@pytest.mark.parametrize("stage", ["logits", "probabilities"])
def test_columns_of_the_next_word_are_words(stage: str) -> None:
    document = load_example("block-by-hand")
    assert document.output is not None
    for column, word in enumerate(document.output.vocabulary):
        assert spoken_place(Cell(stage, 1, column), document).endswith(f"word {word}")


def operands(document: Document | str, stage: str) -> tuple[Operand, ...]:
    state = session_at(document, stage, 0, 0).state
    return operation(state, target(state)).operands


def title(operand: Operand) -> str:
    return "".join(span.text for span in operand.title)


def test_activations_and_norms_are_headed_by_their_function(qtbot: QtBot) -> None:
    assert [title(one) for one in operands("block-by-hand", "L1.mlp_active")] == ["H", "ReLU(H)"]
    assert title(operands(make_stack(norm="rms"), "L1.Q")[0]) == "RMS₁"
    assert title(operands("induction", "L2.Y")[0]) == "Concatenation"


def test_powers_in_titles_are_raised(qtbot: QtBot) -> None:
    titles = [one.title for one in operands("block-by-hand", "probabilities")]
    raised = [span.text for line in titles for span in line if span.level == 1]
    assert raised == ["z−max"]
    assert [span.level for span in typeset("W_1")] == [0, -1]


@pytest.mark.parametrize("stage", ["L1.attention_norm", "probabilities"])
def test_parts_of_a_row_have_the_colours_of_their_stages(qtbot: QtBot, stage: str) -> None:
    """The first and the last part are rows of stages; the same number has the same colour there."""
    session = session_at("block-by-hand", stage, 0, 0)
    (source,) = session.state.trace.plan[stage].reads
    rows = [one for one in operands("block-by-hand", stage) if one.values.shape[1] > 1]
    for part, name in ((rows[0], source), (rows[-1], stage)):
        values = np.asarray(session.state.trace[name])
        reach = 1.0 if name == "probabilities" else float(np.abs(values).max())
        assert part.levels.high == reach


def test_a_worksheet_and_a_report_name_layers_and_norms(tmp_path: Path) -> None:
    for form in ("worksheet", "report"):
        file = tmp_path / f"{form}.pdf"
        arguments = ["export", "--example", "induction", "--format", form, "-o", str(file)]
        assert run_command_line(arguments) == 0
        pages = PdfReader(file).pages
        text = " ".join(" ".join(page.extract_text().split()) for page in pages)
        assert "Layer 1" in text
        assert "Layer 2" in text


@pytest.mark.parametrize("example", STACK_EXAMPLES)
def test_labs_refuse_a_stack_or_compute_it(example: str) -> None:
    document, refused = load_example(example), set()
    for lab_id in LABS:
        lab = find_lab(lab_id)
        try:
            setting = lab.start(document)
        except UserError as problem:
            refused.add(lab_id)
            if not lab.stacks:
                assert problem.code == "lab.unfit"
                assert problem.data == {"reason": "stack"}
        else:
            assert lab.stacks
            assert lab.compute(setting) is not None
    assert {"backward", "plane", "softmax"} <= refused


def test_slides_of_several_layers_name_the_layer(tmp_path: Path) -> None:
    titles = []
    for example in ("induction", "not-bad"):
        file = tmp_path / f"{example}.pptx"
        arguments = ["export", "--example", example, "--format", "pptx", "-o", str(file)]
        assert run_command_line(arguments) == 0
        titles.append([slide.shapes.title.text_frame.text for slide in Presentation(file).slides])
    assert len(set(titles[0])) == len(titles[0])
    assert sum(title.endswith("Layer 2") for title in titles[0]) == len(
        plan(load_example("induction")).of_layer(2)
    )
    assert not any("Layer" in title for title in titles[1])


def test_a_formula_tells_the_stream_before_a_layer_from_the_one_after_it() -> None:
    document = load_example("induction")
    stage = plan(document)["L2.attention_residual"]
    left, right = stage.kind.entry_formula(document, stage, False).split(" = ")
    assert left not in right.split(" + ")
    assert "[1]" in right
    block = load_example("block-by-hand")  # one layer needs no number
    assert all("[" not in "".join(stage.source_names(block)) for stage in plan(block))
