"""What is told in passing as done, or no longer wanted, ends; what only looks like it leaves it open."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning import withdrawals
from everthread.domain.gleaning.open_items.later_talk import is_settled, settled_texts
from everthread.domain.gleaning.open_items.passing_ends import ended_in_passing
from everthread.domain.gleaning.open_items.wanted_deeds import wanted_deed
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.past_forms import past_forms, tells_deed
from support.spoken import gleaned_in_turn

DENTIST = "Remind me to call the dentist."
HALL = "Please book the hall for 12 June."
CHAIRS = "Can you order new chairs next week?"
CERTIFICATE = "Remind me to renew the TLS certificate."
PAGE = "Next week please migrate the reports page to HTMX."
INVOICE = "Please send the invoice to Weber on Friday."
LATER = "I'll do that next week."

ENDS = [
    (DENTIST, "By the way, I called the dentist this morning, they had a slot on Thursday."),
    (DENTIST, "I spoke to the dentist today."),
    (HALL, "The hall is booked, thanks."),
    (HALL, "I reserved the hall yesterday."),
    (HALL, "The hall has been taken care of."),
    (CHAIRS, "Forget the chairs, we have enough."),
    (CHAIRS, "We don't need the chairs any more."),
    (CHAIRS, "The chairs are no longer needed."),
    (CERTIFICATE, "I renewed the certificate yesterday."),
    (CERTIFICATE, "TLS certificate renewed."),
    (PAGE, "The reports page runs on HTMX since today, Ola did it."),
    (PAGE, "Ola migrated the reports page yesterday."),
    (INVOICE, "The invoice to Weber is out."),
    ("Please write to Mr Olsen about the invoice, tomorrow.", "Olsen has paid, no need to write."),
    ("Please check the license headers of all files.", "The license headers are done."),
    ("Please look into the flaky test test_cart_merge later.", "I fixed the cart merge test."),
    ("Remind me to get the bike fixed.", "I got the bike fixed on Tuesday."),
    ("I still need to have the mower repaired.", "The mower is repaired."),
    ("Remind me to bring the drill back to Hans.", "I brought the drill back on Sunday."),
    ("Please finish the travel report.", "The travel report is off the list."),
    ("Next week please upgrade the kernel.", "The kernel was old, Jon upgraded it this morning."),
    ("I still have to merge the branch of Ola.", "Ola's branch is merged."),
    ("Remind me to bake a cake for the fair.", "I baked a cake last night."),
    ("Next week please rerun the import.", "Sam reran the import."),
    ("Please book the flight LH 123 for Dana.", "The flight is booked."),
]
STAYS = [
    (DENTIST, "I called the dentist's number but nobody answered."),
    (DENTIST, "I called the dentist. Nobody picked up."),
    (DENTIST, "I called the vet this morning."),
    (DENTIST, "The dentist called this morning."),
    (DENTIST, "My wife called the dentist this morning."),
    (DENTIST, "Did I call the dentist already?"),
    (DENTIST, "I called the dentist last summer."),
    (HALL, "The band is booked, thanks."),
    (HALL, "The hall is booked out in May."),
    (HALL, "The hall is booked by the choir."),
    (HALL, "The hall is booked, so we need another one."),
    (HALL, "If the hall is booked, we can print the posters."),
    (HALL, "The hall is booked for 19 June."),
    (HALL, 'Ben wrote "the hall is booked" on the wall.'),
    (HALL, "The hall is finished, they painted it."),
    (HALL, "The hall will be booked on Monday."),
    (CHAIRS, "Forget the list, but the chairs would be nice."),
    (CHAIRS, "We don't need chairs for the picnic."),
    (CHAIRS, "No need to order the chairs by size."),
    (CHAIRS, "I ordered the chairs by colour."),
    (CERTIFICATE, "I renewed the birth certificate yesterday."),
    (CERTIFICATE, "I started to renew the certificate."),
    (CERTIFICATE, "I'll renew the certificate on Friday."),
    (CERTIFICATE, "The certificate is renewed every 90 days."),
    (CERTIFICATE, "I renewed the TLS certificate on staging."),
    (PAGE, "The reports page is partly migrated."),
    (PAGE, "The reports page runs on React now."),
    (PAGE, "Ola migrated the login page yesterday."),
    (INVOICE, "Weber sent the invoice this morning."),
    (INVOICE, "Weber's invoice is done."),
    (INVOICE, "The Weber invoice is paid."),
    ("Can you translate the slides on Monday?", "I translated the first three slides."),
    ("Please write to Mrs Ott tomorrow.", "I wrote to Mr Ott this morning."),
    ("Remind me to bake a cake for the fair.", "Eva baked a cake for her birthday."),
    (
        "We still have to check the links on the home page.",
        "I checked the links on the about page.",
    ),
    ("I need to review Tom's pull request.", "Tom reviewed my pull request."),
    ("Remind me to wash the car.", "I already washed the car windows."),
]


@pytest.mark.parametrize(("item", "later"), ENDS)
def test_what_is_told_as_over_ends(item: str, later: str) -> None:
    assert is_settled(item, take_apart(later, own=True), agent=False)
    assert open_after(item, later) == [], "and in the same talk"


@pytest.mark.parametrize(("item", "later"), STAYS)
def test_what_only_looks_like_it_stays_open(item: str, later: str) -> None:
    assert not is_settled(item, take_apart(later, own=True), agent=False)
    assert open_after(item, later) == [item], "and in the same talk"


def open_after(item: str, later: str) -> list[str]:
    """What is open of it, some turns later."""
    between = ("How far is the moon?", "It is about 384,000 kilometres away.")
    digest = gleaned_in_turn(item, LATER, *between, later, "Good to know.")
    return [p.text for p in digest.points if p.kind == "open_item" and p.text == item]


def test_of_two_that_fit_none_is_meant() -> None:
    june, july = HALL, "Please book the hall for 3 July."
    said = take_apart("The hall is booked.", own=True)
    assert ended_in_passing(said, [june, july]) == []
    assert ended_in_passing(said, [june, CHAIRS]) == [june]
    assert settled_texts([june, july], said, agent=False) == []
    digest = gleaned_in_turn(june, LATER, july, LATER, "The hall is booked.", "Good.")
    assert {june, july} <= {p.text for p in digest.points if p.kind == "open_item"}


def test_the_agent_reports_it_later() -> None:
    between = ("How far is the moon?", "It is 384,000 kilometres away. The hall is booked.")
    digest = gleaned_in_turn(HALL, LATER, *between)
    assert HALL not in [p.text for p in digest.points if p.kind == "open_item"]
    assert is_settled(HALL, take_apart("I have booked the hall."), agent=True)


def test_what_is_taken_back_by_its_name_is_no_request_of_its_own() -> None:
    digest = gleaned_in_turn(CHAIRS, LATER, "Forget the chairs, we have enough.", "Good.")
    assert [p.text for p in digest.points if p.kind == "request"] == [CHAIRS]


def test_what_is_kept_beside_what_is_taken_back_stays() -> None:
    asked = "Which map is the best?"
    kept = parse_sentence("Forget the list, but the map would be nice.")
    assert not withdrawals.is_request_meant(kept, asked, newest=False)
    gone = parse_sentence("Forget the map, but the list would be nice.")
    assert withdrawals.is_request_meant(gone, asked, newest=False)


def test_only_one_deed_on_one_thing_is_read() -> None:
    deed = wanted_deed("I still have to pick up my new glasses.")
    assert deed is not None
    assert (deed.verb, deed.by) == ("pick", "up")
    assert wanted_deed("Please sign the form and send it back.") is None
    assert wanted_deed("We still have to pick a name for the boat.") is None, "that is chosen"
    assert wanted_deed("The weather is lovely.") is None
    assert wanted_deed("Please fix it.") is None, "it names nothing"


@pytest.mark.parametrize(
    ("verb", "told"),
    [
        ("renew", "renewed"),
        ("send", "sent"),
        ("rewrite", "rewrote"),
        ("rerun", "reran"),
        ("copy", "copied"),
        ("plan", "planned"),
        ("cancel", "cancelled"),
        ("cancel", "canceled"),
        ("reserve", "reserved"),
        ("set", "set"),
        ("bring", "brought"),
        ("pay", "paid"),
    ],
)
def test_the_past_of_a_verb(verb: str, told: str) -> None:
    assert told in past_forms(verb)
    assert tells_deed(told, verb)


def test_close_neighbours_tell_the_same_deed() -> None:
    assert tells_deed("rang", "call")
    assert tells_deed("fixed", "look"), "what was to be looked into is mended"
    assert not tells_deed("looked", "fix")
    assert not tells_deed("ordered", "book")
