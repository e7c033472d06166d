"""The formula in each cell of a stage's sheet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.compute.trace import slopes
from core.document.document import HEAD_TENSORS, Document
from core.document.edits import allowed
from core.document.plan import Stage
from core.exchange.code import heads_of
from core.exchange.labels import Labels
from core.exchange.sheets import Book, Sheet, Value

Cell = Callable[[int, int, int], Value]
MASKED = "−∞"


class Formulas:
    """Knows where in the book everything stands. `prepare` a stage, add its sheet, then ask for its cells."""

    def __init__(self, document: Document, book: Book, labels: Labels) -> None:
        self._document = document
        self._book = book
        self._labels = labels
        self._settings: dict[str, str] = {}
        self.head_names = [
            head.name or labels.head.format(number=number)
            for number, head in enumerate(document.heads, 1)
        ]

    def prepare(self, stage: Stage) -> None:
        """Put the numbers that the stage needs, and no stage holds, into the book."""
        document, labels = self._document, self._labels
        if not stage.entered:
            for name in stage.inputs:
                self._add_input(name)
        if stage.id in ("P", "P_context", "Q_rot") and not stage.entered:
            self._set(
                "position_base", labels.base, document.positional.base, document.positional.kind
            )
        if stage.id == "scaled":
            self._add_scale()
        if stage.id == "biased":
            for head, slope in enumerate(slopes(document)):
                self._set(
                    f"slope{head}",
                    f"{labels.slope}: {self.head_names[head]}",
                    float(slope),
                    "ALiBi",
                )
        if stage.id == "masked":
            self._add_mask()
        if stage.id == "exp":
            base = "=EXP(1)" if document.softmax.base == "e" else document.softmax.number
            self._set("softmax_base", labels.base, base, "softmax")
        if stage.id in ("concat", "Y") and "on0" not in self._settings:
            for head, name in enumerate(self.head_names):
                self._set(f"on{head}", name, int(document.heads[head].enabled), labels.on)

    def _set(self, key: str, name: str, value: Value, remark: str = "") -> None:
        if key not in self._settings:
            self._settings[key] = self._book.setting(name, value, remark)

    def _add_scale(self) -> None:
        if self._document.scale.kind == "sqrt_dk":
            self._set("d_k", "d_k", self._document.k)
            self._set("scale", self._labels.scale, f"=1/SQRT({self._settings['d_k']})", "1/√d_k")
        else:
            self._set("scale", self._labels.scale, self._document.scale.value)

    def _add_mask(self) -> None:
        table = allowed(self._document)
        sheet = self._book.add(
            "mask", f"{self._labels.mask}   ({self._labels.allowed})", entered=True
        )
        sheet.lay_out([""], self._document.tokens, self._document.key_tokens)
        for row, entries in enumerate(table.tolist()):
            for column, allow in enumerate(entries):
                sheet.set(0, row, column, int(allow))

    def _add_input(self, name: str) -> None:
        """W_Q and its like: a block for each head; a bias: a row for each head."""
        document = self._document
        if name not in HEAD_TENSORS:
            tensor = document.tensor(name)
            assert tensor is not None, name  # the plan lists only inputs that the document has
            values, blocks = tensor.reshape(1, -1, tensor.shape[-1]), [""]
        elif name.startswith("b_"):
            values, blocks = heads_of(document, name)[None], [""]
        else:
            values, blocks = heads_of(document, name), self.head_names
        rows = (
            self.head_names
            if name.startswith("b_") and name != "b_O"
            else _counted(values.shape[1])
        )
        sheet = self._book.add(
            name, f"{name}   {' × '.join(map(str, values.shape[1:]))}", entered=True
        )
        sheet.lay_out(blocks, rows, _counted(values.shape[2]))
        for head, matrix in enumerate(values.tolist()):
            for row, numbers in enumerate(matrix):
                for column, value in enumerate(numbers):
                    sheet.set(head, row, column, value)

    def cell_of(self, stage: Stage) -> Cell:
        """The formula, or the entered number, of each cell."""
        if stage.entered:
            name = stage.inputs[0]
            values = (
                heads_of(self._document, name) if stage.headwise else [self._document.tensor(name)]
            )
            return lambda head, row, column: float(values[head][row, column])  # type: ignore[index]
        make: Callable[[Stage], Cell] = getattr(self, f"_{_MAKERS.get(stage.id, stage.id)}")
        return make(stage)

    def _source(self, stage: Stage, number: int = 0) -> Sheet:
        return self._book.sheets[stage.reads[number]]

    def _P(self, stage: Stage) -> Cell:
        base, width = self._settings["position_base"], self._document.d
        return lambda head, row, column: (
            f"={('SIN', 'COS')[column % 2]}({row}*{base}^(-2*{column // 2}/{width}))"
        )

    def _input(self, stage: Stage) -> Cell:
        x, p = self._source(stage), self._source(stage, 1)
        return lambda head, row, column: f"={x.cell(0, row, column)}+{p.cell(0, row, column)}"

    def _project(self, stage: Stage) -> Cell:
        x, weights = self._source(stage), self._book.sheets[stage.inputs[0]]
        biases = [self._book.sheets[name] for name in stage.inputs[1:]]

        def cell(head: int, row: int, column: int) -> str:
            bias = "".join(f"+{sheet.cell(0, head, column)}" for sheet in biases)
            return f"=MMULT({x.row(0, row)},{weights.column(head, column)}){bias}"

        return cell

    def _rotate(self, stage: Stage) -> Cell:
        source, base, width = self._source(stage), self._settings["position_base"], self._document.k

        def cell(head: int, row: int, column: int) -> str:
            own, pair = source.cell(head, row, column), column // 2
            if 2 * pair + 1 >= width:
                return f"={own}"
            angle = f"{row}*{base}^(-2*{pair}/{width})"
            other = source.cell(head, row, column + (1, -1)[column % 2])
            return f"={own}*COS({angle}){'-+'[column % 2]}{other}*SIN({angle})"

        return cell

    def _scores(self, stage: Stage) -> Cell:
        queries, keys = self._source(stage), self._source(stage, 1)
        return lambda head, row, column: (
            f"=SUMPRODUCT({queries.row(head, row)},{keys.row(head, column)})"
        )

    def _scaled(self, stage: Stage) -> Cell:
        scores, scale = self._source(stage), self._settings["scale"]
        return lambda head, row, column: f"={scores.cell(head, row, column)}*{scale}"

    def _biased(self, stage: Stage) -> Cell:
        source, settings = self._source(stage), self._settings
        return lambda head, row, column: (
            f"={source.cell(head, row, column)}-{settings[f'slope{head}']}*{abs(row - column)}"
        )

    def _masked(self, stage: Stage) -> Cell:
        source, mask = self._source(stage), self._book.sheets["mask"]
        return lambda head, row, column: (
            f'=IF({mask.cell(0, row, column)}=1,{source.cell(head, row, column)},"{MASKED}")'
        )

    def _exp(self, stage: Stage) -> Cell:
        source, base, softmax = (
            self._source(stage),
            self._settings["softmax_base"],
            self._document.softmax,
        )

        def cell(head: int, row: int, column: int) -> str:
            score = source.cell(head, row, column)
            exponent = f"{score}-MAX({source.row(head, row)})" if softmax.shift else score
            power = f"EXP({exponent})" if softmax.base == "e" else f"{base}^({exponent})"
            return f"=IF(ISNUMBER({score}),{power},0)"

        return cell

    def _weights(self, stage: Stage) -> Cell:
        source = self._source(stage)

        def cell(head: int, row: int, column: int) -> str:
            total = f"SUM({source.row(head, row)})"
            return f"=IF({total}=0,0,{source.cell(head, row, column)}/{total})"

        return cell

    def _heads(self, stage: Stage) -> Cell:
        weights, values = self._source(stage), self._source(stage, 1)
        return lambda head, row, column: (
            f"=MMULT({weights.row(head, row)},{values.column(head, column)})"
        )

    def _concat(self, stage: Stage) -> Cell:
        heads, width = self._source(stage), self._document.v

        def cell(head: int, row: int, column: int) -> str:
            block, place = divmod(column, width)
            return f"=IF({self._settings[f'on{block}']}=1,{heads.cell(block, row, place)},0)"

        return cell

    def _Y(self, stage: Stage) -> Cell:
        source = self._source(stage)
        if "W_O" in stage.inputs:
            return self._project(stage)
        if stage.reads[0] == "heads":
            return lambda head, row, column: (
                f"=IF({self._settings['on0']}=1,{source.cell(0, row, column)},0)"
            )
        return lambda head, row, column: f"={source.cell(0, row, column)}"


_MAKERS: dict[str, Any] = {
    **dict.fromkeys("QKV", "project"),
    **dict.fromkeys(("Q_rot", "K_rot"), "rotate"),
    "P_context": "P",
    "input_context": "input",
}


def _counted(length: int) -> list[str]:
    return [str(number) for number in range(1, length + 1)]
