"""Whether the system asks programs not to move. Qt does not tell, so each desktop is asked where it keeps it."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

VARIABLE = "ATTENTION_STEPPER_MOTION"
# Desktops that keep their settings where no other program can read them but this one.
GNOMES = {"GNOME", "Unity", "Budgie", "Pantheon"}
ASK_GNOME = ("gsettings", "get", "org.gnome.desktop.interface", "enable-animations")


def prefers_reduced_motion() -> bool:
    """The variable ATTENTION_STEPPER_MOTION ("off" or "on") decides, without it the system as it was at the start."""
    chosen = os.environ.get(VARIABLE, "").lower()
    return chosen == "off" or (
        chosen != "on" and (system_reduces_motion() or any(asked.is_reduced for asked in _asked))
    )


class DesktopQuery:
    """A desktop that is asked by a program beside this one. Nobody waits for it: until it has answered, things move."""

    def __init__(self, command: tuple[str, ...]) -> None:
        quiet = subprocess.DEVNULL
        self._program = subprocess.Popen(command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet)
        self._answer: bytes | None = None
        atexit.register(self.end)

    @property
    def is_reduced(self) -> bool:
        """Whether it has answered that animations are switched off."""
        if self._answer is None and self._program.poll() is not None:
            self._answer = self._program.communicate()[0]
        return self._answer is not None and self._answer.strip() == b"false"

    def end(self) -> None:
        """Wait no longer for a program that hangs."""
        atexit.unregister(self.end)
        if self._answer is None:
            self._program.kill()
            self._answer = self._program.communicate()[0]


_asked: list[DesktopQuery] = []


def query_desktop() -> None:
    """Ask GNOME, where that is the desktop and can be asked. To be called once, early."""
    desktops = set(os.environ.get("XDG_CURRENT_DESKTOP", "").split(":"))
    if sys.platform.startswith("linux") and desktops & GNOMES and shutil.which(ASK_GNOME[0]):
        try:
            _asked.append(DesktopQuery(ASK_GNOME))
        except OSError:  # found, but it does not start
            return


@cache
def system_reduces_motion() -> bool:
    """Whether the system's animations are switched off; False where it does not say."""
    if sys.platform == "win32":
        return _windows_is_still()
    if sys.platform == "darwin":
        return mac_reduces_motion(
            Path.home() / "Library" / "Preferences" / "com.apple.universalaccess.plist"
        )
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    return desktop_reduces_motion(Path(folder) if folder else Path.home() / ".config")


def desktop_reduces_motion(folder: Path) -> bool:
    """GTK's `gtk-enable-animations` off or KDE's `AnimationDurationFactor` 0, in the user's folder of settings."""
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
    """macOS: "Reduce motion" in the settings of accessibility."""
    import plistlib

    try:
        return bool(plistlib.loads(path.read_bytes()).get("reduceMotion", False))
    except (OSError, ValueError, AttributeError, plistlib.InvalidFileException):
        return False


def _setting(path: Path, section: str, name: str) -> str:
    """A value of an ini file; "" where there is none that can be read."""
    if not path.is_file():
        return ""
    import configparser

    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, configparser.Error):
        return ""
    return parser.get(section, name, fallback="") or ""


def _windows_is_still() -> bool:
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
    """Windows: "Animation effects" off, which is a bit of UserPreferencesMask (client area animation)."""
    return len(mask) > 4 and not mask[4] & 0x02
