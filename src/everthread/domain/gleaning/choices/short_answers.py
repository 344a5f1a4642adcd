"""A short message as an answer: what of it can be one, and what of it chooses."""

from __future__ import annotations

from collections.abc import Collection

from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts import speech
from everthread.domain.text.fences import flatten
from everthread.domain.text.person_decisions import doubts, settles_alone, wishes
from everthread.domain.text.symptoms import tells_standing

from .decisions import REPLY
from .exchanges import tells_own_deed

CHOOSES = 8
"""Words of a message that chooses."""


def short_answer(said: Utterance) -> str:
    """What was said, where it can be an answer; empty where it asks, orders or only greets."""
    answer = flatten(said.text)
    asks = any(each.asks or each.orders for each in said.sentences)
    if asks or len(answer) > REPLY or not said.sentences or speech.greets(answer):
        return ""
    if all(tells_standing(each) for each in said.sentences):
        return ""
    return answer


def choosing_words(said: Utterance, settles: Collection[int], *, plain: bool) -> str:
    """A short message that settles something, whole; of one that wants more, the sentence that does.

    `plain`: does one of its sentences settle something by itself?
    """
    answer = short_answer(said)
    if (
        answer
        and len(answer.split()) <= CHOOSES
        and (plain or not any(doubts(s) or tells_own_deed(s) for s in said.sentences))
    ):
        return answer
    if not plain:
        return ""
    own = [s for n, s in enumerate(said.sentences) if n in settles or settles_alone(s)]
    whole = flatten(said.text)
    return own[-1].text if wants_more(said, settles) or len(whole) > REPLY else whole


def wants_more(said: Utterance, settles: Collection[int]) -> bool:
    """Does it ask for something beside what it settles?"""
    more = (s for n, s in enumerate(said.sentences) if n not in settles and not settles_alone(s))
    return any((s.asks or s.orders) and not wishes(s) for s in more)
