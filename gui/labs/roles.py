"""The lab of roles in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.labs.lab import Setting
from core.labs.roles import Seats
from core.numbers import show
from gui.labs import roles_picture
from gui.labs.exhibit import Exhibit, Shown, Spot
from gui.labs.roles_picture import ASKS, FLOWS, SHARES, spoken_seat
from gui.language import mark, tr
from gui.texts.names import head_name, visible_token

LABELS = {"speaker": mark("Who speaks"), "head": mark("Head"), "step": mark("How far the round has come")}


class RolesExhibit(Exhibit):
    """The round table."""

    labels = LABELS

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Tokens and heads by name."""
        assert setting.document is not None
        if control_id == "head":
            return head_name(int(option), setting.document.heads[int(option)].name)
        return visible_token(setting.document.tokens[int(option)])

    def notice(self, shown: Shown) -> str:
        """What the step has brought."""
        seats: Seats = shown.result
        names = [visible_token(token) for token in seats.document.tokens]
        token = names[seats.speaker]
        if not any(seats.allowed):
            return tr("{token} may listen to nobody: every weight is 0, and so is what it hears.", token=token)
        if seats.step < ASKS:
            return tr(
                "{token} holds a question, q. Everybody holds a name card, k, and something to say, v.",
                token=token,
            )
        most, least = seats.loudest, seats.faintest
        if seats.step < SHARES:
            best = max((seat for seat, free in enumerate(seats.allowed) if free), key=lambda i: float(seats.scores[i]))
            return tr(
                "The question of {token} fits the card of {name} best: q·k = {score}.",
                token=token, name=names[best], score=_number(shown, seats.scores[best]),
            )  # fmt: skip
        weight, faintest = _number(shown, seats.weights[most]), _number(shown, seats.weights[least])
        if seats.step < FLOWS:
            return tr(
                "{token} listens to {name} with {weight} of its attention, to {faint} with only {least}.",
                token=token, name=names[most], faint=names[least], weight=weight, least=faintest,
            )  # fmt: skip
        return tr(
            "What {token} hears is a mixture: {weight} of what {name} says, {least} of what {faint} says.",
            token=token, name=names[most], faint=names[least], weight=weight, least=faintest,
        )  # fmt: skip

    def attempt(self, shown: Shown) -> str:
        """On with the round, then another speaker."""
        seats: Seats = shown.result
        if seats.step < FLOWS:
            return tr("Step on: first the dot products, then the shares, then what flows back.")
        return tr("Let another token speak: click its seat. Whose question is answered by one card alone?")

    def paint(self, painter: QPainter, room: QRectF, shown: Shown) -> None:
        """The picture."""
        roles_picture.paint(painter, room, shown)

    def spots(self, room: QRectF, shown: Shown) -> tuple[Spot, ...]:
        """The seats."""
        return roles_picture.spots(room, shown)

    def spoken(self, shown: Shown) -> str:
        """Who speaks, and what everybody's card gives."""
        seats: Seats = shown.result
        token = visible_token(seats.document.tokens[seats.speaker])
        heard = tr("; ").join(spoken_seat(shown, index) for index in range(seats.document.n))
        return tr("{token} speaks. {heard}. {notice}", token=token, heard=heard, notice=self.notice(shown))


def _number(shown: Shown, value: float) -> str:
    return show(float(value), shown.look.decimals)


EXHIBIT = RolesExhibit()
