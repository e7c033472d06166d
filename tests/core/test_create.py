"""New experiments: shapes of every part, numbers that follow from the seed, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.errors import UserError
from core.compute.trace import run
from core.document.create import FILLS, Sizes, create
from core.storage.archive import dumps, loads

TOKENS = ("a", "b", "c", "d", "e")
SIZES = Sizes(d=6, k=2, v=4, h=3)


def test_shapes_from_embeddings() -> None:
    document = create(TOKENS, "embeddings", SIZES)
    assert document.tokens == TOKENS
    shapes = {name: document.tensor(name, 2).shape for name in ("X", "W_Q", "W_K", "W_V", "W_O")}  # type: ignore[union-attr]
    assert shapes == {"X": (5, 6), "W_Q": (6, 2), "W_K": (6, 2), "W_V": (6, 4), "W_O": (12, 6)}
    assert run(document)["Y"].shape == (5, 6)


def test_shapes_of_entered_queries() -> None:
    document = create(TOKENS, "qkv", SIZES)
    shapes = {name: document.tensor(name, 2).shape for name in ("Q", "K", "V")}  # type: ignore[union-attr]
    assert shapes == {"Q": (5, 2), "K": (5, 2), "V": (5, 4)}
    assert document.X is None
    assert document.W_O is None


def test_one_head_needs_no_output_weights() -> None:
    assert create(TOKENS, "embeddings", Sizes(6, 2, 4, 1)).W_O is None


def test_integers_are_drawn_in_the_stated_order() -> None:
    document = create(TOKENS, "embeddings", SIZES, "integers", seed=7)
    generator = np.random.default_rng(7)
    shapes = [(5, 6)] + 3 * [(6, 2), (6, 2), (6, 4)] + [(12, 6)]
    drawn = [generator.integers(-2, 4, size=shape) for shape in shapes]
    given = [document.X]
    for head in document.heads:
        given += [head.W_Q, head.W_K, head.W_V]
    given += [document.W_O]
    for expected, actual in zip(drawn, given, strict=True):
        assert actual is not None
        np.testing.assert_array_equal(actual, expected)


def test_integers_span_minus_two_to_three() -> None:
    X = create(tuple(map(str, range(500))), "embeddings", SIZES, "integers", seed=0).X
    assert X is not None
    assert sorted(set(X.ravel().tolist())) == [-2, -1, 0, 1, 2, 3]


def test_the_seed_decides() -> None:
    one, same, other = (dumps(create(TOKENS, "qkv", SIZES, "integers", seed)) for seed in (3, 3, 4))
    assert one == same
    assert one != other


def test_the_first_head_does_not_depend_on_the_number_of_heads() -> None:
    many, single = (
        create(TOKENS, "embeddings", SIZES),
        create(TOKENS, "embeddings", Sizes(6, 2, 4, 1)),
    )
    np.testing.assert_array_equal(many.heads[0].W_V, single.heads[0].W_V)


def test_zeros_and_identity() -> None:
    zeros, identity = (create(TOKENS, "embeddings", SIZES, fill) for fill in ("zeros", "identity"))
    assert zeros.X is not None
    assert not zeros.X.any()
    W_V = identity.heads[1].W_V
    assert W_V is not None
    assert W_V.tolist() == [
        [1.0 if row == column else 0.0 for column in range(4)] for row in range(6)
    ]


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("source", ["embeddings", "qkv"])
def test_what_is_created_can_be_saved(source: str, fill: str) -> None:
    document = create(TOKENS, source, SIZES, fill, title="t")
    again = loads(dumps(document))
    assert dumps(again) == dumps(document)
    assert again.title == "t"


@pytest.mark.parametrize("axis", "dkvh")
def test_a_size_below_one_is_refused(axis: str) -> None:
    sizes = {"d": 6, "k": 2, "v": 4, "h": 3, axis: 0}
    with pytest.raises(UserError) as caught:
        create(TOKENS, "embeddings", Sizes(**sizes))
    assert (caught.value.code, caught.value.data) == ("size.too_small", {"axis": axis, "size": 0})


@pytest.mark.parametrize(
    ("tokens", "source", "fill", "code"),
    [
        ((), "embeddings", "zeros", "document.no_tokens"),
        (TOKENS, "embeddings", "ones", "kind.unknown"),
        (TOKENS, "words", "zeros", "kind.unknown"),
    ],
)
def test_other_refusals(tokens: tuple[str, ...], source: str, fill: str, code: str) -> None:
    with pytest.raises(UserError) as caught:
        create(tokens, source, SIZES, fill)
    assert caught.value.code == code


def test_one_hot_rows_go_round_the_columns() -> None:
    X = create(TOKENS, "embeddings", Sizes(3, 2, 4), "one_hot").X
    assert X is not None
    assert X.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]]


def test_xavier_weights_stay_within_glorot_s_reach_and_use_it() -> None:
    head = create(TOKENS, "embeddings", Sizes(200, 100, 50), "xavier", seed=2).heads[0]
    for weight, columns in ((head.W_Q, 100), (head.W_K, 100), (head.W_V, 50)):
        assert weight is not None
        reach = (6 / (200 + columns)) ** 0.5
        assert 0.95 * reach < np.abs(weight).max() <= reach


def test_normal_numbers_have_mean_0_and_variance_1() -> None:
    X = create(tuple(map(str, range(200))), "embeddings", Sizes(100, 2, 2), "normal", seed=2).X
    assert X is not None
    assert abs(float(X.mean())) < 0.03
    assert abs(float(X.std()) - 1) < 0.03


def plain_weights(Q: np.ndarray, K: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    """Softmax of scaled scores, as in a textbook."""
    powers = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("k", [2, 3, 4, 8])
@pytest.mark.parametrize(("n", "d"), [(3, 4), (6, 4), (8, 8)])
def test_graded_rows_are_neither_all_nor_nothing(n: int, d: int, k: int) -> None:
    tokens = tuple(map(str, range(n)))
    largest = []
    for seed in range(40):
        document = create(tokens, "embeddings", Sizes(d, k, 2), "graded", seed)
        X, head = np.asarray(document.X), document.heads[0]
        largest.append(plain_weights(X @ head.W_Q, X @ head.W_K).max(axis=1))
    assert np.mean(np.array(largest) > 0.95) < 0.1
    assert np.mean(np.array(largest) < 1.05 / n) < 0.1, "nor do all weights stay alike"


@pytest.mark.parametrize("source", ["embeddings", "qkv"])
@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0])
def test_graded_scores_spread_as_asked(source: str, spread: float) -> None:
    for seed in range(10):
        document = create(TOKENS, source, SIZES, "graded", seed, spread=spread)
        deviations = run(document)["scaled"].std(axis=2)
        for head in deviations:
            assert abs(np.sqrt(np.mean(head**2)) / spread - 1) < 0.25


@pytest.mark.parametrize("source", ["embeddings", "qkv"])
def test_graded_numbers_have_one_decimal(source: str) -> None:
    document = create(TOKENS, source, SIZES, "graded", 5, context=("x", "y"))
    numbers = [
        document.tensor(name, head)
        for head in range(3)
        for name in ("X", "X_context", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V")
    ]
    given = [array for array in numbers if array is not None]
    assert len(given) >= 9
    for array in given:
        assert all(float(f"{value:.1f}") == value for value in array.ravel())


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("source", ["embeddings", "qkv"])
def test_equal_tokens_get_equal_rows(source: str, fill: str) -> None:
    tokens, context = ("the", "cat", "the", "mat"), ("mat", "on", "mat")
    document = create(tokens, source, SIZES, fill, 3, context=context)
    names = ("X", "X_context") if source == "embeddings" else ("Q", "K", "V")
    rows = [document.tensor(name, 1) for name in names]
    first, *others = (array for array in rows if array is not None)
    np.testing.assert_array_equal(first[0], first[2])
    for array in others:
        np.testing.assert_array_equal(array[0], array[2])
    if source == "embeddings":
        np.testing.assert_array_equal(others[0][0], first[3], "also in the other sentence")


@pytest.mark.parametrize("tokens", [("a",), ("a", "a", "a")])
def test_graded_numbers_of_keys_that_are_all_alike(tokens: tuple[str, ...]) -> None:
    weights = run(create(tokens, "embeddings", Sizes(4, 2, 2), "graded", 1))["weights"]
    np.testing.assert_allclose(weights, 1 / len(tokens))
