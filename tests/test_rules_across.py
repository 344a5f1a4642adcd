"""A rule of one session that a later one lifts holds no longer; what only speaks of it leaves it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import everthread
from everthread import Agent, Settings
from everthread.testing import FrozenClock

pytestmark = pytest.mark.req("B-51")


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture
def ada(clock: FrozenClock) -> Iterator[Agent]:
    settings = Settings(embedder="off")
    with everthread.connect("memory://", clock=clock, background=False, settings=settings) as et:
        yield et.agent("ada")


def hold(ada: Agent, clock: FrozenClock, *said: tuple[str, str]) -> None:
    """A session of its own, that ends."""
    for text, reply in said:
        clock.forward(minutes=2)
        with ada.turn(text) as turn:
            turn.done(reply)
    assert ada.conclude_session(ada.end_session())
    clock.forward(hours=20)


def rules(ada: Agent) -> list[str]:
    return [m.text for m in ada.memories(kind="rule") if m.valid_to is None]


FEES = "Never mention fees in an email."
DATES = "Don't add a date library."


@pytest.mark.parametrize(
    ("rule", "lift"),
    [
        (FEES, "Fees may be mentioned in emails after all, the boss decided that."),
        (DATES, "A date library is allowed after all, take date-fns for the calendar view."),
        ("Never use emojis.", "You can use emojis again."),
        ("Always ask me before you push.", "You no longer need to ask me before you push."),
    ],
)
def test_a_rule_that_a_later_session_lifts_is_over(
    ada: Agent, clock: FrozenClock, rule: str, lift: str
) -> None:
    hold(ada, clock, ("Good morning.", "Good morning."), (rule, "Understood."))
    assert rules(ada) == [rule]
    hold(ada, clock, ("How is the weather?", "Sunny."), (lift, "Noted."))
    assert rule not in rules(ada)


@pytest.mark.parametrize(
    "said",
    [
        "Which fees may be mentioned in emails?",
        "My sister's boss says that fees may be mentioned in their emails.",
        "Just this once you may mention the fees in the email to Tom.",
        "The fees went up again, mention it to nobody.",
        "If fees may be mentioned in emails one day, tell me.",
        "Fees are never to be mentioned in an email, remember?",
        "The new fees are 40 euros; write an email to Tom about the hall.",
    ],
)
def test_what_only_speaks_of_it_leaves_it(ada: Agent, clock: FrozenClock, said: str) -> None:
    hold(ada, clock, ("Good morning.", "Good morning."), (FEES, "Understood."))
    hold(ada, clock, ("How is the weather?", "Sunny."), (said, "Noted."))
    assert FEES in rules(ada)


def test_the_agents_word_lifts_nothing(ada: Agent, clock: FrozenClock) -> None:
    hold(ada, clock, ("Good morning.", "Good morning."), (FEES, "Understood."))
    lift = "Fees may be mentioned in emails after all."
    hold(ada, clock, ("How is the weather?", f"Sunny. {lift}"), ("Thanks!", lift))
    assert rules(ada) == [FEES]


def test_one_rule_of_several_goes(ada: Agent, clock: FrozenClock) -> None:
    hold(ada, clock, (FEES, "Understood."), (DATES, "Understood."), ("Bye.", "Bye."))
    hold(ada, clock, ("A date library is allowed after all.", "Good."), ("Bye.", "Bye."))
    assert rules(ada) == [FEES]
