"""Replies: what an agent answered to what is forgotten, where it only said it again in its own words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.forgetting.acknowledgements import Acknowledged
from everthread.domain.forgetting.restatements import concerns_another
from everthread.domain.recall.search_text import search_text
from everthread.ports import Records
from everthread.services.archive.sources import messages_of

AT_FIRST, AT_ONCE = 6, 100
"""Messages that are read: after most statements comes one reply, after some a day's work with tools."""


def acknowledging_replies(
    records: Records,
    scope: Scope,
    texts: Iterable[tuple[str, str | None]],
    said: Iterable[bytes],
) -> list[bytes]:
    """The ids of replies to these messages that say one of the texts again. Of a certain person's, not
    what was said to another one."""
    wanted = list(texts)
    gone = Acknowledged([text for text, _ in wanted])
    messages = messages_of(records, scope, said)
    replies = _replies(records, scope, messages.values())
    persons = [person for _, person in wanted]
    return [
        reply.key
        for reply in replies
        if reply.key not in messages and _is_one(reply, gone, persons)
    ]


def _is_one(reply: Message, gone: Acknowledged, persons: Sequence[str | None]) -> bool:
    those = (persons[n] for n in gone.by(search_text(reply)))
    return any(person is None or not concerns_another(reply, person) for person in those)


def _replies(records: Records, scope: Scope, messages: Iterable[Message]) -> Iterator[Message]:
    """What the agent said after each of the messages until somebody else spoke; each reply once."""
    seen = set[bytes]()
    for message in messages:
        for one in _following(records, scope, message):
            # From here on it was gone through after another of the messages.
            if one.key in seen or not _goes_on(one, message):
                break
            seen.add(one.key)
            if one.origin == "agent" and one.kind == "said":
                yield one


def _goes_on(one: Message, message: Message) -> bool:
    """Is it still the agent at its work, in the session of the message?"""
    return one.origin in ("agent", "tool") and one.session_ref == message.session_ref


def _following(records: Records, scope: Scope, message: Message) -> Iterator[Message]:
    after, limit = message.seq, AT_FIRST
    while page := records.messages.following(scope, message.thread_ref, after=after, limit=limit):
        yield from page
        after, limit = page[-1].seq, AT_ONCE
