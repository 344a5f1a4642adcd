"""Statements put together to prose: what belongs together in one sentence, and nobody named twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.gleaning.digest import Point
from everthread.domain.text.patterns import lazy_pattern

from .session_speech import Act

USER, AGENT = "The user", "The agent"
JOINED = 170
"""Characters up to which several wishes make one sentence."""

TOGETHER = 3
"""So many wishes at most."""

ANSWERED = 230
"""Characters up to which two things make one sentence that belong together: a wish and what came of it,
what somebody is at and what he asks for, two things that were said."""

PLACES: dict[Act, int] = {
    "said": 0,
    "wanted": 1,
    "asked": 1,
    "question": 1,
    "decided": 2,
    "did": 3,
    "intends": 5,
}
"""The order in which they stand; what is left open comes before what is intended."""
OPEN, CORRECTED, LAST = 4, 3, 9

SAME = 0.75
"""Two sentences that share so many words say the same."""

_COMMON = frozenset(
    "the user agent asked said to and for of in is it that not no don".split()  # noqa: SIM905 - read as a list of words
)
_VERB = lazy_pattern(r"(?:was|asked|said|wanted|needed|decided|corrected)\b")
_LETTERS = lazy_pattern(r"[^\W_]+")


class Claim(NamedTuple):
    """What a sentence says of one point: a report, or a quotation of it."""

    text: str
    point: Point
    verbatim: bool = False
    said: str = ""
    """The sentence of the point that it tells."""


class ProseSentence(NamedTuple):
    """A sentence, where it stands, and all that it claims."""

    place: int
    at_ms: int
    text: str
    claims: tuple[Claim, ...]
    filler: bool = False
    """Is it told only where there is little else?"""


class Outcome(NamedTuple):
    """What came of a request: a report of the agent's, or its own words behind `Done`."""

    claim: Claim
    quoted: bool = False


def join_sentences(sentences: Iterable[str]) -> str:
    """One after the other; who was just named is not named again, and more of the same is `also`."""
    parts: list[str] = []
    before = verb_before = ""
    for sentence in sentences:
        who = next((w for w in (USER, AGENT) if sentence.startswith(f"{w} ")), "")
        found = _VERB.match(sentence, len(who) + 1) if who else None
        verb = found[0] if found else ""
        again = bool(who) and who == before
        more = bool(verb) and verb == verb_before
        parts.append(_with_pronoun(who, sentence[len(who) + 1 :], more=more) if again else sentence)
        # An answer of the agent's at the end of a sentence makes it unclear whom `they` means.
        before, verb_before = "" if f" {AGENT.lower()} " in sentence else who, verb
    return " ".join(parts)


def _with_pronoun(who: str, rest: str, *, more: bool) -> str:
    pronoun = "They" if who == USER else "It"
    if who == USER and rest.startswith("was "):
        return f"{pronoun} were {'also ' if more else ''}{rest.removeprefix('was ')}"
    return f"{pronoun} {'also ' if more and not rest.startswith('was ') else ''}{rest}"


def in_order(told: Iterable[ProseSentence]) -> list[ProseSentence]:
    """By their place, then in time; what somebody is at comes before what he asks for."""
    return sorted(told, key=lambda t: (t.place, t.at_ms, t.text.startswith(f"{USER} asked ")))


def weave(told: Sequence[ProseSentence], least: int) -> list[ProseSentence]:
    """Neighbours from one message as one sentence, unless fewer than `least` would be left."""
    parts: list[ProseSentence] = []
    left = len(told)
    for each in told:
        if parts and left > least and _belong_together(parts[-1], each):
            one = parts.pop()
            rest = each.text.removeprefix(f"{USER} ")
            text = f"{one.text[:-1]}, and {rest}"
            each = one._replace(text=text, claims=one.claims + each.claims)  # noqa: PLW2901 - both
            left -= 1
        parts.append(each)
    return parts


def _belong_together(one: ProseSentence, two: ProseSentence) -> bool:
    """Does the second go on from the first, said in one breath and told without quoting?"""
    if not all(t.text.startswith(f"{USER} ") and len(t.claims) == 1 for t in (one, two)):
        return False
    if any(sign in t.text for t in (one, two) for sign in ("“", ", and ")):
        return False
    first, second = (_VERB.match(t.text, len(USER) + 1) for t in (one, two))
    breath = one.claims[0].point.sources[-1] == two.claims[0].point.sources[-1]
    short = len(one.text) + len(two.text) <= ANSWERED
    return breath and short and (first and first[0]) != (second and second[0])


def is_known(sentence: ProseSentence, told: Sequence[ProseSentence]) -> bool:
    """Does another sentence say the same already, or tell the same words of somebody?"""
    others = [claim for each in told for claim in each.claims]
    return any(_same_claim(claim, other) for claim in sentence.claims for other in others)


def _same_claim(claim: Claim, other: Claim) -> bool:
    if share_most_words(claim.text, other.text):
        return True
    if set(claim.point.sources).isdisjoint(other.point.sources):
        return False
    one, two = _flat(claim.said), _flat(other.said)
    return bool(one and two) and (one in two or two in one)


def _flat(text: str) -> str:
    return " ".join(_LETTERS.findall(text.lower()))


def share_most_words(one: str, other: str) -> bool:
    """Do two sentences share most of their words?"""
    mine, theirs = _words(one), _words(other)
    return len(mine & theirs) >= SAME * max(1, min(len(mine), len(theirs)))


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]{2,}", text.lower())) - _COMMON


def wish_sentences(
    asked: Sequence[Claim], outcomes: Mapping[Claim, Outcome]
) -> Iterator[ProseSentence]:
    """What was asked for: each with what came of it, and up to three short ones in one sentence."""
    ordered = sorted(asked, key=lambda claim: claim.point.at_ms)
    while ordered:
        claims = [ordered.pop(0)]
        if (answered := outcomes.get(claims[0])) and (
            told := _wish_with_outcome(claims[0], answered)
        ):
            yield told
            continue
        size = len(claims[0].text)
        while ordered and len(claims) < TOGETHER and ordered[0] not in outcomes:
            size += len(ordered[0].text) - len(f"{USER} asked")
            if size > JOINED:
                break
            claims.append(ordered.pop(0))
        yield ProseSentence(
            PLACES["asked"], claims[0].point.at_ms, _list_claims(claims), tuple(claims)
        )


def _list_claims(claims: Sequence[Claim]) -> str:
    first, *more = (claim.text.rstrip(".") for claim in claims)
    rest = [text.removeprefix(f"{USER} asked ") for text in more]
    if not rest:
        return f"{first}."
    return f"{', '.join((first, *rest[:-1]))}, and {rest[-1]}."


def _wish_with_outcome(claim: Claim, outcome: Outcome) -> ProseSentence | None:
    """The wish and its outcome as one sentence; None where that would be too long."""
    wish, done = claim.text.rstrip("."), outcome.claim
    if outcome.quoted:
        text = f"{wish}, which the agent reported as done: “{done.text}”."
    else:
        text = f"{wish}, and {done.text[0].lower()}{done.text[1:]}"
    if len(text) > ANSWERED:
        return None
    return ProseSentence(PLACES["asked"], claim.point.at_ms, text, (claim, done))


def quote_sentences(said: Sequence[ProseSentence]) -> Iterator[ProseSentence]:
    """What somebody said, two things in one sentence where they are short."""
    ordered = sorted(said, key=lambda told: told.at_ms)
    while ordered:
        one = ordered.pop(0)
        if ordered and len(one.text) + len(ordered[0].text) <= ANSWERED:
            two = ordered.pop(0)
            rest = two.text.removeprefix(f"{USER} said ")
            one = one._replace(text=f"{one.text[:-1]}, and {rest}", claims=one.claims + two.claims)
        yield one
