"""Who asks: the local token, or one of the store's. A secret is compared by its hash alone."""

from __future__ import annotations

import hmac
from typing import NamedTuple

LOCAL = "local"


class Key(NamedTuple):
    """A token as the API knows it: what it may do, and for which agents."""

    name: str
    scopes: frozenset[str]
    agents: frozenset[str] = frozenset()
    """Their names; none: all of them."""

    def may(self, scope: str) -> bool:
        """`admin` may do everything; `write` alone does not read."""
        return scope in self.scopes or "admin" in self.scopes

    @property
    def rules(self) -> bool:
        """Is it the whole store's admin?"""
        return "admin" in self.scopes and not self.agents

    def speaks_for(self, agent: str) -> bool:
        return not self.agents or agent in self.agents


LOCAL_KEY = Key(LOCAL, frozenset({"admin"}))
COMMAND_KEY = Key("command", frozenset({"admin"}))
"""A command of this machine's owner, which could open the store itself: it is held to no more than that."""


def equal_secrets(one: bytes, other: bytes) -> bool:
    """In constant time."""
    return hmac.compare_digest(one, other)
