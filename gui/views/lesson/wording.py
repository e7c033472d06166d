"""Words of the lesson panel: what a scene is called and what it shows, in a line."""

from __future__ import annotations

from core.document.document import Document
from core.document.orientation import Orientation
from core.explain.timeline import Grain, Reach
from core.lesson.lesson import Scene
from gui.texts.labs import lab_title
from gui.texts.names import stage_label, symbol_here
from gui.texts.translation import mark, tr, tr_marked

PANEL_NAMES = {
    "diagram": mark("Diagram"),
    "stage": mark("Stage"),
    "derivation": mark("Worked sum"),
    "heatmap": mark("Heatmap"),
    "code": mark("Code"),
    "lab": mark("Lab"),
}
GRAIN_NAMES = {
    "": mark("no steps of its own"),
    "stage": mark("then stage by stage"),
    "row": mark("then row by row"),
    "cell": mark("then cell by cell"),
}


def scene_title(scene: Scene, language: str) -> str:
    """The scene's title, or the name of its stage where it has none."""
    named = stage_label(scene.stage) if scene.demo is None else lab_title(scene.demo.lab)
    return scene.title.of(language) or named


def scene_caption(scene: Scene, document: Document | None, orientation: Orientation) -> str:
    """Where the scene stands, what it changes and how it goes on."""
    symbol = symbol_here(document, scene.stage, orientation) if document else scene.stage
    parts = [f"{symbol} {_place(scene, orientation)}".strip()]
    if scene.demo is not None:
        parts = [tr("Lab: {title}", title=lab_title(scene.demo.lab))]
    if scene.source is not None:
        parts.append(tr("new experiment"))
    elif scene.changes:
        parts.append(tr("edited"))
    if scene.steps is not None:
        parts.append(tr("{n} more", n=scene.steps.count))
    return tr(" · ").join(parts)


def _place(scene: Scene, orientation: Orientation) -> str:
    if scene.reach is Reach.WHOLE:
        return ""
    row, column = orientation.pair(scene.row + 1, scene.column + 1)
    if scene.reach is Reach.CELL:
        return tr("cell {row}, {column}", row=row, column=column)
    number = scene.row + 1
    return (
        tr("column {number}", number=number)
        if orientation.columns
        else tr("row {number}", number=number)
    )


def spoken_scene(index: int, scene: Scene, language: str, caption: str) -> str:
    """A scene as a screen reader says it."""
    said = tr(
        "Scene {number}: {title}, {caption}",
        number=index + 1,
        title=scene_title(scene, language),
        caption=caption,
    )
    if scene.question:
        said = tr("{scene}, with a question", scene=said)
    return tr("{scene}, a new group", scene=said) if scene.breakpoint else said


def panel_name(panel: str) -> str:
    """A panel that a scene may show."""
    return tr_marked(PANEL_NAMES[panel])


def grain_name(grain: Grain | None) -> str:
    """How a scene goes on."""
    return tr_marked(GRAIN_NAMES["" if grain is None else str(grain)])
