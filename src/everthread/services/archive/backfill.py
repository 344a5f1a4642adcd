"""Bring in plain messages of an older system: JSON lines with role and content.

Only here does a key's pattern say what kind of thread it names; anywhere else the kind is stated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.entries import KNOWN, misnamed
from everthread.domain.conversation.messages import ORIGINS
from everthread.domain.conversation.threads import kind_of_key, primary_key
from everthread.domain.errors import BadInput, ImportRefused
from everthread.ports import House, Records

from .record import Recorded, drafted, record
from .sit import Seat

KEY = "session_key"


def messages_in(lines: Iterable[str]) -> list[Mapping[str, Any]]:
    """The messages of a file; one line that is none refuses it before anything is changed."""
    rows = [_row(number, text) for number, text in enumerate(lines, 1) if text.strip()]
    if not rows:
        raise ImportRefused("the file holds no messages; nothing was imported")
    return rows


def backfill(house: House, agent: AgentRow, rows: Iterable[Mapping[str, Any]]) -> Recorded:
    """Record every message; a heartbeat's or an ask's key gives it a thread of its own kind."""
    groups: dict[str | None, list[Mapping[str, Any]]] = {}
    for row in rows:
        key = row.get(KEY)
        groups.setdefault(None if key is None else str(key), []).append(_read(row))
    done = Recorded(0, 0)
    for key, entries in groups.items():
        ref, session = house.store.write(lambda r, k=key: _place(house, r, agent, k))
        more = record(house, agent, ref, entries, "import", Seat(session=session))
        done = Recorded(
            done.added + more.added, done.known + more.known, done.changed + more.changed
        )
    return done


def _row(number: int, text: str) -> Mapping[str, Any]:
    try:
        row: Any = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise ImportRefused(f"line {number} is not JSON ({wrong}); nothing was imported") from wrong
    if not isinstance(row, dict) or "role" not in row:
        raise ImportRefused(
            f"line {number} is no message: each needs a role and content; nothing was imported"
        )
    message = cast("dict[str, Any]", row)
    if wrong := misnamed(message, KEY):
        raise ImportRefused(
            f"line {number}: {wrong} Rename it or take it out; nothing was imported"
        )
    try:
        drafted(_read(message), "import", _uncounted)
    except BadInput as wrong:
        raise ImportRefused(f"line {number}: {wrong}; nothing was imported") from wrong
    return message


def _uncounted(_text: str) -> int:
    return 0


def _read(row: Mapping[str, Any]) -> Mapping[str, Any]:
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
