"""A harness compacts its own context: what must be kept is on disk before, and measured afterwards.

It decides when; we never distill its thread behind its back (R-1). Before, the transcript is read to
its end and a checkpoint is written, within a limit. Afterwards the rules, the open requests and the
evidence are given back at once, its own summary is scored as soon as it is known, and what is still
missing follows with the next prompt (R-21).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checkpoints import Checkpoint, Compaction
from everthread.domain.compacting import Outcome, following, outcome, read_outcome
from everthread.domain.continuity import Draw, Item
from everthread.domain.errors import BadInput, CompactionUnknown
from everthread.domain.ids import id_ending
from everthread.domain.redaction import redacted
from everthread.domain.sentences import flat
from everthread.domain.sessions import Session
from everthread.domain.unsaid import unsaid
from everthread.ports import House, Records

from .checkpoint import PAGE
from .chores import COMPACTION
from .sources import forgotten, message_of

LONGEST_SUMMARY = 200_000
WITHHELD = "(withheld: something that it told was forgotten)"
"""In the place of a summary, which is known and must not be told; nobody measures it."""


def epoch_of(compactions: Sequence[Compaction]) -> int:
    """Which stretch of its context a session is in: each compaction that happened begins another."""
    return sum(one.state in ("given", "scored") for one in compactions)


def opened(
    house: House, scope: Scope, session: Session, trigger: str, checkpoint: Checkpoint | None
) -> Compaction:
    """Put down that a compaction is about to happen; one that never did is taken over."""
    now = house.clock.now()

    def work(records: Records) -> Compaction:
        known = records.compactions.of_session(scope, session.ref, limit=1)
        last = known[0].last_seq if known and known[0].state != "open" else 0
        through = session.last_seq if checkpoint is None else checkpoint.through_seq
        ref = None if checkpoint is None else checkpoint.ref
        fresh = _blank(house, session, trigger, now)._replace(
            checkpoint_ref=ref, first_seq=last + 1, last_seq=through
        )
        if known and known[0].state == "open":
            again = known[0]._replace(checkpoint_ref=ref, last_seq=through, trigger=trigger)
            return records.compactions.change(scope, again, now=now)
        return records.compactions.add(scope, fresh)

    return house.store.write(work)


def _blank(house: House, session: Session, trigger: str, now: int) -> Compaction:
    return Compaction(
        ref=0,
        agent_ref=session.agent_ref,
        key_id=house.ids.new(),
        session_ref=session.ref,
        checkpoint_ref=None,
        trigger=trigger or "unknown",
        state="open",
        first_seq=0,
        last_seq=0,
        tokens_before=0,
        tokens_after=0,
        summary_hash=None,
        given_hash=None,
        score_json=None,
        restore_json="[]",
        error=None,
        created_ms=now,
        scored_ms=None,
        entry=0,
    )


def happened(house: House, scope: Scope, session: Session) -> Compaction:
    """It happened: a new stretch of the context begins. One that nobody announced is put down now."""
    now = house.clock.now()

    def work(records: Records) -> Compaction:
        known = records.compactions.of_session(scope, session.ref, limit=1)
        if known and known[0].state == "open":
            return records.compactions.change(scope, known[0]._replace(state="given"), now=now)
        last = known[0].last_seq if known else 0
        fresh = _blank(house, session, "unknown", now)._replace(
            state="given", first_seq=last + 1, last_seq=session.last_seq
        )
        return records.compactions.add(scope, fresh)

    return house.store.write(work)


def gave(house: House, scope: Scope, compaction: Compaction, text: str) -> None:
    """What was given back beside it."""
    now = house.clock.now()

    def work(records: Records) -> None:
        present = records.compactions.get(scope, compaction.ref)
        before = records.compactions.given(scope, present)
        whole = f"{before}\n{text}" if before else text
        records.compactions.change(scope, present, given=whole, now=now)

    if text:
        house.store.write(work)


def summarized(house: House, scope: Scope, session: Session, summary: str) -> Compaction | None:
    """The harness's summary is known: keep it, and have it scored. None where it is known already."""
    now = house.clock.now()
    text = redacted(summary)[:LONGEST_SUMMARY]

    def work(records: Records) -> Compaction | None:
        known = records.compactions.of_session(scope, session.ref, limit=1)
        if not known or known[0].summary_hash is not None:
            return None
        if _says_forgotten(records, scope, session, text):
            return records.compactions.change(scope, known[0], summary=WITHHELD, now=now)
        told = records.compactions.change(scope, known[0], summary=text, now=now)
        order = json.dumps({"agent": scope.agent, "compaction": told.ref})
        once = f"{told.ref}"
        records.jobs.add(COMPACTION, order, due_at=now, now=now, agent=scope.agent, once=once)
        return told

    return house.store.write(work)


def _says_forgotten(records: Records, scope: Scope, session: Session, text: str) -> bool:
    """Does a line of it repeat a message of the session that was forgotten since?"""
    said = (message_of(records, scope, key) for key in forgotten(records, scope))
    mine = [m for m in said if m is not None and m.session_ref == session.ref]
    gone = unsaid((), mine, ())
    whole = any(words in flat(text).casefold() for words in gone.words if words)
    return whole or any(gone.came_from(line.strip(" -*")) for line in text.split("\n"))


def score_asked(house: House, payload: str, pause: Callable[[], None]) -> None:
    """The job: measure what the compaction kept, and see to what is missing."""
    told = json.loads(payload)
    scope = Scope(told["agent"])
    agent, compaction = house.store.read(
        lambda r: (r.agents.get(scope), r.compactions.get(scope, told["compaction"]))
    )
    summary = house.store.read(lambda r: r.compactions.summary(scope, compaction))
    if compaction.score_json is None and summary != WITHHELD:
        measure(house, agent, compaction, pause=pause)


def measure(
    house: House, agent: AgentRow, compaction: Compaction, *, pause: Callable[[], None]
) -> Outcome:
    """Draw items from what was compacted, and look for them in the summary and in what we gave."""
    from .score import score  # noqa: PLC0415 - dear to load; most processes never measure

    scope = Scope(agent.ref)
    session, summary, given = house.store.read(
        lambda r: (
            r.sessions.get(scope, compaction.session_ref),
            r.compactions.summary(scope, compaction),
            r.compactions.given(scope, compaction),
        )
    )
    items = _drawn(house, scope, session, compaction, pause)
    context = f"{summary}\n{given}"
    seconds = house.policy.score_seconds
    scored = score(house, agent, session.thread_ref, items, context, seconds=seconds, pause=pause)
    found = outcome(items, summary, context, scored.score, scored.lost_items)
    now = house.clock.now()

    def work(records: Records) -> None:
        present = records.compactions.get(scope, compaction.ref)
        if present.summary_hash != compaction.summary_hash:
            return  # something in it was forgotten meanwhile
        told = present._replace(
            state="scored" if present.state != "open" else "open",
            score_json=found.text(),
            restore_json=json.dumps([*json.loads(present.restore_json), *following(found)]),
            scored_ms=now,
        )
        records.compactions.change(scope, told, now=now)

    house.store.write(work)
    return found


def _drawn(
    house: House,
    scope: Scope,
    session: Session,
    compaction: Compaction,
    pause: Callable[[], None],
) -> list[Item]:
    """Items from the messages that it stands for; which ones follows from its id."""
    draw = Draw(int.from_bytes(compaction.key_id[-8:], "big") >> 1)
    after = compaction.first_seq - 1
    gone = house.store.read(lambda r: forgotten(r, scope))
    while page := house.store.read(
        lambda r, a=after: r.messages.of_session_after(scope, session, after=a, limit=PAGE)
    ):
        for message in page:
            if message.seq > compaction.last_seq:
                return draw.items()
            if message.key not in gone:
                draw.read(message)
            pause()
        after = page[-1].seq
    return draw.items()


def take_missing(house: House, scope: Scope, session: Session) -> list[str]:
    """What the session's next prompt is to be given of what its compaction cost, once."""
    known = house.store.read(lambda r: r.compactions.of_session(scope, session.ref, limit=1))
    if not known or known[0].restore_json == "[]" or known[0].state == "open":
        return []
    now = house.clock.now()

    def work(records: Records) -> list[str]:
        present = records.compactions.get(scope, known[0].ref)
        lines: list[str] = json.loads(present.restore_json)
        records.compactions.change(scope, present._replace(restore_json="[]"), now=now)
        return lines

    return house.store.write(work)


def find_compaction(records: Records, scope: Scope, name: str) -> Compaction:
    """A compaction by its id or any unique ending of it."""
    digits = id_ending(name)
    found: Sequence[Compaction] = (
        [] if digits is None else records.compactions.ending(scope, digits)
    )
    if len(found) == 1:
        return found[0]
    if found:
        raise CompactionUnknown(f"{name!r} fits {len(found)} compactions; give more of the id")
    raise CompactionUnknown(
        f"no compaction {name!r:.60}; `everthread compactions list` shows what there is"
    )


def restore(house: House, scope: Scope, name: str, chosen: Sequence[int] | None) -> list[str]:
    """Have evidence that is missing put into the next prompt: those numbers of it, or all; the lines."""
    now = house.clock.now()

    def work(records: Records) -> list[str]:
        compaction = find_compaction(records, scope, name)
        if compaction.score_json is None:
            raise BadInput("this compaction is not measured yet: its summary is not known so far")
        missing = read_outcome(compaction.score_json).missing
        numbers = range(1, len(missing) + 1) if chosen is None else chosen
        wrong: list[Any] = [n for n in numbers if not 1 <= n <= len(missing)]
        if wrong:
            raise BadInput(
                f"there is no item {wrong[0]}; {len(missing)} are missing, counted from 1"
            )
        lines = [missing[n - 1].line for n in numbers]
        waiting = dict.fromkeys([*json.loads(compaction.restore_json), *lines])
        told = compaction._replace(restore_json=json.dumps([*waiting]))
        records.compactions.change(scope, told, now=now)
        return lines

    return house.store.write(work)
