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
from gui.painting.pixmap_cache import draw_cached

# As in every matrix that is shown, columns and pairs of columns (p) count from 1; a position t from 0.
_FORMULAS = {
    "X": r"X \in \mathbb{R}^{n \times d}",
    "P": r"P_{t,2p-1} = \sin\frac{t}{BASE^{2(p-1)/d}} \quad P_{t,2p} = \cos\frac{t}{BASE^{2(p-1)/d}}",
    "P:learned": r"P \in \mathbb{R}^{n \times d}",
    "input": r"X' = X + P",
    "X_context": r"X^{C} \in \mathbb{R}^{m \times d}",
    "P_context:learned": r"P^{C} \in \mathbb{R}^{m \times d}",
    "input_context": r"{X'}^{C} = X^{C} + P^{C}",
    "Q": r"Q_{ij} = \sum_{p=1}^{d} SOURCE_{ip}\, W^{Q}_{pj}",
    "K": r"K_{ij} = \sum_{p=1}^{d} SOURCE_{ip}\, W^{K}_{pj}",
    "V": r"V_{ij} = \sum_{p=1}^{d} SOURCE_{ip}\, W^{V}_{pj}",
    "Q_rot": r"\begin{pmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{pmatrix}"
    r"\begin{pmatrix} q_{2p-1} \\ q_{2p} \end{pmatrix}, \quad \theta = \frac{t}{BASE^{2(p-1)/d_k}}",
    "scores": r"S_{ij} = \sum_{p=1}^{d_k} Q_{ip}\, K_{jp}",
    "scaled": r"\frac{QK^{\top}}{\sqrt{d_k}} = \frac{QK^{\top}}{\sqrt{ROOT}}",
    "scaled:factor": r"S'_{ij} = c \, S_{ij}",
    "biased": r"S'_{ij} = S_{ij} - m \left| i - j \right|",
    "masked": r"S'_{ij} = S_{ij} + M_{ij}, \quad M_{ij} \in \{ 0, -\infty \}",
    "exp": r"E_{ij} = POWER^{\,s_{ij} - \max\, s_{i}}",
    "exp:plain": r"E_{ij} = POWER^{\,s_{ij}}",
    "weights": r"A_{ij} = \frac{E_{ij}}{\sum_{l} E_{il}}",
    "heads": r"(AV)_{ij} = \sum_{l=1}^{n} A_{il}\, V_{lj}",
    "concat": r"C = \left[ A_1 V_1 \;\cdots\; A_h V_h \right]",
    "Y": r"Y = AV",
    "Y:concat": r"Y = C",
    "Y:projected": r"Y_{ij} = \sum_{p=1}^{h d_v} C_{ip}\, W^{O}_{pj}",
}

# With tokens as columns: i is a row and j a column as they are seen, so that a feature or a key comes first.
_COLUMN_FORMULAS = {
    **_FORMULAS,
    "X": r"X \in \mathbb{R}^{d \times n}",
    "P": r"P_{2p-1,t} = \sin\frac{t}{BASE^{2(p-1)/d}} \quad P_{2p,t} = \cos\frac{t}{BASE^{2(p-1)/d}}",
    "P:learned": r"P \in \mathbb{R}^{d \times n}",
    "X_context": r"X^{C} \in \mathbb{R}^{d \times m}",
    "P_context:learned": r"P^{C} \in \mathbb{R}^{d \times m}",
    "Q": r"Q_{ij} = \sum_{p=1}^{d} W^{Q}_{ip}\, SOURCE_{pj}",
    "K": r"K_{ij} = \sum_{p=1}^{d} W^{K}_{ip}\, SOURCE_{pj}",
    "V": r"V_{ij} = \sum_{p=1}^{d} W^{V}_{ip}\, SOURCE_{pj}",
    "scores": r"S_{ij} = \sum_{p=1}^{d_k} K_{pi}\, Q_{pj}",
    "scaled": r"\frac{K^{\top}Q}{\sqrt{d_k}} = \frac{K^{\top}Q}{\sqrt{ROOT}}",
    "exp": r"E_{ij} = POWER^{\,s_{ij} - \max\, s_{\cdot j}}",
    "weights": r"A_{ij} = \frac{E_{ij}}{\sum_{l} E_{lj}}",
    "heads": r"(VA)_{ij} = \sum_{l=1}^{n} V_{il}\, A_{lj}",
    "concat": r"C = \begin{bmatrix} V_1 A_1 \\ \vdots \\ V_h A_h \end{bmatrix}",
    "Y": r"Y = VA",
    "Y:projected": r"Y_{ij} = \sum_{p=1}^{h d_v} W^{O}_{ip}\, C_{pj}",
}

_COLUMN_FLAT = {"concat": r"C = \left[ V_1 A_1 ;\; \cdots ;\; V_h A_h \right]"}

_LIMITS = re.compile(r"\\sum_\{(\w)=1\}\^\{[^}]*\}")


def formula(
    document: Document, stage_id: str, *, flat: bool = False, orientation: Orientation = ROWS
) -> str:
    """The LaTeX of a stage as this experiment uses it and as it is seen; `flat` leaves out where a sum ends."""
    if stage_id in ("Q", "K", "V") and document.source == "qkv":
        letter = "n" if stage_id == "Q" else document.letters("m")[0]
        rows, columns = orientation.pair(letter, f"d_{'v' if stage_id == 'V' else 'k'}")
        return rf"{stage_id} \in \mathbb{{R}}^{{{rows} \times {columns}}}"
    base = f"{document.positional.base:.6g}"
    formulas = _COLUMN_FORMULAS if orientation.columns else _FORMULAS
    text = (
        formulas[_variant(document, stage_id)]
        .replace("BASE", base)
        .replace("SOURCE", _source(document, stage_id))
    )
    text = text.replace("ROOT", str(document.k)).replace("POWER", _power(document))
    if stage_id == "K_rot":
        text = text.replace("q_", "k_")
    if stage_id == "P_context":
        text = text.replace("P_{", "P^{C}_{")
    if stage_id == "heads":
        text = text.replace("^{n}", f"^{{{document.letters('m')[0]}}}")
    if flat and orientation.columns:
        text = _COLUMN_FLAT.get(stage_id, text)
    if flat:
        text = _LIMITS.sub(r"\\sum_{\1}", text)
    return text + _bias(document, stage_id, orientation)


def _source(document: Document, stage_id: str) -> str:
    """What is projected: the tokens, or for keys and values the context, with their positions where they have some."""
    kind, other = document.positional.kind, document.context is not None and stage_id in ("K", "V")
    added = kind == "sinusoidal" or (
        kind == "learned" and not (other and document.tensor("P_context") is None)
    )
    if other:
        return "{X'}^{C}" if added else "X^{C}"
    return "X'" if added else "X"


def _power(document: Document) -> str:
    """The base of the softmax; several digits stay together."""
    base = document.softmax.base
    return base if len(base) == 1 else f"{{{base}}}"


def _variant(document: Document, stage_id: str) -> str:
    kind = {
        **dict.fromkeys(("P", "P_context"), document.positional.kind),
        "scaled": document.scale.kind,
    }.get(stage_id, "")
    if stage_id == "exp" and not document.softmax.shift:
        kind = "plain"
    if stage_id == "Y":
        kind = "projected" if document.W_O is not None else "concat" if document.h > 1 else ""
    if stage_id in ("K_rot", "P_context") and f"{stage_id}:{kind}" not in _FORMULAS:
        return {"K_rot": "Q_rot", "P_context": "P"}[stage_id]
    return f"{stage_id}:{kind}" if f"{stage_id}:{kind}" in _FORMULAS else stage_id


def _bias(document: Document, stage_id: str, orientation: Orientation) -> str:
    index, _ = orientation.pair("j", "i")
    if stage_id == "Y":
        return f" + b^{{O}}_{{{index}}}" if document.b_O is not None else ""
    name = f"b_{stage_id}"
    given = stage_id in ("Q", "K", "V") and any(
        getattr(head, name) is not None for head in document.heads
    )
    return f" + b^{{{stage_id}}}_{{{index}}}" if given else ""


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
