"""Colour scales of the numbers that have been reached, so that colours give no others away."""

from __future__ import annotations

from gui.painting.color_scale import Levels, reached_levels
from gui.session.state import State


def stage_levels_reached(state: State, stage_id: str) -> Levels:
    """Return the scale of a stage over the numbers of all heads that a view may show."""
    extent = state.reached_extent(stage_id, state.trace[stage_id].shape[-2:])
    return reached_levels(state.trace, stage_id, extent)
