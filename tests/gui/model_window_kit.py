"""Small random models with a tokenizer, and the model window that shows one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.model_window.session import ModelSession, Opening
from gui.model_window.state import ModelState
from gui.model_window.window import ModelWindow
from tests.core.model_kit import CONFIGS, random_tensors, write_checkpoint

WORDS = ("the", "cat", "sat", "on", "mat", "dog", "ran", ".", "a", "big")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def model_folder(folder: Path, family: str, seed: int = 0) -> Path:
    """A checkpoint of a family whose words are WORDS; BERT puts [CLS] and [SEP] round a text."""
    size = CONFIGS[family]["vocab_size"]
    pieces = [*SPECIAL, *WORDS]
    pieces = (pieces + [f"w{i}" for i in range(size)])[:size]
    tokens: list[dict[str, Any]] = [
        {"id": i, "content": word, "special": True, "normalized": False}
        | {"lstrip": False, "rstrip": False, "single_word": False}
        for i, word in enumerate(SPECIAL)
    ]
    processor = None
    if family == "bert":
        processor = {"type": "BertProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3]}
    tokenizer = {
        "version": "1.0",
        "added_tokens": tokens,
        "normalizer": None,
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": processor,
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {piece: i for i, piece in enumerate(pieces)},
        },
    }
    write_checkpoint(folder, family, random_tensors(family, seed))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    return folder


def wait_for(session: ModelSession) -> None:
    """Wait until the model is open and every run is done."""
    app = QApplication.instance()
    assert app is not None
    for _ in range(3):
        session.finish()
        app.processEvents()


def opened(folder: Path, text: str = "") -> ModelSession:
    """A session with a model, and a sentence."""
    session = ModelSession(ModelState())
    session.open(Opening(folder))
    wait_for(session)
    if text:
        session.set_text(text)
        wait_for(session)
    return session


@contextmanager
def model_window(
    folder: Path | str | None, text: str = ""
) -> Iterator[tuple[MainWindow, ModelWindow]]:
    """The main window, and the model window that it has opened: with a model, or the last one."""
    main = build_window(language="en")
    main.models.open(folder)
    window = main.models.window
    assert window is not None
    wait_for(window.session)
    if text:
        window.session.set_text(text)
        wait_for(window.session)
    try:
        yield main, window
    finally:
        main.models.close()
        main.close()
        main.deleteLater()
