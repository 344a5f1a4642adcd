"""Give: what a session is given, and the log of it.

It is logged once per session, stretch of its context, purpose and text: a daemon that starts anew
gives the same again or nothing, never something else. It is logged, and waits no longer, in one
transaction, and only if somebody is still there to hear it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.given.injections import GivenItem, Injection, Use
from everthread.domain.given.packing import PackedBlock
from everthread.domain.memory.memories import KINDS
from everthread.domain.recall.hits import Hit
from everthread.domain.text.fences import one_line
from everthread.ports import House, Records
from everthread.services.giving.holdout import withheld_uses
from everthread.services.giving.surface import surface_given
from everthread.services.giving.tally import given_use, keep_given, mark_recovered
from everthread.services.giving.validity import key_of

from .compaction import add_given, add_restored, missing_lines

START, BACK, PROMPT, RESTORED = "start", "compaction", "prompt", "restore"
TOLD, MEANWHILE = "exchange", "meanwhile"
"""The purposes of injections into a harness's session."""

COUNTED = (START, BACK, PROMPT, MEANWHILE)
"""Those of which the scorer learns; what waited since a compaction is no memory."""

OFTEN = (PROMPT, TOLD, MEANWHILE)
"""What may come more than once in a stretch of a session's context."""

BEGINS = (START, BACK, MEANWHILE)

SESSION = "session"
"""The kind of an item that names the session which a block quotes."""


class GivenBlock(NamedTuple):
    """What a start is given: the text, its purpose, what of it is quoted, and why there is no more."""

    text: str
    purpose: str
    items: Sequence[GivenItem] = ()
    reason: str = ""
    recovered: bool = False
    waited: Collection[str] = ()
    """The lines in it that waited since a compaction."""
    hits: Sequence[Hit] = ()
    """What a recall ranked of it: what the scorer made of each."""
    withheld: Sequence[Hit] = ()
    """What the hold-out keeps back."""
    heard: Sequence[bytes] = ()
    """What it tells of other agents' messages, by the ids of their rows."""
    tokens: int = 0
    """Of the text, where they are counted already."""


def quoted_session(session: Session) -> GivenItem:
    """The session of which a block tells: should something in it be forgotten, the block goes too."""
    return GivenItem(0, SESSION, session.key_id, 1.0, "where it stood")


def items_of(packed: PackedBlock) -> list[GivenItem]:
    return [
        GivenItem(
            rank,
            item.hit.kind,
            bytes.fromhex(item.hit.id.replace("-", "")),
            item.hit.score,
            item.hit.why,
        )
        for rank, item in enumerate(packed.items, 1)
    ]


def text_given_before(
    records: Records, scope: Scope, session: Session, purpose: str, epoch: int
) -> str | None:
    """What the session was given for that purpose in this epoch; None where nobody looked yet."""
    one = records.injections.given(scope, session.ref, epoch=epoch, purpose=purpose)
    if one is None:
        return None
    if one.body_hash is None:
        return ""
    return records.bodies.get(scope, [one.body_hash]).get(one.body_hash, "")


def texts_given(
    records: Records, scope: Scope, session: Session, purpose: str, epoch: int, *, limit: int
) -> list[str]:
    """All that the session was given for that purpose in this epoch, as it came."""
    every = records.injections.all(scope, session=session.ref, limit=limit)
    found = [one for one in every if one.purpose == purpose and one.epoch == epoch]
    hashes = [one.body_hash for one in reversed(found) if one.body_hash is not None]
    texts = records.bodies.get(scope, hashes)
    return [texts[each] for each in hashes if each in texts]


def text_begun_with(records: Records, scope: Scope, session: Session, epoch: int) -> str:
    """What that stretch of its context began with, and what came last when it was gone on with."""
    found = (text_given_before(records, scope, session, each, epoch) for each in BEGINS)
    return "\n".join(filter(None, found))


def give_once(
    house: House, records: Records, session: Session, told: GivenBlock, epoch: int
) -> str | None:
    """Give it; unless another event of the session, at the same moment, was given it: then that text."""
    scope = Scope(session.agent_ref)
    if told.purpose not in OFTEN:
        records.threads.hold(scope, session.thread_ref)
        if told.purpose == RESTORED:
            before = (
                "" if {*told.waited}.isdisjoint(missing_lines(records, scope, session)) else None
            )
        else:
            before = text_given_before(records, scope, session, told.purpose, epoch)
        if before is not None:
            return before
    give(house, records, session, told, epoch)
    return None


def give(house: House, records: Records, session: Session, told: GivenBlock, epoch: int) -> None:
    """Write what was given, or why nothing was, and all that follows from it."""
    scope, now = Scope(session.agent_ref), house.clock.now()
    records.injections.add(
        scope, _log(house, session, told, epoch, now), told.text or None, told.items
    )
    if told.purpose in COUNTED and house.policy.scorer != "off":
        keep_given(records, scope, session.ref, _uses(session.ref, told, now), now=now)
    if told.recovered and told.text:
        mark_recovered(records, scope, session.ref, now=now)
    if told.purpose == BACK:
        add_given(records, scope, session, told.text, now=now)
    surface_given(records, scope, told.heard, turn=None, now=now)
    if told.waited:
        add_restored(records, scope, session, told.waited, now=now)


def _uses(session: int, told: GivenBlock, now: int) -> list[Use]:
    """The memories among what was given, and those withheld, as the scorer counts them."""
    ranked = {key_of(hit): hit.learned for hit in told.hits}
    given = [item for item in told.items if item.kind in KINDS]
    # Who gives memories at a start ranks them by nobody's question: they have no score of a recall.
    plain = [item if item.ref in ranked else item._replace(score=0.0) for item in given]
    uses = [
        given_use(session, item, now, mentioned=False, learned=ranked.get(item.ref))
        for item in plain
    ]
    return [*uses, *withheld_uses(session, told.withheld, now)]


def _log(house: House, session: Session, told: GivenBlock, epoch: int, now: int) -> Injection:
    return Injection(
        ref=0,
        agent_ref=session.agent_ref,
        key_id=house.ids.new(),
        thread_ref=session.thread_ref,
        session_ref=session.ref,
        turn_ref=None,
        epoch=epoch,
        purpose=told.purpose,
        reason=one_line(told.reason or "nothing", 300),
        body_hash=None,
        size=len(told.text.encode()),
        tokens=told.tokens or (house.tokenizer.count(told.text) if told.text else 0),
        at_ms=now,
        entry=0,
    )
