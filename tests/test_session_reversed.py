"""A summary of a session tells no decision that was reversed in it, and none that the agent worded. (D-7)"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import everthread
from everthread import Settings
from everthread.domain.ending.session_choices import choice_in
from everthread.domain.ending.session_exchanges import Exchange, is_changed
from everthread.domain.ending.session_talk import sentences_of
from everthread.testing import FrozenClock
from support.sitting import work_off

pytestmark = pytest.mark.req("D-7")

LAMPS = [(f"Lamp {n} of the hall is at street {n}.", "It is on the list.") for n in range(3)]


def summed(*turns: tuple[str, str]) -> str:
    clock = FrozenClock("2026-02-20T10:00:00Z")
    settings = Settings(embedder="off")
    with everthread.connect("memory://", settings=settings, clock=clock, background=False) as et:
        ada = et.agent("ada")
        for said, reply in turns:
            ada.turn(said).done(reply)
            clock.forward(minutes=1)
        over = ada.end_session()
        work_off(et)
        return ada.session(over.id).summary or ""


def exchange(said: str, reply: str = "", n: int = 0) -> Exchange:
    parts, answer = tuple(sentences_of(said)), tuple(sentences_of(reply))
    return Exchange(f"u{n}".encode(), n, parts, f"a{n}".encode(), n, answer)


def test_what_was_chosen_and_dropped_later_is_not_told_as_decided() -> None:
    turns = [
        *LAMPS,
        ("Let's store amounts as floats.", "The column is real now."),
        *LAMPS[:1],
        (
            "Actually, no floats for amounts: store them as integers in grams.",
            "The column is an integer again.",
        ),
        ("Let's use the native detector for the camera.", "The camera uses it."),
    ]
    assert "decided to store amounts as floats" in summed(*turns[:5], *turns[6:])
    told = summed(*turns)
    assert "floats and" not in told and "to store amounts as floats" not in told
    assert "decided to use the native detector" in told


@pytest.mark.parametrize(
    "back",
    [
        "Hm, the old name was better. Call it Larder again.",
        "Go back to the old name.",
        "The previous name sounded nicer.",
        "Make it Larder again.",
    ],
)
def test_what_the_next_message_turned_back_is_not_told(back: str) -> None:
    first = exchange("Rename the app to Speisekammer.", "Renamed in README.md.")
    assert is_changed(first, exchange(back, n=1), "Renamed in README.md.")
    assert not is_changed(first, exchange("Run the tests again.", n=1), "Renamed in README.md.")
    assert not is_changed(first, exchange("Is it better now?", n=1), "Renamed in README.md.")


@pytest.mark.parametrize(
    "on",
    [
        "Let's go back to the parser now.",
        "Go back to the failing test, please.",
        "The previous tenant was nicer.",
        "The earlier trains are better for me.",
        "Use it again.",
        "Call it from the CLI again.",
        "Great. Turn back the clock on the server by an hour.",
    ],
)
def test_who_goes_back_to_something_else_turns_nothing_back(on: str) -> None:
    first = exchange("Rename the app from Larder to Speisekammer.", "Renamed in README.md.")
    assert not is_changed(first, exchange(on, n=1), "Renamed in README.md.")
    assert is_changed(first, exchange("Let's go back to Larder.", n=1), "Renamed in README.md.")


TOLD: Sequence[tuple[str, str]] = [
    (
        "Mr Kessler is on holiday until the 13th, Ms Voss stands in.",
        "Noted: Ms Voss until the 13th.",
    ),
    (
        "Bellini called, it's 35 euros a head now because of the fish.",
        "Then 60 guests come to 2,100.",
    ),
    ("Her new address is 14 Rue Mercière, 69002 Lyon.", "Noted, 14 Rue Mercière, 69002 Lyon."),
    ("The carpenter is Mr Borowski, he quoted 18,400 zloty.", "Noted, 18,400 from Borowski."),
]


@pytest.mark.parametrize(("said", "reply"), TOLD)
def test_what_was_only_told_is_no_choice_because_the_agent_notes_it(said: str, reply: str) -> None:
    assert choice_in(exchange(said, reply), exchange("How are you?", "Fine, thanks.")) is None


def test_what_the_agent_asked_is_chosen_by_the_answer() -> None:
    asked = exchange("Plan the offsite.", "Which dates?")
    found = choice_in(exchange("It should be 8 and 9 October.", "Noted: 8 and 9 October."), asked)
    assert found is not None and found.text == "8 and 9 October"
