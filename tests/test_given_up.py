"""What an older message told is found to be given up where a later one names it so, in words of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest

import everthread
from everthread import Agent, Settings
from everthread.domain.recall.given_up import gives_up
from everthread.testing import FrozenClock

pytestmark = pytest.mark.req("A-7")

BEGIN = datetime(2026, 2, 1, 9, tzinfo=UTC)
HOLIDAY = "We booked the holiday: Lisbon, 12 to 19 August, Hotel Avenida."
PORTO = "Lisbon got cancelled. We go to Porto instead, same dates."
WHERE = "Where do we go on holiday in August?"
INVOICES = "I use sevDesk for my invoices."
LEXOFFICE = "I switched from sevDesk to Lexoffice."
WHICH = "What do I use for my invoices?"
GIVEN_UP = [
    (HOLIDAY, PORTO, WHERE),
    (INVOICES, LEXOFFICE, WHICH),
    ("Our vet is Dr Marsh.", "Dr Marsh retired, so Bo's practice takes us.", "Who looks after Milo?"),
    ("The site runs on Fly.io.", "Finally we have moved away from Fly.io.", "Where is it hosted?"),
    ("We buy our flour at Valsen.", "We stopped buying Valsen, too dear.", "Where is the flour from?"),
    ("The choir sings Da pacem at the end.", "Da pacem was dropped.", "Which piece comes last?"),
    ("Yoga is with Hanne in the old mill.", "I do Pilates instead of Yoga.", "What sport do I do?"),
    ("Wir rechnen mit sevDesk ab.", "Ich bin von sevDesk zu Lexoffice gewechselt.",
     "Womit schreiben wir Rechnungen?"),
    ("Wir fahren nach Lissabon.", "Lissabon ist abgesagt, es wird Porto.", "Wohin geht die Reise?"),
    ("We use Redis for the queue.", "We dropped Redis for the queue.", "What do we use for the queue?"),
    (HOLIDAY, "Lisbon's been cancelled, Porto it is.", WHERE),
    (HOLIDAY, "Lisbon's cancelled, sadly.", WHERE),
]  # fmt: skip
STANDS = [
    # something else of that name, or somebody else's
    (HOLIDAY, "The flight from Lisbon got cancelled.", WHERE),
    (HOLIDAY, "The Lisbon flight got cancelled.", WHERE),
    ("Our Lisbon office is at Rua Augusta 5.", PORTO, "Where is our office?"),
    ("Ines's train from Lisbon arrives at 8.", PORTO, "When does the train arrive?"),
    (INVOICES, "My sister switched from sevDesk to Lexoffice.", WHICH),
    ("Tom uses sevDesk for his invoices.", LEXOFFICE, "What does Tom use for his invoices?"),
    ("My sister uses sevDesk for invoices.", LEXOFFICE, "What does my sister use for invoices?"),
    ("We use Redis for the cache and the queue.", "We dropped Redis for the queue.",
     "What do we use for the cache?"),
    # not done, or not for sure
    (INVOICES, "I might switch from sevDesk to Lexoffice.", WHICH),
    (INVOICES, "If I switched from sevDesk it would cost more.", WHICH),
    (INVOICES, "I have not cancelled sevDesk.", WHICH),
    (INVOICES, "Should we drop sevDesk?", WHICH),
    (INVOICES, "I told Bo about sevDesk.", WHICH),
    # asked for by its name, which the words find
    (INVOICES, LEXOFFICE, "What do I use sevDesk for?"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "asked"), GIVEN_UP)
def test_what_is_named_as_given_up_answers_no_longer(old: str, new: str, asked: str) -> None:
    assert gives_up(asked, old, new)


@pytest.mark.parametrize(("old", "new", "asked"), STANDS)
def test_what_only_looks_like_it_gives_nothing_up(old: str, new: str, asked: str) -> None:
    assert not gives_up(asked, old, new)


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect(
        "memory://",
        clock=FrozenClock(BEGIN + timedelta(days=900)),
        background=False,
        settings=Settings(embedder="off"),
    ) as et:
        yield et.agent("ada")


def tell(agent: Agent, said: Sequence[str], *, role: str = "user") -> None:
    """Each a day after the one before it; the first is a person's."""
    agent.record(
        [
            {
                "id": str(n),
                "role": role if n else "user",
                "content": text,
                "at": (BEGIN + timedelta(days=n)).isoformat(),
            }
            for n, text in enumerate(said)
        ]
    )


BETWEEN = ["Rain all day in Hamburg.", "The printer is out of toner."]


@pytest.mark.parametrize(("old", "new", "asked"), [GIVEN_UP[0], GIVEN_UP[1], GIVEN_UP[9]])
def test_it_comes_first_and_what_it_gives_up_says_so(
    ada: Agent, old: str, new: str, asked: str
) -> None:
    tell(ada, [old, *BETWEEN, new])
    first, second, *_ = ada.recall(asked)
    assert (first.text, second.text) == (new, old)
    assert second.later == first.id
    assert "told anew" in first.parts


def test_it_is_found_among_hundreds_of_messages_that_fit_better(ada: Agent) -> None:
    fillers = [f"On holiday {n} in August it rained for {n} hours." for n in range(200)]
    tell(ada, [f"{HOLIDAY} That is our holiday in August.", *fillers, PORTO])
    found = [hit.text for hit in ada.recall("Where do we go on our holiday in August?", limit=60)]
    assert PORTO in found
    assert found.index(PORTO) < next(n for n, text in enumerate(found) if "Lisbon, 12" in text)


def test_what_took_a_place_can_be_given_up_in_turn(ada: Agent) -> None:
    back = "I switched from Lexoffice back to sevDesk."
    tell(ada, [INVOICES, LEXOFFICE, *BETWEEN, back])
    assert [hit.text for hit in ada.recall(WHICH, limit=3)] == [back, LEXOFFICE, INVOICES]


def test_an_agent_gives_up_nothing_for_a_person(ada: Agent) -> None:
    tell(ada, [HOLIDAY, PORTO], role="assistant")
    assert ada.recall(WHERE)[0].text == HOLIDAY


def test_who_asks_how_it_was_is_told_that(ada: Agent) -> None:
    tell(ada, [HOLIDAY, *BETWEEN, PORTO])
    first = ada.recall("Where was the holiday to go in August at first?")[0]
    assert (first.text, first.later) == (HOLIDAY, None)


def test_a_turn_is_given_what_took_its_place(ada: Agent) -> None:
    tell(ada, [HOLIDAY, *BETWEEN, PORTO])
    with ada.turn(WHERE) as turn:
        given = str(turn.messages[-1])
        turn.done("To Porto.")
    assert "We go to Porto instead" in given


@pytest.mark.parametrize(
    ("old", "new", "asked"),
    [
        ("Our sitter is Anna, she has keys.", "Anna dropped by with flowers.", "Who is our sitter?"),
        ("We use Zoom for our calls.", "Zoom dropped again today, so annoying.", "What do we call with?"),
        ("We run on Postgres.", "Postgres died this morning, restarted it.", "What do we run on?"),
        ("I have a Pixel.", "I dropped the Pixel in the sink.", "Which phone do I have?"),
        ("The offsite is in Porto.", "I went back from Porto yesterday.", "Where is the offsite?"),
    ],
)  # fmt: skip
def test_what_only_fell_or_fell_silent_is_not_given_up(old: str, new: str, asked: str) -> None:
    assert not gives_up(asked, old, new)
