"""Start the window, or run a command without one."""

from __future__ import annotations

import sys

from gui.cli import run_command_line


def main() -> int:
    """Run the program with the arguments of the process; returns its exit code."""
    return run_command_line(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
