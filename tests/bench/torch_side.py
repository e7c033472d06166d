"""PyTorch's own attention on an experiment; only imported where PyTorch is installed."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found, unused-ignore]

from core.compute.trace import run
from core.document.document import Document
from tests.bench.measure import Work


def threads() -> int:
    """As many as our side may use."""
    return os.cpu_count() or 1


def torch_forward(document: Document) -> Work:
    """torch.nn.MultiheadAttention with the document's weights, that gives the weights of every head."""
    torch.set_num_threads(threads())
    module: Any = torch.nn.MultiheadAttention(
        document.d, document.h, bias=False, batch_first=True, dtype=torch.float64
    ).eval()
    rows = [
        np.concatenate([getattr(head, name).T for head in document.heads])
        for name in ("W_Q", "W_K", "W_V")
    ]
    assert document.W_O is not None
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.from_numpy(np.concatenate(rows)))
        module.out_proj.weight.copy_(torch.from_numpy(document.W_O.T.copy()))
    x = torch.from_numpy(np.array(document.X))[None]

    def forward() -> Any:
        with torch.inference_mode():
            return module(x, x, x, need_weights=True, average_attn_weights=False)

    output, weights = forward()
    trace = run(document)
    assert np.allclose(trace["Y"], output[0].numpy(), atol=1e-9)
    assert np.allclose(trace["weights"], weights[0].numpy(), atol=1e-9)
    return forward
