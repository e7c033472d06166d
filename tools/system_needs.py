"""Check what pip cannot install: Python itself, venv, and the libraries that Qt's window plugin (xcb) needs on Linux.

Standard library only, for it runs before .venv exists. Prints the one command that installs what is missing and exits
with 1; as root in CI (CI=true, Debian or Ubuntu) it runs that command itself, and adds what the tests need: a screen
without a monitor, a window manager, a keyboard, a spreadsheet.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys

OLDEST_PYTHON = (3, 11)

# shared library -> its package on Debian and Ubuntu, Fedora, Arch; what `ldd` finds under Qt's Gui, DBus and xcb plugin
LIBRARIES = {
    "libEGL.so.1": ("libegl1", "libglvnd-egl", "libglvnd"),
    "libGL.so.1": ("libgl1", "libglvnd-glx", "libglvnd"),
    "libX11-xcb.so.1": ("libx11-xcb1", "libX11-xcb", "libx11"),
    "libX11.so.6": ("libx11-6", "libX11", "libx11"),
    "libdbus-1.so.3": ("libdbus-1-3", "dbus-libs", "dbus"),
    "libfontconfig.so.1": ("libfontconfig1", "fontconfig", "fontconfig"),
    "libfreetype.so.6": ("libfreetype6", "freetype", "freetype2"),
    "libglib-2.0.so.0": ("libglib2.0-0", "glib2", "glib2"),
    "libgthread-2.0.so.0": ("libglib2.0-0", "glib2", "glib2"),
    "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor", "xcb-util-cursor"),
    "libxcb-glx.so.0": ("libxcb-glx0", "libxcb", "libxcb"),
    "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm", "xcb-util-wm"),
    "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image", "xcb-util-image"),
    "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms", "xcb-util-keysyms"),
    "libxcb-randr.so.0": ("libxcb-randr0", "libxcb", "libxcb"),
    "libxcb-render-util.so.0": (
        "libxcb-render-util0",
        "xcb-util-renderutil",
        "xcb-util-renderutil",
    ),
    "libxcb-render.so.0": ("libxcb-render0", "libxcb", "libxcb"),
    "libxcb-shape.so.0": ("libxcb-shape0", "libxcb", "libxcb"),
    "libxcb-shm.so.0": ("libxcb-shm0", "libxcb", "libxcb"),
    "libxcb-sync.so.1": ("libxcb-sync1", "libxcb", "libxcb"),
    "libxcb-util.so.1": ("libxcb-util1", "xcb-util", "xcb-util"),
    "libxcb-xfixes.so.0": ("libxcb-xfixes0", "libxcb", "libxcb"),
    "libxcb-xkb.so.1": ("libxcb-xkb1", "libxcb", "libxcb"),
    "libxcb.so.1": ("libxcb1", "libxcb", "libxcb"),
    "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11", "libxkbcommon-x11"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon", "libxkbcommon"),
    "libz.so.1": ("zlib1g", "zlib", "zlib"),
    "libzstd.so.1": ("libzstd1", "libzstd", "zstd"),
}
INSTALLERS = (
    ("apt-get", ["apt-get", "install", "--yes"]),
    ("dnf", ["dnf", "install", "--assumeyes"]),
    ("pacman", ["pacman", "-S", "--needed", "--noconfirm"]),
)
TEST_PACKAGES = {
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "xdotool": "xdotool",
}
TEST_PACKAGES["chromium"] = "chromium"  # plays the exported page
TEST_PACKAGES["soffice"] = "libreoffice-calc-nogui"  # recalculates exported workbooks


def loads(library: str) -> bool:
    """Whether the dynamic linker finds *library* and everything below it."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def can_make_venv() -> bool:
    """Debian's bare python3 has the module venv but not ensurepip, without which a venv gets no pip."""
    return all(importlib.util.find_spec(name) is not None for name in ("venv", "ensurepip"))


def installer() -> int | None:
    """Return the index of this system's package manager in INSTALLERS, None where we know none."""
    return next((i for i, (program, _) in enumerate(INSTALLERS) if shutil.which(program)), None)


def missing_for_running(manager: int) -> dict[str, str]:
    """Return what is missing (library or module) and the package that brings it."""
    missing = {}
    if sys.platform.startswith("linux"):
        missing = {
            library: packages[manager]
            for library, packages in LIBRARIES.items()
            if not loads(library)
        }
    if not can_make_venv():
        missing["Python's venv and ensurepip"] = ("python3-venv", "python3", "python")[manager]
    return missing


def missing_for_testing() -> dict[str, str]:
    return {
        program: package
        for program, package in TEST_PACKAGES.items()
        if shutil.which(program) is None
    }


def install_on_debian(packages: list[str]) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    print("Installing " + " ".join(packages), flush=True)
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        subprocess.run(
            ["apt-get", "--quiet", *arguments],
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )


def report(missing: dict[str, str], manager: int | None) -> None:
    print("error: this system lacks " + ", ".join(sorted(missing)), file=sys.stderr)
    if manager is None:
        print("Install these with your system's package manager, then try again.", file=sys.stderr)
        return
    program, command = INSTALLERS[manager]
    update = "sudo apt-get update && " if program == "apt-get" else ""
    print("This command installs it:\n", file=sys.stderr)
    print(
        f"    {update}sudo {' '.join([*command, *sorted(set(missing.values()))])}\n",
        file=sys.stderr,
    )


def main() -> int:
    if sys.version_info < OLDEST_PYTHON:
        print(
            f"error: Python {sys.version.split()[0]} is too old; Python 3.11 or newer is needed.",
            file=sys.stderr,
        )
        print("Name another one like this: make venv PYTHON=python3.12", file=sys.stderr)
        return 1
    manager = installer()
    missing = missing_for_running(manager or 0)
    in_ci = os.environ.get("CI") == "true" and hasattr(os, "geteuid") and os.geteuid() == 0
    if in_ci and manager == 0:
        wanted = {**missing, **missing_for_testing()}
        if wanted:
            install_on_debian(sorted(set(wanted.values())))
        missing = missing_for_running(manager)
    if missing:
        report(missing, manager)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
