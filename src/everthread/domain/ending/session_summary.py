"""What a session was about, in two to five sentences, made without a model.

Each sentence tells what somebody asked, decided, did or intends, in the third person, and is made of
one point or a few of the session's digest. What was taken back later, and what a text says that was
asked for, is not told. Whether its sources bear a sentence out is for the caller to say, sentence by
sentence: what they do not is told in another form, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from everthread.domain.gleaning.choices.answer_pairs import answer_pairs
from everthread.domain.gleaning.digest import Digest, Point
from everthread.domain.gleaning.roots import roots
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import one_line
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.times import moment_of

from .session_course import course_of
from .session_exchanges import amends
from .session_material import (
    DOES,
    SAYS_LITTLE,
    Material,
    claim_of,
    is_manners,
    is_vague,
    quote_of,
    reports_of,
)
from .session_opening import opening_request
from .session_prose import (
    CORRECTED,
    LAST,
    OPEN,
    PLACES,
    USER,
    Claim,
    Outcome,
    ProseSentence,
    in_order,
    is_known,
    join_sentences,
    quote_sentences,
    share_most_words,
    weave,
    wish_sentences,
)
from .session_reference import is_unclear, leans
from .session_requests import is_open, open_requests
from .session_speech import Act, report_sentence
from .session_talk import Talk

MOST_SENTENCES, LEAST_SENTENCES = 5, 2
MOST_TOKENS = 100
"""Of the prose; the date in front of it comes on top."""

LONGEST_SUMMARY = 1_000

Supported = Callable[[Claim], bool]
"""Do the sources of the point bear that out?"""


WORTH: dict[Act, float] = {
    "decided": 0.9,
    "asked": 0.35,
    "wanted": 0.35,
    "intends": 0.3,
    "did": 0.25,
    "question": 0.05,
    "said": 0.0,
}
"""What a sentence of that kind matters beside its point's own weight."""

PICKS, PICKED = 5, 2
"""Words of an answer that is told with what it answers, and how many of them are."""

CORRECTIONS = 2
"""So many corrections are quoted at most."""

VAGUE = 0.6
"""What one matters less that does not say what it is about."""

REPORTED = 2
"""So many reports of the agent are told."""

FILLED = 3
"""With so many statements, nothing more is quoted only to fill the room."""

SHARES: dict[Act, int] = {
    "asked": 4,
    "wanted": 2,
    "decided": 2,
    "did": 2,
    "intends": 1,
    "said": 2,
    "question": 1,
}
"""How many of a kind are told at most."""

_STILL = lazy_pattern(
    r"\b(?:still (?:need|have|must|to)|need to|have to|remains to)\b", re.IGNORECASE
)
LATE = 0.15
"""What the newest weighs more than the oldest: where it stood at the end matters."""


def with_date(prose: str, at_ms: int) -> str:
    """`[2026-02-20] …`: one line, without secrets."""
    line = one_line(strip_secrets(prose), LONGEST_SUMMARY)
    return f"[{moment_of(at_ms):%Y-%m-%d}] {line}" if line else ""


def plain_prose(
    digest: Digest,
    supported: Supported,
    count: Callable[[str], int],
    *,
    extent: str,
    talk: Talk | None = None,
) -> str:
    """The prose of a session with that digest; empty where there is nothing to tell.

    `extent` is a sentence on how long it was, for a session of which there is only one to tell; `talk`
    knows what was said around each point.
    """
    told: list[ProseSentence] = []
    room = MOST_TOKENS
    for sentence in _candidates(digest, supported, talk or Talk()):
        tokens = count(sentence.text)
        if tokens > room or is_known(sentence, told):
            continue
        if sentence.filler and _is_enough(sentence, told):
            continue
        told.append(sentence)
        room -= tokens
        if len(told) == MOST_SENTENCES:
            break
    if not told:
        return ""
    if len(told) < LEAST_SENTENCES:
        told.append(ProseSentence(LAST, 0, extent, ()))
    return join_sentences(each.text for each in weave(in_order(told), LEAST_SENTENCES))


def _is_enough(filler: ProseSentence, told: Sequence[ProseSentence]) -> bool:
    """Is enough told without it? What says little is only told where there is hardly anything."""
    if len(told) < LEAST_SENTENCES:
        return False
    tells = len(roots(filler.claims[0].said) - SAYS_LITTLE) > 1
    return not tells or sum(len(each.claims) for each in told) >= FILLED


def _candidates(digest: Digest, supported: Supported, talk: Talk) -> Iterator[ProseSentence]:
    """All that could be told and is borne out, what matters most first; what only fills, last."""
    left = next(_supported_ones(open_requests(digest, talk), supported), None)
    material = sorted(_material(digest, talk), key=lambda m: m.worth, reverse=True)
    first = _opening_wish(material, supported, talk)
    told = [each for each in (first, left) if each is not None]
    if len(told) > 1 and is_known(told[0], told[1:]):
        del told[0]
    yield from told
    yield from _course_sentences(digest, talk, supported, has_open=left is not None)
    chosen = _choose_claims(material, supported)
    if not talk.exchanges:  # of a talk that was heard, it is known what is still intended
        yield from (_claim_sentence(act, claim) for act, claim in chosen if act == "intends")
    asked = [
        c for act, c in chosen if act == "asked" and not is_known(_claim_sentence(act, c), told)
    ]
    outcomes = _outcomes(asked, material, supported, talk)
    yield from _group_claims(chosen, list(wish_sentences(asked, outcomes)))
    # One of them alone, where there was no room for all of them together.
    alone = (claim for claim in asked if len(asked) > 1 and claim not in outcomes)
    yield from (_claim_sentence("asked", claim) for claim in alone)
    yield from _supported_ones(_answer_sentences(digest), supported)
    # Most questions were answered.
    for act, claim in chosen:
        if act == "question" and not talk.was_answered(claim.point):
            yield _claim_sentence(act, claim)._replace(
                text=_quote_question(claim.text), filler=True
            )
    yield from _supported_ones(_quotes(digest, talk), supported)


def _course_sentences(
    digest: Digest, talk: Talk, supported: Supported, *, has_open: bool
) -> Iterator[ProseSentence]:
    """What was decided, what came of it and what is left open: first one of each, then more."""
    course = course_of(talk, supported)
    left_open = ([one for one in each if is_open(one, digest)] for each in course.left)
    ways = (next(_supported_ones(each, supported), None) for each in left_open)
    left = [one for one in ways if one is not None]
    newest = 0 if has_open else 1
    yield from left[:newest]
    yield from course.decided
    yield from islice(_supported_ones(course.reported, supported), REPORTED)
    yield from left[newest:]


def _opening_wish(
    material: Sequence[Material], supported: Supported, talk: Talk
) -> ProseSentence | None:
    """The request that opened the session, with what came of it."""
    first = opening_request(talk, supported)
    if first is None or first.claims[0].verbatim or len(first.claims) > 1:
        return first
    if not first.text.startswith((f"{USER} asked", f"{USER} wanted", f"{USER} needed")):
        return first
    asked = list(first.claims)
    return next(wish_sentences(asked, _outcomes(asked, material, supported, talk)))


def _group_claims(
    chosen: Sequence[tuple[Act, Claim]], asked: Sequence[ProseSentence]
) -> Iterator[ProseSentence]:
    """All wishes where the worthiest of them stands, likewise what was said; the others one by one."""
    said = [_claim_sentence(act, claim) for act, claim in chosen if act == "said"]
    still = [told for told in said if told.place == OPEN]
    groups: dict[Act, Sequence[ProseSentence]] = {
        "asked": asked,
        "said": [*quote_sentences([told for told in said if told.place != OPEN]), *still],
    }
    for act, claim in chosen:
        if act in ("wanted", "decided", "did"):
            yield _claim_sentence(act, claim)
        yield from groups.pop(act, ())


def _claim_sentence(act: Act, claim: Claim) -> ProseSentence:
    """One claim as a sentence; what is still to be done stands with what was left open."""
    place = OPEN if act == "said" and _STILL.search(claim.text) else PLACES[act]
    return ProseSentence(place, claim.point.at_ms, claim.text, (claim,))


def _supported_ones(
    sentences: Iterable[ProseSentence], supported: Supported
) -> Iterator[ProseSentence]:
    return (told for told in sentences if all(map(supported, told.claims)))


def _choose_claims(material: Sequence[Material], supported: Supported) -> list[tuple[Act, Claim]]:
    """Of each kind of statement the worthiest that are borne out, the worthiest first."""
    taken: dict[Act, list[Claim]] = {act: [] for act in SHARES}
    chosen: list[tuple[Act, Claim]] = []
    for one in material:
        act, claim = one.told.act, claim_of(one)
        before = taken[act]
        if len(before) == SHARES[act] or any(_says_again(claim, other) for other in before):
            continue
        if supported(claim):
            before.append(claim)
            chosen.append((act, claim))
    return chosen


def _says_again(claim: Claim, other: Claim) -> bool:
    """Does it say the same, or once more in the same message what it is about?"""
    if share_most_words(claim.text, other.text):
        return True
    if claim.point.sources != other.point.sources or claim.text.startswith(f"{USER} decided"):
        return False
    return claim.said != other.said and _is_deed_of(claim.said, other.said)


def _outcomes(
    asked: Sequence[Claim], material: Sequence[Material], supported: Supported, talk: Talk
) -> dict[Claim, Outcome]:
    """What the agent reported in its answer to a request, where it speaks of what was asked for."""
    found: dict[Claim, Outcome] = {}
    deeds = [each for each in material if each.told.act == "did"]
    for claim in asked:
        reply = talk.answer(claim.point, claim.said)
        if reply is None:
            continue
        fits = (
            d for d in deeds if reply.key in d.point.sources and _is_deed_of(d.said, claim.said)
        )
        told = [Outcome(claim_of(deed)) for deed in fits]
        if result := reply.result:
            point = Point("done", result, (reply.key,), "agent", reply.at_ms)
            told.append(Outcome(Claim(result, point, verbatim=True, said=result), quoted=True))
        if one := next((each for each in told if supported(each.claim)), None):
            found[claim] = one
    return found


def _is_deed_of(deed: str, request: str) -> bool:
    """Is it this that was done?"""
    return not (roots(deed) & roots(request)) <= SAYS_LITTLE


def _material(digest: Digest, talk: Talk) -> Iterator[Material]:
    """What can be told of each point; what took the place of something that was taken back, too."""
    picks = _picks(digest)
    points = [
        p for p in digest.points if _is_tellable(p) and p not in picks and not talk.composed(p)
    ]
    in_time = sorted({p.at_ms for p in points})
    late = {at: n / max(1, len(in_time) - 1) for n, at in enumerate(in_time)}
    told = {p.text for p in points}
    while points:
        point = points.pop(0)
        for one in reports_of(point):
            later = talk.replaced(point, one.said)
            if later is None:
                one = _with_change(one, talk)  # noqa: PLW2901 - the same, as it stood
                if one is None:
                    continue
                worth = point.weight + WORTH[one.told.act] + LATE * late.get(point.at_ms, 1.0)
                unclear = is_vague(one) or leans(one.said)
                yield one._replace(worth=worth - (VAGUE if unclear else 0))
                break
            if later.text not in told:
                told.add(later.text)
                points.append(later)


def _with_change(one: Material, talk: Talk) -> Material | None:
    """As it stood in the end: with what the next message changed of it; None where it did not stand."""
    point = one.point
    if is_unclear(one.said) or amends(one.said):
        return None  # nobody knows what it is about
    if not talk.overtaken(point, one.said):
        return one
    change = talk.change_to(point) if one.told.act == "asked" else None
    told = report_sentence(change[0], "user") if change else None
    if change is None or told is None or told.act != "asked":
        return None
    both = one.told._replace(text=f"{one.told.text}, then {told.text}")
    return one._replace(point=point._replace(sources=(*point.sources, change[1])), told=both)


def _picks(digest: Digest) -> dict[Point, Point]:
    """What a person took or answered in a word or two, each with what it answers: alone it tells nothing."""
    pairs = answer_pairs(digest.points).items()
    short = ((answer, asked) for answer, asked in pairs if answer.kind != "correction")
    return {answer: asked for answer, asked in short if len(answer.text.split()) <= PICKS}


def _answer_sentences(digest: Digest) -> Iterator[ProseSentence]:
    """The newest choices, then the newest of the other answers: a word, and what it was said to."""
    newest = sorted(_picks(digest).items(), key=lambda p: (p[0].kind != "decision", -p[0].at_ms))
    for answer, asked in newest[:PICKED]:
        text = f"{USER} answered “{asked.text}” with “{answer.text.rstrip('.')}”."
        claims = (
            Claim(answer.text, answer, verbatim=True, said=answer.text),
            Claim(asked.text, asked, verbatim=True, said=asked.text),
        )
        filler = answer.kind != "decision"
        yield ProseSentence(PLACES["decided"], answer.at_ms, text, claims, filler=filler)


def _is_tellable(point: Point) -> bool:
    """Is it something that somebody said of the matter, and neither manners nor an open request?"""
    if point.by not in DOES or point.kind in ("tone", "correction"):
        return False
    return not (point.kind == "open_item" and point.pinned) and not is_manners(point.text)


def _quotes(digest: Digest, talk: Talk) -> Iterator[ProseSentence]:
    """What fits no form, as it was said: the last resort, and the way for other languages."""
    picks = _picks(digest)
    mine = [
        p for p in digest.points if p.by == "user" and p.kind != "tone" and not is_manners(p.text)
    ]
    mine = [p for p in mine if p not in picks]
    mine.sort(key=lambda p: p.weight, reverse=True)
    corrected = [p for p in mine if p.kind == "correction"][:CORRECTIONS]
    for point in (*corrected, *(p for p in mine if p.kind != "correction")):
        if quote := quote_of(point, talk):
            place, verb = PLACES["said"], "asked" if quote.endswith("?") else "said"
            if point.kind == "correction":
                place, verb = CORRECTED, "corrected"
            text = _quote_question(quote) if verb == "asked" else f"{USER} {verb}: “{quote}”."
            claim = Claim(quote, point, verbatim=True, said=quote)
            yield ProseSentence(
                place, point.at_ms, text, (claim,), filler=point.kind != "correction"
            )


def _quote_question(question: str) -> str:
    return f"{USER} asked: “{question}”"
