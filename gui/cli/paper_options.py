"""The options of worksheets and reports on the command line."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable

from core.explain.exercise import LARGEST_SEED, MOST_SHEETS
from gui.export.worksheets.options import KEYS, MOST_DECIMALS
from gui.texts.translation import languages, tr

BOTH = "both"  # languages, one after the other


def add_options(parser: ArgumentParser) -> None:
    """What a paper is asked to be."""
    seed = tr("worksheets: 0 for these very numbers, any other seed for new ones of the same kind")
    parser.add_argument("--seed", metavar="N", type=_whole(0, LARGEST_SEED), help=seed)
    sheets = tr("worksheets: how many, for this seed and those after it")
    parser.add_argument("--sheets", metavar="N", type=_whole(1, MOST_SHEETS), help=sheets)
    key = tr("worksheets: answer keys behind all sheets, in a file of their own, or none")
    parser.add_argument("--key", choices=KEYS, help=key)
    decimals = tr("papers and what is seen: how many decimals are shown")
    parser.add_argument("--decimals", metavar="N", type=_whole(0, MOST_DECIMALS), help=decimals)
    columns = tr(
        "papers and what is seen: tokens as columns; in data, code, LaTeX and workbooks they are rows"
    )
    parser.add_argument("--columns", action="store_true", help=columns)
    language = tr("the language of every text; both: worksheets in every language")
    parser.add_argument("--language", choices=(*languages(), BOTH), help=language)


def _whole(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise ArgumentTypeError(
                tr(
                    "{text} is not a whole number from {low} to {high}",
                    text=text,
                    low=low,
                    high=high,
                )
            )
        return int(text)

    return number
