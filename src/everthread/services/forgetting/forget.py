"""Forget: by id, without showing a word. Every version and twin goes; what it came from is withheld."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.errors import IndexDamaged
from everthread.domain.forgetting.marks import marks_of
from everthread.domain.forgetting.restated import of_another
from everthread.domain.forgetting.unsaid import Unsaid
from everthread.domain.ids import id_text
from everthread.domain.memory.memories import Memory
from everthread.domain.recall.findable import findable
from everthread.domain.text.sayings import echoed
from everthread.domain.text.words import query_words
from everthread.ports import House, Records
from everthread.services.archive.sources import messages_named
from everthread.services.chores import ERASURE, SETTLE, UNSHARE
from everthread.services.memory.index import catch_up
from everthread.services.memory.memories import find_memory
from everthread.services.memory.whose import whose

from .erase import unfile
from .family import family
from .unsay import Plan, Unwritten, clear, gone_of, out_of_files, settled
from .unshare import ask_unshare, unshare

log = logging.getLogger("everthread")

MOST_ECHOES = 50

PAGE = 500
"""Messages read at once where the index cannot tell which of them to look at."""


class Forgotten(NamedTuple):
    """What was forgotten: ids and numbers, no text."""

    id: str
    versions: int
    withheld: int
    """Messages that are found no more, those of other agents too."""
    out: bool = True
    """Is it out of every file? What a person edited stays there, and a disk may fail for a while."""
    beside: int = 0
    """Memories that went with it: those of any agent that restate what reached user-wide, and what tasks
    had left of it."""


def forget(
    house: House, agent: AgentRow, name: str, *, messages: Sequence[Message | str] = ()
) -> Forgotten:
    """Forget the memory of that id, or unique ending of one, with all its versions.

    The messages it came from are withheld, those that plainly say the same, and whatever else the
    caller names. It leaves every summary and what was written of it. What reached user-wide leaves
    every agent, with what else restates it there. Forgetting what is forgotten changes nothing.
    """
    scope = Scope(agent.ref)
    known = house.store.read(lambda r: family(r, scope, find_memory(r, scope, name)))
    echoes = [message.key for message in _echoes(house, agent, known.versions)]

    def seen(records: Records) -> Unsaid:
        versions = family(records, scope, find_memory(records, scope, name), known).versions
        named = [message.key for message in messages_named(records, scope, messages)]
        sources = [source for version in versions for source in version.sources]
        texts = [version.text for version in versions]
        return gone_of(records, scope, texts, [*named, *echoes, *sources])

    def work(records: Records, plan: Plan) -> _Done:
        now = house.clock.now()
        records.memories.hold(scope)
        memory = find_memory(records, scope, name)
        versions = family(records, scope, memory, known).versions
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
        told = Forgotten(id_text(memory.key_id), len(living), 0, beside=left.mirrored)
        job = ask_unshare(house, records, agent, living)
        return _Done(told, living, frozenset((*said, *_sources(living))), left, job)

    gone = house.store.read(seen)
    done = settled(house, agent, gone, work)
    out = out_of_files(house, agent, gone, done.left)
    told = _also_elsewhere(house, done, out=out)  # also where a disk failed
    _unfiled(house, agent, done.versions)
    return told


def _also_elsewhere(house: House, done: _Done, *, out: bool) -> Forgotten:
    """What reached user-wide leaves the other agents, too."""
    elsewhere = unshare(house, done.versions)
    if done.job:
        house.store.write(lambda r: r.jobs.cancel(UNSHARE, once=done.job))
    return done.told._replace(
        withheld=len(done.messages | elsewhere.messages),
        out=out and elsewhere.out,
        beside=done.told.beside + elsewhere.memories,
    )


class _Done(NamedTuple):
    told: Forgotten
    versions: Sequence[Memory]
    messages: frozenset[bytes]
    left: Unwritten
    job: str = ""
    """Which sees to other agents, should nobody else."""


def _echoes(house: House, agent: AgentRow, versions: Sequence[Memory]) -> list[Message]:
    """Messages that say the same as the memory, though nobody noted that it came from them."""
    scope = Scope(agent.ref)

    def wanted(records: Records) -> set[tuple[str, str | None]]:
        return {
            (v.text, v.principal or whose(records, scope, v.sources)) for v in versions if v.text
        }

    texts = house.store.read(wanted)
    try:
        pages = [_indexed(house, agent, text) for text, _ in texts]
        return _saying(texts, pages)
    except Exception as trouble:  # noqa: BLE001 - nobody's wish to forget waits for what is derived
        log.warning("the index cannot tell what says the same, so all is read: %s", trouble)
        return _saying(texts, _everything(house, scope))


def _saying(
    texts: Iterable[tuple[str, str | None]], pages: Iterable[Sequence[Message]]
) -> list[Message]:
    """Those that say one of the texts, each once. Of a certain person's, not what another one said."""
    found: dict[bytes, Message] = {}
    wanted = [(text, person, marks_of(text)) for text, person in texts]
    for page in pages:
        for message in page:
            said = findable(message)
            if any(
                marks.may_be_echoed(said)
                and (person is None or not of_another(message, person))
                and echoed(text, said)
                for text, person, marks in wanted
            ):
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


def _sources(versions: Sequence[Memory]) -> Iterator[bytes]:
    return (source for version in versions for source in version.sources)
