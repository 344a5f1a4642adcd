"""Notes: written down under a category, listed, deleted."""

from __future__ import annotations

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checks import checked_text, optional_text
from everthread.domain.errors import BadInput, MemoryRefused, NoteUnknown
from everthread.domain.given.packing import strip_frames
from everthread.domain.lookup import Lookup
from everthread.domain.memory.memories import ORIGINS
from everthread.domain.memory.notes import LONGEST_CATEGORY, LONGEST_NOTE, Note
from everthread.domain.text.fences import strip_unseen
from everthread.domain.text.sayings import trim_blanks
from everthread.ports import House, Records
from everthread.services.job_names import ERASURE, SETTLE

from .index import catch_up
from .remember import text_without_secrets

SOUGHT = Lookup("note", "notes", "everthread notes list", NoteUnknown)
MOST = 100_000
"""More notes than that no listing looks at."""


def note(
    house: House,
    agent: AgentRow,
    text: object,
    *,
    category: object = "note",
    origin: object = "agent",
    thread: int | None = None,
) -> Note:
    """Write it down, without secrets."""
    if origin not in ORIGINS:
        raise BadInput(f"origin must be one of {', '.join(ORIGINS)}; got {origin!r:.40}")
    given = checked_text("a note", text, longest=LONGEST_NOTE)
    said, _ = text_without_secrets(trim_blanks(strip_unseen(strip_frames(given))))
    if not said:
        raise MemoryRefused("this is not kept as a note: it is our own text, come back")
    under = checked_text("category", category, longest=LONGEST_CATEGORY).strip().lower()
    now = house.clock.now()
    fresh = Note(0, 0, house.ids.new(), thread, under, said, origin, now, None, 0)
    return house.store.write(lambda r: r.notes.add(Scope(agent.ref), fresh))


def list_notes(house: House, agent: AgentRow, category: object, limit: int) -> list[Note]:
    """The notes, newest first; of one category, if it is named."""
    wanted = optional_text("category", category, longest=LONGEST_CATEGORY)
    scope, most = Scope(agent.ref), limit if wanted is None else MOST
    found = house.store.read(lambda r: r.notes.all(scope, limit=most))
    fits = (n for n in found if wanted is None or n.category == wanted.strip().lower())
    return list(fits)[:limit]


def delete_note(house: House, agent: AgentRow, name: object) -> Note:
    """Delete the note of that id, or unique ending of one. Its text goes for good."""

    def work(records: Records) -> Note:
        scope, now = Scope(agent.ref), house.clock.now()
        gone = records.notes.delete(scope, find_note(records, scope, name), now=now)
        records.jobs.add(SETTLE, "{}", due_at=now, now=now, once=ERASURE)
        return gone

    gone = house.store.write(work)
    catch_up(house, agent)  # the index holds no word of it any longer
    return gone


def find_note(records: Records, scope: Scope, name: object) -> Note:
    """A note by its id or any unique ending of it."""
    return SOUGHT.found(name, lambda digits: records.notes.ending(scope, digits))
