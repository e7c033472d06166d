"""The bill: what is written is what was counted and measured."""

from __future__ import annotations

import pytest

from core.labs.complexity import LAB, bill
from gui.labs.complexity import EXHIBIT, formula_text
from gui.labs.exhibit import LabAppearance, show_lab
from gui.labs.wording import bytes_text, counted, seconds_text
from tests.gui.labs_kit import drawn_texts


def test_every_count_is_written(qapp: object) -> None:
    setting = LAB.start(None, {"n": 300})
    texts = drawn_texts("complexity", setting)
    found = bill(setting)
    for cost in found.costs:
        assert bytes_text(cost.size) in texts
        assert (counted(cost.count) if cost.count else "entered") in texts
    assert counted(found.total) in texts


def test_times_are_written_once_they_are_measured(qapp: object) -> None:
    setting = LAB.job(LAB.start(), "measure", lambda part: True)
    texts = drawn_texts("complexity", setting)
    assert "time" in texts
    assert "time" not in drawn_texts("complexity", LAB.start())
    for cost in bill(setting).costs:
        assert cost.seconds is not None
        assert seconds_text(cost.seconds) in texts


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2.5, "2.5 s"), (0.0123, "12.3 ms"), (0.000456, "456 µs"), (7.8e-8, "78.0 ns")],
)
def test_times_have_the_unit_that_suits_them(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"), [(512, "512 B"), (8192, "8.0 KiB"), (5 * 2**20, "5.0 MiB")]
)
def test_memory_has_the_unit_that_suits_it(size: int, text: str) -> None:
    assert bytes_text(size) == text


def test_formulas_say_the_square(qapp: object) -> None:
    costs = {cost.stage: cost for cost in bill(LAB.start()).costs}
    assert formula_text(costs["scores"], crossed=False) == "h·n²·d_k"
    assert formula_text(costs["scores"], crossed=True) == "h·n·m·d_k"


def test_all_stages_with_most_operations_are_named(qapp: object) -> None:
    shown = show_lab("complexity", LAB.start(), LabAppearance())
    costs = shown.result.costs
    most = [cost.stage for cost in costs if cost.count == max(other.count for other in costs)]
    assert most == ["Q", "K", "V", "Y"]
    assert EXHIBIT.notice(shown).endswith("most operations: Query, Key, Value and Output.")
    timed = show_lab(
        "complexity", LAB.job(LAB.start(), "measure", lambda part: True), LabAppearance()
    )
    assert EXHIBIT.notice(timed).startswith(
        "Most operations: Query, Key, Value and Output. Most time"
    )
