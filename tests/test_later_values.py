"""A short question for a value is answered by what told it last, however tersely."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

import pytest

import everthread
from everthread import Agent, Settings
from everthread.domain.memory.notes import Note
from everthread.domain.recall.final_scores import RankedCard
from everthread.domain.recall.later_values import raise_later
from everthread.domain.recall.questions import read_question
from everthread.testing import FrozenClock

TALK = [
    "The nightly backup of the shop worries me, please look at how the backup is set up.",
    "The backup runs every night, and nothing says how many days it keeps. What do you want?",
    "The backup keeps 14, that was always enough.",
    "Noted.",
    "Where does the backup go?",
    "The backup goes to the second disk, which is nearly empty.",
    "And who gets a mail when the backup fails?",
    "Nobody yet. Shall I send a mail when the backup fails?",
    "Yes, to Clara.",
    "Done, Clara gets a mail when the backup fails.",
    "hm, so much room on that disk, let the backup keep 30",
    "Changed to 30 days, from now on.",
    "And the curtains in the shop, are they ordered?",
    "I know nothing of curtains.",
]
ASKED = "How many days does the backup keep?"
RUN = [
    "Please look at the invoice run, it is new to me.",
    "The invoice run starts at 02:00 and writes one file for each shop.",
    "Which shops get an invoice?",
    "All shops that sold something get an invoice at the end of the month.",
    "And the van, has it been to the garage?",
    "The invoice run of last night took an hour: at that time the backup starts, too.",
    "oh no. shift it to 04:30",
    "Done.",
    "What does the run of invoices cost us?",
    "Nothing but power.",
]


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect(
        "memory://", clock=FrozenClock(), background=False, settings=Settings(embedder="off")
    ) as et:
        yield et.agent("ada")


def tell(agent: Agent, *said: str) -> None:
    roles = cycle(("user", "assistant"))
    agent.record(
        [
            {"id": str(n), "role": role, "content": text, "at": f"2026-02-01T09:{n:02}:00+00:00"}
            for n, (text, role) in enumerate(zip(said, roles, strict=False))
        ]
    )


def order(agent: Agent, question: str) -> list[str | None]:
    return [hit.messages[0].external_id for hit in agent.recall(question, limit=20)]


def test_a_value_that_was_told_last_comes_before_the_one_it_replaced(ada: Agent) -> None:
    tell(ada, *TALK)
    assert set(order(ada, ASKED)[:2]) == {"10", "11"}


@pytest.mark.parametrize("mark", ["?", ""])
def test_a_value_set_in_words_that_do_not_name_the_thing_is_found_by_what_they_answer(
    ada: Agent, mark: str
) -> None:
    """Many leave the question mark out."""
    tell(ada, *RUN)
    found = order(ada, f"what time does the invoice run start{mark}")
    assert found.index("6") < found.index("1")


def test_who_asks_for_no_value_is_not_given_it_for_that(ada: Agent) -> None:
    tell(ada, *RUN)
    found = order(ada, "Tell me about the invoice run and what it did before")
    assert "6" not in found[:3]


def test_it_is_told_why(ada: Agent) -> None:
    tell(ada, *TALK)
    hits = {hit.messages[0].external_id: hit for hit in ada.recall(ASKED, limit=20)}
    assert "later value" in hits["10"].why and "change told" in hits["11"].why


def test_the_best_alone_has_the_whole_score(ada: Agent) -> None:
    """What is raised does not leave the scale on which scores are told."""
    tell(ada, *TALK)
    first, second, *_ = ada.recall(ASKED, limit=20)
    assert first.score == pytest.approx(1) and second.score < 1


@pytest.mark.parametrize(
    "question",
    [
        "How many days did the backup keep at first?",
        "How many days was it that the backup had to keep?",
        "How many days does the backup keep, and who gets a mail when the backup fails?",
        "backup of the shop",
    ],
)
def test_who_asks_for_what_was_or_for_more_gets_what_fits_best(ada: Agent, question: str) -> None:
    tell(ada, *TALK)
    assert all("later value" not in hit.parts for hit in ada.recall(question, limit=20))


def test_an_agent_does_not_change_what_the_message_it_answers_says(ada: Agent) -> None:
    """Only after a person spoke again does an agent tell of something newer."""
    said = [
        *(f"The backup of machine {name} is checked by the night crew." for name in "abcdefgh"),
        "The backup keeps 14 days.",
        "As far as I can see in the settings, the backup keeps 30 days.",
    ]
    tell(ada, *said)
    gains = {hit.messages[0].external_id: hit.parts for hit in ada.recall(ASKED, limit=20)}
    person, agent = (gains[n].get("later value", 0) for n in ("8", "9"))
    assert person > agent


def test_what_tells_of_many_things_is_not_raised(ada: Agent) -> None:
    long = " ".join(f"In week {n} of it the backup keeps {n} days more." for n in range(1, 9))
    tell(ada, *TALK, long)
    hits = {hit.messages[0].external_id: hit.parts for hit in ada.recall(ASKED, limit=20)}
    assert "later value" not in hits["14"]


def noted(text: str, at: int, **parts: float) -> RankedCard:
    note = Note(at, 1, bytes(16), None, "note", text, "user", at, None, 0)
    return RankedCard(sum(parts.values()), dict(parts), note=note)


def test_a_rule_of_today_about_something_else_is_not_raised() -> None:
    """It was told last, with a figure; but what it scores, it scores for being a rule and new."""
    asked = read_question(ASKED, 100)
    told = noted("The backup keeps 14 days.", 1, words=0.7, sitting=0.3)
    rule = noted("Never call me before 10, from now on.", 9, sitting=0.3, rule=0.2, recency=0.1)
    changed = noted("Make it 30 from now on.", 8, context=0.3, sitting=0.3)
    plain, kept, raised = raise_later(asked, [told, rule, changed])
    assert kept == rule and plain.score == told.score
    assert raised.score > changed.score
