"""What a session was about, in two to five sentences, made without a model.

Each sentence tells what somebody asked, decided, did or intends, in the third person, and is made of
one point or a few of the session's digest. What was taken back later, and what a text says that was
asked for, is not told. Whether its sources bear a sentence out is for the caller to say, sentence by
sentence: what they do not is told in another form, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from everthread.domain.gleaning.digest import Digest, Point
from everthread.domain.gleaning.roots import roots
from everthread.domain.redaction.secrets import redacted
from everthread.domain.support.orders import orders
from everthread.domain.text.fences import one_line
from everthread.domain.text.speech import greets, heard, thanks
from everthread.domain.times import moment_of

from .session_prose import (
    AGENT,
    CORRECTED,
    LAST,
    OPEN,
    PLACES,
    USER,
    Claim,
    Outcome,
    Told,
    in_order,
    joined,
    known,
    same,
    sayings,
    wishes,
    woven,
)
from .session_speech import Act, Reported, clause_of, reported
from .session_talk import Talk, sentences_of

MOST_SENTENCES, LEAST_SENTENCES = 5, 2
MOST_TOKENS = 100
"""Of the prose; the date in front of it comes on top."""

LONGEST_QUOTE = 110
LONGEST_SUMMARY = 1_000

Supported = Callable[[Claim], bool]
"""Do the sources of the point bear that out?"""


class Material(NamedTuple):
    """What a sentence of a point says, ready to be told."""

    point: Point
    told: Reported
    said: str
    worth: float = 0.0


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

CORRECTIONS = 2
"""So many corrections are quoted at most."""

VAGUE = 0.6
"""What one matters less that does not say what it is about."""

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

_DOES: dict[str, tuple[Act, ...]] = {
    "agent": ("did", "decided"),
    "user": ("asked", "wanted", "decided", "intends", "question", "said"),
}
_TO_YOU = re.compile(r"\byou", re.IGNORECASE)
_LOOSE = re.compile(r"(?<=[a-z0-9`])\. (?=[a-z`])")
"""Ends of sentences after which somebody who types fast goes on with a small letter."""

_STILL = re.compile(
    r"\b(?:still (?:need|have|must|to)|need to|have to|remains to)\b", re.IGNORECASE
)
_FORBIDS = re.compile(
    r"(?:\S+\s+){0,3}?(?:not|never|don['’]?t|mustn['’]t|shouldn['’]t)\b", re.IGNORECASE
)
_SAYS_LITTLE = roots(
    "help provide example review suggest improve improvements explain show tell figure understand check "
    "code issue problem thing things something example sample correct correctly sure work working"
)

LATE = 0.15
"""What the newest weighs more than the oldest: where it stood at the end matters."""


def dated(prose: str, at_ms: int) -> str:
    """`[2026-02-20] …`: one line, without secrets."""
    line = one_line(redacted(prose), LONGEST_SUMMARY)
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
    told: list[Told] = []
    room = MOST_TOKENS
    for sentence in _candidates(digest, supported, talk or Talk()):
        tokens = count(sentence.text)
        if tokens > room or known(sentence, told):
            continue
        if sentence.filler and _filled(sentence, told):
            continue
        told.append(sentence)
        room -= tokens
        if len(told) == MOST_SENTENCES:
            break
    if not told:
        return ""
    if len(told) < LEAST_SENTENCES:
        told.append(Told(LAST, 0, extent, ()))
    return joined(each.text for each in woven(in_order(told), LEAST_SENTENCES))


def _filled(filler: Told, told: Sequence[Told]) -> bool:
    """Is enough told without it? What says little is only told where there is hardly anything."""
    if len(told) < LEAST_SENTENCES:
        return False
    tells = len(roots(filler.claims[0].said) - _SAYS_LITTLE) > 1
    return not tells or sum(len(each.claims) for each in told) >= FILLED


def _candidates(digest: Digest, supported: Supported, talk: Talk) -> Iterator[Told]:
    """All that could be told and is borne out, what matters most first; what only fills, last."""
    left = next(_held(_open(digest, talk), supported), None)
    if left is not None:
        yield left
    material = sorted(_material(digest, talk), key=lambda m: m.worth, reverse=True)
    chosen = _chosen(material, supported)
    yield from (_plain(act, claim) for act, claim in chosen if act == "intends")
    open_ones = [] if left is None else [claim.said for claim in left.claims]
    asked = [c for act, c in chosen if act == "asked" and c.said not in open_ones]
    outcomes = _outcomes(asked, material, supported, talk)
    yield from _grouped(chosen, list(wishes(asked, outcomes)))
    # Most questions were answered.
    for act, claim in chosen:
        if act == "question":
            yield _plain(act, claim)._replace(text=_asks(claim.text), filler=True)
    yield from _held(_quotes(digest, talk), supported)


def _grouped(chosen: Sequence[tuple[Act, Claim]], asked: Sequence[Told]) -> Iterator[Told]:
    """All wishes where the worthiest of them stands, likewise what was said; the others one by one."""
    said = [_plain(act, claim) for act, claim in chosen if act == "said"]
    still = [told for told in said if told.place == OPEN]
    groups: dict[Act, Sequence[Told]] = {
        "asked": asked,
        "said": [*sayings([told for told in said if told.place != OPEN]), *still],
    }
    for act, claim in chosen:
        if act in ("wanted", "decided", "did"):
            yield _plain(act, claim)
        yield from groups.pop(act, ())


def _plain(act: Act, claim: Claim) -> Told:
    """One claim as a sentence; what is still to be done stands with what was left open."""
    place = OPEN if act == "said" and _STILL.search(claim.text) else PLACES[act]
    return Told(place, claim.point.at_ms, claim.text, (claim,))


def _held(sentences: Iterable[Told], supported: Supported) -> Iterator[Told]:
    return (told for told in sentences if all(map(supported, told.claims)))


def _chosen(material: Sequence[Material], supported: Supported) -> list[tuple[Act, Claim]]:
    """Of each kind of statement the worthiest that are borne out, the worthiest first."""
    taken: dict[Act, list[Claim]] = {act: [] for act in SHARES}
    chosen: list[tuple[Act, Claim]] = []
    for one in material:
        act, claim = one.told.act, _claim(one)
        before = taken[act]
        if len(before) == SHARES[act] or any(_again(claim, other) for other in before):
            continue
        if supported(claim):
            before.append(claim)
            chosen.append((act, claim))
    return chosen


def _again(claim: Claim, other: Claim) -> bool:
    """Does it say the same, or once more in the same message what it is about?"""
    if same(claim.text, other.text):
        return True
    if claim.point.sources != other.point.sources or claim.text.startswith(f"{USER} decided"):
        return False
    return claim.said != other.said and _of(claim.said, other.said)


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
        fits = (d for d in deeds if reply.key in d.point.sources and _of(d.said, claim.said))
        told = [Outcome(_claim(deed)) for deed in fits]
        if result := reply.result:
            point = Point("done", result, (reply.key,), "agent", reply.at_ms)
            told.append(Outcome(Claim(result, point, verbatim=True, said=result), quoted=True))
        if one := next((each for each in told if supported(each.claim)), None):
            found[claim] = one
    return found


def _of(deed: str, request: str) -> bool:
    """Is it this that was done?"""
    return not (roots(deed) & roots(request)) <= _SAYS_LITTLE


def _material(digest: Digest, talk: Talk) -> Iterator[Material]:
    """What can be told of each point; what took the place of something that was taken back, too."""
    points = [p for p in digest.points if _tellable(p) and not talk.composed(p)]
    in_time = sorted({p.at_ms for p in points})
    late = {at: n / max(1, len(in_time) - 1) for n, at in enumerate(in_time)}
    told = {p.text for p in points}
    while points:
        point = points.pop(0)
        for one in _reports(point):
            later = talk.replaced(point, one.said)
            if later is None:
                worth = point.weight + WORTH[one.told.act] + LATE * late.get(point.at_ms, 1.0)
                yield one._replace(worth=worth - (VAGUE if _vague(one) else 0))
                break
            if later.text not in told:
                told.add(later.text)
                points.append(later)


def _vague(one: Material) -> bool:
    return one.told.act in ("asked", "wanted") and not roots(one.said) - _SAYS_LITTLE


def _tellable(point: Point) -> bool:
    """Is it something that somebody said of the matter, and neither manners nor an open request?"""
    if point.by not in _DOES or point.kind in ("tone", "correction"):
        return False
    return not (point.kind == "open_item" and point.pinned) and not _manners(point.text)


def _manners(text: str) -> bool:
    return text.startswith("/") or greets(text) or thanks(heard(text))


def _reports(point: Point) -> Iterator[Material]:
    """The sentences of a point that can be told, the first of them first."""
    for sentence in _sentences(point.text):
        told = reported(sentence, point.by)
        if told is None or told.act not in _DOES[point.by]:
            continue
        if not _matters(point, told):
            continue
        yield Material(point, told, sentence)


def _matters(point: Point, told: Reported) -> bool:
    """Is it of the matter? Talk between two is not, nor is a plan of the agent's that is no decision."""
    match told.act:
        case "said":
            return point.kind != "request" and "the agent" not in told.text
        case "question":
            return not _TO_YOU.search(told.text)
        case "decided":
            return point.by == "user" or point.kind == "decision"
        case _:
            return True


def _sentences(text: str) -> list[str]:
    whole = sentences_of(text) or [text]
    return [part for sentence in whole for part in _LOOSE.split(sentence) if part.strip()]


def _claim(one: Material) -> Claim:
    told, who = one.told, USER if one.point.by == "user" else AGENT
    match told.act:
        case "asked" | "intends":
            verb = "asked" if told.act == "asked" else "intended"
            text = f"{who} {verb} {told.text}."
        case "said":
            text = f"{who} said that {told.text}."
        case "question":
            return Claim(f"{told.text}?", one.point, verbatim=True, said=one.said)
        case _:
            text = f"{who} {told.text}."
    return Claim(text, one.point, said=one.said)


def _open(digest: Digest, talk: Talk) -> Iterator[Told]:
    """The newest request that is still open; where it cannot be turned, in the user's own words."""
    left = [p for p in digest.points if p.kind == "open_item" and p.pinned and p.by == "user"]
    left = [p for p in left if not _manners(p.text) and not _FORBIDS.match(p.text)]
    for point in sorted(left, key=lambda p: -p.at_ms)[:2]:
        if one := _wanted(point, digest, talk):
            claim = _claim(one)
            text = f"Left open: {claim.text[0].lower()}{claim.text[1:]}"
            yield Told(OPEN, point.at_ms, text, (claim,))
        if quote := _quote(point, talk, asking=True):
            stop = "" if quote.endswith("?") else "."
            text = f"Left open is this request of the user: “{quote}”{stop}"
            claim = Claim(quote, point, verbatim=True, said=quote)
            yield Told(OPEN, point.at_ms, text, (claim,))


def _wanted(point: Point, digest: Digest, talk: Talk) -> Material | None:
    """What the request is about; where it does not say so, what the same message does."""
    beside = [p for p in digest.points if p is not point and p.sources == point.sources]
    wanted = [
        one
        for each in (point, *(p for p in beside if p.by == "user"))
        for one in _reports(each)
        if one.told.act in ("asked", "wanted") and not talk.replaced(each, one.said)
    ]
    return next((one for one in wanted if not _vague(one)), wanted[0] if wanted else None)


def _quotes(digest: Digest, talk: Talk) -> Iterator[Told]:
    """What fits no form, as it was said: the last resort, and the way for other languages."""
    mine = [
        p for p in digest.points if p.by == "user" and p.kind != "tone" and not _manners(p.text)
    ]
    mine.sort(key=lambda p: p.weight, reverse=True)
    corrected = [p for p in mine if p.kind == "correction"][:CORRECTIONS]
    for point in (*corrected, *(p for p in mine if p.kind != "correction")):
        if quote := _quote(point, talk):
            place, verb = PLACES["said"], "asked" if quote.endswith("?") else "said"
            if point.kind == "correction":
                place, verb = CORRECTED, "corrected"
            text = _asks(quote) if verb == "asked" else f"{USER} {verb}: “{quote}”."
            claim = Claim(quote, point, verbatim=True, said=quote)
            yield Told(place, point.at_ms, text, (claim,), filler=point.kind != "correction")


def _asks(question: str) -> str:
    return f"{USER} asked: “{question}”"


def _quote(point: Point, talk: Talk, *, asking: bool = False) -> str:
    """The first sentence that can be quoted whole, without its full stop; an exclamation says little."""
    for sentence in _sentences(point.text):
        flat = " ".join(sentence.split()).rstrip(".")
        fits = clause_of(flat) and len(flat) <= LONGEST_QUOTE and not set('“”"') & set(flat)
        if not fits or flat.endswith("!") or talk.replaced(point, sentence):
            continue
        if not asking or flat.endswith("?") or orders(flat):
            return flat
    return ""
