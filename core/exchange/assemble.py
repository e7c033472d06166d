"""Make an experiment of matrices with roles, and let the printed results decide what is open."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import Context, Document, Head, Mask, Positional, Scale
from core.document.parts import HEAD_TENSORS, STAGE_AXES
from core.exchange.role_names import CHECK, LEFT_OUT
from core.exchange.sources import Entry

_WEIGHTS, _PROJECTED, _BIASES = ("W_Q", "W_K", "W_V"), ("Q", "K", "V"), ("b_Q", "b_K", "b_V")
_MOST_CELLS = 40_000  # scores of an experiment whose readings are compared
# Stages that one name can mean, the most usual first.
_ALIKE = {
    "scores": ("scores", "scaled", "masked"),
    "scaled": ("scaled", "scores", "masked"),
    "masked": ("masked", "scaled", "scores"),
    "heads": ("heads", "concat", "Y"),
    "Y": ("Y", "heads", "concat"),
    "concat": ("concat", "heads", "Y"),
    "weights": ("weights", "exp"),
    "Q": ("Q", "Q_rot"),
    "K": ("K", "K_rot"),
}
_HAIR = 1.02  # half a unit of the last digit, widened for ties


class Part(NamedTuple):
    """A role, the head (from 1) that it belongs to, and whether the matrix is transposed."""

    role: str
    head: int = 1
    turned: bool = False


class Printed(NamedTuple):
    """How many numbers of printed results a reading gives, and of how many."""

    matched: int = 0
    total: int = 0


Result = tuple[str, int, Printed]  # the stage and head (from 0) of a printed result


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One way to read square weights: the experiment, and the printed results that it gives."""

    turned: bool
    document: Document
    trace: Trace | None
    printed: Printed
    results: Mapping[int, Result] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """What follows from entries and roles.

    `document` is None where something is missing (`problem`) or open (`readings`: as written, then
    transposed, of the entries `open`). `faults` are problems by entry, `turned` the entries that are
    transposed, `results` the stage, head (from 0) and matching numbers of each printed result.
    """

    roles: tuple[str, ...]
    document: Document | None = None
    trace: Trace | None = None
    problem: UserError | None = None
    readings: tuple[Reading, ...] = ()
    open: tuple[int, ...] = ()
    turned: frozenset[int] = frozenset()
    faults: Mapping[int, UserError] = field(default_factory=dict)
    results: Mapping[int, Result] = field(default_factory=dict)


NameToken = Callable[[int], str]


def _token(number: int) -> str:
    return f"token {number}"


def parse_parts(roles: Sequence[str]) -> list[Part]:
    """The parts of roles that are known to be valid."""
    found = []
    for role in roles:
        base, turned = role.removesuffix(".T"), role.endswith(".T")
        base, _, number = base.partition(".")
        found.append(Part(base, int(number) if number else 1, turned))
    return found


def assemble(
    entries: Sequence[Entry],
    roles: Sequence[str],
    *,
    transposed: bool | None = None,
    token: NameToken = _token,
    witnesses: Sequence[int] = (),
    settled: Collection[int] = (),
) -> Draft:
    """The experiment that entries make in their roles, and the problems of those that do not fit.

    Square weights may be transposed: `transposed` says it, otherwise the printed results do. The
    results also decide the scale and a causal mask. `witnesses` are entries that are results of
    unknown stages, `settled` entries whose roles a person gave: where no result
    speaks against it they are as written. `token` names the tokens, from 1,
    where the text does not.
    """
    parts = parse_parts(roles)
    draft = Draft(tuple(roles))
    faults = _faults(entries, parts)
    if faults:
        return replace(draft, problem=next(iter(faults.values())), faults=faults)
    try:
        gathered = _Tensors(entries, parts, token, settled)
    except UserError as problem:
        at = problem.data.get("entry")
        return replace(draft, problem=problem, faults={} if at is None else {at: problem})
    return _decided(draft, gathered, _witnesses(parts, witnesses), transposed)


def _faults(entries: Sequence[Entry], parts: Sequence[Part]) -> dict[int, UserError]:
    """Entries that cannot be used, or that two roles of the same head claim."""
    faults: dict[int, UserError] = {}
    first: dict[tuple[str, int], int] = {}
    for index, (entry, part) in enumerate(zip(entries, parts, strict=True)):
        if part.role == LEFT_OUT:
            continue
        if entry.refusal is not None:
            faults[index] = entry.refusal
        elif entry.question is not None:
            faults[index] = entry.question.problem
        other = first.setdefault((part.role, part.head), index)
        if other != index:
            twice = UserError("role.twice", role=_role(part.role, part.head))
            faults |= {other: twice, index: twice}
    return faults


def _role(role: str, head: int) -> str:
    return role if head == 1 else f"{role}.{head}"


class _Tensors:
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
        if self.heads("A") and "A" not in HEAD_TENSORS:
            raise UserError("role.missing", known=("X", *_WEIGHTS))
        if self.heads("A"):
            return "weights"
        if any(self.heads(name) for name in _PROJECTED):
            self._require(_PROJECTED)
            return "qkv"
        self.plain = bool(self.heads("X")) and not any(map(self.heads, _WEIGHTS))
        if not self.plain:
            self._require(("X",), heads=1)
            self._require(_WEIGHTS)
        return "qkv" if self.plain else "embeddings"

    def _require(self, names: Sequence[str], heads: int = 0) -> None:
        count = heads or max(1, *map(self.heads, names))
        lacking = [
            _role(name, head)
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
        weights = [i for (role, _), i in self.index.items() if role in _WEIGHTS]
        rows, columns = self._shape(X)
        fits = any(columns in self._shape(i) for i in weights)
        if X not in self._chosen and not fits and all(rows in self._shape(i) for i in weights):
            self.turned.add(X)
            columns = rows
        for i in weights:
            self._fit(i, columns, ("d", "k"))

    def _orient_projected(self) -> None:
        """Take Q, K and V as transposed where only so Q and K have the same columns."""
        every = [i for (role, _), i in self.index.items() if role in _PROJECTED]
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

    def _fit(self, index: int, rows: int, axes: tuple[str, str]) -> None:
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

    def document(self, transposed: bool) -> Document:
        """The experiment with the open entries as written or transposed. Raises UserError."""
        before = set(self.turned)
        self.turned = before | set(self.open) if transposed else before
        try:
            return self._document()
        finally:
            self.turned = before

    def _document(self) -> Document:
        names = {"embeddings": (*_WEIGHTS, *_BIASES), "qkv": _PROJECTED, "weights": ("A", "V")}
        given = names[self.source]
        if self.plain:
            X = self.matrix("X")
            heads: tuple[Head, ...] = (Head(Q=X, K=X, V=X),)
        else:
            count = max(map(self.heads, given))
            heads = tuple(Head(**self._tensors(given, head)) for head in range(1, count + 1))
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

    def _tensors(self, names: Sequence[str], head: int) -> dict[str, Any]:
        return {name: self.matrix(name, head) for name in names}

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
        if keys == rows:
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


# Printed results

_SETTINGS = tuple(product(("sqrt_dk", "none", "factor"), ("none", "causal")))
Witness = tuple[int, str, int]  # entry, stage ("" for unknown), head (from 1)


def _witnesses(parts: Sequence[Part], more: Sequence[int]) -> list[Witness]:
    given = [
        (i, part.role.removeprefix(CHECK), part.head)
        for i, part in enumerate(parts)
        if part.role.startswith(CHECK)
    ]
    return given + [(i, "", 1) for i in more]


def _decided(
    draft: Draft, tensors: _Tensors, witnesses: Sequence[Witness], transposed: bool | None
) -> Draft:
    """The draft with its experiment, or with the readings between which nothing decides."""
    ways = (False, True) if tensors.open else (False,)
    readings, problems = [], []
    for way in ways:
        try:
            readings.append(_best_reading(tensors, way, witnesses))
        except UserError as problem:
            problems.append(problem)
    if not readings:
        return replace(draft, problem=problems[0])
    chosen, asked = _choice(readings, tensors.asks, transposed)
    if tensors.plain and not (chosen and chosen.printed.matched):
        return replace(draft, problem=UserError("role.missing", known=_WEIGHTS))
    if chosen is None:
        names = tuple(tensors.entries[i].name for i in tensors.open)
        doubt = UserError("role.transposed", known=names)
        return replace(draft, problem=doubt, readings=tuple(readings), open=tuple(tensors.open))
    return replace(
        draft,
        document=chosen.document,
        trace=chosen.trace,
        readings=tuple(readings) if asked else (),
        open=tuple(tensors.open) if asked else (),
        turned=frozenset(tensors.turned | (set(tensors.open) if chosen.turned else set())),
        results=chosen.results,
    )


def _choice(
    readings: Sequence[Reading], asks: bool, transposed: bool | None
) -> tuple[Reading | None, bool]:
    """The reading that a person or the printed results choose, and whether it was a question."""
    if len(readings) == 1:
        return readings[0], False
    if transposed is not None:
        return next(reading for reading in readings if reading.turned == transposed), True
    for one, other in (readings, readings[::-1]):
        if (
            one.printed.matched > 0.9 * one.printed.total
            and 2 * other.printed.matched < other.printed.total
        ):
            return one, asks
    return (None, True) if asks else (readings[0], False)


def _best_reading(tensors: _Tensors, turned: bool, witnesses: Sequence[Witness]) -> Reading:
    """The experiment with the scale and mask that give most of the printed results."""
    document = tensors.document(turned)
    if document.h * document.n * document.m > _MOST_CELLS:
        return Reading(turned, document, None, Printed())
    found: Reading | None = None
    for scale, mask in _SETTINGS if witnesses and document.source != "weights" else _SETTINGS[:1]:
        if mask == "causal" and document.context is not None:
            continue
        if document.source != "weights":
            factor = Scale(scale, 1.0 if scale != "factor" else document.d**-0.5)
            document = document.with_(scale=factor, mask=Mask(mask))
        reading = _reading(tensors.entries, document, turned, witnesses)
        if found is None or reading.printed.matched > found.printed.matched:
            found = reading
    assert found is not None
    return found


def _reading(
    entries: Sequence[Entry], document: Document, turned: bool, witnesses: Sequence[Witness]
) -> Reading:
    trace = run(document)
    results = _results(entries, trace, witnesses)
    matched = sum(printed.matched for _, _, printed in results.values())
    total = sum(printed.total for _, _, printed in results.values())
    return Reading(turned, document, trace, Printed(matched, total), results)


def _results(
    entries: Sequence[Entry], trace: Trace, witnesses: Sequence[Witness]
) -> dict[int, Result]:
    """Stage, head (from 0) and matching numbers of each printed result; none for other shapes."""
    found = {}
    for index, stage, head in witnesses:
        places = _places(trace, entries[index], stage, head - 1)
        if places:
            found[index] = max(places, key=lambda place: place[2].matched)
    return found


def _places(trace: Trace, entry: Entry, stage: str, head: int) -> list[Result]:
    """Where a printed matrix may belong, and how well it agrees: in the stage, or in any ("")."""
    found = []
    for name in (stage,) if stage else _computed(trace):
        if name not in trace.plan:
            continue
        array = trace[name] if trace[name].ndim == 3 else trace[name][None]
        for place in (head,) if stage else range(len(array)):
            if place < len(array) and array[place].shape == entry.matrix.shape:
                matched = int(agreeing(entry, array[place]).sum())
                found.append((name, place, Printed(matched, entry.matrix.size)))
    return found


def _computed(trace: Trace) -> list[str]:
    """The computed stages, those last that pages seldom print."""
    stages = [stage.id for stage in trace.plan if not stage.entered]
    return sorted(stages, key=lambda stage: stage in ("exp", "masked", "concat"))


def agreeing(entry: Entry, array: Array) -> Array:
    """Which printed numbers equal computed ones to the digits written."""
    decimals = entry.decimals
    half = 0.5 * 10.0**-decimals if decimals else 1e-6
    with np.errstate(invalid="ignore"):
        close = np.abs(entry.matrix - array) <= half * _HAIR + 1e-6 * np.abs(array)
    return np.asarray(close | (entry.matrix == array))


def best_stage(entry: Entry, wanted: str, number: int | None, draft: Draft) -> str:
    """The role of a printed result: by its numbers among the stages that its name can mean.

    Where the numbers agree with none, by its name alone if the shape fits; without a name a
    distribution in each row is the weights. "-" for no place.
    """
    best = max(draft.readings, key=lambda reading: reading.printed.matched, default=draft)
    trace, document = best.trace, best.document
    assert trace is not None
    assert document is not None
    heads = range(document.h)
    places = [
        place
        for stage in _ALIKE.get(wanted, (wanted,))
        for head in (heads if wanted else (0,))
        for place in _places(trace, entry, stage, head)
    ]
    if not places:
        return LEFT_OUT
    stage, head, printed = max(places, key=lambda place: place[2].matched)
    if 2 * printed.matched < printed.total if wanted else printed.matched < 0.9 * printed.total:
        if not wanted:
            fits = any(place[0] == "weights" for place in places)
            return f"{CHECK}weights" if fits and entry.is_distribution else LEFT_OUT
        stage, head, _ = places[0]
        if number is not None and 0 < number <= len(heads) and len(STAGE_AXES[stage]) == 3:
            head = number - 1
    return CHECK + _role(stage, head + 1)
