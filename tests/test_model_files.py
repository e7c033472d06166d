"""Experiments that point to a model: saved small, loaded exactly, refused where the model is not."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.archive import dumps, load, loads, save
from core.base.cell import Cell
from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Document, Mask, Pin
from core.document.edits import with_cell, with_head_enabled, with_mask, with_pin
from core.document.reindex import reindexed
from core.exchange.code import experiment_code, read_code
from core.exchange.exporters import EXPORTERS, export
from core.models import open_model
from core.storage.model_file import linked_layer
from gui.cli import run_command_line
from gui.export.options import ExportOptions
from gui.export.registry import export_shown
from gui.texts.errors import error_message
from tests.command_kit import refused
from tests.core.model_kit import PlainModel, random_tensors, write_checkpoint

TEXT = "3,11,7,7,2"
IDS = (3, 11, 7, 7, 2)


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """The second layer of a small model, beside it."""
    write_checkpoint(tmp_path / "tiny", "llama")
    out = tmp_path / "layer.attn.json"
    command = ["model", str(tmp_path / "tiny"), "--ids", TEXT, "--layer", "2", "--link"]
    assert run_command_line([*command, "-o", str(out)]) == 0
    return out


def changed(path: Path, **values: Any) -> Path:
    tree = json.loads(path.read_text(encoding="utf-8"))
    for key, value in values.items():
        if isinstance(value, dict) and isinstance(tree.get(key), dict):
            tree[key] |= value
        else:
            tree[key] = value
    path.write_text(json.dumps(tree), encoding="utf-8")
    return path


def test_the_file_points_to_the_model(linked: Path) -> None:
    tree = json.loads(linked.read_text(encoding="utf-8"))
    assert set(tree) == {"format", "version", "title", "source", "model"}
    assert (tree["version"], tree["source"]) == (2, "model")
    model = tree["model"]
    assert model.pop("sha256") == load(linked).link.sha256  # type: ignore[union-attr]
    assert model == {"path": "tiny", "layer": 2, "ids": list(IDS)}


def test_its_numbers_are_the_models(linked: Path) -> None:
    plain = PlainModel("llama", random_tensors("llama"))
    plain.run(IDS)
    document = load(linked)
    np.testing.assert_allclose(run(document)["weights"], plain.weights[1], atol=1e-12)
    full = linked.with_name("full.attn.json")
    command = ["model", str(linked.with_name("tiny")), "--ids", TEXT, "--layer", "2"]
    assert run_command_line([*command, "-o", str(full)]) == 0
    written = load(full)
    assert written.link is None
    for name in ("X", "W_O", "b_O"):
        np.testing.assert_array_equal(written.tensor(name), document.tensor(name))


def edited(document: Document) -> Document:
    document = with_cell(document, Cell("W_Q", 3, 1, head=4), 0.5)
    document = with_cell(document, Cell("b_V", 0, 2, head=1), -1.25)
    document = with_cell(document, Cell("X", 2, 7), 0.1)
    document = with_head_enabled(document, 3, False)
    document = with_pin(document, Cell("weights", 4, 1, head=2), 0.75)
    document = with_mask(document, Mask("none"))
    return replace(document, notes="mine")


def test_edits_pins_and_switches_come_back(linked: Path) -> None:
    document = edited(load(linked))
    save(document, linked)
    assert linked.stat().st_size < 1500
    tree = json.loads(linked.read_text(encoding="utf-8"))
    assert {"tensor": "W_Q", "index": [4, 3, 1], "value": 0.5} in tree["edits"]
    assert tree["heads_off"] == [3]
    again = load(linked)
    assert (again.title, again.notes) == (document.title, "mine")
    before, after = run(document), run(again)
    assert list(before) == list(after)
    for name in before:
        np.testing.assert_array_equal(before[name], after[name])
    assert dumps(again, linked.parent) == linked.read_bytes()


def test_settings_beside_the_weights_are_read_again(linked: Path) -> None:
    """The hash is that of the weights: settings that fit them hold, others are refused."""
    before, config = load(linked), linked.with_name("tiny") / "config.json"
    settings = json.loads(config.read_text(encoding="utf-8"))
    config.write_text(json.dumps(settings | {"rms_norm_eps": 0.5}), encoding="utf-8")
    after = load(linked)
    expected = linked_layer(open_model(config.parent), 2, ids=IDS)
    np.testing.assert_array_equal(after.X, expected.X)
    assert np.abs(after.X - before.X).max() > 1e-3  # type: ignore[operator]
    config.write_text(json.dumps(settings | {"hidden_size": 6}), encoding="utf-8")
    with pytest.raises(UserError, match=r"model\.shape"):
        load(linked)


def test_names_may_carry_the_layer(linked: Path) -> None:
    changed(
        linked,
        edits=[{"tensor": "L2.W_O", "index": [1, 2], "value": 3.0}],
        pins=[{"stage": "L2.weights", "index": [0, 1, 0], "value": 0.25}],
    )
    document = load(linked)
    assert document.W_O is not None
    assert document.W_O[1, 2] == 3.0
    assert document.pins == (Pin("weights", (0, 1, 0), 0.25),)


def test_an_experiment_that_is_no_longer_the_models_is_written_out(linked: Path) -> None:
    document = load(linked)
    shorter = reindexed(document, {"n": (0, 1, 2)}, {"n": document.tokens[:3]})
    tree = json.loads(dumps(shorter))
    assert (tree["version"], tree["source"]) == (1, "embeddings")
    np.testing.assert_array_equal(loads(dumps(shorter)).X, shorter.X)


def test_the_folder_can_be_moved_as_a_whole(linked: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    shutil.move(linked.with_name("tiny"), moved / "tiny")
    shutil.move(linked, moved / linked.name)
    assert load(moved / linked.name).h == 6


@pytest.mark.parametrize(
    "command",
    [
        ["trace", "-o", "x.npz"],
        ["render", "--stage", "weights", "-o", "x.png"],
        ["export", "--format", "csv", "-o", "x"],
        ["check", "--values", "weights=mine.csv"],
    ],
)
def test_a_model_that_is_gone_or_changed_is_refused(
    command: list[str],
    linked: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text("1\n", encoding="utf-8")
    tensors = random_tensors("llama")
    tensors["model.layers.0.mlp.up_proj.weight"][0, 0] += 1
    write_checkpoint(tmp_path / "tiny", "llama", tensors)
    name, *options = command
    assert "tiny has changed" in refused(capsys, name, str(linked), *options)
    shutil.rmtree(tmp_path / "tiny")
    assert "tiny that this experiment points to is not there" in refused(
        capsys, name, str(linked), *options
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["layer.attn.json", "mine.csv"]


def test_commands_read_it(linked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = PlainModel("llama", random_tensors("llama"))
    plain.run(IDS)
    out = tmp_path / "out.npz"
    assert run_command_line(["trace", str(linked), "-o", str(out)]) == 0
    np.testing.assert_allclose(np.load(out)["weights"], plain.weights[1], atol=1e-12)
    blocks = [
        "\n".join(",".join(f"{a:.3f}" for a in row) for row in head) for head in plain.weights[1]
    ]
    mine = tmp_path / "mine.csv"
    mine.write_text("\n\n".join(blocks), encoding="utf-8")
    capsys.readouterr()
    command = ["check", str(linked), "--values", f"weights={mine}", "--json"]
    assert run_command_line(command) == 0
    verdicts = {cell["verdict"] for cell in json.loads(capsys.readouterr().out)["cells"]}
    assert verdicts == {"right"}


@pytest.mark.parametrize("name", EXPORTERS)
def test_exports_hold_no_weights(name: str, linked: Path) -> None:
    document = load(linked)
    secret = float(document.heads[0].W_Q[2, 3])  # type: ignore[index]
    content = export(document, name)
    parts = [content] if isinstance(content, bytes) else [*content.values()]
    if name in ("py", "torch", "ipynb", "tex", "json", "csv"):
        assert not any(f"{secret!r}"[:12].encode() in part for part in parts)
        assert any(b"0." in part for part in parts)
    assert sum(map(len, parts)) < 200_000


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"model": {"text": "both"}}, "model.reads"),
        ({"model": {"ids": None}}, "model.reads"),
        ({"model": {"ids": []}}, "model.no_ids"),
        ({"model": {"ids": [19]}}, "model.id"),
        ({"model": {"layer": 3}}, "model.layer"),
        ({"model": {"layer": 0}}, "model.layer"),
        ({"model": {"sha256": "0" * 64}}, "model.changed"),
        ({"model": {"path": "../nowhere"}}, "model.lost"),
        ({"model": {"path": "."}}, "model.lost"),
        ({"model": {"more": 1}}, "file.unknown_key"),
        ({"tokens": ["a"]}, "file.unknown_key"),
        ({"version": 1}, "file.other_version"),
        ({"heads_off": [6]}, "model.head"),
        ({"edits": [{"tensor": "W_1", "index": [0, 0], "value": 1.0}]}, "tensor.absent"),
        ({"edits": [{"tensor": "L1.W_Q", "index": [0, 0, 0], "value": 1.0}]}, "tensor.absent"),
        ({"edits": [{"tensor": "W_Q", "index": [0, 10, 0], "value": 1.0}]}, "edit.index"),
        ({"edits": [{"tensor": "W_Q", "index": [0, -1, 0], "value": 1.0}]}, "edit.index"),
        ({"pins": [{"stage": "weights", "index": [0, 9, 0], "value": 1.0}]}, "pin.index"),
    ],
)
def test_files_that_do_not_fit(values: dict[str, Any], code: str, linked: Path) -> None:
    with pytest.raises(UserError) as caught:
        load(changed(linked, **values))
    assert caught.value.code == code


def test_an_error_in_the_model_names_the_file_of_the_model(
    linked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "tiny" / "config.json"
    config.write_text("{", encoding="utf-8")
    assert run_command_line(["trace", str(linked), "-o", str(tmp_path / "out.npz")]) == 2
    assert capsys.readouterr().err.startswith(f"error: {config}: The file is not valid JSON")


def test_tokens_are_pieces_in_files_and_text_on_the_screen(tmp_path: Path) -> None:
    folder, vocabulary = write_checkpoint(tmp_path / "tiny", "gpt2"), {"a": 0, "Ġb": 1, "Ċ": 2}
    tokenizer: dict[str, Any] = {
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
        "post_processor": None,
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": vocabulary | {"b": 3, "Ġ": 4}, "merges": ["Ġ b"]},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    path, out = tmp_path / "layer.attn.json", tmp_path / "out.npz"
    for link in ([], ["--link"]):
        command = ["model", str(folder), "--text", "a b\n", "--layer", "1", *link, "-o", str(path)]
        assert run_command_line(command) == 0
        assert load(path).tokens == (("a", " b", "Ċ") if link else ("a", "Ġb", "Ċ"))
        assert run_command_line(["trace", str(path), "-o", str(out)]) == 0
        assert np.load(out)["tokens"].tolist() == ["a", "Ġb", "Ċ"]


@pytest.mark.parametrize(("family", "layer"), [("llama", 2), ("bert", 1), ("gpt2", 3)])
def test_a_whole_layer(family: str, layer: int, tmp_path: Path) -> None:
    """The layer as a stack of its own; names in the file are those of the model."""
    model = open_model(write_checkpoint(tmp_path / "tiny", family))
    document, path = linked_layer(model, layer, ids=IDS, whole=True), tmp_path / "x.attn.json"
    document = with_cell(document, Cell("L1.W_1", 3, 1), 0.5)
    document = with_cell(document, Cell("L1.W_Q", 2, 1, head=1), -0.5)
    document = with_cell(document, Cell("X", 2, 3), 0.25)
    document = with_cell(document, Cell("L1.mlp_norm.gamma", 0, 4), 2.0)
    document = with_pin(document, Cell("L1.mlp_active", 4, 1), 0.75)
    off = with_head_enabled(document.scopes[0], 0, False).heads
    document = document.with_(layers=(replace(document.layers[0], heads=off),))
    save(document, path)
    tree = json.loads(path.read_text(encoding="utf-8"))
    assert path.stat().st_size < 1500
    assert tree["model"]["whole"] is True
    names = {edit["tensor"] for edit in tree["edits"]}
    assert names == {"X", *(f"L{layer}.{name}" for name in ("W_1", "W_Q", "mlp_norm.gamma"))}
    assert tree["pins"][0]["stage"] == f"L{layer}.mlp_active"
    again = load(path)
    before, after = run(document), run(again)
    assert list(before) == list(after)
    for name in before:
        np.testing.assert_array_equal(before[name], after[name])
    tree["edits"][0]["tensor"] = "L9.W_1"
    with pytest.raises(UserError, match=r"tensor\.absent"):
        loads(json.dumps(tree).encode(), tmp_path)
    # A part that is switched off is no number: the experiment is written out.
    assert document.layers[0].mlp is not None
    mlp = replace(document.layers[0].mlp, enabled=False)
    other = document.with_(layers=(replace(document.layers[0], mlp=mlp),))
    assert json.loads(dumps(other))["source"] == "embeddings"


@pytest.mark.parametrize("name", EXPORTERS)
def test_exports_of_a_whole_layer_hold_no_weights(name: str, tmp_path: Path) -> None:
    model = open_model(write_checkpoint(tmp_path / "tiny", "llama"))
    document = linked_layer(model, 2, ids=IDS, whole=True)
    content = export(document, name)
    parts = [content] if isinstance(content, bytes) else [*content.values()]
    secret = float(document.layers[0].mlp.W_1[2, 3])  # type: ignore[union-attr]
    assert not any(f"{secret!r}"[:12].encode() in part for part in parts)
    assert sum(map(len, parts)) < 250_000


def test_a_code_holds_no_weights_and_no_path(linked: Path) -> None:
    document = load(linked)
    again = read_code(experiment_code(document))
    assert again.source == "qkv"
    np.testing.assert_array_equal(run(again)["weights"], run(document)["weights"])


def test_an_export_of_a_layer_over_5_mb_is_refused(tmp_path: Path) -> None:
    """100 tokens have 100 × 100 scores, weights … in each of six heads."""
    folder = write_checkpoint(tmp_path / "tiny", "llama", max_position_embeddings=100)
    model = open_model(folder)
    assert export(linked_layer(model, 2, ids=IDS), "json")
    document = linked_layer(model, 2, ids=[7, 3] * 50)
    with pytest.raises(UserError, match=r"export\.model_size") as caught:
        export(document, "json")
    assert float(caught.value.data["size"]) > 5
    assert "at most 5 MB" in error_message(caught.value)
    assert len(export(document.with_(link=None), "json")) > 5_000_000


@pytest.mark.parametrize("name", ["html", "svg", "pptx"])
def test_what_is_drawn_of_a_layer_is_measured_before_a_file_is_touched(
    name: str, linked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, out = load(linked), linked.with_name(f"shown.{name}")
    out.write_bytes(b"before")
    monkeypatch.setattr("core.exchange.linked.MOST_BYTES", 5_000)
    with pytest.raises(UserError, match=r"export\.model_size"):
        export_shown(document, name, out, ExportOptions())
    assert out.read_bytes() == b"before"
    monkeypatch.undo()
    assert export_shown(document, name, out, ExportOptions())
    assert 5_000 < out.stat().st_size < 1_000_000
