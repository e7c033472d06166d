"""Exhibit of the lab `sinks`: its texts."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from core.labs.controls import Clock
from core.labs.lab import Setting
from core.labs.sinks import RowResult, WindowResult
from gui.labs import sinks_picture
from gui.labs.exhibit import BY_HAND, ExhibitView, LabView, Spot, Viewed
from gui.labs.wording import quoted
from gui.texts.names import visible_token
from gui.texts.translation import mark, tr

SPOTS = {"cache": sinks_picture.cache_spots, "query": sinks_picture.query_spots}
LITTLE = 0.005  # a shift that is no shift


class SinksExhibit(Viewed):
    """A sentence with a window cache, and one query with a null key."""

    made = BY_HAND
    labels = {
        "view": mark("Show"),
        "kept": mark("The cache keeps"),
        "token": mark("Token"),
        "window": mark("Keys in the window"),
        "rest": mark("The rest goes to"),
        "height": mark("Its score, above the others"),
        "shift": mark("Shift c of all scores"),
        "scores": mark("Scores s"),
    }
    helps = {
        "kept": mark("The window is the newest tokens, the query’s own included."),
        "rest": mark(
            "Many trained models use the first token. A null key, of score 0 and value 0, belongs to no "
            "token and stays in every cache; here the other scores are lower by the same amount."
        ),
        "height": mark("The scores of the other keys lie around 0, between −1 and 1."),
        "shift": mark("The same number for all keys; the null key keeps its score of 0."),
        "scores": mark("Drag the bars, or select one with Tab and move it with the arrow keys."),
    }

    def __init__(self) -> None:
        super().__init__(
            {
                "cache": ExhibitView(
                    mark("A sentence and its cache"), "", _cache_notice, sinks_picture.paint_cache
                ),
                "query": ExhibitView(
                    mark("One query, a null key"), "", _query_notice, sinks_picture.paint_query
                ),
            }
        )
        self.options = {
            **self.options,
            "all": mark("all keys"),
            "window": mark("a window"),
            "first": mark("window and first token"),
            "token": mark("the first token"),
            "null": mark("a null key"),
        }

    def clock_text(self, control: Clock, value: int) -> str:
        """Return the clock's text: tokens count from 1."""
        return tr("{number} of {most}", number=value + 1, most=control.last + 1)

    def entry(self, control_id: str, index: int, setting: Setting) -> str:
        """Name the key of a score."""
        return f"k{'₁₂₃₄₅₆₇₈'[index]}"

    def attempt(self, view: LabView) -> str:
        """Suggest one thing to try."""
        setting = view.setting
        if setting["view"] == "query":
            if abs(setting["shift"]) < LITTLE:
                return tr("Lower all scores: what do the keys get, and what becomes of y?")
            return tr("Raise c to 8: what does a null key change where the scores are high?")
        if setting["rest"] == "null":
            return tr("Does any of the caches still need the first token?")
        if setting["kept"] == "window":
            return tr("Keep the first token as well: by how much does ‖Δy‖ fall?")
        if setting["kept"] == "first":
            return tr("Let a null key take the rest, and keep the window alone.")
        return tr("Keep a window alone: what becomes of the weight of the first token?")

    def spots(self, area: QRectF, view: LabView) -> tuple[Spot, ...]:
        """Return the spots of the chosen picture."""
        return SPOTS[view.setting["view"]](area, view)

    def spoken(self, view: LabView) -> str:
        """Describe the weights of the row, and the notice."""
        result = view.result
        if isinstance(result, RowResult):
            names = [
                self.entry("scores", place, view.setting) for place in range(len(result.plain))
            ]
            pairs = zip(names, result.shared, strict=True)
        else:
            row = result.weights(result.kept)[result.token]
            pairs = zip(map(visible_token, result.tokens), row, strict=True)
        said = tr(", ").join(f"{name} {view.show(weight)}" for name, weight in pairs)
        return tr("Weights: {said}. {notice}", said=said, notice=self.notice(view))


def _cache_notice(view: LabView) -> str:
    result: WindowResult = view.result
    token, rest = result.token, view.show(result.rest[result.token])
    word = quoted(result.tokens[token])
    error = view.show(result.errors[result.kept][token])
    if result.null:
        return tr(
            "The null key takes {rest} of the attention of {word} and stays in every cache: "
            "‖Δy‖ = {error}.",
            rest=view.show(result.runs[result.kept].matrix("weights")[token, 0]),
            word=word,
            error=error,
        )
    if token == 0:
        return tr("{word} has only itself to attend to: its weight is 1.", word=word)
    if result.kept == "all":
        return tr(
            "{word} gives {rest} of its attention to the first token; {count} other keys share what is left.",
            word=word,
            rest=rest,
            count=token,
        )
    if result.kept == "first" and result.lost:
        return tr(
            "The window and the first token: ‖Δy‖ of {word} is {error}, and would be {other} "
            "with the window alone.",
            word=word,
            error=error,
            other=view.show(result.errors["window"][token]),
        )
    if not result.lost:
        return tr(
            "The window of {word} still holds the first token, which has {rest} of its attention.",
            word=word,
            rest=rest,
        )
    return tr(
        "The first token had {rest} of the attention of {word}; without it the keys of the window "
        "share the whole, and y moves by {error}.",
        rest=rest,
        word=word,
        error=error,
    )


def _query_notice(view: LabView) -> str:
    result: RowResult = view.result
    shift = float(view.setting["shift"])
    numbers = {"total": view.show(result.total), "null": view.show(result.null)}
    if abs(shift) < LITTLE:
        return tr(
            "Softmax gives the keys 1 in all. Beside a null key they get {total}, and it takes {null}.",
            total=numbers["total"],
            null=numbers["null"],
        )
    return tr(
        "{c} was added to every score: softmax gives the same weights as before, but beside a "
        "null key the keys get {total} in all.",
        c=view.show(shift),
        total=numbers["total"],
    )


EXHIBIT = SinksExhibit()
