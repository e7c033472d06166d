"""The panel of the next word: bars, sampling, draws, and generation word by word."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from core.base.arrays import Array
from core.compute.decode import DecodedRow, decode_row
from core.compute.trace import run
from core.document.document import Document, Mask, Pin
from core.document.resize import (
    with_tokens_named,
    with_tokens_ordered,
    with_tokens_removed,
    with_word_appended,
)
from core.explain.timeline import Grain
from core.stages import plan
from core.storage.examples import load_example
from gui.session.session import Session
from gui.session.state import Preferences
from gui.texts.names import sublayer_title
from gui.texts.stage_sentences import stage_text
from gui.views.next_word.bars import next_word
from gui.views.next_word.panel import NextWordPanel
from tests.gui.test_stack_diagram import stack
from tests.gui.window_kit import open_window


@pytest.fixture
def panel(qtbot: QtBot) -> NextWordPanel:
    session = Session(stack(), Preferences(motion=False))
    session.go_last()
    found = NextWordPanel(session)
    session.changed.connect(found.show_state)
    found.show_state(None, session.state)
    qtbot.addWidget(found)
    found.resize(440, 460)
    found.show()
    return found


def session_of(panel: NextWordPanel) -> Session:
    return panel._session


def test_the_bars_show_the_last_row_of_the_trace_from_the_most_probable_word(
    panel: NextWordPanel,
) -> None:
    state = session_of(panel).state
    shown = next_word(state)
    assert shown.probabilities.tolist() == state.trace["probabilities"][-1].tolist()
    assert list(shown.order) == sorted(range(5), key=lambda word: -shown.probabilities[word])


def test_a_slider_changes_the_document_in_one_undo_step(panel: NextWordPanel) -> None:
    session = session_of(panel)
    for value in (30, 35, 40):
        panel.sliders[0].setValue(value)
    assert session.state.document.sampling.temperature == 2.0
    logits = session.state.trace["logits"][-1] / 2.0
    wanted = np.exp(logits) / np.exp(logits).sum()
    assert np.allclose(session.state.trace["probabilities"][-1], wanted, atol=1e-12)
    session.undo()
    assert session.state.document.sampling.temperature == 1.0
    assert panel.temperature.value() == 1.0


@pytest.mark.parametrize("temperature", [0.01, 0.33, 1.0, 4.01, 100.0])
def test_the_fields_show_what_is_computed_with_however_coarse_the_sliders(
    panel: NextWordPanel, temperature: float
) -> None:
    session = session_of(panel)
    panel.temperature.setValue(temperature)
    assert session.state.document.sampling.temperature == panel.temperature.value() == temperature
    session.undo()
    assert panel.temperature.value() == session.state.document.sampling.temperature
    session.redo()
    assert session.state.document.sampling.temperature == panel.temperature.value() == temperature


@pytest.mark.parametrize("temperature", [0.925, 1 / 3, 0.0001, 250.125])
@pytest.mark.parametrize("top_p", [0.925, 2 / 3, 0.001])
def test_the_fields_show_all_digits_of_a_file_and_keep_them(
    panel: NextWordPanel, temperature: float, top_p: float
) -> None:
    session = session_of(panel)
    document = session.state.document
    sampling = replace(document.sampling, temperature=temperature, top_p=top_p)
    session.edit(document.with_(sampling=sampling))
    for field, value in ((panel.temperature, temperature), (panel.top_p, top_p)):
        assert float(field.text()) == field.value() == value
    panel.top_k.setValue(2)
    after = session.state.document.sampling
    assert (after.temperature, after.top_p) == (temperature, top_p)


def test_arrows_of_a_field_step_in_decimals(panel: NextWordPanel) -> None:
    panel.temperature.setValue(0.1)
    panel.temperature.stepBy(1)
    assert panel.temperature.text() == "0.15"
    panel.temperature.setValue(0.925)
    panel.temperature.stepBy(-2)
    assert session_of(panel).state.document.sampling.temperature == 0.825


def test_words_that_are_no_tokens_are_classes() -> None:
    """Nothing speaks of a next word where the output tells classes apart."""
    for example, classes in (("not-bad", True), ("block-by-hand", False), ("induction", False)):
        document = load_example(example)
        for temperature in (1.0, 0.5):
            shown = document.with_(sampling=replace(document.sampling, temperature=temperature))
            stage = plan(shown)["probabilities"]
            said = [stage_text(field, shown, stage) for field in ("title", "sentence", "note")]
            assert ("next" in " ".join(said)) != classes
            assert "next" not in stage_text("title", shown, plan(shown)["logits"])
        assert (sublayer_title("output", document) == "Next word") != classes


@pytest.mark.parametrize(
    "edit",
    [
        lambda document: with_tokens_removed(document, [0, 1, 2, 3], "u"),
        lambda document: with_tokens_ordered(document, [4, 3, 2, 1, 0], "u"),
        lambda document: with_tokens_named(document, ("v", "w", "x", "y", "z"), "u"),
    ],
)
def test_another_vocabulary_forgets_the_chosen_word(
    panel: NextWordPanel, edit: Callable[[Document], Document]
) -> None:
    session = session_of(panel)
    nothing_chosen = panel.told.text()
    panel.bars.chosen.emit(4)
    assert panel.told.text() != nothing_chosen
    session.change(edit, text="Words")
    assert panel.told.text() == nothing_chosen
    shown = next_word(session.state)
    assert f"“{shown.words[shown.order[0]]}”" in panel.append.text()


def test_the_cuts_keep_the_most_probable_words(panel: NextWordPanel) -> None:
    session = session_of(panel)
    panel.top_k.setValue(2)
    shown = next_word(session.state)
    best = shown.order[:2]
    total = sum(float(shown.probabilities[word]) for word in best)
    for word in range(5):
        share = float(shown.probabilities[word]) / total if word in best else 0.0
        assert math.isclose(float(shown.shares[word]), share, abs_tol=1e-12)
    panel.top_k.setValue(5)
    assert session.state.document.sampling.top_k is None


def test_the_same_seed_draws_the_same_words(panel: NextWordPanel) -> None:
    drawn = []
    for _ in range(2):
        panel.seed.setValue(11)
        words = []
        for _ in range(6):
            panel.draw.click()
            words.append(panel.told.text())
        drawn.append(words)
        panel.seed.setValue(12)
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) > 1


def test_a_click_on_a_word_says_its_loss(panel: NextWordPanel, qtbot: QtBot) -> None:
    state = session_of(panel).state
    word = next_word(state).order[2]
    qtbot.mouseClick(panel.bars, Qt.MouseButton.LeftButton, pos=QPoint(60, 20 + 24 * 2 + 12))
    loss = -math.log(float(state.trace["probabilities"][-1][word]))
    assert f"{loss:.4f}" in panel.told.text()
    assert state.document.output is not None
    assert state.document.output.vocabulary[word] in panel.append.text()


def test_a_generation_can_be_undone_word_by_word(panel: NextWordPanel) -> None:
    session = session_of(panel)
    before = session.state.document
    for _ in range(3):
        panel.draw.click()
        panel.append.click()
    assert session.state.document.n == before.n + 3
    for _ in range(3):
        session.undo()
    assert session.state.document is before


def test_an_appended_word_has_the_vector_of_an_equal_token_or_its_column() -> None:
    document = stack()
    assert document.X is not None
    assert document.output is not None
    longer = with_word_appended(document, 1)
    assert longer.tokens[-1] == "b"
    assert longer.X is not None
    assert longer.X[-1].tolist() == document.output.W_U[:, 1].tolist()
    again = with_word_appended(longer.with_(X=np.arange(16.0).reshape(4, 4)), 1)
    assert again.X is not None
    assert again.X[-1].tolist() == [12.0, 13.0, 14.0, 15.0]
    assert run(again)["probabilities"].shape == (5, 5)


def test_numbers_that_are_not_reached_are_not_given_away(panel: NextWordPanel) -> None:
    session = session_of(panel)
    session.set_preferences(grain=Grain.CELL)
    session.go_to_stage("L1.weights")
    session.step(-1)
    assert next_word(session.state).covered
    assert not panel.draw.isEnabled()
    assert "…" in panel.append.text()
    assert panel.bars.accessibleDescription() == ""


def test_an_experiment_without_output_leaves_the_panel_alone(panel: NextWordPanel) -> None:
    document: Document = stack().with_(output=None)
    session_of(panel).edit(document)
    assert session_of(panel).state.document.output is None


def test_the_panel_has_a_tab_while_the_experiment_has_an_output(qtbot: QtBot) -> None:
    window = open_window(qtbot, "cat-eats-fish")
    dock, before = window.docks["next_word"], window.session.state.document
    assert dock.isHidden()
    assert not dock.toggleViewAction().isEnabled()
    window.session.edit(stack())
    assert not dock.isHidden()
    assert dock.toggleViewAction().isEnabled()
    window.session.edit(before)
    assert dock.isHidden()


def test_the_cache_keeps_all_tokens_but_the_last_and_computes_one_row(panel: NextWordPanel) -> None:
    session, part = session_of(panel), panel.cache
    assert part.told.isHidden()
    part.keep.click()
    document = session.state.document
    heads = [layer.heads for layer in document.layers]
    widths = [heads_[0].W_K.shape[1] + heads_[0].W_V.shape[1] for heads_ in heads]
    numbers = sum(
        (document.n - 1) * len(heads_) * width for heads_, width in zip(heads, widths, strict=True)
    )
    assert part.told.text().startswith(f"Kept: {numbers} numbers, K and V of all tokens before")
    assert part.told.text().endswith("The difference from computing all rows is 0.")
    last = document.tokens[-1]
    panel.append.click()
    word = session.state.document.tokens[-1]
    name = part.tokens.accessibleName()
    assert name.endswith(f"New: {word}.")
    assert f", {last}. New" in name
    session.undo()
    assert part.tokens.accessibleName().endswith(f"New: {last}.")
    part.keep.click()
    assert part.told.isHidden()


def test_nothing_is_kept_without_a_causal_mask_or_with_pins(panel: NextWordPanel) -> None:
    session, part = session_of(panel), panel.cache
    part.keep.click()
    document = session.state.document
    pin = Pin("L1.weights", (0, 1, 0), 0.5)
    for changed, words in (
        (replace(document, mask=Mask("none")), "Without a causal mask"),
        (replace(document, pins=(pin,)), "What-if values"),
        (with_tokens_removed(document, range(1, document.n)), "The first token"),
    ):
        session.edit(changed)
        assert part.told.text().startswith(words)
        assert part.tokens.isHidden()
        assert part.lab.isHidden()


def test_the_lab_of_decoding_opens_on_the_experiment_at_its_last_token(qtbot: QtBot) -> None:
    window = open_window(qtbot, example="block-by-hand")
    window.open_decoding()
    lab = window.labs.window
    assert lab is not None
    setting = lab.session.state.setting
    assert lab.session.state.lab == "decode"
    assert setting.document is window.session.state.document
    assert setting["step"] == window.session.state.document.n - 1
    window.close()


def test_a_step_computes_no_cache_again(
    panel: NextWordPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[Document] = []

    def counting(document: Document, kept: Mapping[str, Array]) -> DecodedRow:
        counted.append(document)
        return decode_row(document, kept)

    monkeypatch.setattr("gui.views.next_word.cache.decode_row", counting)
    session = session_of(panel)
    panel.cache.keep.click()
    session.step(-1)
    session.step(1)
    assert len(counted) == 1
    panel.append.click()
    assert len(counted) == 2
    panel.cache.keep.click()
    session.undo()
    assert len(counted) == 2
