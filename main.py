"""Start the window, or run a command without one."""

from __future__ import annotations

import os
import sys

# Where a large array was freed, Linux would go on to fill memory in pieces of 2 MB. Read when NumPy is imported.
os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")

# Its threads wait for each other in a loop: with other programs on two processors the trace of 256
# tokens and 12 heads takes 0.4 to 1.2 s with two of them, and 0.1 s with one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from gui.cli import run_command_line


def main() -> int:
    """Run the program with the arguments of the process; returns its exit code."""
    return run_command_line(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
