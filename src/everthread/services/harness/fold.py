"""Fold: the digest of a session as it is now, from what its last checkpoint carries and what came since.

A clear that kept the session's id begins with nothing. A fork begins with what the session held that
it was made of: its own transcript repeats that, and what is known already is not stored twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.sessions import Session
from everthread.domain.errors import SessionUnknown
from everthread.domain.gleaning.digest import EMPTY, Digest, read_digest
from everthread.domain.harness.activity import activity
from everthread.domain.harness.checkpoints import Checkpoint, carries_digest
from everthread.domain.harness.happenings import is_vouched
from everthread.ports import House, Records
from everthread.services.archive.as_said import PAGE, as_said
from everthread.services.archive.sources import LOOKED_BACK, forgotten_keys, last_words

from .end_digests import EndDigests
from .stretch import ContextStart, context_start

LOOKED_AT = 500
"""Checkpoints of a session that are looked through for an earlier one."""
TAIL = 300_000
"""Characters that the end of a session may have where somebody waits for it."""

_ENDS = EndDigests()


def nothing() -> None:
    return None


def never() -> bool:
    return False


class FoldedSession(NamedTuple):
    """What a session holds up to one of its messages."""

    digest: Digest
    through: int
    prompts: tuple[str, ...]
    """What people said since the checkpoint before."""
    messages: int
    gone: frozenset[bytes] = frozenset()
    """The ids of messages that were forgotten by then, and were not read."""


def newest_checkpoint(records: Records, scope: Scope, session: Session) -> Checkpoint | None:
    """The newest one that a fold may begin with."""
    last = records.checkpoints.of_session(scope, session.ref, limit=1)
    if not last or carries_digest(last[0]):
        return last[0] if last else None
    known = records.checkpoints.of_session(scope, session.ref, limit=LOOKED_AT)
    return next(filter(carries_digest, known), None)


def checkpoint_until(
    records: Records, scope: Scope, session: Session, seq: int, kinds: Collection[str] = ()
) -> Checkpoint | None:
    """The newest one (of those kinds) that tells nothing of what came after that message."""
    known = records.checkpoints.of_session(scope, session.ref, limit=LOOKED_AT)
    fitting = (c for c in known if c.through_seq <= seq and (not kinds or c.kind in kinds))
    return next(filter(carries_digest, fitting), None)


def is_spoken(message: Message) -> bool:
    """Did a person say it?"""
    return message.origin == "user" and message.kind == "said" and bool(message.text.strip())


def _with_true_source(session: Session, message: Message) -> Message:
    """As it is read: the log of a known tool tells who said what, as its harness itself would have."""
    if message.source == "import" and is_vouched(session.key):
        return message._replace(source="hook")
    return message


def fold(
    house: House,
    scope: Scope,
    session: Session,
    before: Checkpoint | None,
    *,
    pause: Callable[[], None] = nothing,
    late: Callable[[], bool] = never,
    until: int | None = None,
) -> FoldedSession:
    """The session's digest as it is now, or as it was with that message."""
    end = session.last_seq if until is None else min(until, session.last_seq)
    gone = house.store.read(lambda r: forgotten_keys(r, scope))
    past = until is not None
    carried, through = _fold_base(house, scope, session, before, late, past=past)
    if through >= end:
        return FoldedSession(carried, through, (), 0, gone)  # nothing was said since
    from everthread.domain.gleaning.gleaner import Gleaner  # noqa: PLC0415 - all that reads speech: who forgets needs none of it

    # After a clear what was said before belongs to another context; at the beginning there is nothing.
    heard = None if carried == EMPTY else _heard_until(house, scope, session, through, gone)
    gleaner = Gleaner(carried, pause=pause, whole=False, heard=heard)
    prompts: list[str] = []
    count = 0
    for part in as_said(house, scope, session, after=through, until=end):
        for message in part:
            if message.key not in gone:
                gleaner.read(_with_true_source(session, message))
                prompts += [message.text] if is_spoken(message) else []
        through, count = max(message.seq for message in part), count + len(part)
        if late():
            break
    return FoldedSession(gleaner.digest(), through, tuple(prompts), count, gone)


def _heard_until(
    house: House, scope: Scope, session: Session, through: int, gone: Collection[bytes]
) -> Message | None:
    """What the agent of the session said last, up to there: what comes next may answer it."""
    after, thread = max(through - LOOKED_BACK, 0), session.thread_ref
    lately = house.store.read(
        lambda r: r.messages.following(scope, thread, after=after, limit=through - after)
    )
    its = (m for m in lately if m.session_ref == session.ref and m.seq <= through)
    heard = last_words(its, gone)
    return None if heard is None else _with_true_source(session, heard)


def _fold_base(
    house: House,
    scope: Scope,
    session: Session,
    before: Checkpoint | None,
    late: Callable[[], bool],
    *,
    past: bool,
) -> tuple[Digest, int]:
    """What the fold begins with, and the message up to which that goes.

    `past`: what it was is asked for, before whatever was cleared since.
    """
    state, row = house.store.read(lambda r: _state(r, scope, session, before))
    through = 0 if before is None else before.through_seq
    if not past and row.after and row.after >= through:
        return EMPTY, row.after
    if before is None and row.parent:
        return _parent_digest(house, scope, row, late), through
    return read_digest(state) if state else EMPTY, through


def _state(
    records: Records, scope: Scope, session: Session, before: Checkpoint | None
) -> tuple[str, ContextStart]:
    state = "" if before is None else records.checkpoints.state(scope, before)
    return state, context_start(records, scope, session)


def _parent_digest(
    house: House, scope: Scope, row: ContextStart, late: Callable[[], bool]
) -> Digest:
    """What the session held of which this one was made, at the time."""

    def work(records: Records) -> tuple[Session, Checkpoint | None]:
        parent = records.sessions.get(scope, row.parent)
        return parent, checkpoint_until(records, scope, parent, row.parent_seq)

    try:
        parent, before = house.store.read(work)
    except SessionUnknown:
        return EMPTY  # it went with its thread
    return fold(house, scope, parent, before, late=late, until=row.parent_seq).digest


def tail_of(
    house: House, scope: Scope, session: Session, before: Checkpoint | None
) -> tuple[Digest, list[str]]:
    """What the last messages add to what is carried, and the prompts in them: quick, and kept nowhere."""

    def work(records: Records) -> tuple[str, Sequence[Message]]:
        state, row = _state(records, scope, session, before)
        if row.after and (before is None or row.after >= before.through_seq):
            state = ""
        gone = forgotten_keys(records, scope)
        lately = records.messages.of_session(scope, session, limit=PAGE)
        return state, [m for m in lately if m.key not in gone and m.seq > row.after]

    state, messages = house.store.read(work)
    prompts = [message.text for message in messages if is_spoken(message)]
    heard = [_with_true_source(session, message) for message in _last_readable(messages)]
    return _glean(state, heard), list(activity(prompts).snippets)


def _glean(state: str, messages: Sequence[Message]) -> Digest:
    """The digest of that state and these messages. Many may ask for the same within a second: it is
    known by all that it is made of, so nothing that is written anywhere makes it wrong."""
    made_of = _ENDS.made_of(state, messages)
    known = _ENDS.get(made_of)
    if known is not None:
        return known
    from everthread.domain.gleaning.gleaner import Gleaner  # noqa: PLC0415 - all that reads speech: who forgets needs none of it

    gleaner = Gleaner(read_digest(state) if state else EMPTY, whole=False)
    for message in messages:
        gleaner.read(message)
    return _ENDS.keep(made_of, gleaner.digest())


def _last_readable(messages: Sequence[Message]) -> list[Message]:
    """Those at the end that can be read at once; what is too long for that is left out."""
    room, found = TAIL, list[Message]()
    for message in reversed(messages):
        if len(message.content) <= room:
            room -= len(message.content)
            found.append(message)
    return found[::-1]
