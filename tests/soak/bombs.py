"""Small files that claim, or unpack to, far more than any machine has."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from core.storage import archive
from core.storage.examples import EXAMPLES, load_example
from tests.soak.file_kinds import KINDS
from tests.soak.model_kinds import MODEL_KINDS

Bomb = tuple[str, Callable[[], bytes]]  # the kind of file, and its bytes


def _npy(header: str, data: bytes = b"") -> bytes:
    text = header.encode("latin-1") + b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def _zip(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive_:
        for name, content in members.items():
            archive_.writestr(name, content)
    return file.getvalue()


def _claims(shape: str, descr: str = "'<f8'") -> Callable[[], bytes]:
    return lambda: _npy(f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}")


def _npz(dtype: str, cells: int, arrays: int = 1) -> Callable[[], bytes]:
    """Arrays of zeros, which pack to almost nothing."""

    def data() -> bytes:
        file = io.BytesIO()
        np.save(file, np.zeros((1, cells), dtype))
        return _zip({f"a{number}.npy": file.getvalue() for number in range(arrays)})

    return data


def _lying_zip() -> bytes:
    """An archive that says that its array is short."""
    data = bytearray(_npz("u1", 50_000_000)())
    size = (50_000_000 + 128).to_bytes(4, "little")
    return bytes(data).replace(size, (1000).to_bytes(4, "little"))


_SHEET = (
    '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    "{rows}</sheetData></worksheet>"
)


def _sheet(rows: str, **parts: str) -> bytes:
    """A workbook with one sheet of those rows; `parts` replace whole members by their last name."""
    from openpyxl import Workbook

    file = io.BytesIO()
    Workbook().save(file)
    with zipfile.ZipFile(file) as old:
        members = {name: old.read(name) for name in old.namelist()}
    members["xl/worksheets/sheet1.xml"] = _SHEET.format(rows=rows).encode()
    for name, text in parts.items():
        members[f"xl/{name}.xml"] = text.encode()
    return _zip(members)


def _cell(address: str, value: str = "1") -> str:
    return f'<c r="{address}"><v>{value}</v></c>'


def _corners() -> bytes:
    return _sheet(
        f'<row r="1">{_cell("A1")}{_cell("XFD1")}</row><row r="1000000">{_cell("A1000000")}</row>'
    )


def _shared() -> bytes:
    texts = "<si><t>a</t></si>" * 8_000_000
    return _sheet(f'<row r="1">{_cell("A1")}</row>', sharedStrings=f"<sst>{texts}</sst>")


def _laughs() -> bytes:
    entities = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
    text = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">{entities}]><x>&l11;</x>'
    return _sheet("", sharedStrings=text, workbook=text)


def _tokens(n: int) -> bytes:
    """An experiment whose scores alone would take n² numbers."""
    return _experiment(tokens=["a"] * n, Q=[[1]] * n, K=[[1]] * n, V=[[1]] * n)


def _numbers(count: int) -> bytes:
    """An experiment that is nothing but numbers."""
    return (
        _experiment(["a"], Q=[[1]], K=[[1]], V=[[1]])[:-1]
        + b', "X": [['
        + b"1.5," * count
        + b"1]]}"
    )


def _experiment(tokens: list[str], **head: Any) -> bytes:
    tree = {
        "format": archive.FORMAT,
        "version": 1,
        "tokens": tokens,
        "source": "qkv",
        "heads": [head],
    }
    return json.dumps(tree).encode()


def _lesson(changes: dict[str, Any], **scene: Any) -> bytes:
    tree = {
        "format": "self-attention-lesson",
        "version": 1,
        "scenes": [
            {
                "experiment": {"example": EXAMPLES[0]},
                "at": {"stage": "scores"},
                "changes": changes,
                **scene,
            }
        ],
    }
    return json.dumps(tree).encode()


def _deep_place() -> bytes:
    return _lesson({"heads" + "[0]" * 100_000: 1})


def _long_lesson() -> bytes:
    """Many scenes, each on an experiment inside it."""
    inline = json.loads(archive.dumps(load_example(EXAMPLES[0])))
    scene = {"experiment": {"inline": inline}, "at": {"stage": "scores"}}
    tree = {"format": "self-attention-lesson", "version": 1, "scenes": [scene] * 300}
    return json.dumps(tree).encode()


BOMBS: dict[str, Bomb] = {
    "npy that claims 8 exabytes": ("npy", _claims("(1000000000, 1000000000)")),
    "npy with a negative length": ("npy", _claims("(-1, -8)")),
    "npy with a hundred axes": ("npy", _claims("(" + "1," * 100 + ")")),
    "npy of objects": ("npy", _claims("(1,)", "'|O'")),
    "npy with a huge element": ("npy", _claims("(1,)", "('<f8', (100000, 100000))")),
    "npy with a deep header": ("npy", _claims("(" * 4000 + ")" * 4000)),
    "npz that unpacks to 256 MB": ("npz", _npz("u1", 1 << 28)),
    "npz of bytes that grow eightfold": ("npz", _npz("u1", 120_000_000)),
    "npz of many arrays": ("npz", _npz("f8", 1 << 18, 100)),
    "npz at the limit": ("npz", _npz("f8", (3 << 22) - 100)),
    "npz that lies about its length": ("npz", _lying_zip),
    "xlsx with two far corners": ("xlsx", _corners),
    "xlsx with millions of texts": ("xlsx", _shared),
    "xlsx with laughing entities": ("xlsx", _laughs),
    "xlsx with a far row": ("xlsx", lambda: _sheet(f'<row r="1048576">{_cell("A1048576")}</row>')),
    "json, deep": ("json", lambda: b"[" * 1_000_000 + b"]" * 1_000_000),
    "json, deep objects": ("json", lambda: b'{"a":' * 300_000 + b"1" + b"}" * 300_000),
    "csv of one long row": ("csv", lambda: b"1," * 2_000_000 + b"1\n"),
    "csv of many numbers": ("csv", lambda: (b"1," * 999 + b"1\n") * 3_900),
    "csv of too many numbers": ("csv", lambda: (b"1," * 999 + b"1\n") * 30_000),
    "csv of brackets": ("csv", lambda: b"[" * 200_000),
    "csv with a tower of powers": ("csv", lambda: b"9**9**9**9\n" + b"(" * 390 + b"\n"),
    "csv with a long word": ("csv", lambda: b"a" * 5_000_000),
    "csv with one quotation": ("csv", lambda: b'"' + b"1,\n" * 1_000_000),
    "csv, ragged": ("csv", lambda: b"1," * 50_000 + b"\n" + b"1\n" * 50_000),
    "csv of LaTeX": ("csv", lambda: b"\\begin{bmatrix}" * 20_000 + b"1&" * 100_000),
    "experiment, deep": ("experiment", lambda: b'{"format":' + b"[" * 500_000),
    "experiment with a long number": (
        "experiment",
        lambda: b'{"format": 1, "version": ' + b"9" * 3_000_000 + b"}",
    ),
    "experiment of many numbers": ("experiment", lambda: _numbers(7_900_000)),
    "experiment of too many numbers": ("experiment", lambda: _numbers(12_000_000)),
    "experiment in wide letters": (
        "experiment",
        lambda: ('{"format":"' + "😀" + "a" * 30_000_000).encode(),
    ),
    "experiment with one bad byte": ("experiment", lambda: _numbers(3_000_000) + b"\xff"),
    "json of many numbers": ("json", lambda: b"[" + b"1.5," * 3_900_000 + b"1]"),
    "experiment of 60,000 tokens": ("experiment", lambda: _tokens(60_000)),
    "experiment with a wide window": (
        "experiment",
        lambda: (
            _experiment(["a"], Q=[[1]], K=[[1]], V=[[1]])[:-1]
            + b', "mask": {"kind": "window", "left": 1e18}}'
        ),
    ),
    "lesson with a deep place": ("lesson", _deep_place),
    "lesson of 300 experiments": ("lesson", _long_lesson),
    "lesson with a far place": ("lesson", lambda: _lesson({"heads[999999999]": 1})),
    "lesson with a hundred million steps": (
        "lesson",
        lambda: _lesson({}, steps={"grain": "cell", "count": 10**8}),
    ),
}

# Those that are made, and opened or refused, in no time.
_SLOW = ("unpacks", "eightfold", "arrays", "limit", "lies", "millions", "many", "long row")
QUICK = tuple(name for name in BOMBS if not any(word in name for word in _SLOW))


def open_all(
    names: Collection[str], folder: Path, bombs: Mapping[str, Bomb] = BOMBS
) -> dict[str, dict[str, Any]]:
    """Open bombs in a process of their own; what it tells of each, a fault where it died."""
    files = []
    for number, name in enumerate(names):
        kind, make = bombs[name]
        path = {**KINDS, **MODEL_KINDS}[kind].place(folder, f"bomb{number}", make())
        files.append(f"{kind}={path}")
    program = Path(__file__).with_name("open_limited.py")
    ran = subprocess.run(
        [sys.executable, str(program), *files], capture_output=True, text=True, check=False
    )
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    dead = {
        "fault": f"died with {ran.returncode}: {ran.stderr[-500:]}",
        "memory": 0,
        "seconds": 0.0,
    }
    return dict(zip(names, [*told, *[dead] * (len(files) - len(told))], strict=True))
