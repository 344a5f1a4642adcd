"""What came of a session: what the agent reported as done or found out, as it stood at the end.

A report counts where something was asked for or decided right before it, and where the next message
does not change it. Of two that speak of the same, the later one is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.roots import roots
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.proposals import consents, proposes
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.patterns import lazy_pattern

from .session_exchanges import Exchange, strip_acceptance
from .session_material import SAYS_LITTLE
from .session_prose import AGENT, PLACES, Claim, ProseSentence
from .session_reference import is_unclear, leans
from .session_speech import report_sentence

PARTS = 3
"""Sentences of a reply that are looked at."""

LONGEST, SHORTEST = 130, 12
"""Characters of a report."""

SAME = 0.5
"""Two reports that share so many of their words speak of the same."""

_CAUSE = lazy_pattern(
    r"\b(?:root cause|the (?:cause|reason|culprit|problem) (?:is|was)|caused by|because of|due to)\b|"
    r"\A(?:it|that|this) (?:was|is) (?:because|caused)",
    re.IGNORECASE,
)
_HEAD = lazy_pattern(r"\A(?:[A-Z][a-z]+ed|Set|Put|Sent|Done|Rewrote|Rolled back)\b(?P<sign>[:,]?) ")
_HEDGES = lazy_pattern(
    r"\b(?:would|could|should|(?-i:may)|might|maybe|perhaps|probably|seems?|if you|depends|usually|often|"
    r"I['’]d|I can|you can|you could|shall I|I['’]ll|I will|we['’]ll|let me|sorry|afraid|"
    r"no (?:slot|hurry)|there (?:is|are) no|hope|you haven['’]t|works? well|better|safer|nicer)\b",
    re.IGNORECASE,
)
_DONE = lazy_pattern(r"(?:all )?(?:done|finished|fixed|completed)\b", re.IGNORECASE)
_FIGURES = lazy_pattern(r"\d|`|[\w/]+[._/]\w+|#\d")
_GENERAL = lazy_pattern(
    r"\A(?:most|many|people|yes|no|nobody|one|usually|in general)\b", re.IGNORECASE
)
_VERB = lazy_pattern(
    r"\b(?:is|are|was|were|has|have|had|runs?|goes|comes|lives?|uses?|waits?|starts?|ends?|takes?|costs?|"
    r"works?|passes|pass|fires|answers?|arrives?|imports?|stays?|skips?|deletes?|pages|checks|shows?|"
    r"went|made|now)\b",
    re.IGNORECASE,
)


class SessionOutcome(NamedTuple):
    """What an agent reported, and how much it says."""

    text: str
    claim: Claim
    worth: float
    quoted: bool = False
    finds: bool = False
    """Does it say what the cause was? A cure does not change that."""


def outcome_sentences(outcomes: Sequence[SessionOutcome]) -> Iterator[ProseSentence]:
    """What was reported, the worthiest first; what a later report says anew is not told."""
    for one in sorted(_newest(outcomes), key=lambda each: -each.worth):
        text = (
            f"{AGENT} reported: “{_capital(one.text)}”." if one.quoted else f"{AGENT} {one.text}."
        )
        yield ProseSentence(PLACES["did"], one.claim.point.at_ms, text, (one.claim,))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text.split(maxsplit=1)[0].isalpha() else text


def _newest(outcomes: Sequence[SessionOutcome]) -> list[SessionOutcome]:
    kept: list[SessionOutcome] = []
    for one in reversed(outcomes):
        if one.finds or not any(_of_the_same(one.text, other.text) for other in kept):
            kept.append(one)
    return kept


def _of_the_same(one: str, other: str) -> bool:
    mine, theirs = roots(one) - SAYS_LITTLE, roots(other) - SAYS_LITTLE
    return len(mine & theirs) >= SAME * max(1, min(len(mine), len(theirs)))


def outcome_in(exchange: Exchange, *, wants: bool) -> SessionOutcome | None:
    """What the reply reports, if anything. `wants`: something was asked for or decided before it."""
    for part in exchange.answer[:PARTS]:
        flat = strip_acceptance(part).rstrip(".! ")
        if _DONE.match(flat):
            return None  # what follows tells of the request, without naming it
        said = parse_sentence(flat)
        if said.asks or _is_loose(flat, said) or not SHORTEST <= len(flat) <= LONGEST:
            continue
        taken_up = len(flat) < len(" ".join(part.split()).rstrip(".! "))
        if one := _report(exchange, flat, said, wants=wants or taken_up):
            return one
    return None


def _is_loose(text: str, said: ParsedSentence) -> bool:
    """Is it no report: a guess, an offer, a promise, something that was in the way?"""
    if _HEDGES.search(text) or _GENERAL.match(text) or proposes(said):
        return True
    return speech.promises(said) or speech.tells_hindrance(said) or is_unclear(text)


def _report(
    exchange: Exchange, text: str, said: ParsedSentence, *, wants: bool
) -> SessionOutcome | None:
    point = Point("done", text, (exchange.reply,), "agent", exchange.reply_ms, 0.6)
    figures = 0.1 * min(2, len(_FIGURES.findall(text)))
    told = report_sentence(text, "agent")
    if told is not None and told.act == "did" and not leans(told.text):
        return SessionOutcome(
            told.text, Claim(f"{AGENT} {told.text}.", point, said=text), 0.6 + figures
        )
    if '"' in text or "“" in text or leans(text):
        return None
    claim = Claim(text, point, verbatim=True, said=text)
    if _CAUSE.search(text):
        return SessionOutcome(text, claim, 1.2, quoted=True, finds=True)
    if _HEAD.match(text) and len(said.words) > PARTS:
        return SessionOutcome(text, claim, 0.55 + figures, quoted=True)
    if wants and _VERB.search(text):
        return SessionOutcome(text, claim, 0.35 + figures, quoted=True)
    return None


def wants_something(exchange: Exchange) -> bool:
    """Does the message ask for something to be done, consent to it, or decide?"""
    said = [parse_sentence(part) for part in exchange.parts]
    return any(
        each.orders or consents(each) or (not each.asks and speech.decides(each)) for each in said
    )
