"""What earlier sessions left open and this one tells as done, and rules of theirs that it lifts, end.

A session's digest begins with nothing, so what another left open or laid down is not seen to end in it. Its
words are held against the memories of that, and only where there are any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.sessions import Session
from everthread.domain.gleaning.message_text import own_words, typed_request
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.memory.memories import Memory, is_valid
from everthread.ports import House, Records
from everthread.services.archive.as_said import as_said
from everthread.services.archive.sources import forgotten_keys
from everthread.services.distilling.learn import Comparison
from everthread.services.memory.provenance import said_times
from everthread.services.memory.remember import MOST_COMPARED

if TYPE_CHECKING:
    from everthread.domain.gleaning.utterances import Utterance

_OPEN = "open_item"
_RULES = frozenset({"rule", "preference"})


def with_settled(
    house: House,
    scope: Scope,
    session: Session,
    found: Comparison,
    *,
    before: Checkpoint | None,
    until: int,
    pause: Callable[[], None],
) -> Comparison:
    """The comparison, in which what this session settles of earlier ones is over as well.

    `before`: the checkpoint it was last extracted with. What was said until then is held only against
    what was remembered since; otherwise a long session would be read anew at every checkpoint.
    """
    left = house.store.read(lambda r: _left(r, scope, session, now=house.clock.now()))
    left = [memory for memory in left if memory.ref not in found.over]
    if not left:
        return found
    from everthread.domain.gleaning.open_items.later_talk import may_settle  # noqa: PLC0415 - all that reads speech
    from everthread.domain.gleaning.utterances import take_apart  # noqa: PLC0415 - as above

    over: list[int] = []
    read, since = (0, 0) if before is None else (before.through_seq, before.created_ms)
    fresh = [memory for memory in left if memory.created_ms >= since]
    for message in _said(house, scope, session, 0 if fresh else read, until):
        asked = [m for m in (left if message.seq > read else fresh) if m.ref not in over]
        agent = message.origin == "agent"
        text = own_words(message) if agent else typed_request(own_words(message))
        near = [m for m in asked if _is_hers(m, message) and may_settle(m.text, text)]
        pause()
        if near:
            rules = [] if agent else [m for m in left if m.kind in _RULES and _is_hers(m, message)]
            said = take_apart(text, pause, own=not agent)
            ended = _ended(said, near, rules, agent=agent, pause=pause)
            over += [m.ref for m in asked if m.ref in ended]
    return found._replace(
        over=[*found.over, *over], until_ms=max(found.until_ms, session.last_activity_ms)
    )


def _ended(
    said: Utterance,
    near: Sequence[Memory],
    rules: Sequence[Memory],
    *,
    agent: bool,
    pause: Callable[[], None],
) -> list[int]:
    """What of it this message settles; of rules only one can be meant, so all of them are looked at."""
    from everthread.domain.gleaning.open_items.later_talk import lifted_texts, settled_texts  # noqa: PLC0415 - as above

    left = [m for m in near if m.kind == _OPEN]
    pause()
    over = settled_texts([m.text for m in left], said, agent=agent, pause=pause)
    lifted = lifted_texts(said, [m.text for m in rules]) if rules else []
    return [
        *(m.ref for m in left if m.text in over),
        *(m.ref for m in rules if m.text in lifted),
    ]


def _left(records: Records, scope: Scope, session: Session, *, now: int) -> Sequence[Memory]:
    """What people left open or laid down before this session, in the same project. What somebody pinned
    stays."""
    kept = records.memories.all(scope, state="kept", limit=MOST_COMPARED)
    kinds = {_OPEN, *_RULES}
    every = [
        m
        for m in kept
        if m.kind in kinds and m.origin == "user" and not m.pinned and is_valid(m, at=now)
    ]
    every = [m for m in every if m.session_ref != session.ref and m.sources]
    if not every:
        return ()
    said = said_times(records, scope, every)
    return [
        m
        for m in every
        if said[m.key_id] < session.started_ms
        and _project(records, scope, m) == session.project_normalized
    ]


def _project(records: Records, scope: Scope, memory: Memory) -> str | None:
    if memory.session_ref is None:
        return None
    return records.sessions.get(scope, memory.session_ref).project_normalized


def _is_hers(memory: Memory, message: Message) -> bool:
    """What is one person's, no other's word ends."""
    return memory.principal is None or message.principal == memory.principal


def _said(
    house: House, scope: Scope, session: Session, after: int, until: int
) -> Iterator[Message]:
    """What people and the agent said in it after that message."""
    gone = house.store.read(lambda r: forgotten_keys(r, scope))
    for message in chain.from_iterable(as_said(house, scope, session, after=after, until=until)):
        own = message.kind == "said" and message.origin in ("user", "agent")
        if own and message.source != "import" and message.key not in gone:
            yield message
