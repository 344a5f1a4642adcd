"""Is what was just left open told as done without its name: `That's sorted`, `All booked now`?

Only the one thing of the message before can be meant. Where that asked for something else as well, or where
the agent asked or told her to do something since, the report may be of that, and nothing ends.
"""

from __future__ import annotations

from everthread.domain.gleaning.points import Entry, Points
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.promise_forms import deed_of, stands_alone

from .agent_replies import ordered_verb
from .deferrals import reports_back


def told_back(said: Utterance, reply: Utterance | None, points: Points, turn: int) -> Entry | None:
    """What was left open in the message before, if that is one thing and she reports it done."""
    if not reports_back(said) or (reply is not None and may_want(reply)):
        return None
    every = [entry for entry in points.of("open_item") if entry.point.by == "user"]
    lately = [entry for entry in every if entry.turn == turn - 1]
    if len(lately) != 1 or lately[0].state == "asked":
        return None
    item = lately[0].point
    beside = (entry.point.sources[-1] for entry in points.of("request"))
    if item.sources[-1] in beside or not _is_deed_of(said.sentences[0], item.text):
        return None
    return lately[0]


def _is_deed_of(said: ParsedSentence, item: str) -> bool:
    """Does it tell what was to be done, and no more? A mere question is answered, and not done."""
    deed = deed_of(said, item)
    if deed is None or not stands_alone(said, deed):
        return False
    return not parse_sentence(item).asks or bool(ordered_verb(item))


def may_want(reply: Utterance) -> bool:
    """Did the agent ask her anything, or tell her to do something?"""
    return any(each.asks or each.orders for each in reply.sentences)
