"""When something is, and whose it is, is kept as it is told, though nothing else in it is specific."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import everthread
from everthread import Agent, Settings
from everthread.domain.text.attributes import states_attribute
from everthread.testing import FrozenClock

pytestmark = pytest.mark.req("A-13", "D-6")


@pytest.mark.parametrize(
    "text",
    [
        "Standup is at 9:30.",
        "Releases go out on Thursdays.",
        "Code review is on Mondays.",
        "Our bins go out on Wednesdays, the green one every other week.",
        "Recycling comes out on the 19th.",
        "btw backups run at 3 am",
        "Submission is on 30 September.",
        "Tom owns the payments module.",
        "Ines Vogt is in charge of the warehouse.",
        "Vera took over payments from Tom.",
    ],
)
def test_who_tells_when_or_whose_is_heard(text: str) -> None:
    assert states_attribute(text)


@pytest.mark.parametrize(
    "text",
    [
        "Is standup at 9:30?",
        "It starts at 9:30.",
        "Dinner is at 8:30 tonight.",
        "See you on Thursday.",
        "I am at home on Fridays.",
        "Whose turn it is on Sunday remains a mystery.",
        "Chapter 2 is at 1,900 words.",
        "Coffee is on me.",
        "Somebody owns the payments module, I suppose.",
        "Whoever leads the team decides.",
        "Tom took over and it went well.",
        "That was fun. Lunch is at 12:30.",
    ],
)
def test_small_talk_is_none_of_that(text: str) -> None:
    assert not states_attribute(text)


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[Agent]:
    settings = Settings(embedder="off", workspace=str(tmp_path / "files"))
    clock = FrozenClock("2026-11-02T09:00:00Z")
    with everthread.connect("memory://", settings=settings, clock=clock, background=False) as et:
        yield et.agent("ada")


def session_of(ada: Agent, text: str) -> list[str]:
    """What is known after a session in which that was said, between a greeting and a goodbye."""
    for said, reply in (("Good morning.", "Hello."), (text, "Noted."), ("Thanks, bye.", "Bye.")):
        with ada.turn(said) as turn:
            turn.done(reply)
    ada.conclude_session(ada.end_session(), seconds=30)
    return [memory.text for memory in ada.memories()]


@pytest.mark.parametrize(
    "text",
    ["Standup is at 9:30.", "Releases go out on Thursdays.", "Tom owns the payments module."],
)
def test_it_is_a_memory_when_the_session_is_over(ada: Agent, text: str) -> None:
    assert session_of(ada, text) == [text]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Standup is at 9:30.", "Standup is at 10:15 now."),
        ("Releases go out on Thursdays.", "Releases are on Tuesdays now."),
    ],
)
def test_the_later_time_stands_for_the_earlier(ada: Agent, first: str, then: str) -> None:
    session_of(ada, first)
    assert session_of(ada, then) == [then]
