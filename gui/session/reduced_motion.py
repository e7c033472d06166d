"""Whether the system asks for reduced motion, read from the settings of each desktop; Qt does not
tell.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

VARIABLE = "ATTENTION_STEPPER_MOTION"
# Desktops whose settings only the program gsettings can read.
GNOMES = {"GNOME", "Unity", "Budgie", "Pantheon"}
GNOME_QUERY = ("gsettings", "get", "org.gnome.desktop.interface", "enable-animations")


def prefers_reduced_motion() -> bool:
    """Whether ATTENTION_STEPPER_MOTION is "off", or else the system asked for it at the start."""
    chosen = os.environ.get(VARIABLE, "").lower()
    return chosen == "off" or (
        chosen != "on" and (system_reduces_motion() or any(query.is_reduced for query in _queries))
    )


class DesktopQuery:
    """A query by another program. The answer is not waited for; until it comes, motion is allowed."""

    def __init__(self, command: tuple[str, ...]) -> None:
        quiet = subprocess.DEVNULL
        self._program = subprocess.Popen(command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet)
        self._answer: bytes | None = None
        atexit.register(self.end)

    @property
    def is_reduced(self) -> bool:
        """Whether the answer is that animations are off."""
        if self._answer is None and self._program.poll() is not None:
            self._answer = self._program.communicate()[0]
        return self._answer is not None and self._answer.strip() == b"false"

    def end(self) -> None:
        """End a program that hangs."""
        atexit.unregister(self.end)
        if self._answer is None:
            self._program.kill()
            self._answer = self._program.communicate()[0]


_queries: list[DesktopQuery] = []


def query_desktop() -> None:
    """Query GNOME, if that is the desktop; to be called once, early."""
    desktops = set(os.environ.get("XDG_CURRENT_DESKTOP", "").split(":"))
    if sys.platform.startswith("linux") and desktops & GNOMES and shutil.which(GNOME_QUERY[0]):
        try:
            _queries.append(DesktopQuery(GNOME_QUERY))
        except OSError:  # found, but it does not start
            return


@cache
def system_reduces_motion() -> bool:
    """Whether the system's animations are off; False where it does not tell."""
    if sys.platform == "win32":
        return _windows_reduces_motion()
    if sys.platform == "darwin":
        return mac_reduces_motion(
            Path.home() / "Library" / "Preferences" / "com.apple.universalaccess.plist"
        )
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    return desktop_reduces_motion(Path(folder) if folder else Path.home() / ".config")


def desktop_reduces_motion(folder: Path) -> bool:
    """Whether GTK's `gtk-enable-animations` is off or KDE's `AnimationDurationFactor` is 0."""
    for version in ("gtk-4.0", "gtk-3.0"):
        animated = _setting(folder / version / "settings.ini", "Settings", "gtk-enable-animations")
        if animated.lower() in ("0", "false"):
            return True
    factor = _setting(folder / "kdeglobals", "KDE", "AnimationDurationFactor")
    try:
        return bool(factor) and float(factor) == 0.0
    except ValueError:
        return False


def mac_reduces_motion(path: Path) -> bool:
    """Whether "Reduce motion" is on in the accessibility settings of macOS."""
    import plistlib

    try:
        return bool(plistlib.loads(path.read_bytes()).get("reduceMotion", False))
    except (OSError, ValueError, AttributeError, plistlib.InvalidFileException):
        return False


def _setting(path: Path, section: str, name: str) -> str:
    """A value of an ini file; "" where it cannot be read."""
    if not path.is_file():
        return ""
    import configparser

    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, configparser.Error):
        return ""
    return parser.get(section, name, fallback="") or ""


def _windows_reduces_motion() -> bool:
    if sys.platform == "win32":
        import winreg

        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, r"Control Panel\Desktop") as key:
                return mask_reduces_motion(
                    bytes(winreg.QueryValueEx(key, "UserPreferencesMask")[0])
                )
        except (OSError, TypeError):
            return False
    return False


def mask_reduces_motion(mask: bytes) -> bool:
    """Whether "Animation effects" are off on Windows: the bit of client area animation in the mask."""
    return len(mask) > 4 and not mask[4] & 0x02
