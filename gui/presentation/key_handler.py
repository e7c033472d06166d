"""What keys take into the lecturer's hand: curtain, pointer, pen, and a closer look at the diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.presentation.blank_screen import BLACK, WHITE
from gui.presentation.overlay import LASER, SPOTLIGHT

if TYPE_CHECKING:
    from gui.presentation.audience_view import AudienceView

_CURTAINS = {"black": BLACK, "white": WHITE}
_LIGHTS = {"laser": LASER, "spotlight": SPOTLIGHT}
_ZOOMS = ("zoom_in", "zoom_out", "fit")


def handled(board: AudienceView, command: str) -> bool:
    """Do it, if it is one of these."""
    pointer = board.pointer
    if command in _CURTAINS:
        board.curtain.toggle(_CURTAINS[command])
    elif command in _LIGHTS:
        pointer.toggle(_LIGHTS[command])
    elif command == "pen":
        pointer.next_pen()
    elif command == "erase":
        pointer.wipe()
    elif command == "arrow":
        pointer.put_down()
    elif command == "help":
        board.show_keys()
    elif command in _ZOOMS:
        _zoom(board, command)
    else:
        return False
    return True


def _zoom(board: AudienceView, how: str) -> None:
    pane = board.panes.all.get("diagram")
    if pane is not None:
        getattr(pane, how)()
