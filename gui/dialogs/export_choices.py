"""What the export dialog offers, and what comes of it in words."""

from __future__ import annotations

from itertools import islice

from core.explain.timeline import Grain
from core.lesson.lesson import Lesson
from gui.export.options import PARTS, Options
from gui.export.steps import beginning, stops
from gui.session.state import State
from gui.texts.names import stage_name
from gui.texts.translation import mark, tr

PICTURE_SIZE = (1600, 900)
FILM_SIZES = ((960, 540), (1280, 720), (1920, 1080), (3840, 2160))
SPEEDS = ((0.5, "½×"), (1.0, "1×"), (2.0, "2×"), (4.0, "4×"))
FRAMES = (10.0, 20.0, 25.0)  # a second, each a whole number of hundredths, as GIF counts
GRAINS = ((Grain.STAGE, mark("Stage")), (Grain.ROW, mark("Row")), (Grain.CELL, mark("Cell")))
COLUMN_GRAINS = (
    (Grain.STAGE, mark("Stage")),
    (Grain.ROW, mark("Column")),
    (Grain.CELL, mark("Cell")),
)
SHOWS = (
    (PARTS, mark("Diagram and stage")),
    (PARTS[:1], mark("Diagram")),
    (PARTS[1:], mark("Stage view")),
)
HEADS = ((False, mark("The one that is looked at")), (True, mark("And all side by side")))
SUBJECTS = ((True, mark("The lesson’s scenes")), (False, mark("The steps of the experiment")))


def steps_line(state: State, options: Options) -> str:
    """How many steps of the experiment, from which stage to which."""
    first, last = _stages(state, options)
    return tr("{n} steps, from {first} to {last}", n=_count(options), first=first, last=last)


def scenes_line(lesson: Lesson, state: State, options: Options) -> str:
    """How many scenes of the lesson, from which to which."""
    ends = (
        lesson.scenes[index - 1] for index in (options.first, options.last or len(lesson.scenes))
    )
    first, last = (scene.title.of(state.language) or stage_name(scene.stage) for scene in ends)
    if _count(options) == 1:
        return tr("1 scene: {title}", title=first)
    return tr("{n} scenes, from “{first}” to “{last}”", n=_count(options), first=first, last=last)


def _count(options: Options) -> int:
    return (options.last or options.first) - options.first + 1


def _stages(state: State, options: Options) -> tuple[str, str]:
    """The stages of the first and of the last step."""
    trace = state.trace
    if options.grain is Grain.STAGE:
        ids = trace.plan.ids
        return stage_name(ids[options.first - 1]), stage_name(ids[(options.last or 1) - 1])
    line = stops(trace, options.grain, beginning(trace, state.document, options))
    cursors = list(islice(line, options.first - 1, options.last))
    return stage_name(cursors[0].stage), stage_name(cursors[-1].stage)
