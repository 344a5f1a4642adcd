"""Keys to the API: found by the hash of their secret, which is kept nowhere."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.harness.checkpoints import Token

from .link import Link
from .sql import harness as sql


class TokenTable:
    def __init__(self, db: Link) -> None:
        self._db = db

    def add(self, token: Token) -> Token:
        row = self._db.one(
            sql.TOKEN_ADD,
            None,
            id=token.key_id,
            name=token.name,
            hash=token.hash,
            scopes=token.scopes_json,
            agents=token.agents_json,
            created=token.created_ms,
            used=token.used_ms,
            revoked=token.revoked_ms,
        )
        assert row is not None, "an insert returns its reference"
        return token._replace(ref=row[0])

    def find(self, secret_hash: bytes) -> Token | None:
        row = self._db.one(sql.TOKEN_FIND, None, hash=secret_hash)
        return None if row is None else Token._make(row)

    def all(self) -> Sequence[Token]:
        return [Token._make(row) for row in self._db.all(sql.TOKENS_ALL, None)]

    def used(self, token: Token, *, now: int) -> None:
        self._db.run(sql.TOKEN_USED, None, ref=token.ref, now=now)

    def revoke(self, token: Token, *, now: int) -> None:
        self._db.run(sql.TOKEN_REVOKE, None, ref=token.ref, now=now)
