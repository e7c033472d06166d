"""The options of pictures, films, slides and pages on the command line."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable

from core.explain.timeline import Grain
from gui.export.options import MOST_SCALE, PARTS
from gui.texts.translation import tr

SLOWEST, FASTEST = 0.25, 8.0
SHOWS = {"both": PARTS, "diagram": PARTS[:1], "stage": PARTS[1:]}


def add_options(parser: ArgumentParser) -> None:
    """What a picture, a film, slides or a page are asked to be."""
    steps = tr("slides and films: the steps to show, such as 3-9; of a lesson the scenes")
    parser.add_argument("--steps", metavar="A-B", type=_steps, help=steps)
    grain = tr("slides and films: how far a step goes")
    parser.add_argument("--grain", choices=[each.value for each in Grain], help=grain)
    heads = tr("slides: all heads of a stage side by side, too")
    parser.add_argument("--heads", action="store_true", help=heads)
    speed = tr("films: how many times as fast, such as 2")
    parser.add_argument("--speed", metavar="N", type=_number(SLOWEST, FASTEST), help=speed)
    parser.add_argument(
        "--motion", action="store_true", help=tr("films: show how each step comes about")
    )
    fps = tr("films with motion: frames a second, 5 to 25")
    parser.add_argument("--fps", metavar="N", type=_number(5, 25), help=fps)
    scale = tr("PNG: how many times as large, 1 to 4")
    parser.add_argument("--scale", metavar="N", type=_number(1, MOST_SCALE), help=scale)
    parser.add_argument("--show", choices=SHOWS, help=tr("pictures and films: what is drawn"))
    parser.add_argument(
        "--stage", metavar="ID", help=tr("pictures: the stage to draw, such as weights")
    )


def _steps(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,9})-(\d{1,9})", text, re.ASCII)
    if match is None:
        raise ArgumentTypeError(tr("{text} is not a range of steps such as 3-9", text=text))
    return int(match[1]), int(match[2])


def _number(low: float, high: float) -> Callable[[str], float]:
    def number(text: str) -> float:
        if (
            not re.fullmatch(r"\d{1,3}(\.\d{1,4})?", text, re.ASCII)
            or not low <= float(text) <= high
        ):
            raise ArgumentTypeError(
                tr(
                    "{text} is not a number from {low} to {high}",
                    text=text,
                    low=f"{low:g}",
                    high=f"{high:g}",
                )
            )
        return float(text)

    return number
