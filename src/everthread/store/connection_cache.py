"""What a connection still knows from its last transaction.

On SQLite it stays true until another connection writes, which the database tells; on PostgreSQL it
lasts for one transaction, under the locks that transaction took.
"""

from __future__ import annotations

from everthread.domain.agents import AgentRow
from everthread.domain.conversation.sessions import Session
from everthread.domain.conversation.threads import Thread

MOST = 1_000
"""Threads or sessions: a process that runs for months must not remember each it ever saw."""


class ChainHead:
    """Where one agent's chain stands."""

    __slots__ = ("hash", "n")

    def __init__(self, n: int, last: bytes) -> None:
        self.n = n
        self.hash = last


class ConnectionCache:
    def __init__(self) -> None:
        self.agents: dict[int, AgentRow] = {}
        self.threads: dict[int, Thread] = {}
        self.sessions: dict[int, Session] = {}
        self.session_keys: dict[tuple[int, str], int] = {}
        """By agent and key: of a session that was written, and may be among those held."""
        self.newest_session: dict[int, int] = {}
        self.heads: dict[int, ChainHead] = {}
        self.pending: list[tuple[object, ...]] = []
        """Links that are not written yet, of all agents."""

    def trim(self) -> None:
        """Between two pieces of work, when nothing waits to be written."""
        for held in (self.agents, self.threads, self.sessions, self.session_keys):
            if len(held) > MOST:
                return self.clear()
        return None

    def clear(self) -> None:
        self.agents.clear()
        self.threads.clear()
        self.sessions.clear()
        self.session_keys.clear()
        self.newest_session.clear()
        self.heads.clear()
        self.pending.clear()
