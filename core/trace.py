"""Public name of the computation; the code lies in `core.compute.trace`."""

from core.compute.trace import Trace, run

__all__ = ["Trace", "run"]
