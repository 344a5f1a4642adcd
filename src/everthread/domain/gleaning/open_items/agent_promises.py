"""What an agent says that it will do later, besides what it was asked for: `I'll also draft the terms`.

Who begins to work says the same. So it counts only where the agent said nothing more in that turn, and used
no tool; and only what names a piece of work, for who `leaves` or `keeps` something does nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from everthread.domain.gleaning.points import Entry
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.patterns import lazy_pattern

from .agent_replies import dated_promise, waits_for_person
from .deferrals import ERRANDS
from .leftovers import tells_missing
from .long_replies import closing

NAMED = 2
"""Telling words of a piece of work that is known again."""

_WILL = lazy_pattern(r"\bi(?:'ll| will)(?>(?: also| then| still)*) (\w+)")
_LIGHT_WORDS = """
    leave keep note put mark set label list give start begin pretend need be have say explain use apply stick
    wait remember remind see take go add hold stay know let try do not never only warn answer tell treat
    assume skip stop avoid make_sure mention come get continue proceed follow
"""
_LIGHT = frozenset(_LIGHT_WORDS.split())
"""By these nothing is made that would be there afterwards."""
_MAKES = lazy_pattern(
    r"(?:put (?:[\w'-]+ ){0,5}?together|set (?:[\w'-]+ ){0,5}?up|(?:get|have) (?:[\w'-]+ ){1,6}?ready)\b"
    r"(?!.*\bwhen(?:ever)? you\b)"
)
"""With their second half these make something, after all."""
_YES = lazy_pattern(
    r"(?=.*\b(?:yes|yep|yeah|yup|please|pls|plz|do|go|ja|bitte|oui|sí|si)\b)"
    r"\W*(?:(?:yes|yep|yeah|yup|ok|okay|sure|please|pls|plz|do (?:that|it|so)|do|go ahead|go for it|go|"
    r"sounds good|ja|gern|bitte|oui|volontiers|sí|si|claro|vale|great|perfect|thanks|thank you)\b\W*)+"
)
"""Yes, and no more: who speaks of something else, or only thanks, has accepted nothing."""
_STANDING = lazy_pattern(
    r"\b(?:each|every|always|whenever|never|from (?:now|here|then) on|throughout|if you)\b"
)
_ENDS = lazy_pattern(
    r"[,;:.!?–—(]|\b(?:for|with|in|on|once|before|after|as|when|so|and you|unless|until|next|to|by|of|while|"
    r"itself|tomorrow|tonight|later)\b"
)


def promised_work(said: Utterance) -> str:
    """The sentence by which the agent promises a piece of work; else empty.

    What it begins with is the answer to what was asked of it; after a plan come the deeds, or `Once you
    agree, I'll begin`.
    """
    found, first = "", len(said.sentences) - len(closing(said.sentences))
    for n, each in enumerate(said.sentences[first:], start=first):
        if (n or "also" in each.bag) and _promises_work(each):
            found = found or each.text
        elif found and (speech.reports(each) or speech.fails(each) or _is_her_turn(each)):
            found = ""
    return found


def _promises_work(each: ParsedSentence) -> bool:
    if not speech.promises(each) or speech.offers(each) or _STANDING.search(each.lower):
        return False
    found = _WILL.search(each.lower)
    if found is None or (found[1] in _LIGHT and not _MAKES.match(each.lower, found.start(1))):
        return False
    if _is_her_turn(each) or each.text.endswith(":"):  # what a colon announces follows at once
        return False
    return len(roots(each.text[found.end() :]) - ERRANDS) >= NAMED


def _is_her_turn(each: ParsedSentence) -> bool:
    """`Send me the titles and I'll suggest a cut`, `Once you agree, I'll start`: it waits for the person."""
    found = _WILL.search(each.lower)
    before = parse_sentence(each.text[: found.start()]) if found else None
    return before is not None and (before.orders or waits_for_person(before))


def accepted_promises(said: Utterance, promised: Iterable[Entry], since: int) -> list[Entry]:
    """What it promised just now without a day, if she says yes to it: its next deed is that."""
    if not says_yes(said):
        return []
    fresh = (e for e in promised if e.state == "promised" and e.turn >= since)
    return [e for e in fresh if not dated_promise((parse_sentence(e.point.text),))]


def says_yes(said: Utterance) -> bool:
    """Yes, and no more."""
    return bool(said.sentences) and all(_YES.fullmatch(each.lower) for each in said.sentences)


def is_promise_kept(entry: Entry, said: Utterance) -> bool:
    """Does the agent speak of that very piece of work, and not as of something to come?"""
    if entry.state != "promised":
        return False
    whole = _promised_roots(entry.point.text)
    thing = _piece_of_work(entry.point.text) or whole
    before = frozenset[str]()
    for each in said.sentences if thing else ():
        if each.asks or speech.promises(each) or tells_missing(each.text):
            before = frozenset[str]()
            continue
        # `Now the rollback steps. Written: six of them.`
        own = roots(each.text)
        told = own | before
        known = bool(thing & told) and len(whole & told) >= NAMED
        if (known or (thing <= own and speech.reports(each))) and not speech.plans(each):
            return True
        before = own
    return False


def _promised_roots(promise: str) -> frozenset[str]:
    return roots(_after_will(promise)) - ERRANDS


def _piece_of_work(promise: str) -> frozenset[str]:
    """What is to be made, without what it is for."""
    return roots(_ENDS.split(_after_will(promise), maxsplit=1)[0])


def _after_will(promise: str) -> str:
    lower = promise.lower().replace("’", "'")
    found = _WILL.search(lower)
    return lower[found.end() :] if found else lower
