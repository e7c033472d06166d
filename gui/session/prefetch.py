"""Work out beside the window what views ask first of a large trace: color scales, small images,
and load the typesetter of formulas.
"""

from __future__ import annotations

from importlib import import_module

from core.compute.trace import Trace
from core.document.orientation import Orientation
from gui.painting.color_scale import scores_behind, stage_levels
from gui.painting.matrix_image import IMAGE_SIZES, matrix_image
from gui.painting.theme import colours

WORTH_IT = 1 << 18  # numbers of a stage that take a moment to look through


def prefetch(trace: Trace, head: int, shade: str, orientation: Orientation) -> None:
    """Make what the diagram shows of one head's stages, so that its next picture finds it made."""
    for name in trace:
        if trace[name].size < WORTH_IT:
            continue
        values, scores = (
            orientation.matrix(trace.matrix(name, head)),
            scores_behind(trace, name, head),
        )
        behind = None if scores is None else orientation.matrix(scores)
        levels = stage_levels(trace, name)
        for size in IMAGE_SIZES[:2]:  # as cards fit, and zoomed
            if size < max(values.shape):  # cells are averaged, which takes long
                matrix_image(values, levels, colours(shade), size, behind)
    # A step that imported it would wait 0.1 s, in a thread as well: the import holds the GIL.
    import_module("ziamath.zmath")
