"""One picture of the widget: the ground, the cards, and what moves over them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QPainter

from gui.painting.theme import colours
from gui.session.state import State
from gui.views.diagram.animator import Player
from gui.views.diagram.camera import Camera
from gui.views.diagram.canvas import Canvas
from gui.views.diagram.scene import Look, Status
from gui.views.diagram.shapes import Layout


@dataclass(frozen=True, slots=True)
class PictureNow:
    """What is painted: a state where it lies, through a camera, while the player may move something."""

    canvas: Canvas
    player: Player
    state: State
    where: Layout
    camera: Camera

    def paint(self, painter: QPainter) -> None:
        """All of it, from pixmaps as far as nothing has changed."""
        self.canvas.paint_ground(painter, self.state, self.where, self.camera)
        self._paint_cards(painter)
        if self.player.running:
            self._paint_moving(painter)

    def _paint_cards(self, painter: QPainter) -> None:
        motion, progress = self.player.motion, self.player.progress
        for look in self.canvas.looks(self.state, self.where):
            if motion is None or look.status is not Status.HERE or progress >= motion.meet:
                self.canvas.paint_card(painter, look, self.camera, self.state.shade)
            else:
                self._paint_held(painter, look)

    def _paint_held(self, painter: QPainter, look: Look) -> None:
        """The current card as it was until the operands have met; a line may pass over it."""
        from gui.views.diagram.animation_painter import swept
        from gui.views.diagram.animation_primitives import Sweep

        motion, shade = self.player.motion, self.state.shade
        assert motion is not None
        held = self.canvas.looks(self.state, self.where, motion.held)
        before = next(one for one in held if one.status is Status.HERE)
        self.canvas.paint_card(painter, before, self.camera, shade)
        if isinstance(motion.act, Sweep):
            area = swept(motion.act, motion.result, motion.way(self.player.progress))
            painter.save()
            painter.setClipRect(self.camera.to_screen(area))
            self.canvas.paint_card(painter, look, self.camera, shade)
            painter.restore()

    def _paint_moving(self, painter: QPainter) -> None:
        from gui.views.diagram.motion_painter import paint_flash, paint_motion

        state, player, camera = self.state, self.player, self.camera
        theme = colours(state.shade)
        painter.save()
        painter.translate(camera.dx, camera.dy)
        painter.scale(camera.scale, camera.scale)
        if player.motion is not None:
            paint_motion(painter, player.motion, player.progress, state, theme, camera.scale)
        if player.changed:
            paint_flash(painter, player.changed, player.brightness, state, self.where, theme)
        painter.restore()
