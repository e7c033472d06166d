"""Public names for experiment files; the code lies in `core.storage.archive`."""

from core.storage.archive import dumps, load, loads, save

__all__ = ["dumps", "load", "loads", "save"]
