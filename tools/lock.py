"""Write requirements.txt, -dev.txt and -lowest.txt: exact versions with hashes, for every platform and Python.

Needs uv on the PATH. The versions come from pyproject.toml; where they were downloaded from is not written down.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = "# Written by `make lock` from pyproject.toml; do not edit. For Linux, macOS, Windows; Python 3.11 and newer.\n"
LOCKS = {
    "requirements.txt": ["pyproject.toml"],
    "requirements-dev.txt": ["--group", "dev", "--constraints", "requirements.txt"],
    "requirements-lowest.txt": [  # for `make test-matrix`: the oldest that pyproject.toml allows
        "pyproject.toml",
        "--resolution",
        "lowest-direct",
        "--constraints",
        "requirements-dev.txt",
    ],
}


def compile_lock(sources: list[str]) -> str:
    """Return the pinned text for what *sources* (arguments of `uv pip compile`) ask for."""
    command = [
        "uv",
        "pip",
        "compile",
        *sources,
        "--universal",
        "--python-version",
        "3.11",
        "--generate-hashes",
    ]
    options = [
        "--upgrade",
        "--no-header",
        "--no-annotate",
        "--no-emit-index-url",
        "--no-emit-find-links",
        "--quiet",
    ]
    done = subprocess.run(
        [*command, *options], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return HEADER + done.stdout


def main() -> int:
    for name, sources in LOCKS.items():
        text = compile_lock(sources)
        if "://" in text:
            print(
                f"error: {name} would name a download address; nothing was written", file=sys.stderr
            )
            return 1
        (ROOT / name).write_text(text, encoding="utf-8")
        print(f"{name}: {sum(line[0] not in '# ' for line in text.splitlines())} pins")
    return 0


if __name__ == "__main__":
    sys.exit(main())
