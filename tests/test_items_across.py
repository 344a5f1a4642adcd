"""What one session left open ends when a later one tells it as done; and by nothing less than that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import everthread
from everthread import Agent
from everthread.domain.gleaning.open_items.later_talk import is_settled
from everthread.domain.gleaning.utterances import take_apart
from everthread.testing import FrozenClock

pytestmark = pytest.mark.req("A-13", "D-22", "R-15")

ROBES = "The robes need washing before the concert on the 12th."
WASHED = "The robes are washed, Sven did it yesterday."


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture
def ada(clock: FrozenClock) -> Iterator[Agent]:
    with everthread.connect("memory://", clock=clock, background=False) as et:
        yield et.agent("ada")


def session(ada: Agent, clock: FrozenClock, *said: str, **fields: str) -> None:
    """A session of its own, a day after the one before, seen to at its end."""
    clock.forward(hours=24)
    for text in ("Good morning.", *said):
        clock.forward(minutes=1)
        spoken = {"role": "user", "content": text, **fields}
        ada.record([spoken, {"role": "assistant", "content": "I see."}])
    assert ada.conclude_session(ada.end_session())


def open_items(ada: Agent) -> list[str]:
    return [m.text for m in ada.memories(kind="open_item") if m.valid_to is None]


def test_a_later_session_that_tells_it_done_ends_it(ada: Agent, clock: FrozenClock) -> None:
    session(ada, clock, ROBES)
    assert open_items(ada) == [ROBES]
    session(ada, clock, WASHED)
    assert open_items(ada) == []


def test_a_later_session_about_something_else_leaves_it(ada: Agent, clock: FrozenClock) -> None:
    session(ada, clock, ROBES)
    session(ada, clock, "The robes are blue.", "The floor is washed.")
    assert open_items(ada) == [ROBES]


def test_an_earlier_session_that_is_seen_to_late_ends_nothing(
    ada: Agent, clock: FrozenClock
) -> None:
    clock.forward(hours=24)
    ada.record([{"role": "user", "content": text} for text in ("Good morning.", WASHED)])
    early = ada.end_session()
    session(ada, clock, ROBES)
    assert ada.conclude_session(early)
    assert open_items(ada) == [ROBES]


def test_one_persons_word_does_not_end_what_another_left(ada: Agent, clock: FrozenClock) -> None:
    session(ada, clock, ROBES, principal="kim")
    session(ada, clock, WASHED, principal="lou")
    assert open_items(ada) == [ROBES]
    session(ada, clock, WASHED, principal="kim")
    assert open_items(ada) == []


def test_another_projects_session_ends_nothing(
    ada: Agent, clock: FrozenClock, tmp_path: Path
) -> None:
    session(ada, clock, ROBES)
    clock.forward(hours=24)
    ada.record(
        [{"role": "user", "content": text} for text in ("Good morning.", WASHED)],
        project=str(tmp_path),
    )
    assert ada.conclude_session(ada.end_session())
    assert open_items(ada) == [ROBES]


def test_what_somebody_asked_to_have_remembered_is_ended_by_nobody(
    ada: Agent, clock: FrozenClock
) -> None:
    ada.remember(ROBES, kind="open_item")
    session(ada, clock, WASHED)
    assert open_items(ada) == [ROBES]


@pytest.mark.parametrize(
    ("item", "later"),
    [
        ("I need to rotate the deploy key.", "Deploy key is rotated."),
        ("I still have to call grandma about Christmas.", "I called grandma."),
        ("I'm still waiting for the key to the lab.", "The key for the lab arrived today."),
        ("Could you make a list of the members?", "Thanks for the list, perfect."),
        ("Can you design a poster for the concert?", "I don't need the poster any more."),
        (
            "Can you design a poster for the concert?",
            "I designed the poster for the concert myself.",
        ),
    ],
)
def test_a_person_tells_it(item: str, later: str) -> None:
    assert is_settled(item, take_apart(later), agent=False)


@pytest.mark.parametrize(
    ("item", "later"),
    [
        ("I still need to write to the landlord about the wall.", "Our landlord has two dogs."),
        ("Could you make a list of the members?", "How long is the list of the members?"),
        ("Can you design a poster for the concert?", "The concert was great."),
        ("Can you design a poster for the concert?", "Never mind."),
        ("I'm still waiting for the key to the lab.", "The lab has no key."),
    ],
)
def test_what_is_told_of_something_else_settles_nothing(item: str, later: str) -> None:
    assert not is_settled(item, take_apart(later), agent=False)


def test_an_agent_reports_it() -> None:
    item = "Please write the release notes for 2.4."
    assert is_settled(item, take_apart("I have written the release notes for 2.4."), agent=True)
    assert not is_settled(item, take_apart("Release 2.4 has notes."), agent=True)
