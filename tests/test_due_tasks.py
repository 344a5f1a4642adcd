"""What must be done by some time is open until it is done; who is away until then leaves nothing open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import everthread
from everthread import Agent
from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.statement_kinds import kind_of
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.due_tasks import due_task, tells_absence
from everthread.domain.text.until_dates import end_of_period
from everthread.domain.times import ms_of, text_of
from everthread.testing import FrozenClock
from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-13", "R-15")

WEDNESDAY = "2025-03-05T10:00:00Z"


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect("memory://", clock=FrozenClock(WEDNESDAY), background=False) as et:
        yield et.agent("ada")


@pytest.mark.parametrize(
    "text",
    [
        "The insurance must be renewed before the end of May.",
        "The robes need washing before the concert on the 12th.",
        "Court three needs new lines before the season starts.",
        "The fee for the league is due by 15 March.",
        "Stocktaking must be finished by 31 December.",
        "My referral expires on 30 June, so it needs renewing.",
        "Also the deposit has to be paid by Friday.",
        "Our fridge needs repairing soon.",
        "The contract must be signed by Monday at the latest.",
        "The costumes have to be picked up from the tailor on Thursday.",
        "The library books are due back on 3 May.",
    ],
)
def test_what_must_be_done_to_a_thing_by_some_time_is_open(text: str) -> None:
    assert due_task(parse_sentence(text)) is not None
    assert kind_of(parse_sentence(text)) == "open_item"


@pytest.mark.parametrize(
    "text",
    [
        "All commits must be signed before they are merged.",
        "Every form must be handed in by Friday.",
        "Tablets must be taken before the meal.",
        "Forms must be signed in blue ink.",
        "The bread must be kept dry.",
        "The door must always be locked by Friday.",
        "The old hall needed painting before the winter.",
        "Does the insurance have to be renewed by May?",
        "If the insurance must be renewed by May, tell me.",
        "It needs no watering in winter.",
        "The train is due on Monday.",
        "The baby is due on the 3rd.",
        "You must be done by Friday.",
        # how something must be, or who
        "Tom must be happy today.",
        "The kids must be tired today.",
        "My sister must be finished by tonight.",
        "Petra must be home by tomorrow.",
        "The show must be great on Friday.",
        "The hotel must be booked this weekend.",
        # what comes without those who speak
        "The verdict is due on Thursday.",
        "My sister is due on the 12th.",
        "Test results are due next week.",
        "The inflation report is due on Thursday.",
        "The winner is to be announced on Friday.",
        "The new school is to be built in summer.",
        "The review is due on Netflix next week.",
        "Rent is due on the 1st.",
        "The dress is due back in fashion next spring.",
        "The mayor says the roof must be repaired by May.",
        "The world must be changed soon.",
        # in what order it is done, or where
        "The lock must be held before the write.",
        "The tests must be run before the push.",
        "The message must be signed before it is sent.",
        "The token must be renewed before the request.",
        "The data must be written on the 2nd disk.",
        "Dinner is to be served at the end of the hall.",
        "The film must be cut by June Miller.",
        "The lawn needs mowing in May.",
        "Invoices must be paid within 14 days.",
        "Invoices must be paid by the 15th.",
        "Voters must be registered by 3 May.",
        "My patience ends here, so it needs fixing.",
    ],
)
def test_what_always_holds_or_merely_comes_is_no_task(text: str) -> None:
    assert due_task(parse_sentence(text)) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The report is due on Friday and I decided to use LaTeX.", "decision"),
        ("The tests must be run before the push.", "fact"),
        ("We decided that the deposit has to be paid by Friday.", "decision"),
    ],
)
def test_what_is_chosen_or_holds_is_no_task_beside_one(text: str, kind: str) -> None:
    assert kind_of(parse_sentence(text)) == kind


@pytest.mark.parametrize(
    ("task", "done"),
    [
        ("The insurance must be renewed before the end of May.", "The insurance is renewed."),
        ("The robes need washing before the 12th.", "Sven washed the robes yesterday."),
        ("The fee for the league is due by 15 March.", "League fee is paid."),
        ("The projector must be repaired by Friday.", "The projector works again."),
        ("The forms for the trip have to be handed in by Friday.", "I handed in the forms."),
    ],
)
def test_a_deed_ends_it(task: str, done: str) -> None:
    assert left_by("Hello.", task) == [task]
    assert left_by("Hello.", task, done) == []


@pytest.mark.parametrize(
    ("task", "later"),
    [
        ("The insurance must be renewed before the end of May.", "The insurance costs 320 a year."),
        ("The insurance must be renewed by May.", "The insurance will be renewed tomorrow."),
        ("The insurance must be renewed by May.", "The insurance isn't renewed."),
        ("The insurance must be renewed by May.", "The passport is renewed."),
        ("The robes need washing before the 12th.", "The robes are blue."),
        ("The fee for the league is due by 15 March.", "The fee for the hall is paid."),
    ],
)
def test_whatever_else_is_told_of_it_leaves_it_open(task: str, later: str) -> None:
    assert task in left_by("Hello.", task, later)


def left_by(*texts: str) -> list[str]:
    digest = gleaned_in_turn(*(part for text in texts for part in (text, "I see.")))
    return [p.text for p in digest.points if p.kind == "open_item" and not p.pinned]


@pytest.mark.parametrize(
    "text",
    [
        "Petra is on holiday till Monday btw.",
        "Dr Lim is away until 5 May.",
        "Mum is in hospital until Thursday, nothing serious.",
        "Mr Okafor is at a conference this week.",
        "I'm off until Thursday.",
        "The physio is on leave until Monday week.",
        "Sam's in Berlin until Tuesday.",
        "My sister is in Rome until Friday.",
        "My sister Anna is in Rome until Friday.",
        "Rajiv is out until the 9th, paternity leave.",
        "I am on leave until 3 March 2028.",
        "We're on holiday until Friday, 4 December.",
    ],
)
def test_who_is_away_until_some_time_leaves_nothing_open(text: str) -> None:
    assert tells_absence(parse_sentence(text))
    assert kind_of(parse_sentence(text)) == "fact"
    assert left_by("Hello.", text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The decision is open until Monday.",
        "The ticket is on hold until Friday.",
        "Tom is in charge until Friday.",
        "The API is in beta until June.",
        "Is Petra on holiday till Monday?",
        "Petra is on holiday.",
        "Docker is in maintenance mode until Monday.",
        "Netflix is in the bundle until March.",
        "Jenkins is off until Monday.",
        "My offer is on the table until Friday.",
        "My knee is out until June.",
        "Our API is away until Monday.",
        "The password manager is off until Monday.",
        "We are on the old plan until June.",
        "We're with Vodafone until March.",
        "I'm on Python 3.11 until May.",
        "I'm in Marketing until May.",
    ],
)
def test_a_thing_that_waits_is_nobody_who_is_away(text: str) -> None:
    assert not tells_absence(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "I'm in Berlin until Friday, my number there is 0170 1234.",
        "I'm in Graz until Friday and prefer short answers.",
        "We are in Lisbon until Sunday, so send the contract to the hotel there.",
        "Petra is on holiday till Monday, Tom replaces her.",
        "I'm in Rome until Friday, then in Oslo until Monday.",
    ],
)
def test_where_more_is_told_it_does_not_end_with_the_absence(text: str) -> None:
    assert not tells_absence(parse_sentence(text))
    after = gleaned_in_turn("Hello.", "Hello.", text, "I see.")
    assert [f.until_ms for f in memories_of(EMPTY, after) if f.until_ms is not None] == []


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("till Monday", "2025-03-11"),
        ("until 5 May", "2025-05-06"),
        ("until May 5th", "2025-05-06"),
        ("until the 9th", "2025-03-10"),
        ("until the 2nd", "2025-04-03"),
        ("until February", "2026-02-01"),
        ("until 2025-03-08", "2025-03-09"),
        ("till the end of the month", "2025-04-01"),
        ("until the end of the year", "2026-01-01"),
        ("this week", "2025-03-10"),
        ("until next week", "2025-03-17"),
        ("till tomorrow", "2025-03-07"),
        ("till tonight", "2025-03-06"),
        ("until Monday week", "2025-03-18"),
        ("until 3 March 2028", "2028-03-04"),
        ("until May 5, 2028", "2028-05-06"),
        ("until May 2028", "2028-05-01"),
        ("until May next year", "2026-05-01"),
        ("until Monday the 31st", "2025-04-01"),
        ("until Friday, 4 April", "2025-04-05"),
        ("through March", "2025-04-01"),
        ("until the end of May", "2025-06-01"),
        ("until next Friday", "2025-03-15"),
        ("until the end of next week", "2025-03-17"),
        ("until the end of next month", "2025-05-01"),
    ],
)
def test_the_end_is_that_of_the_day_that_is_named(text: str, end: str) -> None:
    found = end_of_period(text, ms_of(WEDNESDAY))
    assert found is not None
    assert text_of(found)[:10] == end


@pytest.mark.parametrize(
    "text",
    [
        "until 31 June",
        "until the cows come home",
        "2025-03-01",
        "",
        "until March",
        "until 5 May 1999",
        "until Friday or Saturday",
        "until Friday, 4 April or 5 April",
        "until Monday, 4 April",
        "until Friday after next",
        "until 5 May at the earliest",
        "this week and next",
    ],
)
def test_what_names_no_day_has_no_end(text: str) -> None:
    assert end_of_period(text, ms_of(WEDNESDAY)) is None


def test_where_somebody_is_until_then_is_a_fact_that_ends_by_itself(ada: Agent) -> None:
    at = WEDNESDAY
    said = ("Good morning.", "Hello.", "Petra is on holiday till Monday btw.", "I see.")
    entries = [
        {"role": ("user", "assistant")[n % 2], "content": text, "at": at}
        for n, text in enumerate((*said, "Who sings alto?", "Ida does."))
    ]
    ada.record(entries)
    ada.end_session()
    ada.conclude_session(ada.newest_session())
    (fact,) = [m for m in ada.memories() if "Petra" in m.text]
    assert fact.kind == "fact"
    assert fact.valid_to is not None
    assert f"{fact.valid_to:%Y-%m-%d}" == "2025-03-11"


def test_without_a_day_it_is_no_memory() -> None:
    after = gleaned_in_turn("Hello.", "Hello.", "Petra is away until the cows come home.", "I see.")
    assert not [f for f in memories_of(EMPTY, after) if "Petra" in f.text]
