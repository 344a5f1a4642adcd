"""Bring in plain messages of an older system: JSON lines, or one array, with role and content.

Only here does a key's pattern say what kind of thread it names; anywhere else the kind is stated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.entries import KNOWN, misnamed_keys
from everthread.domain.conversation.messages import ORIGINS
from everthread.domain.conversation.threads import kind_of_key, primary_key
from everthread.domain.errors import BadInput, ImportRefused
from everthread.ports import House, Records

from .record import Recorded, draft_entry, record
from .sessions import Seat

KEY = "session_key"
BYTE_ORDER_MARK = "\ufeff"


def without_mark(lines: Iterable[str]) -> Iterator[str]:
    """The lines without the byte order mark that some editors put in front of a file."""
    for n, line in enumerate(lines):
        yield line if n else line.removeprefix(BYTE_ORDER_MARK)


def messages_in(lines: Iterable[str]) -> list[Mapping[str, Any]]:
    """The messages of a file, one a line or all in one JSON array.

    One that is none refuses the file before anything is changed.
    """
    numbered = [(n, text) for n, text in enumerate(without_mark(lines), 1) if text.strip()]
    if numbered and numbered[0][1].lstrip().startswith("["):
        values = enumerate(_array_in(text for _, text in numbered), 1)
        rows = [_checked_message(f"message {n}", value) for n, value in values]
    else:
        rows = [_checked_message(f"line {n}", _line_value(n, text)) for n, text in numbered]
    if not rows:
        raise ImportRefused("the file holds no messages; nothing was imported")
    return rows


def backfill(house: House, agent: AgentRow, rows: Iterable[Mapping[str, Any]]) -> Recorded:
    """Record every message; a heartbeat's or an ask's key gives it a thread of its own kind."""
    groups: dict[str | None, list[Mapping[str, Any]]] = {}
    for row in rows:
        key = row.get(KEY)
        groups.setdefault(None if key is None else str(key), []).append(_known_fields(row))
    done = Recorded(0, 0)
    for key, entries in groups.items():
        ref, session = house.store.write(lambda r, k=key: _place(house, r, agent, k))
        more = record(house, agent, ref, entries, "import", Seat(session=session))
        done = Recorded(
            done.added + more.added, done.known + more.known, done.changed + more.changed
        )
    return done


def _array_in(texts: Iterable[str]) -> list[Any]:
    try:
        return json.loads("".join(texts))
    except (ValueError, RecursionError) as wrong:
        raise ImportRefused(
            f"the file begins like a JSON array and is none ({wrong}); nothing was imported"
        ) from wrong


def _line_value(number: int, text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise ImportRefused(f"line {number} is not JSON ({wrong}); nothing was imported") from wrong


def _checked_message(place: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict) or "role" not in value:
        raise ImportRefused(
            f"{place} is no message: each needs a role and content; nothing was imported"
        )
    message = cast("dict[str, Any]", value)
    if wrong := misnamed_keys(message, KEY):
        raise ImportRefused(f"{place}: {wrong} Rename it or take it out; nothing was imported")
    try:
        draft_entry(_known_fields(message), "import", _count_nothing)
    except BadInput as wrong:
        raise ImportRefused(f"{place}: {wrong}; nothing was imported") from wrong
    return message


def _count_nothing(_text: str) -> int:
    return 0


def _known_fields(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """What we read of it: a message of an older system may have keys of its own, and its own origins."""
    ours = row.get("origin") in ORIGINS
    if KNOWN.issuperset(row) and (ours or "origin" not in row):
        return row
    return {key: value for key, value in row.items() if key in KNOWN and (ours or key != "origin")}


def _place(
    house: House, records: Records, agent: AgentRow, key: str | None
) -> tuple[int, str | None]:
    """The thread for messages of that key, and the session they belong to there."""
    scope = Scope(agent.ref)
    kind = None if key is None else kind_of_key(key)
    if key is None or kind is None:
        primary = records.threads.find(scope, primary_key(agent.name))
        assert primary is not None, "it is created together with the agent"
        return primary.ref, key
    thread = records.threads.add(scope, key=key, kind=kind, now=house.clock.now())
    if thread.kind != kind:
        raise BadInput(f"thread {key!r} is {thread.kind} here already; rename the key in the file")
    return thread.ref, None
