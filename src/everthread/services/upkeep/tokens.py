"""Tokens: keys to the HTTP API, made, checked and revoked. The secret itself is kept nowhere."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from everthread.domain.agents import checked_name
from everthread.domain.checks import checked_of, checked_several, checked_text
from everthread.domain.conversation.contents import compact
from everthread.domain.errors import BadInput, StoreFailed, TokenUnknown
from everthread.domain.harness.checkpoints import Token
from everthread.domain.lookup import Lookup
from everthread.domain.times import MINUTE
from everthread.ports import House, Records

SCOPES = ("read", "write", "admin")
PREFIX = "etk_"
"""By which a secret is known as one of ours, wherever it turns up."""

LONGEST_NAME = 100
LONGEST_SECRET = 200
SOUGHT = Lookup("token", "tokens", "everthread token list", TokenUnknown)


class Minted(NamedTuple):
    """A new token and, this once, its secret."""

    token: Token
    secret: str


def secret_hash(secret: str) -> bytes:
    """What is kept of a secret, and what is compared."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def mint(house: House, name: str, scopes: Sequence[str], agents: Sequence[str] = ()) -> Minted:
    """Make a token of that name for these scopes and agents; no agents means all of them."""
    checked_text("a token's name", name, longest=LONGEST_NAME)
    wanted = _scopes(tuple(checked_several("scopes are a list: read, write, admin", scopes)))
    for agent in checked_several("agents are a list of names", agents):
        checked_name(agent)
    secret = f"{PREFIX}{(house.ids.salt() + house.ids.salt()).hex()}"
    now = house.clock.now()
    token = Token(
        ref=0,
        key_id=house.ids.new(),
        name=name,
        hash=secret_hash(secret),
        scopes_json=compact(wanted),
        agents_json=compact(sorted(set(agents))),
        created_ms=now,
        used_ms=None,
        revoked_ms=None,
    )

    def work(records: Records) -> Token:
        if any(t.name == name and t.revoked_ms is None for t in records.tokens.all()):
            raise BadInput(f"there is a token {name!r} already; revoke it, or take another name")
        return records.tokens.add(token)

    return Minted(house.store.write(work), secret)


def check(house: House, secret: str) -> Token | None:
    """The token of that secret, unless it was revoked; when it was used is noted once a minute."""
    checked_of("secret", secret, str)
    if not secret.startswith(PREFIX) or len(secret) > LONGEST_SECRET:
        return None
    token = house.store.read(lambda r: r.tokens.find(secret_hash(secret)))
    now = house.clock.now()
    if token is not None and (token.used_ms is None or now - token.used_ms >= MINUTE):
        with suppress(StoreFailed):  # a store that takes nothing more can still be read
            house.store.write(lambda r: r.tokens.used(token, now=now))
    return token


def tokens(house: House) -> list[Token]:
    """Newest first, revoked ones too."""
    return list(house.store.read(lambda r: r.tokens.all()))


def revoke(house: House, name: str) -> Token:
    """Revoke the token of that name, or of that id or unique ending of it; twice is once."""
    checked_text("a token", name)
    now = house.clock.now()

    def work(records: Records) -> Token:
        token = _find_token(records.tokens.all(), name)
        if token.revoked_ms is None:
            records.tokens.revoke(token, now=now)
            return token._replace(revoked_ms=now)
        return token

    return house.store.write(work)


def _scopes(scopes: Sequence[str]) -> list[str]:
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        raise BadInput(f"scopes are {', '.join(SCOPES)}; got {', '.join(unknown) or 'none'}")
    return [scope for scope in SCOPES if scope in scopes]


def _find_token(known: Sequence[Token], name: str) -> Token:
    """By name the one that is in force; else by id."""
    named = [token for token in known if token.name == name]
    named = [token for token in named if token.revoked_ms is None] or named[:1]
    if named:
        return SOUGHT.only(name, named)
    return SOUGHT.found(name, lambda end: [t for t in known if t.key_id.hex().endswith(end)])
