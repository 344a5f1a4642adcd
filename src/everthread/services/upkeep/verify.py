"""Recompute the timeline: is every entry in its place, and every row what its entry sealed?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.threads import agent_in_key
from everthread.domain.distilling.purging import Account
from everthread.domain.ids import id_text, is_tagged, place_of
from everthread.domain.timeline import GENESIS, Entry, Facts, Fault, digest_of, link
from everthread.ports import House, Records

PAGE = 1_000

GAP, MOVED = "entries", "the entry was changed or moved"
"""How faults begin that the chain has, not a row."""

Progress = Callable[[int, int], None]
Live = tuple[int, Facts] | None
"""The entry of a row and what it seals, of one that is there."""


class Verdict(NamedTuple):
    """What was checked, and what is wrong."""

    agent: str
    entries: int
    rows: int
    faults: list[Fault]

    @property
    def sound(self) -> bool:
        return not self.faults


def verify(house: House, agent: AgentRow, progress: Progress | None = None) -> Verdict:
    """Check the agent's chain, every row behind it, and every large body. Changes nothing."""
    return house.store.read(lambda records: verify_records(records, agent, progress))


def verify_ownerless(house: House) -> list[Verdict]:
    """What is there of agents that are not: a verdict for each, which names what was left behind."""
    rows = house.store.read(lambda records: records.audit.ownerless())
    verdicts: list[Verdict] = []
    for (agent, key), found in groupby(rows, key=lambda row: row[:2]):
        counts = {name: count for _, _, name, count in found}
        problem = "{:,} rows belong to an agent that is not there"
        faults = [Fault(None, name, "", problem.format(count)) for name, count in counts.items()]
        name = agent_in_key(key or "") or f"agent number {agent}"
        verdicts.append(Verdict(name, 0, sum(counts.values()), faults))
    return verdicts


def is_entry_fault(fault: Fault) -> bool:
    """Is it the entry that is wrong, and not the row it speaks of?"""
    return fault.problem.startswith((GAP, MOVED))


def verify_records(records: Records, agent: AgentRow, progress: Progress | None = None) -> Verdict:
    """The same on one state of the store, such as that of an import before it is kept."""
    return _Check(records, agent, progress).run()


class _Check:
    def __init__(self, records: Records, agent: AgentRow, progress: Progress | None) -> None:
        self._records = records
        self._agent = agent
        self._scope = Scope(agent.ref)
        self._progress = progress
        self._live: Counter[str] = Counter()
        self._faults: list[Fault] = []
        self._purges = Account(records.purges.all(self._scope))
        self._purged: dict[int, Entry] = {}
        self._gone: list[bytes] = []
        self._left = 0
        self._removed: set[bytes] = set()
        self._emptied: dict[bytes, Entry] = {}

    def run(self) -> Verdict:
        n = self._chain()
        self._ends(n)
        self._unlawful()
        self._strays()
        for bad in self._records.audit.bad_bodies(self._scope):
            self._fault(None, "body", bad.hex()[:16], "its content was changed or is gone")
        return Verdict(self._agent.name, n, self._live.total(), self._faults)

    def _chain(self) -> int:
        expected, previous = 1, GENESIS
        total = self._records.timeline.head(self._scope)[0]
        for entry, found in self._entries():
            if entry.n != expected:
                missing = f"{GAP} {expected} to {entry.n - 1} were removed"
                self._fault(entry.n, entry.event, entry.subject_id, missing)
            elif link(previous, *entry[:4], entry.digest) != entry.hash:
                self._fault(entry.n, entry.event, entry.subject_id, MOVED)
            self._compare(entry, found)
            expected, previous = entry.n + 1, entry.hash
            if self._progress is not None and entry.n % PAGE == 0:
                self._progress(entry.n, total)
        return expected - 1

    def _entries(self) -> Iterator[tuple[Entry, Live]]:
        """Every entry, with what is there of the row that it speaks of."""
        after = 0
        while page := self._records.timeline.page(self._scope, after=after, limit=PAGE):
            named = [(entry.event, entry.subject) for entry in page]
            yield from zip(page, self._records.audit.rows(self._scope, named), strict=True)
            after = page[-1].n

    def _compare(self, entry: Entry, found: Live) -> None:
        """The row that the entry speaks of, if it is the newest entry that does."""
        if entry.event in ("thread.removed", "thread.erased"):
            self._gone.append(entry.subject)
            self._left = entry.n
        if entry.event.endswith(".removed"):
            self._removed.add(entry.subject)
            return
        if found is None:
            self._missing(entry)
            return
        newest, facts = found
        if newest > entry.n:
            return
        self._live[entry.event.partition(".")[0]] += 1
        if newest < entry.n:
            self._fault(entry.n, entry.event, entry.subject_id, "the row is older than its entry")
        elif entry.salt is None:
            self._fault(
                entry.n, entry.event, entry.subject_id, "its salt is gone, but the row is not"
            )
        elif _digest(entry.salt, facts) != entry.digest:
            self._fault(entry.n, entry.event, entry.subject_id, "the row was changed")

    def _missing(self, entry: Entry) -> None:
        """A row that is gone: lawful only if its thread was removed or erased, which comes later."""
        if entry.salt is not None:
            self._fault(entry.n, entry.event, entry.subject_id, "the row was removed")
        elif entry.event == "message":
            if not self._purges.takes(entry.subject, entry.digest):
                self._purged.setdefault(place_of(entry.subject)[0], entry)
        elif not entry.event.startswith("body."):
            # The record of a shrunk body goes with the body, and a body that is missed is named anyway.
            self._emptied[entry.subject] = entry

    def _unlawful(self) -> None:
        for subject, entry in self._emptied.items():
            # Which thread it belonged to nobody can tell any more, but one must have gone after it.
            if subject not in self._removed and entry.n > self._left:
                problem = "the row was removed, and its salt, though nothing says why"
                self._fault(entry.n, entry.event, entry.subject_id, problem)
        for purge in self._purges.wrong():
            problem = f"it took other messages than the {purge.messages} it says"
            self._fault(purge.entry, "purge", id_text(purge.key_id), problem)
        for tag, entry in self._purged.items():
            if not any(is_tagged(thread, tag) for thread in self._gone):
                problem = "the row was removed, and its salt, though its thread was not erased"
                self._fault(entry.n, entry.event, entry.subject_id, problem)

    def _ends(self, last: int) -> None:
        """Rows that name entries after the last one: the end of the chain was cut off."""
        for event, subject, n in self._records.audit.beyond(self._scope, last):
            self._live[event] += 1
            self._fault(n, event, id_text(subject), f"its entry {n} was removed")

    def _strays(self) -> None:
        for name, count in self._records.audit.counts(self._scope).items():
            if count > self._live[name]:
                extra = f"{count - self._live[name]} rows that no entry speaks of"
                self._fault(None, name, "", extra)
        for subject, key, told, found in self._records.audit.miscounted(self._scope):
            problem = f"thread {key!r} counts {told} messages and holds {found}"
            self._fault(None, "thread", id_text(subject), problem)
        for name, subject, problem in self._records.audit.misplaced(self._scope):
            self._fault(None, name, id_text(subject), problem)

    def _fault(self, n: int | None, event: str, subject: str, problem: str) -> None:
        self._faults.append(Fault(n, event, subject, problem))


def _digest(salt: bytes, facts: Facts) -> bytes | None:
    """What the entry would say of the row; None where a text of it is none any more."""
    try:
        return digest_of(salt, facts)
    except UnicodeEncodeError:
        return None
