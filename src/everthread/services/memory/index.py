"""Keep the index up with the store: words at once, vectors behind the write."""

from __future__ import annotations

import logging
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.errors import (
    EmbedderFailed,
    IndexDamaged,
    MemoryUnknown,
    StoreFailed,
    StoreFull,
)
from everthread.domain.memory.memories import Memory
from everthread.domain.memory.notes import Note
from everthread.domain.recall.passages import passages
from everthread.domain.recall.search_text import (
    NOTES,
    memory_card,
    message_card,
    note_card,
    search_text,
    text_with_speaker,
)
from everthread.ports import Catalogue, Embedder, Filing, House, IndexProgress, Records

if TYPE_CHECKING:
    from everthread.ports.index import Vectors

log = logging.getLogger("everthread")

Progress = Callable[[int, int], None]

PAGE = 1_000
"""Messages filed at once: a reader of the index waits no longer than these take."""

LONG, FEW = 2_000, 200
"""Where messages have so many characters each, fewer are read at once: tool results come in runs."""

SHARE = 200
"""Cards that the worker embeds of one agent before it looks what else is due."""

AT_ONCE = 32
"""Vectors that somebody who asks is made to wait for: about a second of work."""

MOST_SECONDS = 5.0
"""However busy the machine is, they are made to wait no longer."""

BATCH = 8
"""Cards embedded between two looks at whether someone else needs the processor."""


def _go_on() -> None:
    return None


def catch_up(house: House, agent: AgentRow, pause: Callable[[], None] = _go_on) -> int:
    """File what was stored since; how many cards are new. What was recorded is found from here on."""
    try:
        return _file_new(house, agent, pause)
    except IndexDamaged:
        return _file_new(house, agent, pause)  # it is empty now: all of it is filed again


def _file_new(house: House, agent: AgentRow, pause: Callable[[], None]) -> int:
    scope = Scope(agent.ref)
    catalogue = house.index.of(agent)
    reached = catalogue.reached()
    head, _ = house.store.read(lambda r: r.timeline.head(scope))
    count = _share(house, scope, catalogue, reached)
    if head == reached.entry:
        return count
    threads = house.store.read(lambda r: _lasting_threads(r, scope))
    ahead = reached.entry > head or any(
        seq > threads.get(thread, -1) for thread, seq in reached.threads.items()
    )
    if ahead:
        # A thread was erased: no word of it may stay, and words cannot be taken out one by one. Or the
        # store is an older copy of itself.
        house.index.drop(agent)
        return _file_new(house, agent, pause)
    for thread, last in threads.items():
        after = reached.threads.get(thread, 0)
        if last > after:
            count += _file_thread(house, scope, catalogue, thread, after, pause)
    count += _file_memories(house, scope, catalogue, reached.entry)
    count += _file_notes(house, scope, catalogue, reached.entry)
    catalogue.file([], threads={}, entry=head)
    return count


def _lasting_threads(records: Records, scope: Scope) -> Mapping[int, int]:
    """Threads and their last seq. Ephemeral ones leave no trace, here neither."""
    return {t.ref: t.last_seq for t in records.threads.all(scope) if t.kind != "ephemeral"}


def _file_thread(
    house: House,
    scope: Scope,
    catalogue: Catalogue,
    thread: int,
    after: int,
    pause: Callable[[], None],
) -> int:
    size = PAGE

    def next_page(records: Records) -> Sequence[Message]:
        return records.messages.following(scope, thread, after=after, limit=size)

    count = 0
    while page := house.store.read(next_page):
        after = page[-1].seq
        count += catalogue.file(_filings(page), threads={thread: after})
        said = sum(len(message.content) for message in page)
        size = PAGE if said < LONG * len(page) else FEW
        pause()
    return count


def _filings(messages: Sequence[Message]) -> list[Filing]:
    texts = [(message, text_with_speaker(message)) for message in messages]
    return [Filing(message_card(message, text), text) for message, text in texts if text]


def _file_memories(house: House, scope: Scope, catalogue: Catalogue, after: int) -> int:
    def next_page(records: Records) -> Sequence[Memory]:
        return records.memories.since(scope, after, PAGE)

    count = 0
    while page := house.store.read(next_page):
        after = page[-1].entry
        known = catalogue.memories()
        gone = [m.ref for m in page if m.state != "kept" and m.ref in known]
        # What was superseded before, and taken out then, may have left its words.
        scrub = any(m.state == "forgotten" for m in page)
        if gone or scrub:
            catalogue.take_out(gone, scrub=scrub)
        kept = [Filing(memory_card(m), m.text) for m in page if m.state == "kept"]
        count += catalogue.file(kept, threads={})
    return count


def _file_notes(house: House, scope: Scope, catalogue: Catalogue, after: int) -> int:
    def next_page(records: Records) -> Sequence[Note]:
        return records.notes.since(scope, after, PAGE)

    count = 0
    while page := house.store.read(next_page):
        after = page[-1].entry
        known = catalogue.memories()
        gone = [NOTES + n.ref for n in page if n.deleted_ms is not None]
        if known.keys() & set(gone):
            catalogue.take_out(gone, scrub=True)
        kept = [Filing(note_card(n), n.text) for n in page if n.deleted_ms is None]
        count += catalogue.file(kept, threads={})
    return count


def _share(house: House, scope: Scope, catalogue: Catalogue, reached: IndexProgress) -> int:
    """File what other agents share with everyone, and take out what they no longer do."""
    shared = [
        m for m in house.store.read(lambda r: r.memories.user_wide()) if _is_foreign(m, scope)
    ]
    mark = zlib.crc32(repr([(m.ref, m.entry) for m in shared]).encode()) if shared else 0
    if mark == reached.shared:
        return 0
    wanted = {m.ref for m in shared}
    held = [ref for ref, place in catalogue.memories().items() if place < 0]
    gone = [ref for ref in held if ref not in wanted]
    if gone:
        fresh = [m for m in shared if m.ref not in held]
        superseded = house.store.read(lambda r: _superseded_refs(r, fresh))
        catalogue.take_out(gone, scrub=not superseded.issuperset(gone))
    filings = [Filing(memory_card(m, foreign=True), m.text) for m in shared]
    return catalogue.file(filings, threads={}, shared=mark)


def _superseded_refs(records: Records, by: Sequence[Memory]) -> set[int]:
    """What these took the place of, and nobody forgot."""
    old = [one for m in by for one in records.memories.predecessors(Scope(m.agent_ref), m)]
    return {one.ref for one in old if one.state == "superseded"}


def _is_foreign(memory: Memory, scope: Scope) -> bool:
    return memory.agent_ref != scope.agent


def _ignore_cards(_cards: int) -> None:
    return None


def embed_waiting(
    house: House,
    agent: AgentRow,
    pause: Callable[[], None],
    passed: Callable[[int], None] = _ignore_cards,
    *,
    most: int | None = None,
) -> int:
    """Embed cards that have no vectors yet, newest first, at most so many; how many were done."""
    embedder = house.embedder
    if embedder is None:
        return 0
    catalogue = house.index.of(agent)
    done = 0
    pause()  # to load the model takes long: first ask whether there is time
    while waiting := catalogue.unembedded(embedder.name, limit=BATCH):
        texts = house.store.read(partial(_passages, Scope(agent.ref), catalogue, waiting))
        vectors = [(card, _vectors(embedder, texts.get(card, []), pause)) for card in waiting]
        catalogue.embed(embedder.name, vectors)
        done += len(waiting)
        passed(len(waiting))
        if most is not None and done >= most:
            break
    return done


def follow(
    house: House,
    agent: AgentRow,
    pause: Callable[[], None] = _go_on,
    *,
    progress: Progress | None = None,
) -> int:
    """Catch up in words, then in vectors; how many cards that took."""
    done = catch_up(house, agent, pause)
    if house.embedder is None:
        return done
    counts = house.index.of(agent).counts(house.embedder.name)
    embedded = counts.embedded

    def passed(cards: int) -> None:
        nonlocal embedded
        embedded += cards
        if progress is not None:
            progress(min(embedded, counts.cards), counts.cards)

    return done + embed_waiting(house, agent, pause, passed)


def follow_few(house: House, agent: AgentRow) -> int:
    """Catch up, in vectors too if only a few are missing; how many texts still wait for theirs."""
    if house.embedder is None:
        return 0
    try:
        return embed_few(house, agent, most=AT_ONCE, seconds=MOST_SECONDS)
    except StoreFull:
        # Recall goes by words then, in an index that needs no disk.
        aside = replace(house, index=house.index.spare())
        catch_up(aside, agent)
        return _waiting(aside, agent)


def embed_few(house: House, agent: AgentRow, *, most: int, seconds: float) -> int:
    """Catch up; if at most so many texts have no vectors, make them within that time; how many still wait."""
    until = time.monotonic() + seconds
    catch_up(house, agent)
    waiting = _waiting(house, agent)
    if not 0 < waiting <= most:
        return waiting
    # Others may add to them all the while: those are no business of who asked before.
    done = 0
    while done < waiting and time.monotonic() < until:
        step = embed_waiting(house, agent, _go_on, most=BATCH)
        if not step:
            break
        done += step
    return _waiting(house, agent)


def _waiting(house: House, agent: AgentRow) -> int:
    if house.embedder is None:
        return 0
    counts = house.index.of(agent).counts(house.embedder.name)
    return counts.cards - counts.embedded


def follow_all(house: House, pause: Callable[[], None]) -> bool:
    """For every agent a share of keeping up; whether all of it is done.

    An index that cannot be written must not hold up those of the others.
    """
    done = True
    for agent in house.store.read(lambda r: r.agents.all()):
        try:
            catch_up(house, agent, pause)
            done &= embed_waiting(house, agent, pause, most=SHARE) < SHARE
        except (StoreFailed, EmbedderFailed) as error:
            log.warning("the index of %s waits: %s", agent.name, error)
    return done


def check_all(house: House, pause: Callable[[], None]) -> None:
    """Look at every index; what is not sound is dropped, and made anew by whoever comes next."""
    for agent in house.store.read(lambda r: r.agents.all()):
        house.index.check(agent)
        pause()


def _vectors(embedder: Embedder, texts: Sequence[str], pause: Callable[[], None]) -> Vectors:
    """One by one: each takes long enough to let others go first in between."""
    import numpy as np  # noqa: PLC0415 - slow to load, and only recall needs it

    rows = np.zeros((len(texts), embedder.dimensions), dtype=np.float32)
    for row, text in enumerate(texts):
        rows[row] = embedder.embed([text])[0]
        pause()
    return rows


def _passages(
    scope: Scope, catalogue: Catalogue, ids: Sequence[int], records: Records
) -> Mapping[int, list[str]]:
    """What is embedded of these cards; nothing of one whose text is gone."""
    cards = catalogue.cards(ids)
    places = [card.id for card in cards if card.kind == "message"]
    said = records.messages.placed(scope, places)
    found = {message_card(m, "").id: passages(search_text(m), m.name) for m in said}
    learnt = [card for card in cards if card.kind != "message"]
    shared = {m.ref: m for m in records.memories.user_wide()} if learnt else {}
    for card in learnt:
        if card.kind == "note":
            told = records.notes.get(scope, card.id - NOTES)
        else:
            told = memory_of(records, scope, card.id, shared)
        found[card.id] = [] if told is None else passages(told.text)
    return found


def memory_of(
    records: Records, scope: Scope, ref: int, shared: Mapping[int, Memory]
) -> Memory | None:
    """The memory behind a card; None if another agent has taken it back since the card was read."""
    if ref in shared:
        return shared[ref]
    with suppress(MemoryUnknown):
        return records.memories.get(scope, ref)
    return None
