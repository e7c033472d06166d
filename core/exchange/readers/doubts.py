"""Cells that mean one thing or another: 1,234 and (0.50). Each reading in plain notation."""

from __future__ import annotations

import re

from core.exchange.grid import Grid

_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+", re.ASCII)
_ONE_COMMA = re.compile(r"[-+]?\d+,\d+", re.ASCII)
_POINT_GROUPS = re.compile(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+", re.ASCII)
_CONTINENTAL = re.compile(r"[-+]?\d{1,3}(?:\.\d{3})+,\d+", re.ASCII)
_SPACED = re.compile(r"[-+]?\d{1,3}(?: \d{3})+(?:[.,]\d+)?", re.ASCII)
_ACCOUNTED = re.compile(r"\(\s*((?:\d+(?:[.,]\d*)?|\.\d+)\s*%?)\s*\)", re.ASCII)


def cell_readings(grid: Grid, name: str | None) -> list[tuple[str, Grid]]:
    """The readings of a table's cells with their captions; one if there is no doubt."""
    text = "\n".join("\n".join(row) for row in grid)
    if "(" in text:
        accounted = [cell for row in grid for cell in row if _ACCOUNTED.fullmatch(cell)]
        if accounted:
            return [
                ("negative", [[_ACCOUNTED.sub(r"-\1", cell) for cell in row] for row in grid]),
                ("positive", [[_ACCOUNTED.sub(r"\1", cell) for cell in row] for row in grid]),
            ]
    if "\n" in text and " " in text and any(map(_SPACED.fullmatch, text.split("\n"))):
        grid = [
            [cell.replace(" ", "") if _SPACED.fullmatch(cell) else cell for cell in row]
            for row in grid
        ]
    if "," not in text:
        return [("", grid)]
    cells = [cell for row in grid for cell in row]
    commas = [cell for cell in cells if "," in cell]
    pointed = [cell for cell in cells if "." in cell and "," not in cell]
    continental = any(map(_CONTINENTAL.fullmatch, commas))
    if continental and all(
        _CONTINENTAL.fullmatch(cell) or _ONE_COMMA.fullmatch(cell) for cell in commas
    ):
        return [("", [[cell.replace(".", "").replace(",", ".") for cell in row] for row in grid])]
    if not all(_THOUSANDS.fullmatch(cell) for cell in commas):
        return [("", grid)]
    single = all(cell.count(",") == 1 for cell in commas)
    if single and all(map(_POINT_GROUPS.fullmatch, pointed)):
        thousands = [[cell.replace(",", "") for cell in row] for row in grid]
        decimals = [[cell.replace(".", "").replace(",", ".") for cell in row] for row in grid]
        return [("thousands", thousands), ("decimals", decimals)]
    return [("", grid)]


def may_be_decimals(grid: Grid, *, alone: bool) -> bool:
    """Whether 7,25 on each line may be one column with decimal commas, not two of whole numbers."""
    zeros = sum(row[0].strip("+-") == "0" for row in grid)
    long = any(
        len(row[-1].rstrip("%")) > len(row[0].strip("+-")) or row[-1][:1] == "0" != row[-1]
        for row in grid
    )
    return 2 * zeros >= len(grid) or long or (alone and len(grid) > 2)
