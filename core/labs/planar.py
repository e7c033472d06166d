"""Vectors as points of a plane: as they are up to two dimensions, else their two principal directions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.base.arrays import Array, frozen

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """A linear map to the plane, `directions` (d, 2) orthonormal; `share` of the squared lengths that it keeps."""

    directions: Array
    share: float
    exact: bool

    def __call__(self, vectors: Array) -> Array:
        """Points of vectors.  # (…, d) -> (…, 2)"""
        return np.asarray(vectors @ self.directions)


def projection(vectors: Array) -> Projection:
    """The map that loses least of some vectors.  # (p, d)

    Up to d = 2 nothing is lost. Else the two principal directions about the origin (the right singular vectors with
    the largest singular values, Pearson 1901): the origin stays where it is, so arrows and weighted means remain what
    they are. Each direction points where its largest entry is positive.
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
    """The corners of the convex hull, anticlockwise from the leftmost (Andrew 1979).  # (p, 2) -> (c, 2)

    A single point where all agree, two where they lie on a line.
    """
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return frozen(ordered)
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return frozen(lower[:-1] + upper[:-1])


def _chain(ordered: list[Point]) -> list[Point]:
    """One side of the hull: only turns to the left."""
    side: list[Point] = []
    for point in ordered:
        while len(side) > 1 and _turn(side[-2], side[-1], point) <= 0.0:
            side.pop()
        side.append(point)
    return side


def _turn(a: Point, b: Point, c: Point) -> float:
    """Twice the area of the triangle a b c, positive where it turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
