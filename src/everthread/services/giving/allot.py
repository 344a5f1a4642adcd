"""Allot: the one block of a turn, shared by all that has something to say to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.conversation.threads import Thread
from everthread.domain.exchanges.exchanges import Exchange
from everthread.domain.exchanges.notices import HEARD, HEARD_TOKENS, notice_parts
from everthread.domain.given.context import (
    LENDERS,
    MOST_NOTES,
    PRIMED,
    STATE,
    Allocation,
    Part,
    SectionRequest,
    allocate,
    caps,
    frame_tokens,
    note_parts,
    packed_parts,
    recount_block,
    state_part,
)
from everthread.domain.given.handwritten import by_hand_parts
from everthread.domain.given.packing import PackedBlock, pack
from everthread.domain.given.recent_sessions import RECENT, recent_parts
from everthread.domain.given.working_state import NOTHING, WorkingState, stored_state
from everthread.domain.ids import id_text
from everthread.domain.memory.notes import Note
from everthread.domain.recall.hits import Hit
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.words import query_words
from everthread.ports import House, Records

from .fork_recap import ForkRecap, recap_hits, recap_parts
from .handwritten_notes import read_handwritten
from .recent_sessions import hits_of
from .validity import key_of


class OwnContext(NamedTuple):
    """What a thread has to say to its own next turn."""

    thread: bytes
    state: WorkingState = NOTHING
    notes: Sequence[Note] = ()
    heard: Sequence[Exchange] = ()
    """What other agents sent, and it was not told of yet."""
    recent: Sequence[Session] = ()
    """The conversations before, for the first turns of a new one."""
    stood: ForkRecap | None = None
    """Where the task stood, for the first turn after a fork."""
    first: bool = False
    """Does a session begin with this turn? Then it is given what a person wrote into `MEMORY.md`."""


NO_CONTEXT = OwnContext(b"")


def own_context(records: Records, scope: Scope, thread: Thread) -> OwnContext:
    """The working state of the thread; the agent's notes are for its primary one.

    Before a thread is distilled its own messages tell what the agent is at, and better.
    """
    notes = records.notes.all(scope, limit=MOST_NOTES) if thread.kind == "primary" else ()
    distilled = thread.last_distilled_at is not None
    state = stored_state(thread.working_state) if distilled else NOTHING
    return OwnContext(thread.key_id, state, notes)


def allot(
    house: House,
    agent: AgentRow,
    text: str,
    own: OwnContext,
    primed: Sequence[Hit],
    recalled: Sequence[Hit],
) -> Allocation | None:
    """The sections of the turn's block, in their order, each within its budget."""
    count = house.tokenizer.count
    most, frame = _caps(house, agent, own), frame_tokens(count)
    lent = sum(most[name] for name in LENDERS)
    known = {note.key_id for note in own.notes}
    words = query_words(text) if text else ()
    state = state_part(own.state, own.thread, count=count, most=most[STATE])
    told = _pack(house, primed, most[PRIMED] + lent)
    asked = _pack(house, [h for h in recalled if key_of(h) not in known], most["recalled"], words)
    sections: dict[str, Sequence[Part]] = {
        STATE: [state] if state else [],
        PRIMED: [*recap_parts(own.stood, count=count, most=most[PRIMED]), *packed_parts(told)],
        HEARD: notice_parts(own.heard, count=count, most=most[HEARD]),
        "notes": [
            *_by_hand(house, agent, own, most["notes"]),
            *note_parts(own.notes, count=count, most=most["notes"]),
        ],
        RECENT: recent_parts(own.recent, count=count, most=most[RECENT]),
        "recalled": packed_parts(asked),
    }
    total = sum(most.values()) + frame
    wanted = [SectionRequest(name, parts, most[name]) for name, parts in sections.items()]
    found = recount_block(allocate(wanted, total, frame=frame), total, count)
    # What was left out before it came to the sections counts too.
    left = {PRIMED: told.left if told else 0, "recalled": asked.left if asked else 0}
    dropped = {name: number + left.get(name, 0) for name, number in found.dropped.items()}
    return found._replace(dropped=dropped) if found.tokens else None


def _by_hand(house: House, agent: AgentRow, own: OwnContext, most: int) -> list[Part]:
    """What a person wrote into `MEMORY.md`; the file is read for the first turn of a session only."""
    found = read_handwritten(house, agent.name) if own.first else None
    if found is None:
        return []
    count = house.tokenizer.count
    return by_hand_parts(*found, count=count, most=most, beside=bool(own.notes))


def _caps(house: House, agent: AgentRow, own: OwnContext) -> dict[str, int]:
    policy = house.policy
    figures = {
        STATE: policy.state_tokens,
        "notes": policy.note_tokens,
        "recalled": policy.recall_tokens,
    }
    # Nobody sent anything: there is no such section, and it takes no room.
    figures[HEARD] = HEARD_TOKENS if own.heard else 0
    return caps(agent.window, figures)


def _pack(
    house: House, hits: Sequence[Hit], tokens: int, words: Sequence[str] = ()
) -> PackedBlock | None:
    return pack(hits, tokens=tokens, count=house.tokenizer.count, words=words, redact=strip_secrets)


def quoted_hits(block: Allocation | None, hits: Sequence[Hit], own: OwnContext) -> list[Hit]:
    """What of the block may be gone a moment later; the working state is the thread's own."""
    shown: set[bytes] = set() if block is None else {placed.part.ref for placed in block.placed}
    noted = [Hit(n.id, n.text, 1.0, "note", n.created_ms, "note") for n in own.notes]
    heard = [Hit(id_text(e.key_id), "", 1.0, HEARD, e.created_ms, HEARD) for e in own.heard]
    told = (*hits, *noted, *heard, *hits_of(own.recent), *recap_hits(own.stood))
    return [hit for hit in told if key_of(hit) in shown]
