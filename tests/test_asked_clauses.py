"""A sentence about something else does not pass what was asked for, though both were told in one breath."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import everthread
from everthread import Settings
from everthread.domain.conversation.messages import Message
from everthread.domain.recall.asked_clauses import asks_beside
from everthread.domain.recall.final_scores import RankedCard
from everthread.domain.recall.questions import read_question
from everthread.domain.recall.told_again import lift_retold
from everthread.testing import FrozenClock

pytestmark = pytest.mark.req("A-7")

NOW = 1_770_000_000_000
DAY = 86_400_000
SERVER = (
    "The staging server is at stage.brightline.example, "
    "the deploy script lives in infra/deploy/push_stage.sh"
)
BOX = "We moved the staging box to stage2.brightline.example last night."
TERMS = "Client Nordwind pays within 14 days, Brightline within 30."
LONGER = "Nordwind changed their terms, 45 days now."
CHOIR = "The choir rehearses at St Anne's on Tuesdays; the music library is in Gisela's cellar."
HALL = "The choir moved over to the parish hall, now at seven."
SATO = "Mr Sato in room 2 has a fluid limit of 1.5 litres, his daughter Yuki visits on Sundays."
RAISED = "Mr Sato's fluid limit was raised to 2 litres."
BAKER = "Mrs Baker is allergic to penicillin and takes 5 mg of ramipril."
MORE = "Mrs Baker's ramipril was raised to 10 mg."
HOME = "We live in Bonn, Tom works at Siemens."
BESIDE = [
    (SERVER, BOX, "Where is the deploy script?"),
    (TERMS, LONGER, "When does Brightline pay?"),
    (TERMS, LONGER, "How many days does Brightline take to pay?"),
    (CHOIR, HALL, "Where is the music library?"),
    (SATO, RAISED, "Who visits Mr Sato?"),
    (BAKER, MORE, "Which allergy does Mrs Baker have?"),
    (HOME, "Tom changed to Bosch.", "Where do we live?"),
    ("Der Server steht in Köln, das Archiv liegt bei Wolke7.", "Der Server steht jetzt in Bonn.",
     "Wo liegt das Archiv?"),
]  # fmt: skip
ASKED = [
    (SERVER, BOX, "Where is the staging server?"),
    (TERMS, LONGER, "When does Nordwind pay?"),
    (CHOIR, HALL, "Where does the choir rehearse?"),
    (SATO, RAISED, "How much may Mr Sato drink, what is his fluid limit?"),
    (BAKER, MORE, "How much ramipril does Mrs Baker take?"),
    (HOME, "We moved to Berlin.", "Where do we live?"),
    # another figure is told of what had one, whoever is named beside it
    ("I pay 980 for the flat, Mrs Krag takes it in cash.", "Letter from Mrs Krag: 1,050 from May on.",
     "What do I pay for the flat?"),
    ("I run at seven, the tram home leaves at half past nine.", "I get up at half past nine these days.",
     "When do I run?"),
    # of whom it is said was told before
    ("Our contact at the hall is Ida Moen, she signs the bills.",
     "There is a new one to deal with there: Per Dahl looks after the bills from May on.",
     "Who is the contact at the hall?"),
    # pieces of one statement
    ("Book club: we meet at Ines's place, first Friday of the month.",
     "We readers gather at Café Anker, no longer with Ines.", "Where does the book club meet?"),
    ("Our vet for Milo, Dr Marsh, Harbour Street 4, is open on Mondays.",
     "Dr Marsh retired, Dr Quist took over.", "Who is the vet for Milo?"),
    ("The office is on the second floor of the mill.", "We moved to the third floor.",
     "Where is the office?"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "asked"), BESIDE)
def test_who_asks_for_another_clause_than_the_one_that_changed(
    old: str, new: str, asked: str
) -> None:
    assert asks_beside(read_question(asked, NOW).words, old, new)


@pytest.mark.parametrize(("old", "new", "asked"), ASKED)
def test_who_asks_for_what_changed_or_for_what_is_no_clause_of_its_own(
    old: str, new: str, asked: str
) -> None:
    assert not asks_beside(read_question(asked, NOW).words, old, new)


@pytest.fixture
def said() -> Iterator[Message]:
    """One message, of which others are made."""
    settings = Settings(embedder="off")
    with everthread.connect(
        "memory://", clock=FrozenClock(), background=False, settings=settings
    ) as et:
        ada = et.agent("ada")
        ada.record([{"id": "0", "role": "user", "content": "The parser chokes."}])
        yield ada.recall("Does the parser choke?", limit=1)[0].messages[0]


def lifted(said: Message, old: str, new: str, asked: str) -> list[RankedCard]:
    """The older one, fitting, and the later one, much like it."""
    found = [
        RankedCard(
            score,
            {},
            said._replace(key=bytes([row]) * 16, content=text, at_ms=NOW + row * DAY),
            alike=0.4,
            row=row,
        )
        for row, (text, score) in enumerate(((old, 1.0), (new, 0.3)))
    ]
    return lift_retold(read_question(asked, NOW + 9 * DAY), found, lambda _one, _other: 0.7)


@pytest.mark.parametrize(("old", "new", "asked"), BESIDE)
def test_what_changed_another_clause_neither_passes_it_nor_marks_it(
    said: Message, old: str, new: str, asked: str
) -> None:
    first, second = lifted(said, old, new, asked)
    assert first.later is None
    assert second.score < first.score


@pytest.mark.parametrize(("old", "new", "asked"), [*ASKED[:3], *ASKED[-3:-1]])
def test_what_changed_what_is_asked_comes_before_it(
    said: Message, old: str, new: str, asked: str
) -> None:
    first, second = lifted(said, old, new, asked)
    assert first.later is not None
    assert second.score > first.score
