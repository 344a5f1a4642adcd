"""What a person tells in few words as done, answered or no longer wanted is open no more."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.open_items.wanted_deeds import wanted_deed
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13")

AFTER = [("what is the capital of Peru?", "Lima."), ("haha", "Glad you like it.")]


def left_open(*talk: tuple[str, str]) -> set[str]:
    gleaner = Gleaner()
    for n, (person, agent) in enumerate([*talk, *AFTER]):
        gleaner.read(spoken(person, n=2 * n + 1))
        gleaner.read(spoken(agent, "agent", n=2 * n + 2))
    return {p.text for p in gleaner.digest().points if p.kind == "open_item"}


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("remind me to send the written order to Lukas", "sent Lukas the written order"),
        ("remind me to send the written order to Lukas", "written order sent to Lukas"),
        ("remind me to write the postmortem for the OOM", "postmortem written, link is docs/x.md"),
        ("remind me to write the postmortem for the OOM", "postmortem done"),
        ("can you reserve the hotel?", "hotel is confirmed"),
        ("Please restart the server tonight.", "Never mind the restart."),
        ("Please restart the server tonight.", "forget the restart"),
        (
            "please send Bob the weekly status on mondays",
            "Bob doesn't want the monday status any more, he looks at the sheet himself",
        ),
        ("hm i'll ask henrik. later", "henrik on the insurance: yes, Allianz"),
        ("hm i'll ask henrik. later", "henrik said yes"),
        ("I still have to ask Henrik about the insurance", "henrik on the insurance: no"),
    ],
)
def test_it_is_over(wanted: str, told: str) -> None:
    assert not {text for text in left_open((wanted, "Ok."), (told, "Good.")) if text in wanted}


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("remind me to send the written order to Lukas", "sent Marta the written order"),
        ("remind me to send the written order to Lukas", "written order sent to Marta"),
        ("remind me to send the written order to Lukas", "sent Lukas the old order"),
        ("remind me to write to Anna", "Anna done"),
        ("Please restart the server tonight.", "Never mind the logs."),
        (
            "please send Bob the weekly status on mondays",
            "Bob doesn't want the monthly report any more",
        ),
        ("please send Bob the weekly status on mondays", "Bob doesn't want the weekly status late"),
        ("hm i'll ask henrik. later", "marta said yes"),
        ("hm i'll ask henrik. later", "henrik's wife said yes"),
        ("I still have to ask Henrik about the insurance", "henrik on the venue: no"),
    ],
)
def test_it_is_not_where_another_is_meant(wanted: str, told: str) -> None:
    assert any(text in wanted for text in left_open((wanted, "Ok."), (told, "Good.")))


def test_small_words_inside_of_others_are_no_receivers() -> None:
    """`status to Bob` gives us nothing."""
    wanted = wanted_deed("please send the weekly status to Bob")
    assert wanted is not None
    assert wanted.head == {"statu"}
