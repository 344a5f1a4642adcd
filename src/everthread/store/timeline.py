"""The timeline's table: sealed as rows are written, its head moved once per transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everthread.domain.agents import Scope
from everthread.domain.timeline import Entry, Facts, digest_of, link
from everthread.ports import Ids

from . import statements as sql
from .link import Link


class Head:
    """Where one agent's chain stands inside this transaction."""

    def __init__(self, n: int, last: bytes) -> None:
        self.n = n
        self.hash = last
        self.rows: list[dict[str, Any]] = []


class TimelineTable:
    def __init__(self, db: Link, ids: Ids) -> None:
        self._db = db
        self._ids = ids
        self._heads: dict[int, Head] = {}

    def seal(self, scope: Scope, event: str, subject: bytes, facts: Facts, at: int) -> int:
        """Add a link for a row that is about to be written; its number goes on the row."""
        head = self._heads.get(scope.agent) or self._take(scope)
        n = head.n
        salt = self._ids.salt()
        digest = digest_of(salt, facts)
        head.hash = link(head.hash, n, at, event, subject, digest)
        head.n = n + 1
        head.rows.append(
            {
                "agent": scope.agent,
                "n": n,
                "at": at,
                "event": event,
                "subject": subject,
                "salt": salt,
                "digest": digest,
                "hash": head.hash,
            }
        )
        return n

    def lock(self, scope: Scope) -> None:
        """Keep every other writer of this agent out until the end of the transaction."""
        if scope.agent not in self._heads:
            self._take(scope)

    def _take(self, scope: Scope) -> Head:
        # The update locks the agent's row: two writers on PostgreSQL cannot take one number.
        row = self._db.one(sql.HEAD_TAKE, scope)
        assert row is not None, "an agent's row never goes away"
        head = self._heads[scope.agent] = Head(row[0], row[1])
        return head

    def forget(self) -> None:
        """Let go of heads that a failed transaction took."""
        self._heads.clear()

    def flush(self) -> None:
        """Write what was sealed. The store calls it at the end of every transaction."""
        for agent, head in self._heads.items():
            if head.rows:
                self._db.many(sql.ENTRY_ADD, head.rows)
            self._db.run(sql.HEAD_PUT, Scope(agent), n=head.n - 1, hash=head.hash)
        self._heads.clear()

    def page(self, scope: Scope, *, after: int, limit: int) -> Sequence[Entry]:
        rows = self._db.all(sql.ENTRIES_PAGE, scope, after=after, limit=limit)
        return [Entry._make(row) for row in rows]

    def newest(self, scope: Scope, *, limit: int) -> Sequence[Entry]:
        before = self.head(scope)[0] + 1
        rows = self._db.all(sql.ENTRIES_NEWEST, scope, before=before, limit=limit)
        return [Entry._make(row) for row in rows][::-1]

    def about(self, scope: Scope, subject: bytes) -> Sequence[Entry]:
        rows = self._db.all(sql.ENTRIES_ABOUT, scope, subject=subject)
        return [Entry._make(row) for row in rows]

    def head(self, scope: Scope) -> tuple[int, bytes]:
        row = self._db.one(sql.HEAD_READ, scope)
        assert row is not None, "an agent's row never goes away"
        return row[0], row[1]

    def unsalt(self, scope: Scope, numbers: Sequence[int]) -> None:
        """After a lawful purge the digest must say nothing about the text it once sealed."""
        rows = [{"agent": scope.agent, "n": n} for n in numbers]
        self._db.many(sql.ENTRY_UNSALT, rows)
