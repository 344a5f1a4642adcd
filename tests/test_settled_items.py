"""What was left open ends when it is settled; what was decided stays decided, whatever is left to do."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY, Digest, digest_text, read_digest
from everthread.domain.gleaning.facts import closed_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.open_items.settled_items import ends_task
from everthread.domain.gleaning.statement_kinds import kind_of
from everthread.domain.text.acts.indecision import leaves_undecided
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.due_tasks import DueTask
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")


def read(*texts: str, before: Digest = EMPTY, start: int = 1, reply: str = "I see.") -> Digest:
    gleaner = Gleaner(before)
    for n, text in enumerate(texts):
        gleaner.read(spoken(text, n=start + 2 * n))
        gleaner.read(spoken(reply, "agent", n=start + 2 * n + 1))
    return read_digest(digest_text(gleaner.digest()))


def texts(digest: Digest, kind: str) -> list[str]:
    return [p.text for p in digest.points if p.kind == kind]


@pytest.mark.parametrize(
    "text",
    [
        "We decided to go with Postgres, but need to check the licence.",
        "We have decided to postpone the release until the tests are done.",
        "We'll go with option B and still need to tell Tom.",
        "We've settled on the June date, the hall still has to be booked.",
        "I've decided to sell the car, still waiting for an offer.",
        "We decided not to wait for the audit.",
        "Let's go with the van, I need to check the insurance.",
    ],
)
def test_a_decision_stays_one_whatever_is_left_to_do(text: str) -> None:
    assert kind_of(parse_sentence(text)) == "decision"
    assert not leaves_undecided(text.lower())


@pytest.mark.parametrize(
    "text",
    [
        "We haven't decided where.",
        "Nothing is decided yet about the roof.",
        "Nobody has decided who drives.",
        "It'll be decided on Monday.",
        "The name of the boat is still undecided.",
        "We can't decide on the font.",
        "We have yet to decide on the paint.",
    ],
)
def test_what_is_not_decided_is_open(text: str) -> None:
    assert kind_of(parse_sentence(text)) == "open_item"


@pytest.mark.parametrize(
    "text",
    [
        "Once we have decided, I can tell you more.",
        "I don't know if they decided.",
        "The parcel has to be picked up at the depot.",
    ],
)
def test_what_is_only_supposed_is_no_decision(text: str) -> None:
    assert kind_of(parse_sentence(text)) != "decision"


def test_the_errand_beside_a_decision_is_open_by_itself_and_ends_alone() -> None:
    chosen = "We decided to go with Postgres, but need to check the licence."
    before = read("Hello.", chosen)
    assert texts(before, "open_item") == ["need to check the licence."]
    after = read("I checked the licence, it is fine.", before=before, start=50)
    assert texts(after, "open_item") == []
    assert texts(after, "decision") == [chosen]
    assert [p.kind for p in closed_of(before, after).points] == ["open_item"]


@pytest.mark.parametrize(
    ("item", "later"),
    [
        ("We have not decided on the venue yet.", "We decided on the Town Hall as the venue."),
        ("We have not decided on the venue yet.", "The venue is settled: it is the Town Hall."),
        ("Nobody knows whether Kim is coming.", "Kim is coming, she told me."),
        ("Nobody knows whether Kim is coming.", "Kim isn't coming, her train was cancelled."),
        (
            "We still have to pick a name for the boat.",
            "We picked the name Albatross for the boat.",
        ),
        ("Still waiting for the quote from Huw.", "Huw's quote came, 6,850."),
        ("We're still waiting for the permit.", "The permit arrived this morning."),
        ("The slides still have to be scanned.", "The slides are scanned."),
        ("We still need to choose a photographer.", "We chose a photographer, Ines from Kassel."),
        ("I'll ask Sophie.", "Sophie sent me Uncle Ray's address, Rua das Flores 18."),
        (
            "I'll ask Marta about the late fee.",
            "Marta says the late fee becomes 2 percent a month.",
        ),
        ("I'll check with Tom whether the van is free.", "Tom says the van is free on Saturday."),
        ("I need to ask Sam, he leads the shift.", "k. Sam says the pager is enough at night."),
        (
            "The letter goes to Mrs Ott in the office; I will write to her again this week.",
            "Some news, because Mrs Ott has written at last: we must move the fair to June.",
        ),
        (
            "Nobody knows yet where the passport of Anton is.",
            "We found it! Anton has his passport, it was in a drawer.",
        ),
        (
            "The party is in May. We haven't decided where. Either the village hall or the Old Mill.",
            "Okay, we'll take the hall.",
        ),
    ],
)
def test_what_settles_it_ends_it_and_its_memory(item: str, later: str) -> None:
    before = read("Hello.", item)
    assert texts(before, "open_item")
    after = read(later, before=before, start=50)
    assert texts(after, "open_item") == []
    assert closed_of(before, after).points


@pytest.mark.parametrize(
    ("item", "later"),
    [
        ("We have not decided on the venue yet.", "The venue has a garden."),
        ("We have not decided on the venue yet.", "We decided on the menu."),
        (
            "We have not decided on the venue for the wedding yet.",
            "We decided on the menu for the wedding.",
        ),
        ("The report still has to be printed.", "The report was never printed."),
        ("I'm still waiting for the visa.", "I have no visa."),
        ("We have not decided on the venue yet.", "The venue will be decided on Monday."),
        ("Nobody knows whether Kim is coming.", "I hope Kim is coming."),
        ("Nobody knows whether Kim is coming.", "Kim likes cake."),
        ("We still have to pick a name for the boat.", "We picked a colour for the cabin."),
        ("Still waiting for the quote from Huw.", "The quote from Deano came, 5,000."),
        ("We're still waiting for the permit.", "The permit costs 80 euros."),
        ("The slides still have to be scanned.", "The slides are in a box."),
        ("I'll ask Sophie.", "Sophie hasn't answered yet."),
        ("I'll ask Sophie.", "Sophie is on holiday."),
        ("I'll ask Marta about the late fee.", "Marta says the printer is broken again."),
        ("I'll ask Marta about the late fee.", "I told Marta about the party."),
        ("I need to ask Sam, he leads the shift.", "Sam is on holiday till May."),
        (
            "Nobody knows yet where the passport of Anton is.",
            "Anton has no passport yet.",
        ),
    ],
)
def test_what_speaks_of_something_else_leaves_it_open(item: str, later: str) -> None:
    before = read("Hello.", item)
    open_before = texts(before, "open_item")
    assert open_before
    assert set(open_before) <= set(texts(read(later, before=before, start=50), "open_item"))


def test_an_order_is_done_though_its_report_has_a_word_of_failure() -> None:
    digest = read("Hello.", "Revert that, stay at 100.", reply="Reverted, it is 100 again.")
    assert texts(digest, "open_item") == []


def test_a_question_with_a_yes_is_answered_and_what_the_agent_promised_is_open() -> None:
    refund = "Yes, I'll refund 20 euros within 5 working days."
    digest = read("So will I get that back?", reply=refund)
    assert texts(digest, "open_item") == [refund]
    assert [p.by for p in digest.points if p.kind == "open_item"] == ["agent"]


def test_what_another_answered_is_not_open() -> None:
    digest = read("Hello.", "Legal says: SLA credits only for customers who ask for them.")
    assert texts(digest, "open_item") == []


PASSPORT = DueTask("the passport", "renewed")
INSURANCE = DueTask("the insurance", "renewed")
INVOICE = DueTask("the invoice", "")
HALL = DueTask("the hall", "booked")
BOILER = DueTask("the boiler", "serviced")
ROBES = DueTask("the robes", "washing")
DEPOSIT = DueTask("the deposit for the hall", "paid")


@pytest.mark.parametrize(
    ("task", "later"),
    [
        (PASSPORT, "Passport renewed!"),
        (PASSPORT, "I've renewed my passport."),
        (INSURANCE, "The insurance has been renewed, finally."),
        (INVOICE, "Paid the invoice."),
        (HALL, "I booked the hall on Monday."),
        (BOILER, "The plumber serviced the boiler this morning."),
        (ROBES, "The robes are done."),
        (DEPOSIT, "I paid the deposit."),
        (DueTask("the roof", "repairing"), "The roof is repaired."),
        (DueTask("the report", "written"), "Tom wrote the report last night."),
        (DueTask("the forms", "handed"), "We handed in the forms."),
    ],
)
def test_the_deed_done_to_the_thing_ends_the_task(task: DueTask, later: str) -> None:
    assert ends_task(parse_sentence(later), task)


@pytest.mark.parametrize(
    ("task", "later"),
    [
        (PASSPORT, "The passport is in the drawer."),
        (PASSPORT, "The passport photo is done."),
        (PASSPORT, "She renewed her passport."),
        (PASSPORT, "I paid for the passport."),
        (INSURANCE, "Tom renewed his car insurance."),
        (INSURANCE, "The renewal form for the insurance came."),
        (INSURANCE, "The insurance paid."),
        (INVOICE, "The invoice came by mail."),
        (INVOICE, "I paid the invoice of March."),
        (HALL, "The hall was booked out last year."),
        (HALL, "The hall was booked by the school."),
        (HALL, "The hall was already booked."),
        (HALL, "The hall is booked until May."),
        (BOILER, "The boiler service costs 90."),
        (BOILER, "The boiler is back to making noises."),
        (ROBES, "Half the robes are washed."),
        (ROBES, "The robes are ready to be picked up."),
        (DEPOSIT, "The deposit is paid back."),
        (DEPOSIT, "The deposit for the hut is paid."),
        (DueTask("the report", "sent"), "The report was sent back."),
        (DueTask("the chapter", "revised"), "The chapter is finished in German only."),
        (DueTask("the forms", "signed"), "Signing the forms is done in room 4."),
        (DueTask("the library book", "returned"), "I finished the library book."),
    ],
)
def test_nothing_else_of_it_ends_the_task(task: DueTask, later: str) -> None:
    assert not ends_task(parse_sentence(later), task)
