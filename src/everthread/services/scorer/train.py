"""Train the scorer: judge the sessions that are over, oldest first, and learn from each once.

What was learnt is a fold over judged sessions. Where it is missing, after an import or with new
traits, the sessions that are still on record are folded anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.errors import SessionUnknown
from everthread.domain.given.injections import SessionScore, Use
from everthread.domain.memory.memories import KINDS, Memory
from everthread.domain.scorer.labels import SURE
from everthread.domain.scorer.lift import Difference, Share, newcombe
from everthread.domain.scorer.scorer import UNLEARNT, RatedMemory, Scorer, learn
from everthread.domain.scorer.scorer_row import is_readable, read_scorer, row_of
from everthread.domain.scorer.traits import past_of, traits
from everthread.domain.times import HOUR
from everthread.ports import House, Records
from everthread.services.archive.sessions import hours_of

if TYPE_CHECKING:
    from .judge import Judgement

AT_ONCE = 50
"""Sessions that one round judges; what is left comes with the next."""

REPLAYED = 300
"""Sessions that are folded anew where what was learnt is missing."""

LIFTED = 500
"""Sessions with a hold-out that its lift is computed from, the newest."""

Pause = Callable[[], None]


class Trained(NamedTuple):
    """What a round did."""

    judged: int = 0
    learnt: int = 0
    """Of those judged, the ones sure enough to learn from."""
    left: bool = False
    """Is there more to judge?"""


def train_all(house: House, pause: Pause) -> bool:
    """One round for every agent; is all of it done?"""
    if house.policy.scorer == "off":
        return True
    agents = house.store.read(lambda r: r.agents.all())
    return not any([train(house, agent, pause).left for agent in agents])


def train(house: House, agent: AgentRow, pause: Pause = lambda: None) -> Trained:
    """Judge what is to be judged of one agent and learn from it. Each session counts once."""
    scope = Scope(agent.ref)
    quiet = house.clock.now() - int(hours_of(house, agent) * HOUR)
    waiting = house.store.read(lambda r: r.scorers.unjudged(scope, quiet=quiet, limit=AT_ONCE))
    sure = 0
    for score in waiting:
        from .judge import judge  # noqa: PLC0415 - slow to load; most rounds have nothing to judge

        pause()
        try:
            judged = judge(house, scope, score, pause)
        except SessionUnknown:
            continue  # it went with its thread
        sure += house.store.write(lambda r, j=judged: _keep_verdict(house, r, scope, j))
    if not sure and house.store.read(lambda r: _is_missing(r, scope)):
        # Nobody should have to wait for the next session to be judged.
        house.store.write(lambda r: _keep_scorer(house, r, scope, _current_scorer(house, r, scope)))
    return Trained(len(waiting), sure, len(waiting) == AT_ONCE)


def _keep_verdict(house: House, records: Records, scope: Scope, judged: Judgement) -> bool:
    """Write the verdict and what was learnt from it, unless somebody else did; was anything learnt?"""
    try:
        records.sessions.get(scope, judged.session.ref)
    except SessionUnknown:
        return False
    present = records.uses.score(scope, judged.session.ref)
    if present is None or present.judged_ms is not None:
        return False
    now = house.clock.now()
    scorer = _current_scorer(house, records, scope)
    records.uses.add(scope, judged.added)
    records.scorers.rate(scope, judged.session.ref, judged.worth)
    told = present._replace(
        novel_context_count=judged.score.novel_context_count,
        score=judged.verdict.score,
        confidence=judged.verdict.confidence,
        judged_ms=now,
    )
    records.uses.keep(scope, told)
    if not judged.verdict.sure:
        return False
    rows = rate_memories(records, scope, scorer, judged.session.ref, used=judged.used)
    _keep_scorer(house, records, scope, learn(scorer, rows, most=house.policy.scorer_cap))
    return True


def _keep_scorer(house: House, records: Records, scope: Scope, scorer: Scorer) -> None:
    harm = lift_of(records.scorers.withholding(scope, limit=LIFTED))
    learned = scorer._replace(lift_high=None if harm is None else harm.high)
    records.scorers.keep(scope, row_of(learned, now=house.clock.now()))


def _is_missing(records: Records, scope: Scope) -> bool:
    """Is there nothing learnt, though there is something to learn from?"""
    row = records.scorers.get(scope)
    if row is not None and is_readable(row):
        return False
    return any(map(_is_sure, records.scorers.judged(scope, limit=REPLAYED)))


def _current_scorer(house: House, records: Records, scope: Scope) -> Scorer:
    return current_scorer(records, scope, most=house.policy.scorer_cap)


def current_scorer(records: Records, scope: Scope, *, most: float) -> Scorer:
    """What was learnt so far; folded anew from what is on record where it cannot be read."""
    row = records.scorers.get(scope)
    if row is not None and is_readable(row):
        return read_scorer(row)
    scorer = UNLEARNT
    for score in reversed(records.scorers.judged(scope, limit=REPLAYED)):
        if _is_sure(score):
            rows = rate_memories(records, scope, scorer, score.session_ref)
            scorer = learn(scorer, rows, most=most)
    return scorer


def _is_sure(score: SessionScore) -> bool:
    return (score.confidence or 0.0) >= SURE


def rate_memories(
    records: Records,
    scope: Scope,
    scorer: Scorer,
    session: int,
    *,
    used: frozenset[bytes] | None = None,
) -> list[RatedMemory]:
    """The memories of a judged session, as they looked when they were ranked in it."""
    sitting = records.sessions.get(scope, session)
    rows: list[RatedMemory] = []
    for use in records.uses.of(scope, session):
        memory = None if use.kind not in KINDS else records.memories.find(scope, use.ref)
        if memory is None or memory.state == "forgotten":
            continue
        worked = use.mentioned > 0 or use.hits > 0 if used is None else use.ref in used
        rows.append(_rate_memory(scorer, sitting.project_normalized, use, memory, used=worked))
    return rows


def _rate_memory(
    scorer: Scorer, project: str | None, use: Use, memory: Memory, *, used: bool
) -> RatedMemory:
    numbers = traits(
        memory,
        plain=use.best_score,
        past=past_of(scorer.past, use.ref),
        project=project,
        now=use.first_ms,
    )
    given = use.injected > 0
    return RatedMemory(
        use.ref, use.best_score, numbers, use.relevance, given, given and used, use.hits > 0
    )


def lift_of(uses: Sequence[Use]) -> Difference | None:
    """By how much oftener what is given is used than what is withheld, in the same sessions."""
    given, held = split_by_holdout(uses)
    return newcombe(_mention_share(given), _mention_share(held))


def split_by_holdout(uses: Sequence[Use]) -> tuple[list[Use], list[Use]]:
    """What was given and what was withheld. What was both, in one session, says nothing."""
    given = [use for use in uses if use.injected and not use.withheld]
    held = [use for use in uses if use.withheld and not use.injected]
    return given, held


def _mention_share(uses: Sequence[Use]) -> Share:
    return Share(sum(use.mentioned > 0 for use in uses), len(uses))
