"""What the hall sees at a step: one panel or two, and how they stand. Free of Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.document.parts import STAGE_AXES
from core.lesson.lesson import PANELS, USUAL_VIEW
from gui.session.state import Preferences, State

AUTO, STACKED, SIDE_BY_SIDE = "+", "/", "|"
WIDE = 1.5  # width to height from which a picture has room for two panels side by side

# How much of the height, or of the width, a panel wants beside another.
_HEIGHTS = {
    "diagram": 0.66,
    "stage": 1.0,
    "derivation": 0.52,
    "heatmap": 0.8,
    "code": 0.5,
    "lab": 1.0,
}
_WIDTHS = {
    "diagram": 1.0,
    "stage": 1.0,
    "derivation": 0.75,
    "heatmap": 0.62,
    "code": 0.75,
    "lab": 1.0,
}


@dataclass(frozen=True, slots=True)
class PresentedViews:
    """One or two different panels; `way` is how two of them stand, or AUTO."""

    panels: tuple[str, ...] = USUAL_VIEW
    layout: str = AUTO

    def __str__(self) -> str:
        return self.layout.join(self.panels)

    def is_side_by_side(self, aspect: float) -> bool:
        """Whether two panels stand side by side in a room of this width to height."""
        if self.layout == AUTO:
            return "heatmap" in self.panels and "diagram" not in self.panels and aspect >= WIDE
        return self.layout == SIDE_BY_SIDE

    def share(self, aspect: float) -> float:
        """The first panel's part of the height, or of the width."""
        wants = _WIDTHS if self.is_side_by_side(aspect) else _HEIGHTS
        first, *rest = (wants[panel] for panel in self.panels)
        return first / (first + sum(rest))


DEFAULT_VIEWS = PresentedViews()
# What the key V goes through.
CYCLE = (
    DEFAULT_VIEWS,
    PresentedViews(("diagram",)),
    PresentedViews(("stage",)),
    PresentedViews(("derivation",)),
    PresentedViews(("heatmap",)),
    PresentedViews(("code",)),
    PresentedViews(("stage", "heatmap")),
    PresentedViews(("stage", "code")),
)


def parse_views(text: str) -> PresentedViews | None:
    """A choice as it is kept in the preferences, such as "stage", "diagram/stage"; None for what is none."""
    for way in (AUTO, STACKED, SIDE_BY_SIDE):
        panels = tuple(text.split(way))
        if len(panels) == 2 and len(set(panels)) == 2 and all(panel in PANELS for panel in panels):
            return PresentedViews(panels, way)
    return PresentedViews((text,)) if text in PANELS else None


def are_valid_views(kept: tuple[tuple[str, str], ...]) -> bool:
    """Whether every entry of the preference names a stage and what is shown there."""
    return all(stage in STAGE_AXES and parse_views(text) is not None for stage, text in kept)


def views_for_stage(preferences: Preferences, stage_id: str) -> PresentedViews:
    """What was chosen for a stage, or the usual."""
    text = dict(preferences.presented).get(stage_id, "")
    return parse_views(text) or DEFAULT_VIEWS


def with_stage_views(
    preferences: Preferences, stage_id: str, choice: PresentedViews
) -> tuple[tuple[str, str], ...]:
    """The preference `presented` with another choice for a stage; the usual one needs no entry."""
    kept = {**dict(preferences.presented), stage_id: str(choice)}
    if choice == DEFAULT_VIEWS:
        del kept[stage_id]
    return tuple(sorted(kept.items()))


def presented_views(state: State, own: dict[int, PresentedViews]) -> PresentedViews:
    """What is shown now: what was chosen at this scene, else the scene's own view, else what the stage remembers."""
    if state.scene_index is not None:
        return own.get(state.scene_index) or PresentedViews(state.view)
    return (
        views_for_stage(state.preferences, state.cursor.stage)
        if is_chosen_here(state)
        else DEFAULT_VIEWS
    )


def is_chosen_here(state: State) -> bool:
    """Whether what the preferences remember was chosen for this experiment."""
    chosen = state.preferences.presented_for
    return not chosen or chosen == str(state.path)


def next_views(choice: PresentedViews) -> PresentedViews:
    """The next one of the round."""
    return CYCLE[(CYCLE.index(choice) + 1) % len(CYCLE)] if choice in CYCLE else DEFAULT_VIEWS


def with_first_panel(choice: PresentedViews, panel: str) -> PresentedViews:
    """Another first panel; the second one stays unless it is the same."""
    return replace(
        choice, panels=(panel, *(other for other in choice.panels[1:] if other != panel))
    )


def with_second_panel(choice: PresentedViews, panel: str) -> PresentedViews:
    """Another second panel, or none ("")."""
    first = choice.panels[0]
    return replace(choice, panels=(first, panel) if panel and panel != first else (first,))
