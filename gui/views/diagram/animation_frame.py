"""The diagram at one moment of a step, for films: what the widget shows while a step is on its way."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.session.state import State
from gui.views.diagram.animation_painter import swept
from gui.views.diagram.animation_primitives import Sweep
from gui.views.diagram.cards import paint_card
from gui.views.diagram.motion import Motion, motion_between
from gui.views.diagram.motion_painter import paint_motion
from gui.views.diagram.paint_utils import qrect
from gui.views.diagram.picture import Ground, on_ground
from gui.views.diagram.scene import Look, Status, looks


def paint_moment(
    painter: QPainter,
    rect: QRectF,
    state: State,
    *,
    before: State,
    progress: float,
    whole: bool = True,
) -> None:
    """Draw the diagram while the step from the state `before` is on its way; progress from 0 to 1.

    Where nothing moves between the two it is the still picture.
    """
    with on_ground(painter, rect, state, whole=whole) as ground:
        motion = motion_between(before, state, ground.where)
        for look in looks(state, ground.where):
            if motion is None or look.status is not Status.HERE or progress >= motion.meet:
                paint_card(painter, look, ground.theme, ground.scale)
            else:
                _paint_held(painter, look, motion, progress, state, ground)
        if motion is not None:
            paint_motion(painter, motion, progress, state, ground.theme, ground.scale)


def _paint_held(
    painter: QPainter, look: Look, motion: Motion, progress: float, state: State, ground: Ground
) -> None:
    """The current card as it was until the operands have met; a line may pass over it."""
    held = next(one for one in looks(state, ground.where, motion.held) if one.status is Status.HERE)
    paint_card(painter, held, ground.theme, ground.scale)
    if isinstance(motion.act, Sweep):
        painter.save()
        painter.setClipRect(qrect(swept(motion.act, motion.result, motion.way(progress))))
        paint_card(painter, look, ground.theme, ground.scale)
        painter.restore()
