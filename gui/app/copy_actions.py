"""Edit ▸ Copy as: the matrix in focus in another program's notation, or that of every head."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from gui.app.actions import COPY_HEADS, COPY_MATRIX
from gui.session.session import Session
from gui.texts.translation import tr


class CopyActions:
    """Puts numbers on the clipboard, as they are seen; `say` is told why it cannot be done."""

    def __init__(self, session: Session, say: Callable[[str], None]) -> None:
        self._session, self._say = session, say

    def matrix(self, action_id: str) -> None:
        """The focused tensor, of the chosen head."""
        from gui.views.tables import clipboard
        from gui.views.tables.contents import table_contents

        state = self._session.state
        shown = table_contents(state, state.focus.tensor)
        none = np.zeros(shown.values.shape, dtype=bool)
        self._told(clipboard.copy_as(self._session, shown, none, COPY_MATRIX[action_id]))

    def heads(self, action_id: str) -> None:
        """The focused tensor of all heads, as one stack."""
        from core.exchange import pieces
        from gui.views.tables import clipboard
        from gui.views.tables.contents import table_contents

        state = self._session.state
        tensor = state.focus.tensor
        if table_contents(state, tensor).visible_extent is not None:
            self._told(tr("Not all of these numbers are shown yet."))
            return
        stack = (
            state.trace[tensor]
            if tensor in state.trace
            else np.stack(
                [_matrix(state.document.tensor(tensor, head)) for head in range(state.document.h)]
            )
        )
        values = state.orientation.matrix(stack)
        count = clipboard.PIECES_PER_ROW * values.shape[0] * values.shape[1]
        clipboard.copy_text(self._session, partial(pieces, values, COPY_HEADS[action_id]), count)

    def _told(self, said: str) -> None:
        if said:
            self._say(said)


def _matrix(tensor: object) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.atleast_2d(np.asarray(tensor, dtype=np.float64))
