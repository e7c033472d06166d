"""The Step menu: steps, playback, focus, lesson; and the keys of the heads."""

from __future__ import annotations

from core.explain.timeline import Grain
from gui.app.actions import Action, Records, Submenu
from gui.app.main_window import MainWindow
from gui.texts.translation import mark, tr


def _toggle_play(window: MainWindow) -> None:
    window.session.play(not window.session.state.playing)


def _toggle_predict(window: MainWindow) -> None:
    on = not window.session.state.predict
    window.session.answers.set_predicting(on)
    if on and not window.presentation.is_running:
        window.show_check()


def _row_name(window: MainWindow) -> str:
    return tr("Column") if window.session.state.orientation.columns else tr("Row")


def _grain(grain: Grain, text: str, place: int) -> Action[MainWindow]:
    return Action(
        f"grain_{grain}",
        text,
        lambda w: w.session.set_preferences(grain=grain),
        "step",
        checked=lambda w: w.session.state.preferences.grain is grain,
        group="grain",
        line=place == 0,
        toolbar=("grain", place),
        name=_row_name if grain is Grain.ROW else None,
    )


def _focus(direction: str, text: str, rows: int, columns: int) -> Action[MainWindow]:
    return Action(
        f"focus_{direction}",
        text,
        lambda w: w.session.move_focus(rows, columns),
        "step",
        (f"Shift+{direction.title()}",),
        line=direction == "up",
    )


def _speed(speed: float, text: str) -> Action[MainWindow]:
    return Action(
        f"speed_{speed}",
        text,
        lambda w: w.session.set_preferences(speed=speed),
        "speed",
        checked=lambda w: w.session.state.preferences.speed == speed,
        group="speed",
    )


def _head(number: int) -> Action[MainWindow]:
    return Action(
        f"head_{number}",
        mark("Look at head {number}"),
        lambda w: w.session.select_head(number - 1),
        keys=(str(number),),
        enabled=lambda w: number <= w.session.state.document.h,
        name=lambda _: tr("Look at head {number}", number=number),
    )


def _in_lesson(window: MainWindow) -> bool:
    return window.session.state.scene is not None


def _has_live_edits(window: MainWindow) -> bool:
    state = window.session.state
    return state.scene_index in state.live_edits


STEP_MENU: Records[MainWindow] = (
    Submenu("step", mark("&Step")),
    # PgDown and PgUp are the keys of clickers: they go through the lesson while one is played.
    Action(
        "step_forward",
        mark("Step forward"),
        lambda w: w.session.step(1),
        "step",
        ("Right", "PgDown"),
        "step_forward",
        toolbar=("transport", 3),
        lesson_keys=("Right",),
    ),
    Action(
        "step_back",
        mark("Step back"),
        lambda w: w.session.step(-1),
        "step",
        ("Left", "PgUp"),
        "step_back",
        toolbar=("transport", 1),
        lesson_keys=("Left",),
    ),
    Action(
        "stage_forward",
        mark("Next stage"),
        lambda w: w.session.step(1, Grain.STAGE),
        "step",
        ("Ctrl+Right",),
        "stage_forward",
    ),
    Action(
        "stage_back",
        mark("Previous stage"),
        lambda w: w.session.step(-1, Grain.STAGE),
        "step",
        ("Ctrl+Left",),
        "stage_back",
    ),
    Action(
        "go_first",
        mark("First step"),
        lambda w: w.session.go_first(),
        "step",
        ("Home",),
        "go_first",
        toolbar=("transport", 0),
    ),
    Action(
        "go_last",
        mark("Last step"),
        lambda w: w.session.go_last(),
        "step",
        ("End",),
        "go_last",
        toolbar=("transport", 4),
    ),
    Action(
        "play",
        mark("Play"),
        _toggle_play,
        "step",
        ("Space",),
        "play",
        checked=lambda w: w.session.state.playing,
        checked_icon="pause",
        line=True,
        toolbar=("transport", 2),
    ),
    _grain(Grain.STAGE, mark("Stage"), 0),
    _grain(Grain.ROW, mark("Row"), 1),
    _grain(Grain.CELL, mark("Cell"), 2),
    Action(
        "predict",
        mark("Predict, then reveal"),
        _toggle_predict,
        "step",
        ("Ctrl+R",),
        checked=lambda w: w.session.state.predict,
        line=True,
    ),
    _focus("up", mark("Focus the cell above"), -1, 0),
    _focus("down", mark("Focus the cell below"), 1, 0),
    _focus("left", mark("Focus the cell on the left"), 0, -1),
    _focus("right", mark("Focus the cell on the right"), 0, 1),
    Submenu("speed", mark("S&peed"), "step"),
    _speed(0.5, mark("½ ×")),
    _speed(1.0, mark("1 ×")),
    _speed(2.0, mark("2 ×")),
    _speed(4.0, mark("4 ×")),
    Submenu("lesson", mark("&Lesson"), "step"),
    Action(
        "scene_forward",
        mark("On in the lesson"),
        lambda w: w.session.lesson_player.forward(),
        "lesson",
        ("PgDown",),
        enabled=_in_lesson,
    ),
    Action(
        "scene_back",
        mark("Back in the lesson"),
        lambda w: w.session.lesson_player.back(),
        "lesson",
        ("PgUp",),
        enabled=_in_lesson,
    ),
    Action(
        "group_forward",
        mark("Next group of scenes"),
        lambda w: w.session.lesson_player.next_group(),
        "lesson",
        ("Ctrl+PgDown",),
        enabled=_in_lesson,
    ),
    Action(
        "group_back",
        mark("Previous group of scenes"),
        lambda w: w.session.lesson_player.previous_group(),
        "lesson",
        ("Ctrl+PgUp",),
        enabled=_in_lesson,
    ),
    Action(
        "add_scene",
        mark("Add scene"),
        lambda w: w.session.lesson_player.add_scene(),
        "lesson",
        ("Ctrl+L",),
        "add",
        line=True,
    ),
    Action(
        "drop_live_edits",
        mark("Drop the live edits"),
        lambda w: w.session.lesson_player.discard_live_edits(),
        "lesson",
        ("Backspace",),
        "reset",
        enabled=_in_lesson,
    ),
    Action(
        "live_edits",
        mark("Live edits again"),
        lambda w: w.session.lesson_player.restore_live_edits(),
        "lesson",
        enabled=_has_live_edits,
    ),
    *map(_head, range(1, 10)),
)
