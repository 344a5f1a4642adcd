"""Recover: what a session is given at its start, by how it began.

Room for where the last session stood is reserved first; memories have what is left.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.forgetting.forgotten_sessions import COUNTED
from everthread.domain.given.recent_sessions import LONGEST
from everthread.domain.gleaning.digest import EMPTY, read_digest
from everthread.domain.harness.checkpoint_text import duration_text
from everthread.domain.harness.checkpoints import Checkpoint, CheckpointKind
from everthread.domain.harness.happenings import HARNESSES, Happening, Start
from everthread.domain.harness.recovery import BACK as GIVEN_BACK
from everthread.domain.harness.recovery import (
    PARTS,
    POINTER_CHARS,
    SUMMARY,
    Stand,
    beside_lines,
    count_left_out,
    grown_room,
    pointer_text,
    recovery_text,
    restored_text,
    sections,
    told_chars,
)
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import one_line
from everthread.domain.times import DAY, HOUR, moment_of
from everthread.ports import House, Records
from everthread.services.harness.checkpoint import ask_checkpoint, write_checkpoint
from everthread.services.harness.fold import never, newest_checkpoint, tail_of
from everthread.services.harness.give import BACK, START, GivenBlock, quoted_session
from everthread.services.harness.last_reply import last_reply
from everthread.services.harness.session_owner import may_go_on

from .previous import PreviousSession, let_go, previous_session, suspend
from .start_sections import (
    Page,
    add_by_hand,
    add_memories,
    add_recent,
    add_task,
    memories_for,
    renumber_items,
)

POINTED_DAYS = 7
LOOKED_AT = 50
"""Checkpoints of a session that are looked through for what its agent put down."""

MANY = 600
"""Messages that a start reads itself; more are left to the worker."""


def session_stand(
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
    before = house.store.read(lambda r: newest_checkpoint(r, scope, session))
    through = 0 if before is None else before.through_seq
    if min(session.last_seq - through, session.message_count) > MANY:
        return _stand_at_end(house, scope, session, kind, before, now)
    made, _ = write_checkpoint(house, agent, session, kind, late=late)
    if made is not None and made.through_seq < session.last_seq:
        return _stand_at_end(house, scope, session, kind, made, now)

    def work(records: Records) -> Stand | None:
        # Looked for again: the worker may have put it down a moment ago, and left nothing to add.
        last = made or newest_checkpoint(records, scope, session)
        if last is None:
            return None
        told = _own_digest(records, scope, session)
        return _stand(records, scope, session, last, told, now)

    found = house.store.read(work)
    if (
        found is None and before is not None
    ):  # an old one, pruned between two looks: it is made anew
        return session_stand(house, agent, session, kind, now=now, late=late)
    return found


def _stand_at_end(
    house: House,
    scope: Scope,
    session: Session,
    kind: CheckpointKind,
    before: Checkpoint | None,
    now: int,
) -> Stand:
    house.store.write(lambda r: ask_checkpoint(r, scope, session, kind, due_at=now, now=now))
    digest, snippets = tail_of(house, scope, session, before)
    told, reply = house.store.read(
        lambda r: (_own_digest(r, scope, session), last_reply(r, scope, session))
    )
    return Stand(heading(session, before, now), digest, told, snippets, reply)


def abandoned_stand(
    house: House, agent: AgentRow, session: Session, *, now: int, late: Callable[[], bool]
) -> Stand | None:
    """Where a session stood in which nobody works any more.

    A harness that was killed ended nothing: an `interrupted` checkpoint is written for its session
    now, and it is suspended (X-21). One whose process lives was not cut off: it may come back.
    """
    scope, left = Scope(agent.ref), session.state == "active"
    kind: CheckpointKind = "interrupted" if left else "session_end"
    told = session_stand(house, agent, session, kind, now=now, late=late)
    if left:
        house.store.write(lambda r: suspend(r, scope, session, now))
    if told is None or not house.store.read(lambda r: may_go_on(house, r, scope, session)):
        return told
    return told._replace(heading=told.heading.replace(CUT_OFF, QUIET, 1))


def _own_digest(records: Records, scope: Scope, session: Session) -> list[str]:
    """What the agent or a person put down last in a checkpoint of their own."""
    for checkpoint in records.checkpoints.of_session(scope, session.ref, limit=LOOKED_AT):
        if checkpoint.kind in ("agent", "explicit"):
            text = records.checkpoints.text(scope, checkpoint)
            return list(told_sections(text))
    return []


def told_sections(text: str) -> Iterator[str]:
    """The sections of a checkpoint's text that somebody told, without those that were counted."""
    heads = {f"### {name}": f"{name}:" for name in PARTS}
    above: str | None = None
    for line in text.split("\n"):
        if line in COUNTED:
            return
        if line in heads:
            above = heads[line]
        elif above is not None and line.strip():
            if above:
                yield above
            above = ""
            yield line.lstrip("#").lstrip() if line.startswith("#") else line


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
        reply=last_reply(records, scope, session),
    )


LAST, ONE, ANOTHER = "The last session", "A session", "Another session"
CUT_OFF, QUIET = "was cut off", "fell quiet"


def heading(session: Session, last: Checkpoint | None, now: int) -> str:
    """Which session, by whom, when: one line."""
    harness = HARNESSES.get(session.harness or "", session.harness or "a session")
    ended = CUT_OFF if last is not None and last.kind == "interrupted" else "ended"
    number = 0 if last is None else last.total_prompts
    prompts = f", {number:,} prompt{'s' if number > 1 else ''}" if number else ""
    at = moment_of(session.last_activity_ms)
    ago = duration_text(now - session.last_activity_ms)
    ident = _short_id(session)
    return f"{LAST} here ({harness}, {ident}{prompts}) {ended} {at:%Y-%m-%d %H:%M} UTC, {ago} ago."


def start_block(
    house: House,
    agent: AgentRow,
    happening: Happening,
    session: Session,
    start: Start,
    *,
    now: int,
    late: Callable[[], bool] = never,
) -> GivenBlock:
    """What a session that began like this is given."""
    scope = Scope(agent.ref, session.project_normalized)
    total = house.policy.start_chars
    page = Page(total, memories_for(house, scope, now))
    reserved = Room(min(house.policy.recovery_chars, total), page.room, total)
    if start == "compact":
        text, left = _after_compaction(house, agent, session, page.room, late)
        page.add("recovery", text, left=left)
        # What it was given at its start is no longer in its context either.
        add_by_hand(page, house, agent, happening, start)
        add_memories(page, house)
        reason = f"given back after a compaction: {page.log_text}"
        items = [quoted_session(session), *renumber_items(page.items)]
        return GivenBlock(page.text, BACK, items, reason, recovered=True)
    if start == "resume":
        first, left = _whole_text(house, agent, session, reserved, now=now, late=late)
        found = PreviousSession(session)
    else:
        found = house.store.read(
            lambda r: previous_session(house, r, scope, happening, session, now)
        )
        found = found.newest if start == "clear" else found  # nobody goes on from what was cut off
        first, left = _previous_text(house, agent, found, start, reserved, now=now, late=late)
        let_go(house, scope, found.abandoned, now)
    lines = "\n".join(filter(None, [first, *_others_line(found.others, now)]))[:total]
    page.add("recovery", lines, left=left)
    add_task(page, house, scope)
    add_by_hand(page, house, agent, happening, start)
    add_recent(page, house, scope, session, start, now)
    add_memories(page, house)
    quoted = [] if found.session is None or not first else [found.session, *found.beside]
    items = renumber_items([*page.items, *map(quoted_session, quoted)])
    reason = f"{start}: {'recovered' if first else 'nothing to recover'}, {page.log_text}"
    return GivenBlock(page.text, START, items, reason, recovered=bool(first) and start != "clear")


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
    asked = Room(chars, chars, chars)
    return _whole_text(house, agent, session, asked, now=now, late=late)[0]


class Room(NamedTuple):
    """Characters for where a session stood."""

    chars: int
    free: int
    """What it may grow to, and leave room for what stands."""
    most: int
    """What the words of an agent about it may take."""


def _whole_text(
    house: House,
    agent: AgentRow,
    session: Session,
    room: Room,
    *,
    now: int,
    late: Callable[[], bool],
) -> tuple[str, int]:
    if not session.message_count:
        return "", 0
    told = session_stand(house, agent, session, "periodic", now=now, late=late)
    return ("", 0) if told is None else _fit_stand(told, room)


def _fit_stand(told: Stand, room: Room) -> tuple[str, int]:
    """It, and how many lines of it found no room."""
    text = recovery_text(told, grown_room(told, *room))
    return text, count_left_out(sections(told), text)


def _previous_text(
    house: House,
    agent: AgentRow,
    found: PreviousSession,
    start: Start,
    room: Room,
    *,
    now: int,
    late: Callable[[], bool],
) -> tuple[str, int]:
    """Of the session before: all that matters, or after some hours a pointer; after `clear` one line.

    And how many lines of it found no room; a pointer leaves the rest to who asks.
    """
    session = found.session
    age = 0 if session is None else now - session.last_activity_ms
    if session is None or age > POINTED_DAYS * DAY:
        return "", 0
    if start == "clear":
        line = f"{heading(session, None, now)} {_way_back(session)}"
        return pointer_text(Stand(line), POINTER_CHARS), 0
    told = abandoned_stand(house, agent, session, now=now, late=late)
    if told is None:
        return "", 0
    if age >= house.policy.recovery_hours * HOUR:
        return _pointer(told, session, room), 0
    near = [abandoned_stand(house, agent, s, now=now, late=late) for s in found.beside]
    return _fit_stand(_with_beside(told, [each for each in near if each is not None]), room)


def _with_beside(told: Stand, near: Sequence[Stand]) -> Stand:
    """Where it stood, and in short what else nobody was told of."""
    if not near:
        return told
    named = [s._replace(heading=s.heading.replace(LAST, ANOTHER, 1)) for s in near]
    lines = [line for each in named for line in beside_lines(each)]
    return told._replace(heading=told.heading.replace(LAST, ONE, 1), beside=lines)


def _pointer(told: Stand, session: Session, room: Room) -> str:
    summary = one_line(strip_secrets(session.summary or ""), LONGEST)
    line = f"{told.heading} {_way_back(session)}"
    # The pointer, the summary and what the agent told come on top of the room for what is open.
    above = len(pointer_text(Stand(line), room.most))
    above += len(summary) + len(SUMMARY) if summary else 0
    most = min(room.chars, POINTER_CHARS + above) + told_chars(told)
    pointer = told._replace(heading=line, summary=summary)
    return pointer_text(pointer, min(room.most, most))


def _way_back(session: Session) -> str:
    """The command that tells the rest, as it can be typed."""
    return f"Its state can be brought back with `everthread sessions resume {_short_id(session)}`."


def _short_id(session: Session) -> str:
    return session.id.replace("-", "")[-8:]


def _others_line(others: Sequence[Session], now: int) -> list[str]:
    """Who else works here: one line for all of them."""
    if not others:
        return []
    ids = ", ".join(_short_id(s) for s in others[:5])
    count = "Another session works" if len(others) == 1 else f"{len(others)} other sessions work"
    return [
        f"Everthread: {count} in this project right now ({ids}); what it does is not repeated here."
    ]


def _after_compaction(
    house: House, agent: AgentRow, session: Session, chars: int, late: Callable[[], bool]
) -> tuple[str, int]:
    """Rules, open requests and evidence; what a compaction that nobody announced left is caught up with."""
    _, digest = write_checkpoint(house, agent, session, "pre_compaction", late=late)
    if not digest.points and not digest.ledger:
        return "", 0
    line = "This conversation was compacted a moment ago. What must not be lost of it:"
    text = restored_text(digest, line, chars)
    return text, count_left_out(
        [s for s in sections(Stand(line, digest)) if s.name in GIVEN_BACK], text
    )
