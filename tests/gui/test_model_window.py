"""The model window on small random models: runs, map, filters, undo, and the way to the main window."""

from __future__ import annotations

import json
from dataclasses import replace
from math import fsum
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from core.base.errors import UserError
from core.compute.trace import run
from core.models import shipped_models
from core.storage import archive
from gui.model_window.edits import HeadOff, NumberEdit, StagePatch, WeightPin, WordSwap
from gui.model_window.head_filters import count, matches, order, value_of
from gui.model_window.head_view import HeadView
from gui.model_window.map_layout import grid, in_order
from gui.model_window.reasons_view import largest_kinds, term_rows
from gui.model_window.recent_models import FILE, last_model, save_last_model
from gui.model_window.state import ALL, BY_LAYER, EDITED, PAIR, A, B, Setting
from gui.model_window.wording import notes
from gui.session.preferences import read_settings, write_settings
from tests.core.model_kit import PlainModel, random_tensors
from tests.gui.model_window_kit import SPECIAL, WORDS, model_folder, model_window, opened, wait_for

TEXT = "the cat sat on the mat"
IDS = [len(SPECIAL) + WORDS.index(word) for word in TEXT.split()]


def plain_weights(family: str, ids: list[int]) -> np.ndarray:
    plain = PlainModel(family, random_tensors(family))
    plain.run(ids)
    return np.array(plain.weights)  # (layers, heads, n, n)


@pytest.mark.parametrize("family", ["gpt2", "qwen2"])
def test_the_runs_are_those_of_plain_loops(qtbot: QtBot, tmp_path: Path, family: str) -> None:
    session = opened(model_folder(tmp_path / "m", family), TEXT)
    run = session.state.runs[A]
    assert run.done
    assert list(run.sentence.ids) == IDS
    shown = np.array([session.state.shown_weights(layer) for layer in range(len(run.layers))])
    np.testing.assert_allclose(shown, plain_weights(family, IDS), atol=1e-12)
    assert run.probabilities is not None
    assert run.probabilities.sum() == pytest.approx(1.0)


def test_a_difference_is_that_of_both_sentences(qtbot: QtBot, tmp_path: Path) -> None:
    session = opened(model_folder(tmp_path / "m", "bert"), "the cat sat on")
    session.set_other("the dog ran on")
    wait_for(session)
    session.look(show="A-B")
    ids = session.state.runs[A].sentence.ids
    assert (ids[0], ids[-1]) == (SPECIAL.index("[CLS]"), SPECIAL.index("[SEP]"))
    two = [plain_weights("bert", list(session.state.runs[name].sentence.ids)) for name in (A, B)]
    for layer in range(2):
        shown = session.state.shown_weights(layer)
        assert shown is not None
        np.testing.assert_allclose(shown, two[0][layer] - two[1][layer], atol=1e-12)
    session.set_other("the dog")
    wait_for(session)
    assert not session.state.can_show("A-B")


def test_sentences_are_undone_and_one_that_is_refused_changes_nothing(
    qtbot: QtBot, tmp_path: Path
) -> None:
    session = opened(model_folder(tmp_path / "m", "gpt2"), TEXT)
    refused: list[UserError] = []
    session.failed.connect(refused.append)
    before = session.state.setting
    session.set_text("cat " * 11)  # the model has ten positions
    assert [problem.code for problem in refused] == ["model.too_long"]
    assert session.state.setting == before
    session.set_text("a big dog")
    wait_for(session)
    assert len(session.state.runs[A].sentence.ids) == 3
    session.undo_stack.undo()
    wait_for(session)
    assert session.state.setting == before
    assert list(session.state.runs[A].sentence.ids) == IDS


def test_filters_count_the_heads_that_look_there(qtbot: QtBot, tmp_path: Path) -> None:
    session = opened(model_folder(tmp_path / "m", "gpt2"), TEXT)
    weights, n = plain_weights("gpt2", IDS), len(IDS)
    previous = {
        (layer, head): sum(A_[i][i - 1] for i in range(1, n)) / (n - 1)
        for layer, heads in enumerate(weights)
        for head, A_ in enumerate(heads)
    }
    for place, value in previous.items():
        assert value_of(session.state, place, "previous") == pytest.approx(value)
    assert count(session.state, "previous") == sum(value >= 0.5 for value in previous.values())
    assert count(session.state, ALL) == 6
    session.look(sort="previous")
    assert order(session.state) == tuple(sorted(previous, key=lambda place: -previous[place]))


def test_a_pair_is_sought_by_its_weight(qtbot: QtBot, tmp_path: Path) -> None:
    session = opened(model_folder(tmp_path / "m", "gpt2"), TEXT)
    session.look(query=5, key=1, filter=PAIR)
    for layer, heads in enumerate(plain_weights("gpt2", IDS)):
        for head, weights in enumerate(heads):
            assert value_of(session.state, (layer, head), PAIR) == pytest.approx(weights[5][1])
            assert matches(session.state, (layer, head), PAIR) == (weights[5][1] >= 0.2)


@pytest.mark.parametrize(
    ("layers", "heads", "kv_heads"), [(6, 12, 12), (30, 9, 3), (3, 2, 2), (2, 6, 2)]
)
def test_every_head_has_a_place_of_its_own_in_the_grid(
    layers: int, heads: int, kv_heads: int
) -> None:
    places = grid(QRectF(0, 0, 780, 330), layers, heads, kv_heads)
    assert places.layers_across == (layers > heads)
    rects = [places.rect(place) for place in places.places]
    assert len(rects) == layers * heads
    assert not any(a.intersects(b) for i, a in enumerate(rects) for b in rects[:i])
    for place, rect in zip(places.places, rects, strict=True):
        assert places.at(rect.center()) == place
        assert rect.right() <= 780
    last = (layers - 1, heads - 1)
    assert places.moved(last, 1, 1) == last
    right = (1, 0) if layers > heads else (0, 1)
    assert places.moved((0, 0), 1, 0) == right


def test_sorted_heads_follow_each_other() -> None:
    wanted = tuple((layer, head) for head in range(12) for layer in range(6))
    places = in_order(QRectF(0, 0, 700, 400), 6, 12, wanted)
    rects = [places.rect(place) for place in wanted]
    assert [(r.y(), r.x()) for r in rects] == sorted((r.y(), r.x()) for r in rects)
    assert not any(a.intersects(b) for i, a in enumerate(rects) for b in rects[:i])
    assert places.moved(wanted[3], 1, 0) == wanted[4]
    assert places.moved(wanted[0], -1, 0) == wanted[0]


def test_tokens_are_followed_paired_and_let_go(qtbot: QtBot, tmp_path: Path) -> None:
    with model_window(model_folder(tmp_path / "m", "bert"), "the cat sat") as (_, window):
        look = window.session.state.look
        window.choose_token(2)
        window.choose_token(1)
        look = window.session.state.look
        assert (look.query, look.key, look.filter) == (2, 1, PAIR)
        window.choose_token(3)
        look = window.session.state.look
        assert (look.query, look.key, look.filter, look.sort) == (3, None, ALL, BY_LAYER)
        window.choose_token(3)
        assert window.session.state.look.query is None


def test_arrows_walk_over_the_map_and_enter_opens_the_layer(qtbot: QtBot, tmp_path: Path) -> None:
    with model_window(model_folder(tmp_path / "m", "gpt2"), TEXT) as (main, window):
        window.resize(900, 600)
        for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
            QTest.keyClick(window.map, key)
        look = window.session.state.look
        assert (look.layer, look.head) == (2, 1)  # three layers run along x
        assert "3" in window.map.accessibleDescription()
        QTest.keyClick(window.map, Qt.Key.Key_Return)
        state = main.session.state
        assert state.document.tokens == tuple(TEXT.split())
        weights = plain_weights("gpt2", IDS)[2]
        np.testing.assert_allclose(state.trace["weights"], weights, atol=1e-12)


def test_every_part_paints_in_every_theme_and_language(qtbot: QtBot, tmp_path: Path) -> None:
    with model_window(model_folder(tmp_path / "m", "llama"), TEXT) as (main, window):
        window.session.set_other("a big dog ran on the")
        wait_for(window.session)
        for shade in ("dark", "contrast", "chalkboard", "light"):
            main.session.set_shade(shade)
            for show in ("A", "B", "A-B"):
                window.session.look(show=show, query=3, key=1)
                window.grab()
                assert window.message.text() == ""
        main.session.set_language("zh_CN")
        assert window.filters.accessibleName() != "Heads"
        for part in (
            window.filters,
            window.map,
            window.head.view,
            window.sentences.first.strip,
            window.choice,
        ):
            assert part.accessibleName()


def test_a_dropped_folder_is_opened_as_a_model(qtbot: QtBot, tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "some-model", "bert")
    with model_window(model_folder(tmp_path / "m", "gpt2")) as (main, window):
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(folder))])
        event = QDropEvent(
            QPointF(5, 5),
            Qt.DropAction.CopyAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        main.dropEvent(event)
        qtbot.waitUntil(lambda: window.session.state.title == "some-model")
        wait_for(window.session)
        assert window.session.state.model is not None
        assert window.session.state.model.architecture == "bert"
        assert main.models.recent()[0] == str(folder)


def test_a_folder_that_is_no_model_is_refused_in_a_sentence(qtbot: QtBot, tmp_path: Path) -> None:
    with model_window(model_folder(tmp_path / "m", "gpt2"), TEXT) as (main, window):
        main.models.open(tmp_path)
        wait_for(window.session)
        assert window.message.text()
        assert window.session.state.title == "m"
        assert main.models.recent() == [str(tmp_path / "m")]


def test_what_is_kept_is_there_again(qtbot: QtBot, tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "m", "gpt2")
    edits = (
        HeadOff(1, 0),
        WeightPin(0, 1, 3, 2, 0.75),
        NumberEdit(2, "W_Q", (1, 2, 0), -0.5),
        WordSwap(1, 9),
        StagePatch(1, "Q", 0, None),
    )
    setting = Setting(TEXT, "a big dog ran on the", edits)
    save_last_model(str(folder), setting)
    assert last_model() == (str(folder), setting)
    with model_window(None) as (_, window):
        assert window.session.state.setting == setting
        assert window.session.state.runs[EDITED].done


def test_kept_edits_that_do_not_fit_are_left_out(qtbot: QtBot, tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "m", "gpt2")
    save_last_model(str(folder), Setting(TEXT, "", (NumberEdit(1, "W_Q", (7, 0, 0), 1.0),)))
    write = read_settings(FILE)
    write["last"]["edits"] += [{"kind": "pin"}, 3, {"kind": "nothing", "layer": 1}]
    write_settings(FILE, write)
    with model_window(None) as (_, window):
        state = window.session.state
        assert (state.setting.text, state.setting.edits) == (TEXT, ())
        assert state.runs[A].done


def test_the_layer_that_is_opened_points_to_the_model(qtbot: QtBot, tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "m", "gpt2")
    with model_window(folder, TEXT) as (main, window):
        session = window.session
        session.select(1, 0)
        wait_for(session)
        session.add_edit(WeightPin(1, 1, 4, 2, 0.6), "x")
        session.add_edit(HeadOff(1, 0), "x")
        wait_for(session)
        window.head.open.click()
        document, trace = main.session.state.document, main.session.state.trace
        assert document.link is not None
        assert document.link.layer == 2
        assert [head.enabled for head in document.heads] == [False, True]
        assert trace["weights"][1, 4, 2] == 0.6
        path = tmp_path / "layer.attn.json"
        archive.save(document, path)
        assert '"source": "model"' in path.read_text(encoding="utf-8")
        again = run(archive.load(path))
        np.testing.assert_array_equal(again["weights"], trace["weights"])
        main.session.mark_saved(path)
        window.head.whole.click()
        stack = main.session.state
        assert len(stack.document.layers) == 1
        outgoing = session.state.runs[EDITED].layers[1].outgoing
        np.testing.assert_allclose(stack.trace["L1.mlp_residual"], outgoing, atol=1e-12)
        main.session.mark_saved(path)


def test_a_picture_shows_the_map_and_no_weights(qtbot: QtBot, tmp_path: Path) -> None:
    with model_window(model_folder(tmp_path / "m", "llama"), TEXT) as (main, window):
        window.session.look(query=4, key=1)
        window.session.add_edit(HeadOff(0, 2), "x")
        wait_for(window.session)
        for ending in ("png", "svg", "pdf"):
            path = tmp_path / f"shown.{ending}"
            main.models.ask_picture = lambda *_, path=path: path
            window.actions_["model_picture"].trigger()
            assert 1000 < path.stat().st_size < 1_000_000
        assert "shown.pdf" in window.message.text()


def test_the_full_screen_enlarges_and_a_clicker_turns_layers(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.model_window.window.HALL", 200.0)
    with model_window(model_folder(tmp_path / "m", "bert"), "the cat") as (_, window):
        QTest.keyClick(window.map, Qt.Key.Key_PageDown)
        assert window.session.state.look.layer == 1
        QTest.keyClick(window.map, Qt.Key.Key_PageUp)
        assert window.session.state.look.layer == 0
        window.toggle_present()
        assert window.isFullScreen()
        assert window.map.unit == pytest.approx(window.height() / 200)
        QTest.keyClick(window.map, Qt.Key.Key_Escape)
        assert not window.isFullScreen()
        assert window.map.unit == 1.0


def test_f6_goes_through_the_parts(qtbot: QtBot, tmp_path: Path) -> None:
    with model_window(model_folder(tmp_path / "m", "gpt2"), TEXT) as (_, window):
        window.map.setFocus()
        seen = []
        for _ in range(6):
            window.cycle(1)
            seen.append(window.focusWidget())
        assert seen[0] is window.head.view
        assert window.next.bars in seen
        assert window.sentences.first.line in seen
        assert window.map in seen
        window.cycle(-1)


def test_a_shipped_model_is_watched_as_it_learns(qtbot: QtBot) -> None:
    with model_window("copying") as (main, window):
        session = window.session
        last = len(session.state.snapshots) - 1
        assert session.state.snapshot == last
        assert not window.training.isHidden()
        trained = {name: count(session.state, name) for name in ("previous", "after_same")}
        assert trained == {"previous": 1, "after_same": 4}
        window.training.slider.setValue(0)
        wait_for(session)
        assert session.state.snapshot == 0
        assert count(session.state, "after_same") == 0
        assert session.state.setting.text == "q k f m k f m k"
        titles = {}
        for language in ("zh_CN", "en"):
            main.session.set_language(language)
            titles[language] = window.choice.text()
        assert titles["zh_CN"] != titles["en"]


def test_the_reasons_of_a_score_add_up_to_it(qtbot: QtBot, tmp_path: Path) -> None:
    with model_window(model_folder(tmp_path / "m", "gpt2"), TEXT) as (_, window):
        session = window.session
        session.select(2, 1)
        session.look(query=5, key=1)
        wait_for(session)
        wait_for(session)
        reasons, opened = session.state.reasons, session.state.opened
        assert reasons is not None
        assert opened is not None
        scores = opened.stage("scores")
        assert scores is not None
        assert reasons.score == scores[1, 5, 1]
        assert sum(reasons.products) == pytest.approx(reasons.score, abs=1e-12)
        kinds = [value for _, value in largest_kinds(reasons)]
        assert fsum(kinds) == pytest.approx(reasons.score, rel=1e-12, abs=0.0)
        rows = term_rows(reasons, 8)
        assert float(rows[-1][3].replace("−", "-")) == pytest.approx(reasons.score, abs=1e-8)
        assert window.head.reasons.accessibleDescription()
        session.look(key=2)
        wait_for(session)
        assert session.state.reasons is not None
        assert session.state.reasons.score == scores[1, 5, 2]


@pytest.mark.parametrize("swap", [False, True])
def test_a_file_keeps_what_edits_of_earlier_layers_did(
    qtbot: QtBot, tmp_path: Path, swap: bool
) -> None:
    session = opened(model_folder(tmp_path / "m", "gpt2"), TEXT)
    if swap:
        session.add_edit(WordSwap(1, 9), "x")
    session.add_edit(HeadOff(0, 1), "x")
    session.add_edit(WeightPin(2, 0, 4, 2, 0.6), "x")
    wait_for(session)
    session.select(2, 0)
    wait_for(session)
    document = session.layer_document()
    assert document is not None
    archive.save(document, tmp_path / "layer.attn.json")
    again = run(archive.load(tmp_path / "layer.attn.json"))
    weights = session.state.runs[EDITED].layers[2].weights
    np.testing.assert_allclose(again["weights"], weights, atol=1e-12)


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("family", ["bert", "gpt2", "llama"])
def test_a_whole_layer_is_saved_as_a_link_with_its_changes(
    qtbot: QtBot, tmp_path: Path, family: str, layer: int
) -> None:
    session = opened(model_folder(tmp_path / "m", family), TEXT)
    session.add_edit(HeadOff(layer, 1), "x")
    session.add_edit(NumberEdit(layer, "W_1", (1, 2), 2.5), "x")
    session.add_edit(WeightPin(layer, 0, 4, 2, 0.6), "x")
    if layer:
        session.add_edit(HeadOff(0, 0), "x")
    wait_for(session)
    session.select(layer, 0)
    wait_for(session)
    document = session.layer_document(whole=True)
    assert document is not None
    archive.save(document, tmp_path / "layer.attn.json")
    file = json.loads((tmp_path / "layer.attn.json").read_text(encoding="utf-8"))
    assert file["source"] == "model"
    assert file["model"]["whole"] is True
    assert file["model"]["layer"] == layer + 1
    assert file["heads_off"] == [1]
    assert [(pin["stage"], pin["value"]) for pin in file["pins"]] == [
        (f"L{layer + 1}.weights", 0.6)
    ]
    own = [edit for edit in file["edits"] if edit["tensor"] != "X"]
    assert own == [{"tensor": f"L{layer + 1}.W_1", "index": [1, 2], "value": 2.5}]
    assert (len(file["edits"]) > 1) == bool(layer)  # what the head that is off in layer 1 changes
    again = run(archive.load(tmp_path / "layer.attn.json"))
    result = session.state.runs[EDITED].layers[layer]
    np.testing.assert_allclose(again["L1.weights"], result.weights, atol=1e-12)
    last = "L1.mlp_norm" if family == "bert" else "L1.mlp_residual"
    np.testing.assert_allclose(again[last], result.outgoing, atol=1e-12)


def test_an_opened_layer_is_named_after_the_folder_that_says_something(
    qtbot: QtBot, tmp_path: Path
) -> None:
    for place, title in (("tiny-cats/model", "tiny-cats"), ("Downloads/model", "GPT-2")):
        folder = model_folder(tmp_path / place, "gpt2")
        with model_window(folder, TEXT) as (main, window):
            assert window.choice.text().startswith(title)
            window.head.open.click()
            assert main.session.state.document.title == f"{title} · Layer 1"


@pytest.mark.parametrize("text", ["the cat heard the dog because it", "那只猫听见了那条狗，因为它"])
def test_a_small_window_shows_the_whole_sentence_and_a_row_for_each_label(
    qtbot: QtBot, text: str
) -> None:
    with model_window("sentences", text) as (_, window):
        window.resize(1280, 720)
        wait_for(window.session)
        line, state = window.sentences.first.line, window.session.state
        assert line.fontMetrics().horizontalAdvance(text) < line.width() - 8
        view, found = HeadView(), list[int]()
        qtbot.addWidget(view)
        view.show_state(None, state)
        view.show_values(state.shown_weights(1)[0])  # type: ignore[index]
        view.resize(view.minimumSizeHint())
        view.chosen.connect(lambda query, _: found.append(query))
        for y in range(view.height()):
            QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(view.width() // 2, y))
        rows = len(state.runs[A].sentence.ids)
        assert {*found} == {*range(rows)}
        assert min(map(found.count, range(rows))) >= 14  # pixels, of which a label takes 12


def test_what_is_cancelled_keeps_its_layers_and_goes_on(qtbot: QtBot, tmp_path: Path) -> None:
    with model_window(model_folder(tmp_path / "m", "gpt2"), TEXT) as (_, window):
        session = window.session
        done = session.state.runs[A]
        partly = replace(done, layers=done.layers[:1], final=None, probabilities=None, done=False)
        session.update(runs={A: partly}, working=(1, 3))
        session.cancel()
        assert session.unfinished == [A]
        assert window.cancel.text() == "Go on"
        assert session.state.runs[A].layers == partly.layers
        window.cancel.click()
        wait_for(session)
        assert session.unfinished == []
        assert session.state.runs[A].layers[0] is partly.layers[0]
        np.testing.assert_allclose(session.state.runs[A].final, done.final, atol=1e-12)


@pytest.mark.parametrize(
    ("family", "words"),
    [("bert", {"biases"}), ("gpt2", {"norm before", "biases"}), ("llama", {"rotary"})],
)
def test_what_is_particular_about_a_layer_is_said(
    qtbot: QtBot, tmp_path: Path, family: str, words: set[str]
) -> None:
    session = opened(model_folder(tmp_path / "m", family), "the cat")
    assert words <= {word for word, _ in notes(session.state)}


def test_one_token_and_none(qtbot: QtBot, tmp_path: Path) -> None:
    session = opened(model_folder(tmp_path / "m", "gpt2"), "cat")
    assert session.state.runs[A].layers[0].weights.tolist() == [[[1.0]], [[1.0]]]
    assert count(session.state, "previous") == 0
    refused: list[UserError] = []
    session.failed.connect(refused.append)
    session.set_text("   ")
    assert [problem.code for problem in refused] == ["model.no_ids"]
    assert session.state.setting.text == "cat"


def test_the_menu_lists_shipped_models_then_recent_ones_then_the_disk(
    qtbot: QtBot, tmp_path: Path
) -> None:
    folder = model_folder(tmp_path / "mine", "bert")
    with model_window(folder) as (main, _):
        menu = QMenu(main)
        main.models.fill_menu(menu)
        texts = [action.text() for action in menu.actions() if not action.isSeparator()]
        titles = [each.title["en"] for each in shipped_models()]
        assert texts == [*titles, "mine", "Open a &folder…", "Open a &file…"]
        assert len(titles) == 2
