"""Tally what helped: counted in memory as it happens, written with the session's next write.

So a recall never commits. What was counted and not written yet is lost with the process: these are
figures for the scorer, not what anyone said.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.errors import SessionUnknown
from everthread.domain.given.injections import GivenItem, SessionScore, Use, queries_text
from everthread.services.archive.sessions import live_session

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.domain.recall.hits import Hit
    from everthread.domain.scorer.scorer import LearnedScore
    from everthread.ports import Records

MOST_WAITING = 50
"""After so many recalls that no turn followed, what was counted is written by itself."""

MOST_BEGUN = 10_000
"""Sessions that are known to have their row; a forgotten one is looked up once more."""

NOWHERE = 0
"""Stands for the session of a recall outside any turn: the primary's live one, found when written."""


class SessionCounts(NamedTuple):
    """What was counted of one session of one agent and is not written yet."""

    agent: int
    session: int
    uses: tuple[Use, ...] = ()
    queries: tuple[str, ...] = ()
    injected: int = 0
    retold: tuple[frozenset[bytes], ...] = ()
    """For each message that explained things again: what these were."""
    corrected: frozenset[bytes] = frozenset()

    def plus(self, other: SessionCounts) -> SessionCounts:
        return SessionCounts(
            self.agent,
            self.session,
            tuple(_join_uses([*self.uses, *other.uses])),
            (*self.queries, *other.queries),
            self.injected + other.injected,
            (*self.retold, *other.retold),
            self.corrected | other.corrected,
        )


def _join_uses(uses: Iterable[Use]) -> Iterable[Use]:
    found: dict[bytes, Use] = {}
    for use in uses:
        known = found.get(use.ref)
        found[use.ref] = use if known is None else known.plus(use)
    return found.values()


class Tally:
    """The counts of one engine. Safe in threads; knows in which session each agent was last heard."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[tuple[int, int], SessionCounts] = {}
        self._sessions: dict[int, int] = {}
        self._begun: set[int] = set()

    def enter_session(self, agent: int, session: int) -> None:
        """A turn began in that session: the recalls that follow belong to it."""
        with self._lock:
            self._sessions[agent] = session

    def count_recall(self, agent: int, query: str, hits: Sequence[Hit], *, now: int) -> int:
        """A recall answered; how many recalls of this agent wait to be written."""
        with self._lock:
            session = self._sessions.get(agent, NOWHERE)
            uses = [_recalled_use(session, hit, rank, now) for rank, hit in enumerate(hits, 1)]
            counted = SessionCounts(agent, session, tuple(uses), (query,))
            return len(self._add(counted).queries)

    def count_corrections(self, agent: int, refs: Iterable[bytes]) -> None:
        """What took the place of these corrects them, if they were injected in this session."""
        with self._lock:
            session = self._sessions.get(agent, NOWHERE)
            self._add(SessionCounts(agent, session, corrected=frozenset(refs)))

    def add(self, counted: SessionCounts) -> None:
        with self._lock:
            self._add(counted)

    def _add(self, counted: SessionCounts) -> SessionCounts:
        key = counted.agent, counted.session
        known = self._waiting.get(key)
        self._waiting[key] = whole = counted if known is None else known.plus(counted)
        return whole

    def take(self, agent: int, session: int) -> SessionCounts | None:
        """What waits of that session, to be written now; None if the session is known and nothing waits.

        Whoever cannot write it puts it back with `add`.
        """
        with self._lock:
            found = self._waiting.pop((agent, session), None)
            if found is None and session not in self._begun:
                found = SessionCounts(agent, session)
            if len(self._begun) >= MOST_BEGUN:
                self._begun.clear()
            self._begun.add(session)
            return found

    def take_all(self, agent: int | None = None) -> list[SessionCounts]:
        """Everything that waits, of one agent or of all."""
        with self._lock:
            keys = [key for key in self._waiting if agent in (None, key[0])]
            return [self._waiting.pop(key) for key in keys]


def _recalled_use(session: int, hit: Hit, rank: int, now: int) -> Use:
    return use_of_hit(session, hit, rank, now)._replace(hits=1)


def use_of_hit(session: int, hit: Hit, rank: int, now: int) -> Use:
    """Something that a recall ranked, before it is known what became of it."""
    ref = bytes.fromhex(hit.id.replace("-", ""))
    use = Use(session, ref, hit.kind, 0, rank, hit.score, 0, 0, 0, now, now)
    return with_scores(use, hit.learned)


def with_scores(use: Use, learned: LearnedScore | None) -> Use:
    """With what it scored without the scorer, and what that made of it."""
    if learned is None:
        return use
    return use._replace(best_score=learned.plain, predicted=learned.predicted, final=learned.final)


def given_use(
    session: int, item: GivenItem, now: int, *, mentioned: bool, learned: LearnedScore | None = None
) -> Use:
    """An item that a turn was given, and whether its reply used it."""
    use = Use(
        session, item.ref, item.kind, 1, item.rank, item.score, 0, int(mentioned), 0, now, now
    )
    return with_scores(use, learned)


def keep(records: Records, scope: Scope, counted: SessionCounts, *, now: int) -> None:
    """Write what was counted."""
    session = counted.session or _live(records, scope)
    if session is None:
        return
    # Only what is spoken of: a long session was given thousands of things.
    spoken_of = counted.corrected.union(*counted.retold, (u.ref for u in counted.uses if u.retold))
    before = records.uses.given(scope, session, spoken_of)
    known = before | {use.ref for use in counted.uses if use.injected}
    corrected = [_correction(session, ref, now) for ref in counted.corrected & known]
    # What was given before is not missed, however often the person tells it.
    uses = [
        use._replace(session_ref=session, retold=0 if use.ref in before else use.retold)
        for use in counted.uses
    ]
    records.uses.add(scope, _join_uses([*uses, *corrected]))
    score = records.uses.score(scope, session) or _blank(session)
    novel = sum(1 for refs in counted.retold if not refs & before)
    if score.updated_ms and not (counted.queries or counted.injected or novel):
        return
    from everthread.domain.redaction.secrets import strip_secrets  # noqa: PLC0415 - only who writes

    queries = queries_text(score.queries, [strip_secrets(query) for query in counted.queries])
    records.uses.keep(
        scope,
        score._replace(
            injected_count=score.injected_count + counted.injected,
            novel_context_count=score.novel_context_count + novel,
            queries_json=queries,
            updated_ms=now,
        ),
    )


def keep_late(records: Records, scope: Scope, counted: SessionCounts, *, now: int) -> None:
    """Write what was counted and waited. If its session has gone meanwhile, it goes too."""
    if counted.session:
        try:
            records.sessions.get(scope, counted.session)
        except SessionUnknown:
            return
    keep(records, scope, counted, now=now)


def keep_given(
    records: Records, scope: Scope, session: int, uses: Sequence[Use], *, now: int
) -> None:
    """A harness's session was given these, or they were withheld; it has its row from then on."""
    records.uses.add(scope, _join_uses(uses))
    score = records.uses.score(scope, session) or _blank(session)
    given = score.injected_count + sum(use.injected for use in uses)
    if given != score.injected_count or not score.updated_ms:
        records.uses.keep(scope, score._replace(injected_count=given, updated_ms=now))


def mark_recovered(records: Records, scope: Scope, session: int, *, now: int) -> None:
    """The session began with recovered context, and not cold: what the scorer compares."""
    score = records.uses.score(scope, session) or _blank(session)
    records.uses.keep(scope, score._replace(recovered=1, updated_ms=now))


def _blank(session: int) -> SessionScore:
    return SessionScore(session, 0, 0, 0, "[]", None, None, 0)


def _correction(session: int, ref: bytes, now: int) -> Use:
    return Use(session, ref, "", 0, 1_000, 0.0, 0, 0, 1, now, now)


def _live(records: Records, scope: Scope) -> int | None:
    primary = next((t for t in records.threads.all(scope) if t.kind == "primary"), None)
    session = None if primary is None else live_session(records, scope, primary.ref)
    return None if session is None else session.ref
