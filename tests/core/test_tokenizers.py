"""Tokenizers give the ids that the libraries `tokenizers` and `sentencepiece` give, and refuse what
they cannot compute.

tests/golden/tokenizers/tokenizers.json was made by those libraries; make.py beside it says how.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import UserError
from core.models import Tokenizer, tokenizer
from core.models.gguf_tokenizer import metadata_file
from tests.core.gguf_kit import gguf_bytes

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden" / "tokenizers" / "tokenizers.json").read_text("utf-8")
)
TEXTS: list[str] = GOLDEN["texts"]
NAMES = sorted(GOLDEN["tokenizers"])


def file_of(name: str) -> Any:
    """A copy of a tokenizer.json that may be changed."""
    return json.loads(json.dumps(GOLDEN["tokenizers"][name]["file"]))


def opened(file: Any, folder: Path) -> Tokenizer:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    return tokenizer(path)


def opened_metadata(metadata: dict[str, object]) -> Tokenizer:
    return Tokenizer(metadata_file(metadata))


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_those_of_the_library(name: str, tmp_path: Path) -> None:
    made = opened(file_of(name), tmp_path)
    found = [made.encode(text) for text in TEXTS]
    assert found == GOLDEN["tokenizers"][name]["ids"]
    assert sum(map(len, found)) > 1_000


def test_a_token_of_single_words(tmp_path: Path) -> None:
    made = opened(file_of("qwen2"), tmp_path)
    (number,) = made.encode("Größe")
    for text in ("Größe", "-Größe!", "猫 Größe", "½Größe"):
        assert number in made.encode(text), text
    for text in ("Größen", "aGröße", "Größe_", "1Größe", "Größe\u200d", "Größe\u0301", "猫Größe"):
        assert number not in made.encode(text), text


def test_truncation_and_padding_are_ignored(tmp_path: Path) -> None:
    file = file_of("bert")
    file["truncation"] = {
        "max_length": 3,
        "strategy": "LongestFirst",
        "stride": 0,
        "direction": "Right",
    }
    file["padding"] = {"strategy": {"Fixed": 64}, "pad_id": 0}
    found = [opened(file, tmp_path).encode(text) for text in TEXTS]
    assert found == GOLDEN["tokenizers"]["bert"]["ids"]


def test_old_files_leave_the_kind_of_the_model_out(tmp_path: Path) -> None:
    for name in ("bert", "gpt2"):
        file = file_of(name)
        del file["model"]["type"]
        assert [opened(file, tmp_path).encode(text) for text in TEXTS] == GOLDEN["tokenizers"][
            name
        ]["ids"]


def test_merges_may_be_written_as_texts(tmp_path: Path) -> None:
    file = file_of("gpt2")
    file["model"]["merges"] = [" ".join(merge) for merge in file["model"]["merges"]]
    assert [opened(file, tmp_path).encode(text) for text in TEXTS] == GOLDEN["tokenizers"]["gpt2"][
        "ids"
    ]


def test_a_folder_is_the_tokenizer_in_it(tmp_path: Path) -> None:
    made = opened(file_of("gpt2"), tmp_path)
    assert tokenizer(tmp_path).encode("the cat") == made.encode("the cat")
    assert tokenizer(str(tmp_path)).vocabulary == made.vocabulary


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("bert")])
def test_decoding_gives_the_text_back(name: str, tmp_path: Path) -> None:
    made = opened(file_of(name), tmp_path)
    for text in ("Hello, world! x[0] = 12", "注意力 and 😀\n", "naïve <0xE4>"):
        ids = [i for i in made.encode(text) if made.piece(i) not in ("<s>", "</s>")]
        assert made.decode(ids).removeprefix(" ") == text


def test_decoding_word_pieces(tmp_path: Path) -> None:
    made = opened(file_of("bert"), tmp_path)
    assert made.decode(made.encode("Attention, zebra!")) == "[CLS] attention , zebra ! [SEP]"


def test_labels_are_readable(tmp_path: Path) -> None:
    made = opened(file_of("gpt2"), tmp_path)
    found = made.pieces("a the 猫")
    assert "Ġthe" in found.pieces
    assert found.labels[found.pieces.index("Ġthe")] == " the"
    encoded = "猫".encode()
    label = "".join(found.labels).removeprefix("a the ")
    assert label == "".join(f"<0x{byte:02X}>" for byte in encoded)
    made = opened(file_of("bert"), tmp_path)
    found = made.pieces("zebra")
    assert [piece.removeprefix("##") for piece in found.pieces] == list(found.labels)


@pytest.mark.parametrize("name", NAMES)
def test_words_cover_the_ids_and_their_last_state_is_how_they_are_cut(
    name: str, tmp_path: Path
) -> None:
    made = opened(file_of(name), tmp_path)
    for text in TEXTS:
        found = made.pieces(text)
        at = 0
        for word in found.words:
            assert word.first == at
            at = word.last
            if not word.special:
                *_, last = made.cut(word.text)
                assert last == found.pieces[word.first : word.last]
        assert at == len(found.ids) == len(found.pieces) == len(found.labels)


def joined_plainly(pieces: list[str], merges: list[list[str]]) -> list[tuple[str, ...]]:
    """Byte-pair encoding as in the paper: again and again the best pair, the first of equals."""
    states = [tuple(pieces)]
    while True:
        pairs = [list(pair) for pair in pairwise(pieces)]
        known = [(merges.index(pair), at) for at, pair in enumerate(pairs) if pair in merges]
        if not known:
            return states
        _, at = min(known)
        pieces = [*pieces[:at], pieces[at] + pieces[at + 1], *pieces[at + 2 :]]
        states.append(tuple(pieces))


def test_each_state_of_a_word_is_one_merge(tmp_path: Path) -> None:
    file = file_of("gpt2")
    made = opened(file, tmp_path)
    for word in ("attention", "Ġtransformer", "mississippi", "Ġthethethe", "aaaaaaaaa"):
        assert list(made.cut(word)) == joined_plainly(list(word), file["model"]["merges"])


def test_the_states_of_word_pieces_cut_from_the_left(tmp_path: Path) -> None:
    vocabulary = {"[UNK]": 0, "un": 1, "##aff": 2, "##able": 3, "##a": 4}
    model = {
        "type": "WordPiece",
        "vocab": vocabulary,
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
    }
    made = opened({"model": model}, tmp_path)
    assert list(made.cut("unaffable")) == [
        ("unaffable",),
        ("un", "##affable"),
        ("un", "##aff", "##able"),
    ]
    assert list(made.cut("unx")) == [("unx",), ("[UNK]",)]
    assert made.encode("unaffable") == [1, 2, 3]


def test_pieces_by_score_are_those_of_sentencepiece() -> None:
    made = opened_metadata(GOLDEN["sentencepiece"]["metadata"])
    assert [made.encode(text) for text in TEXTS] == GOLDEN["sentencepiece"]["ids"]
    assert made.decode(made.encode("the 猫\n")) == "<s> the 猫\n"


def metadata_of(name: str, **more: object) -> dict[str, object]:
    """A byte-level tokenizer as a .gguf has it."""
    file = file_of(name)
    file["model"].setdefault("merges", [])
    pieces = {number: piece for piece, number in file["model"]["vocab"].items()}
    pieces |= {token["id"]: token["content"] for token in file["added_tokens"]}
    control = {token["id"] for token in file["added_tokens"]}
    own = {
        "model": "gpt2",
        "tokens": [pieces[number] for number in range(len(pieces))],
        "token_type": [3 if number in control else 1 for number in range(len(pieces))],
        "merges": [" ".join(merge) for merge in file["model"]["merges"]],
        **more,
    }
    return {f"tokenizer.ggml.{key}": value for key, value in own.items()}


SAME = [("gpt2", "gpt-2"), ("smollm", "smollm"), ("llama3", "llama-bpe"), ("tekken", "tekken")]


@pytest.mark.parametrize(("name", "pre"), SAME)
def test_a_gguf_names_its_pattern(name: str, pre: str) -> None:
    more: dict[str, object] = {"bos_token_id": 0, "add_bos_token": False}
    made = opened_metadata(metadata_of(name, pre=pre, **more))
    before = [0] if name == "llama3" else []
    found = [before + made.encode(text) for text in TEXTS]
    assert found == GOLDEN["tokenizers"][name]["ids"]


def test_a_gguf_says_which_tokens_are_put_round_a_text() -> None:
    plain = opened_metadata(metadata_of("gpt2", bos_token_id=3, eos_token_id=5)).encode("the")
    for pre, begins in (("gpt-2", False), ("llama-bpe", True)):
        more = {"pre": pre, "bos_token_id": 3, "eos_token_id": 5}
        both = {"add_bos_token": True, "add_eos_token": True}
        usual = opened_metadata(metadata_of("gpt2", **more)).encode("the")
        assert (usual[0] == 3) == begins
        assert opened_metadata(metadata_of("gpt2", **more, **both)).encode("the") == [3, *plain, 5]


def test_a_gguf_of_bert(tmp_path: Path) -> None:
    for name in ("bert", "bert-cased"):
        metadata = metadata_of(name, merges=[], model="bert", cls_token_id=2, seperator_token_id=3)
        tokens = metadata["tokenizer.ggml.tokens"]
        assert isinstance(tokens, list)
        metadata["tokenizer.ggml.tokens"] = [
            piece
            if number < 5
            else piece.removeprefix("##")
            if piece.startswith("##")
            else f"▁{piece}"
            for number, piece in enumerate(tokens)
        ]
        made = opened_metadata(metadata)
        assert [made.encode(text) for text in TEXTS] == GOLDEN["tokenizers"][name]["ids"]


def test_the_tokenizer_of_a_gguf_file(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf_bytes(metadata_of("smollm", pre="smollm"), {}))
    made = tokenizer(path)
    assert [made.encode(text) for text in TEXTS] == GOLDEN["tokenizers"]["smollm"]["ids"]
    path.write_bytes(gguf_bytes({"general.name": "x"}, {}))
    with pytest.raises(UserError) as caught:
        tokenizer(path)
    assert caught.value.code == "tokenizer.absent"
    assert caught.value.data["path"] == str(path)


WRONG_METADATA: list[tuple[dict[str, object], str]] = [
    ({"model": "t5"}, "tokenizer.kind"),
    ({"model": "bert"}, "tokenizer.no_piece"),
    ({"model": 3}, "file.type"),
    ({"pre": "of-tomorrow"}, "tokenizer.kind"),
    ({"tokens": [1, 2]}, "file.type"),
    ({"merges": ["a"]}, "tokenizer.merge"),
    ({"merges": ["a zz"]}, "tokenizer.merge"),
    ({"bos_token_id": 1 << 20, "add_bos_token": True}, "tokenizer.no_piece"),
    ({"token_type": "x"}, "file.type"),
]


@pytest.mark.parametrize(
    ("more", "code"), WRONG_METADATA, ids=[str(row[0])[:40] for row in WRONG_METADATA]
)
def test_metadata_that_cannot_be_computed_are_refused(more: dict[str, object], code: str) -> None:
    with pytest.raises(UserError) as caught:
        opened_metadata(metadata_of("gpt2", **more))
    assert caught.value.code == code
    with pytest.raises(UserError) as caught:
        opened_metadata({})
    assert caught.value.code == "tokenizer.absent"


def change(path: str, value: object) -> Callable[[Any], None]:
    """Set one place of a file, such as model.type."""

    def apply(file: Any) -> None:
        *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        for key in parents:
            file = file[key]
        file[last] = value

    return apply


WRONG: list[tuple[str, str, object, str]] = [
    ("gpt2", "model", None, "file.type"),
    ("gpt2", "model.type", "Unigram", "tokenizer.kind"),
    ("gpt2", "model.type", "WordLevel", "tokenizer.kind"),
    ("gpt2", "model.vocab", [["a", -1.5]], "tokenizer.kind"),
    ("gpt2", "model.vocab.a", -1, "tokenizer.id"),
    ("gpt2", "model.vocab.a", 1 << 40, "tokenizer.id"),
    ("gpt2", "model.vocab.a", "1", "file.type"),
    ("gpt2", "model.vocab.a", 1 << 70, "tokenizer.id"),
    ("gpt2", "model.merges.3", ["Ġ", "no such piece"], "tokenizer.merge"),
    ("gpt2", "model.merges.3", "a b c", "tokenizer.merge"),
    ("gpt2", "model.merges.3", ["a"], "file.syntax"),
    ("gpt2", "model.dropout", 0.1, "tokenizer.setting"),
    ("gpt2", "model.end_of_word_suffix", "</w>", "tokenizer.setting"),
    ("gpt2", "model.unk_token", "nowhere", "tokenizer.no_piece"),
    ("gpt2", "pre_tokenizer.type", "UnicodeScripts", "tokenizer.kind"),
    ("gpt2", "added_tokens.0.id", -5, "tokenizer.id"),
    ("bert", "model.unk_token", "nowhere", "tokenizer.no_piece"),
    ("bert", "normalizer.type", "Precompiled", "tokenizer.kind"),
    ("bert", "normalizer.lowercase", "yes", "file.type"),
    ("bert", "post_processor.type", "Other", "tokenizer.kind"),
    ("bert", "post_processor.single.0.SpecialToken.id", "[X]", "tokenizer.no_piece"),
    ("bert", "post_processor.single", [], "tokenizer.no_piece"),
    ("bert", "post_processor.special_tokens.[CLS].ids", [9_999_999], "tokenizer.no_piece"),
    ("llama3", "pre_tokenizer.pretokenizers.0.behavior", "Sometimes", "tokenizer.kind"),
    ("llama3", "pre_tokenizer.pretokenizers.0.pattern", {"Regex": "("}, "tokenizer.pattern"),
    ("llama3", "pre_tokenizer.pretokenizers.0.pattern", {"Regex": "(a+)+b"}, "tokenizer.pattern"),
    ("llama3", "pre_tokenizer.pretokenizers.0.pattern", {"Regex": r"\p{Xx}"}, "tokenizer.pattern"),
    ("llama3", "pre_tokenizer.pretokenizers.0.pattern", {"Regex": "(?<=a)b"}, "tokenizer.pattern"),
    (
        "llama3",
        "pre_tokenizer.pretokenizers.0.pattern",
        {"Regex": r"a*a*b"},
        "tokenizer.pattern",
    ),
    ("llama3", "pre_tokenizer.pretokenizers.0.pattern", {"Regex": "a?" * 9}, "tokenizer.pattern"),
    ("llama3", "pre_tokenizer.pretokenizers.0.pattern", {"Regex": "(ab){9}"}, "tokenizer.pattern"),
    ("mistral", "pre_tokenizer.prepend_scheme", "often", "tokenizer.kind"),
    ("mistral", "pre_tokenizer.replacement", "ab", "tokenizer.setting"),
    ("llama2", "normalizer.normalizers.1.content", "a" * 100, "tokenizer.setting"),
    ("llama2", "normalizer.normalizers", [{"type": "NFC"}] * 100, "tokenizer.steps"),
    ("llama3", "pre_tokenizer.pretokenizers.0", {"type": "ByteLevel"}, "tokenizer.steps"),
]


@pytest.mark.parametrize(
    ("name", "path", "value", "code"), WRONG, ids=[f"{row[1]}-{row[3]}" for row in WRONG]
)
def test_what_cannot_be_computed_is_refused(
    name: str, path: str, value: object, code: str, tmp_path: Path
) -> None:
    file = file_of(name)
    change(path, value)(file)
    with pytest.raises(UserError) as caught:
        opened(file, tmp_path)
    assert caught.value.code == code
    assert caught.value.data["path"].endswith("tokenizer.json")


DAMAGED = {
    "deep": b'{"model":' + b"[" * 200_000,
    "deep-step": b'{"normalizer":' + b'{"type":"Sequence","normalizers":[' * 50_000,
    "empty": b"",
    "half": json.dumps(file_of("gpt2")).encode()[:5_000],
    "not-utf-8": b'{"model": "\xff"}',
    "list": b"[]",
    "no-model": b"{}",
    "commas": b'{"model":{"vocab":{},"merges":[' + b"0," * 3_000_000,
    "pickle": b"\x80\x04\x95\x00",
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_files_are_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(DAMAGED[kind])
    with pytest.raises(UserError):
        tokenizer(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        tokenizer(tmp_path)
    assert caught.value.code == "file.unreadable"


def test_long_texts_are_cut_and_longer_ones_refused(tmp_path: Path) -> None:
    for name in NAMES:
        made = opened(file_of(name), tmp_path)
        assert len(made.encode("a" * 60_000)) > 0
    with pytest.raises(UserError) as caught:
        made.encode("a" * 200_001)
    assert caught.value.code == "tokenizer.text"


def test_half_characters_become_a_replacement(tmp_path: Path) -> None:
    made = opened(file_of("gpt2"), tmp_path)
    assert made.decode(made.encode("a\ud800b")) == "a\ufffdb"
    assert made.decode(made.encode("\ud83d\ude00")) == "😀"


def test_an_unknown_id_is_refused(tmp_path: Path) -> None:
    made = opened(file_of("gpt2"), tmp_path)
    for number in (-1, made.size):
        with pytest.raises(UserError) as caught:
            made.decode([number])
        assert caught.value.code == "model.id"
