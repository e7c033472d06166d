"""A sentence from the clipboard as tokens: asked with a preview, then applied as one undo step."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from core.base.errors import UserError
from gui.session.session import Session
from gui.texts.errors import error_message
from gui.texts.rich_text import to_html
from gui.texts.translation import mark, tr
from gui.views.tables.edits import forecast, forecast_lines, require_possible, with_sentence
from gui.widgets.forms import Dialog, accept_or_cancel, caption, flow_row, heading, radios
from gui.widgets.layouts import Gap
from gui.widgets.token_preview import CHARACTERS, SPACES, CountedTokens, natural_way, split

LONGEST = 20_000  # letters of a sentence


class SentenceDialog(Dialog):
    """Ask how a sentence is cut, and whether its tokens replace those along `axis`, "n" or "m"."""

    def __init__(self, session: Session, text: str, axis: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._text, self._axis = session, text, axis
        self.setWindowTitle(tr("Attention Stepper"))
        self.at_spaces, self.by_character = radios(self, tr("At &spaces"), tr("By c&haracter"))
        self.by_character.setChecked(natural_way(text) == CHARACTERS)
        self._preview, self._change = CountedTokens(), caption()
        self.go = QPushButton(tr("&Replace the tokens"))
        self.add(heading(tr("Replace the tokens with this sentence?")), self._preview)
        self.column.addLayout(flow_row(self.at_spaces, self.by_character))
        self.add(self._change, Gap(8), accept_or_cancel(self, self.go))
        for radio in (self.at_spaces, self.by_character):
            radio.clicked.connect(self._show)
        self._show()

    def tokens(self) -> tuple[str, ...]:
        """The tokens of the sentence."""
        return split(self._text, CHARACTERS if self.by_character.isChecked() else SPACES)

    def _show(self) -> None:
        """Show the tokens, and what changes with them or why they are refused."""
        tokens, state = self.tokens(), self._session.state
        count = tr("{n} tokens", n=len(tokens)) if len(tokens) != 1 else tr("1 token")
        self._preview.show_tokens(tokens, count)
        now = len(state.document.labels(self._axis) or ())
        wanted = {self._axis: len(tokens)} if len(tokens) != now else {}
        try:
            require_possible(state.document, wanted)
        except UserError as problem:
            said = error_message(problem)
            self.go.setEnabled(False)
        else:
            lines = forecast_lines(forecast(state.document, wanted), state.orientation)
            said = " · ".join(lines) or tr("The numbers stay in their rows.")
            self.go.setEnabled(True)
        self._change.setText(to_html(said))


def paste_sentence(session: Session, text: str, axis: str, row: int, parent: QWidget) -> str:
    """Rename a token, or replace all tokens by those of a sentence after asking.

    Returns why a text is refused, "" if it is not.
    """
    if len(text) > LONGEST:
        return error_message(UserError("paste.too_large", limit=LONGEST))
    tokens = split(text, natural_way(text))
    if not tokens:
        return tr("There is no text on the clipboard.")
    if len(tokens) == 1:
        names = [*(session.state.document.labels(axis) or ())]
        names[row] = tokens[0]
        session.change(with_sentence, names, axis, text=mark("Rename a token"))
        return ""
    dialog = SentenceDialog(session, text, axis, parent)
    try:
        if dialog.exec():
            session.change(with_sentence, dialog.tokens(), axis, text=mark("Paste tokens"))
    finally:
        dialog.deleteLater()
    return ""
