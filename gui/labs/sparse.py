"""The lab of sparse attention in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.labs.lab import Setting
from core.labs.sparse import Links
from gui.labs import sparse_picture
from gui.labs.exhibit import Exhibit, Shown, Spot
from gui.labs.measured import counted
from gui.texts.translation import mark, tr, tr_marked

LABELS = {
    "kind": mark("Pattern"),
    "reach": mark("Reach to each side"),
    "gap": mark("Every … token"),
    "block": mark("Tokens in a block"),
    "hubs": mark("Global tokens"),
    "extra": mark("Random links a row"),
    "seed": mark("Seed"),
    "n": mark("Tokens n"),
    "layers": mark("Layers"),
    "token": mark("Whose reach"),
}
KINDS = {
    "full": mark("Full"),
    "causal": mark("Causal"),
    "window": mark("Window"),
    "dilated": mark("Dilated window"),
    "block": mark("Blocks"),
    "global": mark("Window and global tokens"),
    "random": mark("Window and random links"),
}
HELP = {
    "gap": mark("2 means that every second neighbour is seen."),
    "hubs": mark("They see every token, and every token sees them."),
    "layers": mark("In each layer a token takes up what its links carry, and keeps what it has."),
}


class SparseExhibit(Exhibit):
    """Grid, layers, chart."""

    labels = LABELS
    helps = HELP

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """The patterns."""
        return tr_marked(KINDS[option])

    def notice(self, shown: Shown) -> str:
        """How many links, and how far they lead."""
        links: Links = shown.result
        count, whole = counted(links.links), counted(links.n**2)
        layers = len(links.layers) - 1
        if links.everywhere is not None and links.everywhere <= 1:
            return tr(
                "{count} of {whole} links: every token sees every token at once.",
                count=count,
                whole=whole,
            )
        if links.everywhere is not None:
            return tr(
                "{count} of {whole} links, and yet after {layers} layers every token has something of all of them.",
                count=count,
                whole=whole,
                layers=links.everywhere,
            )
        if layers == 1:
            return tr(
                "{count} of {whole} links: with one layer token {token} has something of {seen} of {n} tokens.",
                count=count,
                whole=whole,
                token=links.token + 1,
                seen=links.seen,
                n=links.n,
            )
        return tr(
            "{count} of {whole} links: after {layers} layers token {token} has something of {seen} of {n} tokens.",
            count=count,
            whole=whole,
            layers=layers,
            token=links.token + 1,
            seen=links.seen,
            n=links.n,
        )

    def attempt(self, shown: Shown) -> str:
        """Something else for each pattern."""
        kind = shown.setting["kind"]
        if kind == "window":
            return tr(
                "Choose “Window and global tokens”: how many layers does one global token save?"
            )
        if kind == "block":
            return tr(
                "Add layers: why does the reach not grow? What would have to change from layer to layer?"
            )
        if kind == "dilated":
            return tr(
                "Look at the layers: which tokens are never reached, however many layers there are?"
            )
        return tr(
            "Let n grow to 64: which patterns keep a line that rises like n, and which like n²?"
        )

    def paint(self, painter: QPainter, room: QRectF, shown: Shown) -> None:
        """The picture."""
        sparse_picture.paint(painter, room, shown)

    def spots(self, room: QRectF, shown: Shown) -> tuple[Spot, ...]:
        """The rows."""
        return sparse_picture.spots(room, shown)

    def spoken(self, shown: Shown) -> str:
        """How many tokens each layer adds."""
        links: Links = shown.result
        reach = tr(", ").join(str(int(layer.sum())) for layer in links.layers)
        kind = self.option("kind", links.pattern.kind, shown.setting)
        return tr(
            "{kind}. Reached layer by layer: {reach}. {notice}",
            kind=kind,
            reach=reach,
            notice=self.notice(shown),
        )


EXHIBIT = SparseExhibit()
