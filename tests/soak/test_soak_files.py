"""Corrupted files and bombs are opened rightly or refused with a sentence, and do nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.soak.bombs import QUICK, open_all
from tests.soak.file_kinds import KINDS
from tests.soak.file_walk import FileWalk
from tests.soak.home_walk import HomeWalk

MOST_MEMORY = 500 << 20


@pytest.mark.parametrize("kind", KINDS)
def test_corrupted_files_are_opened_or_refused_with_a_sentence(kind: str, tmp_path: Path) -> None:
    walk = FileWalk(tmp_path, 7)
    walk.walk(KINDS[kind], 150)
    assert walk.faults == {}
    assert walk.opened[kind] > 100


def test_bombs_do_no_harm(tmp_path: Path) -> None:
    told = open_all(QUICK, tmp_path)
    assert {name: one["fault"] for name, one in told.items() if one["fault"]} == {}
    assert {name: one["memory"] for name, one in told.items() if one["memory"] > MOST_MEMORY} == {}


def test_the_program_starts_on_corrupted_files_of_its_own(qtbot: QtBot) -> None:
    walk = HomeWalk(3)
    walk.walk(6)
    assert walk.faults == {}
