"""The one or two panels that a presentation shows at a step, and their layout. Free of Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.document.parts import is_stage
from core.lesson.lesson import PANELS, USUAL_VIEW, PanelSplit
from core.lesson.model import SHARES
from gui.session.state import Preferences, State

AUTO, STACKED, SIDE_BY_SIDE = "+", "/", "|"
WIDE = 1.5  # width to height from which two panels fit side by side

# Relative heights and widths of panels.
_HEIGHTS = {
    "diagram": 0.66,
    "stage": 1.0,
    "derivation": 0.52,
    "heatmap": 0.8,
    "code": 0.5,
    "lab": 1.0,
    "page": 0.7,
}
_WIDTHS = {
    "diagram": 1.0,
    "stage": 1.0,
    "derivation": 0.75,
    "heatmap": 0.62,
    "code": 0.75,
    "lab": 1.0,
    "page": 0.8,
}


@dataclass(frozen=True, slots=True)
class PresentedViews:
    """One or two different panels; `layout` of two is AUTO, STACKED or SIDE_BY_SIDE.

    `percent` is the first one's share, 0 for the usual one.
    """

    panels: tuple[str, ...] = USUAL_VIEW
    layout: str = AUTO
    percent: int = 0

    def __str__(self) -> str:
        return self.layout.join(self.panels) + (f"@{self.percent}" if self.percent else "")

    def is_side_by_side(self, aspect: float) -> bool:
        """Whether two panels are side by side in an area of this width to height."""
        if self.layout == AUTO:
            return "heatmap" in self.panels and "diagram" not in self.panels and aspect >= WIDE
        return self.layout == SIDE_BY_SIDE

    def share(self, aspect: float) -> float:
        """The first panel's share of the height or width."""
        if self.percent:
            return self.percent / 100
        wants = _WIDTHS if self.is_side_by_side(aspect) else _HEIGHTS
        first, *rest = (wants[panel] for panel in self.panels)
        return first / (first + sum(rest))


DEFAULT_VIEWS = PresentedViews()
# The views that the key V cycles through.
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
    """Parse a saved choice such as "stage" or "diagram/stage@60"; None where it is invalid."""
    text, _, share = text.partition("@")
    percents = [str(percent) for percent in range(SHARES[0], SHARES[1] + 1)]
    if share and share not in percents:
        return None
    for way in (AUTO, STACKED, SIDE_BY_SIDE):
        panels = tuple(text.split(way))
        if len(panels) == 2 and len(set(panels)) == 2 and all(panel in PANELS for panel in panels):
            return PresentedViews(panels, way, int(share or 0))
    return PresentedViews((text,)) if text in PANELS and not share else None


_LAYOUTS = {"": AUTO, "stacked": STACKED, "side_by_side": SIDE_BY_SIDE}


def views_of_scene(state: State) -> PresentedViews:
    """The views that the lesson states for the current scene."""
    split = PanelSplit() if state.scene is None else state.scene.scene.split
    return PresentedViews(state.view, _LAYOUTS[split.layout], split.share)


def split_of(choice: PresentedViews) -> PanelSplit:
    """How a lesson states the layout and the share of views."""
    layout = next(name for name, way in _LAYOUTS.items() if way == choice.layout)
    return PanelSplit(layout, choice.percent)


STEP = 5  # per cent that one key press moves the split


def with_split_moved(choice: PresentedViews, by: int, aspect: float) -> PresentedViews:
    """The first of two panels larger or smaller by some steps."""
    now = round(choice.share(aspect) * 100 / STEP) * STEP
    return replace(choice, percent=min(max(now + by * STEP, SHARES[0]), SHARES[1]))


def are_valid_views(saved: tuple[tuple[str, str], ...]) -> bool:
    """Whether every entry of the preference is a stage with valid views."""
    return all(is_stage(stage) and parse_views(text) is not None for stage, text in saved)


def views_for_stage(preferences: Preferences, stage_id: str) -> PresentedViews:
    """The views chosen for a stage, or the default."""
    text = dict(preferences.presented).get(stage_id, "")
    return parse_views(text) or DEFAULT_VIEWS


def with_stage_views(
    preferences: Preferences, stage_id: str, choice: PresentedViews
) -> tuple[tuple[str, str], ...]:
    """The preference `presented` with other views for a stage; the default has no entry."""
    saved = {**dict(preferences.presented), stage_id: str(choice)}
    if choice == DEFAULT_VIEWS:
        del saved[stage_id]
    return tuple(sorted(saved.items()))


def presented_views(state: State, own: dict[int, PresentedViews]) -> PresentedViews:
    """The views shown now: the chosen ones, with the worked sum where it is always shown."""
    choice = chosen_views(state, own)
    if state.preferences.presented_text > 100 and choice == DEFAULT_VIEWS:
        choice = PresentedViews(("stage",))  # larger text leaves no room for both
    return with_worked_sum(choice) if state.preferences.presented_sum else choice


def chosen_views(state: State, own: dict[int, PresentedViews]) -> PresentedViews:
    """The views chosen at this scene, else the scene's own, else the stage's."""
    if state.scene_index is not None:
        return own.get(state.scene_index) or views_of_scene(state)
    return (
        views_for_stage(state.preferences, state.cursor.stage)
        if is_chosen_here(state)
        else DEFAULT_VIEWS
    )


def is_chosen_here(state: State) -> bool:
    """Whether the preference was set for this experiment; "" is the open one without a file."""
    return state.preferences.presented_for == str(state.path or "")


def next_views(choice: PresentedViews) -> PresentedViews:
    """The next views of the cycle."""
    plain = PresentedViews(choice.panels)
    return CYCLE[(CYCLE.index(plain) + 1) % len(CYCLE)] if plain in CYCLE else DEFAULT_VIEWS


def with_worked_sum(choice: PresentedViews) -> PresentedViews:
    """The worked sum beside the matrices, or beside the first panel; a lab has none."""
    if {"derivation", "lab"} & set(choice.panels):
        return choice
    kept = "stage" if "stage" in choice.panels else choice.panels[0]
    return PresentedViews((kept, "derivation"))


def with_first_panel(choice: PresentedViews, panel: str) -> PresentedViews:
    """Replace the first panel; the second one stays unless it is the same."""
    others = (other for other in choice.panels[1:] if other != panel)
    return replace(choice, panels=(panel, *others), percent=0)


def with_second_panel(choice: PresentedViews, panel: str) -> PresentedViews:
    """Replace the second panel, or remove it ("")."""
    first = choice.panels[0]
    panels = (first, panel) if panel and panel != first else (first,)
    return replace(choice, panels=panels, percent=0)
