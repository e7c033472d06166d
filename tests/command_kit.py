"""The command line as tests call it."""

from __future__ import annotations

import pytest

from gui.cli import run_command_line


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that bad input gets, without its beginning."""
    assert run_command_line(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err.removeprefix("error: ").rstrip("\n")
