"""Erase: the one way by which what was said goes for good. Only a person asks for it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope, Tombstone
from everthread.domain.conversation.sessions import Session, buried_key
from everthread.domain.conversation.threads import primary_key
from everthread.domain.distilling.daily_files import day_of
from everthread.domain.errors import StoreFailed, ThreadUnknown
from everthread.domain.harness.checkpoints import ENDS
from everthread.domain.ids import id_ending
from everthread.domain.memory.memories import State
from everthread.ports import Flush, House, Records
from everthread.services.distilling.flush import flushed_ms
from everthread.services.distilling.memory_file import managed_now, write_listing
from everthread.services.harness.checkpoint import ASKED
from everthread.services.job_names import (
    CHECKPOINT,
    COMPACTION,
    DISTILL,
    ENDED,
    ERASURE,
    EXTRACT,
    SCORE,
    SETTLE,
    WITHDRAW,
    addressed_kind,
)
from everthread.services.memory.index import catch_up
from everthread.services.places import ask_others

log = logging.getLogger("everthread")

ALL = 1 << 62
WHOLE_ID = 32
REMOVED = "checkpoint.removed"
"""What the timeline says of a checkpoint that was too old to be kept."""

Section = tuple[str, str]
"""The id of a receipt or a checkpoint, and the day in whose file its section stands."""


def erase(
    house: House, agent: AgentRow, *, key: str | None = None, reason: str | None = None
) -> Sequence[Tombstone]:
    """Erase one thread, or all. Tombstones stay; a new primary begins a new lineage."""

    scope = Scope(agent.ref)
    # Before anything goes: then it is known which of them are ours.
    aged = orphan_sections(house, agent) or ()

    def work(records: Records) -> _Done:
        now = house.clock.now()
        shared = _shared_refs(records, agent)
        threads = [t for t in records.threads.all(scope) if key is None or t.key == key]
        if not threads:
            raise ThreadUnknown(f"agent {agent.name!r} has no thread {key!r}; nothing was erased")
        stones: list[Tombstone] = []
        sections: list[Section] = []
        for thread in threads:
            held = records.threads.hold(scope, thread.ref)
            sections += _sections(records, scope, thread.ref)
            _bury(records, scope, thread.ref, reason, now)
            stones.append(records.threads.erase(scope, held, reason=reason, now=now))
            if thread.kind == "primary":
                _unmirror(records, scope, now)
                sections += aged  # harnesses' sessions are the primary's
                records.threads.add(
                    scope,
                    key=primary_key(agent.name),
                    kind="primary",
                    now=now,
                    lineage=thread.lineage + 1,
                )
        if key is None:
            _forget_all(records, scope, now)
        # What was erased must not linger in a log either; where that has to wait, it is retried.
        records.jobs.add(SETTLE, "{}", due_at=now, now=now, once=ERASURE)
        asked = ask_unwritten(house, records, scope, sections), ask_others(house, records, scope)
        others = [one for one in records.agents.all() if one.ref != agent.ref]
        return _Done(
            stones, sections, *asked, others if shared - _shared_refs(records, agent) else ()
        )

    done = house.store.write(work)
    unwrite(house, agent, done.sections, job=done.job)
    tell_elsewhere(agent, done.elsewhere)
    # Nor in what was derived of it, also by agents it was shared with.
    unfile(house, done.readers)
    # Should that fail, it is told, and `catch_up` tries again.
    house.index.drop(agent)
    return done.stones


class _Done(NamedTuple):
    stones: Sequence[Tombstone]
    sections: Sequence[Section]
    job: str
    elsewhere: Sequence[str]
    readers: Sequence[AgentRow]


def _sections(records: Records, scope: Scope, thread: int) -> list[Section]:
    """What the thread's distillations may have left in files: the receipt of each, and its day.

    Nor is the thread distilled any more, or one of them scored.
    """
    found: list[Section] = []
    records.jobs.cancel(DISTILL, once=str(thread))
    for receipt in records.receipts.newest(scope, thread=thread, limit=ALL):
        records.jobs.cancel(SCORE, once=str(receipt.ref))
        if records.intents.of(scope, receipt.ref):
            at = flushed_ms(records, scope, receipt)
            found.append((receipt.id, day_of(at)))
    for session in records.sessions.all(scope, thread=thread, limit=ALL):
        found += _session_sections(records, scope, session)
    return found


def _bury(records: Records, scope: Scope, thread: int, reason: str | None, now: int) -> None:
    """A tombstone for each named session: what its harness still keeps of it must not come back."""
    for session in records.sessions.all(scope, thread=thread, limit=ALL):
        if session.parent_ref is None and session.key != session.alias:
            count = session.message_count
            stone = Tombstone(b"", buried_key(session.key), "session", reason, count, now, 0)
            records.threads.bury(scope, stone)


def _session_sections(records: Records, scope: Scope, session: Session) -> list[Section]:
    """What a harness's session left in files; nor is anything drawn from it or measured any more."""
    for why in ASKED:
        records.jobs.cancel(CHECKPOINT, once=f"{session.ref}:{why}")
    records.jobs.cancel(ENDED, once=f"{session.ref}")
    for compaction in records.compactions.of_session(scope, session.ref, limit=ALL):
        records.jobs.cancel(COMPACTION, once=f"{compaction.ref}")
    found = records.checkpoints.of_session(scope, session.ref, limit=ALL)
    for checkpoint in found:
        records.jobs.cancel(EXTRACT, once=f"{checkpoint.ref}")
    return [(one.id, day_of(one.created_ms)) for one in found if one.kind in ENDS]


def orphan_sections(
    house: House, agent: AgentRow, tells: Callable[[str], bool] = lambda _: True
) -> Sequence[Section] | None:
    """The sections that tell it and whose checkpoint was removed for its age; None if no file can be read."""
    if house.workspace is None:
        return ()
    try:
        found = house.workspace.sections(agent.name)
    except OSError as trouble:
        log.warning("the files of %s cannot be read: %s", agent.name, trouble)
        return None
    scope = Scope(agent.ref)
    told = [one for one in found if tells(one.text)]
    removed = house.store.read(lambda r: [_was_removed(r, scope, one.receipt_id) for one in told])
    return [(w.receipt_id, w.day) for w, gone in zip(told, removed, strict=True) if gone]


def _was_removed(records: Records, scope: Scope, name: str) -> bool:
    """Was that a checkpoint of this agent, of which the timeline alone still knows?"""
    digits = id_ending(name)
    if digits is None or len(digits) != WHOLE_ID:
        return False
    entries = records.timeline.about(scope, bytes.fromhex(digits))
    return any(entry.event == REMOVED for entry in entries)


def ask_unwritten(house: House, records: Records, scope: Scope, sections: Sequence[Section]) -> str:
    """Have a job see to the sections, should the disk fail; its name."""
    if not sections or house.workspace is None:
        return ""
    job, now = house.ids.new().hex(), house.clock.now()
    payload = json.dumps({"agent": scope.agent, "sections": sections})
    kind = addressed_kind(WITHDRAW, house.here.files)
    records.jobs.add(kind, payload, due_at=now, now=now, once=job)
    return job


def unwrite(house: House, agent: AgentRow, sections: Sequence[Section], *, job: str) -> bool:
    """Take it out of the files at once; where that fails, the job tries again. Is all of it out?"""
    if not sections:
        return True
    try:
        out = withdraw(house, agent.ref, sections)
    except StoreFailed as trouble:
        log.warning("the files of %s still hold what is gone: %s", agent.name, trouble)
        return False
    if job:
        kind = addressed_kind(WITHDRAW, house.here.files)
        house.store.write(lambda r: r.jobs.cancel(kind, once=job))
    return out


def tell_elsewhere(agent: AgentRow, places: Sequence[str]) -> None:
    """Other machines take it out of their files themselves; until then it is there."""
    for place in places:
        log.warning(
            "files of %s in %s still hold what is gone, until Everthread runs there next",
            agent.name,
            place,
        )


def withdraw(house: House, agent: int, sections: Iterable[Section]) -> bool:
    """Take the sections of what is no more out of an agent's files; a checkpoint's that is, is written anew.

    The intents went with the receipts, so that this is a job of its own. What a person edited stays,
    and is told. Is all of it out?
    """
    if house.workspace is None:
        return True
    scope, out = Scope(agent), True
    row, kept = house.store.read(lambda r: (r.agents.get(scope), managed_now(house, r, scope)))
    for key, day in sections:
        found = house.store.read(lambda r, k=key: r.checkpoints.ending(scope, k.replace("-", "")))
        if found:
            from everthread.services.harness.extract import rewrite_files  # noqa: PLC0415 - all that reads speech, seldom needed here

            out = rewrite_files(house, row, found[0]) and out
            continue
        done = house.workspace.withdraw(row.name, Flush(key, day, "", kept))
        if not done.ok:
            raise StoreFailed(done.error or "the files could not be written")
        if done.edited:
            log.warning("what someone edited was left as it is: in %s", ", ".join(done.paths))
            out = False
    # What was read before may be forgotten since, and somebody may have written that by now.
    done = write_listing(house, row)
    if not done.ok:
        raise StoreFailed(done.error or "the files could not be written")
    return out


def unfile(house: House, agents: Iterable[AgentRow]) -> None:
    """Take what is gone out of these agents' indexes. One that cannot be used must not keep the others."""
    for agent in agents:
        try:
            catch_up(house, agent)
        except Exception as trouble:  # noqa: BLE001 - derived, and followed again by whoever comes next
            log.warning("the index of %s still holds what is gone: %s", agent.name, trouble)


def _shared_refs(records: Records, agent: AgentRow) -> set[int]:
    """What is in every agent's index of this one's memories."""
    return {m.ref for m in records.memories.user_wide() if m.agent_ref == agent.ref}


def _unmirror(records: Records, scope: Scope, now: int) -> None:
    """Forget what checkpoints of tasks left as memories: they quote the sessions that are gone."""
    tags = {task.tag for task in records.tasks.all(scope, limit=ALL)}
    states: tuple[State, ...] = ("kept", "superseded")
    for state in states if tags else ():
        for memory in records.memories.all(scope, state=state, limit=ALL):
            if memory.origin == "agent" and tags & set(memory.tags):
                records.memories.forget(scope, memory, now=now)


def _forget_all(records: Records, scope: Scope, now: int) -> None:
    """Who erases everything means also what nobody said on a thread: memories and notes."""
    states: tuple[State, ...] = ("kept", "superseded")
    for state in states:
        for memory in records.memories.all(scope, state=state, limit=ALL):
            records.memories.forget(scope, memory, now=now)
    for note in records.notes.all(scope, limit=ALL):
        records.notes.delete(scope, note, now=now)
    records.scorers.drop(scope)  # what was learnt of all that
