"""Forked: what lies before a fork of a task's session, of which its view repeats no raw line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.contents import listing, mapping
from everthread.domain.conversation.messages import TEXT, Message
from everthread.domain.conversation.views import Span
from everthread.domain.gleaning.digest import Digest
from everthread.domain.ids import place_at, place_of
from everthread.ports import House, Records

if TYPE_CHECKING:
    from everthread.domain.ending.retelling import ForkPast, RawLines

MOST_READ = 1_000_000
"""Characters of which lines are made, about a second's work; what is told comes first, then the newest."""
MOST_OF_ONE = 200_000
"""So much of it may be one text: a tool prints megabytes."""
PAGE = 50

DETAIL = "forked"
"""Where a receipt says up to which message it was made for a fork."""


class Fork(NamedTuple):
    """Where a thread was forked last."""

    until: int
    spans: Sequence[Span]
    """What the summary of the fork replaced."""


def fork_at(
    records: Records, scope: Scope, thread: int, *, receipt: int | None = None
) -> Fork | None:
    """The thread's last fork that is in force, not after that receipt; None where there was none."""
    for row in reversed(records.receipts.of_thread(scope, thread)):
        if not row.standing or (receipt is not None and row.ref > receipt):
            continue
        until = row.detail.get(DETAIL) if DETAIL in row.detail_json else None
        if until:
            marks = records.marks.by(scope, row.ref)
            hidden = [Span(m.from_seq, m.to_seq) for m in marks if m.action == "hide"]
            return Fork(until, hidden)
    return None


def before_fork(
    records: Records, scope: Scope, thread: int, fork: Fork | None, digest: Digest
) -> ForkPast | None:
    """What lies before it, with its raw lines: of all that is carried, and of what it replaced.

    What is told of it is told of the carried, so the lines that it could repeat are theirs: they come
    first. Of what the fork replaced the newest follow, as long as there is room (`MOST_READ`).
    """
    if fork is None:
        return None
    from everthread.domain.ending.retelling import ForkPast, RawLines  # noqa: PLC0415 - forms of speech, seldom needed

    raw, room = RawLines(), MOST_READ
    for message in _carried_then_newest(records, scope, thread, fork, digest):
        room = _add(raw, message, room)
        if room <= 0:
            break
    return ForkPast(fork.until, raw)


def _carried_then_newest(
    records: Records, scope: Scope, thread: int, fork: Fork, digest: Digest
) -> Iterator[Message]:
    keys = {key for item in (*digest.points, *digest.ledger) for key in item.sources}
    carried = sorted({place_of(key)[1] for key in keys}, reverse=True)
    for at in range(0, len(carried), PAGE):
        places = [place_at(thread, seq) for seq in carried[at : at + PAGE]]
        yield from records.messages.placed(scope, places)
    read = frozenset(carried)
    for first, last in sorted(fork.spans, reverse=True):
        for end in range(last, first - 1, -PAGE):
            start = max(first, end - PAGE + 1)
            page = records.messages.between(scope, thread, start, end)
            yield from (message for message in reversed(page) if message.seq not in read)


def lines_before_fork(
    house: House, scope: Scope, thread: int, fork: Fork | None, digest: Digest
) -> ForkPast | None:
    """What lies before this fork; where none is made now, before the last one of the thread."""
    return house.store.read(
        lambda r: before_fork(r, scope, thread, fork or fork_at(r, scope, thread), digest)
    )


def _add(raw: RawLines, message: Message, room: int) -> int:
    """The message's lines; how much room is left."""
    for text in _texts(message):
        if room <= 0:
            break
        part = text[: min(room, MOST_OF_ONE)]
        raw.add(part)
        room -= len(part)
    return room


def _texts(message: Message) -> Iterator[str]:
    """What was said and what tools printed; what was asked of a tool is a command, and no line."""
    yield message.text
    if message.form == TEXT:
        return
    for block in message.blocks:
        if block.get("type") == "tool_result":
            yield from _printed_texts(block.get("content"))


def _printed_texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in listing(content) or ():
        yield str((mapping(part) or {}).get("text") or "")
