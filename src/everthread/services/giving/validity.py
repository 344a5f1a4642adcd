"""Does it still stand? What was recalled a moment ago may be erased, forgotten or replaced by now."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.exchanges.notices import HEARD
from everthread.domain.given.recent_sessions import SESSION
from everthread.domain.ids import place_at
from everthread.domain.memory.memories import Memory, is_valid, is_visible
from everthread.domain.recall.hits import Hit
from everthread.ports import Records

from .fork_recap import RECAP, recap_stands
from .recent_sessions import summaries_stand
from .surface import waiting_exchanges


def key_of(hit: Hit) -> bytes:
    return bytes.fromhex(hit.id.replace("-", ""))


def may_know(memory: Memory, scope: Scope, now: int) -> bool:
    """Does it hold, and may a turn there be told? Outside of all projects it is told of none."""
    if memory.reach == "project" and scope.project is None:
        return False
    return is_valid(memory, at=now) and is_visible(memory, scope)


def memories_of(records: Records, scope: Scope, hits: Sequence[Hit]) -> dict[bytes, Memory]:
    """The memories among the hits as they are now, also those that another agent shares."""
    keys = {key_of(hit) for hit in hits if hit.kind != "message"}
    own = (records.memories.find(scope, key) for key in keys)
    found = {memory.key_id: memory for memory in own if memory is not None}
    if len(found) < len(keys):
        found |= {m.key_id: m for m in records.memories.user_wide() if m.key_id in keys}
    return found


def all_stand(records: Records, scope: Scope, hits: Sequence[Hit], now: int) -> bool:
    """May all of these still be given to a turn there, as they were recalled?"""
    heard = {key_of(hit) for hit in hits if hit.kind == HEARD}
    if heard and not heard <= {e.key_id for e in waiting_exchanges(records, scope, now=now)}:
        return False  # another turn was told of it meanwhile, or it is erased
    if not summaries_stand(records, scope, [hit for hit in hits if hit.kind == SESSION]):
        return False
    if not all(recap_stands(records, scope, hit) for hit in hits if hit.kind == RECAP):
        return False
    hits = [hit for hit in hits if hit.kind not in (HEARD, SESSION, RECAP)]
    return _messages_stand(records, scope, hits) and _memories_stand(records, scope, hits, now)


def _messages_stand(records: Records, scope: Scope, hits: Sequence[Hit]) -> bool:
    """Is every quoted message, and each neighbour of one, still there, and as it was recalled?"""
    said = [hit for hit in hits if hit.kind == "message"]
    quoted = [message for hit in said for message in (*hit.messages, *hit.context)]
    places = {place_at(m.thread_ref, m.seq, archived=m.archived) for m in quoted}
    if not places:
        return True
    withheld = records.memories.withheld(scope)
    if any(withheld.get(message.key) == "forgotten" for message in quoted):
        return False
    if any(key_of(hit) in withheld and not hit.superseded for hit in said):
        return False
    return len(records.messages.placed(scope, places)) == len(places)


def _memories_stand(records: Records, scope: Scope, hits: Sequence[Hit], now: int) -> bool:
    """Does every quoted memory still hold, and is every quoted note still there?"""
    known = memories_of(records, scope, hits)
    if not all(may_know(memory, scope, now) for memory in known.values()):
        return False
    others = [hit for hit in hits if hit.kind != "message" and key_of(hit) not in known]
    return all(hit.kind == "note" and _is_note(records, scope, hit) for hit in others)


def _is_note(records: Records, scope: Scope, hit: Hit) -> bool:
    return bool(records.notes.ending(scope, key_of(hit).hex()))
