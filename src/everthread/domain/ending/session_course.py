"""The course of a session, exchange by exchange: what was decided, what came of it, what is left open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

from everthread.domain.gleaning.roots import roots

from .session_choices import Choice, choice_in, choice_sentences
from .session_exchanges import Exchange, is_changed, is_given_up
from .session_leftovers import leftovers
from .session_outcomes import SessionOutcome, outcome_in, outcome_sentences, wants_something
from .session_prose import Claim, ProseSentence
from .session_talk import Talk

LATE = 0.15
"""What the newest report weighs more than the oldest."""

NEAR = 0.2
"""What a report weighs more that speaks of what the session was opened for."""

LEFTOVERS, SHORTEST = 2, 3


class Course(NamedTuple):
    """What can be told of a session's course, of each the worthiest first."""

    decided: list[ProseSentence]
    reported: list[ProseSentence]
    left: list[Sequence[ProseSentence]]
    """Each in the ways in which it can be told, the best first."""


def course_of(talk: Talk, supported: Callable[[Claim], bool]) -> Course:
    """What was decided, reported and left open, as it stood at the end."""
    exchanges = talk.exchanges
    choices: list[Choice] = []
    outcomes: list[SessionOutcome] = []
    around = zip((None, *exchanges), exchanges, (*exchanges[1:], None), strict=False)
    for n, (before, exchange, later) in enumerate(around):
        one = _standing_choice(exchange, before, later, talk)
        if one is not None and all(map(supported, one.claims)):
            choices.append(one)
        if (told := _standing_outcome(exchange, later)) is not None:
            near = NEAR if roots(told.text) & roots(" ".join(exchanges[0].parts)) else 0
            outcomes.append(told._replace(worth=told.worth + near + LATE * n / len(exchanges)))
    left = list(islice(leftovers(exchanges), LEFTOVERS))
    return Course(list(choice_sentences(choices)), list(outcome_sentences(outcomes)), left)


def _standing_outcome(exchange: Exchange, later: Exchange | None) -> SessionOutcome | None:
    told = outcome_in(exchange, wants=wants_something(exchange))
    if told is None or later is None or not is_changed(exchange, later, told.text):
        return told
    head = told.text.split(",")[0]
    if len(head.split()) < SHORTEST or is_changed(exchange, later, head):
        return None
    # Without the figure that was changed it is still so.
    claim = told.claim._replace(text=told.claim.text.replace(told.text, head))
    return told._replace(text=head, claim=claim)


def _standing_choice(
    exchange: Exchange, before: Exchange | None, later: Exchange | None, talk: Talk
) -> Choice | None:
    one = choice_in(exchange, before)
    if one is None or any(talk.replaced(each.point, each.said) for each in one.claims):
        return None
    if later is None:
        return one
    over = is_changed(exchange, later, one.text) or is_given_up(exchange, later)
    return None if over else one
