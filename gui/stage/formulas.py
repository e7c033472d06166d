"""The formula of each stage, typeset from LaTeX to SVG. The typesetter is loaded when first asked for."""

from __future__ import annotations

import re
from functools import lru_cache

from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgRenderer

from core.document import Document

_FORMULAS = {
    "X": r"X \in \mathbb{R}^{n \times d}",
    "P": r"P_{t,2p} = \sin\frac{t}{BASE^{2p/d}} \quad P_{t,2p+1} = \cos\frac{t}{BASE^{2p/d}}",
    "P:learned": r"P \in \mathbb{R}^{n \times d}",
    "input": r"X' = X + P",
    "Q": r"Q_{ij} = \sum_{p=1}^{d} SOURCE_{ip}\, W^{Q}_{pj}",
    "K": r"K_{ij} = \sum_{p=1}^{d} SOURCE_{ip}\, W^{K}_{pj}",
    "V": r"V_{ij} = \sum_{p=1}^{d} SOURCE_{ip}\, W^{V}_{pj}",
    "Q_rot": r"\begin{pmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{pmatrix}"
    r"\begin{pmatrix} q_{2p} \\ q_{2p+1} \end{pmatrix}, \quad \theta = \frac{t}{BASE^{2p/d_k}}",
    "scores": r"S_{ij} = \sum_{p=1}^{d_k} Q_{ip}\, K_{jp}",
    "scaled": r"\frac{QK^{\top}}{\sqrt{d_k}} = \frac{QK^{\top}}{\sqrt{ROOT}}",
    "scaled:factor": r"S'_{ij} = c \, S_{ij}",
    "biased": r"S'_{ij} = S_{ij} - m \left| i - j \right|",
    "masked": r"S'_{ij} = S_{ij} + M_{ij}, \quad M_{ij} \in \{ 0, -\infty \}",
    "exp": r"E_{ij} = e^{\,s_{ij} - \max s_{i}}",
    "weights": r"A_{ij} = \frac{E_{ij}}{\sum_{l} E_{il}}",
    "heads": r"(AV)_{ij} = \sum_{l=1}^{n} A_{il}\, V_{lj}",
    "concat": r"C = \left[ A_1 V_1 \;\cdots\; A_h V_h \right]",
    "Y": r"Y = AV",
    "Y:concat": r"Y = C",
    "Y:projected": r"Y_{ij} = \sum_{p=1}^{h d_v} C_{ip}\, W^{O}_{pj}",
}

_LIMITS = re.compile(r"\\sum_\{(\w)=1\}\^\{[^}]*\}")


def formula(document: Document, stage_id: str, *, flat: bool = False) -> str:
    """The LaTeX of a stage as this experiment uses it; `flat` leaves out where a sum ends."""
    if stage_id in ("Q", "K", "V") and document.source == "qkv":
        return rf"{stage_id} \in \mathbb{{R}}^{{n \times d_{'v' if stage_id == 'V' else 'k'}}}"
    base = f"{document.positional.base:.6g}"
    source = "X'" if document.positional.kind in ("sinusoidal", "learned") else "X"
    text = _FORMULAS[_variant(document, stage_id)].replace("BASE", base).replace("SOURCE", source)
    text = text.replace("ROOT", str(document.k))
    if stage_id == "K_rot":
        text = text.replace("q_", "k_")
    if flat:
        text = _LIMITS.sub(r"\\sum_{\1}", text)
    return text + _bias(document, stage_id)


def _variant(document: Document, stage_id: str) -> str:
    kind = {"P": document.positional.kind, "scaled": document.scale.kind}.get(stage_id, "")
    if stage_id == "Y":
        kind = "projected" if document.W_O is not None else "concat" if document.h > 1 else ""
    if stage_id == "K_rot":
        return "Q_rot"
    return f"{stage_id}:{kind}" if f"{stage_id}:{kind}" in _FORMULAS else stage_id


def _bias(document: Document, stage_id: str) -> str:
    if stage_id == "Y":
        return " + b^{O}_{j}" if document.b_O is not None else ""
    name = f"b_{stage_id}"
    given = stage_id in ("Q", "K", "V") and any(getattr(head, name) is not None for head in document.heads)
    return f" + b^{{{stage_id}}}_{{j}}" if given else ""


_known: dict[tuple[str, str, float], bytes] = {}


def is_ready(latex: str, colour: str, size: float) -> bool:
    """Whether a formula has been typeset already, so that drawing it costs nothing."""
    return (latex, colour, size) in _known


def formula_svg(latex: str, colour: str, size: float) -> bytes:
    """A formula as SVG, kept for the next time. The first one loads the typesetter (about 0.2 s)."""
    key = (latex, colour, size)
    if key not in _known:
        from ziamath.config import config
        from ziamath.zmath import Latex

        config.svg2 = False  # QSvgRenderer draws <symbol> and <use> nearly blank
        _known[key] = Latex(latex, size=size, color=colour).svg().encode("utf-8")
    return _known[key]


@lru_cache(maxsize=64)
def _renderer(latex: str, colour: str, size: float) -> QSvgRenderer:
    return QSvgRenderer(formula_svg(latex, colour, size))


def formula_size(latex: str, colour: str, size: float) -> QSizeF:
    """Width and height of a typeset formula in pixels."""
    return QSizeF(_renderer(latex, colour, size).defaultSize())


def paint_formula(painter: QPainter, rect: QRectF, latex: str, colour: str, size: float) -> None:
    """Draw a formula into a rectangle of its own proportions."""
    _renderer(latex, colour, size).render(painter, rect)
