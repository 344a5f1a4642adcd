"""What a person puts off by her answer: she will look, ask or think, and what she answers waits on.

`I'll call them`, `not sure, lemme sleep on it`: such words say little by themselves. What stays open is what
they answer: the agent's question or advice, or her own question that it spoke to.
"""

from __future__ import annotations

from functools import lru_cache

from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.statement_kinds import chooses, leaves_open
from everthread.domain.gleaning.utterances import Utterance, take_apart
from everthread.domain.text.acts.classifier import act_of
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.promise_forms import begins_with_deed, promises, takes_back, tells_done

from .follow_ups import puts_off, she_acts_herself
from .long_replies import goes_about

FEW = 3
"""Words of what only leads up to an answer: `Hm, don't know.`"""

TELLS = 4
"""Words of a sentence that answers something by itself."""

ERRANDS = roots(
    "ring call phone tell ask email mail write send text message pay book order buy check look into sort "
    "find talk speak update change switch bring post print sign file submit finish prepare need monday "
    "tuesday wednesday thursday friday saturday sunday tomorrow tonight today week later soon both myself "
    "morning afternoon evening yesterday already finally weekend month year put list get back"
)
"""Words that tell that something will be done and when, and not what."""

_HEDGES = roots(
    "hm hmm ooh oh ah yes yeah no nope ok okay well right sure know idea dunno maybe perhaps good fair nice "
    "point catch question noted true interesting thanks let lemme think sleep gonna gotta"
)
"""Words of one who does not know yet, and not of what."""
_DOES_NOT_KNOW = lazy_pattern(
    r"\b(?:dunno|no (?:idea|clue)|not sure|(?:don't|dont|do not) know|later|keine ahnung|aucune idée|"
    r"ni idea)\b"
)
_WILL_DO = lazy_pattern(r"(?:\bwill|'ll) do\b")
_POINTERS = frozenset({"it", "that", "this", "them", "those", "these", "him", "her", "one"})


def deferral_of(said: Utterance) -> int | None:
    """Which sentence puts off what was said to her: the first that tells anything, if it leans on that."""
    for n, each in enumerate(said.sentences):
        if puts_off_answer(each):
            return n if leans(each) else None
        if len(each.words) > FEW or roots(each.text) - _HEDGES:
            return None
    return None


@lru_cache(maxsize=2_048)  # several readers ask it of each sentence
def puts_off_answer(each: ParsedSentence) -> bool:
    """Does she leave it for later, or for herself to find out or to do?"""
    if each.asks or chooses(each):
        return False
    if len(each.words) <= FEW and _DOES_NOT_KNOW.search(each.lower):
        return True
    own = promises(each) and not each.orders
    return own or leaves_open(each) or puts_off(each) or she_acts_herself(each.text)


def leans(each: ParsedSentence) -> bool:
    """Does it need what was said before to be understood?"""
    return len(own_words(each.text)) <= 1


def own_words(text: str) -> frozenset[str]:
    """The roots by which it tells what is put off, by itself."""
    return roots(text) - ERRANDS - _HEDGES


def points_back(each: ParsedSentence) -> bool:
    """Does it name by a pointer what it is about: `I'll call them`?"""
    return not each.bag.isdisjoint(_POINTERS)


def only_asks(text: str) -> bool:
    """Does she ask, and neither order anything nor choose in the same breath?"""
    every = take_apart(text).sentences
    asked = [n for n, each in enumerate(every) if each.asks]
    told = [each for each in every if not each.asks and not puts_off_answer(each)]
    if not asked or any(each.orders for each in told):
        return False
    return not any(chooses(each) or act_of(each) == "decision" for each in every[asked[-1] :])


def reports_back(said: Utterance) -> bool:
    """Does she begin with what she did, and needs no name for it: `done, both were nice about it`?"""
    first = said.sentences[0] if said.sentences else None
    if first is None or not tells_done(first) or not begins_with_deed(first):
        return False
    return not any(takes_back(each) for each in said.sentences[:2])


def question_put_off(said: Utterance, place: int, before: Utterance) -> str:
    """Which of several questions she puts off: the first, where she goes on to answer; else empty."""
    asked = [each.text for each in before.sentences if each.asks]
    goes_on = any(
        not each.asks and len(each.words) >= TELLS and not puts_off_answer(each)
        for each in said.sentences[place + 1 :]
    )
    return asked[0] if len(asked) > 1 and goes_on else ""


def advice_of(before: Utterance) -> str:
    """What the agent advised her to do, with its last words; else empty."""
    last = before.sentences[-1] if before.sentences else None
    if last is None or last.asks or goes_about(last):
        return ""  # `Let me see` tells what it does itself
    return last.text if last.orders else ""


def advice_taken(each: ParsedSentence, before: Utterance) -> str:
    """The advice that she says she will follow, where it can be understood alone; else empty."""
    advice = advice_of(before) if _WILL_DO.search(each.lower) else ""
    return "" if advice and points_back(parse_sentence(advice)) else advice
