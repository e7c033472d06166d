"""The formula of each stage, typeset from LaTeX to SVG. The typesetter is loaded when first asked for."""

from __future__ import annotations

import re
from functools import cache, lru_cache

import msgspec
from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgRenderer

from core.base.files import resource
from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.stages import plan
from gui.painting.pixmap_cache import draw_cached

_LIMITS = re.compile(r"\\sum_\{(\w)=1\}\^\{[^}]*\}")


def formula(
    document: Document, stage_id: str, *, flat: bool = False, orientation: Orientation = ROWS
) -> str:
    """The LaTeX of a stage as this experiment uses it and as it is seen; `flat` leaves out where a sum ends."""
    stage = plan(document)[stage_id]
    text = stage.kind.entry_formula(document, stage, orientation.columns, flat)
    return _LIMITS.sub(r"\\sum_{\1}", text) if flat else text


# Without a word about it, Qt's PDF writer outlines what its SVG reader fills; this outline cannot be seen.
_UNSEEN = '<svg stroke="#000000" stroke-opacity="0" stroke-width="0.01" '

# The size at which the formulas of the examples are shipped (tools/typeset_formulas.py): the typesetter takes 0.2 s to
# load, and then an ordinary start need not wait for it.
SHIPPED_SIZE = 17.0

# The oldest go first: formulas hold numbers of experiments, and one takes up to 30 kB.
MOST_KNOWN = 200
_known: dict[tuple[str, str, float], bytes] = {}


def is_ready(latex: str, colour: str, size: float) -> bool:
    """Whether a formula has been typeset already, so that drawing it costs nothing."""
    return (latex, colour, size) in _known or _take_shipped(latex, colour, size)


def formula_svg(latex: str, colour: str, size: float) -> bytes:
    """A formula as SVG, kept for the next time. The first one that is not shipped loads the typesetter."""
    if not is_ready(latex, colour, size):
        _keep(latex, colour, size, typeset(latex, colour, size))
    return _known[(latex, colour, size)]


def _keep(latex: str, colour: str, size: float, svg: bytes) -> None:
    while len(_known) >= MOST_KNOWN:
        del _known[next(iter(_known))]
    _known[(latex, colour, size)] = svg


def typeset(latex: str, colour: str, size: float) -> bytes:
    """A formula set anew."""
    from ziamath.config import config
    from ziamath.zmath import Latex

    config.svg2 = False  # QSvgRenderer draws <symbol> and <use> nearly blank
    text: str = Latex(latex, size=size, color=colour).svg()
    return text.replace("<svg ", _UNSEEN, 1).encode("utf-8")


@cache
def shipped() -> dict[str, str]:
    """The files in resources/formulas, by their LaTeX. The colour in them is "currentColor"."""
    return msgspec.json.decode(resource("formulas", "index.json").read_bytes(), type=dict[str, str])


def _take_shipped(latex: str, colour: str, size: float) -> bool:
    if size != SHIPPED_SIZE or latex not in shipped():
        return False
    svg = resource("formulas", shipped()[latex]).read_bytes()
    _keep(latex, colour, size, svg.replace(b"currentColor", colour.encode("ascii")))
    return True


@lru_cache(maxsize=64)
def _renderer(latex: str, colour: str, size: float) -> QSvgRenderer:
    return QSvgRenderer(formula_svg(latex, colour, size))


def formula_size(latex: str, colour: str, size: float) -> QSizeF:
    """Width and height of a typeset formula in pixels."""
    return QSizeF(_renderer(latex, colour, size).defaultSize())


def paint_formula(painter: QPainter, rect: QRectF, latex: str, colour: str, size: float) -> None:
    """Draw a formula into a rectangle of its own proportions."""
    key = latex, colour, size, rect.width(), rect.height()
    draw_cached(
        painter, rect, key, lambda painter: _renderer(latex, colour, size).render(painter, rect)
    )
