"""What was put off ends when the answer is there at last, when it is let go, or when it may go on.

Nobody says that it ends: she asks after it, forgets about `the … thing`, orders what was to wait, or tells
what the thing shows that she was to get.
"""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

OTHER = (
    "How high is the tower?",
    "It is 40 metres high.",
    "And the bridge?",
    "It is 12 metres high.",
)
OFFERS = "Could you compare home insurances for the time of the repairs? No hurry."
LATER = "I'll look into it and come back with three offers."
THREE = (
    "Three offers:\n- Allianz: 612 euros a year\n- HUK: 548 euros a year\n- VHV: 530 euros a year"
)
PERMIT = "And please find out whether we need a permit for the new terrace door."
LOCUST = "Could you also write a load test with locust at some point? Low prio."
LISTED = "Sure, I will put the locust load test on my list with low priority."
SKIP = "Don't book the skip yet, I don't know if we can put it on the pavement."
LIVE = "Don't deploy the new version to production yet, I don't know if it works."
MILLER = "Don't send the invoice to Miller yet, I don't know if it is right."
FOUND = "Yes: no permit is needed, unless the house is listed."
ALLOWED = "I've got the permit for the skip. Book it for 12 November."
PHONE = "I'll get a new phone next week."
HYGROMETER = "I'll put a hygrometer there."


def is_open(digest: Digest, text: str) -> bool:
    return any(text in p.text for p in digest.points if p.kind == "open_item")


@pytest.mark.parametrize(
    ("item", "talk"),
    [
        (OFFERS, (LATER, *OTHER, "Monday! Insurance?", THREE, "HUK please.", "OK, HUK.")),
        (
            OFFERS,
            (LATER, *OTHER, "Have you looked at the insurances yet?", THREE, *OTHER),
        ),
        (
            PERMIT,
            ("I'll find out.", *OTHER, "Did you find out about the terrace door?", FOUND, *OTHER),
        ),
        (LOCUST, (LISTED, *OTHER, "Forget the locust thing, k6 did it.", "OK.")),
        (LOCUST, (LISTED, *OTHER, "Forget about the load test idea.", "OK.")),
        (
            SKIP,
            ("Skip: on hold.", *OTHER, ALLOWED, "Booked.", *OTHER),
        ),
        (SKIP, ("Skip: on hold.", *OTHER, "Please book the skip now.", "Booked.", *OTHER)),
        (HYGROMETER, ("Good.", *OTHER, "Cellar hygrometer says 78 %.", "Too high.", *OTHER)),
        (HYGROMETER, ("Good.", *OTHER, "The hygrometer has arrived.", "Good.", *OTHER)),
    ],
)
def test_it_is_open_no_longer(item: str, talk: tuple[str, ...]) -> None:
    assert is_open(read(item, talk[0], *OTHER), item)
    assert not is_open(read(item, *talk), item)


@pytest.mark.parametrize(
    ("item", "talk"),
    [
        (OFFERS, (LATER, "Have you looked at the insurances yet?", "Not yet, by Monday.", *OTHER)),
        (OFFERS, (LATER, "What does a home insurance cost?", "Some 600 euros a year.", *OTHER)),
        (OFFERS, (LATER, "Which insurance has the best name?", "Allianz, I think.", *OTHER)),
        (PERMIT, ("I'll find out.", "How much is a terrace door?", "2,000 euros.", *OTHER)),
        (LOCUST, (LISTED, "Forget the footer thing.", "OK.", *OTHER)),
        (SKIP, ("Skip: on hold.", "Book the painter for 12 November.", "Booked.", *OTHER)),
        (SKIP, ("Skip: on hold.", "Before we book the skip, call the town hall.", "OK.", *OTHER)),
        (SKIP, ("Skip: on hold.", "Check if we can book the skip for a weekend.", "Yes.", *OTHER)),
        (SKIP, ("Skip: on hold.", "Remind me on Friday to book the skip.", "Will do.", *OTHER)),
        (LIVE, ("On hold.", "Deploy the new version to staging.", "Done.", *OTHER)),
        (LIVE, ("On hold.", "Deploy to staging first, then production.", "Done.", *OTHER)),
        (MILLER, ("On hold.", "The invoice to Berger is ready. Send it.", "Sent.", *OTHER)),
        (SKIP, ("Skip: on hold.", "I said don't book the skip.", "I won't.", *OTHER)),
        (PHONE, ("Good.", "My phone is in the car.", "I see.", *OTHER)),
        (HYGROMETER, ("Good.", "The old hygrometer says 70 %.", "I see.", *OTHER)),
        (HYGROMETER, ("Good.", "The thermometer says 7 degrees.", "I see.", *OTHER)),
    ],
)
def test_it_is_still_open(item: str, talk: tuple[str, ...]) -> None:
    assert is_open(read(item, *talk), item)


def test_the_question_after_it_is_not_open_besides() -> None:
    asked = "Have you looked at the insurances yet?"
    assert not is_open(read(OFFERS, LATER, asked, "Not yet, by Monday.", *OTHER), asked)


COST = "How much would the insurance for the bike cost?"
SOON = "I'll look that up later."


@pytest.mark.parametrize(
    ("item", "talk"),
    [
        (COST, (SOON, "Insurance? And can you book a table for two tonight?", "Tomorrow.")),
        (COST, (SOON, "Did you find out about the insurance? Also what's 3 times 4?", "12.")),
        (
            "Which restaurant is open on Sunday for the kids?",
            (SOON, "Are the kids coming on Sunday?", "They are with their grandma."),
        ),
        (
            "Find out whether the insurance covers the bike.",
            ("I'll do it tomorrow.", "Any news on the bike?", "No news yet, I'm still waiting."),
        ),
        ("If you see a cheap flight to Lisbon, tell me.", ("I'll keep that in mind.",)),
        ("Could the export also have a column for VAT?", ("I'll keep that in mind.",)),
        ("Cancel my gym membership.", ("I'll now need your membership number.", "ok", "Thanks.")),
        (
            "Redesign the checkout page, with the coupon field and PayPal.",
            ("I'll do it tomorrow.", "Forget the coupon part, PayPal matters most.", "OK."),
        ),
    ],
)
def test_what_was_asked_stays_where_something_else_was_answered(
    item: str, talk: tuple[str, ...]
) -> None:
    assert is_open(read(item, *talk), item)


def test_what_is_asked_beside_is_open_besides() -> None:
    both = "Insurance? And can you book a table for two tonight?"
    assert is_open(read(COST, SOON, both, "I'll do that tomorrow."), both)


SPLIT = "Split config.py into three modules and commit each of them."


def test_what_the_agent_will_do_now_is_begun_and_not_put_off() -> None:
    plan = "I will now split config.py into three modules."
    assert not is_open(read(SPLIT, plan, "ok", "All three are committed.", *OTHER), SPLIT)
    assert not is_open(read(SPLIT, plan, *OTHER), SPLIT)


def test_what_it_will_do_later_is_put_off() -> None:
    assert is_open(read(SPLIT, "I will split config.py tomorrow.", *OTHER), SPLIT)


def test_who_tells_the_agent_to_try_again_asks_for_nothing_new() -> None:
    locked = "I could not split it: the file is locked."
    found = read(SPLIT, locked, "@agent Try Again", locked, "@agent Try Again", "Done.")
    assert not [p.text for p in found.points if p.kind == "open_item"]
