"""A harness compacts its own context: what must be kept is on disk before, and measured afterwards.

It decides when; we never distill its thread behind its back (R-1). Before, the transcript is read to
its end and a checkpoint is written, within a limit. Afterwards the rules, the open requests and the
evidence are given back at once, its own summary is scored as soon as it is known, and what is still
missing follows with the next prompt (R-21).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.distilling.continuity import MOST, MOST_RULES, Draw, Item
from everthread.domain.errors import BadInput, CompactionUnknown
from everthread.domain.forgetting.forgotten_texts import forgotten_of
from everthread.domain.harness.checkpoints import WITHHELD, Checkpoint, Compaction
from everthread.domain.harness.compaction_loss import (
    RESTORED_CHARS,
    Outcome,
    lines_to_restore,
    outcome,
    read_outcome,
    restored_chars,
)
from everthread.domain.harness.recovery import unfolded
from everthread.domain.lookup import Lookup
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import flatten, one_line
from everthread.domain.times import SECOND
from everthread.ports import House, Records
from everthread.services.archive.sources import forgotten_keys, messages_of
from everthread.services.job_names import COMPACTION

from .fold import PAGE
from .stretch import compaction_history, context_start, stretch_of

SOUGHT = Lookup("compaction", "compactions", "everthread compactions list", CompactionUnknown)
LONGEST_SUMMARY = 200_000
LONGEST_REASON = 200
MEANWHILE = 10 * SECOND
"""So far apart a hook and the transcript may say when something was."""


def announce(
    house: House, scope: Scope, session: Session, trigger: str, checkpoint: Checkpoint | None
) -> Compaction:
    """Put down that a compaction is about to happen; one that never did is taken over."""
    now = house.clock.now()

    def work(records: Records) -> Compaction:
        announced = compaction_history(records, scope, session).announced
        ref = None if checkpoint is None else checkpoint.ref
        first = stretch_of(records, scope, session).first
        seqs = {"first_seq": first, "last_seq": session.last_seq}
        if announced is not None:
            again = announced._replace(checkpoint_ref=ref, trigger=trigger, **seqs)
            return records.compactions.change(scope, again, now=now)
        fresh = _blank(house, session, trigger, now)._replace(checkpoint_ref=ref, **seqs)
        return records.compactions.add(scope, fresh)

    return house.store.write(work)


def is_overtaken(records: Records, scope: Scope, session: Session, *, at: int) -> bool:
    """Did what was told of then come about already? Nothing was said by then since the last one."""
    last = compaction_history(records, scope, session).last
    return last is not None and not _was_anything_said(records, scope, session, last.last_seq, at)


def _was_anything_said(
    records: Records, scope: Scope, session: Session, after: int, at: int
) -> bool:
    """Was anything said after that message, by then?"""
    found = records.messages.of_session_after(scope, session, after=after, limit=1)
    return any(message.at_ms <= at for message in found)


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


def record_happened(house: House, scope: Scope, session: Session, *, at: int) -> Compaction:
    """It happened by then: a new stretch of the context begins, whether anybody announced it or not.

    Told twice, by its start and by its summary, it is one: nothing was said in between.
    """
    now = house.clock.now()

    def work(records: Records) -> Compaction:
        known = compaction_history(records, scope, session)
        if known.announced is not None:
            given = known.announced._replace(state="given")
            if _was_anything_said(records, scope, session, given.last_seq, at):
                given = given._replace(last_seq=session.last_seq)
            return records.compactions.change(scope, given, now=now)
        if known.last is not None and is_overtaken(records, scope, session, at=at):
            return known.last
        first = stretch_of(records, scope, session).first
        fresh = _blank(house, session, "unknown", now)._replace(
            state="given", first_seq=first, last_seq=session.last_seq
        )
        return records.compactions.add(scope, fresh)

    return house.store.write(work)


def add_given(records: Records, scope: Scope, session: Session, text: str, *, now: int) -> None:
    """What was given back beside the last one; where that is measured already, it is measured again."""
    last = compaction_history(records, scope, session).last
    if last is not None and text:
        _add_text(records, scope, last, text, now=now)


def _add_text(
    records: Records, scope: Scope, compaction: Compaction, text: str, *, now: int
) -> None:
    """That text was given back beside it: what it holds is lost no longer."""
    before = records.compactions.given(scope, compaction)
    whole = f"{before}\n{text}" if before else text
    told = records.compactions.change(scope, compaction, given=whole, now=now)
    if told.summary_hash is not None and records.compactions.summary(scope, told) != WITHHELD:
        _ask(records, scope, told, now=now)


def _ask(records: Records, scope: Scope, compaction: Compaction, *, now: int) -> None:
    """Have it measured, with all that was given until then."""
    order = json.dumps({"agent": scope.agent, "compaction": compaction.ref})
    once = f"{compaction.ref}"
    records.jobs.add(COMPACTION, order, due_at=now, now=now, agent=scope.agent, once=once)


def add_summary(house: House, scope: Scope, session: Session, summary: str) -> Compaction | None:
    """The harness's summary is known: keep it, and have it scored. None where it is known already.

    One that was announced has happened, then.
    """
    now = house.clock.now()
    text = strip_secrets(summary)[:LONGEST_SUMMARY]

    def work(records: Records) -> Compaction | None:
        known = compaction_history(records, scope, session)
        found = known.announced or known.last
        if found is None or found.summary_hash is not None:
            return None
        earlier = (records.compactions.summary(scope, one) for one in known.happened)
        if found.state == "open" and text in earlier:
            return None  # a transcript that is read again tells nothing of what was announced
        found = found._replace(state="given") if found.state == "open" else found
        if _says_forgotten(records, scope, session, text):
            return records.compactions.change(scope, found, summary=WITHHELD, now=now)
        told = records.compactions.change(scope, found, summary=text, now=now)
        _ask(records, scope, told, now=now)
        return told

    return house.store.write(work)


def decline(house: House, scope: Scope, session: Session, why: str, *, at: int) -> None:
    """The harness did not compact, though it had announced it by then."""
    now = house.clock.now()
    told = one_line(strip_secrets(why), LONGEST_REASON)

    def work(records: Records) -> None:
        announced = compaction_history(records, scope, session).announced
        # A transcript that is read again tells of earlier ones.
        if announced is not None and at >= announced.created_ms - MEANWHILE:
            over = announced._replace(state="failed", error=told)
            records.compactions.change(scope, over, now=now)

    house.store.write(work)


def _says_forgotten(records: Records, scope: Scope, session: Session, text: str) -> bool:
    """Does a line of it repeat a message of the session that was forgotten since?"""
    said = messages_of(records, scope, forgotten_keys(records, scope)).values()
    mine = [m for m in said if m.session_ref == session.ref]
    gone = forgotten_of((), mine, ())
    whole = any(words in flatten(text).casefold() for words in gone.words if words)
    return whole or any(gone.came_from(line.strip(" -*")) for line in text.split("\n"))


def run_compaction_job(house: House, payload: str, pause: Callable[[], None]) -> None:
    """The job: measure what the compaction kept, and see to what is missing."""
    told = json.loads(payload)
    scope = Scope(told["agent"])
    agent, compaction = house.store.read(
        lambda r: (r.agents.get(scope), r.compactions.get(scope, told["compaction"]))
    )
    summary = house.store.read(lambda r: r.compactions.summary(scope, compaction))
    if summary not in ("", WITHHELD):
        measure(house, agent, compaction, pause=pause)


def measure(
    house: House, agent: AgentRow, compaction: Compaction, *, pause: Callable[[], None]
) -> Outcome:
    """Draw items from what was compacted, and look for them in the summary and in what we gave."""
    from everthread.services.distilling.score import score  # noqa: PLC0415 - slow to load; most processes never measure

    scope = Scope(agent.ref)
    session, summary, given = house.store.read(
        lambda r: (
            r.sessions.get(scope, compaction.session_ref),
            r.compactions.summary(scope, compaction),
            r.compactions.given(scope, compaction),
        )
    )
    items = _draw_items(house, scope, session, compaction, pause)
    context = f"{summary}\n{given}\n{unfolded(given)}"
    seconds = house.policy.score_seconds
    more = [item for item in items if item.kind == "rules"][MOST:]
    items = [item for item in items if item not in more]
    scored = score(
        house,
        agent,
        session.thread_ref,
        items,
        context,
        beside=more,
        seconds=seconds,
        pause=pause,
    )
    found = outcome(items, summary, context, scored.score, scored.lost_items, beside=more)
    now = house.clock.now()

    def work(records: Records) -> None:
        present = records.compactions.get(scope, compaction.ref)
        if present.summary_hash != compaction.summary_hash:
            return  # something in it was forgotten meanwhile
        told = present._replace(
            state="scored",
            score_json=found.text(),
            restore_json=json.dumps(_lines_to_follow(records, scope, session, present, found)),
            scored_ms=now,
        )
        records.compactions.change(scope, told, now=now)

    house.store.write(work)
    return found


def _lines_to_follow(
    records: Records, scope: Scope, session: Session, compaction: Compaction, found: Outcome
) -> list[str]:
    """What is to follow with the next prompts: what was asked for, and what is missing by now."""
    before = compaction.score_json
    outdated: list[str] = [] if before is None else lines_to_restore(read_outcome(before))
    asked: list[str] = json.loads(compaction.restore_json)
    kept = [line for line in asked if line not in outdated]
    if context_start(records, scope, session).after >= compaction.last_seq:
        return kept  # its conversation was cleared meanwhile
    # What followed already is not told twice, and takes its part of the room.
    followed = [line for line in outdated if line not in asked]
    new = [
        line
        for line in lines_to_restore(found, RESTORED_CHARS - restored_chars(followed))
        if line not in outdated or line in asked
    ]
    return [*dict.fromkeys([*kept, *new])]


def _draw_items(
    house: House,
    scope: Scope,
    session: Session,
    compaction: Compaction,
    pause: Callable[[], None],
) -> list[Item]:
    """Items from the messages that it stands for; which ones follows from its id."""
    draw = Draw(int.from_bytes(compaction.key_id[-8:], "big") >> 1, most_rules=MOST_RULES)
    after = compaction.first_seq - 1
    gone = house.store.read(lambda r: forgotten_keys(r, scope))
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


def missing_lines(records: Records, scope: Scope, session: Session) -> list[str]:
    """What the session's next prompts are to be given of what its compactions cost."""
    known = compaction_history(records, scope, session).happened
    return [*dict.fromkeys(line for one in known for line in json.loads(one.restore_json))]


def remove_given(
    records: Records, scope: Scope, session: Session, given: Collection[str], *, now: int
) -> None:
    """Those lines wait no longer: they were given, or belong to what was cleared."""
    for one in compaction_history(records, scope, session).happened:
        waiting: list[str] = json.loads(one.restore_json)
        left = [line for line in waiting if line not in given]
        if left != waiting:
            told = one._replace(restore_json=json.dumps(left))
            records.compactions.change(scope, told, now=now)


def add_restored(
    records: Records, scope: Scope, session: Session, given: Collection[str], *, now: int
) -> None:
    """Those lines were given with a prompt: each counts as given back where it had been left out."""
    for one in compaction_history(records, scope, session).happened:
        lines = [line for line in json.loads(one.restore_json) if line in given]
        if lines:
            _add_text(records, scope, one, "\n".join(lines), now=now)
    remove_given(records, scope, session, given, now=now)


def find_compaction(records: Records, scope: Scope, name: object) -> Compaction:
    """A compaction by its id or any unique ending of it."""
    return SOUGHT.found(name, lambda digits: records.compactions.ending(scope, digits))


def restore(house: House, scope: Scope, name: object, chosen: Sequence[int] | None) -> list[str]:
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
