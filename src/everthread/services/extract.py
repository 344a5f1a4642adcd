"""Extract: when a harness compacts or ends a session, what is durable in it becomes memory and file.

The job that asks for it is the intent: it is in the store before a file is touched, and is tried
again where a disk fails. Files and memories know what was drawn before, so twice is once.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checkpoints import Checkpoint
from everthread.domain.daily import day_of, managed, section
from everthread.domain.distillation import EMPTY, Digest, read_digest
from everthread.domain.errors import StoreFailed
from everthread.domain.gleaning_facts import memories_of
from everthread.domain.happenings import HARNESSES
from everthread.domain.sessions import Session
from everthread.ports import Flush, House, Records

from .checkpoint import ENDS
from .flush import primary_digest
from .learn import compared, drawn, learn

LOOKED_AT = 500


def extract_asked(house: House, payload: str, pause: Callable[[], None]) -> None:
    """The job."""
    told = json.loads(payload)
    scope = Scope(told["agent"])

    def work(records: Records) -> tuple[AgentRow, Checkpoint, Session]:
        found = records.checkpoints.get(scope, told["checkpoint"])
        session = records.sessions.get(scope, found.session_ref)
        return records.agents.get(scope), found, session

    agent, checkpoint, session = house.store.read(work)
    extract(house, agent, session, checkpoint, pause)


def extract(
    house: House,
    agent: AgentRow,
    session: Session,
    checkpoint: Checkpoint,
    pause: Callable[[], None],
) -> int:
    """Memories from what the session held since it was last extracted; how many there are."""
    scope = Scope(agent.ref)
    before, after = house.store.read(lambda r: _digests(r, scope, session, checkpoint))
    fresh = drawn(house, memories_of(before, after), None)
    found = compared(house, scope, fresh, pause)
    learnt = house.store.write(lambda r: learn(r, scope, found))
    _filed(house, agent, session, checkpoint, before, after)
    return len(learnt.memories)


def _digests(
    records: Records, scope: Scope, session: Session, checkpoint: Checkpoint
) -> tuple[Digest, Digest]:
    """What the session held when it was last extracted, and what it holds now."""
    known = records.checkpoints.of_session(scope, session.ref, limit=LOOKED_AT)
    earlier = [c for c in known if c.kind in ENDS and c.ref < checkpoint.ref]
    state = records.checkpoints.state(scope, earlier[0]) if earlier else ""
    now = records.checkpoints.state(scope, checkpoint)
    return read_digest(state) if state else EMPTY, read_digest(now) if now else EMPTY


def _filed(
    house: House,
    agent: AgentRow,
    session: Session,
    checkpoint: Checkpoint,
    before: Digest,
    after: Digest,
) -> None:
    """What people read of it: a section of the daily file, and the managed one of `MEMORY.md`."""
    new = [point for point in after.points if point not in set(before.points)]
    if house.workspace is None or not new:
        return
    scope = Scope(agent.ref)
    thread, kept = house.store.read(
        lambda r: (r.threads.get(scope, session.thread_ref), primary_digest(r, scope).points)
    )
    what = "compaction" if checkpoint.kind == "pre_compaction" else "end of a session"
    title = f"{HARNESSES.get(session.harness or '', 'Session')}, {what}"
    told = section(
        checkpoint.id,
        number=0,
        at_ms=checkpoint.created_ms,
        thread=thread.id,
        summary="",
        points=new,
        title=title,
    )
    order = Flush(
        checkpoint.id, day_of(checkpoint.created_ms), told, managed([*kept, *after.points])
    )
    done = house.workspace.write(agent.name, order)
    if not done.ok:
        raise StoreFailed(f"the files of {agent.name} could not be written: {done.error}")
