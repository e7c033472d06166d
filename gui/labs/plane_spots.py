"""What can be touched in the picture of the plane: tips of arrows, and the keys in the table."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPointF, QRectF

from core.base.arrays import Array
from core.base.number_format import show
from core.labs.controls import Points, Value
from gui.labs.arrows import Field
from gui.labs.exhibit import Shown, Spot
from gui.labs.plane_picture import arrows, column, key_token, places, query_token
from gui.texts.translation import tr

TIP = 9.0  # half of what can be touched at a tip
STEPS = 80  # of a drag, from the origin to the edge


def spots(room: QRectF, shown: Shown) -> tuple[Spot, ...]:
    """The tips that can be dragged, and the columns of the table, which choose the key that is followed."""
    where, result = places(room, shown), shown.result
    found: list[Spot] = []
    tips = {
        "query": (where.keys, result.query[None]),
        "keys": (where.keys, result.keys),
        "values": (where.values, result.values),
    }
    for kind, control in arrows(shown).items():
        field, points = tips[kind]
        found += [
            _tip(shown, field, control, kind, index, point) for index, point in enumerate(points)
        ]
    cells = [column(where, len(result.weights), place) for place in range(len(result.weights))]
    names = [
        tr(
            "{token}: weight {weight}",
            token=key_token(shown, place),
            weight=show(float(weight), shown.look.decimals),
        )
        for place, weight in enumerate(result.weights)
    ]
    found += [Spot(f"key {p}", cells[p], names[p], "key", str(p)) for p in range(len(cells))]
    return tuple(found)


def _tip(shown: Shown, field: Field, control: Points, kind: str, index: int, point: Array) -> Spot:
    centre = field.at(point)
    letter = {"query": "q", "keys": "k", "values": "v"}[kind]
    token = query_token(shown) if kind == "query" else key_token(shown, index)
    x, y = (show(float(number), shown.look.decimals) for number in point)
    step = field.reach / STEPS
    return Spot(
        id=f"{kind} {index}",
        area=QRectF(centre.x() - TIP, centre.y() - TIP, 2 * TIP, 2 * TIP),
        name=tr("{letter} of {token}: {x}, {y}", letter=letter, token=token, x=x, y=y),
        control=control.id,
        drag=partial(_dragged, field, shown.setting[control.id], index, step),
        nudge=max(3.0, step * field.unit),
    )


def _dragged(
    field: Field, points: tuple[tuple[float, float], ...], index: int, step: float, to: QPointF
) -> Value:
    return (*points[:index], field.value(to, step), *points[index + 1 :])
