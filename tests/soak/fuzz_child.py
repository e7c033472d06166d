"""Feeds one reader under atheris, libFuzzer for Python, where it is installed, else under the project's own fuzzer.

python tests/soak/fuzz_child.py READER SECONDS SEED CORPUS FAULTS FOLDER      writes FOLDER/told.json again and again
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
import zipfile
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
REPLAY = bool(os.environ.get("FUZZ_REPLAY"))  # only tell which lines the corpus reaches
try:
    import atheris
except ImportError:
    atheris = None
if REPLAY:
    atheris = None  # it moves lines

with (
    atheris.instrument_imports(include=["core", "gui", "openpyxl", "simpleeval"])
    if atheris
    else nullcontext()
):
    from tests.soak.corrupting import TOKENS, corrupted
    from tests.soak.fuzz_guided import LARGEST, Guided, lines_of, swollen
    from tests.soak.fuzz_judge import Judge
    from tests.soak.fuzz_readers import READERS, ROOMS, small_seeds, words

LONGEST = 120  # seconds after which libFuzzer ends what hangs


def main() -> None:
    """Feed the reader for so long."""
    name, seconds, seed, corpus, faults, folder = sys.argv[1:7]
    kind, kept = READERS[name], Path(corpus)
    judge = Judge(kind, Path(folder), Path(faults))
    near = Path(folder) / "near.attn.json"  # what lessons may read beside them
    near.write_bytes(small_seeds(READERS["experiment"], LARGEST)[0])
    guided = Guided(kind, judge, random.Random(f"{seed} {name}"))
    judge.warm_up()
    for number, data in enumerate(small_seeds(kind, LARGEST)):
        (kept / f"whole-{number}").write_bytes(data)
    if REPLAY:
        guided.begin(_all(kept))
        _tell(judge, guided)
    elif atheris is None:
        guided.begin(_all(kept))
        guided.go_on(sys.maxsize, time.monotonic() + float(seconds))
        for number, data in enumerate(guided.corpus):
            (kept / f"grown-{number}").write_bytes(data)
        _tell(judge, guided)
    else:
        _under_atheris(judge, guided, int(float(seconds)), seed, kept)


def _all(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.iterdir())]


def _under_atheris(judge: Judge, guided: Guided, seconds: int, seed: str, kept: Path) -> None:
    known = judge.folder / "dictionary"
    seeds = small_seeds(judge.kind, LARGEST)
    entries = {*words(seeds), *(token for token in TOKENS if len(token) <= 64)}
    known.write_text("".join(map(_entry, sorted(entries))))
    told = time.monotonic()

    def once(data: bytes) -> None:
        nonlocal told
        before = len(judge.faults)
        judge.try_(data)
        if len(judge.faults) > before or time.monotonic() > told + 2:
            told = time.monotonic()
            _tell(judge, guided)

    def change(data: bytes, most: int, number: int) -> bytes:
        chance = random.Random(number)
        if data[:2] == b"PK" and chance.random() < 0.6:
            return _member(data, most, chance)
        if chance.random() < 0.03:
            return swollen(data, chance)[:most]
        if chance.random() < 0.5:
            return corrupted(data, seeds, chance)[:most]
        return bytes(atheris.Mutate(data, most))

    options = [
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        f"-max_len={LARGEST}",
        f"-timeout={LONGEST}",
        "-rss_limit_mb=3072",
        "-report_slow_units=120",
        f"-dict={known}",
        f"-artifact_prefix={judge.kept}/died-",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *options, str(kept)], once, custom_mutator=change)
    atheris.Fuzz()


def _entry(word: bytes) -> str:
    """A line of libFuzzer's dictionary."""
    return '"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n'


def _member(data: bytes, most: int, chance: random.Random) -> bytes:
    """One file of an archive changed by libFuzzer, its checksum right again."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as old:
            members = [(entry.filename, old.read(entry)) for entry in old.infolist()]
        at = chance.randrange(len(members))
        name, content = members[at]
        members[at] = name, bytes(atheris.Mutate(content, len(content) + 256))
        file = BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
            for member, content in dict(members).items():
                new.writestr(member or "x", content)
        return file.getvalue()[:most]
    except Exception:  # no archive any more
        return bytes(atheris.Mutate(data, most))


def _tell(judge: Judge, guided: Guided) -> None:
    every = lines_of(ROOMS[judge.kind.name]) if guided.corpus else set()
    told: dict[str, Any] = {
        "count": judge.count,
        "faults": judge.faults,
        "slowest": judge.slowest,
        "memory": judge.memory,
        "reached": len(guided.lines.reached & every),
        "lines": len(every),
        "missed": sorted(
            f"{Path(path).name}:{line}" for path, line in every - guided.lines.reached
        ),
    }
    beside = judge.folder / "told.tmp"
    beside.write_text(json.dumps(told), encoding="utf-8")
    beside.replace(judge.folder / "told.json")


if __name__ == "__main__":
    main()
