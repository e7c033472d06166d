"""Where in a workbook everything stands that formulas of stages refer to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.document.document import HEAD_TENSORS, Document
from core.exchange.labels import Labels
from core.exchange.sheets import Book, Sheet, Value
from core.stages import Stage
from core.stages.dialect import heads_of

Cell = Callable[[int, int, int], Value]


class Formulas:
    """Gives stages the addresses of their numbers. `prepare` a stage, add its sheet, then ask for its cells."""

    def __init__(self, document: Document, book: Book, labels: Labels) -> None:
        self.document = document
        self.labels = labels
        self.settings: dict[str, str] = {}
        self.head_names = [
            head.name or labels.head.format(number=number)
            for number, head in enumerate(document.heads, 1)
        ]
        self._book = book

    def prepare(self, stage: Stage) -> None:
        """Put the numbers that the stage needs, and no stage holds, into the book."""
        if not stage.entered:
            for name in stage.inputs:
                self._add_input(name)
        stage.kind.prepare_workbook(self, stage)

    def set(self, key: str, name: str, value: Value, remark: str = "") -> None:
        """One more line of the settings, if the key has none yet."""
        if key not in self.settings:
            self.settings[key] = self._book.setting(name, value, remark)

    def source(self, stage: Stage, number: int = 0) -> Sheet:
        """The sheet of a stage that it reads."""
        return self._book.sheets[stage.reads[number]]

    def sheet(self, name: str) -> Sheet:
        """The sheet of a tensor."""
        return self._book.sheets[name]

    def add_table(self, name: str, title: str, values: Sequence[Sequence[float | int]]) -> None:
        """One more sheet of entered numbers, with queries as rows and keys as columns."""
        sheet = self._book.add(name, title, entered=True)
        sheet.lay_out([""], self.document.tokens, self.document.key_tokens)
        for row, entries in enumerate(values):
            for column, value in enumerate(entries):
                sheet.set(0, row, column, value)

    def _add_input(self, name: str) -> None:
        """W_Q and its like: a block for each head; a bias: a row for each head."""
        document = self.document
        if name not in HEAD_TENSORS:
            tensor = document.tensor(name)
            assert tensor is not None, name  # the plan lists only inputs that the document has
            values, blocks = tensor.reshape(1, -1, tensor.shape[-1]), [""]
        elif len(HEAD_TENSORS[name]) == 1:
            values, blocks = heads_of(document, name)[None], [""]
        else:
            values, blocks = heads_of(document, name), self.head_names
        bias_of_heads = name in HEAD_TENSORS and len(HEAD_TENSORS[name]) == 1
        rows = self.head_names if bias_of_heads else _counted(values.shape[1])
        title = f"{name}   {' × '.join(map(str, values.shape[1:]))}"
        sheet = self._book.add(name, title, entered=True)
        sheet.lay_out(blocks, rows, _counted(values.shape[2]))
        for head, matrix in enumerate(values.tolist()):
            for row, numbers in enumerate(matrix):
                for column, value in enumerate(numbers):
                    sheet.set(head, row, column, value)

    def cell_of(self, stage: Stage) -> Cell:
        """The formula, or the entered number, of each cell."""
        if not stage.entered:
            return stage.kind.workbook(self, stage)
        name = stage.inputs[0]
        values = heads_of(self.document, name) if stage.headwise else [self.document.tensor(name)]
        return lambda head, row, column: float(values[head][row, column])  # type: ignore[index]


def _counted(length: int) -> list[str]:
    return [str(number) for number in range(1, length + 1)]
