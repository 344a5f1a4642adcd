"""Is something that was left open in one talk told as done in a later one, or a rule of it lifted?

Each session is read by itself: what an earlier one left open or laid down is no part of its digest. So the
words of the later one are held against it here. Only what is told ends it: nothing does because time has
passed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from everthread.domain.gleaning import withdrawals
from everthread.domain.gleaning.agent_statements import from_agent
from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.message_text import bag_of
from everthread.domain.gleaning.points import Entry
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.statement_kinds import leaves_open
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.promise_forms import promises

from .passing_ends import ended_in_passing, is_taken_back
from .promises import LEFT, OWN, is_over, is_told_done
from .reported_items import is_reported
from .thanked_work import is_glad_of


def may_settle(item: str, text: str) -> bool:
    """A quick look before a long one: do they share a telling word?"""
    return not roots(item).isdisjoint(roots(text))


def settled_texts(
    items: Sequence[str], said: Utterance, *, agent: bool, pause: Callable[[], None] = lambda: None
) -> list[str]:
    """Which of all that is open this message of a later talk ends."""
    over = ended_in_passing(said, items, by_name=agent)
    for item in items:
        pause()
        if item not in over and _is_settled_otherwise(item, said, agent=agent):
            over.append(item)
    return over


def is_settled(item: str, said: Utterance, *, agent: bool) -> bool:
    """Does this message of a later talk tell that it is done, settled, or no longer wanted?"""
    return bool(settled_texts([item], said, agent=agent))


def _is_settled_otherwise(item: str, said: Utterance, *, agent: bool) -> bool:
    """Does it end, by whatever else is told than its deed?"""
    entry = _entry(item)
    if agent:
        done = is_told_done(said, entry)
        return done or (entry.point.pinned and is_reported(entry, from_agent(said)))
    if is_glad_of(said, item) or _is_taken_back(said, item):
        return True
    return not entry.point.pinned and is_over(said, entry)


def lifted_texts(said: Utterance, rules: Sequence[str]) -> list[str]:
    """Which rules of earlier talks this message lifts, as it would those of its own."""
    ruled = [Entry(Point("rule", rule, (), "user", 0), bag_of(rule)) for rule in rules]
    lifting = (each for each in said.sentences if withdrawals.speaks_of_rules(each))
    return [entry.point.text for each in lifting for entry in withdrawals.lifted_rules(each, ruled)]


def _entry(item: str) -> Entry:
    """As what it stood when it was left: what was asked of the agent, promised, or told to be open."""
    each = parse_sentence(item)
    own = promises(each)
    asked = (each.asks or each.orders) and not own and not leaves_open(each)
    point = Point("open_item", item, (), "user", 0, pinned=asked)
    return Entry(point, bag_of(item), state=OWN if own else LEFT)


def _is_taken_back(said: Utterance, item: str) -> bool:
    """Without its name nothing that was asked for in another talk is meant."""
    return any(
        is_taken_back(each, item, newest=False)
        for each in said.sentences
        if withdrawals.cancels(each) or withdrawals.did_it_herself(each)
    )
