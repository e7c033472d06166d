"""The menus Step and Experiment: steps, playback, focus, lesson; positions, mask, scale, heads."""

from __future__ import annotations

from functools import partial

from core.document.create import as_block
from core.document.edits import with_head_enabled
from core.document.resize import with_head_added, with_head_duplicated, with_head_removed
from core.explain.timeline import Grain
from core.stages import has_scores
from gui.app.actions import Action, Records, Submenu
from gui.app.kind_menus import KINDS_MENU
from gui.app.main_window import MainWindow
from gui.texts.translation import mark, tr


def _has_scores(window: MainWindow) -> bool:
    """Whether there is anything before the weights that positions, mask and scale act on."""
    return has_scores(window.session.state.trace.plan)


def _toggle_play(window: MainWindow) -> None:
    window.session.play(not window.session.state.playing)


def _toggle_predict(window: MainWindow) -> None:
    on = not window.session.state.predict
    window.session.answers.set_predicting(on)
    if on and not window.presentation.is_running:
        window.show_check()


def _predict_from_start(window: MainWindow) -> None:
    window.session.go_first()
    if not window.session.state.predict:
        _toggle_predict(window)


def _row_name(window: MainWindow) -> str:
    return tr("Column") if window.session.state.orientation.columns else tr("Row")


def _step_tip(by: int, window: MainWindow) -> str:
    """What one step does at the chosen grain."""
    grain, columns = (
        window.session.state.preferences.grain,
        window.session.state.orientation.columns,
    )
    if grain is Grain.STAGE:
        return tr("Compute the next stage") if by > 0 else tr("Go back one stage")
    if grain is Grain.CELL:
        return tr("Compute the next number") if by > 0 else tr("Go back one number")
    if columns:
        return tr("Compute the next column") if by > 0 else tr("Go back one column")
    return tr("Compute the next row") if by > 0 else tr("Go back one row")


def _grain_tip(grain: Grain, window: MainWindow) -> str:
    """What a step is at a grain."""
    if grain is Grain.STAGE:
        return tr("Each step computes a whole matrix")
    if grain is Grain.CELL:
        return tr("Each step computes a single number")
    if window.session.state.orientation.columns:
        return tr("Each step computes one column: the numbers of a token")
    return tr("Each step computes one row: the numbers of a token")


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
        tip=partial(_grain_tip, grain),
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
        mark("Show head {number}"),
        lambda w: w.session.select_head(number - 1),
        keys=(str(number),),
        enabled=lambda w: number <= w.session.state.scope.h,
        name=lambda _: tr("Show head {number}", number=number),
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
        tip=partial(_step_tip, 1),
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
        tip=partial(_step_tip, -1),
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
        "layer_forward",
        mark("Same stage in the next layer"),
        lambda w: w.session.go_to_layer(1),
        "step",
        ("Ctrl+Shift+PgDown",),
        enabled=lambda w: w.session.state.document.is_stack,
    ),
    Action(
        "layer_back",
        mark("Same stage in the previous layer"),
        lambda w: w.session.go_to_layer(-1),
        "step",
        ("Ctrl+Shift+PgUp",),
        enabled=lambda w: w.session.state.document.is_stack,
    ),
    Action(
        "go_first",
        mark("First step"),
        lambda w: w.session.go_first(),
        "step",
        ("Home",),
        "go_first",
        toolbar=("transport", 0),
        tip=lambda _: tr("Go back to the first step"),
    ),
    Action(
        "go_last",
        mark("Last step"),
        lambda w: w.session.go_last(),
        "step",
        ("End",),
        "go_last",
        toolbar=("transport", 4),
        tip=lambda _: tr("Go to the last step: the output"),
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
        tip=lambda _: tr("Step automatically; press again to pause"),
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
    Action("predict_from_start", mark("Predict from the first step"), _predict_from_start, "step"),
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
        mark("Forward in the lesson"),
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
        mark("Discard live edits"),
        lambda w: w.session.lesson_player.discard_live_edits(),
        "lesson",
        ("Backspace",),
        "reset",
        enabled=_in_lesson,
    ),
    Action(
        "live_edits",
        mark("Restore live edits"),
        lambda w: w.session.lesson_player.restore_live_edits(),
        "lesson",
        enabled=_has_live_edits,
    ),
    *map(_head, range(1, 10)),
)


def _can_be_block(window: MainWindow) -> bool:
    document = window.session.state.document
    return document.source == "embeddings" and document.context is None and not document.is_stack


def _is_head_on(window: MainWindow) -> bool:
    state = window.session.state
    return state.scope.heads[state.cursor.head].enabled


def _toggle_head(window: MainWindow) -> None:
    on = not _is_head_on(window)
    text = mark("Head on") if on else mark("Head off")
    head = window.session.state.cursor.head
    window.session.change_heads(with_head_enabled, head, on, text=text)


def _duplicate_head(window: MainWindow) -> None:
    head = window.session.state.cursor.head
    window.session.change_heads(with_head_duplicated, head, text=mark("Duplicate the head"))


def _remove_head(window: MainWindow) -> None:
    head = window.session.state.cursor.head
    window.session.change_heads(with_head_removed, head, text=mark("Remove the head"))


EXPERIMENT_MENU: Records[MainWindow] = (
    Submenu("experiment", mark("E&xperiment")),
    Action(
        "toggle_positional",
        mark("Positions"),
        lambda w: w.feature_toggles.toggle_positional(),
        "experiment",
        icon="position",
        enabled=_has_scores,
        checked=lambda w: w.session.state.document.positional.kind != "none",
        toolbar=("switches", 0),
        choices="positional_kind",
        tip=lambda _: tr(
            "Let attention know the order of the tokens; the arrow lists the encodings"
        ),
    ),
    Action(
        "toggle_mask",
        mark("Mask"),
        lambda w: w.feature_toggles.toggle_mask(),
        "experiment",
        icon="mask",
        enabled=_has_scores,
        checked=lambda w: w.session.state.document.mask.kind != "none",
        toolbar=("switches", 1),
        choices="mask_kind",
        tip=lambda _: tr("Hide some keys from some queries; the arrow lists the masks"),
    ),
    Action(
        "toggle_scale",
        mark("÷√dₖ"),
        lambda w: w.feature_toggles.toggle_scale(),
        "experiment",
        icon="scale",
        enabled=_has_scores,
        checked=lambda w: _has_scores(w) and w.session.state.document.scale.kind != "none",
        toolbar=("switches", 2),
        choices="scale_kind",
        tip=lambda _: tr(
            "Divide the scores by √dₖ before the softmax; the arrow lists other factors"
        ),
    ),
    *KINDS_MENU,
    Action(
        "toggle_head",
        mark("Head on"),
        _toggle_head,
        "experiment",
        icon="head_on",
        checked=_is_head_on,
        line=True,
    ),
    Action(
        "add_head",
        mark("Add a head"),
        lambda w: w.session.change_heads(with_head_added, text=mark("Add a head")),
        "experiment",
        icon="add",
    ),
    Action(
        "duplicate_head",
        mark("Duplicate the head"),
        _duplicate_head,
        "experiment",
        icon="duplicate",
    ),
    Action(
        "remove_head",
        mark("Remove the head"),
        _remove_head,
        "experiment",
        icon="remove",
        enabled=lambda w: w.session.state.scope.h > 1,
    ),
    Action(
        "make_block",
        mark("Make a Transformer block"),
        lambda w: w.session.change(as_block, text=mark("Make a Transformer block")),
        "experiment",
        tip=lambda _: tr("Add residual connections, LayerNorm, an MLP and the next word"),
        enabled=_can_be_block,
    ),
    Action(
        "pin_run",
        mark("Pin this run"),
        lambda w: w.session.compare_with_current(),
        "experiment",
        icon="pin",
        line=True,
    ),
    Action(
        "unpin_run",
        mark("Unpin the run"),
        lambda w: w.session.stop_comparing(),
        "experiment",
        icon="unpin",
        enabled=lambda w: w.session.state.compared is not None,
    ),
)
