"""What a card of the quiz says, in the current language, with its numbers filled in."""

from __future__ import annotations

from core.base.number_format import show
from core.lesson.model import LocalizedText
from core.quiz.exercise import Terms
from core.quiz.quiz import Page
from gui.texts.translation import current_language, tr

LEAST = 2  # decimals: with fewer, numbers that are offered could look the same
PLAIN = 3  # a number that ends after so many decimals is written in full


def number(value: float, decimals: int) -> str:
    """As short as it can be: 3, 0.125; what does not end has the chosen decimals."""
    for places in range(PLAIN + 1):
        if abs(value - round(value, places)) < 1e-9:
            return show(value, places)
    return show(value, max(LEAST, decimals))


def added(terms: Terms, decimals: int) -> str:
    """2·(−1) + 3·4: products with a sign of their own in brackets."""
    return " + ".join("·".join(_factor(value, decimals) for value in term) for term in terms)


def _factor(value: float, decimals: int) -> str:
    text = number(value, decimals)
    return f"({text})" if value < 0 else text


def said(words: LocalizedText, page: Page, decimals: int) -> str:
    """A text of the card with the exercise's numbers in their places."""
    text = words.of(current_language())
    drawn = page.exercise
    if drawn is None:
        return text
    told = {name: number(value, decimals) for name, value in drawn.told.items()}
    return text.format(
        **told, right=number(drawn.right, decimals), sum=added(drawn.terms, decimals)
    )


def option(page: Page, place: int, decimals: int) -> str:
    """The option that is shown at a place."""
    index = page.order[place]
    if page.exercise is not None:
        return number(page.exercise.numbers[index], decimals)
    return page.card.options[index].of(current_language())


def verdict(page: Page, decimals: int) -> str:
    """Right or wrong, and what went wrong if that is known; "" before there is an answer."""
    if page.reply is None:
        return ""
    if page.reply.right:
        return tr("Right.")
    if page.exercise is not None and page.reply.option > 0:
        return tr(
            "Wrong: {slip}", slip=said(page.card.slips[page.reply.option - 1][1], page, decimals)
        )
    if page.exercise is not None:
        return tr("Wrong: it is not {number}.", number=number(page.reply.number, decimals))
    return tr("Wrong.")


def heard(text: str) -> str:
    """For those who hear: signs that are not read out, as words."""
    return text.replace("−∞", tr("minus infinity"))
