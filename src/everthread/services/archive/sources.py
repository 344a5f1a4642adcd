"""Messages by their public ids."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence

from everthread.domain.agents import Scope
from everthread.domain.checks import checked_several
from everthread.domain.conversation.messages import Message
from everthread.domain.errors import BadInput
from everthread.domain.ids import id_text, place_at, place_of, tag_of
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
    found = messages_of(records, scope, keys)
    missing = next((key for key in keys if key not in found), None)
    if missing is not None:
        raise BadInput(f"this agent has no message {id_text(missing)}; give ids of its messages")
    return list(found.values())


def _key(name: object) -> bytes:
    if isinstance(name, Message):
        return name.key
    digits = name.lower().replace("-", "") if isinstance(name, str) else ""
    if not _ID.fullmatch(digits):
        raise BadInput(f"{name!r:.60} is no message and no id of one; ids are given whole")
    return bytes.fromhex(digits)


def message_of(records: Records, scope: Scope, key: bytes) -> Message | None:
    """The agent's message of that id; None if it is gone."""
    return messages_of(records, scope, [key]).get(key)


def messages_of(records: Records, scope: Scope, keys: Iterable[bytes]) -> dict[bytes, Message]:
    """The agent's messages of these ids, in their order, looked up together; those gone are left out."""
    return _look_up(records, scope, keys, records.messages.placed)


def heads_of(records: Records, scope: Scope, keys: Iterable[bytes]) -> dict[bytes, Message]:
    """The same without their words."""
    return _look_up(records, scope, keys, records.messages.heads)


def _look_up(
    records: Records,
    scope: Scope,
    keys: Iterable[bytes],
    read: Callable[[Scope, Sequence[int]], Iterable[Message]],
) -> dict[bytes, Message]:
    wanted = {key: place_of(key) for key in keys}
    threads = defaultdict[int, list[int]](list)
    for thread in records.threads.tagged(scope, {tag for tag, _ in wanted.values()}):
        threads[tag_of(thread.key_id)].append(thread.ref)
    places = {
        place_at(ref, seq, archived=archived)
        for tag, seq in wanted.values()
        for ref in threads[tag]
        for archived in (0, 1)
    }
    found = {message.key: message for message in read(scope, sorted(places))}
    return {key: found[key] for key in wanted if key in found}


def forgotten_keys(records: Records, scope: Scope) -> frozenset[bytes]:
    """The ids of the messages whose words were forgotten: nothing is drawn from them any more."""
    withheld = records.memories.withheld(scope)
    return frozenset(key for key, why in withheld.items() if why == "forgotten")


LOOKED_BACK = 12
"""Messages before a range that are looked through for what the agent said last."""


def last_words(messages: Iterable[Message], gone: Collection[bytes]) -> Message | None:
    """The agent's last words among these; a call of a tool says nothing."""
    said = (m for m in messages if m.origin == "agent" and m.kind == "said" and m.key not in gone)
    told = [m for m in said if m.text.strip()]
    return told[-1] if told else None
