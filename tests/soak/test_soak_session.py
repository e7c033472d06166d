"""A short walk of the session; `make soak` walks on. Each example is drawn from a fixed seed."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from pytestqt.qtbot import QtBot

from tests.soak.session_walk import SessionWalk

SHORT = settings(
    max_examples=25,
    stateful_step_count=30,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate,),
)


@pytest.mark.parametrize("number", range(2))
def test_any_order_of_edits_keeps_the_laws(qtbot: QtBot, number: int) -> None:
    run_state_machine_as_test(seed(number)(SessionWalk), settings=SHORT)
