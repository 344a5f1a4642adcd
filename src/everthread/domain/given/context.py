"""The allocator: which section of a turn's block gets how much room, and what it had to drop.

All that changes from turn to turn travels in one block beside the user's words. Its sections have
an order and a budget each. The block has the grammar of `packing`, so that it is read back and
taken out of recorded words by the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.conversation.tokens import scale_budget
from everthread.domain.memory.notes import Note
from everthread.domain.recall.excerpts import CUT
from everthread.domain.recall.shown_text import clean
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import neutralize, one_line
from everthread.domain.times import moment_of

from .packing import CLOSING, LONGEST_NAME, OPENING, SHORT_ID, PackedBlock
from .working_state import WorkingState, render_state

Count = Callable[[str], int]

BUDGETS: Mapping[str, int] = {
    "digest": 1_000,
    "state": 500,
    "primed": 4_000,
    "notes": 2_000,
    "recent": 300,
    "recalled": 1_500,
}
"""The sections in their order, with their tokens in a window of 200,000."""

STATE = "state"
PRIMED = "primed"
LENDERS = ("recalled", "recent")
"""What was just learnt may take their room: it must be in the next turn, they may be."""

LEAST = 100
LEAST_QUOTED = 256
"""With less than this no section says anything, also where the window is small."""

MOST_NOTES = 20
LONGEST_NOTE = 500
"""So many notes are considered, newest first, and so many characters of each are shown."""

_TRIES = 12


class Part(NamedTuple):
    """One item of a section, ready to be quoted. `tokens` are those of its lines in the block."""

    text: str
    tokens: int
    ref: bytes = b""
    """The id of what it shows."""
    heading: str = ""
    kind: str = ""
    """What it is, for the log: `note`, `state`, `message`, the kind of a memory."""
    score: float = 1.0
    why: str = ""


class SectionRequest(NamedTuple):
    """A section: what it would like to say, first things first, in at most so many tokens."""

    name: str
    items: Sequence[Part]
    most: int


class PlacedItem(NamedTuple):
    """An item that found room: its number in the block, and its section."""

    rank: int
    section: str
    part: Part


class Allocation(NamedTuple):
    """What found room, by section; how many of each did not; and what all takes, the frame included."""

    parts: Mapping[str, tuple[Part, ...]]
    dropped: Mapping[str, int]
    tokens: int

    @property
    def placed(self) -> list[PlacedItem]:
        """The items as they stand in the block."""
        found = ((name, part) for name, parts in self.parts.items() for part in parts)
        return [PlacedItem(rank, name, part) for rank, (name, part) in enumerate(found, 1)]

    @property
    def log_line(self) -> str:
        """What each section gave and dropped, for the log: `primed 3, notes 2, left out: notes 4`."""
        given = _list_numbers({name: len(parts) for name, parts in self.parts.items()})
        left = _list_numbers(self.dropped)
        return ", ".join(filter(None, [given, left and f"left out: {left}"]))


def _list_numbers(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in numbers.items() if number)


def caps(window: int, own: Mapping[str, int] | None = None) -> dict[str, int]:
    """The budget of each section in that window; `own` replaces figures of the default."""
    budgets = {**BUDGETS, **(own or {})}
    return {
        name: max(scale_budget(tokens, window), min(tokens, _least(name)))
        for name, tokens in budgets.items()
    }


def _least(name: str) -> int:
    return LEAST_QUOTED if name in {PRIMED, "recalled"} else LEAST


def allocate(wanted: Sequence[SectionRequest], total: int, *, frame: int = 0) -> Allocation:
    """Room for the sections, in the order given, never more than `total` with the frame.

    A section takes its items in their order until one finds no room, and never more than its own
    cap: what an earlier one leaves over helps a later one only up to that. What is primed chooses
    first, and may go beyond its cap at the cost of what is recalled and of recent conversations.
    """
    room = max(0, total - frame)
    most = {section.name: section.most for section in wanted}
    taken: dict[str, tuple[Part, ...]] = {}
    for section in sorted(wanted, key=lambda w: w.name != PRIMED):
        cap = most[section.name]
        lent = sum(most.get(name, 0) for name in LENDERS) if section.name == PRIMED else 0
        parts = _items_in_room(section.items, min(room, cap + lent))
        used = _tokens(parts)
        _repay(most, used - cap)
        taken[section.name] = parts
        room -= used
    ordered = {section.name: taken[section.name] for section in wanted}
    return _make_allocation(ordered, {w.name: len(w.items) for w in wanted}, frame)


def _items_in_room(items: Sequence[Part], room: int) -> tuple[Part, ...]:
    taken: list[Part] = []
    for item in items:
        room -= item.tokens
        if room < 0:
            break
        taken.append(item)
    return tuple(taken)


def _repay(most: dict[str, int], borrowed: int) -> None:
    for name in LENDERS:
        lent = max(0, min(borrowed, most.get(name, 0)))
        if lent:
            most[name] -= lent
            borrowed -= lent


def _make_allocation(
    parts: Mapping[str, tuple[Part, ...]], wanted: Mapping[str, int], frame: int
) -> Allocation:
    tokens = sum(map(_tokens, parts.values()))
    dropped = {name: wanted[name] - len(parts[name]) for name in parts}
    return Allocation(parts, dropped, tokens + frame if any(parts.values()) else 0)


def _tokens(parts: Sequence[Part]) -> int:
    return sum(part.tokens for part in parts)


# The block


def frame_tokens(count: Count) -> int:
    """What the frame of a block takes."""
    return count(OPENING) + count(CLOSING)


def frame_block(allocation: Allocation) -> str:
    """The one block of a turn, marked as data; empty if no section has anything to say."""
    chunks = [_chunk(rank, part.heading, part.text) for rank, _, part in allocation.placed]
    return OPENING + "".join(chunks) + CLOSING if chunks else ""


def recount_block(allocation: Allocation, total: int, count: Count) -> Allocation:
    """The same with the tokens of the finished block, which has the last word.

    Its parts were counted one by one. Should they take more together, the last ones go.
    """
    while allocation.tokens:
        tokens = count(frame_block(allocation))
        if tokens <= total:
            return allocation._replace(tokens=tokens)
        allocation = _without_last(allocation)
    return allocation


def _without_last(allocation: Allocation) -> Allocation:
    parts = dict(allocation.parts)
    # What is primed goes last of all.
    order = sorted((name for name in parts if parts[name]), key=lambda name: name != PRIMED)
    if not order:
        return allocation._replace(tokens=0)
    last = order[-1]
    parts[last] = parts[last][:-1]
    dropped = {**allocation.dropped, last: allocation.dropped[last] + 1}
    return Allocation(parts, dropped, allocation.tokens if any(parts.values()) else 0)


def _chunk(number: int, heading: str, text: str) -> str:
    quoted = "".join(f"| {line}".rstrip() + "\n" for line in text.split("\n"))
    return f"[{number}] {heading}\n{quoted}"


# What the sections say


def part(
    text: str,
    fields: Sequence[str],
    *,
    count: Count,
    most: int,
    ref: bytes = b"",
    kind: str = "",
) -> Part | None:
    """A text as an item: without secrets, harmless, cut to `most` tokens. None if nothing is left.

    `fields` are those of its heading: when, what, which.
    """
    said = neutralize(clean(text, strip_secrets)).strip()
    heading = " · ".join(filter(None, (one_line(field, LONGEST_NAME) for field in fields)))
    if not said or not heading:
        return None

    def made(shown: str) -> Part:
        return Part(shown, count(_chunk(1, heading, shown)), ref, heading, kind, why=kind)

    whole = made(said)
    if whole.tokens <= most:
        return whole
    shorter = (made(shown) for shown in _shorter_texts(said, whole.tokens, most))
    return next((found for found in shorter if found.tokens <= most), None)


def _shorter_texts(text: str, tokens: int, most: int) -> Iterator[str]:
    """The text cut between words, each time to less: the first that fits is taken."""
    size = len(text) * most // max(1, tokens)
    for _ in range(_TRIES):
        cut = _cut(text, size)
        if cut:
            yield cut
        size = size * 3 // 4


def _cut(text: str, size: int) -> str:
    """So many characters of it, up to the end of a word, and the sign that it goes on."""
    if len(text) <= size:
        return text
    head = text[: max(0, size - len(CUT) - 1)]
    at = max(head.rfind(" "), head.rfind("\n"))
    # A text without spaces is cut where it must be.
    kept = (head[:at] if at > len(head) // 2 else head).rstrip()
    return f"{kept} {CUT}" if kept else ""


def when(at_ms: int) -> str:
    """The first field of a heading."""
    return f"{moment_of(at_ms):%Y-%m-%d %H:%M} UTC"


def state_part(state: WorkingState, ref: bytes, *, count: Count, most: int) -> Part | None:
    """The working state of the thread with that id; None where it says nothing."""
    fields = [when(state.updated_ms), "working state", f"thread {ref.hex()[-SHORT_ID:]}"]
    around = count(_chunk(1, " · ".join(fields), ""))
    # Room for the signs of quotation, which stand before each of its lines.
    text = render_state(state, count=count, tokens=max(0, (most - around) * 9 // 10))
    return part(text, fields, count=count, most=most, ref=ref, kind=STATE)


def note_parts(notes: Sequence[Note], *, count: Count, most: int) -> list[Part]:
    """The newest notes, newest first, as far as they are considered at all."""
    newest = sorted(
        (note for note in notes if note.deleted_ms is None),
        key=lambda note: (note.created_ms, note.key_id),
        reverse=True,
    )
    made = (_note_part(note, count, most) for note in newest[:MOST_NOTES])
    return [one for one in made if one is not None]


def _note_part(note: Note, count: Count, most: int) -> Part | None:
    # Secrets go before it is cut: half of one is not known as one.
    text = _cut(clean(note.text, strip_secrets).strip(), LONGEST_NOTE)
    ident = note.id.replace("-", "")[-SHORT_ID:]
    fields = [when(note.created_ms), note.category, f"note {ident}"]
    return part(text, fields, count=count, most=most, ref=note.key_id, kind="note")


def packed_parts(packed: PackedBlock | None) -> list[Part]:
    """What was packed by itself, as items of a section."""
    if packed is None:
        return []
    return [
        Part(
            item.text,
            item.tokens,
            bytes.fromhex(item.hit.id.replace("-", "")),
            item.chunk.partition("\n")[0].partition(" ")[2],
            item.hit.kind,
            item.hit.score,
            item.hit.why,
        )
        for item in packed.items
    ]
