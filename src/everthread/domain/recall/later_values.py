"""Of what was found, what tells a figure or a day later than the others do is worth more.

Who asks "What batch size does the drainer use?" after a long talk wants the last one. The message that set
it says "make it 500" and has hardly a word of the question; what was first proposed, at length, matches
best. By their words nobody can tell that the two speak of one thing. By their places one can: most of what
answers a question stands together, and what stands behind the rest of it and tells a value mostly tells
the one that holds. So a candidate is raised by a share of what it is worth to this question: by how much of
the best ones it comes after, if it tells a value, and once more where it says that something changed.

An agent's word stands behind what a person said only if that person spoke again in between: in its answer
to a message it does not change what that message says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.conversation.messages import Message
from everthread.domain.pauses import step_aside
from everthread.domain.text.patterns import lazy_pattern

from .final_scores import LEAST, RankedCard
from .latest_answers import says_changed, tells_of_another
from .questions import Question
from .value_questions import asks_for_value
from .weights import CHANGE_TOLD, LATER_VALUE, RENEWS

BEST = 10
"""Candidates whose places are compared; what is further down tells of other things as well."""

MOST_WORDS = 60
"""A longer text has figures of everything, and tells of many things that some of them changed."""

STANDING = ("rule", "recency", "importance")
"""Parts of a score that do not tell whether a candidate bears on the question: a rule of today has them,
whatever is asked. For these nothing is raised."""

_VALUES = lazy_pattern(
    r"\d++(?>(?:[.,:/-]\d++)*)"
    r"|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|one|two|three|four|five|six|seven|eight|nine|ten|"
    r"eleven|twelve|fifteen|twenty|thirty|half|both)\b"
)


class _Placed(NamedTuple):
    """A candidate with what its place is judged by; both are costly to look up, and asked for often."""

    found: RankedCard
    at: int
    origin: str


def raise_later(question: Question, found: Sequence[RankedCard]) -> list[RankedCard]:
    """The same candidates; those that tell a value behind the others, or a change, are worth more."""
    if not asks_for_value(question) or len(found) < 2:  # noqa: PLR2004 - two
        return list(found)
    first = sorted(found, key=lambda each: -each.score)[:BEST]
    best = [_placed(each) for each in first]
    # Few of them tell nothing by their places: those that are missing count as none stands behind them.
    whole = max(sum(each.score for each in first) * BEST / len(first), LEAST)
    asked = frozenset(_VALUES.findall(question.text.lower()))
    bears = RENEWS * max(map(_bearing, first))
    return [
        _raise(_placed(each), best, whole, asked)
        if _bearing(each) >= bears and not tells_of_another(question, each.text)
        else each
        for each in found
    ]


def _bearing(found: RankedCard) -> float:
    """What it is worth by its words, its meaning and what stands around it."""
    return max(found.score - sum(found.parts.get(part, 0.0) for part in STANDING), 0.0)


def score_share(before: Sequence[RankedCard], after: Sequence[RankedCard]) -> float:
    """By what scores are to be told so that the best is worth no more than the best was before."""
    best = max((each.score for each in before), default=0.0)
    return best / max(best, max((each.score for each in after), default=0.0), LEAST)


def _raise(
    placed: _Placed, best: Sequence[_Placed], whole: float, asked: frozenset[str]
) -> RankedCard:
    step_aside()
    found = placed.found
    text = found.text
    if placed.origin in ("tool", "imported") or len(text.split(None, MOST_WORDS)) > MOST_WORDS:
        return found
    text = text.lower().replace("’", "'")
    gains: dict[str, float] = {}
    if not asked.issuperset(_VALUES.findall(text)):
        behind = sum(each.found.score for each in best if _stands_behind(placed, each))
        gains["later value"] = LATER_VALUE * _bearing(found) * behind / whole
    if says_changed(text):
        gains["change told"] = CHANGE_TOLD * _bearing(found)
    if not gains:
        return found
    score = found.score + sum(gains.values())
    return found._replace(score=score, parts={**found.parts, **gains})


def _placed(found: RankedCard) -> _Placed:
    said = found.message or found.memory
    return _Placed(found, found.at_ms, "user" if said is None else said.origin)


def _stands_behind(new: _Placed, old: _Placed) -> bool:
    if new.at <= old.at:
        return False
    spoken = old.origin == "user" and new.origin != "user"
    return not spoken or not _answers(new.found.message, old.found.message)


def _answers(new: Message | None, old: Message | None) -> bool:
    """Is it the agent's answer to that very message? Of a memory nobody knows, so it may be."""
    if new is None or old is None:
        return True
    if new.turn_ref is not None and new.turn_ref == old.turn_ref:
        return True
    return new.thread_ref == old.thread_ref and new.seq == old.seq + 1
