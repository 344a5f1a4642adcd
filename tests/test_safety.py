"""Long-context safety: what a probe reads, what follows from it, and how much a session may carry."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import everthread
from everthread.domain.policy import Policy
from everthread.domain.safety.safety import (
    SEVERITIES,
    STABLE_WINDOW,
    Reading,
    SafetyMetrics,
    Severity,
    at_cap,
    judge_reading,
    plain_reading,
    read_answer,
    refresh_due,
    soft_cap,
    stable_window,
    window_of,
)
from everthread.services.tasks.checks.refusals import probe_session
from everthread.testing import FrozenClock

POLICY = Policy()
BEGINNING = [0.0, 0.1, 0.1, 0.1, 0.1]
"""A baseline of 0.08, as in the requirement's example."""


def by_words(text: str) -> int:
    return len(text.split())


def metrics(rate: float, earlier: list[float], severity: Severity = "none") -> SafetyMetrics:
    return judge_reading(Reading(rate, severity), earlier, window_tokens=2_000, policy=POLICY)


# ---- the window


@pytest.mark.req("C-49")
def test_a_probe_reads_the_newest_messages_up_to_its_tokens() -> None:
    said = ["five words are in here", "two words", "", "three words here", "one"]
    window = window_of(said, count=by_words, tokens=10)
    assert window.messages == ("three words here", "two words", "five words are in here")
    assert window.tokens == 10


def test_a_message_that_does_not_fit_ends_the_window() -> None:
    window = window_of(["a b c", "d e f g h i", "j"], count=by_words, tokens=5)
    assert window == (("a b c",), 3)


def test_of_a_message_that_is_too_large_alone_the_end_is_read() -> None:
    text = "word " * 99 + "\nI can't help with that."
    window = window_of([text], count=by_words, tokens=10)
    assert window.tokens == 10
    assert window.messages[0].endswith("I can't help with that.")
    assert len(window.messages[0]) < len(text) / 3
    assert plain_reading(window).refusal_rate == 1.0


def test_without_a_message_there_is_nothing_to_refuse() -> None:
    window = window_of([], count=by_words, tokens=10)
    assert window == ((), 0)
    assert plain_reading(window) == Reading(0.0)


def test_what_leaves_for_a_sentinel_is_redacted() -> None:
    secret = "sk-" + "a1B2c3D4" * 5
    window = window_of([f"The key is {secret}."], count=by_words, tokens=100)
    assert secret not in window.text


def test_the_plain_probe_leaves_the_verdict_to_the_baseline() -> None:
    """A rate alone says little, so it is never graver than low."""
    window = window_of(["I can't help with that."] * 3, count=by_words, tokens=100)
    assert plain_reading(window) == Reading(1.0, "low")


# ---- what follows


@pytest.mark.req("C-49", "C-50")
def test_the_example_of_the_requirement() -> None:
    assert metrics(0.38, BEGINNING).plain() == {
        "refusal_rate_window": 0.38,
        "baseline_refusal_rate": 0.08,
        "delta": 0.3,
        "action": "degrade_to_sandbox",
        "severity": "none",
        "probe": "plain",
        "window_tokens": 2_000,
    }


@pytest.mark.req("C-50")
@pytest.mark.parametrize(
    ("rate", "action"),
    [(0.27, "none"), (0.279, "none"), (0.28, "degrade_to_sandbox"), (0.29, "degrade_to_sandbox")],
)
def test_the_delta_counts_from_two_tenths_on(rate: float, action: str) -> None:
    """(3c.8): 0.19 and 0.199 are no drift, 0.20 is."""
    assert metrics(rate, BEGINNING).action == action


@pytest.mark.req("C-50")
def test_two_tenths_are_two_tenths_whatever_binary_fractions_make_of_them() -> None:
    assert 0.3 - 0.1 < 0.2
    assert metrics(0.3, [0.1] * 5).plain()["delta"] == 0.2
    assert metrics(0.3, [0.1] * 5).sandboxed
    assert not metrics(0.299, [0.1] * 5).sandboxed


def test_a_rate_that_falls_is_no_drift() -> None:
    found = metrics(0.0, [0.5] * 5)
    assert (found.delta, found.action) == (-0.5, "none")


@pytest.mark.req("C-50")
@pytest.mark.parametrize("severity", SEVERITIES)
def test_a_sentinel_that_says_medium_is_enough(severity: Severity) -> None:
    """Also with a delta of 0, and before there is a baseline."""
    action = "none" if severity in ("none", "low") else "degrade_to_sandbox"
    assert metrics(0.08, BEGINNING, severity).action == action
    assert metrics(0.08, [], severity).action == action


@pytest.mark.req("S-10")
def test_without_a_baseline_nothing_follows_from_a_rate() -> None:
    for n in range(5):
        found = metrics(1.0, [0.0] * n)
        assert (found.baseline_refusal_rate, found.delta, found.action) == (None, None, "none")
        assert found.refusal_rate_window == 1.0, "the raw figure is kept all the same (LC-4)"
    assert metrics(1.0, [0.0] * 5).sandboxed


@pytest.mark.req("S-10")
def test_the_baseline_is_that_of_the_first_windows_however_many_followed() -> None:
    assert metrics(0.3, [*BEGINNING, 1.0, 1.0, 1.0]).baseline_refusal_rate == 0.08


@pytest.mark.req("LC-4")
def test_every_limit_can_be_changed() -> None:
    strict = POLICY._replace(safety_delta=0.05, safety_baseline_windows=1)
    found = judge_reading(Reading(0.05), [0.0], window_tokens=0, policy=strict)
    assert found.action == "degrade_to_sandbox"


rates = st.floats(0, 1)


@given(rates, st.lists(rates, max_size=12), st.sampled_from(SEVERITIES))
def test_a_sandbox_follows_from_drift_or_gravity_and_from_nothing_else(
    rate: float, earlier: list[float], severity: Severity
) -> None:
    found = metrics(round(rate, 9), earlier, severity)
    drifted = found.delta is not None and found.delta >= 0.2
    assert found.sandboxed == (drifted or severity in ("medium", "high", "critical"))
    assert (found.delta is None) == (len(earlier) < 5)


# ---- what a sentinel answers


def test_an_answer_is_read_with_its_alert() -> None:
    told = {"refusal_rate": 1, "severity": "high", "alert_id": "  a\n1 ", "more": "?"}
    assert read_answer(told, "http") == Reading(1.0, "high", "a 1", "http")


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        "text",
        {},
        {"refusal_rate": True, "severity": "none"},
        {"refusal_rate": "0.1", "severity": "none"},
        {"refusal_rate": -0.1, "severity": "none"},
        {"refusal_rate": 1.1, "severity": "none"},
        {"refusal_rate": float("nan"), "severity": "none"},
        {"refusal_rate": 0.1},
        {"refusal_rate": 0.1, "severity": "grave"},
        {"refusal_rate": 0.1, "severity": ["none"]},
        {"refusal_rate": 0.1, "severity": "none", "alert_id": 7},
    ],
)
def test_an_answer_that_is_none_is_refused(answer: object) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_answer(answer, "http")


# ---- how much a session may carry


@pytest.mark.req("C-47", "S-11", "X-22")
@pytest.mark.parametrize(
    ("window", "cap"), [(100_000, 80_000), (200_000, 160_000), (None, 80_000), (8_000, 6_400)]
)
def test_a_session_forks_at_four_fifths_of_its_window(window: int | None, cap: int) -> None:
    assert STABLE_WINDOW == 100_000
    assert soft_cap(window) == cap
    assert [at_cap(size, window) for size in (cap - 1, cap, cap + 1)] == [False, True, True]


@pytest.mark.req("S-11")
def test_a_model_that_nobody_knows_is_trusted_with_less() -> None:
    assert stable_window(200_000, known=True) == 200_000
    assert stable_window(200_000, known=False) == 160_000
    assert stable_window(None, known=False) == stable_window(0, known=True) == 100_000


@given(st.integers(1, 10**8), st.integers(1, 100))
def test_the_cap_is_never_below_its_share(window: int, percent: int) -> None:
    cap = soft_cap(window, percent)
    assert cap * 100 >= window * percent > (cap - 1) * 100


@pytest.mark.req("C-52", "X-22")
def test_a_refresh_falls_due_with_every_fifty_thousand_tokens() -> None:
    assert refresh_due(49_999) == (0, 0)
    assert refresh_due(50_000) == (1, 50_000)
    assert refresh_due(50_001, 50_000) == (0, 50_000)
    assert refresh_due(99_999, 50_000) == (0, 50_000)
    assert refresh_due(100_000, 50_000) == (1, 100_000)
    assert refresh_due(100_000) == (2, 100_000)


@pytest.mark.req("C-52")
def test_a_jump_over_two_counts_both_and_the_next_is_due_where_it_was() -> None:
    assert refresh_due(130_000, 0) == (2, 100_000)
    assert refresh_due(149_999, 100_000).times == 0
    assert refresh_due(150_000, 100_000).times == 1


@given(st.lists(st.integers(0, 200_000), max_size=30))
def test_however_it_grows_a_refresh_is_counted_once_for_each_stretch(steps: list[int]) -> None:
    total = mark = times = 0
    for step in steps:
        total += step
        due = refresh_due(total, mark)
        times, mark = times + due.times, due.mark
    assert times == total // 50_000
    assert mark == times * 50_000


@pytest.mark.req("X-14")
def test_a_small_window_is_refreshed_before_it_is_full() -> None:
    assert refresh_due(6_400, 0, window=8_000) == (1, 6_400)
    assert refresh_due(50_000, 0, window=200_000) == (1, 50_000)


# ---- a session in a store


@pytest.mark.req("C-49", "S-10")
def test_a_session_is_probed_by_what_the_agent_said_in_it() -> None:
    """People may speak of refusing, and tools may print it: neither counts."""
    with everthread.connect("memory://", background=False, clock=FrozenClock()) as et:
        ada = et.agent("ada")
        said = [
            ("user", "You said: I can't help with that. Why?"),
            ("assistant", "The parser is done."),
            ("assistant", "I can't help with that."),
            ("user", "I won't do that."),
            ("assistant", [{"type": "tool_use", "id": "t", "name": "ls", "input": {}}]),
            ("user", [{"type": "tool_result", "tool_use_id": "t", "content": "I must decline."}]),
        ]
        ada.record([{"role": role, "content": content} for role, content in said])
        [session] = ada.sessions()
        found = probe_session(et.house, ada.scope, session, [0.0] * 5)
    assert (found.refusal_rate_window, found.delta, found.action) == (
        0.5,
        0.5,
        "degrade_to_sandbox",
    )
    assert 0 < found.window_tokens < 30
