"""Whose a recorded reply is: hers whose message it answers, as in a turn, where it names nobody itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from everthread.domain.agents import Scope, channel_parts
from everthread.domain.conversation.messages import Draft, Message
from everthread.domain.conversation.sessions import Session
from everthread.ports import Records

from .channel_ids import ChannelIds

LOOKED_AT = 32
"""Messages among which is looked for what was answered; each of them that knows whose it is tells so."""
LAST_FEW = 4
MOST_BETWEEN = 2_000
EVER = -(2**62)

WHO = Draft._fields.index("principal")


def is_ownerless(draft: Draft) -> bool:
    """Is it a reply, or what a tool gave, and tells not for whom? A harness knows no principals."""
    if draft.principal is not None or draft.source == "hook":
        return False
    return draft.role == "assistant" or draft.origin == "tool"


def owned_reply(records: Records, scope: Scope, session: Session, draft: Draft, at: int) -> Draft:
    """A lone one that comes last in its session, as hers whom it answers."""
    if not is_ownerless(draft):
        return draft
    for limit in (LAST_FEW, LOOKED_AT):
        before = records.messages.newest(scope, session.thread_ref, limit=limit)
        own = [m for m in before if m.session_ref == session.ref and m.at_ms <= at]
        found, who = _last_named(own)
        if found or len(before) < limit:
            return _for(draft, who)
    return draft


class ReplyOwners:
    """Gives replies their persons, group by group in the order in which they were said.

    Of what is stored in their session, what is known to have come by another channel is not answered.
    Where the channel of what came last is not known, and it may be another, the reply stays nobody's.
    """

    def __init__(self, records: Records, scope: Scope, channel: str | None = None) -> None:
        self._records = records
        self._scope = scope
        self._channel = channel
        self._ids = None if channel is None else ChannelIds(channel)
        self._last: str | None = None
        """Who was answered last in the group before."""

    def give(self, session: int, drafts: Sequence[Draft]) -> list[Draft]:
        """The drafts of one session, each reply without a principal as hers whom it answers."""
        if not any(map(is_ownerless, drafts)):
            self._last = next((d.principal for d in reversed(drafts) if _speaks(d)), self._last)
            return [*drafts]
        who = self._before(session, drafts[0].at_ms)
        others = self._between(session, drafts)
        owned: list[Draft] = []
        for draft in drafts:
            while others and others[-1][0] <= draft.at_ms:
                who = others.pop()[1]
            if _speaks(draft):
                who = draft.principal
            owned.append(_for(draft, who) if is_ownerless(draft) else draft)
        self._last = who
        return owned

    def _before(self, ref: int, at: int) -> str | None:
        """Whom what comes next answers: who spoke last there, else who did in the session before."""
        session = self._records.sessions.get(self._scope, ref)
        found, who = self._last_named(session, at)
        if found or self._last is not None or session.previous_ref is None:
            return who if found else self._last
        previous = self._records.sessions.get(self._scope, session.previous_ref)
        if previous.channel != session.channel:
            return None
        return self._last_named(previous, at)[1]

    def _last_named(self, session: Session, at: int) -> tuple[bool, str | None]:
        said = self._said(session, EVER, at, LOOKED_AT)
        here = self._of_channel(said)
        found, who = _last_named(here)
        if who is None or not self._may_be_elsewhere(session, said):
            return found, who
        last = next(m for m in reversed(here) if _tells(m))
        return True, None if last.external_id is None else who

    def _between(self, ref: int, drafts: Sequence[Draft]) -> list[tuple[int, str | None]]:
        """When people said something among these that is stored already, and who; the last of it first."""
        first, last = drafts[0].at_ms, drafts[-1].at_ms
        session = self._records.sessions.get(self._scope, ref)
        said = self._said(session, first + 1, last, MOST_BETWEEN)
        spoken = [message for message in reversed(self._of_channel(said)) if _speaks(message)]
        unsure = bool(spoken) and self._may_be_elsewhere(session, [*said, *drafts])
        return [
            (m.at_ms, None if unsure and m.external_id is None else m.principal) for m in spoken
        ]

    def _said(self, session: Session, start: int, until: int, limit: int) -> Sequence[Message]:
        if not session.message_count or start > until:
            return ()
        return self._records.messages.said_in(
            self._scope, session, start=start, stop=until + 1, limit=limit
        )

    def _of_channel(self, said: Sequence[Message]) -> Sequence[Message]:
        ids = self._ids
        return said if ids is None else [m for m in said if ids.may_hold(m.external_id)]

    def _may_be_elsewhere(self, session: Session, said: Iterable[Draft | Message]) -> bool:
        """May what has no id there have come by another channel, from somebody who is not answered?

        So it is where the session is, or turns in it were, on another channel, or several people spoke.
        """
        if self._channel is None:
            return False
        if session.channel not in (None, self._channel):
            return True
        here = channel_parts(self._channel)
        bound = self._records.channels.all(self._scope)
        if any(c.session_ref == session.ref and (c.transport, c.key) != here for c in bound):
            return True
        people = {m.principal for m in said if m.origin == "user" or m.principal is not None}
        return len(people) > 1


def _speaks(said: Draft | Message) -> bool:
    """Is it what a reply answers: a person's word, or a heartbeat, that is nobody's?"""
    return said.role == "user" and said.origin != "tool"


def _last_named(messages: Iterable[Message]) -> tuple[bool, str | None]:
    """Does one of them tell whose the next is, and whose? The last that does."""
    for message in reversed([*messages]):
        if _tells(message):
            return True, message.principal
    return False, None


def _tells(message: Message) -> bool:
    return _speaks(message) or message.principal is not None


def _for(draft: Draft, who: str | None) -> Draft:
    return draft if who is None else Draft._make(chain(draft[:WHO], (who,), draft[WHO + 1 :]))
