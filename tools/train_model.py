"""Train a model that ships with the program: its folder in resources/models, with snapshots.

    python -m tools.train_model (copying | sentences) [-o FOLDER]

Plain NumPy in single precision, one core, drawn by a seed: the same machine and NumPy give the same
files; others differ in the last digits, and then in what is learned when. Weights are stored in half
precision.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from tools.small_gpt import Adam, Network, Sizes
from tools.training_sentences import START, VOCABULARY, drawn
from tools.training_texts import SIGNS, UNKNOWN, Batch, repeated

MODELS = Path(__file__).resolve().parent.parent / "resources" / "models"
WARM_UP, LAST_RATE = 100, 0.05  # steps until the full rate; the last rate as a share of it
FINAL = "model.safetensors"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model is trained. `places` may exceed the positions that ship: the last ones learn little."""

    sizes: Sizes
    batch: Callable[[np.random.Generator, int, int], Batch]
    tokenizer: dict[str, object]
    places: int
    seed: int
    steps: int
    rate: float
    snapshots: tuple[int, ...]
    batch_size: int = 64
    decay: float = 0.01


def word_tokenizer(vocabulary: tuple[str, ...], start: str | None = None) -> dict[str, object]:
    """A tokenizer.json: WordPiece whose pieces are whole words, perhaps with `start` in front.

    With `start` a text is one that may be written without spaces, as Chinese is: words are found
    where the last one ends. Without it each Chinese character is a word.
    """
    special = [UNKNOWN] if start is None else [UNKNOWN, start]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_special(vocabulary, word) for word in special],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": start is None,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": start and _template(vocabulary, start),
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": UNKNOWN,
            "continuing_subword_prefix": "##" if start is None else "",
            "max_input_chars_per_word": 100,
            "vocab": {word: id_ for id_, word in enumerate(vocabulary)},
        },
    }


def _special(vocabulary: tuple[str, ...], word: str) -> dict[str, object]:
    return {
        "id": vocabulary.index(word),
        "content": word,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }


def _template(vocabulary: tuple[str, ...], start: str) -> dict[str, object]:
    """The part of a tokenizer.json that puts `start` in front of a text."""
    first = {"SpecialToken": {"id": start, "type_id": 0}}
    one, other = ({"Sequence": {"id": id_, "type_id": 0}} for id_ in "AB")
    token = {"id": start, "ids": [vocabulary.index(start)], "tokens": [start]}
    return {
        "type": "TemplateProcessing",
        "single": [first, one],
        "pair": [first, one, other],
        "special_tokens": {start: token},
    }


RECIPES = {
    "copying": Recipe(
        sizes=Sizes(len(SIGNS), n_positions=32, n_embd=48, n_layer=2, n_head=4, n_inner=64),
        batch=repeated,
        tokenizer=word_tokenizer(SIGNS),
        places=36,
        seed=0,
        steps=2400,
        rate=3e-3,
        snapshots=(0, 100, 200, 250, 300, 350, 400, 450, 500, 700, 1000, 1600),
    ),
    "sentences": Recipe(
        sizes=Sizes(len(VOCABULARY), n_positions=24, n_embd=40, n_layer=2, n_head=4, n_inner=96),
        batch=drawn,
        tokenizer=word_tokenizer(VOCABULARY, START),
        places=24,
        seed=3,
        steps=2400,
        rate=3e-3,
        snapshots=(0, 100, 200, 300, 400, 500, 600, 700, 800, 1000, 1300, 1800),
    ),
}


def main() -> None:
    """Train the named model and write its folder."""
    parser = argparse.ArgumentParser(description="Train a model that ships with the program.")
    parser.add_argument("model", choices=sorted(RECIPES))
    parser.add_argument("-o", "--output", type=Path, help="folder instead of resources/models/ID")
    arguments = parser.parse_args()
    folder = arguments.output or MODELS / arguments.model
    recipe = RECIPES[arguments.model]
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.safetensors"):
        old.unlink()
    write_json(folder / "config.json", config(recipe.sizes))
    write_json(folder / "tokenizer.json", recipe.tokenizer)
    steps = train(recipe, folder)
    about = folder / "model.json"
    kept = json.loads(about.read_text(encoding="utf-8")) if about.exists() else {"title": {}}
    write_json(about, kept | {"snapshots": steps})


def train(recipe: Recipe, folder: Path) -> list[dict[str, object]]:
    """Train, write the weights of each snapshot, return the list of them."""
    wide = Sizes(**{**asdict(recipe.sizes), "n_positions": recipe.places})
    network = Network(wide, recipe.seed)
    adam, rng = Adam(network, recipe.decay), np.random.default_rng(recipe.seed)
    written: list[dict[str, object]] = []
    started = time.process_time()
    for step in range(recipe.steps + 1):
        if step in (*recipe.snapshots, recipe.steps):
            name = FINAL if step == recipe.steps else f"step-{step:05d}.safetensors"
            (folder / name).write_bytes(half_precision(network, recipe.sizes.n_positions))
            written.append({"step": step, "file": name})
        batch = recipe.batch(rng, recipe.batch_size, recipe.places)
        loss = network.loss(batch.ids, batch.targets, batch.share)
        if step % 100 == 0:
            print(f"step {step:5}  loss {loss:.4f}  {time.process_time() - started:4.0f} s")
        adam.step(recipe.rate * schedule(step, recipe.steps))
    return written


def schedule(step: int, steps: int) -> float:
    """The rate of a step as a share of the largest: it rises, then falls evenly."""
    return min(1.0, (step + 1) / WARM_UP) * max(LAST_RATE, 1 - step / steps)


def config(sizes: Sizes) -> dict[str, object]:
    """config.json as GPT-2's."""
    return {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        **asdict(sizes),
        "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-5,
        "tie_word_embeddings": True,
        "torch_dtype": "float16",
    }


def half_precision(network: Network, positions: int) -> bytes:
    """The weights as a safetensors file in float16, with the first positions alone."""
    header, data, at = {"__metadata__": {"format": "pt"}}, b"", 0
    tensors: dict[str, dict[str, object]] = {}
    for name, weight in network.weights.items():
        kept = weight[:positions] if name == "wpe.weight" else weight
        part = kept.astype("<f2").tobytes()
        place = [at, at + len(part)]
        tensors[name] = {"dtype": "F16", "shape": list(kept.shape), "data_offsets": place}
        data, at = data + part, at + len(part)
    text = json.dumps({**header, **tensors}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


def write_json(path: Path, value: object) -> None:
    """Write JSON in UTF-8, indented."""
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
