"""What a session was about, in two to five sentences, made without a model.

Each sentence tells what somebody asked, decided, did or intends, in the third person, and is made of
one point or a few of the session's digest. Whether its sources bear it out is for the caller to say,
sentence by sentence: what they do not is told in another form, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from .distillation import Digest, Point
from .fences import one_line
from .redaction import redacted
from .sentences import stretches
from .session_speech import Act, Reported, clause_of, reported
from .speech import greets, heard, thanks
from .support import orders
from .times import moment_of

MOST_SENTENCES, LEAST_SENTENCES = 5, 2
MOST_TOKENS = 100
"""Of the prose; the date in front of it comes on top."""

USER, AGENT = "The user", "The agent"
LONGEST_QUOTE = 110
LONGEST_SUMMARY = 1_000
JOINED = 150
"""Characters up to which two wishes make one sentence."""


class Claim(NamedTuple):
    """What a sentence says of one point: a report, or a quotation of it."""

    text: str
    point: Point
    verbatim: bool = False


Supported = Callable[[Claim], bool]
"""Do the sources of the point bear that out?"""


class Told(NamedTuple):
    """A sentence, where it stands, and all that it claims."""

    place: int
    at_ms: int
    text: str
    claims: tuple[Claim, ...]
    filler: bool = False
    """Is it told only where there is little else?"""


class Material(NamedTuple):
    """What a point says, ready to be told."""

    point: Point
    told: Reported
    worth: float


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
FILLED = 3
"""With so many sentences, nothing more is quoted only to fill the room."""

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
_COMMON = frozenset(
    "the user agent asked said to and for of in is it that not no don".split()  # noqa: SIM905 - read as a list of words
)
_TO_YOU = re.compile(r"\byou", re.IGNORECASE)
_LOOSE = re.compile(r"(?<=[a-z0-9`])\. (?=[a-z`])")
"""Ends of sentences after which somebody who types fast goes on with a small letter."""

_STILL = re.compile(
    r"\b(?:still (?:need|have|must|to)|need to|have to|remains to)\b", re.IGNORECASE
)

SAME = 0.75
"""Two sentences that share so many words say the same."""

LATE = 0.15
"""What the newest weighs more than the oldest: where it stood at the end matters."""


def dated(prose: str, at_ms: int) -> str:
    """`[2026-02-20] …`: one line, without secrets."""
    line = one_line(redacted(prose), LONGEST_SUMMARY)
    return f"[{moment_of(at_ms):%Y-%m-%d}] {line}" if line else ""


def undated(summary: str) -> str:
    """The prose of a summary."""
    return summary.partition("] ")[2] if summary.startswith("[") else summary


def plain_prose(
    digest: Digest, supported: Supported, count: Callable[[str], int], *, extent: str
) -> str:
    """The prose of a session with that digest; empty where there is nothing to tell.

    `extent` is a sentence on how long it was, for a session of which there is only one to tell.
    """
    told: list[Told] = []
    room = MOST_TOKENS
    for sentence in _candidates(digest, supported):
        tokens = count(sentence.text)
        if tokens > room or _known(sentence, told):
            continue
        if sentence.filler and len(told) >= FILLED:
            continue
        told.append(sentence)
        room -= tokens
        if len(told) == MOST_SENTENCES:
            break
    if not told:
        return ""
    if len(told) < LEAST_SENTENCES:
        told.append(Told(LAST, 0, extent, ()))
    return _joined(each.text for each in sorted(told, key=lambda t: (t.place, t.at_ms)))


def _joined(sentences: Iterable[str]) -> str:
    """One after the other; who was just named is not named again."""
    parts: list[str] = []
    before = ""
    for sentence in sentences:
        who = next((w for w in (USER, AGENT) if sentence.startswith(f"{w} ")), "")
        again = who == before and bool(who)
        pronoun = "They" if who == USER else "It"
        said = pronoun + sentence[len(who) :] if again else sentence
        parts.append(re.sub(r"\AThey was\b", "They were", said))
        before = who
    return " ".join(parts)


def _known(sentence: Told, told: Sequence[Told]) -> bool:
    """Does another sentence say the same already?"""
    others = [claim.text for each in told for claim in each.claims]
    return any(_same(claim.text, other) for claim in sentence.claims for other in others)


def _same(one: str, other: str) -> bool:
    mine, theirs = _words(one), _words(other)
    return len(mine & theirs) >= SAME * max(1, min(len(mine), len(theirs)))


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]{2,}", text.lower())) - _COMMON


def _candidates(digest: Digest, supported: Supported) -> Iterator[Told]:
    """All that could be told and is borne out, what matters most first; what only fills, last."""
    yield from islice(_held(_open(digest), supported), 1)
    chosen = _chosen(digest, supported)
    asked = [claim for act, claim in chosen if act == "asked"]
    for act, claim in chosen:
        if act == "asked":
            if claim is asked[0]:
                yield from _wishes(asked)
        elif act != "question":
            yield Told(_place(act, claim.text), claim.point.at_ms, claim.text, (claim,))
    # Most questions were answered.
    for act, claim in chosen:
        if act == "question":
            at = claim.point.at_ms
            yield Told(PLACES[act], at, _asks(claim.text), (claim,), filler=True)
    yield from _held(_quotes(digest), supported)


def _place(act: Act, text: str) -> int:
    """What is still to be done stands with what was left open."""
    return OPEN if act == "said" and _STILL.search(text) else PLACES[act]


def _held(sentences: Iterable[Told], supported: Supported) -> Iterator[Told]:
    return (told for told in sentences if all(map(supported, told.claims)))


def _chosen(digest: Digest, supported: Supported) -> list[tuple[Act, Claim]]:
    """Of each kind of statement the worthiest that are borne out, the worthiest first."""
    taken: dict[Act, list[str]] = {act: [] for act in SHARES}
    chosen: list[tuple[Act, Claim]] = []
    for one in sorted(_material(digest), key=lambda m: m.worth, reverse=True):
        act, claim = one.told.act, _claim(one)
        known = taken[act]
        if len(known) == SHARES[act] or any(_same(claim.text, other) for other in known):
            continue
        if supported(claim):
            known.append(claim.text)
            chosen.append((act, claim))
    return chosen


def _material(digest: Digest) -> Iterator[Material]:
    points = [p for p in digest.points if _tellable(p)]
    in_time = sorted({p.at_ms for p in points})
    late = {at: n / max(1, len(in_time) - 1) for n, at in enumerate(in_time)}
    for point in points:
        for told in islice(_reports(point), 1):
            worth = point.weight + WORTH[told.act] + LATE * late[point.at_ms]
            yield Material(point, told, worth)


def _tellable(point: Point) -> bool:
    """Is it something that somebody said of the matter, and neither manners nor an open request?"""
    if point.by not in _DOES or point.kind in ("tone", "correction"):
        return False
    return not (point.kind == "open_item" and point.pinned) and not _manners(point.text)


def _manners(text: str) -> bool:
    return text.startswith("/") or greets(text) or thanks(heard(text))


def _reports(point: Point) -> Iterator[Reported]:
    """The sentences of a point that can be told, the first of them first."""
    for sentence in _sentences(point.text):
        told = reported(sentence, point.by)
        if told is None or told.act not in _DOES[point.by]:
            continue
        if not _matters(point, told):
            continue
        yield told


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
    whole = [text[place.start : place.end] for place in stretches(text)] or [text]
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
            return Claim(f"{told.text}?", one.point, verbatim=True)
        case _:
            text = f"{who} {told.text}."
    return Claim(text, one.point)


def _wishes(asked: Sequence[Claim]) -> Iterator[Told]:
    """What was asked for, two wishes in one sentence where they are short."""
    ordered = sorted(asked, key=lambda claim: claim.point.at_ms)
    while ordered:
        claims = [ordered.pop(0)]
        text = claims[0].text
        if ordered and len(text) + len(ordered[0].text) <= JOINED:
            claims.append(ordered.pop(0))
            text = f"{text[:-1]}, and {claims[1].text.removeprefix(f'{USER} asked ')}"
        yield Told(PLACES["asked"], claims[0].point.at_ms, text, tuple(claims))


def _open(digest: Digest) -> Iterator[Told]:
    """The newest request that is still open; where it cannot be turned, in the user's own words."""
    left = [p for p in digest.points if p.kind == "open_item" and p.pinned and p.by == "user"]
    for point in sorted((p for p in left if not _manners(p.text)), key=lambda p: -p.at_ms)[:2]:
        told = next((t for t in _reports(point) if t.act in ("asked", "wanted")), None)
        if told is not None:
            claim = _claim(Material(point, told, 0.0))
            text = f"Left open: {claim.text[0].lower()}{claim.text[1:]}"
            yield Told(OPEN, point.at_ms, text, (claim,))
        if quote := _quote(point.text, asking=True):
            stop = "" if quote.endswith("?") else "."
            text = f"Left open is this request of the user: “{quote}”{stop}"
            yield Told(OPEN, point.at_ms, text, (Claim(quote, point, verbatim=True),))


def _quotes(digest: Digest) -> Iterator[Told]:
    """What fits no form, as it was said: the last resort, and the way for other languages."""
    mine = [
        p for p in digest.points if p.by == "user" and p.kind != "tone" and not _manners(p.text)
    ]
    for point in sorted(mine, key=lambda p: (p.kind == "correction", p.weight), reverse=True):
        if quote := _quote(point.text):
            place, verb = PLACES["said"], "asked" if quote.endswith("?") else "said"
            if point.kind == "correction":
                place, verb = CORRECTED, "corrected"
            text = _asks(quote) if verb == "asked" else f"{USER} {verb}: “{quote}”."
            claim = Claim(quote, point, verbatim=True)
            yield Told(place, point.at_ms, text, (claim,), filler=point.kind != "correction")


def _asks(question: str) -> str:
    return f"{USER} asked: “{question}”"


def _quote(text: str, *, asking: bool = False) -> str:
    """The first sentence that can be quoted whole, without its full stop; an exclamation says little."""
    for sentence in _sentences(text):
        flat = " ".join(sentence.split()).rstrip(".")
        fits = clause_of(flat) and len(flat) <= LONGEST_QUOTE and not set('“”"') & set(flat)
        if fits and not flat.endswith("!") and (not asking or flat.endswith("?") or orders(flat)):
            return flat
    return ""
