"""Ended memories: what a receipt says no longer holds, in words, with the words that ended it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.ids import id_text
from everthread.domain.recall.shown_text import clean
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import one_line
from everthread.ports import Records
from everthread.services.archive.sources import messages_of

from .told_endings import endings_of

LONGEST = 300


class EndedMemory(NamedTuple):
    """A memory that a model named as over, and the message in which a person said so."""

    memory: str
    """Its id."""
    text: str
    """Without secrets."""
    successor: str | None
    """The id of the memory that took its place."""
    because: str
    """The id of the message."""
    said: str | None
    """What it says, in short and without secrets; None where it is gone, or was forgotten."""


def ended_memories(records: Records, scope: Scope, receipt: Receipt) -> Sequence[EndedMemory]:
    """Those that the receipt put down, in that order. Of their words it keeps none itself."""
    endings = endings_of(receipt)
    if not endings:
        return ()
    messages = messages_of(records, scope, [ending.because for ending in endings])
    withheld = records.memories.withheld(scope)
    found: list[EndedMemory] = []
    for ending in endings:
        memory = records.memories.find(scope, ending.memory)
        if memory is None or memory.state == "forgotten":
            continue  # nothing is told of it any more
        message = messages.get(ending.because)
        known = message is not None and withheld.get(message.key) != "forgotten"
        found.append(
            EndedMemory(
                memory.id,
                _in_short(memory.text),
                memory.superseded_by,
                id_text(ending.because),
                _in_short(_words(message)) if message is not None and known else None,
            )
        )
    return found


def _words(message: Message) -> str:
    return clean(message.text or message.content, strip_secrets)


def _in_short(text: str) -> str:
    return one_line(strip_secrets(text), LONGEST)
