"""Forget: by id, without showing a word. Every version goes, and what it came from is withheld."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.errors import IndexDamaged
from everthread.domain.forgetting.marks import marks_of
from everthread.domain.forgetting.unsaid import Unsaid
from everthread.domain.ids import id_text
from everthread.domain.memory.memories import Memory, State
from everthread.domain.recall.findable import findable
from everthread.domain.text.sayings import echoed
from everthread.domain.text.words import query_words
from everthread.ports import House, Records
from everthread.services.archive.sources import messages_named
from everthread.services.chores import ERASURE, SETTLE
from everthread.services.memory.index import catch_up
from everthread.services.memory.memories import find_memory

from .erase import unfile
from .unsay import Plan, Unwritten, clear, gone_of, out_of_files, settled, unsay

log = logging.getLogger("everthread")

MOST_ECHOES = 50

ALL = 1 << 62
LIVING: tuple[State, ...] = ("kept", "superseded")

PAGE = 500
"""Messages read at once where the index cannot tell which of them to look at."""


class Forgotten(NamedTuple):
    """What was forgotten: ids and numbers, no text."""

    id: str
    versions: int
    withheld: int
    out: bool = True
    """Is it out of every file? What a person edited stays there, and a disk may fail for a while."""


def forget(
    house: House, agent: AgentRow, name: str, *, messages: Sequence[Message | str] = ()
) -> Forgotten:
    """Forget the memory of that id, or unique ending of one, with all its versions.

    The messages it came from are withheld, those that plainly say the same, and whatever else the
    caller names. It leaves every summary and what was written of it. Forgetting what is forgotten
    changes nothing.
    """
    scope = Scope(agent.ref)
    echoes = [message.key for message in _echoes(house, agent, name)]

    def seen(records: Records) -> Unsaid:
        versions = records.memories.lineage(scope, find_memory(records, scope, name))
        named = [message.key for message in messages_named(records, scope, messages)]
        sources = [source for version in versions for source in version.sources]
        texts = [version.text for version in versions]
        return gone_of(records, scope, texts, [*named, *echoes, *sources])

    def work(records: Records, plan: Plan) -> _Done:
        now = house.clock.now()
        records.memories.hold(scope)
        memory = find_memory(records, scope, name)
        versions = records.memories.lineage(scope, memory)
        living = [v for v in versions if v.state != "forgotten"]
        for version in living:
            records.memories.forget(scope, version, now=now)
        named = [message.key for message in messages_named(records, scope, messages)]
        said = [*named, *echoes]
        records.memories.withhold(scope, memory, said, "forgotten")
        records.injections.withhold(said, now=now)
        left = clear(house, records, agent, gone, plan, [v.key_id for v in living])
        if living:
            # The words must not linger in a log either; where that has to wait, it is retried.
            records.jobs.add(SETTLE, "{}", due_at=now, now=now, once=ERASURE)
        told = Forgotten(id_text(memory.key_id), len(living), _count(living, said))
        return _Done(told, living, left)

    gone = house.store.read(seen)
    done = settled(house, agent, gone, work)
    out = out_of_files(house, agent, gone, done.left)
    # Also where a disk failed: other agents have theirs.
    out = _unshared(house, agent, done.versions) and out
    _unfiled(house, agent, done.versions)
    return done.told._replace(out=out)


class _Done(NamedTuple):
    told: Forgotten
    versions: Sequence[Memory]
    left: Unwritten


def _unshared(house: House, agent: AgentRow, versions: Sequence[Memory]) -> bool:
    """What reached user-wide may have been told to other agents, remembered and distilled there."""
    texts = [version.text for version in versions if version.reach == "user"]
    others = house.store.read(lambda r: r.agents.all()) if texts else ()
    return all([_unsaid_of(house, other, texts) for other in others if other.ref != agent.ref])


def _unsaid_of(house: House, other: AgentRow, texts: Sequence[str]) -> bool:
    scope = Scope(other.ref)

    def same(records: Records) -> list[Memory]:
        living = [
            m for state in LIVING for m in records.memories.all(scope, state=state, limit=ALL)
        ]
        own = (memory for memory in living if memory.agent_ref == other.ref)
        return [memory for memory in own if any(echoed(text, memory.text) for text in texts)]

    def work(records: Records) -> list[bytes]:
        records.memories.hold(scope)
        found = same(records)
        for memory in found:
            records.memories.forget(scope, memory, now=house.clock.now())
        return [memory.key_id for memory in found]

    went = house.store.write(work) if house.store.read(same) else ()
    return unsay(house, other, texts, (), memories=went)


def _echoes(house: House, agent: AgentRow, name: str) -> list[Message]:
    """Messages that say the same as the memory, though nobody noted that it came from them."""
    scope = Scope(agent.ref)
    versions = house.store.read(lambda r: r.memories.lineage(scope, find_memory(r, scope, name)))
    texts = {version.text for version in versions if version.text}
    try:
        pages = [_indexed(house, agent, text) for text in texts]
        return _saying(texts, pages)
    except Exception as trouble:  # noqa: BLE001 - nobody's wish to forget waits for what is derived
        log.warning("the index cannot tell what says the same, so all is read: %s", trouble)
        return _saying(texts, _everything(house, scope))


def _saying(texts: Iterable[str], pages: Iterable[Sequence[Message]]) -> list[Message]:
    """Those that say one of the texts, each once."""
    found: dict[bytes, Message] = {}
    wanted = [(text, marks_of(text)) for text in texts]
    for page in pages:
        for message in page:
            said = findable(message)
            if any(marks.may_be_echoed(said) and echoed(text, said) for text, marks in wanted):
                found[message.key] = message
    return list(found.values())


def _indexed(house: House, agent: AgentRow, text: str) -> Sequence[Message]:
    places = _places(house, agent, text)
    return house.store.read(lambda r: r.messages.placed(Scope(agent.ref), places))


def _everything(house: House, scope: Scope) -> Iterator[Sequence[Message]]:
    """All that was said to the agent, page by page: slow, and in need of no index."""
    for thread in house.store.read(lambda r: r.threads.all(scope)):
        after = 0
        while page := house.store.read(partial(_page, scope, thread.ref, after)):
            after = page[-1].seq
            yield page


def _page(scope: Scope, thread: int, after: int, records: Records) -> Sequence[Message]:
    return records.messages.following(scope, thread, after=after, limit=PAGE)


def _places(house: House, agent: AgentRow, text: str) -> list[int]:
    """Where the index finds messages with the words of the text."""
    catch_up(house, agent)
    catalogue, words = house.index.of(agent), query_words(text)
    try:
        hits = catalogue.search(words, limit=MOST_ECHOES)
    except IndexDamaged:
        catch_up(house, agent)  # it was thrown away, and is made anew first
        hits = catalogue.search(words, limit=MOST_ECHOES)
    return [c.id for c in catalogue.cards(card for card, _ in hits) if c.kind == "message"]


def _unfiled(house: House, agent: AgentRow, versions: Sequence[Memory]) -> None:
    """No index may hold a word of it any longer; what reached user-wide is in every agent's."""
    shared = any(version.reach == "user" for version in versions)
    unfile(house, house.store.read(lambda r: r.agents.all()) if shared else (agent,))


def _count(versions: Sequence[Memory], echoes: Sequence[bytes]) -> int:
    return len({*echoes, *(source for version in versions for source in version.sources)})
