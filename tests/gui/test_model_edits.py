"""Edits go on through a model: against plain loops, against runs from the start, undone and removed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.compute.trace import run
from core.models import open_model
from core.models.changes import ModelChanges
from core.models.forward import run_model
from core.storage import archive
from gui.model_window.edit_dialogs import NumberDialog
from gui.model_window.edits import (
    HeadOff,
    NumberEdit,
    StagePatch,
    WeightPin,
    WordSwap,
    first_edited_layer,
    with_edit,
)
from gui.model_window.next_word import at_temperature, next_words
from gui.model_window.session import ModelSession
from gui.model_window.state import EDITED, A, B, relative_change
from gui.model_window.wording import edit_name, tensor_label
from tests.core.model_kit import PlainModel, random_tensors
from tests.gui.model_window_kit import SPECIAL, WORDS, model_folder, model_window, opened, wait_for

TEXT = "the cat sat on the mat"
IDS = [len(SPECIAL) + WORDS.index(word) for word in TEXT.split()]


def test_a_changed_number_is_that_of_a_model_with_this_number(qtbot: QtBot, tmp_path: Path) -> None:
    tensors = random_tensors("gpt2")
    session = opened(model_folder(tmp_path / "m", "gpt2"), TEXT)
    edit = NumberEdit(1, "W_1", (2, 5), 3.25)
    session.select(1, 0)
    wait_for(session)
    session.add_edit(edit, "x")
    wait_for(session)
    tensors["h.1.mlp.c_fc.weight"] = tensors["h.1.mlp.c_fc.weight"].copy()
    tensors["h.1.mlp.c_fc.weight"][2, 5] = 3.25
    plain = PlainModel("gpt2", tensors)
    plain.run(IDS)
    run = session.state.runs[EDITED]
    assert run.done
    shown = np.array([layer.weights for layer in run.layers])
    np.testing.assert_allclose(shown, plain.weights, atol=1e-12)
    np.testing.assert_allclose(run.final, plain.final, atol=1e-10)
    before = session.state.runs[A]
    assert run.layers[0] is before.layers[0]  # nothing before the edit is computed again
    assert session.state.look.show == EDITED


def test_the_layer_of_an_edit_is_there_at_once_and_the_same_as_later(
    qtbot: QtBot, tmp_path: Path
) -> None:
    folder = model_folder(tmp_path / "m", "llama")
    session = opened(folder, TEXT)
    session.select(1, 4)
    wait_for(session)
    session.add_edit(HeadOff(1, 4), "x")
    at_once = session.state.runs[EDITED].layers[1]
    assert session.state.opened is not None
    assert session.state.opened.result is at_once
    wait_for(session)
    assert session.state.runs[EDITED].layers[1] is at_once
    model = open_model(folder)
    whole = run_model(model, IDS, ModelChanges(heads_off=frozenset({(1, 4)})))
    run = session.state.runs[EDITED]
    np.testing.assert_allclose(run.final, whole.final, atol=1e-12)
    np.testing.assert_allclose(run.probabilities, whole.next_probabilities(), atol=1e-12)


def test_edits_add_up_are_undone_and_removed(qtbot: QtBot, tmp_path: Path) -> None:
    session = opened(model_folder(tmp_path / "m", "gpt2"), TEXT)
    pin, off = WeightPin(0, 1, 3, 2, 0.75), HeadOff(2, 0)
    session.add_edit(pin, "x")
    wait_for(session)
    session.add_edit(off, "x")
    wait_for(session)
    assert session.state.setting.edits == (pin, off)
    run = session.state.runs[EDITED]
    assert run.layers[0].weights[1, 3, 2] == 0.75
    assert run.done
    session.remove_edit(pin)
    wait_for(session)
    alone = session.state.runs[EDITED]
    assert alone.layers[0].weights[1, 3, 2] != 0.75
    np.testing.assert_array_equal(alone.layers[0].weights, session.state.runs[A].layers[0].weights)
    session.undo_stack.undo()
    wait_for(session)
    again = session.state.runs[EDITED]
    np.testing.assert_allclose(again.final, run.final, atol=1e-12)
    for _ in range(2):
        session.undo_stack.undo()
    wait_for(session)
    assert session.state.setting.edits == ()
    assert EDITED not in session.state.runs
    assert session.state.look.show == A


def test_a_swapped_word_is_the_sentence_with_this_word(qtbot: QtBot, tmp_path: Path) -> None:
    session = opened(model_folder(tmp_path / "m", "gpt2"), TEXT)
    dog = len(SPECIAL) + WORDS.index("dog")
    session.add_edit(WordSwap(1, dog), "x")
    wait_for(session)
    plain = PlainModel("gpt2", random_tensors("gpt2"))
    plain.run([IDS[0], dog, *IDS[2:]])
    np.testing.assert_allclose(session.state.runs[EDITED].final, plain.final, atol=1e-10)
    assert edit_name(WordSwap(1, dog), session.state) == "cat → dog"


def test_a_stage_is_taken_from_the_other_sentence(qtbot: QtBot, tmp_path: Path) -> None:
    session = opened(model_folder(tmp_path / "m", "bert"), "the cat sat")
    session.set_other("a dog ran")
    wait_for(session)
    session.add_edit(StagePatch(1, "mlp_residual"), "x")
    wait_for(session)
    edited, other = session.state.runs[EDITED], session.state.runs[B]
    np.testing.assert_allclose(edited.final, other.final, atol=1e-12)  # after it only a norm
    session.remove_edit(StagePatch(1, "mlp_residual"))
    session.add_edit(StagePatch(0, "weights", 2, 3), "x")
    wait_for(session)
    weights = session.state.runs[EDITED].layers[0].weights
    one, two = (session.state.runs[name].layers[0].weights for name in (A, B))
    np.testing.assert_allclose(weights[2, 3], two[2, 3], atol=1e-12)
    np.testing.assert_array_equal(weights[2, :3], one[2, :3])
    np.testing.assert_array_equal(weights[:2], one[:2])


def test_an_edit_takes_the_place_of_one_at_the_same_place() -> None:
    edits = (WeightPin(0, 1, 2, 1, 0.5), HeadOff(1, 0))
    other = WeightPin(0, 1, 2, 1, 0.25)
    assert with_edit(edits, other) == (HeadOff(1, 0), other)
    assert with_edit(edits, WeightPin(0, 1, 2, 0, 0.1)) == (*edits, WeightPin(0, 1, 2, 0, 0.1))
    assert first_edited_layer(edits[1:]) == 1
    assert first_edited_layer((*edits[1:], WordSwap(2, 5))) == 0
    assert first_edited_layer(()) is None


def test_the_change_is_a_part_of_the_length() -> None:
    before = np.array([[3.0, 4.0], [0.0, 2.0]])
    after = np.array([[3.0, 4.0], [1.0, 2.0]])
    np.testing.assert_allclose(relative_change(before, after), [0.0, 0.5])


def test_the_next_word_with_an_edit_beside_that_without(qtbot: QtBot, tmp_path: Path) -> None:
    with model_window(model_folder(tmp_path / "m", "gpt2"), TEXT) as (_, window):
        session = window.session
        session.add_edit(HeadOff(0, 0), "x")
        wait_for(session)
        words = next_words(session.state, 1.0)
        assert words is not None
        assert words.after is not None
        shown = words.after[list(words.words)]
        assert list(shown) == sorted(shown, reverse=True)
        best = int(np.argmax(words.now))
        assert not window.next.isHidden()
        window.next.append.click()
        wait_for(session)
        assert session.state.runs[A].sentence.ids == (*IDS, best)
        assert session.state.setting.edits == (HeadOff(0, 0),)
        window.actions_["model_undo"].trigger()
        wait_for(session)
        assert list(session.state.runs[A].sentence.ids) == IDS


def test_temperature_raises_probabilities_to_a_power() -> None:
    logits = np.array([0.3, -1.0, 2.0, 0.0])
    p = np.exp(logits) / np.exp(logits).sum()
    wanted = np.exp(logits / 0.5) / np.exp(logits / 0.5).sum()
    np.testing.assert_allclose(at_temperature(p, 0.5), wanted, atol=1e-15)


def test_an_encoder_has_no_panel_of_the_next_word(qtbot: QtBot, tmp_path: Path) -> None:
    with model_window(model_folder(tmp_path / "m", "bert"), "the cat") as (_, window):
        assert window.next.isHidden()


def test_chips_take_edits_away_and_buttons_switch_heads(qtbot: QtBot, tmp_path: Path) -> None:
    with model_window(model_folder(tmp_path / "m", "gpt2"), TEXT) as (_, window):
        session = window.session
        assert window.changes.isHidden()
        session.select(1, 1)
        window.head.off.click()
        wait_for(session)
        assert session.state.setting.edits == (HeadOff(1, 1),)
        assert not window.changes.isHidden()
        changes = window.changes.view.changes()
        assert [bool(each.max() > 0) for each in changes] == [False, True, True]
        (chip,) = window.changes.chips.values()
        assert "2.2" in chip.text()
        QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
        wait_for(session)
        assert session.state.setting.edits == ()
        assert window.changes.isHidden()


@pytest.mark.parametrize("show", ["edited", "edited-A"])
def test_what_edits_show_is_painted(qtbot: QtBot, tmp_path: Path, show: str) -> None:
    with model_window(model_folder(tmp_path / "m", "llama"), TEXT) as (_, window):
        window.session.add_edit(WeightPin(0, 0, 2, 1, 0.9), "x")
        wait_for(window.session)
        window.session.look(show=show, query=2, key=1)
        window.grab()
        assert "0.90" in window.head.pair.text()


def test_edits_that_do_not_fit_another_sentence_are_left(qtbot: QtBot, tmp_path: Path) -> None:
    session = opened(model_folder(tmp_path / "m", "gpt2"), TEXT)
    session.set_other("a big dog ran on the")
    near, far, off = WeightPin(0, 0, 2, 1, 0.5), WeightPin(0, 0, 5, 1, 0.5), HeadOff(1, 1)
    row = NumberEdit(0, "X", (4, 1), 0.5)  # of a fifth token
    for edit in (near, far, off, row, WordSwap(1, 9), StagePatch(2, "Y")):
        session.add_edit(edit, "x")
    wait_for(session)
    before = session.state.setting
    session.set_text("the dog sat on")
    wait_for(session)
    assert session.state.setting.edits == (near, off)
    assert session.state.runs[EDITED].done
    session.undo_stack.undo()
    wait_for(session)
    assert session.state.setting == before
    session.set_other("")
    wait_for(session)
    assert session.state.setting.edits == before.edits[:-1]


def test_a_stage_from_the_other_sentence_follows_that_sentence(
    qtbot: QtBot, tmp_path: Path
) -> None:
    session = opened(model_folder(tmp_path / "m", "bert"), "the cat sat")
    session.set_other("a dog ran")
    wait_for(session)
    session.add_edit(StagePatch(1, "mlp_residual"), "x")
    wait_for(session)
    session.set_other("big mat on")
    wait_for(session)
    edited, other = session.state.runs[EDITED], session.state.runs[B]
    np.testing.assert_allclose(edited.final, other.final, atol=1e-12)


@pytest.mark.parametrize(
    ("family", "layer", "tensor", "row", "column", "place"),
    [
        ("gpt2", 1, "attention_norm.gamma", 1, 3, ("h.1.ln_1.weight", (2,))),
        ("gpt2", 1, "mlp_norm.beta", 1, 3, ("h.1.ln_2.bias", (2,))),
        ("gpt2", 0, "X", 2, 4, ("wte.weight", (IDS[2], 3))),
        ("gpt2", 0, "P", 3, 4, ("wpe.weight", (2, 3))),
        ("gpt2", 2, "final_norm.gamma", 1, 5, ("ln_f.weight", (4,))),
        ("bert", 0, "embedding_norm.beta", 1, 2, ("embeddings.LayerNorm.bias", (1,))),
        ("bert", 1, "mlp_norm.gamma", 1, 4, ("encoder.layer.1.output.LayerNorm.weight", (3,))),
    ],
)
def test_the_dialog_changes_every_tensor_of_a_model(
    qtbot: QtBot,
    tmp_path: Path,
    family: str,
    layer: int,
    tensor: str,
    row: int,
    column: int,
    place: tuple[str, tuple[int, ...]],
) -> None:
    """As a model whose file has this number; its opened layer is saved and loaded alike."""
    session = opened(model_folder(tmp_path / "m", family), "cat sat on a")
    session.select(layer, 1)
    wait_for(session)
    edit = dialog_edit(session, tensor, row, column, 1.75)
    session.add_edit(edit, "x")
    wait_for(session)
    run_ = session.state.runs[EDITED]
    tensors = random_tensors(family)
    name = next(each for each in tensors if each.endswith(place[0]))
    tensors[name] = tensors[name].copy()
    tensors[name][place[1]] = 1.75
    plain = PlainModel(family, tensors)
    plain.run(run_.sentence.ids)
    np.testing.assert_allclose(
        np.array([each.weights for each in run_.layers]), plain.weights, atol=1e-12
    )
    np.testing.assert_allclose(run_.final, plain.final, atol=1e-10)
    for whole, stage in ((False, "weights"), (True, "L1.weights")):
        document = session.layer_document(whole=whole)
        assert document is not None
        archive.save(document, tmp_path / "layer.attn.json")
        again = run(archive.load(tmp_path / "layer.attn.json"))
        np.testing.assert_allclose(again[stage], run_.layers[layer].weights, atol=1e-12)


def test_a_number_of_the_output_changes_one_logit(qtbot: QtBot, tmp_path: Path) -> None:
    session = opened(model_folder(tmp_path / "m", "gpt2"), TEXT)
    last = session.state.model.layers - 1
    session.select(last, 0)
    wait_for(session)
    edit = dialog_edit(session, "W_U", 3, 9, 1.5)
    assert edit_name(edit, session.state) == "W_U [3, 9] = 1.50"
    before = session.state.runs[A]
    session.add_edit(edit, "x")
    wait_for(session)
    after = session.state.runs[EDITED]
    old = random_tensors("gpt2")["wte.weight"][8, 2]  # tied
    odds = after.probabilities / before.probabilities
    change = np.log(odds[8] / odds[7])
    assert change == pytest.approx(before.final[-1, 2] * (1.5 - old), abs=1e-10)
    np.testing.assert_array_equal(after.final, before.final)


def dialog_edit(
    session: ModelSession, tensor: str, row: int, column: int, value: float
) -> NumberEdit:
    """What the dialog gives when a tensor, a place and a value are entered."""
    assert session.state.opened is not None
    parent = QWidget()
    dialog = NumberDialog(parent, session.state, session.state.opened.plain)
    shown = [dialog.tensor.itemText(i) for i in range(dialog.tensor.count())]
    dialog.tensor.setCurrentIndex(shown.index(tensor_label(tensor)))
    dialog.row_field.setValue(row)
    dialog.column_field.setValue(column)
    dialog.value.entered.emit(value)
    return dialog.edit
