"""Write tokenizers.json: small tokenizers, and the ids that the libraries `tokenizers` and
`sentencepiece` make of texts.

Not run by the tests: `pip install tokenizers sentencepiece` in an environment of its own, then
`python tests/golden/tokenizers/make.py`. The tests compare the program's ids with the libraries'.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import sentencepiece
import tokenizers as library
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, processors, trainers
from tokenizers import pre_tokenizers as split

HERE = Path(__file__).resolve().parent
TRAINING = [*Path(HERE.parents[2], "docs").glob("guide/*.md"), HERE.parents[2] / "README.md"]
SIZE = 420
WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
TEKKEN = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
END = "<|endoftext|>"
PARTS = [
    *("the attention", "Hello, world!", "don't WE'LL o'clock", "x = f(a[i], 2**k)  # λ", "\tif x:\n\t\treturn"),
    *("注意力机制", "它看着猫，然后走了。", "中文 and English混在一起", "日本語カタカナ", "안녕하세요", "Привет"),
    *("مرحبا", "नमस्ते", "สวัสดี", "Ünïcödé naïve", "e\u0301t\u00e9", "İstanbul ΣΑΣ ß ﬁ", "\u0301\u0308"),
    *("😀👩‍👩‍👧👍🏽", "🇨🇳❤️", "1234567 3.14 ½ Ⅻ ٣٤", "  ", "     ", "\n\n", " \r\n ", "\u3000\u2003", "\x00\x1b\x7f\x85\xad"),
    *("\u200b\ufeff\ufffd\ue000", "[CLS]", "[MASK]", "<s>", "<mask>", "</s>", END, "<|im_start|>", "Größe"),
    *("▁Ġ##ing <0x0A>", "…—“”«»", "$+<=>^~|`", "𝒳𠀀𠮷", "a" * 101, "https://example.org/?q=1&r=%20"),
]  # fmt: skip


def trained(tokenizer: Tokenizer, trainer: Any) -> Tokenizer:
    texts = [line for path in sorted(TRAINING) for line in path.read_text("utf-8").splitlines()]
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def byte_pairs(pre: Any, special: list[Any], normalizer: Any = None, **settings: Any) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(**settings))
    tokenizer.pre_tokenizer = pre
    if normalizer:
        tokenizer.normalizer = normalizer
    alphabet = split.ByteLevel.alphabet()
    return trained(
        tokenizer,
        trainers.BpeTrainer(
            vocab_size=SIZE, special_tokens=special, initial_alphabet=alphabet, show_progress=False
        ),
    )


def byte_level(prefix: bool = False, regex: bool = True) -> Any:
    return split.ByteLevel(add_prefix_space=prefix, use_regex=regex, trim_offsets=False)


def by_pattern(pattern: str) -> Any:
    return split.Sequence([split.Split(Regex(pattern), "isolated"), byte_level(regex=False)])


def wordpiece(**settings: Any) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(**settings)
    tokenizer.pre_tokenizer = split.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trained(
        tokenizer,
        trainers.WordPieceTrainer(
            vocab_size=SIZE, special_tokens=special, limit_alphabet=220, show_progress=False
        ),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B [SEP]",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return tokenizer


def characters(normalizer: Any, pre: Any) -> Tokenizer:
    """As Llama 2 and Mistral: a sign for spaces, and bytes for unknown characters."""
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.pre_tokenizer = split.Metaspace("▁", "always")
    trained(
        tokenizer,
        trainers.BpeTrainer(
            vocab_size=SIZE + 259,
            special_tokens=["<unk>", "<s>", "</s>", *bytes_],
            limit_alphabet=200,
            show_progress=False,
        ),
    )
    file = json.loads(tokenizer.to_str())
    file["added_tokens"] = file["added_tokens"][:3]
    file["pre_tokenizer"] = None
    tokenizer = Tokenizer.from_str(json.dumps(file))
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre:
        tokenizer.pre_tokenizer = pre
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", 1)]
    )
    return tokenizer


def of_sentencepiece(texts: list[str]) -> dict[str, Any]:
    """A tokenizer as a .gguf of the kind llama has it, and its ids; <s> and </s> count in texts."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        corpus.write_text("\n".join(path.read_text("utf-8") for path in sorted(TRAINING)), "utf-8")
        sentencepiece.SentencePieceTrainer.train(
            input=str(corpus),
            model_prefix=f"{folder}/model",
            model_type="bpe",
            vocab_size=2 * SIZE,
            character_coverage=0.98,
            byte_fallback=True,
            normalization_rule_name="identity",
            remove_extra_whitespaces=False,
            split_digits=True,
            allow_whitespace_only_pieces=True,
            minloglevel=2,
        )
        model = sentencepiece.SentencePieceProcessor(f"{folder}/model.model")
    ids = range(model.get_piece_size())
    kinds = [
        2 if model.is_unknown(i) else 3 if model.is_control(i) else 6 if model.is_byte(i) else 1
        for i in ids
    ]
    metadata = {
        "model": "llama",
        "tokens": [model.id_to_piece(i) for i in ids],
        "scores": [model.get_score(i) for i in ids],
        "token_type": kinds,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "unknown_token_id": 0,
    }
    special = {piece: model.piece_to_id(piece) for piece in ("<s>", "</s>", "<unk>")}
    found = []
    for text in texts:
        numbers = [1]
        for part in re.split("(<s>|</s>|<unk>)", text):
            numbers += [special[part]] if part in special else model.encode(part)
        found.append(numbers)
    return {
        "metadata": {f"tokenizer.ggml.{key}": value for key, value in metadata.items()},
        "ids": found,
    }


def all_tokenizers() -> dict[str, Tokenizer]:
    mask = AddedToken("<mask>", lstrip=True, special=True)
    roberta = byte_pairs(byte_level(prefix=True), ["<s>", "<pad>", "</s>", "<unk>", mask])
    roberta.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    llama = byte_pairs(
        by_pattern(f"{WORDS}|\\p{{N}}{{1,3}}|{REST}"), ["<s>", "</s>"], ignore_merges=True
    )
    llama.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(
                single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", 0)]
            ),
        ]
    )
    qwen = byte_pairs(
        by_pattern(f"{WORDS}|\\p{{N}}|{REST}"), [END, "<|im_start|>"], normalizers.NFC()
    )
    qwen.add_tokens([AddedToken("Größe", normalized=True, single_word=True)])
    spaces = byte_pairs(byte_level(), [END])
    spaces.add_tokens(
        [
            AddedToken("  ", rstrip=True, normalized=False),
            AddedToken("\n", lstrip=True, rstrip=True, normalized=False),
            AddedToken("\t", lstrip=True, normalized=True),
        ]
    )
    digits = split.Sequence([split.Digits(individual_digits=True), byte_level()])
    legacy = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return {
        "bert": wordpiece(lowercase=True),
        "bert-cased": wordpiece(lowercase=False),
        "gpt2": byte_pairs(byte_level(), [END]),
        "roberta": roberta,
        "spaces": spaces,
        "llama3": llama,
        "qwen2": qwen,
        "smollm": byte_pairs(digits, [END, "<|im_start|>"]),
        "tekken": byte_pairs(by_pattern(TEKKEN), ["<s>"]),
        "llama2": characters(legacy, None),
        "mistral": characters(None, split.Metaspace("▁", "first", split=False)),
    }


def main() -> None:
    random = Random(18)
    texts = ["", " ", "\n", "a", *PARTS]
    for _ in range(60):
        texts.append(random.choice(["", " "]).join(random.choices(PARTS, k=random.randint(2, 5))))
    found = {
        name: {
            "file": json.loads(tokenizer.to_str()),
            "ids": [encoding.ids for encoding in tokenizer.encode_batch(texts)],
        }
        for name, tokenizer in all_tokenizers().items()
    }
    versions = f"tokenizers {library.__version__}, sentencepiece {sentencepiece.__version__}"
    result = {
        "made_by": versions,
        "texts": texts,
        "tokenizers": found,
        "sentencepiece": of_sentencepiece(texts),
    }
    text = json.dumps(result, ensure_ascii=True, separators=(",", ":"))
    (HERE / "tokenizers.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
