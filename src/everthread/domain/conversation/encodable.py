"""What is stored as it came, as a request can carry it.

A file name in another encoding or a text that was cut inside an emoji leaves half of a surrogate pair.
It is stored faithfully, but no client can encode it: one such character would keep a whole thread from
ever being sent again.
"""

from __future__ import annotations

from typing import Any

from everthread.domain.checks import pair_surrogates

from .contents import listing, mapping
from .legal_json import read_json
from .messages import TEXT, Block, Message

_ESCAPED = "\\ud"
"""In JSON of ours such characters are escaped: where this does not stand, there is none."""


def sendable_blocks(message: Message) -> list[Block]:
    """The message's blocks, such that every client can send them."""
    # A plain text never holds any: it could not be stored as one.
    if message.form == TEXT or _ESCAPED not in message.content:
        return message.blocks
    return [_mend(block) for block in message.blocks]


def sendable_json(text: str) -> Any:
    """What the stored JSON says, such that every client can send it."""
    value = read_json(text)
    return _mend(value) if _ESCAPED in text else value


def _mend(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else pair_surrogates(value)
    if (items := listing(value)) is not None:
        return [_mend(item) for item in items]
    if (fields := mapping(value)) is not None:
        return {_mend(name): _mend(field) for name, field in fields.items()}
    return value
