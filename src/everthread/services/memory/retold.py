"""By what the best of a recall may be told anew: what is like them, and what has their names.

Who gives something up says it by its name, and mostly in no word of the question: among thousands of messages
the question does not bring it. So the names that the best ones tell are looked up, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.recall.given_up import names_told
from everthread.domain.recall.questions import Question
from everthread.domain.recall.search_text import MESSAGES, search_text
from everthread.domain.recall.told_again import STARTS, Alike
from everthread.domain.recall.value_questions import asks_how_it_is
from everthread.ports import House, Records

from .gather import Gathered, kinship

NAMING = 30
"""So many messages that have the names are looked at: those that have most of them in the fewest words."""


class Renewals(NamedTuple):
    """By what the best of those gathered may be told anew."""

    alike: Alike | None
    naming: Sequence[int]
    """Cards of messages that have names of the best."""


def renewals(
    house: House,
    agent: AgentRow,
    scope: Scope,
    question: Question,
    gathered: Gathered,
    *,
    like: bool,
) -> Renewals | None:
    """Only who asks how things are is told what was told anew; `like`: where vectors tell what is alike."""
    if not asks_how_it_is(question, dated=True):
        return None
    kin = like and asks_how_it_is(question)
    alike = kinship(house, agent, gathered).alike if kin else None
    names = house.store.read(partial(_names, scope, question, gathered))
    found = house.index.of(agent).search(names, limit=NAMING) if names else ()
    return Renewals(alike, [card for card, _ in found if card >= MESSAGES])


def _names(scope: Scope, question: Question, gathered: Gathered, records: Records) -> Sequence[str]:
    best = [each.card.id for each in islice(gathered.said(), STARTS)]
    texts = (search_text(message) for message in records.messages.placed(scope, best))
    return [*dict.fromkeys(_all_names(question, texts))]


def _all_names(question: Question, texts: Iterator[str]) -> Iterator[str]:
    for text in texts:
        yield from names_told(question.text, text)
