"""Told endings: the memories that a model says no longer hold, ended by a person's words.

Where something that was said there takes their place they are superseded by it, else they have an end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.drafts import Ending
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.given.usefulness import telling_words
from everthread.domain.gleaning.digest import Digest, Point, mark_of
from everthread.domain.gleaning.points import GONE
from everthread.domain.memory.memories import Memory, is_valid
from everthread.domain.memory.merging import may_replace, same_readers
from everthread.domain.text.sayings import likeness_of
from everthread.ports import Records
from everthread.services.archive.sources import messages_of
from everthread.services.memory.provenance import said_times
from everthread.services.memory.remember import replace

from .effects import BECAUSE, Effect, effect_of, has_ended

_FACTS = frozenset({"fact", "done", "failure"})
"""What is kept as a fact."""


def tells(memory: Memory, point: Point) -> bool:
    """Was the memory drawn from the point? Of a long one it holds the beginning."""
    if memory.kind != point.kind and not (memory.kind == "fact" and point.kind in _FACTS):
        return False
    if set(memory.sources).isdisjoint(point.sources):
        return False
    return point.text.startswith(memory.text) or likeness_of(memory.text, point.text) is not None


def retire_points(digest: Digest, ended: Iterable[tuple[Memory, Ending]]) -> Digest:
    """The digest without what told the ended memories, which is known as gone from now on.

    What rests on the words that ended them tells of that, however much it repeats.
    """
    pairs = [*ended]
    gone = {
        point
        for point in digest.points
        for memory, ending in pairs
        if ending.because not in point.sources and tells(memory, point)
    }
    if not gone:
        return digest
    marks = (*digest.gone, *(mark_of(point) for point in digest.points if point in gone))
    left = tuple(point for point in digest.points if point not in gone)
    return digest._replace(points=left, gone=marks[-GONE:])


def endings_of(receipt: Receipt) -> list[Ending]:
    """Those that the receipt put down."""
    effects = receipt.detail.get("effects", ())
    told = (effect for effect in effects if BECAUSE in effect)
    return [Ending(bytes.fromhex(e["memory"]), bytes.fromhex(e[BECAUSE])) for e in told]


def heirs_of(endings: Sequence[Ending], kept: Iterable[Memory]) -> list[int]:
    """The memories that were drawn before from the messages in which others ended."""
    words = {ending.because.hex() for ending in endings}
    return [m.ref for m in kept if words and any(word in m.sources_json for word in words)]


def end_told(
    records: Records,
    scope: Scope,
    endings: Sequence[Ending],
    came: Iterable[int],
    effects: list[Effect],
    *,
    now: int,
) -> list[Effect]:
    """End what a model named, in the transaction of the distillation; its effects with those of that.

    `came`: what was drawn from the messages, now or before.
    """
    return _ToldEndings(records, scope, came, now=now).end(endings, effects) if endings else effects


class _ToldEndings:
    def __init__(self, records: Records, scope: Scope, came: Iterable[int], *, now: int) -> None:
        self._records = records
        self._scope = scope
        self._now = now
        self._came = [records.memories.get(scope, ref) for ref in dict.fromkeys(came)]
        """As it is by now."""

    def end(self, endings: Sequence[Ending], effects: Sequence[Effect]) -> list[Effect]:
        """The effects with those of the endings. What was ended by its words already is told why."""
        told = [*effects]
        place = {effect["memory"]: n for n, effect in enumerate(told)}
        for ending, message in self._said(endings):
            n = place.get(ending.memory.hex())
            effect = self._end_one(ending, message) if n is None else told[n]
            if effect is None or not has_ended(effect):
                continue
            because = {**effect, BECAUSE: message.key.hex()}
            if n is None:
                told.append(because)
            else:
                told[n] = because
        return told

    def _said(self, endings: Sequence[Ending]) -> Iterator[tuple[Ending, Message]]:
        """With the messages that are there and may be known; what was forgotten ends nothing."""
        found = messages_of(self._records, self._scope, [ending.because for ending in endings])
        withheld = self._records.memories.withheld(self._scope)
        for ending in endings:
            message = found.get(ending.because)
            if message is not None and withheld.get(message.key) != "forgotten":
                yield ending, message

    def _end_one(self, ending: Ending, message: Message) -> Effect | None:
        """What became of it; None where it does not hold any more, or was said again since."""
        records, scope = self._records, self._scope
        memory = records.memories.find(scope, ending.memory)
        if memory is None:
            return None
        until = max(message.at_ms, memory.updated_ms)
        said = said_times(records, scope, [memory])[memory.key_id]
        if said >= message.at_ms or not is_valid(memory, at=until):
            return None
        heir = self._heir(memory, message)
        if heir is None:
            after = records.memories.bound(scope, memory, until=until, now=self._now)
        else:
            (after,) = replace(records, scope, heir, [memory], now=self._now)
        return effect_of(after, memory)

    def _heir(self, memory: Memory, message: Message) -> Memory | None:
        """What was said there and takes its place: of several what has most words in common with it."""
        words = telling_words(memory.text).all
        fit = [m for m in self._came if message.key in m.sources and self._may_inherit(m, memory)]
        best = max(fit, key=lambda m: len(words & telling_words(m.text).all), default=None)
        shares = best is not None and not words.isdisjoint(telling_words(best.text).all)
        return best if shares else None

    def _may_inherit(self, heir: Memory, memory: Memory) -> bool:
        holds = is_valid(heir, at=self._now)
        return holds and same_readers(heir, memory) and may_replace(heir, memory)
