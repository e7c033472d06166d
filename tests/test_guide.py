"""The user guide is true: what it names exists, in both languages alike."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from core.base.files import guide
from core.labs.lab import LABS
from core.storage.examples import EXAMPLES
from gui.cli import COMMANDS
from gui.cli.arguments import parse
from gui.texts.labs import lab_title
from gui.texts.translation import languages, spoken
from gui.views.guide.reader import page_text, slug
from tests.words_kit import unknown, ways

TEXTS = {language: page_text("guide", language) for language in languages()}
PICTURE = re.compile(r"!\[[^\]]+\]\(pictures/([\w-]+\.png)\)")
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)]+)\)")
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)


def test_both_languages_have_the_same_build() -> None:
    assert (
        len({tuple(len(marks) for marks, _ in HEADING.findall(text)) for text in TEXTS.values()})
        == 1
    )
    assert (
        len(
            {
                tuple(name.split("-", 1)[1] for name in PICTURE.findall(text))
                for text in TEXTS.values()
            }
        )
        == 1
    )
    assert len({text.count("\n| ") for text in TEXTS.values()}) == 1
    assert len(HEADING.findall(TEXTS["en"])) > 15


@pytest.mark.parametrize("language", languages())
def test_every_link_leads_somewhere(language: str) -> None:
    text = TEXTS[language]
    places = {f"#{slug(heading)}" for _, heading in HEADING.findall(text)} | {"notices.md"}
    links = set(LINK.findall(text))
    assert len(links) > 10
    assert links <= places


def test_every_picture_is_there_light_and_dark_and_none_is_left_over() -> None:
    shown = {name for text in TEXTS.values() for name in PICTURE.findall(text)}
    there = {path.name for path in guide("pictures").iterdir()}
    assert there == shown | {name.replace(".png", "-dark.png") for name in shown}
    assert all(
        name.startswith(f"{language}-")
        for language, text in TEXTS.items()
        for name in PICTURE.findall(text)
    )
    assert sum(path.stat().st_size for path in guide("pictures").iterdir()) < 2_500_000


@pytest.mark.parametrize("language", languages())
def test_the_menus_that_it_names_exist(language: str) -> None:
    assert len(ways(TEXTS[language])) > 10
    assert unknown(TEXTS[language], language) == []


def test_a_menu_that_is_not_there_would_be_noticed() -> None:
    assert unknown("Choose Tools ▸ Export ▸ Setup from there, or File ▸ Expert.", "en") == [
        "Choose Tools",
        "Expert",
    ]


@pytest.mark.parametrize("language", languages())
def test_it_lists_every_lab_by_its_title(language: str) -> None:
    rows = set(re.findall(r"^\| ([^|]+) \|", TEXTS[language], re.MULTILINE))
    with spoken(language):
        titles = {lab_title(lab) for lab in LABS}
    assert titles <= rows


def test_its_commands_are_understood(tmp_path: Path) -> None:
    lines = re.findall(r"^    attention-stepper (?!\[)(.+)$", TEXTS["en"], re.MULTILINE)
    assert len(lines) > 6
    commands = tuple(filter(None, COMMANDS))
    asked = {parse(shlex.split(line), commands).command for line in lines}
    assert asked == set(commands)
    assert set(EXAMPLES) >= {"cat-eats-fish"}


@pytest.mark.parametrize(
    ("heading", "address"),
    [
        ("First steps", "first-steps"),
        ("检查与预测", "检查与预测"),
        ("Why? √dₖ, a–b", "why-dₖ-ab"),
        ("A  b", "a--b"),
    ],
)
def test_addresses_of_headings(heading: str, address: str) -> None:
    assert slug(heading) == address
