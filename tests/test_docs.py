"""The pages beside the program are true: files, commands, keys and menus that they name exist.

The user guide has tests of its own, and so has the table of rooms.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from core.exchange.exporters import EXPORTERS
from core.labs.lab import LABS
from core.storage.archive import loads
from gui.cli import COMMANDS
from gui.cli.arguments import parse
from gui.cli.exporting import PAPER_FORMATS, VISUAL_FORMATS
from gui.views.guide.reader import slug
from tests.gui.window_kit import all_actions
from tests.words_kit import unknown

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in ROOT.glob("*.md")
}
PAGES |= {f"docs/{path.name}": path.read_text(encoding="utf-8") for path in ROOT.glob("docs/*.md")}
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
TOP = ("core/", "gui/", "resources/", "tests/", "tools/", "packaging/", "docs/", ".github/")
SIGNS = str.maketrans({"→": "Right", "←": "Left", "↑": "Up", "↓": "Down", "−": "-"})


def paths_in(text: str) -> set[str]:
    """What stands in code marks, alone or in a command, and looks like a place here; <id> stands for any name."""
    words = {word for code in CODE.findall(text) for word in code.split()}
    names = {re.sub(r"<\w+>", "*", word).rstrip("/") for word in words}
    return {name for name in names if name.startswith(TOP) and not re.search(r"[(){}]", name)}


def stands(name: str) -> bool:
    """Whether a file or folder has this name, or a module of it, or a tool makes it there."""
    made = [
        line.strip("/")
        for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
        if "/" in line
    ]
    return bool([*ROOT.glob(name), *ROOT.glob(f"{name}.py")]) or any(
        f"{name}/".startswith(f"{one}/") for one in made
    )


def keys_of(cell: str) -> set[str]:
    """The keys of a row as Qt writes them."""
    spelled = cell.translate(SIGNS).replace("PageDown", "PgDown").replace("PageUp", "PgUp")
    spelled = spelled.replace("1 – 9", " ".join("123456789"))
    arrows = " ".join(f"Shift+{way}" for way in ("Up", "Down", "Left", "Right"))
    return set(re.findall(r"[^\s,()]+", spelled.replace("Shift+arrows", arrows))) - {"or"}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    for link in LINK.findall(PAGES[page]):
        name, _, place = link.partition("#")
        if name.startswith(("https:", "http:")):
            continue
        target = (ROOT / page).parent / name if name else ROOT / page
        assert target.exists(), link
        if place:
            headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert place in map(slug, headings), link


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])
def test_files_that_are_named_exist(page: str) -> None:
    assert [name for name in sorted(paths_in(PAGES[page])) if not stands(name)] == []


def test_a_file_that_is_not_there_would_be_noticed() -> None:
    assert paths_in(
        "`core/document/plan.py`, `gui/labs/<id>.py`, `make run`, `python tools/lock.py --all`"
    ) == {
        "core/document/plan.py",
        "gui/labs/*.py",
        "tools/lock.py",
    }
    assert stands("gui/labs/*.py")
    assert not stands("core/plans.py")


def test_what_make_is_asked_for_it_can_make() -> None:
    made = set(
        re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    asked = {
        name
        for text in PAGES.values()
        for name in re.findall(r"(?:^    |`)make ([a-z-]+)", text, re.MULTILINE)
    }
    assert len(asked) > 8
    assert asked <= made


def test_the_command_line_page_lists_commands_formats_and_labs() -> None:
    text = PAGES["docs/command-line.md"]
    asked = re.findall(r"^    python main\.py ([a-z]*)", text, re.MULTILINE)
    assert set(asked) == set(COMMANDS)
    formats = re.search(
        r"^`export` knows (.+?)\. If `FILE` is a lesson", text, re.MULTILINE | re.DOTALL
    )
    assert formats is not None
    assert set(CODE.findall(formats[1])) == {*EXPORTERS, *PAPER_FORMATS, *VISUAL_FORMATS}
    labs = re.search(r"The labs:\n`([^`]+)`", text)
    assert labs is not None
    assert labs[1].split() == list(LABS)


def test_every_option_of_the_command_line_page_is_understood(
    capsys: pytest.CaptureFixture[str],
) -> None:
    known: set[str] = set()
    for command in COMMANDS:
        with pytest.raises(SystemExit):
            parse([*filter(None, [command]), "--help"], tuple(filter(None, COMMANDS)))
        known |= set(re.findall(r"--[a-z]+", capsys.readouterr().out))
    commands = "".join(
        line
        for line in PAGES["docs/command-line.md"].splitlines()
        if "main.py" in line or line.startswith("`--")
    )
    assert len(re.findall(r"--[a-z]+", commands)) > 20
    assert set(re.findall(r"--[a-z]+", commands)) <= known


def test_the_keys_of_the_readme_are_the_windows() -> None:
    known = {key for spec in all_actions() for key in spec.keys} | {"Esc"}
    rows = re.findall(
        r"^\| ([^|]+?) \| [^|]+ \|$", PAGES["README.md"].partition("## Keys")[2], re.MULTILINE
    )[1:]
    assert len(rows) > 15
    asked = set().union(*map(keys_of, rows))
    assert {"Right", "Ctrl+Up", "9", "Ctrl++", "Ctrl+-", "Shift+F1"} <= asked
    assert asked <= known


@pytest.mark.parametrize("page", PAGES)
def test_menus_that_are_named_exist(page: str) -> None:
    assert unknown(PAGES[page], "en") == []


def test_the_experiment_of_the_command_line_page_opens() -> None:
    written = re.search(r"```json\n(.+?)```", PAGES["docs/command-line.md"], re.DOTALL)
    assert written is not None
    assert loads(written[1].encode()).tokens == tuple(json.loads(written[1])["tokens"])
