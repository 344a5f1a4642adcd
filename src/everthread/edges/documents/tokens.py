"""Tokens as JSON documents: never with their secret, which is kept nowhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from everthread.domain.times import text_of

if TYPE_CHECKING:
    from everthread.domain.harness.checkpoints import Token


def token_document(token: Token) -> dict[str, Any]:
    """A token for programs."""
    return {
        "id": token.id,
        "name": token.name,
        "scopes": json.loads(token.scopes_json),
        "agents": json.loads(token.agents_json),
        "created_at": text_of(token.created_ms),
        "used_at": None if token.used_ms is None else text_of(token.used_ms),
        "revoked_at": None if token.revoked_ms is None else text_of(token.revoked_ms),
    }
