"""Last reply: what an agent answered to the last prompt of a session, read from its end.

It is read anew each time, and stands in no checkpoint: what is forgotten in between is not told.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.sessions import Session
from everthread.domain.gleaning.message_text import own_words
from everthread.domain.harness.last_words import UNANSWERED, last_words
from everthread.ports import Records
from everthread.services.archive.sources import forgotten_keys

from .fold import is_spoken
from .stretch import context_start

LOOKED_AT = 60
"""Messages at the end of a session among which the last reply is looked for: it ends a turn."""


def last_reply(records: Records, scope: Scope, session: Session) -> Sequence[str]:
    """What it came to, line by line; none where the end of the session does not tell."""
    gone, after = forgotten_keys(records, scope), context_start(records, scope, session).after
    lately = records.messages.of_session(scope, session, limit=LOOKED_AT)
    # As they came: a harness's clock and ours may differ.
    in_order = sorted(lately, key=lambda message: message.seq)
    there = [m for m in in_order if m.seq > after and m.key not in gone]
    asked = max((n for n, message in enumerate(there) if is_spoken(message)), default=-1)
    replies = [message for message in there[asked + 1 :] if _replies(message)]
    told = (last_words(own_words(message)) for message in reversed(replies))
    if lines := next(filter(None, told), None):
        return lines
    # Where no agent's words are ever told to us, their absence says nothing.
    broke_off = asked >= 0 and not replies and any(map(_replies, there))
    return [UNANSWERED] if broke_off else []


def _replies(message: Message) -> bool:
    """Did the agent say something in words? Not every harness tells us that."""
    return message.origin == "agent" and message.kind == "said" and bool(message.text.strip())
