"""Recover: what a session is given at its start, by how it began.

Room for where the last session stood is reserved first; memories have what is left.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.given.packing import Packed, pack
from everthread.domain.given.recent import LONGEST, recent_block
from everthread.domain.gleaning.digest import EMPTY, read_digest
from everthread.domain.harness.checkpoint_text import elapsed
from everthread.domain.harness.checkpoints import Checkpoint, CheckpointKind
from everthread.domain.harness.happenings import HARNESSES, Happening, Start
from everthread.domain.harness.recovery import (
    POINTER_CHARS,
    SUMMARY,
    Stand,
    given_back,
    pointed,
    recovered,
)
from everthread.domain.memory.memories import Memory, valid, visible, weight
from everthread.domain.recall.hits import Hit
from everthread.domain.redaction.secrets import redacted
from everthread.domain.text.fences import one_line
from everthread.domain.times import DAY, HOUR, moment_of
from everthread.ports import House, Records
from everthread.services.archive.end import ask_conclusion
from everthread.services.archive.owning import alive
from everthread.services.giving.recent import recent
from everthread.services.harness.checkpoint import ask, write
from everthread.services.harness.folding import never, newest, tail_of
from everthread.services.harness.giving import BACK, START, Begun, items_of, quoted
from everthread.services.harness.stretch import began

POINTED_DAYS = 7
LOOKED_AT = 50
"""Sessions of a project that are looked through for the one to go on from."""

MANY = 600
"""Messages that a start reads itself; more are left to the worker."""

MOST_MEMORIES = 40
LONGEST_KNOWN = 10_000
CHARS_PER_TOKEN = 4
LEAST_CHARS = 300
"""With less room than this, memories are left out."""


class Found(NamedTuple):
    """The session to go on from, and those at which somebody else works."""

    session: Session | None
    others: Sequence[Session] = ()


def before_this(
    house: House, records: Records, scope: Scope, happening: Happening, session: Session, now: int
) -> Found:
    """By lineage, then by project, then the newest (R-28); never one that is alive (R-26)."""
    project = session.project_normalized
    candidates: Sequence[Session] = ()
    if project is not None:
        candidates = records.sessions.of_project(scope, project, limit=LOOKED_AT)
    # One in which nothing was said has nothing to give.
    own = [s for s in candidates if s.ref != session.ref and s.message_count]
    living = [s for s in own if alive(house, records, scope, s, now=now)]
    if began(records, scope, session).after:
        return Found(session, living)  # it was cleared, and kept its id
    if happening.previous:
        named = records.sessions.find(scope, happening.previous)
        if named is not None and named not in living:
            return Found(named, living)
    dead = [s for s in own if s not in living]
    return Found(dead[0] if dead else None, living)


def stood(
    house: House,
    agent: AgentRow,
    session: Session,
    kind: CheckpointKind,
    *,
    now: int,
    late: Callable[[], bool] = never,
) -> Stand | None:
    """Where a session stood; its last words are put down first, should nobody have done that.

    Where that would take long, or does, the worker is asked for it, and the end is read.
    """
    scope = Scope(agent.ref)
    before = house.store.read(lambda r: newest(r, scope, session))
    through = 0 if before is None else before.through_seq
    if min(session.last_seq - through, session.message_count) > MANY:
        return _its_end(house, scope, session, kind, before, now)
    made, _ = write(house, agent, session, kind, late=late)
    if made is not None and made.through_seq < session.last_seq:
        return _its_end(house, scope, session, kind, made, now)

    def work(records: Records) -> Stand | None:
        # Looked for again: the worker may have put it down a moment ago, and left nothing to add.
        last = made or newest(records, scope, session)
        if last is None:
            return None
        told = _own_digest(records, scope, session)
        return _stand(records, scope, session, last, told, now)

    return house.store.read(work)


def _its_end(
    house: House,
    scope: Scope,
    session: Session,
    kind: CheckpointKind,
    before: Checkpoint | None,
    now: int,
) -> Stand:
    house.store.write(lambda r: ask(r, scope, session, kind, due_at=now, now=now))
    digest, snippets = tail_of(house, scope, session, before)
    told = house.store.read(lambda r: _own_digest(r, scope, session))
    return Stand(heading(session, before, now), digest, told, snippets)


def left(
    house: House, agent: AgentRow, session: Session, *, now: int, late: Callable[[], bool]
) -> Stand | None:
    """Where a session stood in which nobody works any more.

    A harness that was killed ended nothing: an `interrupted` checkpoint is written for its session
    now, and it is suspended (X-21).
    """
    if session.state != "active":
        return stood(house, agent, session, "session_end", now=now, late=late)
    told = stood(house, agent, session, "interrupted", now=now, late=late)
    house.store.write(lambda r: _suspended(r, Scope(agent.ref), session, now))
    return told


def _suspended(records: Records, scope: Scope, session: Session, now: int) -> None:
    # Looked at again: its harness may have gone on with it a moment ago.
    present = records.sessions.get(scope, session.ref)
    if present.state == "active" and present.last_activity_ms == session.last_activity_ms:
        moved = records.sessions.move(scope, present, "suspended", now=now)
        ask_conclusion(records, scope, moved, now=now)


def _own_digest(records: Records, scope: Scope, session: Session) -> list[str]:
    """What the agent or a person put down last in a checkpoint of their own."""
    for checkpoint in records.checkpoints.of_session(scope, session.ref, limit=LOOKED_AT):
        if checkpoint.kind in ("agent", "explicit"):
            text = records.checkpoints.text(scope, checkpoint)
            return list(told_part(text))
    return []


def told_part(text: str) -> Iterator[str]:
    """The sections of a checkpoint's text that somebody told, without those that were counted."""
    told = ("### Summary", "### Decisions", "### State", "### Blockers", "### Next Steps")
    inside = False
    for line in text.split("\n"):
        if line.startswith("### "):
            inside = line in told
            if inside:
                yield f"{line[4:]}:"
        elif inside and line.strip():
            yield line


def _stand(
    records: Records,
    scope: Scope,
    session: Session,
    last: Checkpoint,
    told: Sequence[str],
    now: int,
) -> Stand:
    state = records.checkpoints.state(scope, last)
    counted: dict[str, Any] = json.loads(last.activity_json)
    return Stand(
        heading=heading(session, last, now),
        digest=read_digest(state) if state else EMPTY,
        told=told,
        snippets=[str(text) for text in counted.get("snippets", [])],
    )


def heading(session: Session, last: Checkpoint | None, now: int) -> str:
    """Which session, by whom, when: one line."""
    harness = HARNESSES.get(session.harness or "", session.harness or "a session")
    ended = "was cut off" if last is not None and last.kind == "interrupted" else "ended"
    prompts = f", {last.total_prompts} prompts" if last is not None and last.total_prompts else ""
    at = moment_of(session.last_activity_ms)
    ago = elapsed(now - session.last_activity_ms)
    ident = session.id.replace("-", "")[-8:]
    return f"The last session here ({harness}, {ident}{prompts}) {ended} {at:%Y-%m-%d %H:%M} UTC, {ago} ago."


def begun(
    house: House,
    agent: AgentRow,
    happening: Happening,
    session: Session,
    start: Start,
    *,
    now: int,
    late: Callable[[], bool] = never,
) -> Begun:
    """What a session that began like this is given."""
    scope = Scope(agent.ref, session.project_normalized)
    total, reserved = (
        house.policy.start_chars,
        min(house.policy.recovery_chars, house.policy.start_chars),
    )
    if start == "compact":
        text = _after_compaction(house, agent, session, total, late)
        why = "given back after a compaction"
        # What it was given at its start is no longer in its context either.
        known = _memories(house, scope, text, total - len(text) - 1, now)
        whole = "\n".join(filter(None, [text, known.text if known else ""]))
        items = [quoted(session), *([] if known is None else items_of(known))]
        return Begun(whole, BACK, items, reason=why, recovered=True)
    if start == "resume":
        first = whole_stand(house, agent, session, chars=reserved, now=now, late=late)
        found = Found(session)
    else:
        found = house.store.read(lambda r: before_this(house, r, scope, happening, session, now))
        first = _from(house, agent, found, start, reserved, now=now, late=late)
    lines = "\n".join(filter(None, [first, *_living(found.others, now)]))[:total]
    task = _task_at_hand(house, scope, total - len(lines) - 1)
    lines = "\n".join(filter(None, [lines, task]))
    lines, told = _with_recent(house, scope, session, start, lines, total, now)
    packed = _memories(house, scope, lines, total - len(lines) - 1, now)
    text = "\n".join(filter(None, [lines, packed.text if packed else ""]))
    items = [] if packed is None else items_of(packed)
    reason = (
        f"{start}: {'recovered' if first else 'nothing to recover'}, "
        f"{f'recent {len(told)}, ' if told else ''}memories {len(items)}"
    )
    items += [quoted(one)._replace(rank=len(items) + n) for n, one in enumerate(told, 1)]
    items += [quoted(found.session)] if first and found.session is not None else []
    return Begun(text, START, items, reason, recovered=bool(first) and start != "clear")


def _task_at_hand(house: House, scope: Scope, chars: int) -> str:
    """Where the task stands that the project is at; "" where it is at none."""
    project = scope.project
    if project is None or not house.store.read(
        lambda r: r.tasks.of_project(scope, project, limit=1)
    ):
        return ""
    from everthread.services.tasks.at_hand import at_hand  # noqa: PLC0415 - only who has tasks

    return house.store.read(
        lambda r: at_hand(r, scope, project, chars=chars, count=house.tokenizer.count)
    )


def _with_recent(
    house: House, scope: Scope, session: Session, start: Start, lines: str, total: int, now: int
) -> tuple[str, list[Session]]:
    """The lines with the conversations before, where a session is new; and which those are.

    One whose summary is told already is not told twice.
    """
    if start not in ("startup", "fork"):
        return lines, []
    known = house.store.read(lambda r: recent(house, r, scope, without=session.ref, now=now))
    new = [one for one in known if one_line(redacted(one.summary or ""), LONGEST) not in lines]
    text, told = recent_block(new, total - len(lines) - 1)
    return "\n".join(filter(None, [lines, text])), told


def whole_stand(
    house: House,
    agent: AgentRow,
    session: Session,
    *,
    chars: int,
    now: int,
    late: Callable[[], bool] = never,
) -> str:
    """Where a session stood, in as much room as is asked for; empty where nothing was said in it."""
    if not session.message_count:
        return ""
    told = stood(house, agent, session, "periodic", now=now, late=late)
    return "" if told is None else recovered(told, chars)


def _from(
    house: House,
    agent: AgentRow,
    found: Found,
    start: Start,
    chars: int,
    *,
    now: int,
    late: Callable[[], bool],
) -> str:
    """Of the session before: all that matters, or after some hours a pointer; after `clear` one line."""
    session = found.session
    if session is None:
        return ""
    age = now - session.last_activity_ms
    if age > POINTED_DAYS * DAY:
        return ""
    if start == "clear":
        return pointed(Stand(f"{heading(session, None, now)} {_HOW}"), POINTER_CHARS)
    told = left(house, agent, session, now=now, late=late)
    if told is None:
        return ""
    if age < house.policy.recovery_hours * HOUR:
        return recovered(told, chars)
    summary = one_line(redacted(session.summary or ""), LONGEST)
    # The summary comes on top of the room for what is open.
    most = POINTER_CHARS + (len(summary) + len(SUMMARY) if summary else 0)
    pointer = told._replace(heading=f"{told.heading} {_HOW}", summary=summary)
    return pointed(pointer, min(chars, most))


_HOW = "Its state can be brought back with `everthread sessions resume`."


def _living(others: Sequence[Session], now: int) -> list[str]:
    """Who else works here: one line for all of them."""
    if not others:
        return []
    ids = ", ".join(s.id.replace("-", "")[-8:] for s in others[:5])
    count = "Another session works" if len(others) == 1 else f"{len(others)} other sessions work"
    return [
        f"Everthread: {count} in this project right now ({ids}); what it does is not repeated here."
    ]


def _after_compaction(
    house: House, agent: AgentRow, session: Session, chars: int, late: Callable[[], bool]
) -> str:
    """Rules, open requests and evidence; what a compaction that nobody announced left is caught up with."""
    _, digest = write(house, agent, session, "pre_compaction", late=late)
    if not digest.points and not digest.ledger:
        return ""
    line = "This conversation was compacted a moment ago. What must not be lost of it:"
    return given_back(digest, line, chars)


def _memories(house: House, scope: Scope, told: str, chars: int, now: int) -> Packed | None:
    """The memories that matter most here and are not told already, in what room is left."""
    if chars < LEAST_CHARS:
        return None
    kept = house.store.read(lambda r: r.memories.all(scope, state="kept", limit=1_000))
    known = one_line(told, len(told) + 1)
    mine = [
        memory
        for memory in kept
        if visible(memory, scope)
        and valid(memory, at=now)
        and one_line(redacted(memory.text), LONGEST_KNOWN) not in known
    ]
    mine.sort(key=lambda m: (bool(m.pinned), weight(m, now=now), m.updated_ms), reverse=True)
    hits = [_hit(memory) for memory in mine[:MOST_MEMORIES]]
    tokens = chars // CHARS_PER_TOKEN
    while tokens > LEAST_CHARS // CHARS_PER_TOKEN:
        packed = pack(hits, tokens=tokens, count=house.tokenizer.count, redact=redacted)
        if packed is None or len(packed.text) <= chars:
            return packed
        tokens = tokens * 9 // 10
    return None


def _hit(memory: Memory) -> Hit:
    return Hit(
        memory.id, memory.text, 1.0, memory.kind, memory.updated_ms, "kept", origin=memory.origin
    )
