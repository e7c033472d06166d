"""Exhibit of the lab `plane`: texts and draggable spots."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPointF, QRectF

from core.base.arrays import Array
from core.labs.controls import Control, Points, Value
from core.labs.lab import Setting
from core.labs.plane import LAB, Plane
from gui.labs import plane_picture
from gui.labs.arrows import Field
from gui.labs.exhibit import Exhibit, LabView, Spot
from gui.labs.plane_picture import arrows, column, key_token, plane_layout, query_token
from gui.labs.wording import leaders, named, with_off
from gui.painting.shapes import square_around
from gui.texts.names import visible_token
from gui.texts.translation import mark, tr, tr_marked

TIP = 9.0  # half the size of a tip's hit area
STEPS = 80  # steps of a drag from the origin to the edge


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the draggable tips, and the table columns, which select the followed key."""
    where, result = plane_layout(area, view), view.result
    found: list[Spot] = []
    tips = {
        "query": (where.keys, result.query[None]),
        "keys": (where.keys, result.keys),
        "values": (where.values, result.values),
    }
    for kind, control in arrows(view).items():
        field, points = tips[kind]
        found += [
            _tip(view, field, control, kind, index, point) for index, point in enumerate(points)
        ]
    cells = [column(where, len(result.weights), place) for place in range(len(result.weights))]
    names = [
        tr(
            "“{token}”: weight {weight}",
            token=key_token(view, place),
            weight=view.show(weight),
        )
        for place, weight in enumerate(result.weights)
    ]
    found += [Spot(f"key {p}", cells[p], names[p], "key", str(p)) for p in range(len(cells))]
    return tuple(found)


def _tip(view: LabView, field: Field, control: Points, kind: str, index: int, point: Array) -> Spot:
    centre = field.at(point)
    letter = {"query": "q", "keys": "k", "values": "v"}[kind]
    token = query_token(view) if kind == "query" else key_token(view, index)
    x, y = (view.show(number) for number in point)
    step = field.reach / STEPS
    return Spot(
        id=f"{kind} {index}",
        area=square_around(centre, TIP),
        name=tr("{letter} of “{token}”: {x}, {y}", letter=letter, token=token, x=x, y=y),
        control=control.id,
        drag=partial(_dragged, field, view.setting[control.id], index, step),
        nudge=max(3.0, step * field.unit),
    )


def _dragged(
    field: Field, points: tuple[tuple[float, float], ...], index: int, step: float, to: QPointF
) -> Value:
    return (*points[:index], field.value(to, step), *points[index + 1 :])


LABELS = {
    "head": mark("Head"),
    "row": mark("Query of"),
    "key": mark("Key to follow"),
    "path": mark("Show where y can go"),
    "query": mark("Query q"),
    "keys": mark("Keys k"),
    "values": mark("Values v"),
}
HELP = {
    "row": mark("Whose query is used."),
    "key": mark("The path of the key along the query's direction, and how y moves meanwhile."),
    "path": mark("The key moves along the dashed line, y along the solid one."),
    "query": mark("Drag the arrow, or select its tip with Tab and move it with the arrow keys."),
    "keys": mark("Drag an arrow, or select its tip with Tab and move it with the arrow keys."),
    "values": mark("Drag a point, or select it with Tab and move it with the arrow keys."),
}


class PlaneExhibit(Exhibit):
    """The query among the keys, and the output among the values."""

    def label(self, control: Control, setting: Setting) -> str:
        """Return the name of a control."""
        return tr_marked(LABELS[_kind(control.id)])

    def entry(self, control_id: str, index: int, setting: Setting) -> str:
        """Name the token of an arrow."""
        document = setting.document
        assert document is not None
        if _kind(control_id) == "query":
            return visible_token(document.tokens[int(setting["row"])])
        return visible_token(document.key_tokens[index])

    def help(self, control_id: str) -> str:
        """Explain how to move arrows and what is followed."""
        return tr_marked(HELP[_kind(control_id)]) if _kind(control_id) in HELP else ""

    def notice(self, view: LabView) -> str:
        """Report the values that contribute most to y."""
        return with_off(_notice(view), view.result.document, view.setting.head)

    def attempt(self, view: LabView) -> str:
        """Suggest dragging a key, the query, a value; without arrows another query."""
        setting, key = view.setting, int(view.setting["key"])
        arrows = {
            _kind(c.id): setting[c.id] == c.default
            for c in LAB.valued(setting)
            if isinstance(c, Points)
        }
        if not arrows:
            return tr("Choose another query: towards which values does y move?")
        if arrows["keys"]:
            return tr(
                "Drag the key of “{key}” along the dashed line: why does y stay on a straight "
                "line?",
                key=key_token(view, key),
            )
        if arrows["query"]:
            return tr("Make the query twice as long without turning it: which key gains?")
        if arrows["values"]:
            return tr("Drag a value out of the hull: where does y go, and by how much?")
        return tr("Can you bring y exactly onto one of the values?")

    paint = staticmethod(plane_picture.paint)
    spots = staticmethod(spots)

    def spoken(self, view: LabView) -> str:
        """Describe each key with its weight, and the notice."""
        weights = tr(", ").join(
            f"{key_token(view, place)} {view.show(weight)}"
            for place, weight in enumerate(view.result.weights)
        )
        return tr(
            "Weights of the query of “{query}”: {weights}. {notice}",
            query=query_token(view),
            weights=weights,
            notice=self.notice(view),
        )


def _notice(view: LabView) -> str:
    result: Plane = view.result
    if not result.weights.any():
        return tr("This query may not attend to any key, so there is nothing to take a mean of.")
    if not result.sums_to_one:
        total = view.show(result.weights.sum())
        return tr(
            "What-if values make the weights sum to {total}: y is not a mean and may leave the "
            "hull.",
            total=total,
        )
    return _made_of(view, result)


def _made_of(view: LabView, result: Plane) -> str:
    """Name the values with the largest weights, ties included; y alone for a single key."""
    order = [
        int(place)
        for place in (-result.weights).argsort(kind="stable")
        if result.weights[place] > 0.0
    ]
    if len(order) == 1:
        return tr(
            "This query sees only one key: y is the value of “{a}”.", a=key_token(view, order[0])
        )
    most = leaders(result.weights, view.decimals)
    weights = [view.show(result.weights[place]) for place in order]
    if len(most) == len(result.weights):
        return tr(
            "All values count equally, {share} each: y is their plain mean.", share=weights[0]
        )
    if len(most) > 1:
        names = named(result.document.key_tokens, most)
        return tr(
            "y takes {share} of the value of each of {names}: a mean, which cannot leave the hull.",
            share=weights[0],
            names=names,
        )
    return tr(
        "y takes {first} of the value of “{a}” and {second} of that of “{b}”: a mean, which cannot leave the hull.",
        first=weights[0],
        second=weights[1],
        a=key_token(view, order[0]),
        b=key_token(view, order[1]),
    )


def _kind(control_id: str) -> str:
    return control_id.partition("-")[0]


EXHIBIT = PlaneExhibit()
