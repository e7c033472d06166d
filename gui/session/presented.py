"""What the hall sees at a step: one panel or two, and how they stand. Free of Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.document.parts import STAGE_AXES
from core.lesson.lesson import PANELS, USUAL_VIEW
from gui.session.state import Preferences, State

AUTO, OVER, BESIDE = "+", "/", "|"
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
    way: str = AUTO

    def __str__(self) -> str:
        return self.way.join(self.panels)

    def beside(self, aspect: float) -> bool:
        """Whether two panels stand side by side in a room of this width to height."""
        if self.way == AUTO:
            return "heatmap" in self.panels and "diagram" not in self.panels and aspect >= WIDE
        return self.way == BESIDE

    def share(self, aspect: float) -> float:
        """The first panel's part of the height, or of the width."""
        wants = _WIDTHS if self.beside(aspect) else _HEIGHTS
        first, *rest = (wants[panel] for panel in self.panels)
        return first / (first + sum(rest))


USUAL = PresentedViews()
# What the key V goes through.
ROUND = (
    USUAL,
    PresentedViews(("diagram",)),
    PresentedViews(("stage",)),
    PresentedViews(("derivation",)),
    PresentedViews(("heatmap",)),
    PresentedViews(("code",)),
    PresentedViews(("stage", "heatmap")),
    PresentedViews(("stage", "code")),
)


def choice_of(text: str) -> PresentedViews | None:
    """A choice as it is kept in the preferences, such as "stage", "diagram/stage"; None for what is none."""
    for way in (AUTO, OVER, BESIDE):
        panels = tuple(text.split(way))
        if len(panels) == 2 and len(set(panels)) == 2 and all(panel in PANELS for panel in panels):
            return PresentedViews(panels, way)
    return PresentedViews((text,)) if text in PANELS else None


def are_choices(kept: tuple[tuple[str, str], ...]) -> bool:
    """Whether every entry of the preference names a stage and what is shown there."""
    return all(stage in STAGE_AXES and choice_of(text) is not None for stage, text in kept)


def remembered(preferences: Preferences, stage_id: str) -> PresentedViews:
    """What was chosen for a stage, or the usual."""
    text = dict(preferences.presented).get(stage_id, "")
    return choice_of(text) or USUAL


def with_choice(
    preferences: Preferences, stage_id: str, choice: PresentedViews
) -> tuple[tuple[str, str], ...]:
    """The preference `presented` with another choice for a stage; the usual one needs no entry."""
    kept = {**dict(preferences.presented), stage_id: str(choice)}
    if choice == USUAL:
        del kept[stage_id]
    return tuple(sorted(kept.items()))


def choice_for(state: State, own: dict[int, PresentedViews]) -> PresentedViews:
    """What is shown now: what was chosen at this scene, else the scene's own view, else what the stage remembers."""
    if state.scene_index is not None:
        return own.get(state.scene_index) or PresentedViews(state.view)
    return remembered(state.preferences, state.cursor.stage) if chosen_here(state) else USUAL


def chosen_here(state: State) -> bool:
    """Whether what the preferences remember was chosen for this experiment."""
    chosen = state.preferences.presented_for
    return not chosen or chosen == str(state.path)


def after(choice: PresentedViews) -> PresentedViews:
    """The next one of the round."""
    return ROUND[(ROUND.index(choice) + 1) % len(ROUND)] if choice in ROUND else USUAL


def with_first(choice: PresentedViews, panel: str) -> PresentedViews:
    """Another first panel; the second one stays unless it is the same."""
    return replace(
        choice, panels=(panel, *(other for other in choice.panels[1:] if other != panel))
    )


def with_second(choice: PresentedViews, panel: str) -> PresentedViews:
    """Another second panel, or none ("")."""
    first = choice.panels[0]
    return replace(choice, panels=(first, panel) if panel and panel != first else (first,))
