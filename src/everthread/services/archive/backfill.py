"""Bring in plain messages of an older system: JSON lines, or one array, with role and content.

Only here does a key's pattern say what kind of thread it names; anywhere else the kind is stated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, cast

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checks import checked_text
from everthread.domain.conversation.entries import KNOWN, misnamed_keys
from everthread.domain.conversation.messages import ORIGINS
from everthread.domain.conversation.threads import (
    LONGEST_KEY,
    kind_of_key,
    must_be_open,
    primary_key,
)
from everthread.domain.errors import BadInput, EverthreadError, ImportRefused
from everthread.ports import House, Records

from .record import Recorded, check_time, draft_entry, record
from .record_sessions import known_session
from .sessions import Seat

KEY = "session_key"
UNNAMED, ID_BYTES = "row-", 16
"""The ids that rows without one get."""
BYTE_ORDER_MARK = "\ufeff"


def without_mark(lines: Iterable[str]) -> Iterator[str]:
    """The lines without the byte order mark that some editors put in front of a file."""
    for n, line in enumerate(lines):
        yield line if n else line.removeprefix(BYTE_ORDER_MARK)


def messages_in(lines: Iterable[str], now: int) -> list[Mapping[str, Any]]:
    """The messages of a file, one a line or all in one JSON array.

    One that is none refuses the file before anything is changed.
    """
    numbered = [(n, text) for n, text in enumerate(without_mark(lines), 1) if text.strip()]
    if numbered and numbered[0][1].lstrip().startswith("["):
        values = enumerate(_array_in(text for _, text in numbered), 1)
        rows = [_checked_message(f"message {n}", value, now) for n, value in values]
    else:
        rows = [_checked_message(f"line {n}", _line_value(n, text), now) for n, text in numbered]
    if not rows:
        raise ImportRefused("the file holds no messages; nothing was imported")
    return rows


def backfill(
    house: House, agent: AgentRow, rows: Iterable[Mapping[str, Any]], *, file: str = ""
) -> Recorded:
    """Record every message; a heartbeat's or an ask's key gives it a thread of its own kind.

    `file` is where they come from: once it has grown, what it began with is known.
    """
    given = list(rows)
    groups: dict[str | None, list[Mapping[str, Any]]] = {}
    for row in _named(given, file):
        key = row.get(KEY)
        groups.setdefault(None if key is None else str(key), []).append(_known_fields(row))
    house.store.read(lambda r: _check_keys(r, agent, groups))
    done, stored = Recorded(0, 0), list[int]()
    try:
        for key, entries in groups.items():
            ref, session = house.store.write(lambda r, k=key: _place(house, r, agent, k))
            seat = Seat(session=session)
            more = record(house, agent, ref, entries, "import", seat, stored.append)
            done = Recorded(
                done.added + more.added, done.known + more.known, done.changed + more.changed
            )
    except BaseException as broken:
        broken.add_note(_so_far(sum(stored), len(given)))
        raise
    return done


def _named(rows: list[Mapping[str, Any]], file: str) -> Iterator[Mapping[str, Any]]:
    """The rows, each with an id: one without gets it from the file and all that the file says up to it.

    So the same file imported again is known, also after it was stopped half-way. Two files may begin with
    the same words and are not the same conversation. Of a file that nobody names, all of it is its name.
    """
    links = [*_links(rows, file.encode())]
    if not file and links:
        links = [*_links(rows, links[-1])]
    for row, link in zip(rows, links, strict=True):
        yield row if row.get("id") is not None else {**row, "id": f"{UNNAMED}{link.hex()}"}


def _links(rows: list[Mapping[str, Any]], link: bytes) -> Iterator[bytes]:
    for row in rows:
        text = json.dumps(row, sort_keys=True, default=str)
        link = sha256(link + text.encode()).digest()[:ID_BYTES]
        yield link


def _so_far(added: int, whole: int) -> str:
    if not added:
        return "Nothing was imported"
    return (
        f"{added:,} of the {whole:,} messages were imported before that; import the same file again for "
        "the others: what is here is left out then"
    )


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


def _checked_message(place: str, value: object, now: int) -> Mapping[str, Any]:
    if not isinstance(value, dict) or "role" not in value:
        raise ImportRefused(
            f"{place} is no message: each needs a role and content; nothing was imported"
        )
    message = cast("dict[str, Any]", value)
    if wrong := misnamed_keys(message, KEY):
        raise ImportRefused(f"{place}: {wrong} Rename it or take it out; nothing was imported")
    try:
        draft = draft_entry(_known_fields(message), "import", _count_nothing)
        check_time(draft.at_ms, now)
        _check_key(message.get(KEY))
    except BadInput as wrong:
        raise ImportRefused(f"{place}: {wrong}; nothing was imported") from wrong
    return message


def _check_key(key: object) -> None:
    """Refuse what can be the key of no session and no thread."""
    if key is None:
        return
    if kind_of_key(str(key)) is None:
        Seat(session=str(key))
    else:
        checked_text(KEY, str(key), longest=LONGEST_KEY)


def _check_keys(records: Records, agent: AgentRow, keys: Iterable[str | None]) -> None:
    """Refuse the file for a key that is taken here, before anything of it is written."""
    scope = Scope(agent.ref)
    for key in keys:
        try:
            _check_place(records, scope, agent, key)
        except EverthreadError as wrong:
            raise ImportRefused(f"{KEY} {key!r:.60}: {wrong}; nothing was imported") from wrong


def _check_place(records: Records, scope: Scope, agent: AgentRow, key: str | None) -> None:
    kind = None if key is None else kind_of_key(key)
    thread = records.threads.find(scope, primary_key(agent.name) if kind is None else key or "")
    if thread is None:
        return
    must_be_open(thread)
    if kind is not None and thread.kind != kind:
        raise BadInput(f"that thread is {thread.kind} here already; rename the key in the file")
    session = None if key is None or kind else known_session(records, scope, key)
    if session is not None and session.thread_ref != thread.ref:
        raise BadInput("that session belongs to another thread; rename the key in the file")


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
    return records.threads.add(scope, key=key, kind=kind, now=house.clock.now()).ref, None
