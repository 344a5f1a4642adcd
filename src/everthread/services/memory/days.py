"""Who asks what was said at some time, and of nothing else, finds what was said then."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.ids import place_at
from everthread.domain.recall.questions import Question, Span
from everthread.domain.text.words import query_words
from everthread.ports import Records

MOST = 100
"""The last ones."""

LOOKED_AT = 10_000
"""So many of a session are looked at, the last ones: an agent at work says as many in a day."""


def cards_of_days(
    records: Records, scope: Scope, question: Question, asked: Sequence[str]
) -> list[int]:
    """The cards of the messages of that time; where people are `asked` for, of theirs alone."""
    said = [message for span in question.spans for message in _said_in(records, scope, span)]
    by = [message for message in said if _is_of(message, asked)]
    places = [place_at(m.thread_ref, m.seq, archived=m.archived) for m in by]
    return places[-MOST:]


def _said_in(records: Records, scope: Scope, span: Span) -> list[Message]:
    start, stop = span
    read = partial(records.messages.said_in, scope, start=start, stop=stop, limit=LOOKED_AT)
    sessions = records.sessions.all(scope, limit=1 << 31)
    found = [
        message
        for session in sessions
        if session.started_ms < stop and session.last_activity_ms >= start
        for message in read(session)
    ]
    return sorted(found, key=lambda message: message.at_ms)


def _is_of(message: Message, names: Sequence[str]) -> bool:
    return not names or {*names} <= {*query_words(message.name or "")}
