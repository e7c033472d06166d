"""What the stage view draws: the numbers that stand and no others, frames, formulas, everything at every size."""

from __future__ import annotations

import math
from collections import Counter
from importlib import import_module

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.base.number_format import show
from core.document.document import Document
from core.document.edits import with_head_enabled, with_pin
from core.explain.derivation import Step
from core.explain.timeline import Reach
from core.stages import plan
from core.storage.examples import load_example
from gui.painting import formulas
from gui.painting.matrix import cell_rect
from gui.painting.theme import DARK, LIGHT
from gui.session.session import Session
from gui.texts.rich_text import Line
from gui.texts.sum_style import SumStyle
from gui.texts.sums import worked_sum
from gui.views.stage.card import CardTexts, make_card
from gui.views.stage.operand_layout import PlacedOperand
from gui.views.stage.operation import Rotation, target
from gui.views.stage.picture import DIAL_RADIUS, paint_dial
from gui.views.stage.scene import StageScene, build_scene
from tests.core.documents import make
from tests.gui.stage_kit import card_numbers, image_of, numbers, operand, session_at, svg_of
from tests.gui.svg_kit import sized_texts, texts


def scene_of(session: Session, width: int = 780, height: int = 330) -> StageScene:
    return build_scene(session.state, QRectF(0, 0, width, height))


def all_numbers(document: Document, session: Session, *stages: str) -> Counter[str]:
    trace = session.state.trace
    return Counter(
        show(float(value), 2) for stage in stages for value in trace.matrix(stage, 0).flat
    )


def test_a_complete_stage_shows_exactly_its_numbers(qapp: object) -> None:
    session = session_at("cat-eats-fish", "scores", 1, 2)
    drawn = numbers(texts(svg_of(session.state)))
    expected = all_numbers(session.state.document, session, "Q", "K", "scores")
    assert drawn == expected + card_numbers(scene_of(session))


@pytest.mark.parametrize("stage", ["Q", "K", "V", "Y"])
def test_names_of_weights_have_their_index_below_the_line(qapp: object, stage: str) -> None:
    said = texts(svg_of(session_at(make(), stage).state))
    assert not [text for text in said if "_" in text]
    assert any(text.endswith("W") for text in said)


def test_cells_ahead_show_no_number(qapp: object) -> None:
    session = session_at("cat-eats-fish", "scores", 1, 0, Reach.CELL)
    drawn = numbers(texts(svg_of(session.state)))
    standing = Counter(show(float(value), 2) for value in session.state.trace["scores"][0].flat[:4])
    expected = all_numbers(session.state.document, session, "Q", "K") + standing
    assert drawn == expected + card_numbers(scene_of(session))


def test_a_marked_cell_ahead_keeps_its_value_back(qapp: object) -> None:
    session = session_at("cat-eats-fish", "scores", 1, 0, Reach.CELL)
    session.set_focus(Cell("scores", 2, 2))
    scene = scene_of(session)
    assert not scene.target.is_visible
    assert "?" in texts(svg_of(session.state))
    assert card_numbers(scene)["0.74"] == 0


def test_stages_of_a_weight_in_focus_are_ghosts_when_they_are_ahead(qapp: object) -> None:
    session = session_at("four-words-causal", "X")
    session.set_focus(Cell("W_K", 2, 2))
    scene = scene_of(session)
    assert scene.target.stage == "K"
    assert scene.target.is_ahead
    assert operand(scene, "K").matrix.shown == (0, 0)
    assert operand(scene, "X").matrix.shown == (4, 0)
    assert scene.card.step is None


FEEDERS = {
    "Q": {"X": ("row", LIGHT.text), "W_Q": ("column", LIGHT.query)},
    "K": {"X": ("row", LIGHT.text), "W_K": ("column", LIGHT.key)},
    "V": {"X": ("row", LIGHT.text), "W_V": ("column", LIGHT.value)},
    "scores": {"Q": ("row", LIGHT.query), "K": ("column", LIGHT.key)},
    "scaled": {"scores": ("cell", LIGHT.text)},
    "weights": {"exp": ("cell", LIGHT.weights)},
    "heads": {"weights": ("row", LIGHT.weights), "V": ("column", LIGHT.value)},
    "Y": {"concat": ("row", LIGHT.value), "W_O": ("column", LIGHT.text)},
}


@pytest.mark.parametrize("stage", FEEDERS)
def test_what_feeds_the_marked_cell_is_framed(qapp: object, stage: str) -> None:
    session = session_at(make(3, output=True), stage, 3, 1, head=1)
    scene = build_scene(session.state, QRectF(0, 0, 1800, 900))
    for tensor, (kind, colour) in FEEDERS[stage].items():
        placed = operand(scene, tensor)
        rows, columns = placed.matrix.rows, placed.matrix.columns
        (frame,) = placed.matrix.frames
        assert frame.colour == QColor(colour).name()
        assert frame.rows == ((0, rows) if kind == "column" else (3, 4))
        assert frame.columns == ((0, columns) if kind == "row" else (1, 2))
    (own,) = operand(scene, stage).matrix.frames
    assert (own.rows, own.columns, own.colour) == ((3, 4), (1, 2), QColor(LIGHT.accent).name())


@pytest.mark.parametrize(("stage", "name"), [("exp", "max"), ("weights", "sum")])
def test_a_sub_step_marks_the_row_and_what_is_found(qapp: object, stage: str, name: str) -> None:
    session = session_at("cat-eats-fish", stage, 1, 0, Reach.LEAD)
    scene = scene_of(session)
    assert scene.target.is_substep
    source, found, result = scene.placed
    assert (found.operand.title[0].text, found.matrix.shown) == (name, (2, 0))
    assert found.matrix.frames[0].colour == QColor(LIGHT.accent).name()
    assert source.matrix.frames[0].columns == (0, 3)
    assert result.matrix.frames == ()
    assert result.matrix.shown == (1, 0)
    assert scene.card.step is not None
    assert scene.card.step.kind == name
    assert "小猫" not in scene.header.sentence
    assert "吃" in scene.header.sentence


def test_the_wholly_masked_row_has_its_own_sentence(qapp: object) -> None:
    document = make(1, mask="custom")
    last = session_at(document, "weights", document.n - 1, 0)
    assert scene_of(last).header.warning
    assert "t4 may not attend to any key" in scene_of(last).header.sentence
    assert not scene_of(session_at(document, "weights", 0, 0)).header.warning


def test_pinned_cells_and_heads_that_are_off_are_marked(qapp: object) -> None:
    document = with_pin(load_example("cat-eats-fish"), Cell("weights", 1, 2), 0.5)
    scene = scene_of(session_at(document, "weights"))
    assert operand(scene, "weights").matrix.pinned == {(1, 2)}
    off = with_head_enabled(load_example("apple-released-iphone"), 1, False)
    scene = scene_of(session_at(off, "concat"), 1200, 560)
    assert [operand(scene, "heads", head).matrix.off for head in range(3)] == [False, True, False]
    assert "off" in texts(svg_of(session_at(off, "concat").state, 1200, 560))


def test_the_mask_is_drawn_as_zero_and_minus_infinity(qapp: object) -> None:
    session = session_at("four-words-causal", "masked", 2, 3)
    drawn = texts(svg_of(session.state))
    assert drawn.count("0") >= 10
    scene = scene_of(session)
    in_card = [span for row, _ in scene.card.rows for span in row.spans if span.text == "−∞"]
    assert drawn.count("−∞") - len(in_card) == 12  # six in M and six in the result


@pytest.mark.parametrize("stage", ["exp", "weights"])
def test_forbidden_pairs_are_hatched_and_keep_their_zero(qapp: object, stage: str) -> None:
    """Hatched like the −∞ that they come from, in contrast to a 0 that was computed."""
    session = session_at("four-words-causal", stage, 3, 0)
    scene = scene_of(session)
    placed = operand(scene, stage)
    forbidden = {(i, j) for i in range(4) for j in range(4) if placed.matrix.is_masked(i, j)}
    assert forbidden == {(i, j) for i in range(4) for j in range(4) if j > i}
    image = image_of(session.state)
    assert ghost_pixels(image, placed, 0, 3) > 10
    assert ghost_pixels(image, placed, 3, 3) == 0
    assert texts(svg_of(session.state)).count("0.00") >= 6


def test_no_hatching_goes_through_digits(qapp: object) -> None:
    session = session_at("four-words-causal", "weights", 3, 0)
    placed = operand(scene_of(session), "weights")
    image = image_of(session.state)
    cell = cell_rect(placed.rect, 4, 4, 0, 3)
    around = QRectF(0, 0, 22, 8)
    around.moveCenter(cell.center())
    assert ghost_pixels(image, placed, 0, 3) > 10
    rect = around.toRect()
    points = [
        (x, y) for x in range(rect.left(), rect.right()) for y in range(rect.top(), rect.bottom())
    ]
    assert QColor(LIGHT.ghost) not in [image.pixelColor(x, y) for x, y in points]


def ghost_pixels(image: QImage, placed: PlacedOperand, row: int, column: int) -> int:
    """How much of a cell has the colour of the hatching."""
    cell, wanted = (
        cell_rect(placed.rect, 4, 4, row, column).toRect().adjusted(3, 3, -3, -3),
        QColor(LIGHT.ghost),
    )
    points = (
        (x, y) for x in range(cell.left(), cell.right()) for y in range(cell.top(), cell.bottom())
    )
    return sum(image.pixelColor(x, y) == wanted for x, y in points)


def test_a_what_if_value_on_a_forbidden_pair_is_a_number_like_others(qapp: object) -> None:
    document = with_pin(load_example("four-words-causal"), Cell("weights", 0, 3), 0.5)
    picture = operand(scene_of(session_at(document, "weights")), "weights").matrix
    assert not picture.is_masked(0, 3)
    assert picture.is_masked(0, 2)


def test_forbidden_pairs_turn_with_the_matrix(qapp: object) -> None:
    session = session_at("four-words-causal", "weights", 3, 0)
    session.set_preferences(columns=True)
    picture = operand(scene_of(session), "weights").matrix
    assert {(i, j) for i in range(4) for j in range(4) if picture.is_masked(i, j)} == {
        (i, j) for i in range(4) for j in range(4) if i > j
    }


@pytest.mark.parametrize("width", [589, 640, 803])
@pytest.mark.parametrize("stage", ["exp", "weights"])
def test_five_tokens_fit_before_any_column_is_left_out(
    qapp: object, stage: str, width: int
) -> None:
    """The stage view of windows of 1024, 1100 and 1280 pixels: cells get narrower first."""
    session = session_at("apple-released-iphone", stage, 2, 2)
    for placed in scene_of(session, width, 400).placed:
        assert not placed.columns.cut
        assert placed.matrix.digits is not None


def test_large_matrices_show_a_window_around_the_focus(qapp: object) -> None:
    session = session_at("eight-heads", "scores", 7, 9, head=3)
    scene = scene_of(session)
    own = operand(scene, "scores")
    assert own.rows.start <= 7 < own.rows.stop
    assert own.columns.start <= 9 < own.columns.stop
    key = operand(scene, "K")
    assert (key.columns.start, key.columns.stop) == (own.columns.start, own.columns.stop)
    value = session.state.trace["scores"][3, 7, 9]
    assert own.matrix.values[7 - own.rows.start, 9 - own.columns.start] == value


def test_two_thousand_tokens_draw_only_their_window(qapp: object) -> None:
    document = make(0, sizes={"n": 2000, "d": 6, "h": 2, "k": 3, "v": 4}, mask="causal")
    session = session_at(document, "masked", 1000, 900)
    for stage in ("scores", "masked", "weights", "heads"):
        session.go_to_stage(stage)
        scene = scene_of(session, 1200, 560)
        assert all(placed.matrix.values.size <= 144 for placed in scene.placed)
        assert len(texts(svg_of(session.state, 1200, 560))) < 700


KINDS = [
    ({"positional": kind, "mask": mask, "biases": biases, "output": biases}, shade)
    for kind in ("none", "sinusoidal", "learned", "rotary", "alibi")
    for mask, biases, shade in (
        ("none", False, "light"),
        ("causal", True, "dark"),
        ("custom", True, "contrast"),
    )
]


@pytest.mark.parametrize(("options", "shade"), KINDS, ids=str)
@pytest.mark.parametrize("size", [(560, 300), (780, 330), (1200, 560)], ids=str)
def test_every_stage_paints_legibly_at_every_size(
    qapp: object, options: dict[str, object], shade: str, size: tuple[int, int]
) -> None:
    document = make(5, **options)  # type: ignore[arg-type]
    session = Session(
        document,
        session_at(document, "V").state.preferences,
        "zh_CN" if shade == "dark" else "en",
        shade,
    )
    for stage in plan(document):
        session.go_to_stage(stage.id)
        svg = svg_of(session.state, *size)
        scene = scene_of(session, *size)
        sizes = sized_texts(svg)
        assert sizes
        assert min(size for _, size in sizes) >= 12, stage.id
        assert scene.card_rect.bottom() <= size[1]
        for placed in scene.placed:
            assert QRectF(0, 0, *size).contains(placed.rect), (stage.id, placed.operand.title)
            assert placed.rect.bottom() <= scene.card_rect.y()
            assert placed.rect.y() >= scene.header.height


@pytest.mark.parametrize("options", [kinds for kinds, _ in KINDS[::3]], ids=str)
def test_formulas_are_not_blank(qapp: object, options: dict[str, object]) -> None:
    document = make(5, **options)  # type: ignore[arg-type]
    for stage in plan(document):
        for flat in (False, True):
            latex = formulas.formula(document, stage.id, flat=flat)
            assert inked(formulas.formula_svg(latex, "#000000", 20.0)) > 60, latex
            assert formulas.is_ready(latex, "#000000", 20.0)


def inked(svg: bytes) -> int:
    """Dark pixels of a formula drawn on white."""
    renderer = QSvgRenderer(svg)
    assert renderer.isValid()
    image = QImage(renderer.defaultSize(), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    points = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return sum(image.pixelColor(x, y).lightness() < 128 for x, y in points)


def test_formulas_name_what_this_experiment_has(qapp: object) -> None:
    assert "b^{Q}" in formulas.formula(make(1, biases=True), "Q")
    assert "b^{Q}" not in formulas.formula(make(1), "Q")
    assert r"\sqrt{2}" in formulas.formula(make(1), "scaled")
    assert "X'_{ip}" in formulas.formula(make(1, positional="sinusoidal"), "K")
    assert "100^" in formulas.formula(make(1, positional="sinusoidal"), "P")
    assert r"\sum_{p=1}^{d_k}" in formulas.formula(make(1), "scores")
    assert r"\sum_{p} Q" in formulas.formula(make(1), "scores", flat=True)


def test_a_formula_has_its_colour(qapp: object) -> None:
    latex = formulas.formula(make(1), "scores")
    assert DARK.text.encode() in formulas.formula_svg(latex, DARK.text, 17.0)
    assert DARK.text.encode() not in formulas.formula_svg(latex, LIGHT.text, 17.0)


def test_both_themes_and_languages_differ(qtbot: QtBot) -> None:
    light = image_of(session_at("cat-eats-fish", "scores").state)
    shade = image_of(session_at("cat-eats-fish", "scores", shade="dark").state)
    assert light != shade
    english = texts(svg_of(session_at("cat-eats-fish", "scores").state))
    chinese = texts(svg_of(session_at("cat-eats-fish", "scores", language="zh_CN").state))
    assert "Worked sum" in english
    assert "演算" in chinese
    assert numbers(english) == numbers(chinese)


def test_a_turned_pair_points_where_its_numbers_say(qapp: object) -> None:
    document = make(4, positional="rotary")
    session = session_at(document, "Q_rot", 3, 1, head=2)
    scene = scene_of(session, 1200, 560)
    ((sign, rect), _) = scene.operators
    assert sign.rotation is not None
    before, after = complex(*sign.rotation.before), complex(*sign.rotation.after)
    assert abs(before) == pytest.approx(abs(after))
    angle = float(scene.placed[1].matrix.values[3, 0])
    assert after / before == pytest.approx(complex(math.cos(angle), math.sin(angle)))
    tip = rect.center() + QPointF(after.real, -after.imag) / abs(after) * (DIAL_RADIUS - 8)
    drawn = image_of(session.state, 1200, 560).pixelColor(tip.toPoint())
    assert abs(drawn.hue() - QColor(LIGHT.query).hue()) < 12
    assert drawn.saturation() > 120


def test_a_pair_that_has_not_turned_yet_has_no_hand(qapp: object) -> None:
    session = session_at(make(4, positional="rotary"), "Q_rot", 1, 0, Reach.CELL)
    session.set_focus(Cell("Q_rot", 3, 1))
    assert scene_of(session).operators[0][0].rotation is None


def test_a_pair_of_zeros_has_no_direction(qapp: object) -> None:
    images = []
    for turn in (
        Rotation((0.0, 0.0), (0.0, 0.0), "query"),
        Rotation((1.0, 0.0), (0.0, 1.0), "query"),
    ):
        image = QImage(80, 80, QImage.Format.Format_RGB32)
        image.fill(QColor("white"))
        painter = QPainter(image)
        paint_dial(painter, QPointF(40, 40), turn, LIGHT)
        painter.end()
        images.append(image)
    query = QColor(LIGHT.query)
    assert not any(close(images[0].pixelColor(x, y), query) for x in range(80) for y in range(80))
    assert any(close(images[1].pixelColor(40, y), query) for y in range(40))
    assert not any(close(images[1].pixelColor(40, y), query) for y in range(44, 80))


def close(a: QColor, b: QColor) -> bool:
    parts = ((a.red(), b.red()), (a.green(), b.green()), (a.blue(), b.blue()))
    return all(abs(x - y) < 40 for x, y in parts)


@pytest.mark.parametrize("columns", [False, True])
def test_rather_numbers_than_the_road_to_them(qapp: object, columns: bool) -> None:
    """In a window on a small screen a long road takes the room that numbers need; what is pinned is still said."""
    session = session_at("cat-eats-fish", "weights", 0, 0)
    session.set_preferences(columns=columns)
    session.change(with_pin, Cell("weights", 0, 0), 0.59, text="Pin")
    high, low = scene_of(session, 720, 420), scene_of(session, 720, 322)
    for scene in (high, low):
        assert all(placed.matrix.digits is not None for placed in scene.placed)
    assert any("→" in text for text in texts(svg_of(session.state, 720, 420)))
    assert any(text == "0.59" for text in texts(svg_of(session.state, 720, 322)))


def test_the_sum_is_worked_out_once_for_each_number_of_terms(
    qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int | None] = []

    def worked(sheet: SumStyle, step: Step) -> Line:
        told.append(sheet.most)
        return worked_sum(sheet, step)

    monkeypatch.setattr("gui.views.stage.card.worked_sum", worked)
    session = session_at("cat-eats-fish", "scores", 1, 2)
    for width in (800.0, 460.0, 300.0, 180.0):
        told.clear()
        make_card(CardTexts(session.state, target(session.state)), width, 200.0)
        assert told
        assert len(set(told)) == len(told)


@pytest.mark.parametrize("labels", ["one", "both"])
def test_a_head_that_is_off_is_said_to_be_off(qapp: object, labels: str) -> None:
    """Beside the title, in every wording; of stages that have no heads nothing is said."""
    document = with_head_enabled(load_example("eight-heads"), 1, False)
    session = session_at(document, "scores", head=1)
    session.set_preferences(labels=labels)
    scene = build_scene(session.state, QRectF(0, 0, 1200, 600))
    assert all("off" in text.split(" · ") for text in scene.header.subtitles)
    session.select_head(0)
    assert not any(
        "off" in text
        for text in build_scene(session.state, QRectF(0, 0, 1200, 600)).header.subtitles
    )
    session.select_head(1)
    session.go_to_stage("Y")
    assert not any(
        "off" in text
        for text in build_scene(session.state, QRectF(0, 0, 1200, 600)).header.subtitles
    )


def test_of_a_picture_drafted_several_times_everything_is_worked_out_once(
    qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that are lost beside the whole road have it drafted anew without; only the last draft is drawn."""
    session = session_at("eight-heads", "scores", 1, 2)
    done: Counter[str] = Counter()

    def counted(where: str) -> None:
        module, name = where.rsplit(".", 1)
        original = getattr(import_module(module), name)

        def count(*args: object, **kwargs: object) -> object:
            done[name] += 1
            return original(*args, **kwargs)

        monkeypatch.setattr(where, count)

    for where in (
        "scene.make_card",
        "scene.operation",
        "card.worked_step",
        "card.worked_sum",
        "operand_layout.matrix_spec",
    ):
        counted(f"gui.views.stage.{where}")
    scene = build_scene(session.state, QRectF(0, 0, 760, 320))
    assert done["make_card"] == 3
    assert done["operation"] == done["worked_step"] == 1
    assert 1 <= done["worked_sum"] <= 3  # the whole of it, and with fewer terms
    assert done["matrix_spec"] == len(scene.placed)
