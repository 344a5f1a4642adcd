"""After a distillation: check what the view shows now, score it, mend what was lost, close the receipt.

Items are drawn by a seed that the receipt's id gives, so that whoever scores it, and whenever, asks for
the same; the summary has no part in what it is asked.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

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
from everthread.domain.distilling.corrected_points import without_corrected
from everthread.domain.distilling.receipts import (
    LOST_RULE,
    NOT_ASKED,
    Outcome,
    Receipt,
    SummaryRow,
)
from everthread.domain.errors import DistillationDoubtful, ReceiptUnknown
from everthread.domain.times import MINUTE
from everthread.ports import House, Records
from everthread.services.job_names import SCORE

from .carried_rules import carried_rules
from .compose import TOOK_OVER
from .corrections import corrected_points
from .flush import reflush
from .mend import mend_summary, view_weight
from .missing import rules_lost_before
from .plan import tellable_messages
from .score import ScoreResult, items_in_force, lost_rules, score
from .shown_text import shown_text
from .stages import Between, Pause, Progress, nothing, silent, uninterrupted
from .swap import standing_digest
from .vectors import make_few, make_waiting, messages_without
from .view_check import CHECKED, FEW_SAVED, check_view, saving_text

log = logging.getLogger("everthread")

AGAIN = 10 * MINUTE
"""When that is asked for again which had no vectors: by then a worker has made most of them."""

REPAIRED = "repaired:"
ALARM = "alarm:"
WARNED = (*CHECKED, LOST_RULE, ALARM)
"""How the warnings of a score begin."""


def run_score_job(
    house: House,
    agent: int,
    receipt: int,
    *,
    pause: Pause,
    between: Between = uninterrupted,
    nobody_waits: bool = False,
) -> None:
    """What a job was asked to do: score a distillation, unless that is done or it was undone.

    Where `nobody_waits`, vectors that it lacks are made first.
    """
    scope = Scope(agent)
    try:
        row, found = house.store.read(
            lambda r: (r.agents.get(scope), r.receipts.get(scope, receipt))
        )
    except ReceiptUnknown:
        return  # its thread was erased: nothing is left to score
    if found.standing and (found.unscored or _was_by_words(found)):
        score_receipt(house, row, receipt, pause=pause, between=between, nobody_waits=nobody_waits)


def _was_by_words(receipt: Receipt) -> bool:
    """Was something asked for by words alone, so that it is to be asked for again?"""
    return receipt.score is not None and receipt.score.by_words > 0


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
    nobody_waits: bool = False,
) -> Receipt:
    """The receipt with its score; below the threshold what was lost is added, and scored again."""
    scope = Scope(agent.ref)
    receipt, seen = house.store.read(lambda r: _read_receipt(r, scope, ref))
    progress("verify")
    warnings = house.store.read(lambda r: check_view(house, r, agent, receipt))
    progress("score")
    drawn = _draw(house, agent, receipt, pause)
    made = make_waiting(house, agent, pause, between) if nobody_waits else make_few(house, agent)
    if made:
        drawn = drawn._replace(
            waiting=messages_without(house, agent, receipt.thread_ref, drawn.items)
        )
    found = _score_items(house, agent, receipt, drawn, pause, between)
    if not found.score.items:
        kept = house.store.write(
            lambda r: _keep_score(house, r, agent, seen, None, [*warnings, NOT_ASKED], ref=ref)
        )
        _raise_if_strict(house, kept, warnings)
        return kept
    missing = _to_mend(house, scope, receipt, found)
    if missing:
        progress("repair")
        mended = mend_summary(house, agent, receipt, missing, seen, pause)
        if mended:
            pause()
            reflush(house, agent, ref, pause)
            pause()
            found = _score_items(house, agent, receipt, drawn, pause, between)
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


class _Drawn(NamedTuple):
    """What is looked for."""

    items: Sequence[Item]
    before: Sequence[Item]
    """Rules that were lost before."""
    waiting: Container[bytes] = ()
    """Messages that have no vectors yet."""


def _draw(house: House, agent: AgentRow, receipt: Receipt, pause: Pause) -> _Drawn:
    scope = Scope(agent.ref)
    items = draw_items(house, scope, receipt, pause)
    return _Drawn(items, rules_lost_before(house, scope, receipt, pause))


def _score_items(
    house: House,
    agent: AgentRow,
    receipt: Receipt,
    drawn: _Drawn,
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
    corrected = house.store.read(lambda r: corrected_points(r, scope, digest))
    pause()
    items = without_corrected(items_in_force(drawn.items, digest), corrected)
    more = [item for item in items if item.kind == "rules"][MOST:]
    return score(
        house,
        agent,
        receipt.thread_ref,
        [item for item in items if item not in more],
        text,
        beside=[*more, *without_corrected([*carried, *drawn.before], corrected)],
        waiting=drawn.waiting,
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


def _read_receipt(records: Records, scope: Scope, ref: int) -> tuple[Receipt, SummaryRow | None]:
    """The receipt, and the summary that its thread shows."""
    receipt = records.receipts.get(scope, ref)
    thread = records.threads.get(scope, receipt.thread_ref)
    return receipt, records.summaries.at(scope, thread.ref, thread.view_version)


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
        size = view_weight(records, scope, thread.ref, thread.view_version, last)
        told = told._replace(tokens_after=_tokens_after(receipt, size, shown, seen))
    # Scored anew, it warns anew: of the same thing once, and by the figures of today.
    earlier = [error for error in receipt.errors if not error.startswith(WARNED)]
    today = [saving_text(told) if each.startswith(FEW_SAVED) else each for each in warnings]
    told = told._replace(errors_json=json.dumps([*earlier, *today]))
    told = told._replace(outcome=_outcome(told, lacked=receipt.lacks_rule))
    if _was_by_words(told):
        now = house.clock.now()
        ask_score(records, scope, ref, now=now, due_at=now + AGAIN)
    return records.receipts.change(scope, told, "receipt.scored", now=house.clock.now())


def _outcome(receipt: Receipt, *, lacked: bool) -> Outcome:
    """With a rule lost it is degraded; once that is there again it is what it was before."""
    if receipt.lacks_rule and receipt.outcome == "ok":
        return "degraded"
    if receipt.outcome != "degraded" or receipt.lacks_rule or not lacked:
        return receipt.outcome
    hasty = any(signal["name"] == "guard" for signal in receipt.fired)
    return "degraded" if hasty or any(TOOK_OVER in error for error in receipt.errors) else "ok"
