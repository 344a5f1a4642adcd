"""Messages by their public ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from everthread.domain.agents import Scope
from everthread.domain.checks import checked_several
from everthread.domain.conversation.messages import Message
from everthread.domain.errors import BadInput
from everthread.domain.ids import id_text, is_tagged, place_at, place_of
from everthread.ports import Records

_ID = re.compile(r"[0-9a-f]{32}")


def messages_named(
    records: Records, scope: Scope, names: Iterable[Message | str]
) -> Sequence[Message]:
    """The agent's messages of these ids, each once; one that is not there is refused."""
    wanted = "sources must be a list of messages or of their ids"
    if isinstance(names, Message):
        raise BadInput(wanted)
    keys = dict.fromkeys(_key(name) for name in checked_several(wanted, names))
    found = {key: message_of(records, scope, key) for key in keys}
    missing = next((key for key, message in found.items() if message is None), None)
    if missing is not None:
        raise BadInput(f"this agent has no message {id_text(missing)}; give ids of its messages")
    return [message for message in found.values() if message is not None]


def _key(name: object) -> bytes:
    if isinstance(name, Message):
        return name.key
    digits = name.lower().replace("-", "") if isinstance(name, str) else ""
    if not _ID.fullmatch(digits):
        raise BadInput(f"{name!r:.60} is no message and no id of one; ids are given whole")
    return bytes.fromhex(digits)


def message_of(records: Records, scope: Scope, key: bytes) -> Message | None:
    """The agent's message of that id; None if it is gone."""
    tag, seq = place_of(key)
    for thread in records.threads.all(scope):
        if is_tagged(thread.key_id, tag):
            places = [place_at(thread.ref, seq), place_at(thread.ref, seq, archived=1)]
            for message in records.messages.placed(scope, places):
                if message.key == key:
                    return message
    return None


def forgotten(records: Records, scope: Scope) -> frozenset[bytes]:
    """The ids of the messages whose words were forgotten: nothing is drawn from them any more."""
    withheld = records.memories.withheld(scope)
    return frozenset(key for key, why in withheld.items() if why == "forgotten")
