"""What is said only in passing does not come before what answers the question."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

import everthread
from everthread import Agent, Settings
from everthread.domain.recall.final_scores import NO_FIGURE, PASSING
from everthread.domain.recall.small_talk import asks_for_plans, tells_nothing
from everthread.testing import FrozenClock

BEGIN = datetime(2026, 2, 1, 9, tzinfo=UTC)

IN_PASSING = [
    "See you tomorrow. We'll start with the webhook retries.",
    "Cool, that's it for today. Tomorrow I want to look at the webhook retries.",
    "Got it: deposit, caterers, jazz trio, invitations, slideshow.",
    "Noted: budget, venue, music, flowers.",
    "Yes please. So: deposit, caterers, and a photo slideshow.",
    "Good thinking. I'll call them tomorrow.",
    "Talk to you later! I'll look into the invoices next.",
    "Okay, let's continue with the database migration.",
    "Thanks! See you on Monday.",
    "Next up: the login page.",
    "Alright, let me check the logs.",
    "We'll get to the pricing later.",
    "Hi Tom!",
]
TELLING = [
    "Noted: the final number to Fork & Field by 29 August.",
    "Got it: Tom pays, Anna cooks, Bea drives.",
    "Got it: two adults, one child, no dog.",
    "I'll take the red one.",
    "Let's use Postgres.",
    "We'll meet at the station.",
    "We have to ask Tom before each release.",
    "Let's do it on Monday.",
    "Okay, the port is 8123.",
    "Good, Bea bakes the cake.",
    "Yes, vegan.",
    "No nuts.",
    "Yes please, to Mrs Pemberton, she runs the bookings.",
    "Let's do that, header X-Event-Id.",
    "I'll start at 9:15.",
    "Which retries?",
    "",
]


@pytest.mark.parametrize("text", IN_PASSING)
def test_greetings_announcements_and_lists_of_topics_tell_nothing(text: str) -> None:
    assert tells_nothing(text)


@pytest.mark.parametrize("text", TELLING)
def test_what_answers_or_decides_tells_something(text: str) -> None:
    assert not tells_nothing(text)


@pytest.mark.parametrize(
    ("question", "plans"),
    [
        ("How many webhook retries do we allow?", False),
        ("Who is the caterer?", False),
        ("What will we look at next?", True),
        ("When do we start with the webhook retries?", True),
        ("What is still open?", True),
    ],
)
def test_who_asks_what_is_planned_is_known(question: str, plans: bool) -> None:
    assert asks_for_plans(question) is plans


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect(
        "memory://", clock=FrozenClock(), background=False, settings=Settings(embedder="off")
    ) as et:
        agent = et.agent("ada")
        said = (
            "See you tomorrow. We'll start with the webhook retries.",
            "The sender gives up on an event after five retries, and the webhook is then marked as failed.",
        )
        agent.record(
            [
                {"role": "user", "content": text, "at": (BEGIN + timedelta(days=n)).isoformat()}
                for n, text in enumerate(said)
            ]
        )
        yield agent


def test_an_announcement_comes_after_what_answers(ada: Agent) -> None:
    first, second = ada.recall("How many webhook retries do we allow?", limit=2)
    assert "five retries" in first.text
    whole = second.score - second.parts.get("faint", 0.0)
    before = whole / PASSING / NO_FIGURE
    assert second.parts["in passing"] == pytest.approx(before * (PASSING - 1))
    assert "in passing" in second.why


def test_who_asks_for_the_plan_gets_the_announcement(ada: Agent) -> None:
    (first, _) = ada.recall("What will we start with, the webhook retries?", limit=2)
    assert "tomorrow" in first.text and "in passing" not in first.parts
