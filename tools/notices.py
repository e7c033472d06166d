"""Write into docs/guide/notices.md what the program stands on: each locked library with its licence and home.

    python tools/notices.py

The libraries are those of requirements.txt, what is said about them comes from their own metadata; the fonts are those
of resources/fonts/OFL.txt. Also finds the licence texts of libraries, and of those of the system, for the
self-contained program.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageMetadata, distribution
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
NOTICES = ROOT / "docs" / "guide" / "notices.md"
KEPT_TEXTS = ROOT / "packaging" / "licences"  # of what brings no text itself
BEGIN = "<!-- libraries: written by tools/notices.py -->\n"
END = "<!-- libraries: end -->\n"
HEAD = "| library | licence | home |\n|---|---|---|\n"
FONTS_BEGIN = "<!-- fonts: written by tools/notices.py -->\n"
FONTS_END = "<!-- fonts: end -->\n"
FONTS_HEAD = "| file | cut out of | by | licence |\n|---|---|---|---|\n"
FONTS = ROOT / "resources" / "fonts" / "OFL.txt"
FONT_LINE = re.compile(r"^(\w+-\*.*?): (.+?)\. ((?:Copyright|©).+)$", re.MULTILINE)
FOLDER = "licences"  # in the self-contained program
IS_TEXT = re.compile(r"licen[cs]e|copying|notice|copyright", re.IGNORECASE)
LONGEST_NAME = (
    80  # characters; some libraries write a whole text where the name of a licence belongs
)


@dataclass(frozen=True)
class Library:
    """A locked library: what it calls itself, its licence as an SPDX expression where it gives one, its home page."""

    name: str
    licence: str
    home: str


def locked() -> list[str]:
    """The names in requirements.txt, each once."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return sorted({line.partition("==")[0] for line in lines if line[:1] not in ("", " ", "#")})


def library(name: str) -> Library:
    """What the installed library says about itself. Raises PackageNotFoundError."""
    about = distribution(name).metadata
    classifiers = [
        text.rpartition(" :: ")[2]
        for text in about.get_all("Classifier") or []
        if "License ::" in text
    ]
    [short, expression, page] = [
        _only(about, key).strip() for key in ("License", "License-Expression", "Home-page")
    ]
    licence = expression or (short if 0 < len(short) <= LONGEST_NAME else ", ".join(classifiers))
    urls = dict(text.split(", ", 1) for text in about.get_all("Project-URL") or [])
    by_kind = {kind.lower(): url for kind, url in urls.items()}
    wanted = ("homepage", "source", "source code", "repository", "bug tracker")
    home = page or next((by_kind[kind] for kind in wanted if kind in by_kind), "")
    return Library(about["Name"], licence, home)


def _only(about: PackageMetadata, key: str) -> str:
    return next(iter(about.get_all(key) or []), "")


def table() -> str:
    """All locked libraries as Markdown."""
    found = sorted(map(library, locked()), key=lambda one: one.name.lower())
    return HEAD + "".join(f"| {one.name} | {one.licence} | <{one.home}> |\n" for one in found)


def fonts_table() -> str:
    """The shipped fonts as Markdown."""
    rows = FONT_LINE.findall(FONTS.read_text(encoding="utf-8"))
    licence = "SIL Open Font License 1.1"
    return FONTS_HEAD + "".join(
        f"| `{'`, `'.join(files.split(', '))}` | {name} | {owner} | {licence} |\n"
        for files, name, owner in rows
    )


def with_table(text: str) -> str:
    """The notices with new tables of libraries and fonts between their marks."""
    text = _replaced(text, BEGIN, table(), END)
    return _replaced(text, FONTS_BEGIN, fonts_table(), FONTS_END)


def _replaced(text: str, begin: str, new: str, end: str) -> str:
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n{new}\n{end}{rest.partition(end)[2]}"


def licence_texts() -> list[tuple[str, str]]:
    """The licence texts of the libraries and of Python, as (path, folder in the self-contained program)."""
    found = [(str(path), FOLDER) for path in sorted(KEPT_TEXTS.iterdir())]
    for name in locked():
        for file in distribution(name).files or []:
            if IS_TEXT.search(file.name) and file.suffix not in (".py", ".pyc"):
                inside = PurePosixPath(FOLDER, name, *file.parent.parts[1:])
                found.append((str(file.locate()), str(inside)))
    python = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    if python.exists():
        found.append((str(python), f"{FOLDER}/python"))
    return found


def system_texts(libraries: Iterable[str]) -> list[tuple[str, str]]:
    """The same for shared libraries of this system, by path; nothing where it has no Debian packages."""
    asked = sorted({f"*/{Path(path).name}" for path in libraries})
    if not asked or shutil.which("dpkg-query") is None:
        return []
    done = subprocess.run(
        ["dpkg-query", "--search", *asked], capture_output=True, text=True, check=False
    )
    packages = {line.partition(":")[0] for line in done.stdout.splitlines()}
    texts = {package: Path("/usr/share/doc", package, "copyright") for package in packages}
    return [
        (str(path), f"{FOLDER}/system/{package}")
        for package, path in sorted(texts.items())
        if path.exists()
    ]


def main() -> int:
    NOTICES.write_text(with_table(NOTICES.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{NOTICES.relative_to(ROOT)}: {len(locked())} libraries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
