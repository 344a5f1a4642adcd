"""Unshare: what reached user-wide leaves all agents, with what they remember and made of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.forgetting.restatements import Restatements, memory_to_forget
from everthread.domain.memory.memories import Memory, State
from everthread.domain.times import MINUTE
from everthread.ports import House, Records
from everthread.services.archive.sources import messages_of
from everthread.services.job_names import ERASURE, SETTLE, UNSHARE

from .erase import unfile
from .unsay import PendingWrites, Plan, clear, clear_files, collect_unsaid, plan_and_apply

ALL = 1 << 62
LIVING: tuple[State, ...] = ("kept", "superseded")


class UnshareResult(NamedTuple):
    """What that took from agents: how many memories, and the ids of the messages that went with them."""

    memories: int
    messages: frozenset[bytes]
    out: bool


def unshare(house: House, versions: Sequence[Memory]) -> UnshareResult:
    """Take it out of all that was distilled anywhere, and forget what restates it.

    Another memory goes if it is the same statement, of the same person; of the agent that shared it
    too, which may have drawn it from its own conversation besides.
    """
    wide = [version for version in versions if version.reach == "user"]
    agents = house.store.read(lambda r: r.agents.all()) if wide else ()
    done = [_AgentUnshare(house, one, wide).done() for one in agents]
    messages = frozenset[bytes]().union(*(one.messages for one in done))
    return UnshareResult(sum(one.memories for one in done), messages, all(one.out for one in done))


def ask_unshare(house: House, records: Records, agent: AgentRow, versions: Sequence[Memory]) -> str:
    """Have a job see to it, should this process end before it has; its name.

    Until then it holds the words, as those whom it is about do.
    """
    texts = {version.ref: version.text for version in versions if version.reach == "user"}
    if not texts:
        return ""
    job, now = house.ids.new().hex(), house.clock.now()
    payload = json.dumps({"agent": agent.ref, "texts": texts})
    records.jobs.add(UNSHARE, payload, due_at=now + MINUTE, now=now, once=job)
    return job


def run_unshare_job(house: House, payload: str) -> None:
    """The same for whoever ended before it was done."""
    told = json.loads(payload)
    scope, texts = Scope(told["agent"]), told["texts"].items()
    versions = house.store.read(
        lambda r: [r.memories.get(scope, int(ref))._replace(text=text) for ref, text in texts]
    )
    unshare(house, versions)
    unfile(house, house.store.read(lambda r: r.agents.all()))


class _AgentResult(NamedTuple):
    memories: Sequence[Memory]
    unwritten: PendingWrites


class _AgentUnshare:
    """One of the agents."""

    def __init__(self, house: House, other: AgentRow, wide: Sequence[Memory]) -> None:
        self._house = house
        self._other = other
        self._scope = Scope(other.ref)
        self._texts = [version.text for version in wide]
        self._restated = Restatements(wide)
        self._seen = 0
        """The newest entry that was looked at: what is newer came meanwhile."""
        self._found: Sequence[Memory] = ()

    def done(self) -> UnshareResult:
        house, other, scope = self._house, self._other, self._scope
        self._found = house.store.read(self._look)
        said = _sources(self._found)
        gone = house.store.read(lambda r: collect_unsaid(r, scope, self._texts, said))

        def work(records: Records, plan: Plan) -> _AgentResult:
            went = self._forget_found(records)
            unwritten = clear(house, records, other, gone, plan, [one.key_id for one in went])
            # Its rows change only now: a settling that was asked for before may be over.
            now = house.clock.now()
            records.jobs.add(SETTLE, "{}", due_at=now, now=now, once=ERASURE)
            return _AgentResult(went, unwritten)

        left = plan_and_apply(house, other, gone, work)
        out = clear_files(house, other, gone, left.unwritten)
        count = len(left.memories) + left.unwritten.mirrored
        return UnshareResult(count, frozenset(_sources(left.memories)), out)

    def _look(self, records: Records) -> Sequence[Memory]:
        memories, scope = records.memories, self._scope
        living = [one for state in LIVING for one in memories.all(scope, state=state, limit=ALL)]
        self._seen = max((one.entry for one in living), default=0)
        return self._memories_to_go(records, living)

    def _forget_found(self, records: Records) -> Sequence[Memory]:
        """Those it found, and what came meanwhile; as they are now."""
        records.memories.hold(self._scope)
        there = [records.memories.get(self._scope, one.ref) for one in self._found]
        later = records.memories.since(self._scope, self._seen, ALL)
        went = self._memories_to_go(records, {one.ref: one for one in (*there, *later)}.values())
        for one in went:
            records.memories.forget(self._scope, one, now=self._house.clock.now())
        return went

    def _memories_to_go(self, records: Records, memories: Iterable[Memory]) -> Sequence[Memory]:
        found: list[Memory] = []
        for one in memories:
            if one.state in LIVING and (persons := self._restated.persons(one)):
                # What another person said is neither forgotten nor withheld.
                said = messages_of(records, self._scope, one.sources)
                went = memory_to_forget(one, said, persons)
                found += [went] if went is not None else []
        return found


def _sources(memories: Sequence[Memory]) -> list[bytes]:
    return list(dict.fromkeys(source for one in memories for source in one.sources))
