"""What each stage is, as a formula in LaTeX."""

from __future__ import annotations

from core.document.document import Document
from core.document.plan import Stage

_SYMBOLS = {
    "input": "X'",
    "X_context": "X_C",
    "P_context": "P_C",
    "input_context": "X'_C",
    "Q_rot": "Q'",
    "K_rot": "K'",
    "scores": "S",
    "scaled": "S'",
    "biased": "S''",
    "masked": r"\tilde{S}",
    "exp": "E",
    "weights": "A",
    "heads": "H",
    "concat": "C",
}
_BY_ENTRY = ("biased", "masked", "exp", "weights")
_ENTRY = {"S": "s", "S'": "s'", "S''": "s''", r"\tilde{S}": r"\tilde{s}"}


def symbol(stage_id: str) -> str:
    """The letter under which later formulas speak of a stage."""
    return _SYMBOLS.get(stage_id, stage_id)


def formula(document: Document, stage: Stage) -> str:
    """How the stage comes about, such as S' = S / \\sqrt{d_k}; the letter alone for what was entered."""
    right = "" if stage.entered else _right(document, stage)
    left = f"{symbol(stage.id)}_{{ij}}" if stage.id in _BY_ENTRY else symbol(stage.id)
    return f"{left} = {right}" if right else symbol(stage.id)


def _right(document: Document, stage: Stage) -> str:
    sources = [symbol(name) for name in stage.reads]
    if stage.id in ("Q", "K", "V", "Y"):
        inputs = [*sources[:1], *stage.inputs[:1]]
        return " + ".join([" ".join(inputs), *stage.inputs[1:]])
    if stage.id in _BY_ENTRY[:3]:
        return _of_entries(document, stage.id, _ENTRY[sources[0]])
    waves = r"\bigl(\sin(i\,\omega_c),\ \cos(i\,\omega_c)\bigr)"
    fixed = {
        "P": waves,
        "P_context": waves,
        "input": " + ".join(sources),
        "input_context": " + ".join(sources),
        "Q_rot": r"R_i\,Q_i",
        "K_rot": r"R_j\,K_j",
        "scores": rf"{sources[0]}\,{sources[-1]}^{{\top}}" if sources else "",
        "scaled": _scaled(document),
        "weights": r"E_{ij} \Big/ \sum_m E_{im}",
        "heads": r"A\,V",
        "concat": r"[\,H_1\ \cdots\ H_h\,]",
    }
    return fixed.get(stage.id, "")


def _scaled(document: Document) -> str:
    return (
        r"S / \sqrt{d_k}" if document.scale.kind == "sqrt_dk" else rf"{document.scale.value!r}\,S"
    )


def _of_entries(document: Document, stage_id: str, entry: str) -> str:
    if stage_id == "masked":
        return rf"{entry}_{{ij}} + M_{{ij}},\quad M_{{ij}} \in \{{0, -\infty\}}"
    if stage_id == "biased":
        return rf"{entry}_{{ij}} - \mathrm{{slope}}\cdot|i - j|"
    shift = rf" - \max_m {entry}_{{im}}" if document.softmax.shift else ""
    return rf"{document.softmax.base}^{{\,{entry}_{{ij}}{shift}}}"
