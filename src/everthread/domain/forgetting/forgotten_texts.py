"""What is to be said no more, and how it leaves what was carried forward of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.receipts import Sentence
from everthread.domain.given.working_state import MOST, TITLE, WorkingState
from everthread.domain.gleaning.digest import Digest, Point, Trace
from everthread.domain.gleaning.offers import ChoiceState, Offer, PeerStatement
from everthread.domain.recall.search_text import search_text
from everthread.domain.support.support import verdict
from everthread.domain.text.fences import flatten
from everthread.domain.text.sayings import is_echoed, likeness_of

from .marks import MarkedTexts

Became = Mapping[Point | Trace, Point | Trace | None]
"""What of a digest does not stay as it is, each with what is left of it."""

Still = Callable[[Sequence[bytes]], Sequence[Message]]
"""The messages of these ids."""


class ForgottenTexts(NamedTuple):
    """Texts that were forgotten, and the messages that said them."""

    texts: tuple[str, ...]
    said: frozenset[bytes] = frozenset()
    words: tuple[str, ...] = ()
    """What those messages say, each on one line."""

    def tells(self, text: str) -> bool:
        """Does it say one of the texts, or a good part of one?"""
        return any(_tells_text(text, gone) for gone in self.texts)

    def names(self, sources: str) -> bool:
        """Is one of those messages among these sources, as they are stored?"""
        return any(key.hex() in sources for key in self.said)

    def came_from(self, text: str) -> bool:
        """Is it a piece of what those messages say?"""
        piece = flatten(text).rstrip("…").strip().casefold()
        return bool(piece) and any(piece in words for words in self.words)


def _tells_text(text: str, gone: str) -> bool:
    if is_echoed(gone, text) or is_echoed(text, gone):
        return True
    return likeness_of(text, gone, cased=False) is not None


class CachedForgottenTexts(ForgottenTexts):
    """What is gone, and what it was asked before: digests and checkpoints carry the same sentences on."""

    def tells(self, text: str) -> bool:
        if text not in self._known:
            near = (self.texts[n] for n in self._marks.told_by(text))
            self._known[text] = any(_tells_text(text, gone) for gone in near)
        return self._known[text]

    def names(self, sources: str) -> bool:
        return any(key in sources for key in self._keys)

    @cached_property
    def _known(self) -> dict[str, bool]:
        return {}

    @cached_property
    def _marks(self) -> MarkedTexts:
        return MarkedTexts(self.texts)

    @cached_property
    def _keys(self) -> list[str]:
        return [key.hex() for key in self.said]


def forgotten_of(
    texts: Sequence[str], messages: Sequence[Message], keys: Sequence[bytes]
) -> ForgottenTexts:
    """These texts, and what was said by these messages; `keys`: also of messages that are gone."""
    words = tuple(flatten(search_text(message)).casefold() for message in messages)
    said = frozenset((*keys, *(message.key for message in messages)))
    return CachedForgottenTexts(tuple(text for text in texts if text), said, words)


class Sieve:
    """Digests without what is gone. What became of a point is kept: the next digest carries it too."""

    def __init__(self, gone: ForgottenTexts, still: Still) -> None:
        self._gone = gone
        self._still = still
        self._points: dict[Point, Point | None] = {}
        self._traces: dict[Trace, Trace | None] = {}

    def without(self, digest: Digest) -> Digest:
        """The digest without what came from those messages alone, and without what says the same.

        What other messages bear out too stays, and names those alone.
        """
        return self.parted(digest)[0]

    def parted(self, digest: Digest) -> tuple[Digest, Became]:
        """The same, and what of the digest does not stay as it is."""
        points = [(point, self._point(point)) for point in digest.points]
        traces = [(trace, self._trace(trace)) for trace in digest.ledger]
        less = digest._replace(
            points=tuple([new for _, new in points if new is not None]),
            ledger=tuple([new for _, new in traces if new is not None]),
            choosing=_choices_without(digest.choosing, self._gone),
            put=tuple(put for put in digest.put if not _peer_tells(put, self._gone)),
        )
        if less == digest:
            return digest, {}
        less = less._replace(people=_people_without(digest, less))
        return less, {old: new for old, new in (*points, *traces) if new != old}

    def _point(self, point: Point) -> Point | None:
        if point not in self._points:
            self._points[point] = _point_without(point, self._gone, self._still)
        return self._points[point]

    def _trace(self, trace: Trace) -> Trace | None:
        if trace not in self._traces:
            self._traces[trace] = _trace_without(trace, self._gone, self._still)
        return self._traces[trace]


def _people_without(digest: Digest, less: Digest) -> tuple[str, ...]:
    """Who spoke, without those of whose words nothing is left."""
    lost = {point.name for point in digest.points} - {point.name for point in less.points}
    return tuple(name for name in digest.people if name not in lost)


def _point_without(point: Point, gone: ForgottenTexts, still: Still) -> Point | None:
    if gone.tells(point.text):
        return None
    left = _sources_without(point.sources, gone)
    if len(left) == len(point.sources):
        return point
    if not left:
        return None
    kept = point._replace(sources=left)
    # How somebody speaks is read off many messages: no single one has to bear it out.
    if point.kind == "tone":
        return kept
    held = verdict(point.text, still(left), by=point.by, verbatim=point.verbatim)
    return kept if held.supported else None


def _trace_without(trace: Trace, gone: ForgottenTexts, still: Still) -> Trace | None:
    if gone.tells(trace.text) or gone.tells(trace.note):
        return None
    left = _sources_without(trace.sources, gone)
    if len(left) == len(trace.sources):
        return trace
    wanted = flatten(trace.text).casefold()
    if not any(wanted in flatten(search_text(message)).casefold() for message in still(left)):
        return None
    note = "" if gone.came_from(trace.note) else trace.note
    return trace._replace(sources=left, note=note)


def _choices_without(choosing: ChoiceState | None, gone: ForgottenTexts) -> ChoiceState | None:
    """What is on offer, without lists that came from those messages or say the same."""
    if choosing is None:
        return None
    ahead = choosing.ahead
    return choosing._replace(
        offers=_offers_without(choosing.offers, gone),
        ahead=None if ahead is None else ahead._replace(offers=_offers_without(ahead.offers, gone)),
    )


def _peer_tells(put: PeerStatement, gone: ForgottenTexts) -> bool:
    return put.source in gone.said or gone.tells(put.text)


def _offers_without(offers: Sequence[Offer], gone: ForgottenTexts) -> tuple[Offer, ...]:
    return tuple(offer for offer in offers if not _offer_tells(offer, gone))


def _offer_tells(offer: Offer, gone: ForgottenTexts) -> bool:
    told = (offer.lead, *(item.text for item in offer.items))
    return offer.source in gone.said or any(map(gone.tells, told))


def _sources_without(sources: Sequence[bytes], gone: ForgottenTexts) -> tuple[bytes, ...]:
    return tuple(key for key in sources if key not in gone.said)


def tells_of(sentence: Sentence, gone: ForgottenTexts) -> bool:
    """Does a sentence of a summary, shown or struck, name those messages or say the same?"""
    return gone.names(sentence.sources_json) or gone.tells(sentence.text)


def state_without(state: WorkingState, gone: ForgottenTexts) -> WorkingState:
    """The working state without entries that say it, or that were taken from those messages."""

    lists: dict[str, tuple[str, ...]] = {
        name: tuple(entry for entry in getattr(state, name) if not _entry_tells(entry, gone))
        for name in MOST
    }
    task = "" if _entry_tells(state.current_task, gone) else state.current_task
    return state._replace(current_task=task, **lists)


def state_tells(block: str, gone: ForgottenTexts) -> bool:
    """Does the working state that a turn was given, as it stands in its block, tell it?"""
    _, found, rest = block.partition(f"| {TITLE}\n")
    lines = takewhile(lambda line: line.startswith("| "), rest.splitlines()) if found else ()
    entries = (entry for line in lines for entry in line.partition(": ")[2].split("; "))
    return any(_entry_tells(entry, gone) for entry in entries)


def _entry_tells(entry: str, gone: ForgottenTexts) -> bool:
    return gone.tells(entry) or gone.came_from(entry)
