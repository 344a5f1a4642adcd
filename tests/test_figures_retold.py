"""A figure told anew without a word of a change: the old one goes; of another thing, both stand."""

from __future__ import annotations

import pytest

from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("R-15", "R-44")

LED = ("Hello there.", "Hello. What is it about?")
OTHER = ("What is a good soup for a cold evening?", "Leek and potato.")


def texts(*said: str) -> list[str]:
    return [p.text for p in gleaned_in_turn(*LED, *said).points if p.kind != "tone"]


@pytest.mark.parametrize(
    ("was", "later", "old"),
    [
        (
            "rent is due on the 3rd of each month btw",
            "Rent is due on the 5th of each month.",
            "3rd",
        ),
        (
            "The early shift starts at 7:00 and the late one at 15:00.",
            "The early shift begins at 6:45, the handover took too long.",
            "7:00",
        ),
        (
            "The boiler inspection is on 14 May.",
            "The gas people rang. Boiler inspection was moved, they come on 21 May.",
            "14 May",
        ),
        ("The launch is on 3 March.", "launch slips to 24 March", "3 March."),
        ("Concert on 22 November, 18:00, Trinity church.", "Concert date: 29 November.", "22 Nov"),
        ("The thesis has five chapters.", "the thesis has four chapters", "five chapters"),
        ("I mash at 67 degrees for 60 minutes.", "I mash at 69 degrees.", "67"),
        ("Line length is 100.", "line length 120, the team voted", "100"),
        ("The talk is 20 minutes long.", "The talk is 12 minutes long, says the chair.", "20 min"),
        ("max upload size is 20 MB", "max upload size 50 MB please", "20 MB"),
    ],
)
def test_the_earlier_figure_is_told_no_longer(was: str, later: str, old: str) -> None:
    assert old in "\n".join(texts(was, "Noted.", *OTHER))
    after = "\n".join(texts(was, "Noted.", *OTHER, later, "Fine."))
    assert old not in after
    assert later in after


@pytest.mark.parametrize(
    ("was", "later"),
    [
        # another one of that sort
        ("The train leaves at 8:10.", "The train back leaves at 17:40."),
        ("The bus goes at 8:10.", "A bus goes at 9:10 as well."),
        ("Room A has 12 seats.", "Room B has 20 seats."),
        ("Flat 2 pays 620 euros.", "Flat 3 pays 700 euros."),
        ("Please look at module 4, it is slow.", "Please look at module 5, it is slow."),
        ("Module 4 leaks memory on start.", "Module 5 leaks memory on start, too."),
        ("Timeout is 30 s.", "connect timeout: 5 s"),
        ("The first chapter has 20 pages.", "The last chapter has 30 pages."),
        ("The server has 16 GB.", "The new server has 64 GB."),
        # somebody else's
        ("Tobias pays 620 a month.", "She pays 640 a month."),
        ("I pay 640 euros rent.", "My sister pays 700 euros rent."),
        ("The fee is 12 euros.", "Their fee is 14 euros."),
        # for something, somewhere, at some time only
        ("Deadline for the abstract is 3 May.", "Deadline is 10 June."),
        ("The fee is 12 euros.", "The fee for students is 6 euros."),
        ("max upload size is 20 MB", "on staging the max upload size is 50 MB"),
        ("Class is at 9:00.", "Class is at 11:00 on Fridays."),
        ("The library opens at 9:00.", "on Sundays the library opens at 10:00"),
        ("Dose is 10 mg in the morning.", "Dose is 20 mg in the evening."),
        # in another respect
        ("The meeting starts at 9:00.", "The meeting ends at 11:00."),
        ("The window is 2 m wide.", "The window is 1.5 m high."),
        # read off again and again, or done once more
        ("Gravity today: 1.048", "gravity day 3: 1.022"),
        ("My weight is 82.3 kg.", "My weight is 81.5 kg."),
        ("I ran 5 km.", "I ran 7 km."),
        ("We sold 40 tickets.", "We sold 55 tickets."),
        ("We train on Tuesdays.", "We train on Thursdays, the boys do."),
        # what might be, what was, what somebody says
        ("The fee is 12 euros.", "If we grow the fee is 14 euros."),
        ("The fee is 12 euros.", "The fee was 9 euros back then."),
        ("The fee is 12 euros.", 'He said "the fee is 14 euros", nonsense.'),
        ("I work 32 hours a week.", "I work 40 hours a week in December."),
        ("The scarf is 180 cm long.", "The scarf is 110 cm long so far."),
    ],
)
def test_a_figure_of_something_else_leaves_it_as_it_was(was: str, later: str) -> None:
    before, after = texts(was, "Noted.", *OTHER), texts(was, "Noted.", *OTHER, later, "Fine.")
    assert was in before
    assert was in after


def test_where_two_values_are_known_it_is_not_plain_which_one_goes() -> None:
    staging, live = "The timeout on staging is 10 s.", "The timeout on live is 30 s."
    after = texts(staging, "Noted.", live, "Noted.", *OTHER, "The timeout is 12 s.", "Fine.")
    assert {staging, live} <= {*after}
