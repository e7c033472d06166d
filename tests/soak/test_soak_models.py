"""Corrupted files of trained models, and bombs, are opened rightly or refused with a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak.bombs import open_all
from tests.soak.file_walk import FileWalk
from tests.soak.model_kinds import MODEL_BOMBS, MODEL_KINDS

MOST_MEMORY = 500 << 20


@pytest.mark.parametrize("kind", MODEL_KINDS)
def test_corrupted_files_are_opened_or_refused_with_a_sentence(kind: str, tmp_path: Path) -> None:
    walk = FileWalk(tmp_path, 11)
    walk.walk(MODEL_KINDS[kind], 40)
    assert walk.faults == {}
    assert walk.opened[kind] > 25


def test_bombs_do_no_harm(tmp_path: Path) -> None:
    told = open_all(tuple(MODEL_BOMBS), tmp_path, MODEL_BOMBS)
    assert {name: one["fault"] for name, one in told.items() if one["fault"]} == {}
    assert {name: one["memory"] for name, one in told.items() if one["memory"] > MOST_MEMORY} == {}
