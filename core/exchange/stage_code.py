"""The lines that compute a stage, in NumPy or PyTorch, as a person would write them."""

from __future__ import annotations

from collections.abc import Callable

from core.compute.trace import slopes
from core.document.document import Document
from core.document.edits import allowed
from core.document.plan import Stage
from core.exchange.code import Dialect, heads_of, length, pinned, pins, variable


def stage_code(document: Document, stage: Stage, lib: Dialect) -> str:
    """The lines that compute a stage from those before it, and its what-if values."""
    return "\n".join([_CODE[stage.id](document, stage, lib), *pins(document, stage)])


def _entered(document: Document, stage: Stage, lib: Dialect) -> str:
    if stage.headwise:
        return lib.array(stage.id, heads_of(document, stage.inputs[0]))
    return lib.array(stage.id, document.tensor(stage.inputs[0]))


def _positions(document: Document, stage: Stage, lib: Dialect) -> str:
    if stage.entered:
        return _entered(document, stage, lib)
    position = lib.arange(length(document, stage))
    return f"""column = {lib.arange(document.d)}
angle = {position}[:, None] * {float(document.positional.base)!r} ** (-2.0 * (column // 2) / {document.d})
{stage.id} = {lib.name}.where(column % 2 == 0, {lib.name}.sin(angle), {lib.name}.cos(angle))"""


def _add(document: Document, stage: Stage, lib: Dialect) -> str:
    return f"{variable(stage.id)} = {' + '.join(stage.reads)}"


def _project(document: Document, stage: Stage, lib: Dialect) -> str:
    if stage.entered:
        return _entered(document, stage, lib)
    weights, source = stage.inputs[0], variable(stage.reads[0])
    lines = [lib.array(weights, heads_of(document, weights))]
    result = f"{stage.id} = {source} @ {weights}"
    for bias in stage.inputs[1:]:
        lines.append(lib.array(bias, heads_of(document, bias)))
        result += f" + {bias}[:, None, :]"
    return "\n".join([*lines, result])


def _rotate(document: Document, stage: Stage, lib: Dialect) -> str:
    source = stage.reads[0]
    position = lib.arange(length(document, stage))
    left = "  # the last column has no partner: it stays" if document.k % 2 else ""
    return f"""pairs = d_k // 2
angle = {position}[:, None] * {float(document.positional.base)!r} ** (-2.0 * {lib.arange("pairs")} / d_k)
even, odd = {source}[..., 0 : 2 * pairs : 2], {source}[..., 1 : 2 * pairs : 2]
{stage.id} = {lib.copy(source)}{left}
{stage.id}[..., 0 : 2 * pairs : 2] = even * {lib.name}.cos(angle) - odd * {lib.name}.sin(angle)
{stage.id}[..., 1 : 2 * pairs : 2] = even * {lib.name}.sin(angle) + odd * {lib.name}.cos(angle)"""


def _scores(document: Document, stage: Stage, lib: Dialect) -> str:
    return f"scores = {stage.reads[0]} @ {lib.turned.format(stage.reads[1])}"


def _scaled(document: Document, stage: Stage, lib: Dialect) -> str:
    if document.scale.kind == "sqrt_dk":
        return "scaled = scores / d_k**0.5"
    return f"scaled = scores * {float(document.scale.value)!r}"


def _biased(document: Document, stage: Stage, lib: Dialect) -> str:
    if document.context is None:
        places = (
            f"position = {lib.arange('n')}\ndistance = {lib.name}.abs(position[:, None] - position)"
        )
    else:
        places = f"distance = {lib.name}.abs({lib.arange('n')}[:, None] - {lib.arange('m')})"
    return f"""{lib.array("slopes", slopes(document))}
{places}
biased = {stage.reads[0]} - slopes[:, None, None] * distance"""


def _masked(document: Document, stage: Stage, lib: Dialect) -> str:
    mask = document.mask
    if mask.kind == "causal":
        shape = ", ".join(document.letters("nm"))
        allow = f"allow = {lib.name}.tril({lib.name}.ones(({shape}), dtype={lib.boolean}))"
    else:
        allow = lib.array("allow", allowed(document), kind=lib.boolean)
    masked = f"masked = {lib.name}.where(allow, {stage.reads[0]}, -{lib.name}.inf)"
    return f"{allow}  # may the query (row) look at the key (column)?\n{masked}"


def _exp(document: Document, stage: Stage, lib: Dialect) -> str:
    source, softmax = stage.reads[0], document.softmax
    call = {"e": "exp({})", "2": "exp2({})"}.get(
        softmax.base, f"{lib.power}({softmax.base}.0, {{}})"
    )
    call = f"{lib.name}.{call}"
    if not softmax.shift:
        return f"exp = {call.format(source)}"
    lines = [f"highest = {source}.{lib.maximum}"]
    if source == "masked":
        lines.append(
            f"highest = {lib.name}.where({lib.name}.isneginf(highest), 0.0, highest)  # a row may look at nothing"
        )
    return "\n".join([*lines, f"exp = {call.format(f'{source} - highest')}"])


def _weights(document: Document, stage: Stage, lib: Dialect) -> str:
    total = f"total = exp.{lib.total}\n"
    if document.mask.kind == "none" and not pinned(document, "exp"):
        return total + "weights = exp / total"
    where = f"{lib.name}.where"
    return total + f"weights = {where}(total == 0, 0.0, exp / {where}(total == 0, 1.0, total))"


def _heads(document: Document, stage: Stage, lib: Dialect) -> str:
    return "heads = weights @ V"


def _concat(document: Document, stage: Stage, lib: Dialect) -> str:
    if all(head.enabled for head in document.heads):
        return f"concat = {lib.side_by_side.format('heads')}"
    on = [float(head.enabled) for head in document.heads]
    return f"""{lib.array("on", on)}  # a head that is switched off adds 0
concat = {lib.side_by_side.format("heads * on[:, None, None]")}"""


def _output(document: Document, stage: Stage, lib: Dialect) -> str:
    if stage.reads[0] == "heads":
        if document.heads[0].enabled:
            return f"Y = {lib.copy('heads[0]')}"
        return f"Y = {lib.name}.zeros_like(heads[0])  # the head is switched off"
    if document.W_O is None:
        return f"Y = {lib.copy('concat')}"
    lines, result = [lib.array("W_O", document.W_O)], "Y = concat @ W_O"
    if document.b_O is not None:
        lines.append(lib.array("b_O", document.b_O))
        result += " + b_O"
    return "\n".join([*lines, result])


_CODE: dict[str, Callable[[Document, Stage, Dialect], str]] = {
    "X": _entered,
    "P": _positions,
    "input": _add,
    "X_context": _entered,
    "P_context": _positions,
    "input_context": _add,
    "Q": _project,
    "K": _project,
    "V": _project,
    "Q_rot": _rotate,
    "K_rot": _rotate,
    "scores": _scores,
    "scaled": _scaled,
    "biased": _biased,
    "masked": _masked,
    "exp": _exp,
    "weights": _weights,
    "heads": _heads,
    "concat": _concat,
    "Y": _output,
}
