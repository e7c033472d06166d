"""Steps through blocks: each reads what the one before has made, of its own rows, in every blocking."""

from __future__ import annotations

import time

import numpy as np
import pytest

from core.arithmetic import blockwise as blocks
from core.arithmetic.blockwise import Block, apply_blockwise
from core.base.arrays import Array

H, N, M = 3, 5, 4


def add_place(source: Array, out: Array, block: Block) -> None:
    """What stands in a place (h, n, m) of the whole array is 100 h + 10 n + m more."""
    places = 100.0 * np.arange(H)[:, None, None] + 10.0 * np.arange(N)[:, None] + np.arange(M)
    np.add(source, places[block], out=out)


def share(source: Array, out: Array, _block: Block) -> None:
    np.divide(source, source.sum(axis=-1, keepdims=True), out=out)


@pytest.mark.parametrize("cells", [1, 8, 13, 10**9])
@pytest.mark.parametrize("threads_from", [0, 10**9])
def test_every_step_reads_the_step_before_it(
    monkeypatch: pytest.MonkeyPatch, cells: int, threads_from: int
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_CELLS", cells)
    monkeypatch.setattr(blocks, "THREADED_CELLS", threads_from)
    source = np.random.default_rng(2).normal(size=(H, N, M))
    before = source.copy()
    placed, shares = apply_blockwise([add_place, share], source)
    for h in range(H):
        for n in range(N):
            row = [before[h, n, m] + (100.0 * h + 10.0 * n + m) for m in range(M)]
            assert placed[h, n].tolist() == row
            np.testing.assert_allclose(
                shares[h, n], [number / sum(row) for number in row], rtol=1e-14
            )
    assert (source == before).all()


def test_what_a_step_raises_in_a_thread_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_CELLS", 1)
    monkeypatch.setattr(blocks, "THREADED_CELLS", 0)

    def fail(_source: Array, _out: Array, block: Block) -> None:
        if block[0] == 1:
            raise MemoryError

    with pytest.raises(MemoryError):
        apply_blockwise([fail], np.zeros((H, N, M)))


def test_who_ends_the_work_ends_it_before_the_last_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among threads, too: what waits is not begun any more, and nothing goes on behind the caller's back."""
    monkeypatch.setattr(blocks, "BLOCK_CELLS", 1)
    for threads_from in (0, 10**9):
        monkeypatch.setattr(blocks, "THREADED_CELLS", threads_from)
        begun: list[object] = []

        def step(_source: Array, _out: Array, block: Block, begun: list[object] = begun) -> None:
            begun.append(block)
            time.sleep(0.001)

        def enough(done: int, of: int) -> None:
            assert of == H * 100
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            apply_blockwise([step], np.zeros((H, 100, M)), enough)
        after = len(begun)
        assert 1 <= after < H * 100
        time.sleep(0.02)
        assert len(begun) == after
