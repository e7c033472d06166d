"""The example `eight-heads`: drawn again from its seed, and each head does what its name says."""

from __future__ import annotations

import json

import numpy as np

from core.base.arrays import Array
from core.compute.trace import run
from core.storage.examples import example_path, load_example

SENTENCE = (
    "The old lighthouse keeper wrote a long letter to his daughter every evening before the storm"
)
# Word classes: 0 determiner, 1 adjective, 2 noun, 3 verb, 4 preposition.
CLASS_OF = [0, 1, 2, 2, 3, 0, 1, 2, 4, 0, 2, 0, 2, 4, 0, 2]


def eight_heads_recipe(seed: int) -> tuple[Array, list[tuple[Array, ...]], Array]:
    """Rebuild X, the heads' (W_Q, W_K, W_V) and W_O of ``eight-heads`` from its seed."""
    rng = np.random.default_rng(seed)
    n, d, h, k = 16, 64, 8, 8
    content = slice(24, 56)  # these columns say what the word is; positions hardly turn there
    classes = rng.standard_normal((5, 32))
    X = 0.1 * rng.standard_normal((n, d))
    X[:, content] = classes[CLASS_OF] + 0.5 * rng.standard_normal((n, 32))

    def turned(gain: float, shift: int) -> Array:
        """Read the four fastest sine-cosine pairs, turned on by ``shift`` positions."""
        W = np.zeros((d, k))
        for pair in range(4):
            angle = shift * 10000.0 ** (-2 * pair / d)
            c, s = np.cos(angle), np.sin(angle)
            W[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = gain * np.array([[c, -s], [s, c]])
        return W

    def word_class(gain: float) -> Array:
        """Turn the content into one coordinate for each word class."""
        W = np.zeros((d, k))
        W[content, :5] = gain * np.linalg.pinv(classes)
        return W

    def always(gain: float, columns: list[int]) -> Array:
        """The same query for every word: column 63 of the positions is always close to 1."""
        W = np.zeros((d, k))
        W[63, columns] = gain
        return W

    near = word_class(2.2)
    near[4:6, 5:7] = 1.6 * np.eye(2)
    pairs = [
        (turned(2.2, -1), turned(2.2, 0)),
        (turned(2.2, +1), turned(2.2, 0)),
        (turned(1.2, 0), turned(1.2, 0)),
        (word_class(2.6), word_class(2.6)),
        (always(2.4, [2]), word_class(2.4)),
        (always(2.0, [1, 3, 5, 7]), turned(1.5, 0)),
        (near, near),
        (0.16 * rng.standard_normal((d, k)), 0.16 * rng.standard_normal((d, k))),
    ]
    heads = [
        tuple(
            np.round(W + 0.02 * rng.standard_normal((d, k)), 4)
            for W in (*pair, rng.standard_normal((d, k)) / np.sqrt(d))
        )
        for pair in pairs
    ]
    return np.round(X, 4), heads, np.round(rng.standard_normal((h * k, d)) / np.sqrt(d), 4)


def test_eight_heads_can_be_drawn_again_from_the_seed_in_its_notes() -> None:
    file = json.loads(example_path("eight-heads").read_text(encoding="utf-8"))
    assert "np.random.default_rng(2017)" in file["notes"]
    assert file["tokens"] == SENTENCE.split()
    X, heads, W_O = eight_heads_recipe(2017)
    # Pseudo-inverse and cosines may differ in the last bit from machine to machine, and so one rounding.
    np.testing.assert_allclose(file["X"], X, rtol=0, atol=1.01e-4)
    np.testing.assert_allclose(file["W_O"], W_O, rtol=0, atol=1.01e-4)
    for head, drawn in zip(file["heads"], heads, strict=True):
        np.testing.assert_allclose(
            [head[name] for name in ("W_Q", "W_K", "W_V")], drawn, rtol=0, atol=1.01e-4
        )


def test_eight_heads_has_the_size_at_which_colours_speak() -> None:
    document = load_example("eight-heads")
    assert [document.sizes[letter] for letter in "ndhkvco"] == [16, 64, 8, 8, 8, 64, 64]
    assert document.W_O is not None


def test_the_heads_of_eight_heads_do_what_their_names_say() -> None:
    document = load_example("eight-heads")
    A = dict(zip((head.name for head in document.heads), run(document)["weights"], strict=True))
    kinds = np.array(CLASS_OF)
    same = kinds[:, None] == kinds[None, :]
    assert (A["previous word"].argmax(axis=1) == np.maximum(np.arange(16) - 1, 0)).all()
    assert (A["next word"].argmax(axis=1) == np.minimum(np.arange(16) + 1, 15)).all()
    assert (A["first word"].argmax(axis=1) == 0).all()
    near = np.abs(np.subtract.outer(np.arange(16), np.arange(16))) <= 2
    assert (A["nearby words"] * near).sum(axis=1).min() > 0.5
    assert (A["same kind"] * same).sum(axis=1).min() > 0.5
    assert A["nouns"][:, kinds == 2].sum(axis=1).min() > 0.5
    assert (A["same kind nearby"] * (same | near)).sum(axis=1).min() > 0.5
    assert all(weights.max() > 2 / 16 for weights in A.values())  # none is a grey carpet
