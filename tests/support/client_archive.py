"""What the store holds after a client has run, read as anybody can read it: by an export.

In this process: a command for each look would take longer than the clients.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import everthread

from .client_runs import Place
from .shapes import Json

Value = TypeVar("Value")


class Said(NamedTuple):
    """One message: whose session, who, what; a call and its result in short."""

    session: str
    origin: str
    text: str


def rows(place: Place, table: str) -> list[Json]:
    return tables(place, table)[table]


def tables(place: Place, *wanted: str) -> dict[str, list[Json]]:
    """The rows of these, all as they were at one moment."""
    found: dict[str, list[Json]] = {name: [] for name in wanted}
    store = place.everthread_home / "everthread.db"
    if not store.exists():
        return found
    lines: list[str] = []
    settings = everthread.Settings(home=place.everthread_home, embedder="off")
    with everthread.connect(store, background=False, settings=settings) as et:
        et.export(lines.append)
    for row in map(json.loads, "".join(lines).splitlines()):
        if row.get("table") in found:
            found[row["table"]].append(row)
    return found


def archive(place: Place) -> list[Said]:
    """Everything that was said, in the order of its arrival."""
    found = tables(place, "sessions", "messages")
    sessions = {row["id"]: row["key"] for row in found["sessions"]}
    messages = sorted(found["messages"], key=lambda row: (row["at"], row["seq"]))
    return [
        Said(sessions[row["session_id"]], row["origin"], text)
        for row in messages
        for text in _texts(row)
    ]


def said(place: Place, session: str) -> list[tuple[str, str]]:
    """Who said what in that session."""
    return [(one.origin, one.text) for one in archive(place) if one.session == session]


def _texts(row: Json) -> Iterator[str]:
    if not row["form"]:
        yield row["content"]
        return
    try:
        blocks = json.loads(row["content"])
    except ValueError:
        blocks = []  # kept elsewhere, because it is long
    for block in blocks:
        if block["type"] == "text":
            yield block["text"]
        elif block["type"] == "tool_use":
            yield f"<{block['name']}> {json.dumps(block['input'])}"
        elif block["type"] == "tool_result":
            yield f"<result> {_plain(block['content'])}"


def _plain(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


def until(look: Callable[[], Value], right: Callable[[Value], bool], seconds: float = 60) -> Value:
    """What is seen, once it is right; or at last what is seen still, for the assertion to show."""
    end = time.monotonic() + seconds
    while True:
        seen = look()
        if right(seen) or time.monotonic() > end:
            return seen
        time.sleep(0.2)
