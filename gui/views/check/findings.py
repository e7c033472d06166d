"""What the panel shows of the marks: a chip for each stage that is written in, a line for each slip."""

from __future__ import annotations

from core.check import FOLLOWS, RIGHT, WRONG, Report, Slip
from gui.session.state import State
from gui.texts.mistakes import slip_text
from gui.texts.names import stage_name, stage_symbol
from gui.texts.translation import tr
from gui.views.check.mistakes import Line
from gui.views.check.sheet import Sheet, stages_of
from gui.views.check.stage_chips import Chip
from gui.views.check.wording import cell_of, counted, slip_places

VERDICTS = (RIGHT, FOLLOWS, WRONG)


def chips_of(state: State, report: Report | None) -> tuple[Chip, ...]:
    """The stages in which something is written, with how much of it is right once it is marked."""
    return tuple(_chip(state, report, name) for name in stages_of(state) if name in state.entries)


def _chip(state: State, report: Report | None, stage: str) -> Chip:
    right, words = "", []
    if report is not None:
        right = f"{report.count(RIGHT, stage) + report.count(FOLLOWS, stage)} / "
        words = [counted(verdict, n) for verdict in VERDICTS if (n := report.count(verdict, stage))]
    symbol = stage_symbol(stage, state.document.scale.kind, state.orientation)
    spoken = tr("{stage}: {counts}", stage=stage_name(stage), counts=tr(" · ").join(words))
    return Chip(stage, f"{symbol}  {right}{len(state.entries[stage])}", spoken)


def counts_of(report: Report | None, stage: str) -> dict[str, int]:
    """How many numbers of a stage have each verdict."""
    return {verdict: report.count(verdict, stage) if report else 0 for verdict in VERDICTS}


def lines_of(state: State, report: Report | None, stage: str, sheet: Sheet) -> tuple[Line, ...]:
    """The slips behind the wrong numbers of a stage; none while steps are to be predicted."""
    slips = () if report is None or state.hidden is not None else report.slips
    return tuple(_line(slip, state, sheet) for slip in slips if slip.stage == stage)


def _line(slip: Slip, state: State, sheet: Sheet) -> Line:
    tone = (
        "value"
        if slip.harmless
        else "accent"
        if slip.id in ("carried", "rounding.early")
        else "error"
    )
    cells = tuple(cell_of(slip.stage, index) for index in slip.cells)
    return Line(slip_text(slip, state.orientation), slip_places(slip, sheet), cells, tone)
