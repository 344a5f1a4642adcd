"""Learning what helps, by its rules: labels, cold start, caps, what it may move, how sure it is.

Requirements: B-65 … B-68, R-28; companions 2a.4.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from everthread.domain.memory.memories import new_memory
from everthread.domain.scorer.labels import Course, MemoryUse, Verdict, label, verdict
from everthread.domain.scorer.lift import Share, mean_difference, newcombe, wilson
from everthread.domain.scorer.scorer import (
    MOST_HISTORY,
    MOST_PAST,
    SIZE,
    UNLEARNT,
    Outcome,
    RatedMemory,
    Scorer,
    blend,
    gain,
    influence_cap,
    is_cold,
    learn,
    ndcg,
    order_of,
    predict,
    standing,
    success_rate,
    why_harmful,
)
from everthread.domain.scorer.scorer_row import ScorerRow, is_readable, read_scorer, row_of
from everthread.domain.scorer.traits import NAMES, NO_PAST, Past, key_of, past_of, traits
from everthread.domain.times import DAY

NOON = 1_770_000_000_000
GOOD, POOR = Verdict(0.8, 0.9), Verdict(0.2, 0.9)
BETTER, WORSE, EVEN = Outcome(0.5, 0.6), Outcome(0.6, 0.5), Outcome(0.5, 0.5)


# ---- the verdict on a session


def test_a_sessions_score_is_the_share_of_tests_that_memory_passed() -> None:
    assert verdict(Course()) == Verdict(0.5, 0.0)
    assert verdict(Course(used=3)) == Verdict(4 / 5, 3 / 5)
    assert verdict(Course(novel=2)).score == pytest.approx(1 / 4)
    assert verdict(Course(used=1, novel=1)).score == pytest.approx(2 / 4)
    assert verdict(Course(used=1, corrected=1)) == verdict(Course(used=1, novel=1))
    assert verdict(Course(idle=4)) == pytest.approx(verdict(Course(novel=1)))


def test_only_a_session_of_confidence_0_6_or_more_is_sure() -> None:
    """(companions 2a.4) below 0.6 is excluded."""
    assert not Verdict(0.5, 0.5999).sure
    assert Verdict(0.5, 0.6).sure and Verdict(0.5, 0.6001).sure
    assert not verdict(Course(used=2, idle=3)).sure
    assert verdict(Course(used=2, idle=4)).sure and verdict(Course(used=3)).sure


# ---- labels


@pytest.mark.req("B-66", "B-67")
@pytest.mark.parametrize(
    ("seen", "session", "novel", "worth"),
    [
        (MemoryUse(given=True), GOOD, 0, 0.8),
        (MemoryUse(given=True, hits=1), GOOD, 0, 0.9),
        (MemoryUse(given=True, hits=9), GOOD, 0, 0.9),
        (MemoryUse(given=True, hits=1), Verdict(0.95, 1.0), 0, 1.0),
        (MemoryUse(given=True, hits=1), POOR, 0, 0.2 * 0.5 + 0.1),
        (MemoryUse(given=True), POOR, 0, 0.0),
        (MemoryUse(given=True), Verdict(0.28, 0.9), 0, 0.04),
        (MemoryUse(given=True), Verdict(0.3, 0.9), 0, 0.3),
        (MemoryUse(given=True), Verdict(0.2999, 0.9), 0, 0.2999 * 0.5 - 0.1),
        (MemoryUse(given=False), GOOD, 0, None),
        (MemoryUse(given=False, hits=1), GOOD, 0, None),
        (MemoryUse(given=False, hits=2), GOOD, 0, 0.6),
        (MemoryUse(given=False), GOOD, 1, 0.7 + 0.1),
        (MemoryUse(given=False, hits=2), GOOD, 1, 0.8),
        (MemoryUse(given=True), GOOD, 1, 0.8),
        (MemoryUse(given=True, superseded=True), GOOD, 0, 0.5),
        (MemoryUse(given=True, superseded=True), POOR, 0, 0.0),
        (MemoryUse(given=False, superseded=True), GOOD, 1, 0.5),
        (MemoryUse(given=False, superseded=True), GOOD, 0, None),
    ],
)
def test_a_memory_is_labelled_as_the_requirements_say(
    seen: MemoryUse, session: Verdict, novel: int, worth: float | None
) -> None:
    """(companions 2a.4)"""
    found = label(seen, session, novel=novel)
    assert found == (None if worth is None else pytest.approx(worth))


# ---- how well something is ordered


def test_ndcg_is_one_for_the_best_order_and_looks_at_ten() -> None:
    assert ndcg([0.9, 0.5, 0.1]) == 1.0
    assert ndcg([0.0, 1.0]) == pytest.approx(1 / math.log2(3))
    assert ndcg([0.0, 0.0]) == 1.0 and ndcg([]) == 1.0
    ten = [0.0] * 9
    assert ndcg([*ten, 1.0]) == pytest.approx(1 / math.log2(11))
    assert ndcg([*ten, 0.0, 1.0]) == 0.0


# ---- the cold start and the caps


@pytest.mark.parametrize(
    ("trained", "sessions", "good", "bad", "still_cold"),
    [
        (0, 10, 10, 0, True),
        (1, 10, 10, 0, False),
        (1, 9, 9, 0, True),
        (1, 11, 10, 0, False),
        (1, 10, 4, 6, True),
        (1, 10, 5, 5, False),
        (1, 10, 3, 7, True),
        (1, 10, 0, 0, True),
    ],
)
def test_the_cold_start_ends_when_three_things_are_true(
    trained: int, sessions: int, good: int, bad: int, still_cold: bool
) -> None:
    """(companions 2a.4) trained once, at least 10 sessions, success above 0.4 over the last 10."""
    outcomes = [BETTER] * good + [WORSE] * bad
    assert is_cold(trained, sessions, outcomes) is still_cold


def test_only_the_last_ten_sessions_end_the_cold_start() -> None:
    assert is_cold(1, 30, [BETTER] * 20 + [WORSE] * 10)
    assert not is_cold(1, 30, [WORSE] * 20 + [BETTER] * 10)


@pytest.mark.parametrize(
    ("sessions", "cap"), [(1, 0.2), (10, 0.2), (11, 0.4), (20, 0.4), (21, 0.6), (500, 0.6)]
)
def test_its_influence_is_capped_by_how_many_sessions_it_has_seen(
    sessions: int, cap: float
) -> None:
    """(companions 2a.4)"""
    assert influence_cap(sessions, 0.6) == cap
    assert influence_cap(sessions, 0.3) == min(cap, 0.3)
    assert influence_cap(sessions, 0.0) == 0.0


def scorer(history: list[Outcome], *, sessions: int = 30, **more: Any) -> Scorer:
    return UNLEARNT._replace(trained=1, sessions=sessions, history=tuple(history), **more)


def test_it_is_live_only_where_it_helps_and_says_why_not() -> None:
    good = scorer([BETTER] * 20)
    assert standing(good, wanted="auto", most=0.6)[:2] == ("live", 0.6)
    assert standing(good, wanted="auto", most=0.1)[:2] == ("live", 0.1)
    assert standing(good, wanted="shadow", most=0.6)[:2] == ("shadow", 0.0)
    assert standing(good, wanted="off", most=0.6)[:2] == ("off", 0.0)
    young = standing(good._replace(sessions=9), wanted="auto", most=0.6)
    assert young[:2] == ("cold", 0.0) and "9 of 10" in young.why
    assert standing(UNLEARNT, wanted="shadow", most=0.6).mode == "cold"


def test_it_switches_itself_off_at_a_success_of_0_4_over_the_last_twenty() -> None:
    # The newest ten are good, so that the cold start does not begin again.
    at, above = [WORSE] * 12 + [BETTER] * 8, [WORSE] * 11 + [BETTER] * 9
    assert success_rate(at) == 0.4
    assert "40% of 20" in why_harmful(scorer(at))
    assert standing(scorer(at), wanted="auto", most=0.6).mode == "shadow"
    assert "40% of 20" not in why_harmful(scorer(above))
    older = [WORSE] * 20 + [BETTER] * 20
    assert why_harmful(scorer(older)) == ""


def test_it_switches_itself_off_where_the_hold_out_says_that_giving_does_harm() -> None:
    assert why_harmful(scorer([BETTER] * 20, lift_high=0.0)) == ""
    assert "hold-out" in why_harmful(scorer([BETTER] * 20, lift_high=-0.001))
    assert why_harmful(scorer([BETTER] * 20, lift_high=None)) == ""


def test_a_gain_that_may_be_chance_is_not_used() -> None:
    assert "chance" in why_harmful(scorer([EVEN] * 20))
    mixed = [BETTER, WORSE] * 10
    assert gain(mixed)[0] == pytest.approx(0)
    assert "chance" in why_harmful(scorer(mixed))
    assert why_harmful(scorer([BETTER] * 16 + [WORSE] * 4)) == ""


# ---- what it says


def some(kind: str = "fact", n: int = 1, **more: Any) -> Any:
    made = new_memory(bytes([n]) * 16, f"memory {n}", kind=kind, origin="user", now=NOON)
    return made._replace(**more)


def numbers(memory: Any, *, plain: float = 0.5, past: Past = NO_PAST) -> tuple[float, ...]:
    return traits(memory, plain=plain, past=past, project="/p", now=NOON)


def test_a_memorys_traits_are_numbers_from_0_to_1_with_names() -> None:
    old = some(created_ms=NOON - 4_000 * DAY, pinned=1, project="/p")
    for memory in (some(), old, some("rule"), some(project="/q", created_ms=NOON + DAY)):
        found = numbers(memory, plain=1.2, past=Past(40, 2, 90))
        assert len(found) == len(NAMES) == SIZE
        assert all(0 <= value <= 1 for value in found)
    told = dict(zip(NAMES, numbers(old), strict=True))
    assert (told["pinned"], told["importance"], told["age"], told["of this project"]) == (1,) * 4
    assert dict(zip(NAMES, numbers(some()), strict=True))["used when given before"] == 0.5


def test_final_is_a_share_of_plain_and_a_share_of_predicted() -> None:
    assert blend([1.0, 0.0], [0.0, 1.0], 0.0) == [1.0, 0.0]
    assert blend([1.0, 0.0], [0.0, 1.0], 0.2) == pytest.approx([0.8, 0.2])
    assert order_of([0.5, 0.5, 0.9], [0.1, 0.2, 0.0]) == [2, 1, 0]


def test_what_is_predicted_is_relative_to_what_stands_beside_it() -> None:
    weights = (1.0, *[0.0] * (SIZE - 1))
    rows = [numbers(some(), plain=p) for p in (0.2, 0.4, 0.6)]
    assert predict(weights, rows) == pytest.approx([0.3, 0.5, 0.7])
    assert predict(weights, rows[:1]) == pytest.approx([0.5])
    assert predict(weights, []) == []
    assert predict((9.0, *weights[1:]), rows) == pytest.approx([0.0, 0.5, 1.0])


# ---- how it learns


def session_of(*rows: tuple[str, float], past: Past = NO_PAST) -> list[RatedMemory]:
    """Memories by kind and worth, all ranked alike but for the order in which they stand."""
    return [
        RatedMemory(
            bytes([n]) * 16,
            0.5 - 0.01 * n,
            numbers(some(kind, n), plain=0.5 - 0.01 * n, past=past),
            worth,
            given=True,
            used=worth > 0.5,
        )
        for n, (kind, worth) in enumerate(rows)
    ]


def test_it_learns_that_one_kind_helps_more_and_ranks_it_first() -> None:
    lived = UNLEARNT
    for _ in range(25):
        lived = learn(lived, session_of(("fact", 0.5), ("decision", 0.9)), most=0.6)
    assert (lived.trained, lived.sessions, len(lived.history)) == (25, 25, 24)
    weights = dict(zip(NAMES, lived.weights, strict=True))
    assert weights["kind: decision"] > 0.05 > -0.05 > weights["kind: fact"]
    assert lived.history[-1].learned == 1.0 > lived.history[-1].plain
    assert standing(lived, wanted="auto", most=0.6).mode == "live"


def test_a_session_is_measured_before_it_is_learnt_from() -> None:
    one = learn(UNLEARNT, session_of(("fact", 0.5), ("decision", 0.9)), most=0.6)
    assert one.history == ()  # nothing was known that could have ranked it
    turned = learn(one, session_of(("decision", 0.5), ("fact", 0.9)), most=0.6)
    assert turned.history[-1].learned <= turned.history[-1].plain


def test_what_does_not_differ_measures_nothing_and_what_is_not_labelled_teaches_nothing() -> None:
    first = learn(UNLEARNT, session_of(("fact", 0.5), ("rule", 0.9)), most=0.6)
    same = learn(first, session_of(("fact", 0.7), ("rule", 0.7)), most=0.6)
    assert (same.sessions, len(same.history)) == (2, 0)
    blank = [row._replace(label=None) for row in session_of(("fact", 0.1), ("rule", 0.2))]
    silent = learn(first, blank, most=0.6)
    assert (silent.trained, silent.sessions, silent.weights) == (1, 2, first.weights)
    assert learn(UNLEARNT, [], most=0.6).trained == 0


def test_a_good_session_says_nothing_of_the_order_within_it() -> None:
    """Only differences inside a session are learnt from."""
    lived = learn(UNLEARNT, session_of(("fact", 0.9), ("fact", 0.9)), most=0.6)
    lived = learn(lived, session_of(("rule", 0.1), ("rule", 0.1)), most=0.6)
    assert max(map(abs, lived.weights)) == pytest.approx(0.0)


def test_the_same_sessions_give_the_same_model_and_its_state_is_bounded() -> None:
    def life() -> Scorer:
        lived = UNLEARNT
        for n in range(MOST_HISTORY + 20):
            rows = session_of(("fact", 0.5), ("decision", 0.9))
            lived = learn(
                lived,
                [r._replace(ref=bytes([k, n]) * 8) for k, r in enumerate(rows)] * 10,
                most=0.6,
            )
        return lived

    one = life()
    assert one == life()
    assert len(one.history) == MOST_HISTORY
    many = [
        RatedMemory(n.to_bytes(16, "big"), 0.5, numbers(some()), None, given=True)
        for n in range(MOST_PAST + 5)
    ]
    full = learn(one, many, most=0.6)
    assert len(full.past) == MOST_PAST
    assert past_of(full.past, many[-1].ref).given == 1
    assert past_of(full.past, many[0].ref) == NO_PAST


def test_what_was_learnt_is_stored_as_numbers_and_read_as_it_was() -> None:
    lived = UNLEARNT
    for _ in range(3):
        lived = learn(lived, session_of(("fact", 0.5), ("decision", 0.9)), most=0.6)
    row = row_of(lived, now=NOON)
    found = read_scorer(row)
    assert found.weights == pytest.approx(lived.weights, abs=1e-8)
    assert (found.past, found.sessions, found.trained) == (lived.past, 3, 3)
    assert row_of(found, now=NOON) == row
    assert read_scorer(None) == UNLEARNT
    assert "memory 1" not in "".join(map(str, row))


def test_a_scorer_with_other_traits_is_learnt_anew() -> None:
    row = row_of(UNLEARNT._replace(trained=5), now=NOON)
    assert is_readable(row)
    other: ScorerRow = row._replace(learnt_json=row.learnt_json.replace('"age"', '"shoe size"'))
    assert not is_readable(other)
    assert read_scorer(other) == UNLEARNT


def test_memories_are_known_by_the_end_of_their_ids() -> None:
    assert key_of(bytes(range(16))) == "0a0b0c0d0e0f"


# ---- how sure a difference is


def test_the_interval_of_a_difference_of_shares_is_newcombes() -> None:
    """His own example: 56 of 70 against 48 of 80."""
    found = newcombe(Share(56, 70), Share(48, 80))
    assert found is not None
    assert found.value == pytest.approx(0.2)
    assert (found.low, found.high) == (
        pytest.approx(0.0524, abs=1e-4),
        pytest.approx(0.3339, abs=1e-4),
    )
    assert newcombe(Share(0, 0), Share(1, 2)) is None and newcombe(Share(1, 2), Share(0, 0)) is None
    assert wilson(Share(0, 0)) == (0.0, 1.0)
    low, high = wilson(Share(0, 10))
    assert low == 0.0 and high == pytest.approx(0.2775, abs=1e-3)


def test_the_interval_of_a_difference_of_means_is_the_same_on_every_run() -> None:
    one, other = [0.0, 1.0, 0.0, 2.0, 1.0] * 4, [3.0, 2.0, 4.0] * 5
    found = mean_difference(one, other)
    assert found is not None and found == mean_difference(one, other)
    assert found.value == pytest.approx(-2.2) and found.low < -2.2 < found.high < 0
    assert mean_difference([1.0], other) is None and mean_difference(one, []) is None


# ---- simulated users


@pytest.fixture(scope="module")
def sim() -> Any:
    """The bench's modules, which are scripts beside each other and no package."""
    bench = Path(__file__).parents[1] / "bench" / "scorer"
    sys.path.insert(0, str(bench))
    try:
        return SimpleNamespace(users=__import__("users"))
    finally:
        sys.path.remove(str(bench))


def shown_gain(sim: Any, user: Any, seeds: range) -> tuple[float, float]:
    """What the order shown gains over the plain one after 20 sessions, and how often it was live."""
    lives = [sim.users.lived(user, seed, 50)[20:] for seed in seeds]
    sessions = [session for life in lives for session in life]
    gained = sum(s.shown - s.plain for s in sessions) / len(sessions)
    return gained, sum(s.live for s in sessions) / len(sessions)


@pytest.mark.slow
def test_users_with_preferences_get_a_better_order(sim: Any) -> None:
    """Those whose preference shows in a trait. How long each life is live varies much: all together."""
    lived: list[float] = []
    for user in sim.users.USERS[:4]:
        gained, live = shown_gain(sim, user, range(1_000, 1_004))
        assert gained > 0.02, user.name
        lived.append(live)
    assert sum(lived) / len(lived) > 0.4


@pytest.mark.slow
def test_random_signals_do_no_harm_and_it_stays_off_mostly(sim: Any) -> None:
    gained, live = shown_gain(sim, sim.users.RANDOM, range(1_000, 1_008))
    assert abs(gained) < 0.01
    assert live < 0.3


def test_nothing_is_shown_by_it_before_the_cold_start_ends(sim: Any) -> None:
    life = sim.users.lived(sim.users.USERS[0], 1_000, 12)
    assert [s.live for s in life[:10]] == [False] * 10
    assert all(s.shown == s.plain for s in life[:10])
