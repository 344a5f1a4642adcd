"""Make points of what a model wrote. What has no source, no kind or no sense does not get through."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from everthread.domain.conversation.messages import ORIGINS, Origin
from everthread.domain.gleaning.digest import SECTION_OF, WORDS, Digest, Point
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import neutralize
from everthread.domain.text.patterns import lazy_pattern

from .draft_endings import NO_ENDINGS, Endings, read_endings
from .draft_json import error_in, object_with
from .draft_marks import Citable, cited_marks
from .drafts import Cause, KnownMemory, ModelFailed

LONGEST = 600
"""A longer statement is dropped whole: cut in two it might say the opposite."""

SHORTEST = 8
MOST_SOURCES = 12
MOST_POINTS = 400

LEAST, LEAST_SHARE, LEAST_MOST = 40, 50, 400
"""So many characters a draft must have: one for each 50 tokens that it was made of, within these."""

OF_PEOPLE = frozenset({"request", "rule", "preference", "identity"})
"""What only a person can have said. An agent or a tool that says such a thing tells something else."""

WEIGHT = 1.0

_QUOTES = "\"'“”‘’«» "
_SPACES = lazy_pattern(r"\s+")
_PREAMBLE = lazy_pattern(
    r"(?:sure|certainly|of course|okay|ok|here(?:'s| is| are)|below (?:is|are)|this is|the following)\b"
    r"[^.]{0,60}\b(?:summary|report|points|statements|conversation|json)\b[^.]{0,40}[:.!]?$",
    re.IGNORECASE,
)
_ERRORS: tuple[tuple[Cause, str, str], ...] = (
    (
        "refused",
        "the prompt was too long for the model",
        r"prompt (?:is )?too long|context[ _](?:length|window)[ _](?:is )?exceeded|maximum context"
        r"|too many (?:input )?tokens|exceeds? the (?:model'?s )?(?:context|token)",
    ),
    (
        "auth",
        "the model did not accept our credentials",
        r"invalid api key|please run /login|not logged in|unauthorized|authentication[_ ]error",
    ),
    (
        "overloaded",
        "the model's limit is reached",
        r"usage limit|rate limit|overloaded|quota|credit balance|too many requests",
    ),
    ("refused", "the model declined", r"\bi(?:'m| am)? (?:sorry|can'?t|cannot|won'?t|unable)\b"),
)
_TOLD: Sequence[tuple[Cause, str, re.Pattern[str]]] = tuple(
    (cause, detail, lazy_pattern(rule, re.I)) for cause, detail, rule in _ERRORS
)
_NOTHING_KNOWN: Mapping[str, KnownMemory] = {}
_ERROR_LENGTH = 600
"""An error told as text is short; a long answer may well speak of one."""


class Draft(NamedTuple):
    """What could be read of a model's answer."""

    points: tuple[Point, ...]
    replaced: frozenset[str]
    """The earlier statements that these points take up, or that the model says no longer hold."""
    dropped: int
    endings: Endings = NO_ENDINGS
    """The memories that it says no longer hold, as far as that is believed."""


def read_draft(
    text: str,
    citable: Mapping[str, Citable],
    *,
    tokens: int = 0,
    known: Mapping[str, KnownMemory] = _NOTHING_KNOWN,
) -> Draft:
    """The points of an answer to a prompt of so many tokens; what it was shown by the marks it used.

    Raises `ModelFailed` where there is nothing to read, too little, or an error told as text.
    """
    found = object_with("points", text)
    if found is None:
        raise _unreadable(text)
    items = cast("list[object]", found["points"])[:MOST_POINTS]
    outdated = cited_marks(found.get("outdated"), citable)
    points: list[Point] = []
    replaced = {mark for mark in outdated if mark.startswith("s")}
    for item in items:
        read = _point(item, citable)
        if read is not None:
            points.append(read[0])
            replaced |= read[1]
    # A model that only retires what was known has told nothing.
    _check_enough(points, tokens)
    endings = read_endings(found, known, citable)
    dropped = len(items) - len(points) + endings.dropped
    return Draft(tuple(_unique_points(points)), frozenset(replaced), dropped, endings)


def error_in_answer(text: str) -> tuple[Cause, str] | None:
    """Is this an error in the place of an answer? Some programs print one as if it were the answer."""
    if len(text) > _ERROR_LENGTH and not error_in(text):
        return None
    for cause, detail, rule in _TOLD:
        if rule.search(text[: 4 * _ERROR_LENGTH]):
            return cause, detail
    return ("refused", "the answer was an error") if error_in(text) else None


def _unreadable(text: str) -> ModelFailed:
    if not text.strip():
        return ModelFailed("nonsense", "the answer was empty")
    told = error_in_answer(text)
    if told is not None:
        return ModelFailed(*told)
    return ModelFailed("nonsense", f"no points in an answer of {len(text)} characters")


def _check_enough(points: Sequence[Point], tokens: int) -> None:
    if not points:
        raise ModelFailed("nonsense", "no statement of the answer was usable")
    least = max(LEAST, min(tokens // LEAST_SHARE, LEAST_MOST))
    total = sum(len(point.text) for point in points)
    if total < least:
        raise ModelFailed("nonsense", f"only {total} characters, where {least} are the least")


def _point(item: object, citable: Mapping[str, Citable]) -> tuple[Point, set[str]] | None:
    """A statement as a point, and the earlier ones that it takes up; None if it is not usable."""
    if not isinstance(item, dict):
        return None
    told = cast("dict[str, Any]", item)
    kind, text = _kind(told.get("kind")), _text(told.get("text"))
    marks = cited_marks(told.get("sources"), citable)
    if kind is None or text is None or not marks:
        return None
    found = {mark: citable[mark] for mark in marks}
    if kind in OF_PEOPLE:
        found = {mark: each for mark, each in found.items() if each.by == "user"}
    if not found:
        return None
    earlier = {mark for mark in found if found[mark].point is not None}
    for mark in earlier:
        same = found[mark].point
        if same is not None and _plain(same.text) == _plain(text):
            return same, {mark}
    return _new_point(
        kind, text, [*found.values()], claimed=told.get("quote") is True, earlier=earlier
    )


def _new_point(
    kind: str, text: str, found: list[Citable], *, claimed: bool, earlier: set[str]
) -> tuple[Point, set[str]] | None:
    spans = {n: span for n, each in enumerate(found) if (span := _span(each, text))}
    if claimed and not spans:
        return None  # a quote that nobody said is the worst of inventions
    behind = [found[n] for n in spans] or found
    by = _least_origin(each.by for each in behind)
    names = {each.name for each in behind}
    point = Point(
        kind,
        next(iter(spans.values()), text),
        _keys([*behind, *(each for each in found if each not in behind)]),
        by,
        max(each.at_ms for each in found),
        WEIGHT,
        verbatim=bool(spans),
        name=names.pop() if by == "user" and len(names) == 1 else "",
    )
    return point, earlier


def _span(each: Citable, text: str) -> str | None:
    """The very words of the source, if the text is nothing but them, whatever marks stand around it."""
    if each.point is not None and not each.point.verbatim:
        return None  # a point that is no quote itself cannot vouch for one
    said = _SPACES.sub(" ", each.text)
    lower = said.lower()
    for words in (text, text.strip(_QUOTES), text.strip(_QUOTES).rstrip(".!…")):
        at = lower.find(words.lower())
        if at >= 0 and len(lower) == len(said) and len(words.lower()) == len(words):
            return said[at : at + len(words)]
    return None


def _kind(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    kind = "_".join(re.split(r"[\s_-]+", value.strip().lower()))
    return kind if kind in SECTION_OF and kind != WORDS else None


def _text(value: object) -> str | None:
    """The statement on one line, harmless and without secrets; None if it says nothing."""
    if not isinstance(value, str):
        return None
    text = _SPACES.sub(" ", value[: 4 * LONGEST]).strip(" -*•\n")
    if not SHORTEST <= len(text) <= LONGEST or _PREAMBLE.match(text) or not _is_wordy(text):
        return None
    return strip_secrets(_SPACES.sub(" ", neutralize(text)).strip())


def _is_wordy(text: str) -> bool:
    return sum(c.isalnum() for c in text) * 3 >= len(text)


def _keys(found: Sequence[Citable]) -> tuple[bytes, ...]:
    """The messages behind it: of very many the first and the newest ones."""
    keys = [*dict.fromkeys(key for each in found for key in each.keys)]
    return tuple(keys if len(keys) <= MOST_SOURCES else [keys[0], *keys[1 - MOST_SOURCES :]])


def _least_origin(origins: Iterable[Origin]) -> Origin:
    """Of several who stand behind a statement, the one with the least say: nobody gains by company."""
    return max(origins, key=ORIGINS.index)


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text).strip().casefold()


def _unique_points(points: Iterable[Point]) -> Iterable[Point]:
    found: dict[tuple[str, str], Point] = {}
    for point in points:
        found.setdefault(_point_key(point), point)
    return found.values()


# What stands already, and what comes to it


def split_by_room(
    points: Sequence[Point], *, room: int, size: Callable[[Point], int]
) -> tuple[list[Point], list[Point]]:
    """The points that a prompt has room for, and those that pass it by and stay as they are."""
    worth = sorted(
        points, key=lambda point: (point.pinned, point.weight, point.at_ms), reverse=True
    )
    shown: set[int] = set()
    for point in worth:
        room -= size(point)
        if room < 0:
            break
        shown.add(id(point))
    return (
        [point for point in points if id(point) in shown],
        [point for point in points if id(point) not in shown],
    )


def merge_draft(shown: Sequence[Point], rest: Sequence[Point], draft: Draft) -> list[Point]:
    """All that stands after a draft: what it took up is gone, what it left alone has stayed."""
    kept = (point for n, point in enumerate(shown, 1) if f"s{n}" not in draft.replaced)
    # No model retires a rule, or a request that is still open.
    pinned = (point for point in shown if point.pinned)
    return [*_unique_points([*pinned, *kept, *rest, *draft.points])]


def join_broken_draft(
    points: Sequence[Point], digest: Digest, before: Digest, seen: set[bytes]
) -> list[Point]:
    """The points of a draft that broke off, with what the plain distiller made of the messages behind.

    `seen`: the keys of the messages that the draft tells of. Nothing of either is discarded.
    """
    known = before.known()
    rest = (p for p in digest.points if p.bare not in known and not seen.issuperset(p.sources))
    return [*_unique_points([*points, *rest])]


def finish_draft(points: Sequence[Point], digest: Digest) -> tuple[Point, ...]:
    """The points of a draft, with what the plain distiller pinned, and without what it no longer pins."""
    known = {_point_key(point): point for point in digest.points}
    pinned = [point for point in digest.points if point.pinned]
    ours = [known.get(_point_key(point), point) for point in points]
    held = [point for point in ours if not point.pinned or _point_key(point) in known]
    worth = sorted(held, key=lambda point: (point.weight, point.at_ms), reverse=True)
    room = max(0, MOST_POINTS - len(pinned))
    chosen = {id(point) for point in worth[:room]}
    return tuple(_unique_points([*pinned, *(point for point in held if id(point) in chosen)]))


def _point_key(point: Point) -> tuple[str, str]:
    return point.kind, _plain(point.text)
