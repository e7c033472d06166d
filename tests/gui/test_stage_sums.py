"""The worked sums are read back from their pieces, like a reader with a pencil, and recomputed with fractions."""

from __future__ import annotations

import ast
import math
import operator as op
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from core.base.cell import Cell
from core.base.number_format import show
from core.compute.trace import Trace, run
from core.document.document import Document, Scale
from core.document.edits import with_cell, with_pin
from core.explain import timeline as cursors
from core.explain.derivation import Factor, Step, Term, derive, derive_lead
from core.explain.timeline import Cursor, Reach
from core.storage.examples import load_example
from gui.painting.formulas import formula
from gui.texts.names import ROLES
from gui.texts.next_step import next_stage_line, path_line
from gui.texts.rich_text import Line, Span
from gui.texts.stage_texts import meaning
from gui.texts.sum_style import SumStyle, largest_terms, product
from gui.texts.sums import pinned_row_note, worked_sum
from gui.texts.translation import use_language
from tests.core.documents import make

Number = Fraction | float
EXPERIMENTS = [
    {},
    {"biases": True, "output": True, "off": (1,)},
    {"positional": "sinusoidal", "mask": "causal"},
    {"positional": "learned", "mask": "window", "scale": "none", "output": True},
    {"positional": "rotary", "mask": "custom", "scale": "factor"},
    {"positional": "alibi", "slopes": True, "source": "qkv"},
    {"sizes": {"n": 4, "d": 5, "h": 1, "k": 1, "v": 3}, "mask": "custom"},
    {"sizes": {"n": 4, "d": 5, "h": 2, "k": 3, "v": 1}, "positional": "rotary"},
    {"base": "2", "shift": False, "mask": "custom", "source": "qkv"},
    {"base": "10", "mask": "causal"},
    {"shift": False, "mask": "causal", "source": "qkv"},
]
SIGNS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: op.add,
    ast.Sub: op.sub,
    ast.Mult: op.mul,
    ast.Div: op.truediv,
}
POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
FUNCTIONS: dict[str, Callable[..., float]] = {"sin": math.sin, "cos": math.cos}


def flat(line: Line) -> str:
    """The line as text; what is raised is a power, what is lowered an index that does not count."""
    parts = {0: lambda s: s.text, 1: lambda s: f"**({s.text})", -1: lambda s: ""}
    return "".join(parts[span.level](span) for span in line)


def segments(line: Line) -> list[tuple[str, Line]]:
    """What stands between the equals signs, each with the sign before it."""
    found: list[tuple[str, list[Span]]] = [("", [])]
    for span in line:
        if span.text in (" = ", " ≈ "):
            found.append((span.text.strip(), []))
        else:
            found[-1][1].append(span)
    return [(sign, tuple(spans)) for sign, spans in found]


def value(text: str) -> Number:
    """What a segment comes to: a fraction while it can be, so that equal means equal."""
    plain = (
        text.replace("×", "*")
        .replace("÷", "/")
        .replace("−", "-")
        .replace("∞", "inf")
        .replace("·", "*")
    )
    plain = re.sub(r"\*10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", lambda power: "e" + power[1].translate(POWERS), plain)
    plain = re.sub(r"\|(.*?)\|", r"abs(\1)", plain)
    return of(ast.parse(plain.strip(), mode="eval").body)


def of(node: ast.expr) -> Number:
    if isinstance(node, ast.Constant):
        return Fraction(str(node.value))
    if isinstance(node, ast.Name):
        return {"e": math.e, "inf": math.inf}[node.id]
    if isinstance(node, ast.UnaryOp):
        return -of(node.operand)
    if isinstance(node, ast.Call):
        return called(node)
    assert isinstance(node, ast.BinOp)
    left, right = of(node.left), of(node.right)
    if isinstance(node.op, ast.Pow):
        return float(float(left) ** float(right))
    if math.inf in (abs(left), abs(right)):
        left, right = float(left), float(right)
    result: Number = SIGNS[type(node.op)](left, right)
    return result


def called(node: ast.Call) -> Number:
    assert isinstance(node.func, ast.Name)
    arguments = [of(argument) for argument in node.args]
    if node.func.id == "max":
        return sorted(arguments, key=float)[-1]
    if node.func.id == "abs":
        return -arguments[0] if arguments[0] < 0 else arguments[0]
    return FUNCTIONS[node.func.id](float(arguments[0]))


def numeric(line: Line) -> list[tuple[str, Number]]:
    """The segments that are numbers alone; letters have an index below them, angles a name."""
    return [
        (sign, value(flat(part)))
        for sign, part in segments(line)
        if not any(span.level == -1 or "θ" in span.text for span in part)
    ]


def cells(trace: Trace, stage_id: str) -> list[Cell]:
    array = trace[stage_id]
    heads = range(array.shape[0]) if array.ndim == 3 else range(1)
    rows, columns = array.shape[-2:]
    return [
        Cell(stage_id, i, j, head) for head in heads for i in range(rows) for j in range(columns)
    ]


@pytest.mark.parametrize("options", EXPERIMENTS, ids=str)
def test_every_sum_comes_to_its_number(options: dict[str, object]) -> None:
    document = make(7, **options)  # type: ignore[arg-type]
    trace = run(document)
    sheet = SumStyle(document, 6)
    for stage in trace.plan:
        for cell in cells(trace, stage.id):
            line = worked_sum(sheet, derive(document, trace, cell))
            numbers = numeric(line)
            assert numbers, flat(line)
            for _, number in numbers:
                assert_close(number, trace.value(cell), flat(line))


def assert_close(number: Number, wanted: float, text: str) -> None:
    if math.isinf(wanted):
        assert number == wanted, text
    else:
        assert abs(float(number) - wanted) <= 3e-5 * max(1.0, abs(wanted)), text


@pytest.mark.parametrize("options", EXPERIMENTS, ids=str)
@pytest.mark.parametrize("decimals", [0, 2, 3])
def test_an_equals_sign_is_never_a_lie_nor_an_approximation_too_modest(
    options: dict[str, object], decimals: int
) -> None:
    document = make(3, **options)  # type: ignore[arg-type]
    trace = run(document)
    seen = {"=": 0, "≈": 0}
    for stage in trace.plan:
        for cell in cells(trace, stage.id)[:20]:
            line = worked_sum(SumStyle(document, decimals), derive(document, trace, cell))
            numbers = numeric(line)
            for (_, before), (sign, after) in pairwise(numbers):
                if isinstance(before, Fraction) and isinstance(after, Fraction):
                    seen[sign] += 1
                    if sign == "=":
                        assert before == after, flat(line)
                    elif not products_only(line):
                        assert before != after, flat(line)
    assert seen["="] > 0
    assert seen["≈"] > 0


def products_only(line: Line) -> bool:
    """Products that are each a little off may still add up by chance."""
    return flat(line).count("×") > 1


def test_the_first_example_word_for_word() -> None:
    document = load_example("cat-eats-fish")
    trace = run(document)
    line = worked_sum(SumStyle(document, 2), derive(document, trace, Cell("scores", 1, 2)))
    assert flat(line) == "q·k = 0.50×0.80 + 0.50×0.20 = 0.40 + 0.10 = 0.50"
    assert [span.text for span in line if span.level == -1] == ["吃", "鱼"]
    roles = [span.role for span in line if span.text in ("0.80", "0.20")]
    assert roles == ["key", "key"]
    assert [span.role for span in line if span.text == "0.50"] == ["query", "query", "result"]


def test_what_is_not_exact_says_so() -> None:
    document = load_example("cat-eats-fish")
    trace = run(document)
    scaled = flat(worked_sum(SumStyle(document, 2), derive(document, trace, Cell("scaled", 1, 2))))
    assert scaled == "s ÷ √2 = 0.50 ÷ 1.41 ≈ 0.35"
    weight = flat(worked_sum(SumStyle(document, 2), derive(document, trace, Cell("weights", 1, 2))))
    assert weight == "a = 1.00 ÷ 3.00 ≈ 0.33"


def test_negative_factors_stand_in_brackets_and_negative_products_are_taken_away() -> None:
    document = with_cell(load_example("cat-eats-fish"), Cell("Q", 1, 1), -0.5)
    line = worked_sum(SumStyle(document, 2), derive(document, run(document), Cell("scores", 1, 2)))
    assert flat(line) == "q·k = 0.50×0.80 + (−0.50)×0.20 = 0.40 − 0.10 = 0.30"


@pytest.mark.parametrize("stage_id", ["Q", "K", "V", "scores", "heads", "Y"])
def test_factors_wear_the_roles_of_where_they_stand(stage_id: str) -> None:
    document = make(1, output=True)
    step = derive(document, run(document), Cell(stage_id, 1, 1, 1 if stage_id != "Y" else 0))
    line = worked_sum(SumStyle(document, 4), step)
    equals = [i for i, span in enumerate(line) if span.text in (" = ", " ≈ ")]
    products = [span for span in line[equals[0] + 1 : equals[1]] if span.role != "operator"]
    wanted = [
        ROLES.get(part.cell.tensor, "plain")
        for term in step.terms
        for part in term.factors
        if part.cell
    ]
    assert [span.role for span in products] == wanted


SIZES = [0.5, 0.0, 3.0, 0.1, 3.0]


@pytest.mark.parametrize(
    ("most", "wanted"),
    [(None, (0, 1, 2, 3, 4)), (5, (0, 1, 2, 3, 4)), (3, (0, 2, 4)), (2, (2, 4)), (1, (2,))],
)
def test_the_largest_terms_are_kept_in_their_order(
    most: int | None, wanted: tuple[int, ...]
) -> None:
    assert largest_terms(SIZES, most) == wanted


def test_a_long_sum_writes_its_largest_products() -> None:
    document = load_example("eight-heads")
    trace = run(document)
    step = derive(document, trace, Cell("Q", 7, 5, 3))
    assert len(step.terms) == 64
    text = flat(worked_sum(SumStyle(document, 2, most=6), step))
    assert text.count("58 more terms") == 1
    assert "…" not in text
    assert text.count("×") == 6
    assert re.search(r" \+ 58 more terms [=≈] −?[\d.]+$", text)
    largest = sorted(step.terms, key=lambda term: -abs(term.value))[:6]
    for term in largest:
        assert flat(product(SumStyle(document, 2), term)) in text


def test_the_one_product_that_matters_is_written() -> None:
    """Eight products, seven of them 0: a shortened sum shows the eighth."""
    document = make(1, sizes={"n": 3, "d": 8, "h": 1, "k": 2, "v": 2})
    for column in range(8):
        document = with_cell(document, Cell("X", 1, column), 0.81 if column == 5 else 0.0)
    document = with_cell(document, Cell("W_Q", 5, 0), -1.0)
    text = flat(
        worked_sum(SumStyle(document, 2, most=2), derive(document, run(document), Cell("Q", 1, 0)))
    )
    assert "0.81×(−1.00)" in text
    assert text.endswith("= −0.81")


def test_a_rotated_pair_keeps_the_signs_of_the_formula() -> None:
    """At position 0 sin θ is 0, elsewhere it may be negative: what is taken away stays taken away."""
    document = make(4, positional="rotary", sizes={"n": 5, "d": 6, "h": 3, "k": 2, "v": 4})
    document = with_cell(with_cell(document, Cell("X", 0, 0), 1.0), Cell("X", 4, 0), 1.0)
    trace = run(document)
    for row in range(5):  # sin 4 < 0
        for column, sign in ((0, "−"), (1, "+")):
            step = derive(document, trace, Cell("Q_rot", row, column, 1))
            letters, numbers = (
                flat(part) for _, part in segments(worked_sum(SumStyle(document, 3), step))[1:3]
            )
            assert re.search(rf"·(cos|sin) θ {re.escape(sign)} \S+·(cos|sin) θ", letters)
            assert re.fullmatch(rf"\S+×\S+ {re.escape(sign)} \S+×\S+", numbers), numbers
    first = flat(worked_sum(SumStyle(document, 2), derive(document, trace, Cell("Q_rot", 0, 0, 1))))
    assert "×1.00 − " in first
    assert "×0.00" in first


def test_formulas_count_columns_and_pairs_from_1_as_the_matrices_do() -> None:
    """The two columns of pair p, and its exponent, as the trace has them."""
    document = make(4, positional="rotary")
    assert "q_{2p-1}" in formula(document, "Q_rot")
    assert "k_{2p}" in formula(document, "K_rot")
    assert "(p-1)" in formula(document, "Q_rot")
    wide = make(4, positional="sinusoidal")
    trace = run(wide)
    for p in (1, 2, 3):
        for t in range(5):
            angle = t / wide.positional.base ** (2 * (p - 1) / wide.d)
            assert trace["P"][t, (2 * p - 1) - 1] == pytest.approx(math.sin(angle))
            assert trace["P"][t, 2 * p - 1] == pytest.approx(math.cos(angle))
    assert "P_{t,2p-1} = \\sin" in formula(wide, "P")
    assert "^{2(p-1)/d}" in formula(wide, "P")


def test_a_number_that_would_be_zero_says_how_large_it_is() -> None:
    document = make(4, positional="alibi", slopes=True, source="qkv")
    trace = run(document)
    step = derive(document, trace, Cell("biased", 3, 2, 0))
    step = replace(step, data={"slope": 2.0**-8, "distance": 1})
    text = flat(worked_sum(SumStyle(document, 2), step))
    assert "− 0.0039×|4 − 3| = " in text
    assert text.count("− 0.0039 ") == 1


def test_a_weight_among_thousands_has_its_digits_and_agrees_with_the_tables() -> None:
    document = make(1, sizes={"n": 5, "d": 6, "h": 1, "k": 2, "v": 3})
    term = Term((Factor(0.06, Cell("exp", 0, 0)),))
    step = Step("quotient", Cell("weights", 0, 0), (term,), 0.06 / 203.92, {"total": 203.92})
    assert flat(worked_sum(SumStyle(document, 2), step)) == "a = 0.06 ÷ 203.92 ≈ 0.00029 ≈ 0.00"
    assert worked_sum(SumStyle(document, 2), step)[-1] == Span("0.00", "result")
    smaller = Step("quotient", Cell("weights", 0, 0), (term,), 0.06 / 2e6, {"total": 2e6})
    assert "= 3×10⁻⁸ ≈ 0.00" in flat(worked_sum(SumStyle(document, 2), smaller))


def test_a_hidden_result_is_asked_for_and_nowhere_written() -> None:
    document = load_example("cat-eats-fish")
    step = derive(document, run(document), Cell("scores", 0, 0))
    line = worked_sum(SumStyle(document, 2, hidden=True), step)
    assert line[-1] == Span("?", "result")
    assert "0.74" not in flat(line)


@pytest.mark.parametrize("stage", ["scores", "scaled", "exp", "weights", "heads", "Y"])
def test_the_result_of_a_pinned_cell_is_what_the_tables_show_and_the_sum_says_what_it_would_be(
    stage: str,
) -> None:
    plain = load_example("cat-eats-fish")
    document = with_pin(plain, Cell(stage, 1, 1), 7.25)
    computed, other = (
        f"{run(plain).matrix(stage)[1, 1]:.2f}",
        derive(document, run(document), Cell(stage, 0, 1)),
    )
    line = worked_sum(SumStyle(document, 2), derive(document, run(document), Cell(stage, 1, 1)))
    assert [span.text for span in line if span.role == "result"] == ["7.25"]
    assert flat(line).endswith(f" {computed}, pinned to 7.25")
    assert "pinned" not in flat(worked_sum(SumStyle(document, 2), other))
    hidden = flat(
        worked_sum(
            SumStyle(document, 2, hidden=True), derive(document, run(document), Cell(stage, 1, 1))
        )
    )
    assert hidden.endswith("= ?")
    assert not re.search("pinned|7.25", hidden)


def test_the_sub_steps_of_the_softmax() -> None:
    document = load_example("four-words-causal")
    trace = run(document)
    assert flat(worked_sum(SumStyle(document, 2), derive_lead(document, trace, "exp", 1))) == (
        "max(2.00, 0.00, −∞, −∞) = 2.00"
    )
    assert flat(worked_sum(SumStyle(document, 2), derive_lead(document, trace, "weights", 1))) == (
        "1.00 + 0.14 + 0.00 + 0.00 = 1.14"
    )


def cursor(stage: str, reach: Reach = Reach.WHOLE, row: int = 1, column: int = 1) -> Cursor:
    return Cursor(stage, 0, row, column, reach)


def test_the_road_gives_no_value_away() -> None:
    document = load_example("cat-eats-fish")
    trace = run(document)
    cell = Cell("scores", 0, 1)
    whole = flat(path_line(document, trace, cursor("weights"), cell, 2))
    assert whole == (
        "QKᵀ = 0.44 → ÷ √2 ≈ 0.31 → row's maximum = 0.52 → e**(0.31 − 0.52) ≈ 0.81 → row's sum = 2.55 → ÷ 2.55 ≈ 0.32"
    )
    early = flat(path_line(document, trace, cursor("scores"), cell, 2))
    assert early == "QKᵀ = 0.44 → next: ÷ √2 → row's maximum → exp → row's sum → ÷ row's sum"
    muted = [
        span.text
        for span in path_line(document, trace, cursor("scores"), cell, 2)
        if span.role == "muted"
    ]
    assert not any(re.search(r"\d\.\d", text) for text in muted)


def test_a_row_with_a_what_if_weight_says_what_it_adds_up_to() -> None:
    document = with_pin(load_example("cat-eats-fish"), Cell("weights", 1, 1), 0.5)
    trace, sheet = run(document), SumStyle(document, 2)
    total = sum(float(x) for x in trace["weights"][0, 1])
    assert total > 1.1
    for column in range(3):
        said = flat(pinned_row_note(sheet, trace, Cell("weights", 1, column)))
        assert said == f"its row now adds up to {total:.2f}, not 1"
    assert not pinned_row_note(sheet, trace, Cell("weights", 0, 1))
    assert not pinned_row_note(sheet, trace, Cell("exp", 1, 1))
    assert "every row adds up to 1" in meaning(load_example("cat-eats-fish"), "weights").sentence
    assert "need not add up to 1" in meaning(document, "weights").sentence
    same = with_pin(load_example("cat-eats-fish"), Cell("weights", 1, 1), 1 / 3)
    assert not pinned_row_note(SumStyle(same, 2), run(same), Cell("weights", 1, 1))


def test_a_road_with_pinned_numbers_says_nothing_false() -> None:
    """e^(4.11 − 4.11) is 1 and not what stands in its place; 0.50 ÷ 1.00 is 0.50 to the last digit."""
    document = load_example("cat-eats-fish")
    for stage, value in (("scores", 9.2), ("exp", 1.1), ("weights", 0.7)):
        document = with_pin(document, Cell(stage, 0, 0), value)
    line = path_line(document, run(document), cursor("weights"), Cell("scores", 0, 0), 2)
    assert flat(line) == (
        "QKᵀ: pinned 9.20 → ÷ √2 ≈ 6.51 → row's maximum = 6.51 → e**(6.51 − 6.51) = 1.00, pinned 1.10"
        " → row's sum = 1.10 → ÷ 1.10 = 1.00, pinned 0.70"
    )
    assert [span.text for span in line if span.role == "pinned"] == [
        "pinned 9.20",
        ", pinned 1.10",
        ", pinned 0.70",
    ]


def test_a_negative_maximum_stands_in_brackets() -> None:
    document = make(1, sizes={"n": 1, "d": 1, "h": 1, "k": 1, "v": 1}, source="qkv")
    document = with_cell(with_cell(document, Cell("Q", 0, 0), -2.0), Cell("K", 0, 0), 1.5)
    trace = run(document)
    line = flat(path_line(document, trace, cursor("exp", row=0, column=0), Cell("exp", 0, 0), 1))
    assert "e**(−3.0 − (−3.0)) = 1.0" in line
    assert "e**(−3.0 − (−3.0)) = e**(0.0) = 1.0" in flat(
        worked_sum(SumStyle(document, 1), derive(document, trace, Cell("exp", 0, 0)))
    )


def test_a_sub_step_stands_as_soon_as_the_cursor_is_in_its_row() -> None:
    document = load_example("cat-eats-fish")
    trace = run(document)
    line = flat(path_line(document, trace, cursor("exp", Reach.LEAD), Cell("exp", 1, 1), 2))
    assert "row's maximum = 0.35 → next: exp" in line
    line = flat(path_line(document, trace, cursor("exp", Reach.LEAD, row=0), Cell("exp", 1, 1), 2))
    assert "÷ √2 ≈ 0.35 → next: row's maximum" in line


@pytest.mark.parametrize("options", EXPERIMENTS, ids=str)
def test_every_stage_has_a_meaning_and_names_what_comes(options: dict[str, object]) -> None:
    document = make(2, **options)  # type: ignore[arg-type]
    trace = run(document)
    titles = set()
    for stage in trace.plan:
        english = meaning(document, stage.id)
        use_language("zh_CN")
        chinese = meaning(document, stage.id)
        use_language("en")
        assert re.search("[一-鿿]", chinese.title + chinese.sentence)
        assert len(english.sentence) < 110
        titles.add(english.title)
        assert flat(next_stage_line(document, trace, stage.id))
    assert len(titles) == len(trace.plan)
    assert flat(next_stage_line(document, trace, "Y")) == "this is the last step"


def test_meanings_follow_the_switches() -> None:
    document = make(1, mask="causal")
    assert "came before" in meaning(document, "masked").sentence
    assert meaning(document.with_(scale=Scale("factor", 0.25)), "scaled").title.startswith("× 0.25")
    entered = make(1, source="qkv")
    assert "W_Q" in meaning(document, "Q").sentence
    assert "W_Q" not in meaning(entered, "Q").sentence


def test_tokens_that_are_empty_or_long_stay_readable() -> None:
    document: Document = load_example("cat-eats-fish").with_(
        tokens=("", "a very long token indeed", "👍🏽")
    )
    trace = run(document)
    line = worked_sum(SumStyle(document, 2), derive(document, trace, Cell("scores", 0, 1)))
    assert [span.text for span in line if span.level == -1] == ["␣", "a very long…"]
    assert show(trace.value(Cell("scores", 0, 1)), 2) == line[-1].text
    assert cursors.start(trace, document).stage == "Q"


def test_every_step_of_the_road_is_parted_from_what_comes_of_it() -> None:
    document = load_example("four-words-causal")
    line = flat(path_line(document, run(document), cursor("weights"), Cell("scores", 0, 2), 2))
    assert line == (
        "QKᵀ = 1.00 → ÷ √4 = 0.50 → +M = −∞ → row's maximum = 1.00 → e**(−∞ − 1.00) = 0.00"
        " → row's sum = 1.00 → ÷ 1.00 = 0.00"
    )


def test_letters_of_the_other_sentence_have_its_mark() -> None:
    document = load_example("translation")
    step = derive(document, run(document), Cell("X_context", 0, 0))
    assert flat(worked_sum(SumStyle(document, 2), step)).startswith("x**(C)")
    own = derive(document, run(document), Cell("X", 0, 0))
    assert "C" not in flat(worked_sum(SumStyle(document, 2), own)).split("=")[0]
