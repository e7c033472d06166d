"""The self-contained program holds all that is needed, as far as it can be told without building it (`make bundle`)."""

from __future__ import annotations

import configparser
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from core.base.files import resource
from core.labs.lab import LABS, find_lab
from gui.export.registry import EXPORTERS
from tools import bundle_contents, check_bundle

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "packaging" / "attention_stepper.spec"
LINUX = ROOT / "packaging" / "linux"
ENDINGS = [".attn.json", ".lesson.json", ".answers.json"]

# Imports everything while what is left out cannot be imported; its arguments are the modules.
IMPORT_ALL = """
import importlib, sys
left_out, modules = sys.argv[1].split(","), sys.argv[2].split(",")

class LeftOut:
    def find_spec(self, name, path=None, target=None):
        if name in left_out:
            raise ModuleNotFoundError("left out: " + name, name=name)

sys.meta_path.insert(0, LeftOut())
for name in modules:
    importlib.import_module(name)
print(len(modules))
"""
LIBRARIES = [
    "pyqtgraph",
    "ziamath",
    "pptx",
    "openpyxl",
    "PIL.PngImagePlugin",
    "PIL.WebPImagePlugin",
    "PIL.GifImagePlugin",
]


def import_all(left_out: tuple[str, ...], modules: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", IMPORT_ALL, ",".join(left_out), ",".join(modules)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_every_module_that_is_imported_by_name_is_in_it() -> None:
    held = set(bundle_contents.hidden_imports())
    by_name = {f"gui.labs.{lab.replace('-', '_')}" for lab in LABS}
    by_name |= {type(find_lab(lab)).__module__ for lab in LABS}
    by_name |= {f"gui.export.{exporter.module}" for exporter in EXPORTERS.values()}
    assert len(by_name) > 2 * len(LABS)
    assert by_name <= held
    assert {"core", "gui", "gui.labs", "core.exchange.exporters"} <= held


def test_every_shipped_file_is_in_it() -> None:
    held = {Path(folder) / Path(path).name for path, folder in bundle_contents.resources()}
    shipped = {
        path.relative_to(ROOT)
        for path in resource().rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    folders = {path.parts[1] for path in shipped}
    assert {"examples", "i18n", "icons", "lessons", "models", "page", "pictures"} <= folders
    assert shipped <= held
    assert {Path("resources/guide") / name for name in ("en.md", "zh_CN.md", "notices.md")} <= held
    assert Path("resources/guide/pictures/en-window.png") in held


def test_the_recipe_follows_the_lists() -> None:
    recipe = SPEC.read_text(encoding="utf-8")
    for name in (
        "hidden_imports()",
        "resources()",
        "WITH_DATA",
        "WITH_SOURCE",
        "WITH_METADATA",
        "EXCLUDED_MODULES",
    ):
        assert f"contents.{name}" in recipe
    assert {"ziamath", "ziafont", "pptx"} <= set(bundle_contents.WITH_DATA)


def test_nothing_that_is_left_out_is_missed() -> None:
    modules = bundle_contents.hidden_imports() + LIBRARIES
    done = import_all(bundle_contents.EXCLUDED_MODULES, modules)
    assert (done.stdout, done.stderr) == (f"{len(modules)}\n", "")


def test_what_would_be_missed_is_noticed() -> None:
    done = import_all(("PySide6.QtOpenGL",), LIBRARIES)
    assert done.returncode == 1
    assert "PySide6.QtOpenGL" in done.stderr


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
        ("PySide6/Qt/plugins/platforms/libqvnc.so", False),
        ("PySide6\\plugins\\platforms\\qwindows.dll", True),
        ("PySide6/Qt/plugins/platforms/libqcocoa.dylib", True),
        ("PySide6/Qt/plugins/platforminputcontexts/libibusplatforminputcontextplugin.so", True),
        ("PySide6/Qt/plugins/platformthemes/libqgtk3.so", False),
        ("PySide6/Qt/plugins/sqldrivers/libqsqlite.so", False),
        ("PySide6/Qt/translations/qtbase_zh_CN.qm", True),
        ("PySide6/Qt/translations/qtbase_de.qm", False),
        ("PySide6/Qt/lib/libQt6Svg.so.6", True),
        ("PySide6/Qt/lib/libQt6Quick.so.6", False),
        ("PySide6/Qt/qml/QtQml/qmldir", False),
        ("resources/i18n/zh_CN/window.json", True),
        ("ziamath/fonts/STIXTwoMath-Regular.ttf", True),
    ],
)
def test_what_is_kept_of_the_libraries(name: str, kept: bool) -> None:
    assert bundle_contents.is_kept(name) is kept


def test_a_library_stays_if_somebody_still_asks_for_it() -> None:
    asks = {
        "/a/plugin.so": ["/b/libone.so"],
        "/x/libone.so": ["/b/libtwo.so", "/b/libc.so"],
        "/x/libtwo.so": [],
    }
    libraries = ["/x/libone.so", "/x/libtwo.so", "/x/libthree.so"]
    assert bundle_contents.needed(libraries, ["/a/plugin.so"], asks.__getitem__) == {
        "/x/libone.so",
        "/x/libtwo.so",
    }


def test_the_desktop_knows_the_files() -> None:
    desktop = configparser.ConfigParser(interpolation=None)
    desktop.optionxform = str  # type: ignore[assignment,method-assign]
    desktop.read(LINUX / "attention-stepper.desktop", encoding="utf-8")
    entry = desktop["Desktop Entry"]
    assert entry["Exec"] == "attention-stepper %f"
    assert (LINUX / "install.sh").stat().st_mode & 0o100 or sys.platform == "win32"

    names = {"": "http://www.freedesktop.org/standards/shared-mime-info"}
    types = ElementTree.parse(LINUX / "attention-stepper.xml").getroot().findall("mime-type", names)
    globs = [glob.get("pattern") for kind in types for glob in kind.findall("glob", names)]
    assert globs == [f"*{ending}" for ending in ENDINGS]
    assert entry["MimeType"].rstrip(";").split(";") == [kind.get("type") for kind in types]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="desktops of Linux alone")
def test_installing_for_one_user_leaves_nothing_behind(tmp_path: Path) -> None:
    folder, data = tmp_path / '注意力 "ë" 100% \\ $x', tmp_path / "data"
    folder.mkdir()
    for path in LINUX.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "attention-stepper.svg").write_bytes(resource("icons", "app.svg").read_bytes())
    (folder / "attention-stepper").write_text("")
    (folder / "attention-stepper").chmod(0o755)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_DATA_HOME": str(data)}
    script = ["/bin/sh", str(folder / "install.sh")]
    subprocess.run(script, env=environment, capture_output=True, check=True)
    written = (data / "applications" / "attention-stepper.desktop").read_text(encoding="utf-8")
    quoted = str(tmp_path) + '/注意力 \\\\"ë\\\\" 100%% \\\\\\\\ \\\\$x/attention-stepper'
    assert f'Exec="{quoted}" %f' in written.splitlines()
    assert len(list(data.rglob("attention-stepper.*"))) == 3

    subprocess.run([*script, "--remove"], env=environment, capture_output=True, check=True)
    assert list(data.rglob("attention-stepper.*")) == []


def test_an_environment_inside_the_source_tree_is_hidden_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(check_bundle, "ROOT", Path("/home/me/src"))
    monkeypatch.setattr(sys, "prefix", "/home/me/src/.venv")
    monkeypatch.setattr(sys, "base_prefix", "/opt/python")
    monkeypatch.setattr(check_bundle.shutil, "which", lambda _name: "/bin/unshare")
    done = subprocess.CompletedProcess([], 0)
    monkeypatch.setattr(check_bundle.subprocess, "run", lambda *_args, **_values: done)
    script = next(word for word in check_bundle.shield() if "mount" in word and " " in word)
    assert script.count("tmpfs") == 2  # what is mounted over is no place to mount in
    assert "/home/me/src;" in script
    assert "/opt/python;" in script
