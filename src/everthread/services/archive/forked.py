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
    from everthread.domain.ending.retelling import Before, RawLines

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
) -> Before | None:
    """What lies before it, with its raw lines: of all that it replaced, and of all that is carried."""
    if fork is None:
        return None
    from everthread.domain.ending.retelling import Before, RawLines  # noqa: PLC0415 - forms of speech, seldom needed

    raw = RawLines()
    for first, last in fork.spans:
        _add(raw, records.messages.between(scope, thread, first, last))
    keys = {key for item in (*digest.points, *digest.ledger) for key in item.sources}
    places = [place_at(thread, place_of(key)[1]) for key in keys]
    _add(raw, records.messages.placed(scope, places))
    return Before(fork.until, raw)


def raw_before(
    house: House, scope: Scope, thread: int, fork: Fork | None, digest: Digest
) -> Before | None:
    """What lies before this fork; where none is made now, before the last one of the thread."""
    return house.store.read(
        lambda r: before_fork(r, scope, thread, fork or fork_at(r, scope, thread), digest)
    )


def _add(raw: RawLines, messages: Sequence[Message]) -> None:
    for message in messages:
        for text in _texts(message):
            raw.add(text)


def _texts(message: Message) -> Iterator[str]:
    """What was said and what tools printed; what was asked of a tool is a command, and no line."""
    yield message.text
    if message.form == TEXT:
        return
    for block in message.blocks:
        if block.get("type") == "tool_result":
            yield from _printed(block.get("content"))


def _printed(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in listing(content) or ():
        yield str((mapping(part) or {}).get("text") or "")
