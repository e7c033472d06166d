"""Every library that the program stands on is named with its licence, and its licence text goes along."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools import notices

TEXT = notices.NOTICES.read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| ([\w.-]+) \| ([^|]+) \| <https?://[^|>]+> \|$", TEXT, re.MULTILINE))


def test_every_locked_library_is_named_with_its_licence() -> None:
    assert len(notices.locked()) > 10
    named = {notices.library(name).name for name in notices.locked()}
    assert set(ROWS) == named
    assert all(licence.strip() for licence in ROWS.values())


def test_the_table_is_what_the_libraries_say() -> None:
    assert notices.with_table(TEXT) == TEXT, "run: python tools/notices.py"


@pytest.mark.parametrize("name", ["PySide6_Essentials", "shiboken6"])
def test_qt_comes_under_the_lgpl(name: str) -> None:
    assert "LGPL-3.0" in ROWS[name]
    assert "replace Qt by your own build" in TEXT


def test_the_texts_of_all_licences_go_along() -> None:
    texts = notices.licence_texts()
    folders = {Path(folder).parts[1] for _, folder in texts if folder != notices.FOLDER}
    own = {Path(path).stem for path, folder in texts if folder == notices.FOLDER}
    assert {"GPL-3.0", "LGPL-3.0", "STIX-fonts", "DejaVu-fonts"} <= own
    without = set(notices.locked()) - folders - own
    assert without == {
        "pyside6-essentials",
        "shiboken6",
    }  # those of Qt are ours to add: LGPL and GPL
    assert all(Path(path).stat().st_size > 100 for path, _ in texts)


def test_every_shipped_font_is_named_with_its_licence() -> None:
    rows = re.findall(r"^\| (`[\w*`, -]+`) \| ([^|]+) \| ([^|]+) \| SIL Open", TEXT, re.MULTILINE)
    named = [name.strip("`") for files, _, _ in rows for name in files.split(", ")]
    files = [path for path in notices.FONTS.parent.iterdir() if path.suffix in (".ttf", ".otf")]
    assert files
    for path in files:
        assert sum(path.match(name) for name in named) == 1, path.name
    assert all("Google" in owner or "Adobe" in owner for _, _, owner in rows)
    assert "SIL OPEN FONT LICENSE Version 1.1" in notices.FONTS.read_text(encoding="utf-8")
