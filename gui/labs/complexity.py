"""The lab of complexity in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.number_format import show
from core.labs.complexity import Bill
from core.labs.lab import Setting
from gui.labs import complexity_picture
from gui.labs.exhibit import Exhibit, Shown
from gui.labs.measured import counted
from gui.labs.memory import bytes_text, seconds_text
from gui.labs.wording import listed
from gui.texts.names import stage_name
from gui.texts.translation import mark, tr, tr_marked

LABELS = {
    "n": mark("Tokens n"),
    "d": mark("Width d"),
    "h": mark("Heads h"),
    "grows": mark("What grows in the chart"),
    "measure": mark("Measure on this machine"),
}
OPTIONS = {"n": mark("n"), "d": mark("d"), "h": mark("h")}
HELP = {
    "n": mark("The counts follow at once; times are measured for the experiment's own sizes."),
    "h": mark("Each head is d ÷ h wide where width or heads are not the experiment's own."),
    "measure": mark(
        "Every stage seven times, the median counts; then whole runs of growing length."
    ),
}


class ComplexityExhibit(Exhibit):
    """The bill and its growth."""

    labels = LABELS
    helps = HELP

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """The axes."""
        return tr_marked(OPTIONS[option])

    def notice(self, shown: Shown) -> str:
        """The dearest stage, and which part grows with the square."""
        bill: Bill = shown.result
        products = sum(cost.count for cost in bill.costs if cost.product) or 1
        pairs = sum(cost.count for cost in bill.costs if cost.stage in ("scores", "heads"))
        share = show(100 * pairs / products, 0)
        dearest = listed([stage_name(cost.stage) for cost in bill.dearest])
        timed = [cost for cost in bill.costs if cost.seconds is not None]
        if timed:
            slowest = max(timed, key=lambda cost: cost.seconds or 0.0)
            return tr(
                "Most operations: {dearest}. Most time on this machine: {slowest}, {time}.",
                dearest=dearest,
                slowest=stage_name(slowest.stage),
                time=seconds_text(slowest.seconds or 0.0),
            )
        return tr(
            "The pairs, {pairs} of them, take {share}% of {total} multiply-adds; most operations: {dearest}.",
            pairs="n²" if bill.document.context is None else "n·m",
            share=share,
            total=counted(bill.total),
            dearest=dearest,
        )

    def attempt(self, shown: Shown) -> str:
        """Measure; then make n larger than d."""
        bill: Bill = shown.result
        if bill.own and not bill.timed:
            return tr(
                "Measure on this machine: is the stage with most operations the slowest, too?"
            )
        return tr(
            "Move n until the pairs take as much as Q, K and V. How large is n then, against d?"
        )

    def paint(self, painter: QPainter, room: QRectF, shown: Shown) -> None:
        """The picture."""
        complexity_picture.paint(painter, room, shown)

    def spoken(self, shown: Shown) -> str:
        """Every stage with its count and memory."""
        bill: Bill = shown.result
        lines = tr("; ").join(
            tr(
                "{stage}: {count} operations, {memory}",
                stage=stage_name(cost.stage),
                count=counted(cost.count),
                memory=bytes_text(cost.size),
            )
            for cost in bill.costs
        )
        return tr("{lines}. {notice}", lines=lines, notice=self.notice(shown))


EXHIBIT = ComplexityExhibit()
