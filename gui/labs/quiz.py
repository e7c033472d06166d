"""Exhibit of the quiz: its texts."""

from __future__ import annotations

from core.labs.lab import Setting
from core.quiz.deck import deck
from core.quiz.quiz import ALL, OPEN, VIEWS, QuizPage
from gui.labs import quiz_page, quiz_picture
from gui.labs.exhibit import Exhibit, LabView
from gui.texts.translation import current_language, mark, tr


class QuizExhibit(Exhibit):
    """Cards and results."""

    labels = {
        "view": mark("Show"),
        "topic": mark("Topic"),
        "card": mark("Card"),
        "answer": mark("Your answer"),
        "number": mark("Your number"),
        "typed": mark("Type numbers instead of choosing"),
        "seed": mark("Seed"),
        "prove": mark("Prove it"),
        "restart": mark("Start over"),
    }
    helps = {
        "seed": mark("Another seed gives cards with numbers new ones and reopens them."),
        "prove": mark("Opens the experiment or lab that settles the question."),
        "restart": mark("Clears every answer."),
        "typed": mark("Harder: cards with numbers offer no choices."),
    }
    headed = True
    pictured = frozenset({"answer", "prove"})

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Name topics and cards."""
        if control_id == "view":
            return tr("Card") if option == VIEWS[0] else tr("Results")
        if control_id == "topic":
            return tr("All topics") if option == ALL else quiz_picture.topic_name(option)
        if control_id == "card":
            return deck().card(option).title.of(current_language())
        return tr("none yet") if option == OPEN else option

    def entry(self, control_id: str, index: int, setting: Setting) -> str:
        """Return "": a single number is named by its field."""
        return ""

    def notice(self, view: LabView) -> str:
        """Report the verdict and the score."""
        whole = quiz_picture.total(view.result)
        if not whole.answered:
            return tr(
                "{cards} questions that people often get wrong. Only the first answer counts.",
                cards=whole.cards,
            )
        score = tr(
            "{answered} of {cards} cards answered, {right} right on the first try.",
            answered=whole.answered,
            cards=whole.cards,
            right=whole.right,
        )
        text = quiz_page.verdict_text(view.result, view.decimals)
        return tr("{verdict} {stands}", verdict=text, stands=score) if text else score

    def attempt(self, view: LabView) -> str:
        """Suggest answering, then the proof, then the next card."""
        page: QuizPage = view.result
        if view.setting["view"] != VIEWS[0]:
            return tr("Choose the topic with the shortest bar and go through its cards.")
        if page.reply is None:
            return tr("Say your answer and a reason aloud, then choose.")
        if page.proof == "lab":
            return tr("Prove it: the lab opens, set up for this question.")
        if page.proof:
            return tr(
                "Prove it: the main window opens at the right place; step forward and change a "
                "number."
            )
        return tr("Explain it to somebody in one sentence of your own.")

    paint = staticmethod(quiz_picture.paint)
    spots = staticmethod(quiz_picture.spots)

    def spoken(self, view: LabView) -> str:
        """Describe the question with its answers, or the results."""
        page: QuizPage = view.result
        if view.setting["view"] != VIEWS[0]:
            text = tr("; ").join(quiz_picture.score_text(one) for one in page.tallies)
            return tr("{said}. {notice}", said=text, notice=self.notice(view))
        asked = quiz_page.card_text(page.card.question, page, view.decimals)
        offered = tr("; ").join(
            tr(
                "{number}: {text}",
                number=place + 1,
                text=quiz_page.option_text(page, place, view.decimals),
            )
            for place in range(0 if page.typed else len(page.order))
        )
        explained = (
            quiz_page.card_text(page.card.explanation, page, view.decimals)
            if page.reply is not None
            else ""
        )
        return quiz_page.spoken_text(f"{asked} {offered} {self.notice(view)} {explained}".strip())


EXHIBIT = QuizExhibit()
