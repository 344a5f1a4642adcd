"""After a distillation: check what the view shows now, score it, mend what was lost, close the receipt.

Items are drawn by a seed that the receipt's id gives, so that whoever scores it, and whenever, asks for
the same; the summary has no part in what it is asked.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.tokens import scaled
from everthread.domain.conversation.views import Span
from everthread.domain.distilling.continuity import Draw, Item, score_text
from everthread.domain.distilling.receipts import NOT_ASKED, Receipt, Sentence, SummaryRow
from everthread.domain.distilling.summaries import Room
from everthread.domain.distilling.summaries_lines import unfolded
from everthread.domain.errors import DistillationDoubtful, ReceiptUnknown
from everthread.domain.gleaning.digest import Point, Trace
from everthread.domain.recall.findable import findable
from everthread.ports import House, Records
from everthread.services.archive.forked import before_fork, fork_at
from everthread.services.archive.view import view_at, view_messages, view_tokens
from everthread.services.chores import SCORE

from .compose import Ask, most_room, rendered, renumbered
from .flush import reflush
from .plan import viewed
from .score import Scored, repairs, score
from .stages import Pause, Progress, nothing, silent
from .swap import Swap, standing, standing_digest

log = logging.getLogger("everthread")

STILL_LARGE = 50_000
"""Tokens; a context that is larger after a distillation is worth a warning."""

LITTLE = 0.2
"""A distillation that saves less than this was hardly worth it."""

MOST_MENDED = 60
"""So many lost items are added to a summary at most: it has to stay one."""

PER_ITEM = 25
"""Tokens by which a summary may grow for each of them."""

REPAIRED = "repaired:"


def score_later(house: House, agent: int, receipt: int, *, pause: Pause) -> None:
    """What a job was asked to do: score a distillation, unless that is done or it was undone."""
    scope = Scope(agent)
    try:
        row, found = house.store.read(
            lambda r: (r.agents.get(scope), r.receipts.get(scope, receipt))
        )
    except ReceiptUnknown:
        return  # its thread was erased: nothing is left to score
    if found.standing and found.score_json is None and NOT_ASKED not in found.errors:
        scored(house, row, receipt, pause=pause)


def ask_score(records: Records, scope: Scope, receipt: int, *, now: int, due_at: int) -> None:
    """Have it scored then; what was asked for before was another summary."""
    payload, once = json.dumps({"agent": scope.agent, "receipt": receipt}), str(receipt)
    records.jobs.cancel(SCORE, once=once)
    records.jobs.add(SCORE, payload, due_at=due_at, now=now, agent=scope.agent, once=once)


def scored(
    house: House,
    agent: AgentRow,
    ref: int,
    *,
    pause: Pause = nothing,
    progress: Progress = silent,
) -> Receipt:
    """The receipt with its score; below the threshold what was lost is added, and scored again."""
    scope = Scope(agent.ref)
    receipt, seen = house.store.read(lambda r: _seen(r, scope, ref))
    progress("verify")
    warnings = house.store.read(lambda r: checked(house, r, agent, receipt))
    progress("score")
    items = drawn(house, scope, receipt, pause)
    if not items:
        kept = house.store.write(
            lambda r: _kept(house, r, agent, seen, None, [*warnings, NOT_ASKED], ref=ref)
        )
        _strictly(house, kept, warnings)
        return kept
    found = _scored(house, agent, receipt, items, pause)
    if 100 * found.score.held < house.policy.score_threshold and found.lost_items:
        progress("repair")
        mended = _mended(house, agent, receipt, found, seen, pause)
        if mended:
            pause()
            reflush(house, agent, ref)
            pause()
            found = _scored(house, agent, receipt, items, pause)
            warnings = [*warnings, f"{REPAIRED} {mended} lost items were added to the summary"]
    if 100 * found.score.held < house.policy.score_threshold:
        alarm = f"{found.score.lost:.1%} of what was drawn is lost"
        log.error("a distillation of %s lost too much: %s", agent.name, alarm)
        warnings = [*warnings, f"alarm: {alarm}"]
    kept = house.store.write(lambda r: _kept(house, r, agent, seen, found, warnings, ref=ref))
    _strictly(house, kept, warnings)
    return kept


def _strictly(house: House, receipt: Receipt, warnings: Sequence[str]) -> None:
    """In strict mode, meant for tests, a warning is raised; by then log and receipt have it."""
    told = [warning for warning in warnings if not warning.startswith(REPAIRED)]
    if told and house.policy.strict == "on":
        raise DistillationDoubtful(f"receipt {receipt.id}: {'; '.join(told)}")


def _scored(
    house: House, agent: AgentRow, receipt: Receipt, items: Sequence[Item], pause: Pause
) -> Scored:
    scope = Scope(agent.ref)
    messages = house.store.read(lambda r: _led_to(r, scope, receipt))
    text = "\n".join(map(_words, messages))
    pause()
    return score(
        house,
        agent,
        receipt.thread_ref,
        items,
        text,
        seconds=house.policy.score_seconds,
        pause=pause,
    )


def _led_to(records: Records, scope: Scope, receipt: Receipt) -> list[Message]:
    """What the agent is given since the distillation, or was, once a later summary is shown.

    What a later one left out is none of its doing: it is held against the view of its own time, with
    its own summary as it reads today.
    """
    thread = records.threads.get(scope, receipt.thread_ref)
    view = view_at(records, scope, thread.ref, version=thread.view_version, last=thread.last_seq)
    rows = records.summaries.all(scope, thread.ref)
    own = [row for row in rows if row.receipt_ref == receipt.ref]
    if view.summary not in own and own:
        last = int(receipt.detail.get("last_seq", thread.last_seq))
        then = view_at(records, scope, thread.ref, version=own[0].since_version, last=last)
        view = then._replace(summary=own[-1])
    return view_messages(records, scope, thread.ref, view)


def _words(message: Message) -> str:
    """What of a message can be read line by line: its words, calls and results."""
    return unfolded(message.text) if message.kind == "summary" else findable(message)


def drawn(house: House, scope: Scope, receipt: Receipt, pause: Pause) -> list[Item]:
    """Items from the messages that the receipt hides.

    What is drawn follows from the receipt's id, which is older than the summary, and from the messages
    alone: drawn now or before the summary was made, it is the same.
    """
    marks = house.store.read(lambda r: r.marks.by(scope, receipt.ref))
    spans = [Span(m.from_seq, m.to_seq) for m in marks if m.action == "hide"]
    draw = Draw(int.from_bytes(receipt.key_id[-8:], "big") >> 1, pause=pause)
    for message in viewed(house, scope, receipt.thread_ref, spans, pause):
        draw.read(message)
    return draw.items()


def _mended(
    house: House,
    agent: AgentRow,
    receipt: Receipt,
    found: Scored,
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

    wanted = house.store.read(lambda r: _mending(house, r, agent, receipt, found))
    if not wanted.extra:
        return 0
    composed = rendered(house, wanted, wanted.before, (), pause=pause)
    struck = house.store.read(lambda r: _struck(r, scope, receipt))
    composed = composed._replace(sentences=renumbered([*composed.sentences, *struck]))

    def work(records: Records) -> int:
        thread = records.threads.hold(scope, receipt.thread_ref)
        held = records.summaries.at(scope, thread.ref, thread.view_version)
        if held is None or held != seen or _forgotten(records, scope, wanted.extra):
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
            - _weighed(records, scope, thread.ref, thread.view_version, thread.last_seq),
        )
        shown = {sentence.text for sentence in composed.sentences if sentence.shown}
        return sum(any(item.text in line for line in shown) for item in wanted.extra)

    return house.store.write(work)


def _mending(
    house: House, records: Records, agent: AgentRow, receipt: Receipt, found: Scored
) -> Ask:
    """The summary that is shown, with what was lost, in somewhat more room."""
    scope = Scope(agent.ref)
    thread = records.threads.get(scope, receipt.thread_ref)
    held = records.summaries.at(scope, thread.ref, thread.view_version)
    before = standing_digest(records, scope, thread.ref)
    digest, extra = repairs(found.lost_items, before, MOST_MENDED)
    ordinal = len(standing(records, scope, thread.ref))
    tokens = mended_room(house, agent, receipt, 0 if held is None else held.tokens, len(extra))
    fork = fork_at(records, scope, thread.ref, receipt=receipt.ref)
    raw = before_fork(records, scope, thread.ref, fork, digest)
    return Ask(agent, thread.ref, digest, (), ordinal, tokens, extra=extra, before_fork=raw)


def mended_room(house: House, agent: AgentRow, receipt: Receipt, tokens: int, lost: int) -> Room:
    """Room for a summary of so many tokens and what it lost.

    It grows by half of what was gained at most: a repaired summary is still one.
    """
    gained = max(0, receipt.tokens_before - receipt.tokens_after) // 2
    larger = tokens + min(PER_ITEM * lost, gained)
    return Room(min(most_room(house, agent), larger), larger)


def _struck(records: Records, scope: Scope, receipt: Receipt) -> list[Sentence]:
    """What was struck when the receipt's summary was made."""
    row = records.summaries.newest_of(scope, receipt.ref)
    known = () if row is None else records.summaries.sentences(scope, row.ref)
    return [sentence for sentence in known if not sentence.shown]


def _seen(records: Records, scope: Scope, ref: int) -> tuple[Receipt, SummaryRow | None]:
    """The receipt, and the summary that its thread shows."""
    receipt = records.receipts.get(scope, ref)
    thread = records.threads.get(scope, receipt.thread_ref)
    return receipt, records.summaries.at(scope, thread.ref, thread.view_version)


def _forgotten(records: Records, scope: Scope, items: Sequence[Point | Trace]) -> bool:
    """Is one of them from what was forgotten?"""
    withheld = records.memories.withheld(scope)
    return any(withheld.get(key) == "forgotten" for item in items for key in item.sources)


def _weighed(records: Records, scope: Scope, thread: int, version: int, last: int) -> int:
    view = view_at(records, scope, thread, version=version, last=last)
    return view_tokens(records, scope, thread, view)


def _grown(receipt: Receipt, size: int, shown: SummaryRow, seen: SummaryRow | None) -> int:
    """Its tokens after, with what was added, by the measure of its time: usage reported since has
    changed how tokens are counted."""
    before = size if seen is None else size - shown.tokens + seen.tokens
    return round(receipt.tokens_after * size / before) if before > 0 else receipt.tokens_after


def _kept(
    house: House,
    records: Records,
    agent: AgentRow,
    seen: SummaryRow | None,
    found: Scored | None,
    warnings: Sequence[str],
    *,
    ref: int,
) -> Receipt:
    """The score on the receipt, if there is one; a receipt that was undone meanwhile has it too."""
    scope = Scope(agent.ref)
    receipt = records.receipts.get(scope, ref)
    thread = records.threads.get(scope, receipt.thread_ref)
    told = receipt._replace(score_json=None if found is None else score_text(found.score))
    shown = records.summaries.at(scope, thread.ref, thread.view_version)
    if shown is not None and shown.receipt_ref == ref:
        # As it was when it was distilled: what was said since is none of its doing.
        last = int(receipt.detail.get("last_seq", thread.last_seq))
        size = _weighed(records, scope, thread.ref, thread.view_version, last)
        told = told._replace(tokens_after=_grown(receipt, size, shown, seen))
    # Scored anew, it warns anew: of the same thing once, and by the figures of today.
    earlier = [error for error in receipt.errors if not error.startswith(WARNED)]
    today = [_saved(told) if each.startswith(FEW_SAVED) else each for each in warnings]
    told = told._replace(errors_json=json.dumps([*earlier, *today]))
    return records.receipts.change(scope, told, "receipt.scored", now=house.clock.now())


# The check -----------------------------------------------------------------------------------------

LARGE = "Post-distillation context still large"
NO_SUMMARY = "No summary message found after distillation"
NO_STATE = "Working state lost during distillation"
NO_NOTES = "All agent notes lost during distillation"
FEW_SAVED = "only "
WARNED = (LARGE, NO_SUMMARY, NO_STATE, NO_NOTES, FEW_SAVED)
"""How the warnings of the check begin."""


def checked(house: House, records: Records, agent: AgentRow, receipt: Receipt) -> list[str]:
    """What does not look right after the view was changed. It only warns, and of what could be lost."""
    scope = Scope(agent.ref)
    thread = records.threads.get(scope, receipt.thread_ref)
    view = view_at(records, scope, thread.ref, version=thread.view_version, last=thread.last_seq)
    warnings: list[str] = []
    if thread.computed_context_tokens > scaled(STILL_LARGE, agent.window):
        size = thread.computed_context_tokens
        warnings.append(f"{LARGE}: {size} tokens")
    text = "" if view.summary is None else records.summaries.text(scope, view.summary)
    if receipt.mode == "full" and "Conversation Summary" not in text:
        warnings.append(NO_SUMMARY)
    had = receipt.detail.get("had", {})
    if had.get("state") and thread.working_state is None:
        warnings.append(NO_STATE)
    if had.get("notes") and not records.notes.all(scope, limit=1):
        warnings.append(NO_NOTES)
    saved = receipt.tokens_before - receipt.tokens_after
    if receipt.tokens_before and saved < LITTLE * receipt.tokens_before:
        warnings.append(_saved(receipt))
    for warning in warnings:
        log.warning("%s: %s", agent.name, warning)
    return warnings


def _saved(receipt: Receipt) -> str:
    """By the figures that the receipt shows."""
    saved = receipt.tokens_before - receipt.tokens_after
    return f"{FEW_SAVED}{saved:,} of {receipt.tokens_before:,} tokens were saved"
