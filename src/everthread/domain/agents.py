"""Agents: an identity with its memory, and the scope that every query must name."""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

from .checks import checked_text
from .errors import BadInput
from .ids import id_text
from .times import moment_of

# Letters of any script: a project's agent is named after its folder.
LONGEST_NAME = 100
OTHERS = (
    "the store holds other agents than before: open the agent again, or restart the daemon with "
    "`everthread down` and `everthread up`"
)
"""Somebody put another store, or an older one, into the place of the one that was open."""
_NAME = re.compile(r"[^\W_][\w.@+-]{0,99}")


class AgentRow(NamedTuple):
    """An agent as it is stored."""

    ref: int
    key_id: bytes
    name: str
    model: str | None
    window: int
    inactivity_hours: float | None
    time_zone: str
    system_hash: bytes | None
    tools_hash: bytes | None
    created_ms: int
    entry: int

    @property
    def id(self) -> str:
        return id_text(self.key_id)

    @property
    def created_at(self) -> datetime:
        return moment_of(self.created_ms)


class Scope(NamedTuple):
    """Whose rows a query may see. There is no query without one."""

    agent: int
    project: str | None = None
    principal: str | None = None


class Channel(NamedTuple):
    """Where messages come from, bound to a thread; its pointer is the session it last used."""

    transport: str
    key: str
    thread_ref: int
    session_ref: int | None


class Tombstone(NamedTuple):
    """What is left of something that a person had erased."""

    key_id: bytes
    subject: bytes
    what: str
    reason: str | None
    messages: int
    erased_ms: int
    entry: int


def checked_name(name: str) -> str:
    """An agent's name: it becomes part of keys and folder names, so it is kept simple."""
    if not _NAME.fullmatch(checked_text("an agent's name", name, longest=LONGEST_NAME)):
        raise BadInput(
            f"{name!r:.60} cannot name an agent; use 1 to 100 letters, digits and . _ @ + - "
            "and begin with a letter or digit"
        )
    return name


def channel_parts(channel: str) -> tuple[str, str]:
    """`signal:+49…` is transport and key; a bare `webchat` has an empty key."""
    transport, _, key = checked_text("a channel", channel).partition(":")
    if not transport.strip():
        raise BadInput(
            f"{channel!r:.60} is not a channel; write it like 'webchat' or 'signal:+49…'"
        )
    return transport, key
