"""What goes into the self-contained program, and what of its libraries is left out; read by packaging/*.spec.

Standard library only, so that tests can read it without PyInstaller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "docs" / "guide"

# Libraries with files of their own beside their modules: fonts, templates.
WITH_DATA = ("latex2mathml", "pptx", "ziafont", "ziamath")
# Those that look for such a file beside a module's source, which must therefore be there too.
WITH_SOURCE = ("pptx.oxml",)
# Libraries of which `main.py` and the About window tell the version.
WITH_METADATA = ("PySide6-Essentials", "numpy", "pyqtgraph", "msgspec", "ziamath")

# Imported by some library "if it is there". It would be there on a developer's machine alone.
EXCLUDED_MODULES = (
    "IPython",
    "OpenGL",
    "PIL.AvifImagePlugin",
    "PIL.ImageQt",
    "PIL.ImageTk",
    "PIL._avif",
    "PIL._imagingtk",
    "PyQt5",
    "PyQt6",
    "PySide2",
    "PySide6.QtConcurrent",
    "PySide6.QtDesigner",
    "PySide6.QtHelp",
    "PySide6.QtNetwork",
    "PySide6.QtPrintSupport",
    "PySide6.QtQml",
    "PySide6.QtQuick",
    "PySide6.QtQuickWidgets",
    "PySide6.QtSql",
    "PySide6.QtSvgWidgets",
    "PySide6.QtUiTools",
    "PySide6.QtXml",
    "_hashlib",
    "_pytest",
    "_ssl",
    "colorcet",
    "cupy",
    "curses",
    "h5py",
    "hypothesis",
    "idlelib",
    "imageio_ffmpeg",
    "jupyter_core",
    "lib2to3",
    "matplotlib",
    "mypy",
    "nbformat",
    "numba",
    "numpy.f2py",
    "numpy.testing",
    "pandas",
    "pip",
    "pkg_resources",
    "pyqtgraph.examples",
    "pyqtgraph.jupyter",
    "pyqtgraph.opengl",
    "pytest",
    "readline",
    "scipy",
    "setuptools",
    "sqlite3",
    "ssl",
    "tkinter",
    "torch",
)

# Qt's plugins that stay, by folder; "" keeps the whole folder. All others are left out.
PLUGINS: dict[str, tuple[str, ...]] = {
    "platforms": ("xcb", "wayland", "offscreen", "windows", "cocoa"),
    "iconengines": ("svgicon",),
    "imageformats": ("svg", "jpeg"),
    "platforminputcontexts": ("compose", "ibus"),  # Chinese is typed through one of these
    "platformthemes": (
        "xdgdesktopportal",
    ),  # not gtk3: it would bring all of GTK from the machine that builds
    "styles": ("",),
    "wayland-decoration-client": ("bradient", "adwaita"),
    "wayland-shell-integration": ("xdg-shell",),
}
TRANSLATIONS = ("qtbase_zh_CN.qm",)
# Libraries that no module of ours asks for, by a part of their names.
LEFT_OUT_LIBRARIES = (
    "Qt6Network",
    "Qt6Pdf",
    "Qt6Qml",
    "Qt6Quick",
    "Qt6VirtualKeyboard",
    "avif",
    "opengl32sw",
)


def hidden_imports() -> list[str]:
    """Every module of core and gui: labs and exporters are imported by name, which no analysis of imports sees."""
    files = [
        path.relative_to(ROOT).with_suffix("")
        for room in ("core", "gui")
        for path in (ROOT / room).rglob("*.py")
    ]
    return sorted({".".join(path.parts).removesuffix(".__init__") for path in files})


def resources() -> list[tuple[str, str]]:
    """Every shipped file, as (its path here, its folder in the bundle); the guide comes to stand beside the others."""
    found = [(path, path.relative_to(ROOT).parent) for path in _files(ROOT / "resources")]
    found += [
        (path, Path("resources", "guide") / path.relative_to(GUIDE).parent)
        for path in _files(GUIDE)
    ]
    found.append((ROOT / "LICENSE", Path()))
    return [(str(path), folder.as_posix()) for path, folder in found]


def _files(folder: Path) -> list[Path]:
    return sorted(
        path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )


def is_kept(name: str) -> bool:
    """Whether a file that PyInstaller collected, by its place in the bundle, is needed."""
    path = PurePosixPath(name.replace("\\", "/"))
    parts = path.parts
    if any(left in path.name for left in LEFT_OUT_LIBRARIES):
        return False
    if "plugins" in parts and "PySide6" in parts:
        folder = parts[parts.index("plugins") + 1]
        return any(kept in path.name for kept in PLUGINS.get(folder, ()))
    if "translations" in parts and "PySide6" in parts:
        return path.name in TRANSLATIONS
    return not ("PySide6" in parts and "qml" in parts)


def needed(
    libraries: Iterable[str], roots: Iterable[str], imports: Callable[[str], Iterable[str]]
) -> set[str]:
    """The paths of *libraries* that the files *roots* come to load; `imports(path)` are the paths that one asks for.

    A library is known by its file name: it may have been found in another folder than the one it is taken from.
    """
    by_name = {PurePosixPath(path).name: path for path in libraries}
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        asked = {PurePosixPath(path).name for path in imports(waiting.pop())}
        new = {by_name[name] for name in asked & by_name.keys()} - found
        found |= new
        waiting += new
    return found
