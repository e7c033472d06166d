"""Each stage has its own act, its numbers are those of the trace, and it leaves the picture as it would be without."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from core.compute.trace import run
from core.document.document import Document
from core.explain.timeline import Grain, Reach
from gui.app.application import build_window
from gui.session.playback import MOTION_MS, REST_MS, step_ms
from gui.session.reduced_motion import (
    desktop_reduces_motion,
    mac_reduces_motion,
    mask_reduces_motion,
)
from gui.session.session import Session
from gui.views.diagram.animation_painter import MOST_DOTS, largest_of
from gui.views.diagram.motion import StepMotion, motion_between
from gui.views.diagram.scene import layout_of
from gui.views.diagram.shapes import Rect
from gui.views.diagram.stage_animations import (
    MOST_PARTS,
    Added,
    Bars,
    Blend,
    Joined,
    Products,
    Ramp,
    Shares,
    Sweep,
    Turn,
    sampled,
)
from gui.views.diagram.view import DiagramView
from tests.gui.diagram_kit import diagram, make, session_of
from tests.gui.window_kit import bring_forward

ROOM = (1880.0, 420.0)
PLAIN = make(bias=True, mask="causal", positional="learned")
TURNED = make(h=1, positional="rotary")
SLOPED = make(h=1, positional="alibi", mask="causal")
DOCUMENTS = {"plain": PLAIN, "turned": TURNED, "sloped": SLOPED}
EXPECTED = [
    ("plain", "input", Added),
    ("plain", "Q", Products),
    ("plain", "K", Products),
    ("plain", "V", Products),
    ("plain", "scores", Products),
    ("plain", "scaled", Sweep),
    ("plain", "masked", Sweep),
    ("plain", "exp", Bars),
    ("plain", "weights", Shares),
    ("plain", "heads", Blend),
    ("plain", "concat", Joined),
    ("plain", "Y", Products),
    ("turned", "Q_rot", Turn),
    ("turned", "K_rot", Turn),
    ("sloped", "biased", Ramp),
]


def before(document: Document, stage: str) -> str:
    ids = run(document).plan.ids
    return ids[ids.index(stage) - 1]


def moved(
    document: Document, stage: str, grain: Grain = Grain.STAGE, steps: int = 1
) -> tuple[Session, StepMotion]:
    """The motion of the last of some steps into a stage, of the second head where there is one."""
    session = session_of(document)
    session.select_head(min(1, document.h - 1))
    session.go_to_stage(before(document, stage))
    session.step(steps - 1, grain)
    old = session.state
    session.step(1, grain)
    motion = motion_between(old, session.state, layout_of(session.state, ROOM))
    assert motion is not None
    return session, motion


@pytest.mark.parametrize(("kind", "stage", "act"), EXPECTED)
@pytest.mark.parametrize("grain", [Grain.STAGE, Grain.ROW])
def test_each_stage_has_its_own_act(kind: str, stage: str, act: type, grain: Grain) -> None:
    steps = (
        2 if grain is Grain.ROW and stage in ("exp", "weights") else 1
    )  # a row opens with its maximum or sum
    _, motion = moved(DOCUMENTS[kind], stage, grain, steps)
    assert type(motion.animation) is act
    assert motion.grain is grain


@pytest.mark.parametrize("stage", ["Q", "K", "V", "scores", "Y"])
def test_products_add_up_to_the_cells_in_which_they_gather(stage: str) -> None:
    session, motion = moved(PLAIN, stage)
    assert isinstance(motion.animation, Products)
    values = session.state.trace.matrix(stage, 1)
    assert [float(terms.sum()) for _, terms in motion.animation.cells] == pytest.approx(
        values.ravel().tolist()
    )
    box = layout_of(session.state, ROOM).box(stage)
    places = [box.cell_at(*rect.centre) for rect, _ in motion.animation.cells]
    assert places == [
        (row, column) for row in range(values.shape[0]) for column in range(values.shape[1])
    ]
    assert motion.animation.largest == max(
        abs(term) for _, terms in motion.animation.cells for term in terms
    )


def test_a_cell_has_its_own_products_alone() -> None:
    session, motion = moved(PLAIN, "scores", Grain.CELL, 8)
    assert isinstance(motion.animation, Products)
    trace = session.state.trace
    ((rect, terms),) = motion.animation.cells
    assert (session.state.cursor.row, session.state.cursor.column) == (1, 2)
    assert terms.tolist() == [trace["Q"][1, 1, i] * trace["K"][1, 2, i] for i in range(2)]
    assert rect == motion.result


def test_exponentials_grow_against_the_largest_of_their_row() -> None:
    session, motion = moved(PLAIN, "exp")
    assert isinstance(motion.animation, Bars)
    exp = session.state.trace["exp"][1]
    heights = [[bar.height for bar in row] for row in motion.animation.rows]
    assert heights == [[value / max(row) for value in row] for row in exp.tolist()]
    assert heights[0] == [1.0, 0.0, 0.0, 0.0, 0.0]  # the first token may attend to itself alone


@pytest.mark.parametrize("columns", [False, True])
def test_the_shares_of_a_row_are_its_weights_and_make_up_one(columns: bool) -> None:
    session = session_of(PLAIN, columns=columns)
    session.go_to_stage("exp")
    old = session.state
    session.step(1, Grain.STAGE)
    motion = motion_between(old, session.state, layout_of(session.state, ROOM))
    assert motion is not None
    assert isinstance(motion.animation, Shares)
    for (line, shares), weights in zip(
        motion.animation.rows, session.state.trace["weights"][0], strict=True
    ):
        whole = line.h if columns else line.w
        lengths = [(share.part.h if columns else share.part.w) / whole for share in shares]
        assert lengths == pytest.approx(weights.tolist())
        assert sum(lengths) == pytest.approx(1.0)


def test_of_a_cell_the_own_share_is_meant() -> None:
    _, motion = moved(
        PLAIN, "weights", Grain.CELL, 1 + 1 + 5 + 1 + 2
    )  # row 0 with its sum, then two cells of row 1
    assert isinstance(motion.animation, Shares)
    ((_, shares),) = motion.animation.rows
    assert [share.focused for share in shares].count(True) == 1
    assert len(shares) == 5


def test_while_a_sum_is_sought_its_exponentials_stand_side_by_side() -> None:
    session, motion = moved(PLAIN, "weights", Grain.CELL)
    assert session.state.cursor.reach is Reach.LEAD
    assert isinstance(motion.animation, Bars)
    assert motion.grain is Grain.CELL


def test_rows_of_values_are_layers_as_thick_as_their_weights() -> None:
    session, motion = moved(make(mask="causal", scale="factor"), "heads", Grain.ROW, 4)
    assert isinstance(motion.animation, Blend)
    trace = session.state.trace
    weights = trace["weights"][1, 3].tolist()
    assert [strip.weight for strip in motion.animation.strips] == weights[:4]  # the fifth is masked
    for strip, weight, value in zip(motion.animation.strips, weights, trace["V"][1], strict=False):
        assert strip.end.h == pytest.approx(weight * motion.result.h)
        assert strip.end.w == pytest.approx(motion.result.w)
        assert strip.values.ravel().tolist() == value.tolist()
    blended = sum(strip.weight * strip.values for strip in motion.animation.strips)
    assert np.ravel(blended).tolist() == pytest.approx(trace["heads"][1, 3].tolist())


def test_pairs_turn_by_their_position() -> None:
    session, motion = moved(TURNED, "Q_rot")
    assert isinstance(motion.animation, Turn)
    trace = session.state.trace
    for place, dial in enumerate(motion.animation.dials):
        assert dial.end - dial.start == pytest.approx(
            place % math.tau
        )  # the first pair turns one radian a position
        x, y = trace["Q_rot"][0, place]
        assert math.hypot(x, y) * math.cos(dial.end) == pytest.approx(x)
        assert math.hypot(x, y) * math.sin(dial.end) == pytest.approx(y)


def test_the_ramp_is_what_distance_costs() -> None:
    _, motion = moved(SLOPED, "biased")
    assert isinstance(motion.animation, Ramp)
    distance = [[-abs(i - j) for j in range(5)] for i in range(5)]
    assert (motion.animation.bias / motion.animation.steepest * 4).tolist() == [
        pytest.approx(row) for row in distance
    ]


def test_only_the_line_of_a_mask_falls() -> None:
    assert moved(PLAIN, "scaled")[1].animation == Sweep(down=False)
    assert moved(PLAIN, "masked")[1].animation == Sweep(down=True)


def test_heads_join_at_their_blocks() -> None:
    session, motion = moved(PLAIN, "concat")
    assert isinstance(motion.animation, Joined)
    box = layout_of(session.state, ROOM).box("concat")
    assert list(motion.animation.blocks) == [
        box.block_rect((0, 5), (4 * head, 4 * head + 4)) for head in range(3)
    ]


def test_large_stages_show_a_fair_sample_and_tiny_cells_none() -> None:
    assert sampled((3, 6), 5) == [3, 4, 5]
    assert sampled((0, 100), 3) == [0, 50, 99] or sampled((0, 100), 3) == [0, 49, 99]
    _, motion = moved(make(40, d=30, h=1, k=30, v=30), "scores")
    if isinstance(motion.animation, Products):
        assert sum(len(terms) for _, terms in motion.animation.cells) <= MOST_PARTS
    _, motion = moved(make(300, h=1), "scores")
    assert motion.animation is None
    assert motion.arrival == motion.result_time


def frozen_at(view: DiagramView, progress: float) -> QImage:
    view._player._steps.pause()
    view._player._steps.setCurrentTime(round(view._player._steps.duration() * progress))
    return view.grab().toImage()


@pytest.mark.parametrize("shade", ["light", "dark"])
@pytest.mark.parametrize(("kind", "stage", "act"), EXPECTED)
def test_every_act_is_seen_and_leaves_nothing_behind(
    qtbot: QtBot, kind: str, stage: str, act: type, shade: str
) -> None:
    moving, quiet = (
        diagram(qtbot, session_of(DOCUMENTS[kind], shade=shade, motion=motion), 1880, 420)
        for motion in (True, False)
    )
    for view in (moving, quiet):
        view.clearFocus()
        view._session.go_to_stage(before(DOCUMENTS[kind], stage))
        view._player.cut()
        view._session.step(1, Grain.STAGE)
    frames = [frozen_at(moving, part) for part in (0.2, 0.5, 0.7)]
    still = quiet.grab().toImage()
    assert all(frame != still for frame in frames)
    assert frames[0] != frames[1] != frames[2]
    moving._player._steps.resume()
    moving._player._steps.setCurrentTime(moving._player._steps.duration())
    assert not moving.moving
    assert moving.grab().toImage() == still


def test_three_keys_during_a_motion_are_three_steps(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "on")
    window = build_window(language="en")
    bring_forward(qtbot, window)
    window.diagram.setFocus()
    session, seen = window.session, []
    session.go_to_stage("V")
    start = session.state.trace.plan.index("V")
    for _ in range(3):
        qtbot.keyClick(window.diagram, Qt.Key.Key_Right)
        seen.append(
            (
                session.state.trace.plan.index(session.state.cursor.stage) - start,
                window.diagram.moving,
            )
        )
    assert seen == [(1, True), (2, True), (3, True)]
    window.diagram._player.cut()


def test_a_key_that_steps_nowhere_ends_the_motion_too(qtbot: QtBot) -> None:
    view = diagram(qtbot, session_of(PLAIN))
    view._session.go_to_stage("V")
    view._session.step(1, Grain.STAGE)
    cursor, moving = view._session.state.cursor, view.moving
    qtbot.keyClick(view, Qt.Key.Key_F9)
    assert (moving, view.moving) == (True, False)
    assert view._session.state.cursor == cursor


@pytest.mark.parametrize("grain", list(Grain))
@pytest.mark.parametrize("speed", [0.5, 1.0, 4.0])
def test_playback_waits_for_the_motion_and_rests(grain: Grain, speed: float) -> None:
    session = session_of(PLAIN, grain=grain, speed=speed)
    session.go_to_stage("V")
    session.step(1)
    session.play(True)
    rest = Grain.STAGE if session.state.cursor.reach is Reach.WHOLE else grain
    assert session.playback._timer.interval() == (MOTION_MS[grain] + REST_MS[rest]) / speed
    session.go_to_stage("scores")
    assert (
        session.playback._timer.interval()
        == (MOTION_MS[grain] + REST_MS[Grain.STAGE]) / speed
        == step_ms(session.state)
    )
    assert session.playback._timer.isActive()
    session.play(False)
    assert not session.playback._timer.isActive()


def test_the_desktop_may_ask_for_stillness(tmp_path_factory: pytest.TempPathFactory) -> None:
    def folder(name: str = "", text: str = "") -> object:
        path = tmp_path_factory.mktemp("config")
        if name:
            (path / name).parent.mkdir(exist_ok=True)
            (path / name).write_text(text, encoding="utf-8")
        return desktop_reduces_motion(path)

    assert folder() is False
    assert folder("gtk-3.0/settings.ini", "[Settings]\ngtk-enable-animations=0\n") is True
    assert folder("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=false\n") is True
    assert folder("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=1\n") is False
    assert folder("kdeglobals", "[KDE]\nAnimationDurationFactor=0\n") is True
    assert folder("kdeglobals", "[KDE]\nAnimationDurationFactor=0.5\n") is False
    assert folder("kdeglobals", "[KDE]\nAnimationDurationFactor=fast\n") is False
    assert folder("gtk-4.0/settings.ini", "no section\n") is False
    path = tmp_path_factory.mktemp("mac") / "access.plist"
    assert mac_reduces_motion(path) is False
    path.write_text(
        "<plist version='1.0'><dict><key>reduceMotion</key><true/></dict></plist>", encoding="utf-8"
    )
    assert mac_reduces_motion(path) is True
    assert mask_reduces_motion(bytes.fromhex("9e1e078012000000")) is False
    assert mask_reduces_motion(bytes.fromhex("9012078010000000")) is True
    assert mask_reduces_motion(b"") is False


def test_of_a_long_sum_the_largest_products_are_drawn_in_their_order() -> None:
    terms = np.array([(-1.0) ** i * ((i * 37) % 100) for i in range(100)])
    assert largest_of(terms).tolist() == [
        term for term in terms.tolist() if abs(term) >= 100 - MOST_DOTS
    ]
    assert largest_of(terms[:9]).tolist() == terms[:9].tolist()


def test_a_lane_is_inside_its_row() -> None:
    session, motion = moved(PLAIN, "weights", Grain.ROW, 2)
    assert isinstance(motion.animation, Shares)
    ((line, _),) = motion.animation.rows
    row: Rect = layout_of(session.state, ROOM).box("weights").block_rect((0, 1), (0, 5))
    assert row.y < line.y
    assert line.bottom < row.bottom
