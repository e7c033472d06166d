"""The base and the skipped maximum in setup, words, formulas and sums; exact fractions in worked sums."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import SOFTMAX_BASES, Document, Pin, Softmax
from core.document.edits import with_pin
from core.explain.derivation import derive, derive_lead
from core.explain.timeline import Cursor, Reach
from core.stages.terms import Block
from core.storage.archive import load
from core.storage.examples import load_example
from gui.dialogs.preferences import PreferencesDialog
from gui.painting.formulas import formula
from gui.session.preferences import load_preferences, save_preferences
from gui.session.session import Session
from gui.session.state import Preferences, State
from gui.texts.names import symbol
from gui.texts.next_step import next_stage_line, path_line
from gui.texts.rich_text import Line
from gui.texts.stage_texts import meaning, softmax_note
from gui.texts.sum_style import SumStyle, fraction_of, fraction_text
from gui.texts.sums import worked_sum
from gui.texts.translation import use_language
from gui.views.diagram.labels import arrow_label, card_symbol
from gui.views.stage.operation import Operator, target
from gui.views.stage.operation_builder import operation
from gui.views.tables.setup import SetupPage, SoftmaxSection
from tests.gui.stage_kit import image_of, make_view, session_at
from tests.gui.tables_kit import follow, make_document, make_session, undo_name

POWERS = load(
    Path(__file__).parents[1] / "golden" / "format-1-softmax.attn.json"
)  # base 2, nothing subtracted
Key = Qt.Key


def flat(line: Line) -> str:
    parts = {0: "{}", 1: "^{}", -1: ""}
    return "".join(parts[span.level].format(span.text) for span in line)


# Setup


def section_of(qtbot: QtBot, session: Session) -> SoftmaxSection:
    section = SoftmaxSection(session)
    follow(qtbot, session, section)
    return section


def test_every_base_can_be_chosen_and_undone(qtbot: QtBot) -> None:
    session = make_session()
    section = section_of(qtbot, session)
    assert section.base.currentText() == "e"
    for base in SOFTMAX_BASES[1:]:
        section.base.setFocus()
        qtbot.keyClick(section.base, Key.Key_Down)
        assert session.state.document.softmax == Softmax(base)
        assert undo_name(session) == f"Softmax with base {base}"
    for base in reversed(SOFTMAX_BASES[:-1]):
        session.undo_stack.undo()
        assert session.state.document.softmax == Softmax(base)
        assert section.base.currentText() == base


def test_the_maximum_is_skipped_by_a_click_and_by_space(qtbot: QtBot) -> None:
    session = make_session()
    section = section_of(qtbot, session)
    qtbot.mouseClick(
        section.shift, Qt.MouseButton.LeftButton, pos=QPoint(8, section.shift.height() // 2)
    )
    assert session.state.document.softmax == Softmax("e", False)
    assert session.state.trace.plan["exp"].lead == ""
    assert undo_name(session) == "Do not subtract the maximum"
    qtbot.keyClick(section.shift, Key.Key_Space)
    assert session.state.document.softmax == Softmax()
    assert undo_name(session) == "Subtract the maximum"
    session.undo_stack.undo()
    assert not section.shift.isChecked()
    assert session.undo_stack.index() == 1


def test_it_is_part_of_the_setup_and_named_in_both_languages(qtbot: QtBot) -> None:
    session = make_session()
    page = SetupPage(session)
    follow(qtbot, session, page)
    section = page.softmax
    assert section.base.accessibleName() == "Base"
    assert section.shift.accessibleName() == section.shift.text() == "Subtract the row maximum"
    session.set_language("zh_CN")
    assert section.base.accessibleName() == "底数"
    assert section.shift.text() == "减去行最大值"
    session.set_preferences(columns=True)
    assert section.shift.text() == "减去列最大值"
    session.set_language("en")


@pytest.mark.parametrize(
    ("base", "limit", "factor"),
    [("2", 1024, "0.6931"), ("3", 646, "1.0986"), ("10", 308, "2.3026")],
)
def test_the_note_says_what_changes(base: str, limit: int, factor: str) -> None:
    assert f"ln {base} = {factor}" in softmax_note(Softmax(base))
    assert str(limit) in softmax_note(Softmax(base, False))
    assert "ln" not in softmax_note(Softmax())
    assert "709" in softmax_note(Softmax("e", False))


def test_a_cursor_at_a_maximum_goes_on_when_there_is_none(qtbot: QtBot) -> None:
    session = make_session()
    session.go_to(Cursor("exp", 1, 2, 0, Reach.LEAD))
    session.change(lambda d: d.with_(softmax=Softmax("2", False)), text="Softmax")
    assert session.state.cursor == Cursor("exp", 1, 2, 0, Reach.ROW)
    session.step(1)
    assert session.state.cursor.stage in ("exp", "weights")


# Words and formulas


def words(softmax: Softmax) -> tuple[str, ...]:
    document = make_document(softmax=softmax)
    plan = run(document).plan
    return (
        card_symbol(document, "exp"),
        arrow_label(document, plan, "scaled", plan["exp"]),
        symbol("exp", document),
        meaning(document, "exp").title.split(" ")[0],
        formula(document, "exp"),
    )


def test_names_follow_the_base_and_the_shift() -> None:
    assert words(Softmax()) == (
        "exp",
        "exp",
        "exp",
        "eˢ⁻ᵐᵃˣ",
        r"E_{ij} = e^{\,s_{ij} - \max\, s_{i}}",
    )
    assert words(Softmax("2")) == (
        "2ˣ",
        "2ˣ",
        "2ˣ",
        "2ˢ⁻ᵐᵃˣ",
        r"E_{ij} = 2^{\,s_{ij} - \max\, s_{i}}",
    )
    assert words(Softmax("10", False)) == ("10ˣ", "10ˣ", "10ˣ", "10ˢ", r"E_{ij} = {10}^{\,s_{ij}}")
    assert words(Softmax("e", False))[3:] == ("eˢ", r"E_{ij} = e^{\,s_{ij}}")


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_sentences_name_the_base_and_the_maximum_only_where_it_is_taken_off(language: str) -> None:
    use_language(language)
    maximum = {"en": "maximum", "zh_CN": "最大值"}[language]
    for softmax in (Softmax("3"), Softmax("3", False), Softmax("e"), Softmax("e", False)):
        document = make_document(softmax=softmax)
        for text in (
            meaning(document, "exp").sentence,
            flat(next_stage_line(document, run(document), "scaled")),
        ):
            assert softmax.base in text
            assert (maximum in text) == softmax.shift
    use_language("en")


def state_of(document: Document, column: int = 2) -> State:
    return session_at(document, "exp", 0, column, Reach.CELL).state


def signs(document: Document) -> list[str]:
    state = state_of(document)
    items = operation(state, target(state)).items
    return [f"{item.text}{item.above}" if isinstance(item, Operator) else "#" for item in items]


def test_the_operation_has_no_column_of_maxima_where_none_is_taken_off() -> None:
    assert signs(POWERS) == ["#", "→2ˣ", "#"]
    assert signs(POWERS.with_(softmax=Softmax("10"))) == ["#", "−", "#", "→10ˣ", "#"]
    assert signs(POWERS.with_(softmax=Softmax())) == ["#", "−", "#", "→eˣ", "#"]


def test_a_power_is_fed_by_its_own_score_or_with_the_maximum_by_the_row() -> None:
    block = Block("exp", (1, 2), (2, 3))
    for shift, columns in ((False, (2, 3)), (True, (0, 3))):
        document = POWERS.with_(softmax=Softmax("2", shift))
        stage = run(document).plan["exp"]
        (found,) = stage.kind.dependencies(document, stage, block, 0)
        assert (found.stage_id, found.rows, found.columns) == ("scores", (1, 2), columns)


# Sums and roads


def sum_of(document: Document, cell: Cell, decimals: int = 2) -> str:
    return flat(worked_sum(SumStyle(document, decimals), derive(document, run(document), cell)))


def test_powers_written_out() -> None:
    cell = Cell("exp", 2, 2)
    assert sum_of(POWERS, cell) == "2^3.00 = 8.00"
    assert (
        sum_of(POWERS.with_(softmax=Softmax("2")), Cell("exp", 2, 1))
        == "2^1.00 − 3.00 = 2^−2.00 = 0.25"
    )
    assert (
        sum_of(POWERS.with_(softmax=Softmax("2")), Cell("exp", 2, 0))
        == "2^0.00 − 3.00 = 2^−3.00 ≈ 0.12"
    )
    assert (
        sum_of(POWERS.with_(softmax=Softmax("2")), Cell("exp", 2, 0), 3)
        == "2^0.000 − 3.000 = 2^−3.000 = 0.125"
    )
    assert sum_of(POWERS.with_(softmax=Softmax("e", False)), cell) == "e^3.00 ≈ 20.09"
    assert sum_of(POWERS.with_(softmax=Softmax("e", False)), Cell("exp", 2, 0)) == "e^0.00 = 1.00"


def test_a_masked_score_gives_nothing_in_every_base() -> None:
    for base in SOFTMAX_BASES:
        document = load_example("four-words-causal").with_(softmax=Softmax(base, False))
        assert sum_of(document, Cell("exp", 0, 2)) == f"{base}^−∞ = 0.00"


def test_rows_that_overflow_are_drawn_and_still_sum_to_1() -> None:
    document = POWERS.with_(pins=tuple(Pin("scores", (0, 0, column), 2e3) for column in (0, 1)))
    assert run(document)["weights"][0, 0, :2].tolist() == [0.5, 0.5]
    for stage in ("exp", "weights", "heads", "Y"):
        for reach in (Reach.WHOLE, Reach.CELL):
            state = session_at(document, stage, 0, 1, reach).state
            assert not image_of(state).isNull()


def test_a_power_beyond_all_doubles_is_no_trouble() -> None:
    document = POWERS.with_(pins=(Pin("scores", (0, 0, 0), 1e300),))
    assert sum_of(document, Cell("exp", 0, 0)).startswith("2^1.00×10³⁰⁰ ≈ 1.80×10³⁰⁸")


def test_the_road_with_and_without_the_maximum() -> None:
    line = path_line(POWERS, run(POWERS), Cursor("weights"), Cell("weights", 0, 2), 1)
    assert flat(line) == "QKᵀ = 2.0 → 2^2.0 = 4.0 → row's sum = 7.0 → ÷ 7.0 ≈ 0.6"
    early = flat(path_line(POWERS, run(POWERS), Cursor("scores"), Cell("scores", 0, 2), 1))
    assert early == "QKᵀ = 2.0 → next: 2ˣ → row's sum → ÷ row's sum"


# Fractions


def fraction(document: Document, cell: Cell) -> Fraction | None:
    return fraction_of(document, derive(document, run(document), cell))


def exact_sum(document: Document, cell: Cell, decimals: int = 2) -> str:
    step = derive(document, run(document), cell)
    return flat(
        worked_sum(SumStyle(document, decimals, fraction=fraction_of(document, step)), step)
    )


def test_the_exact_fraction_stands_before_the_rounded_number() -> None:
    assert exact_sum(POWERS, Cell("weights", 0, 2)) == "a = 4.00 ÷ 7.00 = 4/7 ≈ 0.57"
    assert exact_sum(POWERS, Cell("weights", 1, 2)) == "a = 2.00 ÷ 4.00 = 1/2 = 0.50"
    assert exact_sum(POWERS, Cell("heads", 0, 2)).endswith("= 0.14 + 0.29 + 1.71 ≈ 15/7 ≈ 2.14")
    assert exact_sum(POWERS, Cell("exp", 2, 2)) == "2^3.00 = 8.00"  # whole numbers need none
    shifted = POWERS.with_(softmax=Softmax("2"))
    assert exact_sum(shifted, Cell("exp", 2, 0)) == "2^0.00 − 3.00 = 2^−3.00 = 1/8 ≈ 0.12"
    assert exact_sum(load_example("cat-eats-fish"), Cell("scores", 0, 0)).endswith(
        " = 37/50 = 0.74"
    )


def test_the_sum_of_a_row_has_a_fraction_and_so_has_its_maximum() -> None:
    document = POWERS.with_(softmax=Softmax("2"))
    trace = run(document)
    step = derive_lead(document, trace, "weights", 2)
    assert fraction_of(document, step) == Fraction(11, 8)
    assert flat(worked_sum(SumStyle(document, 2, fraction=Fraction(11, 8)), step)).endswith(
        " ≈ 11/8 ≈ 1.38"
    )
    half = with_pin(document, Cell("scores", 0, 2), 2.5)
    assert fraction_of(half, derive_lead(half, run(half), "exp", 0)) == Fraction(5, 2)


def test_no_fraction_where_there_is_none_that_helps() -> None:
    assert fraction(POWERS, Cell("Q", 0, 0)) is None  # entered
    assert fraction(POWERS, Cell("exp", 0, 2)) is None  # whole
    assert fraction(POWERS.with_(softmax=Softmax()), Cell("weights", 0, 0)) is None  # irrational
    assert (
        fraction(with_pin(POWERS, Cell("weights", 0, 0), 0.5), Cell("weights", 0, 0)) is None
    )  # pinned
    assert fraction(with_pin(POWERS, Cell("scores", 0, 0), 1.23456), Cell("Y", 0, 0)) is None
    long = with_pin(POWERS, Cell("exp", 0, 0), 1.234567)
    assert fraction(long, Cell("weights", 0, 0)) is None  # seven digits
    assert fraction(with_pin(POWERS, Cell("exp", 0, 0), -1.5), Cell("weights", 0, 0)) == Fraction(
        -1, 3
    )
    assert fraction_text(Fraction(-1, 3)) == "−1/3"


def test_a_preference_shows_them_in_the_stage_view(qtbot: QtBot) -> None:
    session = session_at(POWERS, "weights", 0, 2, Reach.CELL)
    view = make_view(qtbot, session)

    def card() -> str:
        return flat(tuple(span for row, _ in view.scene().card.rows for span in row.spans))

    assert "4/7" not in card()
    session.set_preferences(fractions=True)
    assert "= 4/7 ≈ 0.57" in card()
    session.set_preferences(fractions=False)
    assert "4/7" not in card()


def test_a_result_that_is_asked_for_has_no_fraction() -> None:
    step = derive(POWERS, run(POWERS), Cell("weights", 0, 2))
    line = flat(worked_sum(SumStyle(POWERS, 2, hidden=True, fraction=Fraction(4, 7)), step))
    assert "4/7" not in line
    assert line.endswith("?")


def test_the_box_in_the_preferences(qtbot: QtBot, qapp: QApplication) -> None:
    session = Session(POWERS, Preferences())
    dialog = PreferencesDialog(session)
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.fractions.isChecked()
    qtbot.keyClick(dialog.fractions, Key.Key_Space)
    assert session.state.preferences.fractions is True
    session.set_preferences(fractions=False)
    assert not dialog.fractions.isChecked()
    session.set_language("zh_CN")
    assert dialog.fractions.text() == "尽可能用精确分数"
    session.set_language("en")


def test_the_preference_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_STEPPER_HOME", str(tmp_path))
    save_preferences(replace(Preferences(), fractions=True))
    assert load_preferences().fractions is True
    (tmp_path / "preferences.json").write_text('{"fractions": "yes"}')
    assert load_preferences().fractions is False
