"""What the panel shows of a state, kept as long as its run is shown: a step back works out no sheet anew."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from gui.painting.cache import RunCache
from gui.session.spoken_cell import spoken_cell
from gui.session.state import State
from gui.views.heatmaps.heatmap_data import Choice, Pane, choose, panes
from gui.views.heatmaps.heatmap_spec import HeatmapSpec, make_sheet, reading_line

MOST = 48  # states
MOST_BYTES = (
    16_000_000  # of masks and differences; a run with more of them keeps only what is shown
)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A choice and its panes; without any of them no sheet. `text` reads the focus out, `said` does so in words."""

    choice: Choice
    panes: tuple[Pane, ...]
    sheet: HeatmapSpec | None
    text: str
    said: str


class KeptSheets:
    """Of one document, its run and the run that it is compared with."""

    def __init__(self) -> None:
        self._kept: RunCache[Shown] = RunCache(MOST)
        self._panes: dict[str, tuple[Choice, tuple[Pane, ...]]] = {}

    def of(self, state: State) -> Shown:
        """What is shown of a state."""
        self.keep_to(state)
        key = (
            state.cursor,
            state.hidden,
            state.focus,
            state.preferences,
            state.language,
            state.shade,
            state.predict,
        )
        return self._kept.get(key, partial(self._made, state))

    def keep_to(self, state: State) -> None:
        """Let go of other runs."""
        if self._kept.keep_to(state.document, state.trace, state.compared):
            self._panes.clear()

    def _made(self, state: State) -> Shown:
        choice = choose(state)
        shown = self._panes_of(choice, state)
        if not shown:
            return Shown(choice, (), None, "", "")
        text = reading_line(state, choice, shown[0])
        said = text
        if choice.then is None and state.focus.tensor == choice.stage.id:
            said = spoken_cell(state, state.focus, standing=False)
        return Shown(choice, shown, make_sheet(state, choice, shown), text, said)

    def _panes_of(self, choice: Choice, state: State) -> tuple[Pane, ...]:
        """The very same ones as before where they would be the same."""
        known = self._panes.get(choice.stage.id)
        if known is None or not choice.gives_same_panes(known[0]):
            known = choice, panes(choice, state.trace)
            if (
                sum(pane.own_bytes for _, kept in (*self._panes.values(), known) for pane in kept)
                > MOST_BYTES
            ):
                self._panes.clear()
                self._kept.clear()
            self._panes[choice.stage.id] = known
        return known[1]
