"""Forget: by id, without showing a word. Every version and twin goes; what it came from is withheld."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.errors import IndexDamaged
from everthread.domain.forgetting.forgotten_texts import ForgottenTexts
from everthread.domain.forgetting.marks import MarkedTexts
from everthread.domain.forgetting.restatements import concerns_another
from everthread.domain.ids import id_text
from everthread.domain.memory.memories import Memory
from everthread.domain.recall.search_text import search_text
from everthread.domain.text.sayings import is_echoed
from everthread.domain.text.words import query_words
from everthread.ports import House, Records
from everthread.services.archive.sources import messages_named
from everthread.services.job_names import ERASURE, SETTLE, UNSHARE
from everthread.services.memory.index import catch_up
from everthread.services.memory.named import find_memory
from everthread.services.memory.ownership import principal_of
from everthread.services.memory.shared import versions_anywhere

from .erase import unfile
from .family import family
from .remains import delete_notes
from .replies import acknowledging_replies
from .unsay import PendingWrites, Plan, clear, clear_files, collect_unsaid, plan_and_apply
from .unshare import ask_unshare, unshare

log = logging.getLogger("everthread")

MOST_ECHOES = 50

PAGE = 500
"""Messages read at once where the index cannot tell which of them to look at."""


class ForgetResult(NamedTuple):
    """What was forgotten: ids and numbers, no text."""

    id: str
    versions: int
    withheld: int
    """Messages that are found no more, those of other agents too."""
    out: bool = True
    """Is it out of every file? What a person edited stays there, and a disk may fail for a while."""
    beside: int = 0
    """What went with it: memories that quote it, notes that are the same, memories of any agent that restate
    what reached user-wide, and what tasks had left of it."""


def forget(
    house: House, agent: AgentRow, name: object, *, messages: Sequence[Message | str] = ()
) -> ForgetResult:
    """Forget the memory of that id, or unique ending of one, with all its versions.

    The messages it came from are withheld, those that plainly say the same, the agent's replies that only
    say it again, and whatever else the caller names. It leaves every summary and what was written of
    it; notes that say just that go.
    What reached user-wide leaves every agent, with what else restates it there. Forgetting what is
    forgotten changes nothing.
    """
    scope = Scope(agent.ref)
    known = house.store.read(lambda r: family(r, scope, find_memory(r, scope, name)))
    echoes = _echoes(house, agent, known.versions)

    def seen(records: Records) -> ForgottenTexts:
        versions = family(records, scope, find_memory(records, scope, name), known).versions
        named = [message.key for message in messages_named(records, scope, messages)]
        sources = [source for version in versions for source in version.sources]
        texts = [version.text for version in versions]
        return collect_unsaid(records, scope, texts, [*named, *echoes, *sources])

    def work(records: Records, plan: Plan) -> _Done:
        now = house.clock.now()
        records.memories.hold(scope)
        memory = find_memory(records, scope, name)
        kin = family(records, scope, memory, known)
        living = [v for v in kin.members if v.state != "forgotten"]
        for version in living:
            records.memories.forget(scope, version, now=now)
        notes = delete_notes(records, scope, living, now=now)
        named = [message.key for message in messages_named(records, scope, messages)]
        said = [*named, *echoes]
        records.memories.withhold(scope, memory, said, "forgotten")
        records.injections.withhold(said, now=now)
        left = clear(house, records, agent, gone, plan, [v.key_id for v in living])
        if living:
            # The words must not linger in a log either; where that has to wait, it is retried.
            records.jobs.add(SETTLE, "{}", due_at=now, now=now, once=ERASURE)
        beside, versions = len(kin.quoting) + notes + left.mirrored, len(living) - len(kin.quoting)
        told = ForgetResult(id_text(memory.key_id), versions, 0, beside=beside)
        job = ask_unshare(house, records, agent, living)
        return _Done(told, living, frozenset((*said, *_sources(living))), left, job)

    gone = house.store.read(seen)
    done = plan_and_apply(house, agent, gone, work)
    out = clear_files(house, agent, gone, done.left)
    told = _unshare_versions(house, done, out=out)  # also where a disk failed
    _clear_indexes(house, agent, done.versions)
    return told


def forget_versions(house: House, agent: AgentRow, name: object) -> list[AgentRow]:
    """Forget it, with its versions at other agents, of which it took the place or which took its own.

    The agents at which something was forgotten.
    """
    scope = Scope(agent.ref)
    known = house.store.read(
        lambda r: versions_anywhere(r, scope, find_memory(r, scope, name)),
    )
    rows = {row.ref: row for row in house.store.read(lambda r: r.agents.all())}
    forget(house, agent, name)
    elsewhere = [one for one in known if one.agent_ref != agent.ref]
    for one in elsewhere:
        forget(house, rows[one.agent_ref], id_text(one.key_id))
    return [agent, *(rows[ref] for ref in dict.fromkeys(one.agent_ref for one in elsewhere))]


def _unshare_versions(house: House, done: _Done, *, out: bool) -> ForgetResult:
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
    told: ForgetResult
    versions: Sequence[Memory]
    messages: frozenset[bytes]
    left: PendingWrites
    job: str = ""
    """Which sees to other agents, should nobody else."""


def _echoes(house: House, agent: AgentRow, versions: Sequence[Memory]) -> list[bytes]:
    """Messages that say the same as the memory, though nobody noted that it came from them; and what the
    agent replied to these and to its sources, where that says the same in other words."""
    scope = Scope(agent.ref)

    def wanted(records: Records) -> set[tuple[str, str | None]]:
        return {
            (v.text, v.principal or principal_of(records, scope, v.sources))
            for v in versions
            if v.text
        }

    texts = house.store.read(wanted)
    found = [message.key for message in _plain_echoes(house, agent, texts)]
    said = dict.fromkeys((*found, *_sources(versions)))
    return [*found, *house.store.read(lambda r: acknowledging_replies(r, scope, texts, said))]


def _plain_echoes(
    house: House, agent: AgentRow, texts: Collection[tuple[str, str | None]]
) -> list[Message]:
    try:
        pages = [_messages_by_index(house, agent, text) for text, _ in texts]
        return _messages_saying(texts, pages)
    except Exception as trouble:  # noqa: BLE001 - nobody's wish to forget waits for what is derived
        log.warning("the index cannot tell what says the same, so all is read: %s", trouble)
        return _messages_saying(texts, _all_messages(house, Scope(agent.ref)))


def _messages_saying(
    texts: Iterable[tuple[str, str | None]], pages: Iterable[Sequence[Message]]
) -> list[Message]:
    """Those that say one of the texts, each once. Of a certain person's, not what another one said."""
    wanted = list(texts)
    marked = MarkedTexts([text for text, _ in wanted])
    found, looked_at = list[Message](), set[bytes]()
    for page in pages:
        new = {message.key: message for message in page if message.key not in looked_at}
        looked_at.update(new)
        found += [message for message in new.values() if _says_one(message, wanted, marked)]
    return found


def _says_one(
    message: Message, wanted: Sequence[tuple[str, str | None]], marked: MarkedTexts
) -> bool:
    said = search_text(message)
    return any(
        (person is None or not concerns_another(message, person)) and is_echoed(text, said)
        for text, person in (wanted[n] for n in marked.echoed_by(said))
    )


def _messages_by_index(house: House, agent: AgentRow, text: str) -> Sequence[Message]:
    places = _places(house, agent, text)
    return house.store.read(lambda r: r.messages.placed(Scope(agent.ref), places))


def _all_messages(house: House, scope: Scope) -> Iterator[Sequence[Message]]:
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


def _clear_indexes(house: House, agent: AgentRow, versions: Sequence[Memory]) -> None:
    """No index may hold a word of it any longer; what reached user-wide is in every agent's."""
    shared = any(version.reach == "user" for version in versions)
    unfile(house, house.store.read(lambda r: r.agents.all()) if shared else (agent,))


def _sources(versions: Sequence[Memory]) -> Iterator[bytes]:
    return (source for version in versions for source in version.sources)
