"""Files of trained models: whole ones to begin with, what opening one means, and bombs."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from core.base.errors import UserError
from core.models import open_model, tokenizer
from core.models.forward import run_model
from tests.core.gguf_kit import gguf_bytes, gguf_tensors, settings_of
from tests.core.model_kit import CONFIGS, random_tensors, safetensors_bytes
from tests.soak.file_kinds import GOLDEN, Kind

IDS = (3, 11, 7, 7, 2)
TEXTS = ("The cat, the 猫 and 123 😀\n\tdon't\u0301 [MASK]<s> ", "a" * 600)
FAMILIES = ("bert", "distilbert", "roberta", "gpt2", "llama", "qwen2", "mistral")
INDEX = "model.safetensors.index.json"


def _golden() -> Any:
    return json.loads((GOLDEN / "tokenizers" / "tokenizers.json").read_text("utf-8"))


def _tokenizers() -> list[bytes]:
    return [json.dumps(one["file"]).encode() for one in _golden()["tokenizers"].values()]


def _metadata(family: str) -> dict[str, Any]:
    """Settings of a .gguf with a tokenizer: by scores for llama, of bytes for the others."""
    golden = _golden()
    if family == "llama":
        return {**settings_of(family), **golden["sentencepiece"]["metadata"]}
    model = golden["tokenizers"]["smollm"]["file"]["model"]
    own = {
        "model": "gpt2",
        "pre": "smollm",
        "tokens": sorted(model["vocab"], key=model["vocab"].get),
        "merges": [" ".join(merge) for merge in model["merges"]],
    }
    return {**settings_of(family), **{f"tokenizer.ggml.{key}": own[key] for key in own}}


def _ggufs() -> list[bytes]:
    families = ("llama", "gpt2", "qwen2", "bert")
    whole = [
        gguf_bytes(settings_of(name), gguf_tensors(name, random_tensors(name))) for name in families
    ]
    named = [
        gguf_bytes(_metadata(name), gguf_tensors(name, random_tensors(name)))
        for name in families[:2]
    ]
    return whole + named


def _weights(family: str) -> list[bytes]:
    plain = random_tensors(family)
    halves = {name: array.astype(np.float16) for name, array in plain.items()}
    return [safetensors_bytes(plain), safetensors_bytes(halves)]


def _config(family: str) -> bytes:
    return json.dumps(CONFIGS[family]).encode()


def _shards() -> tuple[dict[str, bytes], bytes]:
    """Two files of weights, and their index."""
    names = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
    tensors = random_tensors("gpt2")
    parts: list[dict[str, np.ndarray[Any, Any]]] = [{}, {}]
    for number, (name, array) in enumerate(tensors.items()):
        parts[number % 2][name] = array
    weight_map = {name: names[number % 2] for number, name in enumerate(tensors)}
    files = {name: safetensors_bytes(part) for name, part in zip(names, parts, strict=True)}
    return files, json.dumps({"metadata": {"total_size": 1}, "weight_map": weight_map}).encode()


def _run(path: Path) -> object:
    """As the window does: a map of all heads, and the next word."""
    model = open_model(path)
    done = run_model(model, IDS)
    assert np.isfinite(done.final).all()
    assert all(np.isfinite(weights).all() for weights in done.weights)
    said = (model.parameters, model.vocabulary, model.positions, model.sha256)
    return done.next_probabilities(), said


def _open_beside(path: Path) -> object:
    return _run(path.parent)


def _open_tokenizer(path: Path) -> object:
    made = tokenizer(path)
    found = []
    for text in TEXTS:
        encoding = made.pieces(text)
        states = [state for word in encoding.words for state in made.cut(word.text)]
        found.append((encoding, states[:10], made.decode(encoding.ids)))
    return found


def _open_gguf(path: Path) -> object:
    """Its tokenizer may be wrong while the model is whole, and the other way round."""
    try:
        known: object = _open_tokenizer(path)
    except UserError as problem:
        known = problem
    return _run(path), known


def _model_kinds() -> list[Kind]:
    found = [
        Kind("gguf", ".gguf", _ggufs, _open_gguf),
        Kind("tokenizer", ".tokenizer.json", _tokenizers, _open_tokenizer),
    ]
    shards, index = _shards()
    beside = {**shards, "config.json": _config("gpt2")}
    found.append(Kind("index", f"-index/{INDEX}", lambda: [index], _open_beside, lambda: beside))
    for family in FAMILIES:
        found += [_weights_kind(family), _config_kind(family)]
    return found


def _weights_kind(family: str) -> Kind:
    return Kind(
        f"weights-{family}",
        f"-weights-{family}/model.safetensors",
        lambda: _weights(family),
        _open_beside,
        lambda: {"config.json": _config(family)},
    )


def _config_kind(family: str) -> Kind:
    return Kind(
        f"config-{family}",
        f"-config-{family}/config.json",
        lambda: [_config(family)],
        _open_beside,
        lambda: {"model.safetensors": _weights(family)[0]},
    )


MODEL_KINDS: dict[str, Kind] = {kind.name: kind for kind in _model_kinds()}


# Bombs


def _header(text: bytes, numbers: bytes = b"", size: int | None = None) -> bytes:
    return struct.pack("<Q", len(text) if size is None else size) + text + numbers


def _tensor(name: str, dtype: str, shape: list[int], start: int, end: int) -> bytes:
    entry = {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}
    return json.dumps({name: entry}).encode()


def _gguf(count: int, settings: bytes = b"", tensors: int = 0) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, count) + settings


def _gguf_list(kind: int, count: int, data: bytes = b"") -> bytes:
    """A setting that is a list."""
    return struct.pack("<Q", 1) + b"a" + struct.pack("<IIQ", 9, kind, count) + data


def _pairs(**changes: Any) -> dict[str, Any]:
    file: dict[str, Any] = _golden()["tokenizers"]["llama3"]["file"]
    file["model"] |= changes
    return file


def _doubling(steps: int) -> bytes:
    """A normaliser that doubles the text again and again."""
    step = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
    file = _pairs()
    file["normalizer"] = {"type": "Sequence", "normalizers": [step] * steps}
    return json.dumps(file).encode()


def _nested(depth: int) -> bytes:
    opening = b'{"type":"Sequence","normalizers":['
    return (
        b'{"model":{"vocab":{"a":0},"merges":[]},"normalizer":'
        + opening * depth
        + b"]}" * depth
        + b"}"
    )


def _pattern(pattern: str) -> bytes:
    file = _pairs()
    file["pre_tokenizer"] = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated"}
    return json.dumps(file).encode()


def _many_merges(count: int) -> bytes:
    """A chain of merges: a, aa, aaa …"""
    vocabulary = {"a" * length: length - 1 for length in range(1, count)}
    merges = [["a" * length, "a"] for length in range(1, count - 1)]
    return json.dumps({"model": {"type": "BPE", "vocab": vocabulary, "merges": merges}}).encode()


def _same_merge(count: int) -> bytes:
    model = {"type": "BPE", "vocab": {"a": 0, "aa": 1}, "merges": [["a", "a"]] * count}
    return json.dumps({"model": model}).encode()


def _long_words(count: int) -> bytes:
    """Pieces of every length, and words that may be as long."""
    vocabulary = {"[UNK]": 0, **{"a" * length + "b": length for length in range(1, count)}}
    model = {"type": "WordPiece", "vocab": vocabulary, "unk_token": "[UNK]"}
    model |= {"continuing_subword_prefix": "", "max_input_chars_per_word": 1 << 60}
    return json.dumps({"model": model}).encode()


def _wide_vocabulary(count: int) -> bytes:
    vocabulary = {f"{number:x}": number for number in range(count)}
    return json.dumps({"model": {"type": "BPE", "vocab": vocabulary, "merges": []}}).encode()


MODEL_BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "weights with a header of 2⁶⁰ bytes": ("weights-gpt2", lambda: _header(b"{}", size=1 << 60)),
    "weights with a header of 2⁶⁴ − 1 bytes": ("weights-gpt2", lambda: _header(b"{}", size=(1 << 64) - 1)),
    "weights with a deep header": ("weights-gpt2", lambda: _header(b'{"a":' + b"[" * 1_000_000)),
    "weights with a long header": ("weights-gpt2", lambda: _header(b'{"a":"' + b"x" * 15_000_000 + b'"}')),
    "weights with many names": (
        "weights-gpt2",
        lambda: _header(json.dumps({f"{n}": n for n in range(700_000)}).encode()),
    ),
    "weights of 2⁶⁰ numbers": (
        "weights-gpt2",
        lambda: _header(_tensor("wte.weight", "F32", [1 << 30, 1 << 30], 0, 1 << 62)),
    ),
    "weights with a vast product": (
        "weights-gpt2",
        lambda: _header(_tensor("wte.weight", "F32", [1 << 62] * 900, 0, 8)),
    ),
    "config of a vast model": (
        "config-gpt2",
        lambda: json.dumps(CONFIGS["gpt2"] | dict.fromkeys(("n_layer", "n_embd", "vocab_size"), 1 << 24)).encode(),
    ),
    "config with a long number": ("config-gpt2", lambda: b'{"n_layer":' + b"9" * 3_000_000 + b"}"),
    "config, deep": ("config-gpt2", lambda: b'{"n_layer":' + b"[" * 1_000_000),
    "gguf of 2⁶⁰ settings": ("gguf", lambda: _gguf(1 << 60)),
    "gguf of 2⁶⁰ tensors": ("gguf", lambda: _gguf(0, tensors=1 << 60)),
    "gguf with a list of 2⁶⁰ texts": ("gguf", lambda: _gguf(1, _gguf_list(8, 1 << 60))),
    "gguf with a list of 2⁶⁰ numbers": ("gguf", lambda: _gguf(1, _gguf_list(10, 1 << 60))),
    "gguf with lists of lists": ("gguf", lambda: _gguf(1, _gguf_list(9, 1, struct.pack("<IQ", 9, 1) * 500_000))),
    "gguf with a million empty texts": ("gguf", lambda: _gguf(1, _gguf_list(8, 1 << 20, b"\0" * (8 << 20)))),
    "tokenizer, deep": ("tokenizer", lambda: b'{"model":' + b"[" * 1_000_000),
    "tokenizer of nested steps": ("tokenizer", lambda: _nested(400)),
    "tokenizer of deeply nested steps": ("tokenizer", lambda: _nested(100_000)),
    "tokenizer that doubles the text": ("tokenizer", lambda: _doubling(30)),
    "tokenizer that doubles the text often": ("tokenizer", lambda: _doubling(5_000)),
    "tokenizer with a slow pattern": ("tokenizer", lambda: _pattern("(a+)+$")),
    "tokenizer with a slow choice": ("tokenizer", lambda: _pattern("(?:a|a)*$")),
    "tokenizer with many repeats": ("tokenizer", lambda: _pattern("a*" * 40 + "$")),
    "tokenizer with a few repeats": ("tokenizer", lambda: _pattern("a*a*a*b")),
    "tokenizer with many options": ("tokenizer", lambda: _pattern("a?" * 50 + "a" * 50)),
    "tokenizer with a wide repeat": ("tokenizer", lambda: _pattern("(?:a{1,5000}){1,5000}$")),
    "tokenizer with nested groups": ("tokenizer", lambda: _pattern("(" * 3_000 + "a" + ")" * 3_000)),
    "tokenizer of long merges": ("tokenizer", lambda: _many_merges(3_000)),
    "tokenizer of long words": ("tokenizer", lambda: _long_words(5_000)),
    "tokenizer of one merge, again and again": ("tokenizer", lambda: _same_merge(890_000)),
    "gguf of one merge, again and again": (
        "gguf",
        lambda: gguf_bytes(
            {
                "tokenizer.ggml.model": "gpt2",
                "tokenizer.ggml.tokens": ["a", "aa"],
                "tokenizer.ggml.merges": ["a a"] * 1_000_000,
            },
            {},
        ),
    ),
    "tokenizer with a wide vocabulary": ("tokenizer", lambda: _wide_vocabulary(1_000_000)),
    "tokenizer with too wide a vocabulary": ("tokenizer", lambda: _wide_vocabulary(2_000_000)),
    "tokenizer of nothing but commas": ("tokenizer", lambda: b'{"model":{"vocab":[' + b"0," * 1_500_000 + b"0]}}"),
    "tokenizer of empty lists": ("tokenizer", lambda: b'{"model":{"vocab":[' + b"[]," * 1_500_000 + b"[]]}}"),
    "tokenizer with a long text": ("tokenizer", lambda: b'{"version":"' + b"x" * 60_000_000 + b'","model":1}'),
}  # fmt: skip
