"""The requests that a session left open, as its digest knows them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from everthread.domain.gleaning.digest import Digest, Point
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.patterns import lazy_pattern

from .session_material import Material, claim_of, is_manners, is_vague, quote_of, reports_of
from .session_prose import OPEN, Claim, ProseSentence
from .session_speech import report_sentence
from .session_talk import Talk

_FORBIDS = lazy_pattern(
    r"(?:\S+\s+){0,3}?(?:not|never|don['’]?t|mustn['’]t|shouldn['’]t)\b", re.IGNORECASE
)


def is_open(told: ProseSentence, digest: Digest) -> bool:
    """May that be told as left open? Whether what an agent was asked for is done, the digest knows."""
    claim = told.claims[0]
    asked = report_sentence(claim.said, "user") if claim.point.by == "user" else None
    if asked is None or asked.act != "asked":
        return True  # what a person means to do, or waits for, is no request
    return any(set(claim.point.sources) & set(point.sources) for point in _open_points(digest))


def _open_points(digest: Digest) -> list[Point]:
    return [p for p in digest.points if p.kind == "open_item" and p.pinned and p.by == "user"]


def open_requests(digest: Digest, talk: Talk) -> Iterator[ProseSentence]:
    """The newest request that is still open; where it cannot be turned, in the user's own words."""
    left = _open_points(digest)
    left = [p for p in left if not is_manners(p.text) and not _FORBIDS.match(p.text)]
    left = [p for p in left if not (parse_sentence(p.text).asks and talk.answer(p, p.text))]
    for point in sorted(left, key=lambda p: -p.at_ms)[:2]:
        if one := _request_material(point, digest, talk):
            claim = claim_of(one)
            text = f"Left open: {claim.text[0].lower()}{claim.text[1:]}"
            yield ProseSentence(OPEN, point.at_ms, text, (claim,))
        if quote := quote_of(point, talk, asking=True):
            stop = "" if quote.endswith("?") else "."
            text = f"Left open is this request of the user: “{quote}”{stop}"
            claim = Claim(quote, point, verbatim=True, said=quote)
            yield ProseSentence(OPEN, point.at_ms, text, (claim,))


def _request_material(point: Point, digest: Digest, talk: Talk) -> Material | None:
    """What the request is about; where it does not say so, what the same message does."""
    beside = [p for p in digest.points if p is not point and p.sources == point.sources]
    wanted = [
        one
        for each in (point, *(p for p in beside if p.by == "user"))
        for one in reports_of(each)
        if one.told.act in ("asked", "wanted") and not talk.replaced(each, one.said)
    ]
    return next((one for one in wanted if not is_vague(one)), wanted[0] if wanted else None)
