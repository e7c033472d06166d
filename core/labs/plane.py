"""Attention in the plane: query, keys and values as arrows, the output as a weighted mean of the
values.

y = Σ α_j v_j with α_j ≥ 0, Σ α_j = 1: y lies in the convex hull of the values. Moving one key
changes its own score only, so y = (1 − α_j)·y₋ⱼ + α_j·v_j moves on the straight line from the mean
of the others, y₋ⱼ, to v_j.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from core.arithmetic import attention
from core.base.arrays import Array, frozen
from core.base.cell import Cell
from core.base.errors import UserError
from core.compute.trace import Trace
from core.document.document import Document, Head
from core.document.edits import with_pin, with_tensor
from core.labs.controls import ChoiceControl, Control, Points, Switch
from core.labs.lab import Lab, Setting, head_choice, traced
from core.stages import softmax_source
from core.stages.scale import scale_factor

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """A linear map to the plane by orthonormal `directions` (d, 2).

    `share` of squared lengths preserved.
    """

    directions: Array
    share: float
    exact: bool

    def __call__(self, vectors: Array) -> Array:
        """Project vectors.  # (…, d) -> (…, 2)"""
        return np.asarray(vectors @ self.directions)


def projection(vectors: Array) -> Projection:
    """Fit the map with the least loss.  # (p, d)

    Up to d = 2 nothing is lost. Else the two principal directions about the origin (the right
    singular vectors with the largest singular values, Pearson 1901): the origin is fixed, so arrows
    and weighted means are preserved. The largest entry of each direction is positive.
    """
    width = vectors.shape[1]
    if width <= 2:
        return Projection(frozen(np.eye(width, 2)), 1.0, True)
    scale = float(np.abs(vectors).max(initial=0.0)) or 1.0
    _, singular, right = np.linalg.svd(vectors / scale, full_matrices=False)
    directions = np.zeros((width, 2))
    directions[:, : len(right[:2])] = right[:2].T
    largest = np.abs(directions).argmax(axis=0)
    directions *= np.where(directions[largest, [0, 1]] < 0.0, -1.0, 1.0)
    whole = float((singular**2).sum())
    share = float((singular[:2] ** 2).sum()) / whole if whole > 0.0 else 1.0
    return Projection(frozen(directions), min(share, 1.0), False)


def hull(points: Array) -> Array:
    """Compute the convex hull, anticlockwise from the leftmost point.  # (p, 2) -> (c, 2)

    One point if all coincide, two if they are collinear (Andrew 1979).
    """
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return frozen(ordered)
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return frozen(lower[:-1] + upper[:-1])


def _chain(ordered: list[Point]) -> list[Point]:
    """Compute one side of the hull, with left turns only."""
    side: list[Point] = []
    for point in ordered:
        while len(side) > 1 and _turn(side[-2], side[-1], point) <= 0.0:
            side.pop()
        side.append(point)
    return side


def _turn(a: Point, b: Point, c: Point) -> float:
    """Compute twice the signed area of the triangle a b c, positive for a left turn."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


MOST = 64  # tokens and keys; more are indistinguishable
MOVABLE = 12  # keys up to which arrows are draggable
STEPS = 81  # positions of a moving key
LEAST_REACH = 4.0
NOTHING = 1e-12  # shorter queries have no direction


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """A key moving along the query's direction.

    `ends` (2, 2) are its first and last position, `outputs` (t, 2) the positions of y, `weights`
    (t,) those of the key; `rest` (2,) is the mean of the other values, the limit of y as the score
    falls.
    """

    ends: Array
    outputs: Array
    weights: Array
    rest: Array


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """One query among m keys.

    Points (…, 2) are projections of longer vectors; scores and weights are exact. `scores` (m,)
    enter the softmax, −∞ if masked. `key_share` and `value_share` are the parts of the squared
    lengths that the projections preserve, 1 if they are `exact`. `reach` is the extent of the
    planes.
    """

    document: Document
    query: Array
    keys: Array
    values: Array
    output: Array
    scores: Array
    weights: Array
    corners: Array
    path: Path | None
    key_share: float
    value_share: float
    key_exact: bool
    value_exact: bool
    key_reach: float
    value_reach: float

    @property
    def sums_to_one(self) -> bool:
        """Return whether y is a mean.

        Not if every key is masked or what-if values change the weights.
        """
        return abs(float(self.weights.sum()) - 1.0) < 1e-9


class PlaneLab(Lab):
    """Controls: draggable arrows for two-dimensional vectors, else head, query and key."""

    id = "plane"

    def experiment(self) -> Document:
        """Return four tokens with well separated vectors."""
        return own()

    def require(self, document: Document) -> None:
        """Accept 2 to MOST tokens and keys."""
        if not (2 <= document.m <= MOST and document.n <= MOST):
            raise UserError("lab.unfit", reason="tokens_2_64")

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Return head, query, followed key, and the arrows of that head and query."""
        document = setting.experiment
        rows, columns = (tuple(map(str, range(count))) for count in (document.n, document.m))
        first = "1" if setting.own else "0"
        row = int(setting.get("row", first))
        return (
            *head_choice(document),
            ChoiceControl("row", rows, first),
            ChoiceControl("key", columns, columns[-1]),
            Switch("path", True),
            *_arrows(document, min(setting.head, document.h - 1), min(row, document.n - 1)),
        )

    def document(self, setting: Setting) -> Document:
        """Return the experiment with moved arrows: entered vectors replaced, computed ones pinned."""
        document = setting.experiment
        head, row = setting.head, int(setting["row"])
        before = traced(document)
        for control in _arrows(document, head, row):
            if setting[control.id] != control.default:
                stage = _stage(before, control.id)
                rows = (row,) if control.id.startswith("query") else tuple(range(document.m))
                document = _moved(
                    document, before, stage, head, rows, np.array(setting[control.id])
                )
        return document

    def compute(self, setting: Setting) -> Plane:
        """Compute the plane of the chosen head and query."""
        document = self.document(setting)
        trace = traced(document)
        head, row = setting.head, int(setting["row"])
        Q, K, V = (trace.matrix(_stage(trace, name), head) for name in ("query", "keys", "values"))
        scores = trace.matrix(softmax_source(trace.plan), head)[row]
        to_keys, to_values = projection(np.vstack([K, Q[row : row + 1]])), projection(V)
        reach, value_reach = _reaches(setting.experiment, head)
        key = min(int(setting["key"]), document.m - 1)
        path = _path(document, Q[row], K, V, scores, key, reach) if setting["path"] else None
        return Plane(
            document=document,
            query=frozen(to_keys(Q[row])),
            keys=frozen(to_keys(K)),
            values=frozen(to_values(V)),
            output=frozen(to_values(trace.matrix("heads", head)[row])),
            scores=frozen(scores),
            weights=frozen(trace.matrix("weights", head)[row]),
            corners=hull(to_values(V)),
            path=path
            and Path(
                ends=frozen(to_keys(path.ends)),
                outputs=frozen(to_values(path.outputs)),
                weights=path.weights,
                rest=frozen(to_values(path.rest)),
            ),
            key_share=to_keys.share,
            value_share=to_values.share,
            key_exact=to_keys.exact,
            value_exact=to_values.exact,
            key_reach=reach,
            value_reach=value_reach,
        )


@cache
def own() -> Document:
    """Build 小明 吃 了 苹果 with entered queries, keys and values of two numbers each."""
    head = Head(
        Q=frozen([[1.5, -0.5], [1.2, 0.9], [0.5, 1.0], [-1.0, 2.0]]),
        K=frozen([[0.5, 2.0], [-1.0, 1.5], [-1.0, -1.5], [2.2, 0.4]]),
        V=frozen([[-2.5, 2.0], [-1.5, -2.0], [1.5, -1.5], [2.5, 2.5]]),
    )
    return Document(
        ("小明", "吃", "了", "苹果"), (head,), title="Attention in the plane", source="qkv"
    )


def _stage(trace: Trace, name: str) -> str:
    """Return the stage of the arrows: the rotated one with rotary positions, because scores use it."""
    letter = {"q": "Q", "k": "K", "v": "V"}[name[0]]
    return f"{letter}_rot" if f"{letter}_rot" in trace else letter


def _arrows(document: Document, head: int, row: int) -> tuple[Points, ...]:
    """List the draggable arrows; none for other vector sizes or too many keys."""
    if document.k != 2 or document.v != 2 or document.m > MOVABLE:
        return ()
    trace = traced(document)
    Q, K, V = (trace.matrix(_stage(trace, name), head) for name in ("query", "keys", "values"))
    reach, value_reach = _reaches(document, head)
    return (
        Points(f"query-{head}-{row}", _tuples(Q[row : row + 1]), reach),
        Points(f"keys-{head}", _tuples(K), reach),
        Points(f"values-{head}", _tuples(V), value_reach),
    )


def _tuples(array: Array) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in array)


def _reaches(document: Document, head: int) -> tuple[float, float]:
    """Compute the extent of both planes from the longest vectors of the original experiment."""
    trace = traced(document)
    Q, K, V = (trace.matrix(_stage(trace, name), head) for name in ("query", "keys", "values"))
    return _reach(np.vstack([Q, K])), _reach(V)


def _reach(vectors: Array) -> float:
    if vectors.shape[1] == 2:
        return max(LEAST_REACH, math.ceil(1.25 * float(np.abs(vectors).max())))
    longest = float(np.sqrt((vectors**2).sum(axis=1)).max())
    return 1.15 * longest if longest > 0.0 else LEAST_REACH


def _moved(
    document: Document, before: Trace, stage: str, head: int, rows: tuple[int, ...], points: Array
) -> Document:
    """Copy the document with other vectors in some rows of a stage."""
    pinned = any(pin.stage == stage for pin in document.pins)
    if before.plan[stage].entered and before.plan[stage].headwise and not pinned:
        tensor = document.tensor(stage, head)
        assert tensor is not None
        changed = np.array(tensor)
        changed[list(rows)] = points
        return with_tensor(document, stage, changed, head)
    for place, row in enumerate(rows):
        for column in range(2):
            cell = Cell(stage, row, column, head)
            if before.value(cell) != points[place, column]:
                document = with_pin(document, cell, float(points[place, column]))
    return document


def _path(
    document: Document, q: Array, K: Array, V: Array, scores: Array, key: int, reach: float
) -> Path | None:
    """Move a key along the direction of q; None if q is 0 or the key is masked."""
    length = float(np.sqrt((q**2).sum()))
    if length < NOTHING or not np.isfinite(scores[key]):
        return None
    along = q / length
    here = float(K[key] @ along)
    places = np.linspace(-reach, reach, STEPS)
    moved = np.repeat(scores[None], STEPS, axis=0)
    moved[:, key] = scores[key] + scale_factor(document) * length * (places - here)
    softmax = document.softmax
    weights = attention.normalise(
        attention.exponentials(moved, base=softmax.number, shift=softmax.shift)
    )
    others = np.array(scores[None])
    others[0, key] = -np.inf
    left = attention.normalise(
        attention.exponentials(others, base=softmax.number, shift=softmax.shift)
    )
    rest = (
        left @ V if left.any() else V[key : key + 1]
    )  # with all others masked, y equals the key's own value
    aside = K[key] - here * along
    ends = np.stack([aside - reach * along, aside + reach * along])
    return Path(ends, weights @ V, frozen(weights[:, key]), rest[0])


LAB = PlaneLab()
