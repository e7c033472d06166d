"""Formulas of the stages, typeset from LaTeX to SVG. The typesetter is imported on first use."""

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
    """Return the LaTeX of a stage for this experiment; `flat` omits the limits of sums."""
    stage = plan(document)[stage_id]
    text = stage.kind.entry_formula(document, stage, orientation.columns, flat)
    return _LIMITS.sub(r"\\sum_{\1}", text) if flat else text


# Qt's PDF writer outlines all filled shapes of an SVG; this outline is invisible.
_UNSEEN = '<svg stroke="#000000" stroke-opacity="0" stroke-width="0.01" '

# Size of the shipped formulas of the examples (tools/typeset_formulas.py). They save the import of
# the typesetter (0.2 s) on an ordinary start.
SHIPPED_SIZE = 17.0

# Old entries are dropped: formulas contain numbers of experiments, and one takes up to 30 kB.
MOST_KNOWN = 200
_known: dict[tuple[str, str, float], bytes] = {}


def is_ready(latex: str, colour: str, size: float) -> bool:
    """Return whether a formula is cached or shipped, so that drawing it is fast."""
    return (latex, colour, size) in _known or _take_shipped(latex, colour, size)


def formula_svg(latex: str, colour: str, size: float) -> bytes:
    """Return a formula as SVG, cached. The first one that is not shipped imports the typesetter."""
    if not is_ready(latex, colour, size):
        _keep(latex, colour, size, typeset(latex, colour, size))
    return _known[(latex, colour, size)]


def _keep(latex: str, colour: str, size: float, svg: bytes) -> None:
    while len(_known) >= MOST_KNOWN:
        del _known[next(iter(_known))]
    _known[(latex, colour, size)] = svg


def typeset(latex: str, colour: str, size: float) -> bytes:
    """Typeset a formula, without a cache."""
    from ziamath.config import config
    from ziamath.zmath import Latex

    config.svg2 = False  # QSvgRenderer draws <symbol> and <use> nearly blank
    text: str = Latex(latex, size=size, color=colour).svg()
    return text.replace("<svg ", _UNSEEN, 1).encode("utf-8")


@cache
def shipped() -> dict[str, str]:
    """Map LaTeX to the files in resources/formulas, whose colour is "currentColor"."""
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
    """Return the width and height of a typeset formula in pixels."""
    return QSizeF(_renderer(latex, colour, size).defaultSize())


def paint_formula(painter: QPainter, rect: QRectF, latex: str, colour: str, size: float) -> None:
    """Draw a formula into a rectangle of the same proportions."""
    key = latex, colour, size, rect.width(), rect.height()
    draw_cached(
        painter, rect, key, lambda painter: _renderer(latex, colour, size).render(painter, rect)
    )
