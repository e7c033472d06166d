"""An experiment of attention becomes a transformer block."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from core.base.errors import UserError
from core.compute.trace import run
from core.document.create import as_block
from core.document.document import Document
from core.document.stack_edits import with_mlp, with_norm
from core.storage.archive import dumps, loads
from core.storage.examples import load_example
from tests.core.documents import documents
from tests.core.stacks import ATTENTION_EXAMPLES


@pytest.mark.parametrize("example", ATTENTION_EXAMPLES)
def test_every_example_becomes_a_block_or_is_refused(example: str) -> None:
    document = load_example(example)
    if document.X is None or document.context is not None:
        with pytest.raises(UserError) as caught:
            as_block(document)
        assert caught.value.code == "block.source"
        return
    block = as_block(document)
    trace = run(block)
    assert trace["logits"].shape == (document.n, len(set(document.tokens)))
    assert all(np.isfinite(trace[name]).all() for name in ("L1.Y", "probabilities"))
    assert as_block(block) is block
    assert dumps(loads(dumps(block))) == dumps(block)


@given(documents(max_pins=3))
@settings(max_examples=30, deadline=None)
def test_without_its_norm_the_attention_of_a_block_is_that_of_the_experiment(
    document: Document,
) -> None:
    if document.X is None or document.context is not None:
        return
    bare = with_mlp(with_norm(as_block(document), "L1.attention_norm", False), 1, False)
    trace, before = run(bare), run(document)
    assert len(bare.pins) == len(document.pins)
    for stage in ("scores", "weights", "heads"):
        assert np.array_equal(trace[f"L1.{stage}"], before[stage])
    if before["Y"].shape == trace["L1.Y"].shape and document.W_O is not None:
        assert np.array_equal(trace["L1.Y"], before["Y"])
        came = before["input" if "input" in before else "X"]
        assert np.allclose(trace["L1.attention_residual"], came + before["Y"], atol=1e-12)
