"""What a line of a summary is worth beside the others: by its kind, by who tells it, and by when it was said.

Of each kind the next one is worth less than the one before, so no kind takes all the room, and a small
budget still tells of every kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from everthread.domain.gleaning.digest import ASKS, WORDS, Digest, Point, Trace
from everthread.domain.gleaning.points import lasting_weight
from everthread.domain.gleaning.trace_weight import trace_value
from everthread.domain.text.attributes import states_attribute
from everthread.domain.text.only_asking import only_asks
from everthread.domain.text.patterns import lazy_pattern

WORTH: Mapping[str, float] = {
    "rule": 1.2, "open_item": 1.0, "request": 1.0, "words": 0.8, "correction": 0.9, "identity": 0.8,
    "preference": 0.75, "decision": 0.9, "failure": 0.6, "done": 0.65, "state": 0.6, "fact": 0.5,
    "tone": 0.6, "file": 0.48, "command": 0.3, "error": 0.36, "number": 0.24, "identifier": 0.15,
    "url": 0.21, "person": 0.24,
}  # fmt: skip
"""What one of a kind is worth beside one of another."""

AGENT: Mapping[str, float] = {"fact": 0.4, "failure": 0.4, "state": 0.5, "done": 0.8}
"""What one that an agent tells is worth of what its kind is: much of what it found its own next step
overtakes, while what a person asked and decided is what the work is for. `PERSON` counts besides."""

LATER: Mapping[str, float] = {"decision": 0.4, "fact": 0.35, "words": 0.1, "request": 0.25}
"""How much less the first of a kind is worth than the last. People change what they said, mostly in words by
which nobody but a reader knows it; told both, the later is read last, and told one, it should be that."""

OPENING = 0.7
"""The place, from first (0) to last (1), as which what opened the talk counts: by it one knows the rest."""

SOON: Mapping[str, int] = {"request": 40, "words": 40, "file": 40, "command": 40, "error": 25}
SOON_OTHERS = 15
"""After so many of its kind the next is worth half."""

PRICE = 0.6
"""How strongly the cost counts: 1 would fill the summary with its shortest lines."""

ALIKE = 3
"""After so many that differ only in their figures the next is worth half: forty bookings must not hide
the one sentence beside them."""

PERSON = 2.0
"""What a fact, a choice, a fault, or what is still to be done, is worth that a person tells, beside one that
the agent does."""

ONLY_ASKED = 0.6
"""What a question is worth that was answered, beside an order that was carried out: nothing follows from
it, and what came of it is told by what was said then."""

ALSO_ASKED = 0.9
"""The same of what asks in the end, and told or wanted something before, or asks for work."""

FIRST = 2.0
"""What the best of its kind is worth beside the next: a small summary tells of every kind."""

UNTRACED = 1.55
"""What a report of work is worth beside one that names a listed file: nothing else tells of that work."""

READ_ONLY = 0.45
"""What a file that was only read or named is worth beside one that was changed."""

PART = 320
"""Characters of a part: what is told whole is worth as many parts as it is long."""

_FIGURES = lazy_pattern(r"\d+")
_ERROR_NAMES = lazy_pattern(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\d+")
_TOLD = frozenset({"fact", "decision", "failure", "open_item"})


def listed_files(digest: Digest) -> frozenset[str] | None:
    """The files that are listed, by their whole names and by the last part of them.

    None where changed files and errors tell of half of the work and more: then the traces come first.
    """
    told = sum(point.kind == "done" for point in digest.points)
    traced = sum(_is_changed(trace) or bool(trace.ran) for trace in digest.ledger)
    if 2 * traced >= told:
        return None
    listed = [trace.text for trace in digest.ledger if trace.kind == "file"]
    return frozenset((*listed, *(name.rpartition("/")[2] for name in listed)))


def _is_untraced(item: Point | Trace, files: frozenset[str]) -> bool:
    """Is it a report of work that names no file of the list?"""
    if not isinstance(item, Point) or item.kind != "done":
        return False
    return files.isdisjoint(word.strip("`'\"*.,:;()") for word in item.text.split())


def rank_items(
    items: Sequence[Point | Trace], files: frozenset[str] | None
) -> Iterator[tuple[Point | Trace, float]]:
    """Every item with what it is worth, the next of a kind less than the one before."""
    kinds: dict[str, list[Point | Trace]] = {}
    for item in items:
        kinds.setdefault(item.kind, []).append(item)
    opened = min((item.at_ms for item in items if isinstance(item, Point)), default=0)
    for kind, own in kinds.items():
        last = max(len(own) - 1, 1)
        places = (OPENING if item.at_ms == opened else n / last for n, item in enumerate(own))
        worth = [
            (_worth(item) * _in_time(item, place), n, item)
            for n, (item, place) in enumerate(zip(own, places, strict=True))
        ]
        worth = _lower_repeats(worth)
        half = SOON.get(kind, SOON_OTHERS)
        for rank, (each, _, item) in enumerate(sorted(worth, key=lambda w: (-w[0], -w[1]))):
            more = UNTRACED if files is not None and _is_untraced(item, files) else 1.0
            yield item, each * more * (1 if rank else FIRST) / (1 + rank / half)


def _in_time(item: Point | Trace, place: float) -> float:
    """How well one of a kind lasts by its place from first (0) to last (1).

    What a person says that something is lasts: where it is told anew, the earlier is gone already.
    """
    less = LATER.get(item.kind)
    if isinstance(item, Point) and (item.kind, item.by) == ("fact", "user"):
        less = None if states_attribute(item.text) else less
    return lasting_weight(place) if less is None else 1 - less * (1 - place)


def _lower_repeats(
    worth: Sequence[tuple[float, int, Point | Trace]],
) -> list[tuple[float, int, Point | Trace]]:
    """The same, and of what differs only in its figures the next is worth less than the one before."""
    seen: Counter[str] = Counter()
    told: list[tuple[float, int, Point | Trace]] = []
    for each, n, item in sorted(worth, key=lambda w: (-w[0], -w[1])):
        shape = _shape(item)
        told.append((each / (1 + seen[shape] / ALIKE), n, item))
        seen[shape] += bool(shape)
    return told


def _shape(item: Point | Trace) -> str:
    """What a fact says but for its figures, or the line that a number stands in, and an error but for what
    it names as well; of what was asked, done and decided each counts for itself.
    """
    if item.kind == "error":
        return _ERROR_NAMES.sub("#", item.text)
    if isinstance(item, Trace) and item.kind == "number":
        return _FIGURES.sub("#", item.note).casefold()
    if item.kind != "fact":
        return ""
    found = _FIGURES.sub("#", item.text)
    return found.casefold() if found != item.text else ""


def _worth(item: Point | Trace) -> float:
    if isinstance(item, Point):
        told = PERSON if item.kind in _TOLD and item.by == "user" else 1.0
        if item.kind == "request" and item.text.endswith(ASKS):
            told = ONLY_ASKED if only_asks(item.text) else ALSO_ASKED
        if item.kind == WORDS:
            told = max(1.0, len(item.text) / PART) ** PRICE
        if item.by == "agent":
            told *= AGENT.get(item.kind, 1.0)
        return WORTH[item.kind] * told * (0.1 + item.weight)
    share = READ_ONLY if item.kind == "file" and not _is_changed(item) else 1.0
    return WORTH[item.kind] * share * (0.5 + 0.5 * trace_value(item))


def _is_changed(trace: Trace) -> bool:
    """Is it a file that was changed?"""
    return trace.kind == "file" and trace.note.startswith(("edited", "created", "deleted"))
