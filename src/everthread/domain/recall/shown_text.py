"""What of a text may be shown: secrets go before anything is cut, for half of one is not known as one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from everthread.domain.conversation.contents import listing, mapping
from everthread.domain.conversation.messages import BLOCKS, TEXT, Message
from everthread.domain.text.fences import strip_unseen

from .hits import Hit
from .search_text import search_text

Redact = Callable[[str], str]

WHOLE = 200_000
"""A longer text is looked through in part: far more than is ever shown of it."""

EDGE = 16_000
"""What is left off where a text was cut before it was redacted: longer than any key."""


def shown_text(hit: Hit, redact: Redact, at: int = 0) -> str:
    """The text of a hit without secrets: of a message from all of it, as `Hit.text` may be cut."""
    source = next((m for m in hit.messages if m.id == hit.id), None)
    if source is None or search_text(source) != hit.text:
        return clean(hit.text, redact, at)
    made = _clean_message(source, redact)
    told = search_text(made)
    if source.form == TEXT and told == source.content:
        return told  # all of it was looked through as it stands, and nothing had to go
    # Again at the end: a value is known by its name, and these stand together only there.
    return clean(told, redact)


def clean(text: str, redact: Redact, at: int = 0) -> str:
    """The text without secrets; of a very long one what lies around that place."""
    if len(text) <= WHOLE:
        # What nobody sees goes first: inside a secret it would hide the secret.
        return redact(strip_unseen(text))
    start = max(0, min(at - WHOLE // 2, len(text) - WHOLE))
    part = redact(strip_unseen(text[start : start + WHOLE]))
    if start:
        part = part[EDGE:].partition("\n")[2] or part[EDGE:]
    if start + WHOLE < len(text):
        part = part[:-EDGE].rpartition("\n")[0] or part[:-EDGE]
    return part


def _clean_message(message: Message, redact: Redact) -> Message:
    if message.form == TEXT:
        return message._replace(content=_clean_ends(message.content, redact))
    blocks = _clean_value(message.blocks, redact)
    return message._replace(form=BLOCKS, content=json.dumps(blocks))


def _clean_value(value: Any, redact: Redact) -> Any:
    """Every text in a value of JSON without secrets."""
    if isinstance(value, str):
        return _clean_ends(value, redact)
    if (items := listing(value)) is not None:
        return [_clean_value(item, redact) for item in items]
    if (fields := mapping(value)) is not None:
        return {name: _clean_value(item, redact) for name, item in fields.items()}
    return value


def _clean_ends(text: str, redact: Redact) -> str:
    """Of a very long text both ends, as `findable` shows no more."""
    if len(text) <= WHOLE:
        return clean(text, redact)
    return f"{clean(text, redact)}\n…\n{clean(text, redact, len(text))}"
