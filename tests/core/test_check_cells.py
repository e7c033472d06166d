"""Slips inside one number: sign, point, digits, and one wrong product of a sum."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from core.check.marking import check
from core.check.report import Mistake
from core.compute.trace import run
from tests.core.check_kit import experiment, found, not_right, tensor, written


def spoilt(
    seed: int, stage: str, index: tuple[int, ...], change: float, decimals: int = 3
) -> list[Mistake]:
    """The slips named when one number of a stage is off by `change`, everything else right."""
    document = experiment(seed, 2, 3)
    values = run(document)[stage].copy()
    values[index] += change
    report = check(document, {stage: written(values, decimals)})
    assert not_right(report, stage) == {index}
    assert all(slip.cells == (index,) for slip in report.mistakes)
    return list(report.mistakes)


def factors(seed: int, stage: str, index: tuple[int, ...]) -> list[tuple[float, float]]:
    """The factors of each term, straight from the matrices."""
    document = experiment(seed, 2, 3)
    trace = run(document)
    head, row, column = index
    if stage == "scores":
        pairs = zip(trace["Q"][head, row], trace["K"][head, column], strict=True)
    elif stage == "V":
        pairs = zip(trace["X"][row], tensor(document, "W_V", head)[:, column], strict=True)
    else:
        pairs = zip(trace["weights"][head, row], trace["V"][head, :, column], strict=True)
    return [(float(a), float(b)) for a, b in pairs]


SEEMS: dict[str, Callable[[float, float], float]] = {
    "omitted": lambda a, b: 0.0,
    "sign": lambda a, b: -a * b,
    "doubled": lambda a, b: 2 * a * b,
    "added": lambda a, b: a + b,
    "factor": lambda a, b: a,
    "point": lambda a, b: 10 * a * b,
}


@pytest.mark.parametrize(
    ("stage", "index"),
    [("scores", (1, 3, 2)), ("scores", (0, 4, 0)), ("V", (1, 2, 3)), ("heads", (0, 1, 2))],
)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("how", SEEMS)
def test_one_wrong_product_is_named_with_its_term(
    seed: int, stage: str, index: tuple[int, ...], how: str
) -> None:
    """The slip is done at the term where it shows most."""
    pairs = factors(seed, stage, index)
    changes = [SEEMS[how](a, b) - a * b for a, b in pairs]
    term = int(np.argmax(np.abs(changes)))
    (slip,) = spoilt(seed, stage, index, changes[term], decimals=4)
    assert slip.id == "cell.term"
    assert (slip.data["how"], slip.data["term"]) == (how, term)
    assert slip.data["factors"] == pytest.approx(pairs[term])
    assert slip.data["seems"] == pytest.approx(SEEMS[how](*pairs[term]))


@pytest.mark.parametrize("seed", range(6))
def test_a_factor_from_the_row_beside_is_named(seed: int) -> None:
    index, term = (1, 3, 2), 1
    document = experiment(seed, 2, 3)
    Q, K = run(document)["Q"], run(document)["K"]
    wrong = Q[1, 3, term] * K[1, 3, term]
    change = wrong - Q[1, 3, term] * K[1, 2, term]
    (slip,) = spoilt(seed, "scores", index, change, decimals=4)
    assert slip.id == "cell.term"
    cell = slip.data["cell"]
    assert (slip.data["how"], slip.data["term"]) == ("misread", term)
    assert (cell.tensor, cell.head, cell.row, cell.column) == ("K", 1, 3, term)


@pytest.mark.parametrize("seed", range(3))
def test_a_sum_off_by_anything_else_is_said_without_a_guess(seed: int) -> None:
    (slip,) = spoilt(seed, "scores", (0, 2, 2), 0.3217, decimals=4)
    assert slip.id == "cell.sum"
    assert slip.data["off"] == pytest.approx(0.3217, abs=1e-4)


def test_what_no_known_slip_explains_is_told_by_its_step() -> None:
    document = experiment(4, 2, 3)
    trace = run(document)
    values = trace["weights"].copy()
    values[0, 1] += 0.0437
    work = {"scaled": written(trace["scaled"], 3), "weights": written(values, 3)}
    report = check(document, work)
    cells = {(0, 1, column) for column in range(5)}
    assert (
        found(report, "weights")
        == {"cell.step": cells}
        == {"cell.step": not_right(report, "weights")}
    )
    (mistake,) = report.mistakes
    assert mistake.data == {"stage": "scaled"}
    alone = check(document, {"weights": work["weights"]})
    assert alone.mistakes == ()


@pytest.mark.parametrize("stage", ["Q", "scores", "scaled", "heads"])
def test_signs_points_and_digits(stage: str) -> None:
    document = experiment(4, 2, 3)
    values = run(document)[stage]
    places = [tuple(place) for place in np.argwhere(np.abs(values) > 0.3).tolist()]
    texts = np.array(written(values, 3), dtype=object)
    signed, shifted = places[0], places[-1]
    texts[signed] = f"{-values[signed]:.3f}"
    texts[shifted] = f"{values[shifted] / 10:.4f}"
    cells = found(check(document, {stage: texts}), stage)
    assert cells == {"cell.sign": {signed}, "cell.decimal_point": {shifted}}


def test_two_digits_written_the_wrong_way_round() -> None:
    document = experiment(4, 2, 3)
    values = run(document)["weights"]
    texts = np.array(written(values, 3), dtype=object)
    for place in map(tuple, np.argwhere(values > 0.1).tolist()):
        text = texts[place]
        if abs(int(text[2]) - int(text[3])) >= 2:
            texts[place] = text[:2] + text[3] + text[2] + text[4]
            break
    assert found(check(document, {"weights": texts}), "weights") == {"cell.digits_swapped": {place}}


@pytest.mark.parametrize("stage", ["weights", "exp", "scaled"])
@pytest.mark.parametrize("seed", range(20))
def test_noise_is_not_explained(stage: str, seed: int) -> None:
    """Numbers that no slip has made: none is claimed for whole rows or more."""
    document = experiment(seed, 1, 2)
    rng = np.random.default_rng(seed)
    values = run(document)[stage] + rng.uniform(0.03, 0.4, size=(1, 5, 5))
    report = check(document, {stage: written(values, 2)})
    assert not {slip.id.partition(".")[0] for slip in report.mistakes} - {"cell", "digits"}


def test_a_guess_in_whole_numbers_is_not_explained() -> None:
    report = check(experiment(2, 1, 2), {"weights": [written(np.eye(5), 0)]})
    assert report.count("wrong") > 5
    assert report.mistakes == ()
