"""Exhibit of the lab `learn`: texts and the picture of loss, sentence and weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from core.base.number_format import show_significant
from core.labs.controls import Value
from core.labs.lab import Lab, Setting
from core.labs.learn import LearnResult
from core.labs.learn_training import STEPS, shapes
from gui.labs.charts import (
    NAME_LINE,
    TITLE_LINE,
    Chart,
    ChartAxis,
    Names,
    chart_in,
    paint_frame,
    paint_grid,
    paint_legend,
    paint_line,
    paint_points,
    versus,
    write,
)
from gui.labs.exhibit import ROOMY_HEIGHT, Exhibit, LabView, Spot
from gui.painting.color_scale import Levels, scores_behind
from gui.painting.matrix import Frame, cell_rect
from gui.painting.shapes import square_around
from gui.painting.theme import BODY, CAPTION, Colours, font, role_colour
from gui.texts.names import long_name
from gui.texts.translation import mark, tr

MARGIN = 14.0
GAP = 20.0
LARGEST_CELL = 64.0
WIDEST_CELL = 140.0
WIDER, BROAD = (
    1.5,
    40.0,
)  # aspect ratio of a cell of the weights, and its largest width
SAYS = 74.0  # width of a token's prediction, right of its row
LEAST_SAID = 9  # its least font size
LOWEST = 1e-6  # lowest loss of the logarithmic axis
LEGEND = 20.0  # height of a row
NARROW = 330.0  # width of a chart with a legend in two rows


@dataclass(frozen=True, slots=True)
class LearnLayout:
    """Weights of each head, predictions, the curve, and the matrices by name (none if low)."""

    maps: tuple[QRectF, ...]
    says: QRectF
    chart: QRectF
    matrices: dict[str, QRectF]


def learn_layout(area: QRectF, result: LearnResult) -> LearnLayout:
    """Lay out weights and curve above, the learned matrices in a row below."""
    inside = area.adjusted(MARGIN, MARGIN / 2, -MARGIN, -MARGIN / 2)
    n, heads = result.document.n, result.document.h
    part = 0.49 if area.height() >= ROOMY_HEIGHT else 1.0
    upper = min(inside.height() * part, n * LARGEST_CELL + TITLE_LINE + NAME_LINE)
    side = (upper - TITLE_LINE - NAME_LINE) / n
    names = 22.0
    wide = inside.width() * ((0.5 if part < 1.0 else 0.6) + 0.08 * (heads - 1))
    cell = min(
        side * WIDER, (wide - SAYS - heads * (names + GAP / 2)) / (n * heads), max(side, BROAD)
    )
    side = min(side, cell)
    top = inside.top() + TITLE_LINE + NAME_LINE
    across = names + n * cell + GAP / 2
    maps = tuple(
        QRectF(inside.left() + names + head * across, top, n * cell, n * side)
        for head in range(heads)
    )
    says = QRectF(maps[-1].right() + 6.0, top, SAYS, n * side)
    chart = QRectF(says.right() + GAP, inside.top(), inside.right() - says.right() - GAP, upper)
    lower = QRectF(inside.left(), inside.top() + upper + GAP / 2, inside.width(), 0.0)
    lower.setBottom(inside.bottom())
    return LearnLayout(maps, says, chart, _matrices(lower, result) if part < 1.0 else {})


def _matrices(area: QRectF, result: LearnResult) -> dict[str, QRectF]:
    """Lay out the matrices side by side with cells of equal size."""
    columns = sum(matrix.shape[1] for matrix in result.matrices.values())
    rows = max(matrix.shape[0] for matrix in result.matrices.values())
    gap = 34.0
    wide = min((area.width() - gap * len(result.matrices)) / columns, WIDEST_CELL)
    high = min((area.height() - TITLE_LINE) / rows, LARGEST_CELL * 0.6)
    found, x = {}, area.left()
    for name, matrix in result.matrices.items():
        found[name] = QRectF(
            x + gap, area.top() + TITLE_LINE, wide * matrix.shape[1], high * matrix.shape[0]
        )
        x = found[name].right()
    return found


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the whole picture."""
    where = learn_layout(area, view.result)
    _paint_maps(painter, where, view)
    _paint_says(painter, where.says, view)
    _paint_chart(painter, where.chart, view.result, view.theme)
    for name, rect in where.matrices.items():
        _paint_matrix(painter, rect, name, view)


def _paint_maps(painter: QPainter, where: LearnLayout, view: LabView) -> None:
    result, theme = view.result, view.theme
    for head, rect in enumerate(where.maps):
        title = (
            tr("Head {number}", number=head + 1) if len(where.maps) > 1 else long_name("weights")
        )
        frames = tuple(
            Frame((row, row + 1), (place, place + 1), theme.accent, 2.0)
            for row, place in enumerate(result.places)
        )
        scores = scores_behind(result.trace, "weights", head)
        names = Names(title, result.document.tokens, result.document.tokens, theme.weights)
        paint_grid(
            painter,
            rect,
            view,
            result.trace.matrix("weights", head),
            Levels(0.0, 1.0),
            names,
            frames=frames,
            scores=scores,
        )


def _paint_says(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint each token's prediction, and the target if it differs."""
    result, theme = view.result, view.theme
    head = QRectF(area.left(), area.top() - NAME_LINE, area.width(), NAME_LINE)
    write(painter, head, tr("says"), theme.muted, font(CAPTION))
    size = font(
        max(LEAST_SAID, min(BODY + 4, area.height() / len(result.predicted) * 0.6)), bold=True
    )
    for row, (predicted, wanted) in enumerate(zip(result.predicted, result.wanted, strict=True)):
        line = cell_rect(area, len(result.predicted), 1, row, 0)
        text, colour = (
            prediction_text(result, predicted, wanted),
            theme.value if predicted == wanted else theme.error,
        )
        write(painter, line, text, colour, size)


def prediction_text(result: LearnResult, predicted: int, wanted: int) -> str:
    """Return ✓, or ✗ with the right answer."""
    names = result.task.features
    return (
        f"{names[predicted]} ✓"
        if predicted == wanted
        else f"{names[predicted]} ✗ ({names[wanted]})"
    )


def loss_chart(area: QRectF, result: LearnResult) -> Chart:
    """Build the chart of the loss at every step, on a logarithmic axis."""
    history = result.history
    rect = area.adjusted(0.0, LEGEND * (2 if area.width() < NARROW else 1), 0.0, 0.0)
    both = np.concatenate([history.losses, history.new_losses])
    y = ChartAxis.decades(np.maximum(both, LOWEST))
    return chart_in(rect, ChartAxis(0.0, float(STEPS)), y, x_label=tr("step"), y_label=tr("loss L"))


def _paint_chart(painter: QPainter, area: QRectF, result: LearnResult, theme: Colours) -> None:
    chart, history = paint_frame(painter, loss_chart(area, result), theme), result.history
    known, new = versus(theme)
    steps = np.arange(history.last + 1)
    lines = [(history.losses, known, tr("known sentences"))]
    if result.task.id != "mirror":  # the task has a single sentence
        lines.append((history.new_losses, new, tr("new sentences")))
    for losses, drawn, _ in reversed(lines):
        paint_line(painter, chart, steps, np.maximum(losses, LOWEST), drawn)
    paint_legend(
        painter,
        QRectF(area.left(), area.top(), area.width(), LEGEND),
        theme,
        [(n, s) for _, s, n in lines],
    )
    now = [float(result.step)], [max(result.loss, LOWEST)]
    paint_points(painter, chart, *now, theme.accent, radius=5.0, ground=theme.surface)


def _paint_matrix(painter: QPainter, rect: QRectF, name: str, view: LabView) -> None:
    result, theme = view.result, view.theme
    reach = result.reaches[name] or 1.0
    rows = result.task.features if name != "W_O" else ()
    paint_grid(
        painter,
        rect,
        view,
        result.matrices[name],
        Levels(-reach, reach),
        Names(name, rows, (), role_colour(theme, name).name()),
    )


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the dot on the curve, draggable through the steps."""
    result: LearnResult = view.result
    chart = loss_chart(learn_layout(area, result).chart, result)
    dot = chart.point(float(result.step), max(result.loss, LOWEST))
    name = tr(
        "Step {step}: L = {loss}",
        step=result.step,
        loss=show_significant(result.loss, view.decimals),
    )
    handle = square_around(dot, 9.0)
    nudge = max(chart.rect.width() / STEPS, 1.0)
    return (
        Spot(
            "step",
            handle,
            name,
            "step",
            drag=partial(_step, chart, result.history.last),
            nudge=nudge,
        ),
    )


def _step(chart: Chart, last: int, point: QPointF) -> Value:
    return min(round(chart.value_x(point)), last)


LEARNED = 0.05  # loss below which a task counts as learned


class LearnExhibit(Exhibit):
    """Weights, predictions, the loss, and the matrices."""

    labels = {
        "step": mark("Step of learning"),
        "task": mark("Task"),
        "optimiser": mark("Optimiser"),
        "rate_adam": mark("Learning rate η"),
        "rate_descent": mark("Learning rate η"),
        "heads": mark("Heads"),
        "head": mark("Matrices of head"),
        "seed": mark("Seed of the first weights and of the sentences"),
    }
    helps = {
        "step": mark(
            "The whole history is computed at once: move back and forth in it as you like."
        ),
        "task": mark(
            "Copying and brackets are learned from 20 sentences, and a new one is shown; the "
            "mirror task has only one."
        ),
        "optimiser": mark(
            "Gradient descent: w − η·g. Adam: a step for each weight, from running means of g and g²."
        ),
        "rate_adam": mark("How long each step is."),
        "rate_descent": mark("How long each step is."),
        "heads": mark("Two heads are combined by W_O, which is learned as well."),
    }
    options = {
        "copy": mark("Say the previous letter"),
        "bracket": mark("Find the matching bracket"),
        "mirror": mark("Look at the mirrored position"),
        "adam": mark("Adam"),
        "descent": mark("Gradient descent"),
    }

    def origin(self, lab: Lab, setting: Setting) -> str:
        """Say how small the model is."""
        result: LearnResult = lab.compute(setting)
        return tr(
            "Small on purpose: one layer, {weights} weights, sentences of {n} symbols with "
            "one-hot vectors. Large models are trained on the same principle, with many layers "
            "and billions of weights.",
            weights=shapes(result.task, len(result.document.heads)).size,
            n=result.document.n,
        )

    def notice(self, view: LabView) -> str:
        """Report the progress, or the divergence."""
        result: LearnResult = view.result
        loss = show_significant(result.loss, view.decimals)
        if result.history.diverged and result.step == result.history.last:
            return tr(
                "It diverged: L = {loss} at step {step}, and the next step exceeds every bound. "
                "The learning rate is too large.",
                loss=loss,
                step=result.step,
            )
        if result.step == 0:
            return _random(result, loss)
        right = sum(
            predicted == wanted
            for predicted, wanted in zip(result.predicted, result.wanted, strict=True)
        )
        if result.task.new is result.task.known:
            return tr(
                "Step {step}: L = {loss}. In the only sentence of this task, {right} of {n} "
                "tokens answer correctly.",
                step=result.step,
                loss=loss,
                right=right,
                n=len(result.predicted),
            )
        return tr(
            "Step {step}: L = {loss}. In this sentence, which is new to it, {right} of {n} "
            "tokens answer correctly.",
            step=result.step,
            loss=loss,
            right=right,
            n=len(result.predicted),
        )

    def attempt(self, view: LabView) -> str:
        """Suggest playing, then a rate that is too large, another task, another seed."""
        result: LearnResult = view.result
        if result.history.diverged:
            return tr("Find the largest rate that does not diverge.")
        if result.step < STEPS:
            return tr("Press play: what do the framed cells do, and when?")
        if result.loss > LEARNED:
            return tr("It is not done after {steps} steps: try another rate, or Adam.", steps=STEPS)
        if view.setting["task"] == "copy":
            return tr(
                "Which rows of W_Q and W_K are large: those of the letters or those of the "
                "positions?"
            )
        if view.setting["task"] == "bracket":
            return tr("Compare with copying: which rows of W_Q and W_K does this task need?")
        return tr("Try another seed: do W_Q and W_K become the same again?")

    paint = staticmethod(paint)
    spots = staticmethod(spots)

    def spoken(self, view: LabView) -> str:
        """Describe each token's prediction and the notice."""
        result: LearnResult = view.result
        pairs = zip(result.document.tokens, result.predicted, result.wanted, strict=True)
        text = tr(", ").join(
            tr("{name}: {text}", name=token, text=prediction_text(result, one, other))
            for token, one, other in pairs
        )
        return tr("What each token says: {said}. {notice}", said=text, notice=self.notice(view))


def _random(result: LearnResult, loss: str) -> str:
    """Return the notice before the first step."""
    if result.task.causal:
        return tr(
            "Random matrices: L = {loss}, and each token looks a little at itself and at all "
            "before it.",
            loss=loss,
        )
    return tr(
        "Random matrices: L = {loss}, and each token looks a little at every token.", loss=loss
    )


EXHIBIT = LearnExhibit()
