"""Exhibit of the lab `worth`: its texts."""

from __future__ import annotations

from core.labs.lab import Setting
from core.labs.worth import WorthResult, places
from gui.labs import worth_picture
from gui.labs.exhibit import BY_HAND, Exhibit, LabView
from gui.labs.wording import quoted
from gui.labs.worth_picture import place_name, signed
from gui.texts.names import head_name, layers_title, visible_token
from gui.texts.translation import mark, tr

CLEAR = 0.8  # a weight from which a head has a clear pattern


class WorthExhibit(Exhibit):
    """What each head is worth for one answer."""

    made = BY_HAND
    labels = {
        "chosen": mark("Head"),
        "place": mark("In the other sentence replace"),
        "source": mark("by"),
        "word": mark("The answer: logit of"),
        "rival": mark("less the logit of"),
        "kept": mark("Heads that stay on"),
    }
    helps = {
        "place": mark("The other sentence differs in this token alone."),
        "word": mark("After the last token."),
        "kept": mark("The head that changes the answer least when switched off goes first."),
    }

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Name heads, tokens with their places, and words."""
        document = setting.experiment
        if control_id == "chosen":
            layer, head = places(document)[int(option)]
            name = head_name(head, document.layers[layer - 1].heads[head].name)
            return tr("{layer} · {head}", layer=layers_title((layer,)), head=name)
        if control_id in ("place", "source"):
            token = visible_token(document.tokens[int(option)])
            return tr("{number}: {token}", number=int(option) + 1, token=token)
        if control_id in ("word", "rival") and document.output is not None:
            return visible_token(document.output.vocabulary[int(option)])
        return super().option(control_id, option, setting)

    def notice(self, view: LabView) -> str:
        """Report the pattern of the chosen head, and what both tests change."""
        result: WorthResult = view.result
        one, head = result.one, place_name(view.result.one, view)
        row = result.weights(result.chosen)[-1]
        key = int(row.argmax())
        looks = tr(
            "{head}: the last token gives {token} the weight {weight}.",
            head=head,
            token=quoted(result.document.tokens[key]),
            weight=view.show(row[key]),
        )
        if not result.differs:
            more = tr(
                "Switched off, it changes the answer by {off}. Both sentences are the same.",
                off=signed(one.off, view),
            )
        elif not result.changes(one.off) and not result.changes(one.patched):
            more = tr("Yet neither test changes the answer: here it does not depend on this head.")
        elif not result.changes(one.patched):
            more = tr(
                "Switched off, it changes the answer by {off}; with its output from the other "
                "sentence the answer stays the same.",
                off=signed(one.off, view),
            )
        else:
            more = tr(
                "Switched off, it changes the answer by {off}; with its output from the other "
                "sentence by {patched}.",
                off=signed(one.off, view),
                patched=signed(one.patched, view),
            )
        return tr("{said} {more}", said=looks, more=more)

    def attempt(self, view: LabView) -> str:
        """Suggest comparing patterns with tests, then pruning."""
        result: WorthResult = view.result
        if result.kept < len(result.heads):
            return tr("Do the changes by single heads add up to the change by all that are off?")
        if not result.differs:
            return tr("Let the other sentence differ in one token.")
        if result.changes(result.one.off) or result.changes(result.one.patched):
            return tr("Find a head with a clear pattern that the answer does not need.")
        return tr("Switch heads off one by one: when does the answer fall?")

    paint = staticmethod(worth_picture.paint)
    spots = staticmethod(worth_picture.spots)

    def spoken(self, view: LabView) -> str:
        """Describe the changes by every head, the curve, and the notice."""
        result: WorthResult = view.result
        heads = tr("; ").join(
            tr(
                "{head}: {off} when it is off, {patched} with its output from the other sentence",
                head=place_name(one, view),
                off=signed(one.off, view),
                patched=signed(one.patched, view),
            )
            for one in result.heads
        )
        curve = tr(", ").join(view.show(value) for value in result.curve)
        return tr(
            "{heads}. Answer with 0, 1, 2 … heads: {curve}. {notice}",
            heads=heads,
            curve=curve,
            notice=self.notice(view),
        )


EXHIBIT = WorthExhibit()
