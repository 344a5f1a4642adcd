"""Mend a summary that is shown: what was lost gets its place, in somewhat more room."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.distilling.continuity import Item
from everthread.domain.distilling.receipts import Receipt, Sentence, SummaryRow
from everthread.domain.distilling.summaries import Room
from everthread.domain.distilling.summaries_lines import QUOTES
from everthread.domain.gleaning.digest import Point, Trace
from everthread.ports import House, Records
from everthread.services.archive.forks import before_fork, fork_at
from everthread.services.archive.view import view_at, view_tokens

from .compose import Ask, most_room, render_summary, renumber
from .corrections import corrected_points
from .score import repair_digest
from .stages import Pause
from .swap import Swap, standing_digest, standing_receipts

MOST_MENDED = 60
"""So many lost items are added to a summary at most: it has to stay one."""

PER_ITEM = 25
"""Tokens by which a summary may grow for each of them."""


def mend_summary(
    house: House,
    agent: AgentRow,
    receipt: Receipt,
    missing: Sequence[Item],
    seen: SummaryRow | None,
    pause: Pause,
) -> int:
    """Put what was lost into the summary that is shown; how many items found room.

    Only while that summary is the one that was seen before any item was drawn: an older one is
    history, and what was forgotten meanwhile must not come back by being mended.
    """
    if seen is None or seen.receipt_ref != receipt.ref:
        return 0
    scope = Scope(agent.ref)

    wanted = house.store.read(lambda r: _mending_ask(house, r, agent, receipt, missing))
    if not wanted.extra:
        return 0
    composed = render_summary(house, wanted, wanted.before, (), pause=pause)
    struck = house.store.read(lambda r: _struck_sentences(r, scope, receipt))
    composed = composed._replace(sentences=renumber([*composed.sentences, *struck]))

    def work(records: Records) -> int:
        thread = records.threads.hold(scope, receipt.thread_ref)
        held = records.summaries.at(scope, thread.ref, thread.view_version)
        if held is None or held != seen or _any_forgotten(records, scope, wanted.extra):
            return 0
        swap = Swap(house, records, scope, thread.view_version + 1)
        swap.end_shown(thread.ref)
        swap.show(receipt, composed)
        view = view_at(records, scope, thread.ref, version=swap.version, last=thread.last_seq)
        records.threads.distilled(
            scope,
            thread.ref,
            at=thread.last_distilled_at,
            version=swap.version,
            computed=thread.computed_context_tokens
            + view_tokens(records, scope, thread.ref, view)
            - view_weight(records, scope, thread.ref, thread.view_version, thread.last_seq),
        )
        # A summary turns the quotes inside of what it quotes.
        shown = {one.text.translate(QUOTES) for one in composed.sentences if one.shown}
        return sum(any(e.text.translate(QUOTES) in each for each in shown) for e in wanted.extra)

    return house.store.write(work)


def _mending_ask(
    house: House, records: Records, agent: AgentRow, receipt: Receipt, missing: Sequence[Item]
) -> Ask:
    """The summary that is shown, with what was lost, in somewhat more room."""
    scope = Scope(agent.ref)
    thread = records.threads.get(scope, receipt.thread_ref)
    held = records.summaries.at(scope, thread.ref, thread.view_version)
    before = standing_digest(records, scope, thread.ref)
    digest, extra = repair_digest(missing, before, MOST_MENDED)
    ordinal = len(standing_receipts(records, scope, thread.ref))
    tokens = mended_room(house, agent, receipt, 0 if held is None else held.tokens, len(extra))
    fork = fork_at(records, scope, thread.ref, receipt=receipt.ref)
    raw = before_fork(records, scope, thread.ref, fork, digest)
    ask = Ask(agent, thread.ref, digest, (), ordinal, tokens, extra=extra, before_fork=raw)
    now = house.clock.now()
    return ask._replace(corrected=corrected_points(records, scope, digest, now=now))


def mended_room(house: House, agent: AgentRow, receipt: Receipt, tokens: int, lost: int) -> Room:
    """Room for a summary of so many tokens and what it lost.

    It grows by half of what was gained at most: a repaired summary is still one.
    """
    gained = max(0, receipt.tokens_before - receipt.tokens_after) // 2
    larger = tokens + min(PER_ITEM * lost, gained)
    return Room(min(most_room(house, agent), larger), larger)


def _struck_sentences(records: Records, scope: Scope, receipt: Receipt) -> list[Sentence]:
    """What was struck when the receipt's summary was made."""
    row = records.summaries.newest_of(scope, receipt.ref)
    known = () if row is None else records.summaries.sentences(scope, row.ref)
    return [sentence for sentence in known if not sentence.shown]


def _any_forgotten(records: Records, scope: Scope, items: Sequence[Point | Trace]) -> bool:
    """Is one of them from what was forgotten?"""
    withheld = records.memories.withheld(scope)
    return any(withheld.get(key) == "forgotten" for item in items for key in item.sources)


def view_weight(records: Records, scope: Scope, thread: int, version: int, last: int) -> int:
    view = view_at(records, scope, thread, version=version, last=last)
    return view_tokens(records, scope, thread, view)
