"""Inject: what a turn is given beside the user's words, and the log of it.

Recall runs before the turn's transaction and may fail or be late: then the turn begins without it,
and the log says why. Nothing here ever refuses a turn.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import TEXT, Draft, Message, blocks_of, text_of
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.distilling.context_text import NOTHING_SAID, ContextText
from everthread.domain.exchanges.notices import HEARD
from everthread.domain.given.context import STATE, Allocation, frame_block
from everthread.domain.given.echoes import without_echoes
from everthread.domain.given.handwritten import BY_HAND
from everthread.domain.given.injections import LATELY, RECALL, GivenItem, Injection
from everthread.domain.given.packing import read_block
from everthread.domain.given.recent_sessions import SESSION
from everthread.domain.given.report_series import newest_of_each
from everthread.domain.given.usefulness import corrects, is_mentioned, retold_texts, worth_asking
from everthread.domain.ids import place_at
from everthread.domain.memory.memories import Memory
from everthread.domain.recall.hits import Hit
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import strip_unseen
from everthread.ports import House, Records
from everthread.services.archive.sessions import ANYWHERE, Seat, expected_session
from everthread.services.memory.provenance import Visibility, said_at

from .allot import NO_CONTEXT, OwnContext, allot, own_context, quoted_hits
from .bearing import bearing_hits, told_once
from .earlier_answers import answers_for_repeats
from .fork_recap import RECAP, recap_after_fork
from .handwritten_notes import opens_session
from .holdout import hold_out, holdout_reason, retold_uses
from .recent_sessions import sessions_to_tell
from .surface import hold_waiting, surface_given, waiting_exchanges
from .tally import SessionCounts
from .validity import all_stand, key_of, may_know, memories_of
from .view_contents import view_contents

log = logging.getLogger("everthread")

MOST_HITS = 20
LONGEST_HALF = 4_000
"""Of a longer message both ends are looked for: what is pasted lies in between or at one of them."""

LONGEST_REASON = 300
GUARD = "dropped: with it the request would pass the guard"
GONE = "dropped: what it quotes was erased or forgotten meanwhile"

NO_HITS: Sequence[Hit] = ()

UNSCORED = (STATE, HEARD, SESSION, RECAP, BY_HAND)


class RecallQuery(NamedTuple):
    """What is looked for: by which words, how much, and what need not be found again."""

    query: str
    limit: int
    shown: Sequence[tuple[int, int]]
    """Places of messages that the view shows, from and to."""
    without: frozenset[bytes]
    """Ids of what was given lately."""
    project: str | None = None
    """That of the session in which the turn will be."""
    already: ContextText = NOTHING_SAID
    """What the view's summary quotes."""


Recall = Callable[[RecallQuery], Sequence[Hit]]
"""Finds what is sought. May raise, `TimeoutError` too."""


class Offer(NamedTuple):
    """What a turn may be given, or why it is given nothing; and what was counted on the way."""

    block: Allocation | None
    reason: str
    counted: SessionCounts
    scope: Scope
    """From where it was asked: agent, project, principal."""
    hits: Sequence[Hit] = ()
    """What it quotes of memories, messages and notes: these may be gone by the time it is given."""
    withheld: Sequence[Hit] = ()
    """Memories that the hold-out keeps back."""

    @property
    def tokens(self) -> int:
        return 0 if self.block is None else self.block.tokens

    @property
    def text(self) -> str | None:
        return None if self.block is None else frame_block(self.block)

    @property
    def items(self) -> list[GivenItem]:
        """The block's items as they are logged."""
        placed = [] if self.block is None else self.block.placed
        return [GivenItem(rank, p.kind, p.ref, p.score, p.why) for rank, _, p in placed]

    @property
    def found(self) -> list[GivenItem]:
        """Those that may have helped, which the scorer learns from; state and notices are no such things."""
        return [item for item in self.items if item.kind not in UNSCORED]


class TurnContext(NamedTuple):
    """What must be known of a thread before anything is recalled for it."""

    scope: Scope
    primed: Sequence[Hit]
    elsewhere: bool
    own: OwnContext = NO_CONTEXT
    corrected: frozenset[bytes] = frozenset()
    lately: frozenset[bytes] = frozenset()
    shown: Sequence[tuple[int, int]] = ()
    already: ContextText = NOTHING_SAID
    sitting: bytes = b""
    """What the hold-out is drawn by: the session, or the thread where one will be opened."""


def make_offer(
    house: House,
    agent: AgentRow,
    thread: Thread,
    draft: Draft,
    recall: Recall,
    seat: Seat = ANYWHERE,
) -> Offer | None:
    """What the turn that begins with this draft may be given; None where there is nothing to say."""
    mode = house.policy.recall
    if mode == "off":
        return _notice_offer(house, agent, thread, draft)
    asks = draft.origin == "user" and (mode == "all" or thread.kind == "primary")
    text = words_of(draft) if asks else ""
    around = house.store.read(lambda r: _turn_context(house, r, agent, thread, draft, seat, text))
    seeks = around.elsewhere and worth_asking(text)
    hits, trouble = _recall_hits(recall, text, around) if seeks else (NO_HITS, "")
    new = _without_projects(house, [hit for hit in hits if _is_unknown(hit, around)], around.scope)
    told = _retold_keys(text, new)
    uses = retold_uses(new, told, house.clock.now())
    counted = SessionCounts(agent.ref, 0, uses, retold=told, corrected=around.corrected)
    answers = answers_for_repeats(house, around.scope, text, new)
    given = [hit for hit in answers if _is_unknown(hit, around)]
    chosen = _choose(text, given, around.primed, house.clock.now())
    first = len(around.primed)
    kept, held = hold_out(house, around.scope, around.sitting, chosen[first:])
    block = allot(house, agent, text, around.own, chosen[:first], kept)
    said = [block.log_line if block else "", trouble, holdout_reason(held)]
    reason = ", ".join(filter(None, said))[:LONGEST_REASON]
    if not reason and not counted.retold and not counted.corrected:
        return None
    return Offer(block, reason, counted, around.scope, quoted_hits(block, chosen, around.own), held)


def _notice_offer(house: House, agent: AgentRow, thread: Thread, draft: Draft) -> Offer | None:
    """What other agents sent is told also where nothing is recalled."""
    scope = Scope(agent.ref, principal=draft.principal)
    own = house.store.read(
        lambda r: _with_notices(house, r, OwnContext(thread.key_id), thread, draft)
    )
    block = allot(house, agent, "", own, (), ()) if own.heard else None
    if block is None:
        return None
    return Offer(
        block, block.log_line, SessionCounts(agent.ref, 0), scope, quoted_hits(block, (), own)
    )


def _with_notices(
    house: House, records: Records, own: OwnContext, thread: Thread, draft: Draft
) -> OwnContext:
    """With what waits for the agent: for the next human turn of its primary thread."""
    if thread.kind != "primary" or draft.origin != "user":
        return own
    scope = Scope(thread.agent_ref)
    return own._replace(heard=waiting_exchanges(records, scope, now=house.clock.now()))


def words_of(draft: Draft) -> str:
    """The words of a draft."""
    if draft.form == TEXT:
        return draft.content
    return text_of(blocks_of(draft.form, draft.content))


def query_of(text: str) -> str:
    """The text as a question: what nobody sees is left out, and of a long one the middle."""
    text = strip_unseen(text)
    if len(text) <= 2 * LONGEST_HALF:
        return text
    return f"{text[:LONGEST_HALF]}\n{text[-LONGEST_HALF:]}"


def _turn_context(
    house: House,
    records: Records,
    agent: AgentRow,
    thread: Thread,
    draft: Draft,
    seat: Seat,
    text: str,
) -> TurnContext:
    """What is around the turn, in the project of the session it will be in."""
    session = expected_session(house, records, agent, thread, seat, human=draft.origin == "user")
    project = None if session is None else session.project_normalized
    scope = Scope(agent.ref, project, draft.principal)
    around = _thread_context(records, scope, thread, text, house.clock.now())
    own = _with_notices(house, records, around.own, thread, draft)
    own = own._replace(first=opens_session(thread, draft, session))
    stood = None if session is None else recap_after_fork(house, records, scope, session)
    if stood is not None:
        return TurnContext(scope, (), elsewhere=False, own=own._replace(stood=stood))
    return around._replace(
        own=own._replace(recent=sessions_to_tell(house, records, scope, thread, draft, session)),
        sitting=thread.key_id if session is None else session.key_id,
    )


def _thread_context(
    records: Records, scope: Scope, thread: Thread, text: str, now: int
) -> TurnContext:
    kept = [m for m in records.memories.primed(scope, thread.ref) if may_know(m, scope, now)]
    primed = _primed_hits(records, scope, kept) if kept else []
    held = records.threads.get(scope, thread.ref)
    own = own_context(records, scope, held)
    if not text or not records.injections.elsewhere(scope, thread.ref):
        return TurnContext(scope, primed, elsewhere=False, own=own)
    view = view_contents(records, scope, held)
    return TurnContext(
        scope,
        primed,
        elsewhere=True,
        own=own,
        corrected=_corrected_keys(records, scope, thread, text),
        lately=frozenset(records.injections.lately(scope, held.ref, turns=LATELY)),
        shown=view.places,
        already=view.already,
    )


def _recall_hits(recall: Recall, text: str, around: TurnContext) -> tuple[Sequence[Hit], str]:
    place = around.scope.project
    shown, lately, already = around.shown, around.lately, around.already
    sought = RecallQuery(query_of(text), MOST_HITS, shown, lately, place, already)
    try:
        return recall(sought), ""
    except TimeoutError as late:
        log.info("a turn begins without recall: %s", late)
        return NO_HITS, f"late: {late}"[:LONGEST_REASON]
    except Exception as error:  # noqa: BLE001 - whatever it is, the turn goes on without it
        log.warning("a turn begins without recall: %s: %s", type(error).__name__, error)
        return NO_HITS, strip_secrets(f"failed: {type(error).__name__}: {error}")[:LONGEST_REASON]


# What is chosen


def _is_unknown(hit: Hit, around: TurnContext) -> bool:
    """Was it neither injected lately, nor does the view show it, or all that it came from?"""
    if key_of(hit) in around.lately:
        return False
    return not hit.messages or not all(_is_shown(m, around.shown) for m in hit.messages)


def _is_shown(message: Message, shown: Sequence[tuple[int, int]]) -> bool:
    place = place_at(message.thread_ref, message.seq, archived=message.archived)
    return any(low <= place <= high for low, high in shown)


def _without_projects(house: House, hits: list[Hit], scope: Scope) -> list[Hit]:
    """Without what belongs to a project, where the turn is in none: a recall tells that too."""
    if scope.project is not None or all(hit.kind == "message" for hit in hits):
        return hits
    known = house.store.read(lambda r: memories_of(r, scope, hits))
    bound = {key for key, memory in known.items() if memory.reach == "project"}
    return [hit for hit in hits if key_of(hit) not in bound]


def _choose(text: str, hits: Sequence[Hit], primed: Sequence[Hit], now: int) -> list[Hit]:
    """What is primed, whatever is asked; then what bears on the question, of reports the newest."""
    known = {hit.id for hit in primed}
    new = bearing_hits(text, [hit for hit in hits if hit.id not in known]) if hits else []
    return [*primed, *newest_of_each(told_once(without_echoes(new)), text, now)]


def _primed_hits(records: Records, scope: Scope, memories: Sequence[Memory]) -> list[Hit]:
    showing = Visibility(records, scope)
    sources = showing.sources(memories)
    return [_primed_hit(memory, sources[memory.key_id], showing) for memory in memories]


def _primed_hit(memory: Memory, sources: Sequence[Message], showing: Visibility) -> Hit:
    return Hit(
        id=memory.id,
        text=memory.text,
        score=1.0,
        kind=memory.kind,
        at_ms=said_at(memory, sources),
        why="primed",
        messages=tuple(filter(showing.may_show, sources)),
        origin=memory.origin,
    )


# What is learnt from it


def _retold_keys(text: str, hits: Sequence[Hit]) -> tuple[frozenset[bytes], ...]:
    """What existed, was not given, and the person has to explain again."""
    if not hits:
        return ()
    again = retold_texts(text, [hit.text for hit in hits])
    return (frozenset(key_of(hits[n]) for n in again),) if again else ()


def _corrected_keys(records: Records, scope: Scope, thread: Thread, text: str) -> frozenset[bytes]:
    """Which items of the turn before this message takes back."""
    turns = records.turns.all(scope, thread.ref, limit=1)
    if not turns or turns[0].block_hash is None:
        return frozenset()
    told = items_of(records, scope, turns[0])
    said = records.messages.between(scope, thread.ref, turns[0].first_seq, turns[0].last_seq)
    question = "\n".join(m.text for m in said if m.role == "user")
    reply = "\n".join(m.text for m in said if m.role == "assistant")
    return frozenset(
        item.ref
        for item, quoted in told
        if item.kind not in UNSCORED
        and corrects(text, quoted, used=is_mentioned(quoted, question, reply))
    )


def items_of(records: Records, scope: Scope, turn: TurnRow) -> list[tuple[GivenItem, str]]:
    """What a turn was given: each item with its text as it stood in the block."""
    if turn.block_hash is None:
        return []
    block = records.bodies.get(scope, [turn.block_hash]).get(turn.block_hash, "")
    quoted = {item.number: item.text for item in read_block(block) or ()}
    for injection in records.injections.of_turn(scope, turn):
        if injection.body_hash == turn.block_hash:
            items = records.injections.items(scope, injection.ref)
            return [(item, quoted.get(item.rank, "")) for item in items]
    return []


# The log of it


def recheck_offer(records: Records, offer: Offer, now: int) -> Offer:
    """The offer, emptied if something it quotes was erased, forgotten or replaced since.

    Looked at in the turn's own transaction, with every other writer kept out: what is gone must not
    come back by being quoted a moment too late.
    """
    if offer.block is None:
        return offer
    if any(hit.kind == HEARD for hit in offer.hits):
        hold_waiting(records, offer.scope)
    records.memories.hold(offer.scope)
    if all_stand(records, offer.scope, offer.hits, now):
        return offer
    return offer._replace(block=None, reason=GONE)


def log_offer(house: House, records: Records, turn: TurnRow, offer: Offer, now: int) -> None:
    """Write the injection, or why there was none, in the transaction that opens the turn."""
    if not offer.reason:
        return
    text = offer.text
    blank = Injection(
        ref=0,
        agent_ref=turn.agent_ref,
        key_id=house.ids.new(),
        thread_ref=turn.thread_ref,
        session_ref=turn.session_ref,
        turn_ref=turn.ref,
        epoch=turn.view_version,
        purpose=RECALL,
        reason=offer.reason,
        body_hash=None,
        size=0 if text is None else len(text.encode()),
        tokens=offer.tokens,
        at_ms=now,
        entry=0,
    )
    scope = Scope(turn.agent_ref)
    records.injections.add(scope, blank, text, offer.items)
    heard = [item.ref for item in offer.items if item.kind == HEARD]
    surface_given(records, scope, heard, turn=turn.ref, now=now)
