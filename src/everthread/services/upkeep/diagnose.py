"""Diagnose: what needs somebody's hand, check by check, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.distilling.daily_files import day_of
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.distilling.triggers import rest_after
from everthread.domain.errors import StoreFailed
from everthread.domain.ids import short
from everthread.domain.jobs import BY_WORKER
from everthread.domain.scorer.scorer import standing
from everthread.domain.scorer.scorer_row import read_scorer
from everthread.ports import House, Records
from everthread.services.distilling.lease import is_given_up, try_writing
from everthread.services.ending.conclusion_mark import Mark, mark_of
from everthread.services.places import ask_here, places_behind
from everthread.services.tasks.troubles import troubles

from .disk_room import Room, rooms
from .losses import losses
from .overdue import overdue_threads
from .report import receipts_looked_at
from .shrink import WARNING, disk, is_exhausted

MB = 1_000_000
MOST = 1_000
SESSIONS = 50
"""So many of the newest sessions are looked through."""
LARGEST_SHOWN = 5
"""So many days are named."""
TOOK_OVER = "the plain distiller took over"
"""How a receipt says so (`services.compose`, which is slow to load)."""


class Finding(NamedTuple):
    """One check: how it stands, and what to do where something is not right."""

    check: str
    fine: bool
    says: str
    advice: str = ""
    agent: str | None = None
    """Whose trouble it is; None where it is the whole store's."""


def diagnose(house: House, agents: Sequence[AgentRow]) -> list[Finding]:
    """Every check has at least one answer; where nothing is wrong, that it is fine."""
    room = rooms(house, agents)
    return [
        _store(house, room),
        _disk(house),
        *_or_fine(
            "space",
            [Finding("space", one.fine, one.says, one.advice) for one in room],
            "nothing of it is on a disk of this machine",
        ),
        *_or_fine("files", list(_files(house, agents)), "nothing waits to be written"),
        *_or_fine(
            "distillations",
            [f for agent in agents for f in (*_failures(house, agent), *_overdue(house, agent))],
            "none failed, was left open or is overdue",
        ),
        *_or_fine(
            "scores",
            [f for agent in agents for f in _losses(house, agent)],
            f"none is below {house.policy.score_threshold:g} %{_to_score(house, agents)}",
        ),
        *_or_fine("summaries", list(_summaries(house, agents)), "no model failed to write them"),
        *_or_fine("jobs", list(_jobs(house, agents)), "none was given up"),
        *_or_fine("scorer", list(_scorers(house, agents)), "nothing was learnt yet"),
        *_or_fine("tasks", list(_tasks(house, agents)), "nothing waits for a person"),
        *_or_fine("index", list(_indexes(house, agents)), "readable"),
    ]


def _or_fine(check: str, found: Sequence[Finding], fine: str) -> Sequence[Finding]:
    return found or [Finding(check, fine=True, says=fine)]


def _store(house: House, room: Sequence[Room]) -> Finding:
    """Can it be written?"""
    if any(one.full for one in room):  # what is tried below is so small that it needs no space
        says = f"can be read, and no space is left to write: {house.store.location}"
        advice = "free some space on its disk; nothing that was kept is lost"
        return Finding("store", fine=False, says=says, advice=advice)
    try:
        try_writing(house)
    except StoreFailed as wrong:
        advice = "see to the disk and to who may write there; nothing that was kept is lost"
        return Finding("store", fine=False, says=str(wrong), advice=advice)
    return Finding("store", fine=True, says=f"can be read and written: {house.store.location}")


def _disk(house: House) -> Finding:
    """Does it fit into its budget, and can more be made to?"""
    now = disk(house)
    if not now.budget:
        return Finding("disk", fine=True, says="no budget is set")
    says = f"{now.used / MB:,.1f} of {now.budget / MB:,.0f} MB are used ({100 * now.share:.0f} %)"
    if now.share < WARNING:
        return Finding("disk", fine=True, says=says)
    larger = "raise disk_budget_mb (everthread config set), or erase what is not needed"
    if not now.over:
        return Finding(
            "disk",
            fine=False,
            says=f"{says}; beyond it old output of tools is cut to both ends",
            advice=larger,
        )
    if is_exhausted(house):
        return Finding(
            "disk", fine=False, says=f"{says}, and nothing is left that may shrink", advice=larger
        )
    return Finding(
        "disk",
        fine=False,
        says=f"{says}; old output of tools is cut to both ends, a part every hour",
        advice=larger,
    )


def _scorers(house: House, agents: Sequence[AgentRow]) -> Iterator[Finding]:
    """Whether memories are ranked by what was learnt. One that switched itself off did what it should."""
    policy = house.policy
    for agent in agents:
        row = house.store.read(lambda r, a=agent: r.scorers.get(Scope(a.ref)))
        if row is not None:
            now = standing(read_scorer(row), wanted=policy.scorer, most=policy.scorer_cap)
            yield Finding("scorer", fine=True, says=f"{now.mode}: {now.why}", agent=agent.name)


def _summaries(house: House, agents: Sequence[AgentRow]) -> Iterator[Finding]:
    """Does the model fail to sum up sessions? Told until it has written the summary of a newer one."""
    model = house.summarizer
    for agent in agents if model is not None else ():
        scope = Scope(agent.ref)
        marks = house.store.read(lambda r, s=scope: _conclusion_marks(r, s))
        failed = list(takewhile(lambda mark: mark.cause, marks))
        if model is None or not failed:
            continue
        waiting = sum(mark.failures > 0 for mark in failed)
        times = "the last session" if len(failed) == 1 else f"the last {len(failed)} sessions"
        then = f"{waiting} of them tried again by the sweep" if waiting else "none waits for it"
        yield Finding(
            "summaries",
            fine=False,
            says=f"{model.name} failed to sum up {times} ({failed[0].cause}); {then}, the others were "
            "summed up plainly",
            advice="see that the model can be reached and its cap is not used up (everthread config "
            "get distiller); everthread sessions summarize asks it again",
            agent=agent.name,
        )


def _conclusion_marks(records: Records, scope: Scope) -> list[Mark]:
    """How the newest sessions that a summary was made for, or should have been, were seen to."""
    sessions = records.sessions.own(scope, limit=SESSIONS)
    found = [(session, mark_of(records, scope, session)) for session in sessions]
    return [mark for session, mark in found if mark.cause or (mark.seq and session.summary)]


def _tasks(house: House, agents: Sequence[AgentRow]) -> Iterator[Finding]:
    """What happened to tasks that a person should look at, and whom events do not reach."""
    for agent in agents:
        now, scope = house.clock.now(), Scope(agent.ref)
        for says, advice in house.store.read(lambda r, s=scope, n=now: troubles(r, s, now=n)):
            yield Finding("tasks", fine=False, says=says, advice=advice, agent=agent.name)


def _files(house: House, agents: Sequence[AgentRow]) -> Iterator[Finding]:
    """What could not be written to files yet, and what in them should not be there any more."""
    named = {agent.ref: agent for agent in agents}
    yield from _places_behind(house, named)
    for agent in agents:
        yield from _stale_files(house, agent)
    for agent, count, error in house.store.read(lambda r: _waiting_flushes(r, named)):
        where = "" if house.workspace is None else f" {house.workspace.path(agent.name)}"
        plural = "flush waits" if count == 1 else "flushes wait"
        advice = f"see that the folder{where} can be written; it is tried again by itself"
        if not error:
            advice = (
                "it is written by itself, within a minute while Everthread runs (everthread up)"
            )
        yield Finding(
            "files",
            fine=False,
            says=f"{count} {plural} to be written: {error or 'it was not tried yet'}",
            advice=advice,
            agent=agent.name,
        )


def _places_behind(house: House, named: Mapping[int, AgentRow]) -> Iterator[Finding]:
    """Machines that have not followed yet: their files may hold what was erased or forgotten."""
    for one in places_behind(house):
        if one.agent in named:
            yield Finding(
                "files",
                fine=False,
                says=f"{one.told} may still hold what was taken away on {day_of(one.since_ms)}",
                advice="run everthread there (everthread up, or any program that uses it): what is gone "
                "leaves its files then",
                agent=named[one.agent].name,
            )


def _stale_files(house: House, agent: AgentRow) -> Iterator[Finding]:
    """Sections in this place that the store has no more, or not like this."""
    if house.workspace is None or not house.workspace.there(agent.name):
        return
    from everthread.services.forgetting.follow import stale_sections  # noqa: PLC0415 - only who has files

    try:
        found = [one.written for one in stale_sections(house, agent) if one.written.ours]
    except OSError as trouble:
        says = f"the files cannot be read: {trouble}"
        advice = f"see to {house.workspace.path(agent.name)}"
        yield Finding("files", fine=False, says=says, advice=advice, agent=agent.name)
        return
    if found:
        days = ", ".join(sorted({one.day for one in found})[:LARGEST_SHOWN])
        sections = "1 section is" if len(found) == 1 else f"{len(found)} sections are"
        then = "is put right by itself, within a minute while Everthread runs (everthread up)"
        try:
            house.store.write(lambda r: ask_here(house, r, Scope(agent.ref)))
        except StoreFailed:  # told by the check of the store
            then = "is put right by itself once the store can be written"
        yield Finding(
            "files",
            fine=False,
            says=f"{sections} not as the store has it now, after something was erased, forgotten, undone "
            f"or mended, or a distillation failed: in the daily files of {days}",
            advice=f"{house.workspace.path(agent.name)} {then}",
            agent=agent.name,
        )


def _waiting_flushes(
    records: Records, named: dict[int, AgentRow]
) -> list[tuple[AgentRow, int, str]]:
    """Of each agent, how many flushes wait whose distillation has ended, and the newest error if any."""
    counts: dict[int, tuple[int, str]] = {}
    for intent in records.intents.open(limit=MOST):
        scope = Scope(intent.agent_ref)
        if intent.agent_ref not in named:
            continue
        if records.receipts.get(scope, intent.receipt_ref).outcome == "open":
            continue  # whoever is at work on it sees to it
        count, error = counts.get(intent.agent_ref, (0, ""))
        counts[intent.agent_ref] = count + 1, intent.error or error
    return [(named[ref], count, error) for ref, (count, error) in counts.items()]


def _threads(house: House, agent: AgentRow) -> list[tuple[Thread, Sequence[Receipt]]]:
    """An agent's threads with the newest receipts of each, newest first."""
    scope = Scope(agent.ref)

    def work(records: Records) -> list[tuple[Thread, Sequence[Receipt]]]:
        return [
            (thread, receipts_looked_at(records, scope, thread))
            for thread in records.threads.all(scope)
            if thread.kind != "ephemeral"
        ]

    return house.store.read(work)


def _failures(house: House, agent: AgentRow) -> Iterator[Finding]:
    """Distillations that failed one after the other, and those that a dead process left open."""
    for thread, receipts in _threads(house, agent):
        if receipts and receipts[0].outcome == "open" and is_given_up(house, receipts[0]):
            yield Finding(
                "distillations",
                fine=False,
                says=f"{thread.key}: {_receipt_name(receipts[0])} was left open by a process that is gone",
                advice=f"nothing was changed by it; everthread distill --thread {thread.key} goes on",
                agent=agent.name,
            )
        failed = _failed_in_a_row(receipts)
        if failed:
            yield _failing_finding(agent, thread, failed)
        fell = [r for r in receipts if r.outcome == "degraded" and _fallback(r)]
        if fell and fell[0] is next((r for r in receipts if r.standing), None):
            yield Finding(
                "distillations",
                fine=False,
                says=f"{thread.key}: {len(fell)} of the last {len(receipts)} were made without the model: "
                f"{_fallback(fell[0])}",
                advice="see to the model, its key and its budget; the next one asks it again",
                agent=agent.name,
            )


def _overdue(house: House, agent: AgentRow) -> Iterator[Finding]:
    for says, advice in overdue_threads(house, agent, _threads(house, agent)):
        yield Finding("distillations", fine=False, says=says, advice=advice, agent=agent.name)


def _fallback(receipt: Receipt) -> str:
    """Why the plain distiller did what a model should have done; "" where it was meant to."""
    return next((error for error in receipt.errors if TOOK_OVER in error), "")


def _failed_in_a_row(receipts: Sequence[Receipt]) -> list[Receipt]:
    """The newest ones that failed, up to the first that did not."""
    found: list[Receipt] = []
    for receipt in receipts:
        if receipt.outcome == "failed":
            found.append(receipt)
        elif receipt.outcome != "open":
            break
    return found


def _failing_finding(agent: AgentRow, thread: Thread, failed: Sequence[Receipt]) -> Finding:
    newest, count = failed[0], len(failed)
    wait = newest.turn_count + rest_after(count) - thread.turn_count
    turns = "1 more turn" if wait == 1 else f"{wait} more turns"
    then = (
        f"it is tried again after {turns}" if wait > 0 else "it is tried again after the next turn"
    )
    times = "the last distillation" if count == 1 else f"the last {count} distillations"
    why = newest.errors[-1] if newest.errors else "nobody knows why"
    return Finding(
        "distillations",
        fine=False,
        says=f"{thread.key}: {times} failed, {_receipt_name(newest)} with {why}",
        advice=f"{then}; everthread distill --thread {thread.key} tries now",
        agent=agent.name,
    )


def _losses(house: House, agent: AgentRow) -> Iterator[Finding]:
    """What was lost and matters, and distillations in force that lost more than may be lost."""
    for loss in losses(house, agent, _threads(house, agent)):
        yield Finding("scores", loss.fine, loss.says, loss.advice, agent.name)


def _to_score(house: House, agents: Sequence[AgentRow]) -> str:
    """Who distilled may have ended before the score; that is done by whoever works next."""
    threads = (each for agent in agents for each in _threads(house, agent))
    count = sum(receipt.unscored for _, receipts in threads for receipt in receipts)
    wait = "1 waits for its score" if count == 1 else f"{count} wait for their score"
    return f"; {wait}: {BY_WORKER}" if count else ""


def _jobs(house: House, agents: Sequence[AgentRow]) -> Iterator[Finding]:
    named = {agent.ref: agent.name for agent in agents}
    for job in house.store.read(lambda r: r.jobs.all()):
        if job.state != "dead" or (job.agent_ref is not None and job.agent_ref not in named):
            continue
        yield Finding(
            "jobs",
            fine=False,
            says=f"{job.kind} was given up after {job.attempts} attempts: {job.error}",
            advice="mend what the error names; what is still needed is asked for again by itself",
            agent=None if job.agent_ref is None else named[job.agent_ref],
        )


def _indexes(house: House, agents: Sequence[AgentRow]) -> Iterator[Finding]:
    found = [finding for agent in agents for finding in _index(house, agent)]
    yield from found
    if house.embedder is not None and not found and (lack := house.index.lacks()):
        yield Finding("index", fine=False, says="recall goes by words alone", advice=lack)


def _index(house: House, agent: AgentRow) -> Iterator[Finding]:
    """Does what recall searches answer? It holds nothing of its own, so it can always be made anew."""
    try:
        catalogue = house.index.of(agent)
        catalogue.reached()
        catalogue.counts()
    except StoreFailed as wrong:
        yield Finding(
            "index",
            fine=False,
            says=str(wrong),
            advice=f"everthread index --rebuild --agent {agent.name}",
            agent=agent.name,
        )


def _receipt_name(receipt: Receipt) -> str:
    return f"receipt {short(receipt.key_id)}"
