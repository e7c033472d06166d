"""A whole session, lessons, labs and exports included, opens no socket; `make soak` asks strace as well."""

from __future__ import annotations

from pathlib import Path

from tests.soak.network import opened_sockets


def test_a_whole_session_opens_no_socket(tmp_path: Path) -> None:
    told = opened_sockets(tmp_path, trace=False)
    assert told["died"] == ""
    assert told["sockets"] == []
    assert (tmp_path / "out.pptx").stat().st_size > 1000
