"""What was to be found out is no longer open once it is told; what only speaks of it leaves it open."""

from __future__ import annotations

import pytest

from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

OTHER = ("How high is the tower?", "40 metres.")
PRICE = "find out how much the parking costs"
RED = "check why the build is red"
QUOTES = "can you compare the three quotes for chairs?"
BUSES = "look up the bus times for saturday"


def open_items(*said: str) -> list[str]:
    return [p.text for p in read(*said, *OTHER).points if p.kind == "open_item" and p.by == "user"]


def left(item: str, told: str) -> bool:
    return item in open_items(
        item, "I'll do that tomorrow.", "ok", told, "thanks", "You are welcome."
    )


@pytest.mark.parametrize(
    ("item", "told"),
    [
        (PRICE, "Parking is 12 euros a day."),
        (RED, "The build is red because the lock file is stale."),
        (QUOTES, "The three quotes: Miller 4.10 a chair, Ott 3.80, Rent-it 5.20."),
        (BUSES, "Saturday buses: 9:15, 10:45 and 12:30."),
        (
            "summarize chapter 3 for me",
            "Chapter 3 in short: the hero leaves town and loses the map.",
        ),
        (
            "check whether the gym opens on sunday",
            "The gym does not open on Sunday mornings in winter.",
        ),
    ],
)
def test_what_is_told_is_found_out(item: str, told: str) -> None:
    assert left(item, "Good.")  # for it is not forgotten either
    assert not left(item, told)


@pytest.mark.parametrize(
    ("item", "told"),
    [
        (PRICE, "I have not found the parking costs, the page is down since 9."),
        (PRICE, "Parking costs are still on my list for day 2."),
        (PRICE, "I asked the city about the parking costs at 10."),
        (PRICE, "Parking is near the station."),
        (PRICE, "The hotel is 120 euros a night."),
        ("any luck with djs?", "The djs have not got back to me, all three of them."),
        ("get me a quote for the marquee", "The marquee is 12 metres long, they say."),
        ("check the wifi password", "The wifi password works if the router is near the door."),
        (RED, "The build is red on two branches."),
        (QUOTES, "Two of the three quotes for chairs will come by 5 pm."),
        ("check the parking costs and book two places", "Parking costs 12 euros a day."),
        ("book a place in the parking garage", "The parking garage has 200 places on two floors."),
    ],
)
def test_what_only_speaks_of_it_leaves_it_open(item: str, told: str) -> None:
    assert left(item, told)


def test_who_wanted_to_find_out_tells_it_herself() -> None:
    mine = "I'll find out how much the parking costs"
    assert mine in open_items(mine, "OK.", "hm", "Yes?")
    assert mine not in open_items(mine, "OK.", "the parking is 12 euros a day", "Good.")
