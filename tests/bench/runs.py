"""`run(document)` against the same mathematics in NumPy and in PyTorch, and edits against a run from nothing."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from itertools import cycle

import numpy as np

from core.base.arrays import frozen
from core.compute.trace import run
from core.document.document import Document
from core.document.edits import with_head_enabled
from tests.bench.experiments import Straight, experiment
from tests.bench.measure import Plan, Row, Rows, Work, in_turn, timed

# n, d, h. Smaller runs take fractions of a millisecond.
SIZES = (
    (256, 512, 8),
    (512, 64, 1),
    (512, 512, 8),
    (512, 768, 12),
    (1024, 512, 8),
    (2048, 64, 1),
    (2048, 512, 8),
    (2048, 768, 12),
)
TORCH_SIZES = ((256, 512, 8), (512, 512, 8), (1024, 512, 8), (2048, 768, 12))
QUICK = ((96, 64, 8),)
EDITED = (512, 512, 8)


def against_numpy(plan: Plan) -> Rows:
    """The run itself."""
    for n, d, h in QUICK if plan.quick else SIZES:
        document = experiment(n, d, h)
        straight = Straight(document)
        _require_same(document, straight)
        ours, theirs = in_turn(plan, timed(lambda: run(document)), timed(straight))  # noqa: B023
        yield Row("numpy", "run(document)", "straight-line NumPy", _at(n, d, h), 1.1, ours, theirs)


def against_torch(plan: Plan) -> Rows:
    """The run against PyTorch, where that is installed."""
    what, against = "run(document)", "torch.nn.MultiheadAttention"
    if find_spec("torch") is None:
        yield Row("torch", what, against, "-", 1.0, note="PyTorch is not installed")
        return
    from tests.bench.torch_side import threads, torch_forward

    for n, d, h in QUICK if plan.quick else TORCH_SIZES:
        document = experiment(n, d, h)
        ours, theirs = in_turn(plan, timed(lambda: run(document)), timed(torch_forward(document)))  # noqa: B023
        yield Row("torch", what, against, f"{_at(n, d, h)}, {threads()} threads", 1.0, ours, theirs)


def edits(plan: Plan) -> Rows:
    """One change after another, each with what the run before it has left, against a run from nothing."""
    n, d, h = (64, 64, 8) if plan.quick else EDITED
    document = experiment(n, d, h)
    for what, at_most, other in (
        ("edit of one row of X", 0.5, _with_row(document)),
        ("edit of W_V alone", 0.5, _with_values(document)),
        ("edit of a head switch", 0.2, with_head_enabled(document, 1, False)),
    ):
        ours, theirs = in_turn(
            plan, timed(_to_and_fro(document, other)), timed(_anew(document, other))
        )
        yield Row("edits", what, "full recomputation", _at(n, d, h), at_most, ours, theirs)


def _to_and_fro(one: Document, other: Document) -> Work:
    """Edit to the other document and back, by turns, so that each edit changes something.

    As in a session there is always a last trace, which goes when the next has come.
    """
    documents, trace = cycle((other, one)), run(one)

    def edit() -> None:
        nonlocal trace
        trace = run(next(documents), trace)

    return edit


def _anew(one: Document, other: Document) -> Work:
    """The same without what the last trace has left."""
    documents, trace = cycle((other, one)), run(one)

    def compute() -> None:
        nonlocal trace
        trace = run(next(documents))

    return compute


def _with_row(document: Document) -> Document:
    assert document.X is not None
    X = np.array(document.X)
    X[len(X) // 3] += 0.25
    return document.with_(X=frozen(X))


def _with_values(document: Document) -> Document:
    head = document.heads[1]
    assert head.W_V is not None
    changed = replace(head, W_V=frozen(head.W_V + 0.01))
    return document.with_(heads=(document.heads[0], changed, *document.heads[2:]))


def _require_same(document: Document, straight: Straight) -> None:
    """Both sides say the same, or the comparison means nothing."""
    trace, plain = run(document), straight()
    assert set(trace) == set(plain)
    for stage_id, array in plain.items():
        assert np.allclose(trace[stage_id], array, rtol=1e-9, atol=1e-9), stage_id


def _at(n: int, d: int, h: int) -> str:
    return f"n {n}, d {d}, h {h}"
