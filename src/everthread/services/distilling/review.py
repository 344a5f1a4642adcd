"""After a distillation: check what the view shows now, score it, mend what was lost, close the receipt.

Items are drawn by a seed that the receipt's id gives, so that whoever scores it, and whenever, asks for
the same; the summary has no part in what it is asked.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.views import Span
from everthread.domain.distilling.continuity import (
    MOST,
    MOST_RULES,
    Draw,
    Item,
    Score,
    score_text,
)
from everthread.domain.distilling.receipts import (
    LOST_RULE,
    NOT_ASKED,
    Outcome,
    Receipt,
    Sentence,
    SummaryRow,
)
from everthread.domain.distilling.summaries import Room
from everthread.domain.errors import DistillationDoubtful, ReceiptUnknown
from everthread.domain.gleaning.digest import Point, Trace
from everthread.ports import House, Records
from everthread.services.archive.forks import before_fork, fork_at
from everthread.services.archive.view import view_at, view_tokens
from everthread.services.job_names import SCORE

from .carried_rules import carried_rules
from .compose import TOOK_OVER, Ask, most_room, render_summary, renumber
from .flush import reflush
from .missing import rules_lost_before
from .plan import tellable_messages
from .score import ScoreResult, items_in_force, lost_rules, repair_digest, score
from .shown_text import shown_text
from .stages import Between, Pause, Progress, nothing, silent, uninterrupted
from .swap import Swap, standing_digest, standing_receipts
from .view_check import CHECKED, FEW_SAVED, check_view, saving_text

log = logging.getLogger("everthread")

MOST_MENDED = 60
"""So many lost items are added to a summary at most: it has to stay one."""

PER_ITEM = 25
"""Tokens by which a summary may grow for each of them."""

REPAIRED = "repaired:"
ALARM = "alarm:"
WARNED = (*CHECKED, LOST_RULE, ALARM)
"""How the warnings of a score begin."""


def run_score_job(
    house: House, agent: int, receipt: int, *, pause: Pause, between: Between = uninterrupted
) -> None:
    """What a job was asked to do: score a distillation, unless that is done or it was undone."""
    scope = Scope(agent)
    try:
        row, found = house.store.read(
            lambda r: (r.agents.get(scope), r.receipts.get(scope, receipt))
        )
    except ReceiptUnknown:
        return  # its thread was erased: nothing is left to score
    if found.standing and found.score_json is None and NOT_ASKED not in found.errors:
        score_receipt(house, row, receipt, pause=pause, between=between)


def ask_score(records: Records, scope: Scope, receipt: int, *, now: int, due_at: int) -> None:
    """Have it scored then; what was asked for before was another summary."""
    payload, once = json.dumps({"agent": scope.agent, "receipt": receipt}), str(receipt)
    records.jobs.cancel(SCORE, once=once)
    records.jobs.add(SCORE, payload, due_at=due_at, now=now, agent=scope.agent, once=once)


def score_receipt(
    house: House,
    agent: AgentRow,
    ref: int,
    *,
    pause: Pause = nothing,
    between: Between = uninterrupted,
    progress: Progress = silent,
) -> Receipt:
    """The receipt with its score; below the threshold what was lost is added, and scored again."""
    scope = Scope(agent.ref)
    receipt, seen = house.store.read(lambda r: _read_receipt(r, scope, ref))
    progress("verify")
    warnings = house.store.read(lambda r: check_view(house, r, agent, receipt))
    progress("score")
    items = draw_items(house, scope, receipt, pause)
    before = rules_lost_before(house, scope, receipt, pause)
    found = _score_items(house, agent, receipt, items, before, pause, between)
    if not found.score.items:
        kept = house.store.write(
            lambda r: _keep_score(house, r, agent, seen, None, [*warnings, NOT_ASKED], ref=ref)
        )
        _raise_if_strict(house, kept, warnings)
        return kept
    missing = _to_mend(house, scope, receipt, found)
    if missing:
        progress("repair")
        mended = _mend_summary(house, agent, receipt, missing, seen, pause)
        if mended:
            pause()
            reflush(house, agent, ref, pause)
            pause()
            found = _score_items(house, agent, receipt, items, before, pause, between)
            warnings = [*warnings, f"{REPAIRED} {mended} lost items were added to the summary"]
    warnings = [*warnings, *_loss_warnings(house, agent, receipt, found)]
    kept = house.store.write(lambda r: _keep_score(house, r, agent, seen, found, warnings, ref=ref))
    _raise_if_strict(house, kept, warnings)
    return kept


def _to_mend(house: House, scope: Scope, receipt: Receipt, found: ScoreResult) -> list[Item]:
    """What is added to the summary: all that was lost where too much was, and else rules alone."""
    if _is_too_much(house, found):
        return found.lost_items
    return _lost_rules(house, scope, receipt, found)


def _is_too_much(house: House, found: ScoreResult) -> bool:
    return 100 * found.score.held < house.policy.score_threshold


def _lost_rules(house: House, scope: Scope, receipt: Receipt, found: ScoreResult) -> list[Item]:
    """The rules that nobody is given any more, though nobody took them back."""
    if not any(item.kind == "rules" for item in found.lost_items):
        return []
    digest = house.store.read(lambda r: standing_digest(r, scope, receipt.thread_ref))
    return lost_rules(found.lost_items, digest)


def _loss_warnings(
    house: House, agent: AgentRow, receipt: Receipt, found: ScoreResult
) -> Iterator[str]:
    """What is lost although it was to be mended; for a rule no threshold counts."""
    if _is_too_much(house, found):
        alarm = alarm_text(found.score, house.policy.score_threshold)
        log.error("a distillation of %s lost too much: %s", agent.name, alarm)
        yield f"{ALARM} {alarm}"
    rules = len(_lost_rules(house, Scope(agent.ref), receipt, found))
    if rules:
        lost = "1 of the user's rules is" if rules == 1 else f"{rules} of the user's rules are"
        log.error("a distillation of %s: %s lost", agent.name, lost)
        yield f"{LOST_RULE} {lost} not in the context any more"


def alarm_text(score: Score, threshold: float) -> str:
    """By the share that is held against the limit: of what was asked for, not of all that was drawn."""
    return f"{100 * score.missed:.1f} % of what was asked for is lost; {100 - threshold:g} % may be"


def _raise_if_strict(house: House, receipt: Receipt, warnings: Sequence[str]) -> None:
    """In strict mode, meant for tests, a warning is raised; by then log and receipt have it."""
    told = [warning for warning in warnings if not warning.startswith(REPAIRED)]
    if told and house.policy.strict == "on":
        raise DistillationDoubtful(f"receipt {receipt.id}: {'; '.join(told)}")


def _score_items(
    house: House,
    agent: AgentRow,
    receipt: Receipt,
    items: Sequence[Item],
    before: Sequence[Item],
    pause: Pause,
    between: Between,
) -> ScoreResult:
    scope = Scope(agent.ref)
    text, carried, digest = house.store.read(
        lambda r: (
            shown_text(r, scope, receipt),
            carried_rules(r, scope, receipt),
            standing_digest(r, scope, receipt.thread_ref),
        )
    )
    pause()
    items = items_in_force(items, digest)
    more = [item for item in items if item.kind == "rules"][MOST:]
    return score(
        house,
        agent,
        receipt.thread_ref,
        [item for item in items if item not in more],
        text,
        beside=[*more, *carried, *before],
        seconds=house.policy.score_seconds,
        pause=pause,
        between=between,
    )


def draw_items(house: House, scope: Scope, receipt: Receipt, pause: Pause) -> list[Item]:
    """Items from the messages that the receipt hides.

    What is drawn follows from the receipt's id, which is older than the summary, and from the messages
    alone: drawn now or before the summary was made, it is the same.
    """
    marks = house.store.read(lambda r: r.marks.by(scope, receipt.ref))
    spans = [Span(m.from_seq, m.to_seq) for m in marks if m.action == "hide"]
    draw = Draw(int.from_bytes(receipt.key_id[-8:], "big") >> 1, most_rules=MOST_RULES, pause=pause)
    for message in tellable_messages(house, scope, receipt.thread_ref, spans, pause):
        draw.read(message)
    return draw.items()


def _mend_summary(
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
            - _view_weight(records, scope, thread.ref, thread.view_version, thread.last_seq),
        )
        shown = {sentence.text for sentence in composed.sentences if sentence.shown}
        return sum(any(item.text in line for line in shown) for item in wanted.extra)

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
    return Ask(agent, thread.ref, digest, (), ordinal, tokens, extra=extra, before_fork=raw)


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


def _read_receipt(records: Records, scope: Scope, ref: int) -> tuple[Receipt, SummaryRow | None]:
    """The receipt, and the summary that its thread shows."""
    receipt = records.receipts.get(scope, ref)
    thread = records.threads.get(scope, receipt.thread_ref)
    return receipt, records.summaries.at(scope, thread.ref, thread.view_version)


def _any_forgotten(records: Records, scope: Scope, items: Sequence[Point | Trace]) -> bool:
    """Is one of them from what was forgotten?"""
    withheld = records.memories.withheld(scope)
    return any(withheld.get(key) == "forgotten" for item in items for key in item.sources)


def _view_weight(records: Records, scope: Scope, thread: int, version: int, last: int) -> int:
    view = view_at(records, scope, thread, version=version, last=last)
    return view_tokens(records, scope, thread, view)


def _tokens_after(receipt: Receipt, size: int, shown: SummaryRow, seen: SummaryRow | None) -> int:
    """Its tokens after, with what was added, by the measure of its time: usage reported since has
    changed how tokens are counted."""
    before = size if seen is None else size - shown.tokens + seen.tokens
    return round(receipt.tokens_after * size / before) if before > 0 else receipt.tokens_after


def _keep_score(
    house: House,
    records: Records,
    agent: AgentRow,
    seen: SummaryRow | None,
    found: ScoreResult | None,
    warnings: Sequence[str],
    *,
    ref: int,
) -> Receipt:
    """The score on the receipt, if there is one; a receipt that was undone meanwhile has it too."""
    scope = Scope(agent.ref)
    records.memories.hold(scope)  # it may be undone at this moment
    receipt = records.receipts.get(scope, ref)
    thread = records.threads.get(scope, receipt.thread_ref)
    told = receipt._replace(score_json=None if found is None else score_text(found.score))
    shown = records.summaries.at(scope, thread.ref, thread.view_version)
    if shown is not None and shown.receipt_ref == ref:
        # As it was when it was distilled: what was said since is none of its doing.
        last = int(receipt.detail.get("last_seq", thread.last_seq))
        size = _view_weight(records, scope, thread.ref, thread.view_version, last)
        told = told._replace(tokens_after=_tokens_after(receipt, size, shown, seen))
    # Scored anew, it warns anew: of the same thing once, and by the figures of today.
    earlier = [error for error in receipt.errors if not error.startswith(WARNED)]
    today = [saving_text(told) if each.startswith(FEW_SAVED) else each for each in warnings]
    told = told._replace(errors_json=json.dumps([*earlier, *today]))
    told = told._replace(outcome=_outcome(told, lacked=receipt.lacks_rule))
    return records.receipts.change(scope, told, "receipt.scored", now=house.clock.now())


def _outcome(receipt: Receipt, *, lacked: bool) -> Outcome:
    """With a rule lost it is degraded; once that is there again it is what it was before."""
    if receipt.lacks_rule and receipt.outcome == "ok":
        return "degraded"
    if receipt.outcome != "degraded" or receipt.lacks_rule or not lacked:
        return receipt.outcome
    hasty = any(signal["name"] == "guard" for signal in receipt.fired)
    return "degraded" if hasty or any(TOOK_OVER in error for error in receipt.errors) else "ok"
