"""Hand-computed numbers marked as a teacher marks them: right to the digits written, consistent, or wrong and why."""

from core.check.entered import Entered
from core.check.marking import check
from core.check.report import FOLLOWS, RIGHT, WRONG, Mark, Report, Slip

__all__ = ["FOLLOWS", "RIGHT", "WRONG", "Entered", "Mark", "Report", "Slip", "check"]
