"""Correct what views show: a summary that quotes what a person corrected since is shown anew.

The one that quoted it stays for the turns that were given it, and what is carried forward does not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.tokens import PER_MESSAGE
from everthread.domain.distilling.corrected_points import Corrected, correct_items
from everthread.domain.distilling.receipts import Receipt, Sentence, SummaryRow
from everthread.domain.distilling.summaries_lines import style_of
from everthread.domain.gleaning.digest import Digest, Point, Trace
from everthread.ports import House, Records
from everthread.services.archive.forks import before_fork, fork_at

from .composed_summary import ComposedSummary
from .corrections import corrected_points
from .flush import reflush
from .stages import Pause, nothing
from .swap import Swap, standing_receipts, stored_summary

TRIES = 5


class _Shown(NamedTuple):
    """A summary that a view shows, and what of it reads otherwise by now."""

    thread: Thread
    row: SummaryRow
    receipt: Receipt
    stored: ComposedSummary
    ordinal: int
    corrected: Corrected


def correct_views(house: House, agent: int, *, pause: Pause = nothing) -> int:
    """Show every summary of the agent as it reads by now; how many changed."""
    scope = Scope(agent)
    row = house.store.read(lambda r: r.agents.get(scope))
    threads = house.store.read(lambda r: r.threads.all(scope))
    return sum(_correct_view(house, row, t.ref, pause) for t in threads if t.view_version)


def _correct_view(house: House, agent: AgentRow, thread: int, pause: Pause) -> bool:
    """Was what the thread shows changed? If somebody else changes it meanwhile, it is looked at again."""
    for _ in range(TRIES):
        now = house.clock.now()
        shown = house.store.read(lambda r, n=now: _look(r, Scope(agent.ref), thread, n))
        pause()
        composed = None if shown is None else _compose(house, agent, shown, pause)
        if shown is None or composed is None:
            return False
        if house.store.write(lambda r, s=shown, c=composed: _swap(house, r, s, c)):
            reflush(house, agent, shown.receipt.ref, pause)
            return True
    return False


def _look(records: Records, scope: Scope, ref: int, now: int) -> _Shown | None:
    thread = records.threads.get(scope, ref)
    row = records.summaries.at(scope, ref, thread.view_version)
    if row is None or row.text_hash is None:
        return None
    stored = stored_summary(records, scope, row)
    corrected = corrected_points(records, scope, stored.digest, now=now)
    if not corrected:
        return None
    receipt = records.receipts.get(scope, row.receipt_ref)
    ordinal = len(standing_receipts(records, scope, ref))
    return _Shown(thread, row, receipt, stored, ordinal, corrected)


def _compose(house: House, agent: AgentRow, shown: _Shown, pause: Pause) -> ComposedSummary | None:
    """The summary as it reads by now; None where it reads so already."""
    from .compose import Ask, render_summary, renumber  # noqa: PLC0415 - all that reads speech, seldom needed

    scope, stored = Scope(agent.ref), shown.stored
    count = house.tokenizer.count
    # What it says already has its room.
    fresh = {c for c in shown.corrected.values() if c.new not in stored.text}
    longer = sum(max(0, count(c.new) - count(c.old)) for c in fresh)
    ask = Ask(
        agent,
        shown.thread.ref,
        stored.digest,
        (),
        shown.ordinal,
        shown.row.tokens - PER_MESSAGE + longer,
        extra=_shown_items(stored.digest, stored.sentences, shown.corrected),
        corrected=shown.corrected,
    )

    def read(records: Records) -> Ask:
        fork = fork_at(records, scope, shown.thread.ref, receipt=shown.receipt.ref)
        raw = before_fork(records, scope, shown.thread.ref, fork, stored.digest)
        return ask._replace(before_fork=raw)

    composed = render_summary(house, house.store.read(read), stored.digest, (), pause=pause)
    if composed.text == stored.text:
        return None
    struck = [sentence for sentence in stored.sentences if not sentence.shown]
    return composed._replace(sentences=renumber([*composed.sentences, *struck]))


def _shown_items(
    digest: Digest, sentences: Sequence[Sentence], corrected: Corrected
) -> list[Point | Trace]:
    """What it showed: nothing else takes the place of that."""
    lines, style = {s.text for s in sentences if s.shown}, style_of(digest)
    points = [point for point in digest.points if not point.pinned]
    return [
        item
        for item in (*points, *digest.ledger)
        if (isinstance(item, Point) and item in corrected)
        or any(style.line(each) in lines for each in (item, *correct_items([item], corrected)))
    ]


def _swap(house: House, records: Records, shown: _Shown, composed: ComposedSummary) -> bool:
    """The view shows it from its next version on; False if it shows something else by now."""
    scope = Scope(shown.receipt.agent_ref)
    thread = records.threads.hold(scope, shown.thread.ref)
    held = records.summaries.at(scope, thread.ref, thread.view_version)
    if held != shown.row:
        return False
    swap = Swap(house, records, scope, thread.view_version + 1)
    swap.end_shown(thread.ref)
    swap.show(shown.receipt, composed)
    records.threads.distilled(
        scope,
        thread.ref,
        at=thread.last_distilled_at,
        version=swap.version,
        computed=thread.computed_context_tokens + composed.tokens - shown.row.tokens,
    )
    return True
