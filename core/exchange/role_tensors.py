"""The tensors of an experiment among the entries of a page, turned as far as their shapes decide."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.document.document import Context, Document, Head, Positional
from core.exchange.role_names import GIVEN, LEFT_OUT, Part, numbered_role
from core.exchange.sources import Entry

WEIGHTS, PROJECTED, BIASES = ("W_Q", "W_K", "W_V"), ("Q", "K", "V"), ("b_Q", "b_K", "b_V")
NameToken = Callable[[int], str]


class RoleTensors:
    """The entries by role and head, oriented as far as the shapes decide.

    `open` are the entries that fit both ways, `turned` those that fit only transposed. Raises
    UserError "role.missing" (names) and "role.shape" (entry, role, expected, actual).
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        parts: Sequence[Part],
        token: NameToken,
        settled: Collection[int],
    ) -> None:
        self.entries, self.token, self._settled = entries, token, settled
        self.index = {
            (part.role, part.head): i for i, part in enumerate(parts) if part.role != LEFT_OUT
        }
        self.turned = {i for i, part in enumerate(parts) if part.turned}
        self._chosen = frozenset(self.turned)
        self.open: list[int] = []
        self.plain = False
        self.source = self._source()
        self._orient()

    def heads(self, role: str) -> int:
        """How many heads have a tensor of this role."""
        return sum(name == role for name, _ in self.index)

    def _source(self) -> str:
        if self.heads("A"):
            return "weights"
        if any(self.heads(name) for name in PROJECTED):
            self._require(PROJECTED)
            return "qkv"
        self.plain = bool(self.heads("X")) and not any(map(self.heads, WEIGHTS))
        if not self.plain:
            self._require(("X",), heads=1)
            self._require(WEIGHTS)
        return "qkv" if self.plain else "embeddings"

    def _require(self, names: Sequence[str], heads: int = 0) -> None:
        count = heads or max(1, *map(self.heads, names))
        lacking = [
            numbered_role(name, head)
            for head in range(1, count + 1)
            for name in names
            if (name, head) not in self.index
        ]
        if lacking:
            raise UserError("role.missing", known=tuple(lacking))

    def entry(self, role: str, head: int = 1) -> Entry | None:
        """The entry of a role in its orientation."""
        index = self.index.get((role, head))
        if index is None:
            return None
        return self.entries[index].turned() if index in self.turned else self.entries[index]

    def matrix(self, role: str, head: int = 1) -> Array | None:
        """The matrix of a role, as a vector for biases."""
        entry = self.entry(role, head)
        if entry is None:
            return None
        return frozen(entry.matrix.ravel() if role.startswith("b_") else entry.matrix)

    # Orientation

    def _orient(self) -> None:
        if self.source == "embeddings":
            self._orient_weights()
        elif self.source == "qkv" and not self.plain:
            self._orient_projected()
        if self.source != "weights" or self.heads("V"):
            self._orient_output()

    def _orient_weights(self) -> None:
        X = self.index["X", 1]
        weights = [i for (role, _), i in self.index.items() if role in WEIGHTS]
        rows, columns = self._shape(X)
        fits = any(columns in self._shape(i) for i in weights)
        if X not in self._chosen and not fits and all(rows in self._shape(i) for i in weights):
            self.turned.add(X)
            columns = rows
        for i in weights:
            self._fit(i, columns, ("d", "k"))

    def _orient_projected(self) -> None:
        """Take Q, K and V as transposed where only so Q and K have the same columns."""
        every = [i for (role, _), i in self.index.items() if role in PROJECTED]
        q, k = (self._shape(self.index[name, 1]) for name in "QK")
        if q[1] != k[1] and q[0] == k[0] and not self._chosen & set(every):
            self.turned |= set(every)

    def _orient_output(self) -> None:
        index = self.index.get(("W_O", 1))
        value = self.entry("V" if self.source != "embeddings" else "W_V")
        if index is None or value is None:
            return
        own = self.index["V" if self.source != "embeddings" else "W_V", 1]
        width = value.shape[0] if own in self.open and own in self.turned else value.shape[1]
        heads = max(map(self.heads, ("Q", "W_Q", "A")))
        self._fit(index, heads * width, ("h·v", "d"))

    def _shape(self, index: int) -> tuple[int, ...]:
        shape = self.entries[index].shape
        return shape[::-1] if index in self.turned else shape

    def _fit(self, index: int, rows: int, axes: tuple[str, ...]) -> None:
        """Turn a matrix that has `rows` rows only when transposed; note what fits both ways."""
        height, width = self._shape(index)
        if rows not in (height, width):
            entry = self.entries[index]
            raise UserError(
                "role.shape",
                entry=index,
                name=entry.name or axes[0],
                expected=(rows, None),
                actual=(height, width),
                axes=" × ".join(axes),
            )
        if index in self._chosen:
            return
        matrix = self.entries[index].matrix
        if height != rows:
            self.turned.add(index)
        elif width == rows and not np.array_equal(matrix, matrix.T):
            self.open.append(index)

    @property
    def asks(self) -> bool:
        """Whether a matrix that fits both ways may be stored transposed."""
        return any(self.entries[i].linear and i not in self._settled for i in self.open)

    # The experiment

    def variants(self, document: Document) -> Iterable[Document]:
        """The document with each of the settings that no matrix decides, but scale and mask."""
        return (document,)

    def document(self, transposed: bool, split: int = 1) -> Document:
        """The experiment with the open entries as written or transposed. Raises UserError.

        `split` cuts the columns of a single head's tensors into as many heads.
        """
        before = set(self.turned)
        self.turned = before | set(self.open) if transposed else before
        try:
            return self._document(split)
        finally:
            self.turned = before

    def can_split(self, count: int) -> bool:
        """Whether a single head's projections can be cut into several heads."""
        names = {"embeddings": WEIGHTS, "qkv": PROJECTED}.get(self.source, ())
        found = [self.matrix(name) for name in names] if not self.plain else []
        whole = all(matrix is not None and matrix.shape[1] % count == 0 for matrix in found)
        return bool(found) and whole and max(map(self.heads, names)) == 1

    def _document(self, split: int) -> Document:
        names = {"embeddings": (*WEIGHTS, *BIASES), "qkv": PROJECTED, "weights": ("A", "V")}
        given = names[self.source]
        if self.plain:
            X = self.matrix("X")
            heads: tuple[Head, ...] = (Head(Q=X, K=X, V=X),)
        else:
            count = max(map(self.heads, given)) * split
            heads = tuple(Head(**self._of_head(given, head, split)) for head in range(count))
        shared: dict[str, Any] = {name: self.matrix(name) for name in ("W_O", "b_O")}
        if self.source == "embeddings":
            shared["X"] = self.matrix("X")
            if (P := self.matrix("P")) is not None:
                shared["positional"] = Positional("learned", P=P)
        rows = self._rows("X", "Q", "A")
        return Document(
            self._tokens(rows, ("X", "Q", "A")),
            heads,
            source=self.source,
            context=self._context(rows),
            **shared,
        )

    def _of_head(self, names: Sequence[str], head: int, split: int) -> dict[str, Any]:
        """The tensors of a head, from 0: its own, or its share of the columns of the first's."""
        if split == 1:
            return {GIVEN.get(name, name): self.matrix(name, head + 1) for name in names}
        whole = {name: self.matrix(name) for name in names}
        return {
            name: frozen(np.split(matrix, split, axis=-1)[head])
            for name, matrix in whole.items()
            if matrix is not None
        }

    def _rows(self, *roles: str) -> int:
        entries = (self.entry(role) for role in roles)
        return next(len(entry.matrix) for entry in entries if entry is not None)

    def _context(self, rows: int) -> Context | None:
        """The other sentence, where keys have vectors or a number of their own."""
        if self.source == "embeddings":
            X = self.matrix("X_context")
            if X is None:
                return None
            tokens = self._tokens(X.shape[0], ("X_context",))
            return Context(tokens, X, self.matrix("P_context"))
        if self.plain:
            return None
        entry = self.entry("K" if self.source == "qkv" else "A")
        assert entry is not None
        keys = entry.matrix.shape[0 if self.source == "qkv" else 1]
        labels = entry.row_labels if self.source == "qkv" else entry.column_labels
        values = self.entry("V")
        if keys == rows or (values is not None and len(values.matrix) != keys):
            return None
        return Context(labels if len(labels) == keys else self._named(keys))

    def _tokens(self, rows: int, roles: Sequence[str]) -> tuple[str, ...]:
        """Tokens given as such, else labels of the rows, else made up."""
        lists = [entry.texts for entry in self.entries if entry.texts]
        given = self.entry("tokens")
        tried = [given.texts] if given is not None and "X_context" not in roles else []
        tried += [entry.row_labels for role in roles if (entry := self.entry(role)) is not None]
        if "X_context" in roles:
            tried += lists[1:]
        return next((each for each in tried if len(each) == rows), self._named(rows))

    def _named(self, rows: int) -> tuple[str, ...]:
        return tuple(self.token(number) for number in range(1, rows + 1))
