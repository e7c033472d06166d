"""Exhibit of the lab `roles`: its texts."""

from __future__ import annotations

from core.labs.roles import RolesResult
from gui.labs import roles_picture
from gui.labs.exhibit import BY_HAND, Exhibit, LabView
from gui.labs.roles_picture import ASKS, FLOWS, SHARES, loudest, spoken_seat
from gui.labs.wording import leaders, named, with_off
from gui.texts.names import visible_token
from gui.texts.translation import mark, tr


class RolesExhibit(Exhibit):
    """The round table."""

    made = BY_HAND

    labels = {
        "speaker": mark("Who speaks"),
        "head": mark("Head"),
        "step": mark("How far the round has come"),
    }

    def notice(self, view: LabView) -> str:
        """Report the result of the step."""
        seats: RolesResult = view.result
        return with_off(_notice(view, seats), seats.document, seats.head)

    def attempt(self, view: LabView) -> str:
        """Suggest the next step, then another speaker."""
        if view.result.step < FLOWS:
            return tr(
                "Step forward: first the dot products, then the shares, then what flows back."
            )
        return tr(
            "Let another token speak: click its seat. Whose question is answered by one card alone?"
        )

    paint = staticmethod(roles_picture.paint)
    spots = staticmethod(roles_picture.spots)

    def spoken(self, view: LabView) -> str:
        """Describe the speaker and every line."""
        seats: RolesResult = view.result
        token = visible_token(seats.document.tokens[seats.speaker])
        heard = tr("; ").join(spoken_seat(view, index) for index in range(seats.document.n))
        return tr(
            "“{token}” speaks. {heard}. {notice}",
            token=token,
            heard=heard,
            notice=self.notice(view),
        )


def _notice(view: LabView, seats: RolesResult) -> str:
    """Report for one speaker: visible seats, best keys, weights."""
    token = visible_token(seats.document.tokens[seats.speaker])
    if not seats.free:
        return tr(
            "“{token}” may not listen to anybody: every weight is 0, and so is what it hears.",
            token=token,
        )
    if seats.step < ASKS:
        return tr(
            "“{token}” holds a question, q. Everybody holds a name card, k, and something to say, v.",
            token=token,
        )
    if len(seats.free) == 1:
        return _alone(view, seats, token)
    return _fitting(view, seats, token) if seats.step < SHARES else _mixture(view, seats, token)


def _alone(view: LabView, seats: RolesResult, token: str) -> str:
    """Report a mask with a single visible seat."""
    (seat,) = seats.free
    what = tr("weight {weight}", weight=view.show(seats.weights[seat]))
    if seats.step < SHARES:
        what = tr("q·k = {score}", score=view.show(seats.scores[seat]))
    if seat == seats.speaker:
        return tr("“{token}” may listen only to itself: {what}.", token=token, what=what)
    name = visible_token(seats.document.tokens[seat])
    return tr("“{token}” may listen only to “{name}”: {what}.", token=token, name=name, what=what)


def _fitting(view: LabView, seats: RolesResult, token: str) -> str:
    """Name the key with the largest score, ties included."""
    best = [seats.free[place] for place in leaders(seats.scores[list(seats.free)], view.decimals)]
    score = view.show(seats.scores[best[0]])
    if len(best) == len(seats.free):
        return tr(
            "The question of “{token}” fits all {count} cards equally: q·k = {score}.",
            token=token,
            score=score,
            count=len(best),
        )
    if len(best) > 1:
        return tr(
            "The question of “{token}” fits the cards of {names} best: q·k = {score} each.",
            token=token,
            names=named(seats.document.tokens, best),
            score=score,
        )
    name = visible_token(seats.document.tokens[best[0]])
    return tr(
        "The question of “{token}” fits the card of “{name}” best: q·k = {score}.",
        token=token,
        name=name,
        score=score,
    )


def _mixture(view: LabView, seats: RolesResult, token: str) -> str:
    """Name the largest weights, ties included, and one of the smallest."""
    loud = loudest(view)
    weight = view.show(seats.weights[loud[0]])
    faintest = seats.faintest(loud)
    flows = seats.step >= FLOWS
    if faintest is None:
        if flows:
            return tr(
                "What “{token}” hears is a plain mean: {weight} of what each of {count} tokens says.",
                token=token,
                weight=weight,
                count=len(loud),
            )
        return tr(
            "“{token}” listens to {count} tokens equally, with {weight} of its attention each.",
            token=token,
            weight=weight,
            count=len(loud),
        )
    faint, least = (
        visible_token(seats.document.tokens[faintest]),
        view.show(seats.weights[faintest]),
    )
    if len(loud) > 1:
        names = named(seats.document.tokens, loud)
        if flows:
            return tr(
                "What “{token}” hears is a mixture: {weight} of what each of {names} says, {rest}.",
                token=token,
                names=names,
                weight=weight,
                rest=_rest(view, seats, loud),
            )
        return tr(
            "“{token}” listens to {names} with {weight} of its attention each, to “{faint}” with only {least}.",
            token=token,
            names=names,
            faint=faint,
            weight=weight,
            least=least,
        )
    name = visible_token(seats.document.tokens[loud[0]])
    if flows:
        return tr(
            "What “{token}” hears is a mixture: {weight} of what “{name}” says, {rest}.",
            token=token,
            name=name,
            weight=weight,
            rest=_rest(view, seats, loud),
        )
    return tr(
        "“{token}” listens to “{name}” with {weight} of its attention, to “{faint}” with only {least}.",
        token=token,
        name=name,
        faint=faint,
        weight=weight,
        least=least,
    )


def _rest(view: LabView, seats: RolesResult, loud: list[int]) -> str:
    """Return the remaining weight, so that the weights in the sentence sum to one."""
    others = [seat for seat in seats.free if seat not in loud]
    texts = {view.show(seats.weights[seat]) for seat in others}
    if len(others) == 1:
        name = visible_token(seats.document.tokens[others[0]])
        return tr("{weight} of what “{name}” says", weight=texts.pop(), name=name)
    if len(texts) == 1:
        return tr("{weight} of what each of the others says", weight=texts.pop())
    return tr(
        "{weight} of what all the others say together",
        weight=view.show(seats.weights[others].sum()),
    )


EXHIBIT = RolesExhibit()
