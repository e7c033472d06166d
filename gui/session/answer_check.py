"""The learner's numbers marked, once for each experiment and set of entries. Free of Qt."""

from __future__ import annotations

import math

from core.check import Report
from core.check.answers import Entries, sheets_of
from core.document.document import Document

# Numbers of one stage, all heads: beyond this nobody works by hand, and the search for slips would take long.
LARGEST = 20_000
# Up to this many numbers in all stages with entries a check is not felt.
QUICK = 4_096

_known: list[tuple[Document, Entries, Report]] = []


def too_large(document: Document, stage: str) -> bool:
    """Whether a stage has too many numbers to be checked."""
    return math.prod(document.stage_shape(stage)) > LARGEST


def is_quick(document: Document, entries: Entries) -> bool:
    """Whether marking all entries takes no time that can be felt."""
    return sum(math.prod(document.stage_shape(stage)) for stage in entries) <= QUICK


def whole_report(document: Document, entries: Entries) -> Report:
    """Every entry marked; the same report as long as both arguments are the same objects."""
    for known_document, known_entries, report in _known:
        if known_document is document and known_entries is entries:
            return report
    from core.check import check  # the search for slips, which nobody needs before

    wanted = {stage: cells for stage, cells in entries.items() if not too_large(document, stage)}
    report = check(document, sheets_of(document, wanted))
    _known[:] = [(document, entries, report), *_known[:1]]
    return report
