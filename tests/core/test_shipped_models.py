"""The models that ship have learned what their notes say, measured by plain NumPy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from core.models import open_model, shipped_models, tokenizer
from core.models.forward import run_model
from tests.core.gpt_kit import Floats, Ints, PlainGpt
from tools import training_sentences
from tools.training_sentences import Sentence

MODELS = Path(__file__).resolve().parents[2] / "resources" / "models"
SHIPPED = sorted(path.name for path in MODELS.iterdir())
PLACES = 32  # of the copying model
PRONOUN_HEAD = (1, 1)  # of the sentences model: layer and head, from 0

Known = npt.NDArray[np.bool]
Copying = tuple[PlainGpt, Ints, Ints, Known]  # with rounds, texts, which letters can be known


@pytest.mark.parametrize("name", SHIPPED)
def test_a_model_takes_at_most_a_megabyte(name: str) -> None:
    assert sum(path.stat().st_size for path in (MODELS / name).iterdir()) <= 1_000_000


@pytest.mark.parametrize("name", SHIPPED)
def test_a_model_is_described_with_its_snapshots(name: str) -> None:
    model = next(each for each in shipped_models() if each.id == name)
    assert set(model.title) == set(model.notes) == set(model.text) == {"en", "zh_CN"}
    read = tokenizer(model.folder)
    assert all(0 not in read.encode(text) for text in model.text.values())  # no unknown word
    weights = open_model(name).parameters
    assert all(f"{round(weights, -2):,}" in notes for notes in model.notes.values())
    assert 10 <= len(model.snapshots) <= 20
    steps = [step for step, _ in model.snapshots]
    assert steps == sorted(set(steps))
    assert steps[0] == 0
    assert model.snapshots[-1][1] == "model.safetensors"
    assert {file for _, file in model.snapshots} == {
        path.name for path in model.folder.glob("*.safetensors")
    }


@pytest.mark.parametrize("name", SHIPPED)
def test_the_program_runs_each_snapshot_as_plain_numpy_does(name: str) -> None:
    folder = MODELS / name
    for file in (folder / "model.safetensors", min(folder.glob("step-*.safetensors"))):
        model, plain = open_model(file), PlainGpt(folder, file.name)
        ids = np.random.default_rng(3).integers(1, model.vocabulary, (1, model.positions))
        logits, weights = plain.run(ids)
        found = run_model(model, ids[0].tolist())
        for layer in range(model.layers):
            np.testing.assert_allclose(found.weights[layer], weights[layer][0], atol=1e-12)
        np.testing.assert_allclose(model.logits(found.final), logits[0], atol=1e-11)


def repeated(rounds: Ints) -> tuple[Ints, Known]:
    """A hundred texts of 32 letters and one more that repeat after `rounds` letters, all different
    within a round; and where each letter may first be known.  # (100,) -> (100, 33) (100, 32)
    """
    letters = np.random.default_rng(11).random((len(rounds), 48)).argsort(axis=1) + 1
    place = np.arange(PLACES + 1) % rounds[:, None]
    return np.take_along_axis(letters, place, axis=1), np.arange(PLACES) >= rounds[:, None]


@pytest.fixture(scope="module")
def copying() -> Copying:
    rounds = np.random.default_rng(10).integers(8, 17, 100)
    texts, known = repeated(rounds)
    return PlainGpt(MODELS / "copying"), rounds, texts, known


def accuracy(logits: Floats, texts: Ints, known: Known) -> float:
    """The share of letters that are predicted, of those that can be known."""
    return float((logits.argmax(-1) == texts[:, 1:])[known].mean())


def test_a_head_of_layer_1_looks_at_the_previous_token(
    copying: Copying,
) -> None:
    plain, _, texts, _ = copying
    _, weights = plain.run(texts[:, :-1])
    behind = [np.diagonal(weights[0][:, head], -1, 1, 2) for head in range(4)]
    means = [float(each.mean()) for each in behind]
    assert [head for head, mean in enumerate(means) if mean >= 0.9] == [1]
    assert max(mean for head, mean in enumerate(means) if head != 1) < 0.2


def test_the_heads_of_layer_2_look_behind_the_same_letter(
    copying: Copying,
) -> None:
    plain, rounds, texts, _ = copying
    _, weights = plain.run(texts[:, :-1])
    for head in range(4):
        right = [
            weights[1][text, head, place, place - round_ + 1]
            for text, round_ in enumerate(rounds)
            for place in range(round_, min(2 * round_, PLACES))
        ]
        assert np.mean(right) >= 0.9


def test_copying_ends_without_the_previous_token(
    copying: Copying,
) -> None:
    plain, _, texts, known = copying
    assert accuracy(plain.run(texts[:, :-1])[0], texts, known) == 1.0
    assert accuracy(plain.run(texts[:, :-1], off={(0, 1)})[0], texts, known) < 0.2
    others = plain.run(texts[:, :-1], off={(0, 0), (0, 2), (0, 3)})[0]
    assert accuracy(others, texts, known) > 0.2


def test_copying_is_learned_suddenly(copying: Copying) -> None:
    _, _, texts, known = copying
    found = {}
    for step, file in ((300, "step-00300.safetensors"), (450, "step-00450.safetensors")):
        logits, _ = PlainGpt(MODELS / "copying", file).run(texts[:, :-1])
        found[step] = accuracy(logits, texts, known)
    assert found[300] < 0.2
    assert found[450] > 0.98


def test_the_copying_model_reads_letters_of_both_languages() -> None:
    read = tokenizer(MODELS / "copying")
    assert read.encode("q K甲乙 f") == [17, 11, 27, 28, 6]
    assert read.encode("cat") == [0]


def _near(distance: int, each: Sentence, noun: int) -> float:
    return -abs(each.pronoun - distance - noun)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The sentences model over 200 sentences whose combination of nouns, verb and voice it has not
    seen, each with two nouns that the pronoun could mean by its form. It means the first in 100.
    """

    plain: PlainGpt
    sentences: list[Sentence]
    ids: Ints  # (200, 25)
    places: Ints  # of the pronouns (200,)
    meant: Ints  # places of the nouns that they mean (200,)

    def followed(self, off: Collection[tuple[int, int]] = ()) -> float:
        """The share of right words after the pronoun."""
        logits = self.plain.run(self.ids[:, :-1], off)[0]
        rows = np.arange(len(self.ids))
        found = logits[rows, self.places].argmax(-1) == self.ids[rows, self.places + 1]
        return float(found.mean())


@pytest.fixture(scope="module")
def reading() -> Reading:
    drawn = training_sentences.Grammar(2).sentences(2000, held_out=True)
    alike = [each for each in drawn if len({noun.kind for noun in each.plan.nouns}) == 1]
    chosen = [
        each for heard in (0, 1) for each in [a for a in alike if a.plan.heard == heard][:100]
    ]
    return Reading(
        PlainGpt(MODELS / "sentences"),
        chosen,
        training_sentences.ids(chosen, 24),
        np.array([each.pronoun for each in chosen]),
        np.array([each.meant for each in chosen]),
    )


def test_the_head_of_pronouns_looks_at_the_noun_that_is_meant(reading: Reading) -> None:
    _, weights = reading.plain.run(reading.ids[:, :-1])
    layer, head = PRONOUN_HEAD
    rows = weights[layer][np.arange(len(reading.ids)), head, reading.places]
    hit = rows.argmax(-1) == reading.meant
    assert hit.mean() >= 0.95
    for language in training_sentences.LANGUAGES:
        for kind in training_sentences.KINDS:
            own = [
                each.plan.language is language and each.plan.nouns[0].kind == kind
                for each in reading.sentences
            ]
            assert hit[own].size > 5
            assert hit[own].mean() >= 0.9


def test_its_neighbour_looks_at_the_same_noun_from_because(reading: Reading) -> None:
    _, weights = reading.plain.run(reading.ids[:, :-1])
    rows = weights[1][np.arange(len(reading.ids)), 0, reading.places - 1]
    assert (rows.argmax(-1) == reading.meant).mean() >= 0.85


def test_the_head_of_pronouns_arises_between_steps_400_and_1000(reading: Reading) -> None:
    hits = []
    for file in ("step-00400.safetensors", "step-01000.safetensors"):
        _, weights = PlainGpt(MODELS / "sentences", file).run(reading.ids[:, :-1])
        rows = weights[1][np.arange(len(reading.ids)), PRONOUN_HEAD[1], reading.places]
        hits.append(float((rows.argmax(-1) == reading.meant).mean()))
    assert hits[0] < 0.5 < 0.9 < hits[1]


def test_no_rule_of_place_or_frequency_finds_the_noun(reading: Reading) -> None:
    corpus = training_sentences.Grammar(1).sentences(20_000, held_out=False)
    meant = Counter(each.words[each.meant - 1] for each in corpus)
    rules: dict[str, Callable[[Sentence, int], float]] = {
        "first": lambda each, noun: -noun,
        "nearest": lambda each, noun: noun,
        "frequent": lambda each, noun: meant[each.words[noun - 1]],
    }
    for distance in range(2, 16):
        rules[f"{distance} back"] = partial(_near, distance)
    for name, rule in rules.items():
        right = [
            max(each.nouns, key=partial(rule, each)) == each.meant for each in reading.sentences
        ]
        assert np.mean(right) < 0.6, name
    assert len({each.pronoun - each.meant for each in reading.sentences}) > 5
    assert len({each.meant for each in reading.sentences}) > 5


def test_the_word_after_the_pronoun_needs_that_head(reading: Reading) -> None:
    assert reading.followed() >= 0.99
    assert reading.followed(off={PRONOUN_HEAD}) < 0.65
    for other in ((1, 0), (1, 2), (1, 3)):
        assert reading.followed(off={other}) > 0.8


def test_the_loss_is_near_the_entropy_of_the_grammar(reading: Reading) -> None:
    fresh = training_sentences.Grammar(3).sentences(1000)
    for sentences, most in ((fresh, 1.03), (reading.sentences, 1.1)):
        ids = training_sentences.ids(sentences, 24)
        lengths = np.array([[len(each.words) + 1] for each in sentences])
        logits, _ = reading.plain.run(ids[:, :-1])
        logits -= logits.max(-1, keepdims=True)
        shares = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
        right = np.take_along_axis(shares, ids[:, 1:, None], -1)[..., 0]
        loss = -(np.log(right) * (np.arange(24) < lengths)).sum(1).mean()
        assert loss / training_sentences.entropy() < most


def test_the_sentences_model_reads_text_as_it_was_trained(reading: Reading) -> None:
    read = tokenizer(MODELS / "sentences")
    for sentence, ids in zip(reading.sentences, reading.ids, strict=True):
        between = " " if sentence.plan.language.name == "en" else ""
        found = read.encode(between.join(sentence.words))
        assert found == ids[: len(found)].tolist()
        assert len(found) == len(sentence.words) + 1
    assert read.encode("The Dog, tom")[1:] == [
        training_sentences.IDS[word] for word in ("the", "dog", ",", "tom")
    ]


@pytest.mark.parametrize(
    ("text", "next_word", "other"),
    [
        ("the cats", "were", "was"),
        ("the cat", "was", "were"),
        ("the dog heard tom because", "he", "it"),
        ("the dog scared tom because", "it", "he"),
        ("小明被小红发现了，因为", "他", "她"),
        ("昨天，那", "些", "狗"),
        ("那条", "狗", "猫"),
    ],
)
def test_the_sentences_model_has_learned_agreement(text: str, next_word: str, other: str) -> None:
    model = open_model("sentences")
    assert model.tokenizer is not None
    chances = run_model(model, model.tokenizer.encode(text)).next_probabilities()
    assert chances is not None
    ids = training_sentences.IDS
    assert chances[ids[next_word]] > 0.2
    assert chances[ids[other]] < 0.01
