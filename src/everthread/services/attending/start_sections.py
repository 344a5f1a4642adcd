"""What a start is given beside where the last session stood, section by section.

Its sections stand in the order of a turn's block: where it stood, the task at hand, what a person wrote
down, recent conversations, memories. Each has what room those before it left, and says what it dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.distilling.context_text import ContextText
from everthread.domain.given.handwritten import BY_HAND, by_hand_block, reads_itself
from everthread.domain.given.injections import GivenItem
from everthread.domain.given.packing import CLOSING, OPENING, PackedBlock, pack
from everthread.domain.given.recent_sessions import LONGEST, recent_block
from everthread.domain.given.report_series import newest_of_each
from everthread.domain.given.start_memories import (
    NONE_KNOWN,
    StartMemories,
    choose_memories,
    sort_memories,
    without_echoes,
)
from everthread.domain.harness.happenings import Happening, Start
from everthread.domain.memory.memories import Memory
from everthread.domain.recall.hits import Hit
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import one_line
from everthread.ports import House, Records
from everthread.services.giving.handwritten_notes import read_handwritten
from everthread.services.giving.recent_sessions import recent_sessions
from everthread.services.giving.validity import may_know
from everthread.services.harness.give import items_of, quoted_session
from everthread.services.memory.provenance import said_times

MOST_STANDING = 1_000
MOST_OF_PROJECT = 500
MOST_LATELY = 500
"""So many of what stands, of the project's and of those last said are looked at."""

LONGEST_KNOWN = 10_000
CHARS_PER_TOKEN = 4
LEAST_CHARS = 300
"""With less room than this, memories are left out."""

FRAME = len(OPENING) + len(CLOSING)
KEPT_FREE = 4
"""The share of the page that is kept free for what stands, should it need as much."""


class Page:
    """The text of a start as it grows, never beyond its room; and what each section left out."""

    def __init__(self, chars: int, known: StartMemories = NONE_KNOWN) -> None:
        self._chars = chars
        self.known = known
        self._free = _reserved_chars(known, chars)
        self.text = ""
        self.items: list[GivenItem] = []
        self.given: dict[str, int] = {}
        self.dropped: dict[str, int] = {}

    @property
    def all_room(self) -> int:
        return self._chars - len(self.text) - 1 if self.text else self._chars

    @property
    def room(self) -> int:
        """What a section may take that comes before the memories: it leaves room for what stands."""
        return max(0, self.all_room - self._free)

    def add(
        self,
        name: str,
        text: str,
        items: Sequence[GivenItem] = (),
        *,
        given: int = 0,
        left: int = 0,
    ) -> None:
        self.text = "\n".join(filter(None, [self.text, text]))
        self.items += items
        self.given[name] = given
        self.dropped[name] = left

    @property
    def log_text(self) -> str:
        """What it gave and dropped, for the log; how many memories is told in any case."""
        given = [f"{n} {k}" for n, k in self.given.items() if k or n == "memories"]
        left = ", ".join(f"{n} {k}" for n, k in self.dropped.items() if k)
        return ", ".join([*given, *([f"left out: {left}"] if left else [])])


def add_task(page: Page, house: House, scope: Scope) -> None:
    """Where the task stands that the project is at, if it is at one."""
    project = scope.project
    if project is None or not house.store.read(
        lambda r: r.tasks.of_project(scope, project, limit=1)
    ):
        return
    from everthread.services.tasks.current_task import current_task_text  # noqa: PLC0415 - only who has tasks

    count, room = house.tokenizer.count, page.room
    text, left = house.store.read(
        lambda r: current_task_text(r, scope, project, chars=room, count=count)
    )
    page.add("task", text, given=int(bool(text)), left=left)


def add_by_hand(
    page: Page, house: House, agent: AgentRow, happening: Happening, start: Start
) -> None:
    """What a person wrote into `MEMORY.md`, where a context begins and the harness does not read it."""
    if start == "resume" or house.workspace is None:
        return
    place = house.workspace.path(agent.name)
    if reads_itself(happening.harness, happening.folder, place):
        return
    found = read_handwritten(house, agent.name)
    if found is None:
        return
    text, ref, left = by_hand_block(*found, page.room)
    items = [GivenItem(0, BY_HAND, ref, 1.0, BY_HAND)] if text else []
    page.add("notes", text, items, given=len(items), left=left)


def add_recent(
    page: Page, house: House, scope: Scope, session: Session, start: Start, now: int
) -> None:
    """The conversations before, where a session is new. One whose summary is told already is not
    told twice.
    """
    if start not in ("startup", "fork"):
        return
    known = house.store.read(
        lambda r: recent_sessions(house, r, scope, without=session.ref, now=now)
    )
    new = [s for s in known if one_line(strip_secrets(s.summary or ""), LONGEST) not in page.text]
    text, told = recent_block(new, page.room)
    items = [quoted_session(one) for one in told]
    page.add("recent", text, items, given=len(told), left=len(new) - len(told))


def memories_for(house: House, scope: Scope, now: int) -> StartMemories:
    """What may be told at a start there: what stands, what is the project's, and what was said last.

    Each is as old as what was said: what a late worker or an import kept today is no newer for it.
    """

    def work(records: Records) -> tuple[list[Memory], set[bytes]]:
        of, project = records.memories, scope.project
        here = () if project is None else of.of_project(scope, project, limit=MOST_OF_PROJECT)
        shared = (m for m in of.user_wide() if m.agent_ref != scope.agent)
        stand = of.standing(scope, at=now, limit=MOST_STANDING)
        lately = of.all(scope, state="kept", limit=MOST_LATELY)
        found = {m.key_id: m for m in (*stand, *here, *shared, *lately)}
        known = [memory for memory in found.values() if may_know(memory, scope, now)]
        said = said_times(records, scope, known)
        dated = [memory._replace(updated_ms=said[memory.key_id]) for memory in known]
        return dated, {memory.key_id for memory in here}

    found, here = house.store.read(work)
    known = sort_memories(found, here, now=now)
    return known._replace(
        here=_newest_reports(known.here, now), rest=_newest_reports(known.rest, now)
    )


def _newest_reports(memories: Sequence[Memory], now: int) -> list[Memory]:
    """Of reports that differ in a date and a figure the newest: a start asks for none of them."""
    by_id = {memory.id: memory for memory in memories}
    hits = list(map(_as_hit, memories))
    return [by_id[hit.id] for hit in newest_of_each(hits, "", now)]


def _reserved_chars(known: StartMemories, chars: int) -> int:
    """So much of a page as what stands needs, up to its share; nothing where that is too little."""
    free = min(FRAME + known.chars, chars // KEPT_FREE) if known.stand else 0
    return free if free >= LEAST_CHARS else 0


def add_memories(page: Page, house: House) -> None:
    """The memories that matter most here and are not told already, in what room is left.

    Each is dated by when it was said: what an import brought was kept weeks later.
    """
    said = one_line(page.text, len(page.text) + 1)
    again = set[bytes]()

    def told(memory: Memory) -> bool:
        if one_line(strip_secrets(memory.text), LONGEST_KNOWN) not in said:
            return False
        again.add(memory.key_id)
        return True

    chosen = without_echoes(without_parts(choose_memories(page.known, told)))
    hits = list(map(_as_hit, chosen))
    packed = _pack_within(house, hits, page.all_room)
    items = [] if packed is None else items_of(packed)
    text = "" if packed is None else packed.text
    left = page.known.number - len(again) - len(items)
    page.add("memories", text, items, given=len(items), left=left)


def without_parts(memories: Sequence[Memory]) -> list[Memory]:
    """Those that no longer one of the same kind and by the same says whole: of a sentence and a part of
    it, both kept, one tells enough. It stands where the first of both did. What is pinned stays."""
    told = [(memory, ContextText(memory.text.casefold())) for memory in memories]

    def whole(memory: Memory) -> Memory:
        longer = (
            other
            for other, text in told
            if _voice(other) == _voice(memory)
            and len(other.text) > len(memory.text)
            and text.says(memory.text.casefold())
        )
        return memory if memory.pinned else max(longer, key=_length, default=memory)

    return list({found.key_id: found for found in map(whole, memories)}.values())


def _voice(memory: Memory) -> tuple[str, str, str | None]:
    return memory.kind, memory.origin, memory.principal


def _length(memory: Memory) -> int:
    return len(memory.text)


def _pack_within(house: House, hits: Sequence[Hit], chars: int) -> PackedBlock | None:
    if chars < LEAST_CHARS:
        return None
    tokens = chars // CHARS_PER_TOKEN
    while tokens > LEAST_CHARS // CHARS_PER_TOKEN:
        packed = pack(hits, tokens=tokens, count=house.tokenizer.count, redact=strip_secrets)
        if packed is None or len(packed.text) <= chars:
            return packed
        tokens = tokens * 9 // 10
    return None


def _as_hit(memory: Memory) -> Hit:
    at, kind = memory.updated_ms, memory.kind
    return Hit(memory.id, memory.text, 1.0, kind, at, "kept", origin=memory.origin)


def renumber_items(items: Sequence[GivenItem]) -> list[GivenItem]:
    """The items with the numbers they have: those of memories stand in the text, the others follow."""
    packed = [item for item in items if item.rank]
    others = [item for item in items if not item.rank]
    return [*packed, *(o._replace(rank=len(packed) + n) for n, o in enumerate(others, 1))]
