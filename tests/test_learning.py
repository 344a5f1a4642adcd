"""Learning what helps, in the product: from what was recorded to the order of the next recall.

Requirements: B-65 … B-68, R-28.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import everthread
from everthread import Agent, Everthread, Settings, Turn
from everthread.domain.given.injections import SessionScore, Use
from everthread.domain.memory.memories import Memory
from everthread.domain.recall.hits import Hit
from everthread.domain.scorer.scorer import Outcome, Scorer
from everthread.domain.scorer.scorer_row import ScorerRow, row_of
from everthread.jobs.worker import Worker
from everthread.services.giving.tally import SessionCounts, keep
from everthread.services.memory.rerank import is_held_out
from everthread.services.scorer.report import lifts_of, recovery_of
from everthread.testing import FrozenClock
from support.commands import Cli
from support.harness import Bench, bench
from support.learning import favouring
from support.stores import ABOVE, Place, fresh
from test_injections import quoted

BARE: dict[str, Any] = {"embedder": "off", "recall_seconds": 30}
HOME = "The parser lives in config_reader.py."
SPEED = "The parser reads 4711 lines in a second."
AUTHOR = "The parser was written by Mel in Lisbon."
TEXTS = (HOME, SPEED, AUTHOR)
QUESTION = "What do we know about the parser?"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture(params=ABOVE)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


def connected(place: Place | str, clock: FrozenClock, **chosen: Any) -> Everthread:
    target = place if isinstance(place, str) else place.target
    settings = Settings(**{**BARE, **chosen})
    return everthread.connect(target, clock=clock, background=False, settings=settings)


@pytest.fixture
def et(place: Place, clock: FrozenClock) -> Iterator[Everthread]:
    with connected(place, clock) as et:
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada")


def remembered(agent: Agent, *texts: str, kinds: Sequence[str] = ("fact",)) -> list[Memory]:
    return [agent.remember(t, kind=kinds[n % len(kinds)]) for n, t in enumerate(texts)]


def sit(agent: Agent, clock: FrozenClock) -> int:
    """A session of its own, over by the next one."""
    clock.forward(hours=9)
    agent.turn("Hello").done("Hello.")
    return agent.sessions(limit=1)[0].ref


def recorded(
    et: Everthread,
    agent: Agent,
    session: int,
    uses: Sequence[Use],
    *,
    novel: int = 0,
    recovered: int = 0,
) -> None:
    """What a session would have counted."""
    now = et.house.clock.now()
    score = SessionScore(session, recovered, len(uses), novel, "[]", None, None, now)
    et.house.store.write(lambda r: r.uses.add(agent.scope, uses))
    et.house.store.write(lambda r: r.uses.keep(agent.scope, score))


def use(session: int, memory: Memory, rank: int = 1, **more: Any) -> Use:
    now = memory.updated_ms
    base = Use(session, memory.key_id, memory.kind, 1, rank, 1 - rank / 10, 0, 0, 0, now, now)
    return base._replace(**more)


def uses_of(et: Everthread, agent: Agent, session: int) -> dict[str, Use]:
    return {u.id: u for u in et.house.store.read(lambda r: r.uses.of(agent.scope, session))}


def score_of(et: Everthread, agent: Agent, session: int) -> SessionScore:
    found = et.house.store.read(lambda r: r.uses.score(agent.scope, session))
    assert found is not None
    return found


def row(et: Everthread, agent: Agent) -> ScorerRow | None:
    return et.house.store.read(lambda r: r.scorers.get(agent.scope))


def taught(et: Everthread, agent: Agent, scorer: Scorer) -> None:
    et.house.store.write(lambda r: r.scorers.keep(agent.scope, row_of(scorer, now=1)))


def kept(hits: Sequence[Hit]) -> list[str]:
    return [hit.text for hit in hits]


# ---- judged and learnt


def test_a_session_that_is_over_is_judged_once_and_learnt_from(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    one, two, three = remembered(ada, *TEXTS)
    first = sit(ada, clock)
    recorded(
        et,
        ada,
        first,
        [use(first, one, 1, mentioned=1), use(first, two, 2), use(first, three, 3, mentioned=2)],
        novel=1,
    )
    assert ada.learn() == (0, 0, False)  # somebody may still go on with it
    clock.forward(hours=4, seconds=1)
    assert ada.learn() == (1, 1, False)
    told = score_of(et, ada, first)
    # Two used, one not, one told again: 3 of 5 ¼.
    assert told.score == pytest.approx(3 / 5.25) and told.confidence == pytest.approx(3.25 / 5.25)
    assert told.judged_ms == clock.now()
    worth = {u.id: u.relevance for u in uses_of(et, ada, first).values()}
    assert worth[one.id] == worth[three.id] == pytest.approx(3 / 5.25 + 0.1)
    assert worth[two.id] == pytest.approx(3 / 5.25)
    stored = row(et, ada)
    assert stored is not None and (stored.trained, stored.sessions) == (1, 1)
    assert ada.learn() == (0, 0, False)
    assert row(et, ada) == stored


def test_a_session_that_tells_too_little_is_judged_and_not_learnt_from(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    [one] = remembered(ada, HOME)
    session = sit(ada, clock)
    recorded(et, ada, session, [use(session, one, mentioned=1)])
    clock.forward(hours=9)
    assert ada.learn() == (1, 0, False)
    assert score_of(et, ada, session).confidence == pytest.approx(1 / 3)
    assert row(et, ada) is None
    report = ada.scorer()
    assert (report.judged, report.unsure, report.sessions) == (1, 1, 0)


def test_the_worker_learns_by_itself_every_ten_minutes(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    worker = Worker(et.house, rest=0)
    memories = remembered(ada, *TEXTS)
    session = sit(ada, clock)
    recorded(et, ada, session, [use(session, m, mentioned=1) for m in memories])
    clock.forward(hours=5)
    while worker.step():
        pass
    assert score_of(et, ada, session).judged_ms is not None


@pytest.mark.req("B-66")
def test_what_turns_record_is_what_it_learns_from(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    remembered(ada, *TEXTS)
    turn = ada.turn(QUESTION)
    assert set(quoted(turn)) == set(TEXTS)
    turn.done("It lives in config_reader.py and reads 4711 lines.")
    ada.recall("who wrote the parser, Mel?", limit=1)
    session = turn.session.ref
    clock.forward(hours=9)
    assert ada.learn().learnt == 1
    texts = {m.id: m.text for m in ada.memories()}
    found = {texts[name]: u for name, u in uses_of(et, ada, session).items()}
    assert (found[HOME].mentioned, found[SPEED].mentioned, found[AUTHOR].mentioned) == (1, 1, 0)
    assert found[AUTHOR].hits == 1  # looked for: used
    assert score_of(et, ada, session).score == pytest.approx(4 / 5)
    assert [u.relevance for u in found.values()] == pytest.approx([0.9] * 3)


@pytest.mark.req("B-67")
def test_what_the_person_told_again_was_missing(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    [memory] = remembered(ada, HOME)
    turn = ada.turn("As I said, the parser lives in config_reader.py. Fix the parser there.")
    turn.done("Done.")
    session = turn.session.ref
    [counted] = uses_of(et, ada, session).values()
    assert (counted.retold, counted.id) == (1, memory.id)
    assert score_of(et, ada, session).novel_context_count == 1
    clock.forward(hours=9)
    ada.learn()
    [judged] = uses_of(et, ada, session).values()
    assert judged.relevance == pytest.approx(0.7 + 0.1)  # it came with the words that told it


def test_what_was_given_before_is_not_missing_when_it_is_told_again(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    given, missed = remembered(ada, HOME, SPEED)
    session = sit(ada, clock)
    recorded(et, ada, session, [use(session, given)])
    again = tuple(use(session, m, injected=0, retold=1) for m in (given, missed))
    counted = SessionCounts(ada.scope.agent, session, again, retold=(frozenset({missed.key_id}),))
    et.house.store.write(lambda r: keep(r, ada.scope, counted, now=clock.now()))
    found = uses_of(et, ada, session)
    assert (found[given.id].retold, found[missed.id].retold) == (0, 1)


def test_a_memory_that_was_taken_back_is_worth_less(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    one, two, three = remembered(ada, *TEXTS)
    session = sit(ada, clock)
    recorded(et, ada, session, [use(session, m, mentioned=1) for m in (one, two, three)])
    ada.edit(two.id, "The parser reads 9000 lines in a second.")
    clock.forward(hours=9)
    ada.learn()
    worth = {u.id: u.relevance for u in uses_of(et, ada, session).values()}
    assert score_of(et, ada, session).score == pytest.approx(4 / 6)  # three used, one corrected
    assert worth[one.id] == worth[three.id] == pytest.approx(4 / 6 + 0.1)
    assert worth[two.id] == pytest.approx(4 / 6 + 0.1 - 0.3)


def test_what_another_agent_shares_is_taken_back_where_it_was_given(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    shared = et.agent("bob").remember(TEXTS[1], scope="user")
    session = sit(ada, clock)
    recorded(et, ada, session, [use(session, shared, mentioned=1)])
    ada.edit(shared.id, "The parser reads 9000 lines in a second.")
    clock.forward(hours=9)
    ada.learn()
    assert uses_of(et, ada, session)[shared.id].corrected == 1


# ---- what it may move


def test_without_anything_learnt_recall_is_what_it_was_to_the_byte(
    place: Place, clock: FrozenClock
) -> None:
    """Also while it only predicts, and where it is switched off."""
    with connected(place, clock) as et:
        ada = et.agent("ada")
        remembered(ada, *TEXTS, kinds=("fact", "decision"))
        ada.record([{"role": "user", "content": "The parser is old.", "id": "1"}], source="import")
        plain = ada.recall(QUESTION, limit=9)
        assert all(hit.learned is None for hit in plain)
        taught(et, ada, favouring("kind: decision", history=[Outcome(0.9, 0.5)] * 20))
        shadowed = ada.recall(QUESTION, limit=9)
        taught(et, ada, favouring("kind: decision"))
    with connected(place, clock, scorer="off") as et:
        off = et.agent("ada").recall(QUESTION, limit=9)
    with connected(place, clock, scorer="shadow") as et:
        asked = et.agent("ada").recall(QUESTION, limit=9)
    assert off == plain
    for hits in (shadowed, asked):
        assert [(h.id, h.score, h.why, h.parts) for h in hits] == [
            (h.id, h.score, h.why, h.parts) for h in plain
        ]
        assert [h.learned is not None for h in hits] == [h.kind != "message" for h in hits]
        assert all(h.learned.final == h.learned.plain for h in hits if h.learned)


@pytest.mark.req("R-28")
def test_where_it_is_live_memories_change_places_among_themselves(
    et: Everthread, ada: Agent
) -> None:
    garden = "The parser has a garden."
    remembered(ada, *TEXTS, garden, kinds=("fact", "fact", "reference", "fact"))
    said = ["The parser is old.", "We know about the parser.", "What do we know about parser food?"]
    entries = [{"role": "user", "content": text, "id": text} for text in said]
    ada.record(entries, source="import")
    before = ada.recall(QUESTION, limit=20)
    assert next(h.text for h in before if h.kind != "message") != AUTHOR
    taught(et, ada, favouring("kind: reference"))
    after = ada.recall(QUESTION, limit=20)
    assert [h.kind == "message" for h in after] == [h.kind == "message" for h in before]
    # Scores that differ by less count as equal, and of equals the newest comes first.
    assert [h.score for h in after] == pytest.approx([h.score for h in before], abs=1e-3)
    assert [h.text for h in after if h.kind == "message"] == [
        h.text for h in before if h.kind == "message"
    ]
    memories = [h for h in after if h.kind != "message"]
    assert memories[0].text == AUTHOR
    assert memories[0].parts["learned"] > 0 and "learned +" in memories[0].why
    for hit in memories:
        assert sum(hit.parts.values()) == pytest.approx(hit.score)
        assert hit.learned is not None
        final = 0.4 * hit.learned.plain + 0.6 * hit.learned.predicted
        assert hit.learned.final == pytest.approx(final)


def test_what_was_predicted_is_recorded_beside_what_was_ranked_without_it(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    memories = remembered(ada, *TEXTS, kinds=("fact", "fact", "reference"))
    clock.forward(hours=960)  # what is new scores the whole, whatever it says
    plain = {h.id: h.score for h in ada.recall(QUESTION, limit=9)}
    taught(et, ada, favouring("kind: reference"))
    assert [h.id for h in ada.recall(QUESTION, limit=9)] != list(plain)
    turn = ada.turn(QUESTION)
    turn.done("It was written in Lisbon.")
    found = uses_of(et, ada, turn.session.ref)
    assert set(found) == {m.id for m in memories}
    assert len(set(plain.values())) == 3
    for name, counted in found.items():
        assert counted.best_score == pytest.approx(plain[name])
        assert counted.predicted is not None and counted.final is not None
    liked = found[memories[2].id]
    assert liked.predicted == max(u.predicted or 0 for u in found.values())


def test_one_agents_scorer_ranks_nothing_of_another(et: Everthread, ada: Agent) -> None:
    bob = et.agent("bob")
    for agent in (ada, bob):
        remembered(agent, *TEXTS, kinds=("fact", "fact", "decision"))
    before = kept(bob.recall(QUESTION))
    taught(et, ada, favouring("kind: decision"))
    assert kept(bob.recall(QUESTION)) == before
    assert kept(ada.recall(QUESTION)) != before


def test_it_learns_from_sessions_and_then_ranks_by_it(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """All the way: recorded, judged, learnt, cold until ten sessions, live, and off again."""
    facts = remembered(ada, HOME, SPEED)
    liked = ada.remember(AUTHOR, kind="decision")
    modes: list[str] = []
    for n in range(24):
        session = sit(ada, clock)
        uses = [
            use(session, facts[0], 1, best_score=0.67),
            use(session, facts[1], 2, best_score=0.66),
            use(session, liked, 3, mentioned=1, best_score=0.65),
        ]
        recorded(et, ada, session, uses, novel=2)
        clock.forward(hours=5)
        assert ada.learn().learnt == 1
        modes.append(ada.scorer().standing.mode)
        assert n + 1 == ada.scorer().sessions
    assert modes[:9] == ["cold"] * 9
    assert modes[-1] == "live"
    assert kept(ada.recall(QUESTION, limit=1)) == [AUTHOR]
    assert dict(ada.scorer().weights)["kind: decision"] > 0
    # Now the other kind helps: it is wrong, sees so, and steps aside.
    for _ in range(12):
        session = sit(ada, clock)
        uses = [
            use(session, facts[0], 2, mentioned=1, best_score=0.66),
            use(session, liked, 3, best_score=0.65),
        ]
        recorded(et, ada, session, uses, novel=2)
        clock.forward(hours=5)
        ada.learn()
        modes.append(ada.scorer().standing.mode)
    assert {"shadow", "cold"} & set(modes[24:])


# ---- the hold-out


def test_the_hold_out_is_off_unless_asked_for() -> None:
    assert Settings().scorer_holdout_percent == 0
    assert not any(is_held_out(b"s", bytes([n]), 0.0) for n in range(256))


def test_the_hold_out_draws_its_share_and_the_same_each_time() -> None:
    drawn = [is_held_out(b"session", n.to_bytes(4, "big"), 5) for n in range(20_000)]
    assert 0.045 < sum(drawn) / len(drawn) < 0.055
    assert drawn == [is_held_out(b"session", n.to_bytes(4, "big"), 5) for n in range(20_000)]
    assert drawn != [is_held_out(b"another", n.to_bytes(4, "big"), 5) for n in range(20_000)]


@pytest.fixture
def half(place: Place, clock: FrozenClock) -> Iterator[Everthread]:
    with connected(place, clock, scorer_holdout_percent=50) as et:
        yield et


class Drawn(NamedTuple):
    """A turn with a half of its memories held out by chance: what was given and what was not."""

    agent: Agent
    turn: Turn
    memories: dict[str, Memory]
    uses: dict[str, Use]
    given: set[str]

    @property
    def out(self) -> set[str]:
        known = {text: self.uses.get(memory.id) for text, memory in self.memories.items()}
        return {text for text, use in known.items() if use is not None and use.withheld}


def draw(et: Everthread, name: str) -> Drawn:
    agent = et.agent(name)
    agent.turn("Hello").done("Hello.")  # so that the session is known
    texts = [f"The parser number {n} reads file_{n}.txt." for n in range(12)]
    memories = {m.text: m for m in remembered(agent, *texts)}
    turn = agent.turn("Which files do the parsers read?")
    given = set(quoted(turn))
    turn.done("They read " + ", ".join(f"file_{n}.txt" for n in range(12)) + ".")
    return Drawn(agent, turn, memories, uses_of(et, agent, turn.session.ref), given)


def test_what_is_withheld_is_not_given_and_recorded_as_withheld(half: Everthread) -> None:
    # Few are asked for, so chance may hold out all or none of them: draw until it did neither.
    drawn = next(d for d in (draw(half, f"ada-{n}") for n in range(40)) if d.out and d.given)
    out, given, memories, found = drawn.out, drawn.given, drawn.memories, drawn.uses
    assert not out & given
    sitting = drawn.turn.session.key_id
    assert out == {t for t in out | given if is_held_out(sitting, memories[t].key_id, 50)}
    assert all(found[memories[t].id].injected == 0 for t in out)
    assert all(found[memories[t].id].mentioned == 1 for t in out)
    assert (
        f"withheld {len(out)} by the hold-out"
        in drawn.agent.injections(limit=1)[0].injection.reason
    )


def test_rules_and_pinned_memories_are_never_withheld(half: Everthread) -> None:
    ada = half.agent("ada")
    ada.turn("Hello").done("Hello.")
    rules = [f"Never let parser {n} read file_{n}.txt." for n in range(6)]
    pinned = [f"critical: The parser {n} wants file_{n}.md." for n in range(6)]
    remembered(ada, *rules, kinds=("rule",))
    remembered(ada, *pinned)
    turn = ada.turn("Which files may the parser read?")
    turn.done("None.")
    assert not any(u.withheld for u in uses_of(half, ada, turn.session.ref).values())


def test_the_lift_compares_what_was_given_with_what_was_withheld() -> None:
    def counted(n: int, **more: Any) -> Use:
        base = Use(1, n.to_bytes(16, "big"), "fact", 0, 1, 0.5, 0, 0, 0, 1, 1)
        return base._replace(**more)

    uses = [counted(n, injected=1, mentioned=int(n < 56)) for n in range(70)]
    uses += [counted(100 + n, withheld=1, mentioned=int(n < 48)) for n in range(80)]
    uses += [counted(300, withheld=1, injected=1, mentioned=1)]  # both: says nothing
    lift = lifts_of(uses)[0]
    assert (lift.given, lift.withheld) == ((56, 70), (48, 80))
    assert lift.difference is not None
    assert lift.difference.low == pytest.approx(0.0524, abs=1e-4)


# ---- recovery against cold starts


@pytest.mark.req("B-65", "B-67")
def test_sessions_that_began_with_recovery_are_compared_with_cold_ones() -> None:
    def judged(n: int, recovered: int, novel: int) -> SessionScore:
        return SessionScore(n, recovered, 0, novel, "[]", 0.5, 0.9, 1, 1)

    told = recovery_of(
        [judged(n, 1, n % 2) for n in range(20)] + [judged(n, 0, 2 + n % 3) for n in range(20)]
    )
    assert (told.recovered, told.cold) == (20, 20)
    assert told.recovered_mean == 0.5 and told.cold_mean == pytest.approx(2.95)
    assert told.difference is not None and told.difference.high < 0
    assert recovery_of([]) == (0, 0, None, None, None)
    assert recovery_of([judged(1, 1, 0)]).difference is None


# ---- beside a harness


@pytest.fixture
def b(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def test_a_harness_session_is_judged_by_what_was_said_in_it(b: Bench) -> None:
    for text in TEXTS:
        b.agent.remember(text)
    w = b.window()
    w.start()
    w.turn("Tell me about that.", "It lives in config_reader.py.")
    w.turn("And how fast?", "It reads 4711 lines in a second.")
    w.turn("No, the parser was not written by Mel in Lisbon.", "Understood.")
    w.end()
    b.clock.forward(minutes=1)
    assert b.agent.learn().judged == 1
    texts = {m.id: m.text for m in b.agent.memories()}
    counted = uses_of(b.et, b.agent, w.row.ref)
    found = {texts[name]: u for name, u in counted.items() if name in texts}
    assert [found[t].injected for t in TEXTS] == [1, 1, 1]
    assert [found[t].mentioned > 0 for t in TEXTS] == [True, True, False]
    assert [found[t].corrected > 0 for t in TEXTS] == [False, False, True]
    told = score_of(b.et, b.agent, w.row.ref)
    assert told.injected_count == 3 and told.novel_context_count == 0
    assert told.score == pytest.approx(3 / 5.25)


@pytest.mark.req("B-66")
def test_what_a_checkpoint_says_was_looked_for_counts_as_found(b: Bench) -> None:
    for text in TEXTS:
        b.agent.remember(text)
    w = b.window()
    w.start()
    for _ in range(2):
        w.turn("Where is config_reader.py?", "One moment.")
        w.turn("Open config_reader.py once more", "One moment.")
    w.end()
    b.work()
    [checkpoint, *_] = b.agent.checkpoints(session=w.session)
    assert "config reader py" in json.loads(checkpoint.activity_json)["memory_queries"]
    b.clock.forward(minutes=11)
    b.agent.learn()
    texts = {m.id: m.text for m in b.agent.memories()}
    counted = uses_of(b.et, b.agent, w.row.ref)
    found = {texts[name]: u for name, u in counted.items() if name in texts}
    assert found[HOME].hits >= 2 > found[AUTHOR].hits == 0
    assert (found[HOME].relevance or 0) > (found[AUTHOR].relevance or 0)


@pytest.mark.req("B-68")
def test_what_the_agent_puts_down_itself_was_used(b: Bench) -> None:
    for text in TEXTS:
        b.agent.remember(text)
    w = b.window()
    w.start()
    w.turn("Go on.", "I go on.")
    b.agent.checkpoint("Who wrote the parser in Lisbon was asked.", session=w.session, kind="agent")
    w.end()
    b.clock.forward(minutes=1)
    b.agent.learn()
    texts = {m.id: m.text for m in b.agent.memories()}
    counted = uses_of(b.et, b.agent, w.row.ref)
    found = {texts[name]: u for name, u in counted.items() if name in texts}
    assert [found[t].mentioned for t in TEXTS] == [0, 0, 0]
    assert found[AUTHOR].relevance == pytest.approx((found[HOME].relevance or 0) + 0.1)


@pytest.mark.req("B-67")
def test_what_is_told_again_in_a_harness_is_novel_context(b: Bench) -> None:
    w = b.window()
    w.start()
    b.agent.remember(HOME)
    w.turn("Remember: the parser lives in config_reader.py, so fix that parser.", "Fixed.")
    w.end()
    b.clock.forward(minutes=1)
    b.agent.learn()
    assert score_of(b.et, b.agent, w.row.ref).novel_context_count == 1


@pytest.mark.req("B-65")
def test_a_harness_session_says_from_its_start_on_whether_it_began_cold(b: Bench) -> None:
    w = b.window()
    w.start()
    assert score_of(b.et, b.agent, w.row.ref).recovered == 0
    w.turn("Fix the parser.", "Fixed in parse_line().")
    w.end()
    b.clock.forward(minutes=1)
    again = b.window("s-2")
    again.start()
    assert score_of(b.et, b.agent, again.row.ref).recovered == 1


def test_a_prompt_in_a_harness_goes_without_what_is_withheld(tmp_path: Path) -> None:
    with bench(tmp_path, scorer_holdout_percent=50) as b:
        w = b.window()
        w.start()
        made = [b.agent.remember(f"The parser {n} reads file_{n}.txt.") for n in range(10)]
        # Chance decides by their ids. With those that are told out of the way, some surely is withheld.
        while not any(is_held_out(w.row.key_id, m.key_id, 50) for m in made):
            made.append(b.agent.remember(f"The parser {len(made)} reads file_{len(made)}.txt."))
        for told in [m for m in made if not is_held_out(w.row.key_id, m.key_id, 50)]:
            b.agent.forget(told.id)
        answer = w.prompt("Which files does the parser read?")
        found = uses_of(b.et, b.agent, w.row.ref)
        out = [m for m in made if m.id in found and found[m.id].withheld]
        assert out and not any(m.text in answer for m in out)
        assert all(is_held_out(w.row.key_id, m.key_id, 50) for m in out)


# ---- what becomes of it


def test_forgetting_and_erasing_leave_nothing_to_learn_from(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    memories = remembered(ada, *TEXTS)
    session = sit(ada, clock)
    recorded(et, ada, session, [use(session, m, mentioned=1) for m in memories])
    ada.forget(memories[0].id)
    clock.forward(hours=9)
    ada.learn()
    stored = row(et, ada)
    worth = {u.id: u.relevance for u in uses_of(et, ada, session).values()}
    assert worth[memories[0].id] is None
    taught(et, ada, favouring("pinned"))
    et.erase(ada)
    assert row(et, ada) is None
    assert stored is None or "parser" not in "".join(map(str, stored))


def test_it_is_not_exported_and_learnt_anew_from_what_is(
    et: Everthread, ada: Agent, clock: FrozenClock, tmp_path: Path
) -> None:
    memories = remembered(ada, *TEXTS, kinds=("fact", "decision", "rule"))
    for n in range(4):
        session = sit(ada, clock)
        used = [use(session, m, k + 1, mentioned=int(k == n % 3)) for k, m in enumerate(memories)]
        recorded(et, ada, session, used, novel=3)
        clock.forward(hours=9)
        ada.learn()
    before = row(et, ada)
    assert before is not None and before.sessions == 4
    lines: list[str] = []
    et.export(lines.append, ada)
    assert not any('"scorers"' in line for line in lines)
    with connected(str(tmp_path / "moved.db"), clock) as moved:
        moved.import_lines(lines)
        there = moved.known_agent("ada")
        assert row(moved, there) is None
        there.learn()
        at_once = row(moved, there)
        assert at_once is not None, "it need not wait for another session"
        assert (*at_once[:2], at_once.past_json) == (*before[:2], before.past_json)
        there.learn()
        assert row(moved, there) == at_once, "but once"
        session = sit(there, clock)
        recorded(moved, there, session, [use(session, m, mentioned=1) for m in memories])
        clock.forward(hours=9)
        there.learn()
        anew = row(moved, there)
    assert anew is not None and (anew.sessions, anew.trained) == (5, 5)


def test_what_is_learnt_once_is_not_learnt_twice_by_two_at_once(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    from everthread.services.scorer.judge import judge
    from everthread.services.scorer.train import _keep_verdict  # pyright: ignore[reportPrivateUsage]

    memories = remembered(ada, *TEXTS)
    session = sit(ada, clock)
    recorded(et, ada, session, [use(session, m, mentioned=1) for m in memories])
    clock.forward(hours=9)
    judged = judge(et.house, ada.scope, score_of(et, ada, session), lambda: None)
    done = [
        et.house.store.write(lambda r: _keep_verdict(et.house, r, ada.scope, judged)) for _ in "ab"
    ]
    assert done == [True, False]
    stored = row(et, ada)
    assert stored is not None and stored.sessions == 1


# ---- through the door


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


def test_the_report_tells_mode_cap_gain_weights_and_lift(cli: Cli, clock: FrozenClock) -> None:
    assert cli("remember", HOME, "--agent", "ada").code == 0
    told = cli("scorer", "report", "--agent", "ada", "--json").json
    assert (told["mode"], told["influence"], told["cap"]) == ("cold", 0.0, 0.2)
    assert told["sessions"] == {"judged": 0, "unsure": 0, "learnt": 0}
    store = str(cli.home / "data" / "everthread.db")
    with connected(store, clock) as et:
        taught(et, et.agent("ada"), favouring("pinned"))
    answer = cli("scorer", "report", "--agent", "ada")
    assert answer.code == 0
    assert "live: it orders memories better" in answer.out
    assert "0.500 without, 0.900 with it" in answer.out and "pinned" in answer.out
    told = cli("scorer", "report", "--agent", "ada", "--json").json
    assert told["ranking"]["success_rate"] == 1.0 and told["weights"] == {"pinned": 0.5}
    assert cli("scorer", "learn", "--agent", "ada", "--json").json["judged"] == 0
    assert "live: it orders memories better" in cli("doctor", "--agent", "ada").out


def test_the_doctor_says_where_it_switched_itself_off(cli: Cli, clock: FrozenClock) -> None:
    assert cli("remember", HOME, "--agent", "ada").code == 0
    store = str(cli.home / "data" / "everthread.db")
    with connected(store, clock) as et:
        bad = [Outcome(0.9, 0.5)] * 10 + [Outcome(0.5, 0.9)] * 8
        taught(et, et.agent("ada"), favouring("pinned", history=[Outcome(0.9, 0.5)] * 2 + bad))
    assert "switched itself off" in cli("doctor", "--agent", "ada").out
    assert "switched itself off" in cli("scorer", "report", "--agent", "ada").out


def test_explain_shows_what_was_learned(cli: Cli, clock: FrozenClock) -> None:
    for text, kind in ((HOME, "fact"), (SPEED, "fact"), (AUTHOR, "decision")):
        assert cli("remember", text, "--agent", "ada", "--kind", kind).code == 0
    store = str(cli.home / "data" / "everthread.db")
    with connected(store, clock) as et:
        taught(et, et.agent("ada"), favouring("kind: decision"))
    answer = cli("recall", QUESTION, "--agent", "ada", "--explain")
    assert answer.code == 0 and "learned" in answer.out
