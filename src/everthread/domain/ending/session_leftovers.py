"""What a session left open: what a person means to do or has to, and what waits for somebody.

A plan is only told where nothing later speaks of it: with news of the same (`He can't.`) it is over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.roots import roots
from everthread.domain.text.acts.speech import leaves_open, parse_sentence
from everthread.domain.text.patterns import lazy_pattern

from .session_exchanges import (
    Exchange,
    has_news,
    is_changed,
    is_given_up,
    standing_parts,
    strip_acceptance,
)
from .session_material import SAYS_LITTLE, is_manners
from .session_prose import OPEN, PLACES, USER, Claim, ProseSentence
from .session_reference import is_unclear, leans
from .session_speech import clause_of, lower_first, report_sentence

LAST = 3
"""Exchanges at the end of a session in which a plan without a time may still be open."""

LONGEST, FEW = 130, 2
"""Characters of a sentence that is quoted, and telling words that it has at least."""

_WHEN = lazy_pattern(
    r"\b(?:tomorrow|tonight|next (?:week|month|time|year|sprint)|on (?:mon|tues|wednes|thurs|fri|"
    r"satur|sun)day|"
    r"by (?:the end|mon|tues|wednes|thurs|fri|satur|sun|\d|jan|feb|mar|apr|may|jun|jul|aug|sep|"
    r"oct|nov|dec)\w*|"
    r"later|not today|another day|this (?:evening|week))\b",
    re.IGNORECASE,
)
_PENDING = lazy_pattern(
    r"\bstill (?:have to|need(?:s)? to|must|missing|open|unclear|waiting|not)\b|\bis still missing\b|"
    r"\b(?:don['’]t|do not) know yet\b|\bI don['’]t know yet\b|\bthe only thing I don['’]t know\b|"
    r"\b(?:have|has)n['’]t decided\b|\bnot decided yet\b|\bI(?:['’]ll)? (?:have|need) to (?:ask|"
    r"check|talk|find out)\b|"
    r"\bbut not today\b|\bcan(?:['’]t|not) (?:decide|say|tell)\b[^.]{0,60}\byet\b|"
    r"\bnot (?:sure|clear) yet\b|\b(?:don['’]?t|do not) (?:\w+ ){1,4}(?:yet|until|before)\b",
    re.IGNORECASE,
)
_WAITS = lazy_pattern(
    r"\b(?:waits? (?:for|until)|is waiting for|I have to ask|I need to ask|will (?:write|call|"
    r"reply|get back)|"
    r"until (?:you|he|she|they|[A-Z]\w+)|I['’]ll (?:\w+ ){1,6}(?:when|once|until|on \w+day|"
    r"tomorrow|within))\b"
)
_NAME = lazy_pattern(r"(?<!\A)(?<![.!?] )\b(?!I\b)[A-Z][^\W\d_]{2,}")


def leftovers(exchanges: Sequence[Exchange]) -> Iterator[Sequence[ProseSentence]]:
    """What was left open, the newest first, each in the ways in which it can be told."""
    for n in range(len(exchanges) - 1, -1, -1):
        later = exchanges[n + 1 :]
        if later and has_news(later[0]):
            continue
        stands = [
            one for one in _ways_in(exchanges[n], later) if not _is_over(exchanges[n], one, later)
        ]
        if stands:
            yield sorted(stands, key=lambda one: leans(one.claims[0].said))


def _ways_in(exchange: Exchange, later: Sequence[Exchange]) -> Iterator[ProseSentence]:
    late = len(later) < LAST
    if not (later and is_given_up(exchange, later[0])):
        yield from _of_person(exchange, is_late=late)
    yield from _of_agent(exchange, is_late=late)


def _of_person(exchange: Exchange, *, is_late: bool) -> tuple[ProseSentence, ...]:
    parts = [p for p in standing_parts(exchange.parts) if not parse_sentence(p).asks]
    return tuple(
        one
        for part in parts
        if not is_manners(part) and _is_left(part, is_late=is_late)
        for one in _ways_to_tell(exchange, part)
    )


def _is_left(part: str, *, is_late: bool) -> bool:
    """Does it say that something is still to come?"""
    if is_unclear(part) or len(roots(part) - SAYS_LITTLE) < FEW:
        return False
    if _PENDING.search(part) or leaves_open(parse_sentence(part)):
        return True
    told = report_sentence(part, "user")
    if told is not None and told.act == "intends":
        return is_late or _WHEN.search(part) is not None
    return is_late and _WHEN.search(part) is not None


def _ways_to_tell(exchange: Exchange, part: str) -> Iterator[ProseSentence]:
    """In the third person, else in the person's own words."""
    point = Point("open_item", part, (exchange.key,), "user", exchange.at_ms, 0.6)
    told = report_sentence(part, "user")
    if told is not None and told.act == "intends":
        text = f"{USER} intended {told.text}."
        claim = Claim(text, point, said=part)
        yield ProseSentence(PLACES["intends"], exchange.at_ms, text, (claim,))
    elif told is not None and told.act in ("wanted", "said") and not leans(part):
        text = f"{USER} {'said that ' if told.act == 'said' else ''}{told.text}."
        yield ProseSentence(OPEN, exchange.at_ms, text, (Claim(text, point, said=part),))
    if one := _quote(exchange.at_ms, clause_of(part), point):
        yield one


def _quote(at_ms: int, text: str, point: Point) -> ProseSentence | None:
    if not text or len(text) > LONGEST or set('“”"') & set(text):
        return None
    claim = Claim(text, point, verbatim=True, said=point.text)
    return ProseSentence(OPEN, at_ms, f"Left open: “{text}”.", (claim,))


def _of_agent(exchange: Exchange, *, is_late: bool) -> tuple[ProseSentence, ...]:
    """What the agent said that it waits for, or will do at a time."""
    told: list[ProseSentence] = []
    for part in exchange.answer:
        text = strip_acceptance(part).rstrip(".! ")
        timed = _WAITS.search(text) is not None and (is_late or _WHEN.search(text))
        if not timed or parse_sentence(part).asks or leans(text):
            continue
        if wish := _wish(exchange):
            told.append(wish)
        if len(roots(text) - SAYS_LITTLE) < FEW:
            continue
        point = Point("open_item", text, (exchange.reply,), "agent", exchange.reply_ms, 0.6)
        if one := _quote(exchange.reply_ms, text, point):
            told.append(one)
    return tuple(told)


def _wish(exchange: Exchange) -> ProseSentence | None:
    """What the person wants, which is not done yet."""
    for part in standing_parts(exchange.parts):
        told = report_sentence(part, "user")
        if told is None or told.act not in ("asked", "wanted") or leans(part):
            continue
        text = f"{USER} {'asked ' if told.act == 'asked' else ''}{told.text}."
        point = Point("open_item", part, (exchange.key,), "user", exchange.at_ms, 0.6)
        claim = Claim(text, point, said=part)
        return ProseSentence(OPEN, exchange.at_ms, f"Left open: {lower_first(text)}", (claim,))
    return None


def _is_over(exchange: Exchange, one: ProseSentence, later: Sequence[Exchange]) -> bool:
    """Does something that was said later speak of it, so that it may be done or otherwise by then?"""
    text = one.claims[0].said
    if later and is_changed(exchange, later[0], text):
        return True
    about, names = roots(text) - SAYS_LITTLE, set(_NAME.findall(text))
    for each in later:
        said = " ".join((*each.parts, *each.answer))
        if names & set(_NAME.findall(f". {said}")) or len(about & roots(said)) >= FEW:
            return True
    return False
