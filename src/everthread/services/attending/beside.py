"""What a start is given beside where the last session stood, section by section.

Its sections stand in the order of a turn's block: where it stood, the task at hand, what a person wrote
down, recent conversations, memories. Each has what room those before it left, and says what it dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.given.by_hand import BY_HAND, by_hand_block, reads_itself
from everthread.domain.given.injections import Given
from everthread.domain.given.packing import Packed, pack
from everthread.domain.given.recent import LONGEST, recent_block
from everthread.domain.harness.happenings import Happening, Start
from everthread.domain.memory.memories import Memory, valid, visible, weight
from everthread.domain.recall.hits import Hit
from everthread.domain.redaction.secrets import redacted
from everthread.domain.text.fences import one_line
from everthread.ports import House
from everthread.services.giving.handwritten import handwritten
from everthread.services.giving.recent import recent
from everthread.services.harness.giving import items_of, quoted

MOST_MEMORIES = 40
LONGEST_KNOWN = 10_000
CHARS_PER_TOKEN = 4
LEAST_CHARS = 300
"""With less room than this, memories are left out."""


class Page:
    """The text of a start as it grows, never beyond its room; and what each section left out."""

    def __init__(self, chars: int) -> None:
        self._chars = chars
        self.text = ""
        self.items: list[Given] = []
        self.given: dict[str, int] = {}
        self.dropped: dict[str, int] = {}

    @property
    def room(self) -> int:
        return self._chars - len(self.text) - 1 if self.text else self._chars

    def add(
        self, name: str, text: str, items: Sequence[Given] = (), *, given: int = 0, left: int = 0
    ) -> None:
        self.text = "\n".join(filter(None, [self.text, text]))
        self.items += items
        self.given[name] = given
        self.dropped[name] = left

    @property
    def told(self) -> str:
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
    from everthread.services.tasks.at_hand import at_hand  # noqa: PLC0415 - only who has tasks

    count, room = house.tokenizer.count, page.room
    text, left = house.store.read(lambda r: at_hand(r, scope, project, chars=room, count=count))
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
    found = handwritten(house, agent.name)
    if found is None:
        return
    text, ref, left = by_hand_block(*found, page.room)
    items = [Given(0, BY_HAND, ref, 1.0, BY_HAND)] if text else []
    page.add("notes", text, items, given=len(items), left=left)


def add_recent(
    page: Page, house: House, scope: Scope, session: Session, start: Start, now: int
) -> None:
    """The conversations before, where a session is new. One whose summary is told already is not
    told twice.
    """
    if start not in ("startup", "fork"):
        return
    known = house.store.read(lambda r: recent(house, r, scope, without=session.ref, now=now))
    new = [s for s in known if one_line(redacted(s.summary or ""), LONGEST) not in page.text]
    text, told = recent_block(new, page.room)
    items = [quoted(one) for one in told]
    page.add("recent", text, items, given=len(told), left=len(new) - len(told))


def add_memories(page: Page, house: House, scope: Scope, now: int) -> None:
    """The memories that matter most here and are not told already, in what room is left."""
    kept = house.store.read(lambda r: r.memories.all(scope, state="kept", limit=1_000))
    known = one_line(page.text, len(page.text) + 1)
    mine = [
        memory
        for memory in kept
        if visible(memory, scope)
        and valid(memory, at=now)
        and one_line(redacted(memory.text), LONGEST_KNOWN) not in known
    ]
    mine.sort(key=lambda m: (bool(m.pinned), weight(m, now=now), m.updated_ms), reverse=True)
    packed = _packed(house, [_hit(memory) for memory in mine[:MOST_MEMORIES]], page.room)
    items = [] if packed is None else items_of(packed)
    text = "" if packed is None else packed.text
    page.add("memories", text, items, given=len(items), left=len(mine) - len(items))


def _packed(house: House, hits: Sequence[Hit], chars: int) -> Packed | None:
    if chars < LEAST_CHARS:
        return None
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


def ranked(items: Sequence[Given]) -> list[Given]:
    """The items with the numbers they have: those of memories stand in the text, the others follow."""
    packed = [item for item in items if item.rank]
    others = [item for item in items if not item.rank]
    return [*packed, *(o._replace(rank=len(packed) + n) for n, o in enumerate(others, 1))]
