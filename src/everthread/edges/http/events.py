"""What happens, as it happens: the entries of the timeline as server-sent events, without text.

One task looks for all clients. Each client has its own place in every agent's timeline, so that a slow
one holds nobody up and loses nothing, and one that comes back goes on where it was.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from starlette.responses import StreamingResponse

from everthread.domain.agents import Scope
from everthread.domain.errors import AgentUnknown, EverthreadError
from everthread.edges.documents.rows import entry_document

from .access import secret_of
from .problems import Refused

if TYPE_CHECKING:
    from starlette.requests import Request

    from everthread.domain.agents import AgentRow
    from everthread.ports import Records

    from .access import Gate
    from .call import DaemonCore
    from .keys import Key

log = logging.getLogger("everthread.http")

MOST_CLIENTS = 32
MOST_AGENTS = 100
"""Of one stream: its place in each is part of every event's id."""

BATCH = 200
WAITING = 20
"""Batches that may wait for a client; then its place stays where it is."""

LOOK_SECONDS = 0.5
BEAT_SECONDS = 15.0
_CURSOR = re.compile(r"\d{1,18}\.\d{1,18}(-\d{1,18}\.\d{1,18}){0,99}")

Seen = dict[int, int]
"""The number of the last entry that was sent, by agent."""


class Batch(NamedTuple):
    """Events for one client, ready to send, and where it is after them."""

    text: str
    seen: Mapping[int, int]


@dataclass(eq=False)
class Client:
    """Somebody who listens."""

    key: Key
    agent: str | None
    seen: Seen | None
    """None: from now on."""
    waiting: asyncio.Queue[str] = field(default_factory=lambda: asyncio.Queue(WAITING))


class Events:
    """The streams of this process."""

    def __init__(self, served: DaemonCore, gate: Gate) -> None:
        self._served = served
        self._gate = gate
        self._clients: set[Client] = set()
        self._looking: asyncio.Task[None] | None = None

    async def stream(self, request: Request, key: Key) -> StreamingResponse:
        """A stream of the agents that the token may see, or of the one that is named."""
        unknown = next((name for name in request.query_params if name != "agent"), None)
        if unknown is not None:
            raise Refused(
                400, f"the query does not fit: Object contains unknown field `{unknown:.60}`"
            )
        if len(self._clients) >= MOST_CLIENTS:
            raise Refused(503, f"{MOST_CLIENTS} streams are open already", {"Retry-After": "30"})
        name = request.query_params.get("agent")
        client = Client(key, name, cursor(request.headers.get("last-event-id", "")))
        first = await self._served.run(self._look, [client])
        for batch in first:
            client.seen = dict(batch.seen)
            if batch.text:
                client.waiting.put_nowait(batch.text)
        told = self._follow(client, secret_of(request))
        return StreamingResponse(told, media_type="text/event-stream")

    async def _follow(self, client: Client, secret: str | None) -> AsyncIterator[str]:
        """What waits for a client, and a beat where nothing does; until its token is revoked."""
        self._clients.add(client)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._keep_looking())
        try:
            yield "retry: 2000\n\n"
            due = time.monotonic() + BEAT_SECONDS
            while True:
                text = await _next(client, due - time.monotonic())
                if time.monotonic() >= due:  # by the clock: a busy stream must end as well
                    if secret is not None and await self._gate.key(secret) is None:
                        return  # the token was revoked since
                    due = time.monotonic() + BEAT_SECONDS
                yield text
        finally:
            self._clients.discard(client)

    async def _keep_looking(self) -> None:
        """One look for all, as long as anybody listens."""
        while self._clients:
            await asyncio.sleep(LOOK_SECONDS)
            ready = [client for client in self._clients if not client.waiting.full()]
            try:
                found = await self._served.run(self._look, ready)
            except (EverthreadError, Refused, OSError) as trouble:
                log.warning("what happened could not be seen: %s", trouble)
                continue
            for client, batch in zip(ready, found, strict=True):
                client.seen = dict(batch.seen)
                if batch.text:
                    client.waiting.put_nowait(batch.text)

    def _look(self, clients: Sequence[Client]) -> list[Batch]:
        """In a thread, in one consistent read: what is new for each."""
        engine = self._served.engine()
        return engine.house.store.read(lambda r: [_batch(r, client) for client in clients])


async def _next(client: Client, seconds: float) -> str:
    """What waits for the client; a beat where nothing comes in that time."""
    try:
        return await asyncio.wait_for(client.waiting.get(), max(seconds, 0.0))
    except TimeoutError:
        return ": still here\n\n"


def _batch(records: Records, client: Client) -> Batch:
    agents = _stream_agents(records, client)
    heads = {a.ref: records.timeline.head(Scope(a.ref))[0] for a in agents}
    if client.seen is None:
        return Batch("", heads)
    seen = {a.ref: min(client.seen.get(a.ref, 0), heads[a.ref]) for a in agents}
    told: list[str] = []
    for agent in agents:
        if heads[agent.ref] == seen[agent.ref]:
            continue
        for entry in records.timeline.page(Scope(agent.ref), after=seen[agent.ref], limit=BATCH):
            seen[agent.ref] = entry.n
            data = {"agent": agent.name, **entry_document(entry)}
            line = msgspec.json.encode(data).decode()
            told.append(f"id: {_place(seen)}\nevent: {entry.event}\ndata: {line}\n\n")
    return Batch("".join(told), seen)


def _stream_agents(records: Records, client: Client) -> Sequence[AgentRow]:
    """The agents of a stream. Those that come later than it are heard as long as there is room."""
    agents = [a for a in records.agents.all() if client.key.speaks_for(a.name)]
    if client.agent is not None:
        agents = [a for a in agents if a.name == client.agent]
        if not agents:
            raise Refused(
                404,
                f"there is no agent {client.agent!r:.60} that this token may speak for",
                name=AgentUnknown,
            )
    if client.seen is None and len(agents) > MOST_AGENTS:
        raise Refused(400, f"there are more than {MOST_AGENTS} agents; name one with ?agent=")
    return agents[:MOST_AGENTS]


def _place(seen: Mapping[int, int]) -> str:
    return "-".join(f"{ref}.{n}" for ref, n in seen.items())


def cursor(text: str) -> Seen | None:
    """Where a client was, by the id of the last event it got; None where it has none."""
    if not _CURSOR.fullmatch(text):
        return None
    pairs = (pair.split(".") for pair in text.split("-"))
    return {int(ref): int(n) for ref, n in pairs}
