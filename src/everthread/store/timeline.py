"""The timeline's table: sealed as rows are written, stored at the end of the transaction."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.timeline import GENESIS, Entry, Facts, digest_of, link
from everthread.ports import Ids

from .connection_cache import ChainHead, ConnectionCache
from .link import Link
from .sql import statements as sql


class TimelineTable:
    def __init__(self, db: Link, ids: Ids, memory: ConnectionCache) -> None:
        self._db = db
        self.salt = ids.salt
        self._heads = memory.heads
        self._pending = memory.pending

    def seal(self, scope: Scope, event: str, subject: bytes, facts: Facts, at: int) -> int:
        """Add a link for a row that is about to be written; its number goes on the row."""
        salt = self.salt()
        return self.add(scope, event, subject, salt, digest_of(salt, facts), at)

    def add(
        self, scope: Scope, event: str, subject: bytes, salt: bytes, digest: bytes, at: int
    ) -> int:
        agent = scope.agent
        head = self._heads.get(agent) or self._take(scope)
        head.n = n = head.n + 1
        head.hash = last = link(head.hash, n, at, event, subject, digest)
        self._pending.append((agent, n, at, event, subject, salt, digest, last))
        return n

    def lock(self, scope: Scope) -> None:
        """Keep every other writer of this agent out until the end of the transaction."""
        if scope.agent not in self._heads:
            self._take(scope)

    def _take(self, scope: Scope) -> ChainHead:
        # Without the lock two writers on PostgreSQL could take the same number.
        self._db.lock(scope)
        head = self._heads[scope.agent] = ChainHead(*self.head(scope))
        return head

    def flush(self) -> None:
        """Write what was sealed. The store calls it at the end of every transaction."""
        if self._pending:
            self._db.insert(sql.ENTRY_ADD, self._pending)
            self._pending.clear()

    def page(self, scope: Scope, *, after: int, limit: int) -> Sequence[Entry]:
        rows = self._db.all(sql.ENTRIES_PAGE, scope, after=after, limit=limit)
        return [Entry._make(row) for row in rows]

    def newest(self, scope: Scope, *, limit: int) -> Sequence[Entry]:
        rows = self._db.all(sql.ENTRIES_NEWEST, scope, limit=limit)
        return [Entry._make(row) for row in rows][::-1]

    def about(self, scope: Scope, subject: bytes) -> Sequence[Entry]:
        rows = self._db.all(sql.ENTRIES_ABOUT, scope, subject=subject)
        return [Entry._make(row) for row in rows]

    def head(self, scope: Scope) -> tuple[int, bytes]:
        row = self._db.one(sql.HEAD_READ, scope)
        return (0, GENESIS) if row is None else (row[0], row[1])

    def unsalt(self, scope: Scope, numbers: Sequence[int]) -> None:
        """After a lawful purge the digest must say nothing about the text it once sealed."""
        rows = [{"agent": scope.agent, "n": n} for n in numbers]
        self._db.many(sql.ENTRY_UNSALT, rows)
