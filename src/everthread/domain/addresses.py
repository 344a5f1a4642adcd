"""The address of a server, without what nobody else may read."""

from __future__ import annotations

import re
from urllib.parse import unquote

SECRET = frozenset(
    ("oauth_client_secret", "password", "scram_client_key", "scram_server_key", "sslpassword")
)
"""What PostgreSQL's own library takes for a secret among the options of an address."""

_WHO = re.compile(r"([a-z][a-z0-9+.-]*://)([^/@]*)@", re.IGNORECASE)
_LEFT = re.compile(r"://[^?]*@", re.DOTALL)


def without_secrets(address: str) -> str:
    """The address as it may be shown; of one that says nothing certain, only what kind it is."""
    if "://" not in address:
        return address
    who, rest = _split_login(address)
    if _LEFT.match(f"://{rest}"):
        return f"{address.partition('://')[0]}://***"
    head, mark, options = rest.partition("?")
    shown = "&".join(_mask_option(option) for option in options.split("&"))
    return f"{address.partition('://')[0]}://{who}{head}{mark}{shown}"


def is_clear(address: str) -> bool:
    """Whether it is certain where a name and a password end: an @ of theirs is written %40."""
    return not _LEFT.match(f"://{_split_login(address)[1]}")


def _split_login(address: str) -> tuple[str, str]:
    """Who asks, without the password, and what comes after."""
    found = _WHO.match(address)
    if found is None:
        return "", address.partition("://")[2]
    user, colon, _ = found[2].partition(":")
    return f"{user}{':***' if colon else ''}@", address[found.end() :]


def _mask_option(option: str) -> str:
    name, sign, _ = option.partition("=")
    return f"{name}=***" if sign and unquote(name).lower() in SECRET else option
