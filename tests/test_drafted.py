"""What an agent writes for somebody is not its word: a letter, a scene, a message between quotes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.gleaning.agent_statements import from_agent, question_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.text.draft_spans import drafts
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21", "LA-10")

LETTER = """Dear Ms Ode,

I have decided to leave the firm on 31 May 2025. The pump failed twice in March.

Kind regards,
Ida Brandt"""
SCENE = """Nils had failed the exam in 1909. He decided to keep the letter.

"You still have it," said Vera. "We will use the north gate." """


STATUS = """Hi Tom,

the import failed on `orders`. I decided to roll it back.

Thanks,
Ada"""
VOICES = """"The gate is heavy," said Vera.

"It weighs 300 kg," said Nils.
"""


def told(text: str, asked: str = "") -> list[str]:
    return [found.text for found in from_agent(take_apart(text), asked)]


def kinds(text: str, asked: str = "") -> dict[str, str]:
    return {found.kind: found.text for found in from_agent(take_apart(text), asked)}


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("Write a letter to Ms Ode that I leave.", LETTER),
        ("Please reply to Ms Ode.", LETTER),
        ("Could you draft a short mail to Tom?", STATUS),
        ("Write the scene at the gate.", SCENE),
        ("Write me a slogan for the pump.", '"The K-12 never failed in 40 years."'),
        (
            "Schreib bitte einen Brief an Frau Ode.",
            "Sehr geehrte Frau Ode,\n\ndie Pumpe ist kaputt, wir nehmen die K-12.\n\n"
            "Mit freundlichen Grüßen\nIda Brandt",
        ),
    ],
)
def test_what_a_person_asked_to_be_written_is_not_the_agents_word(asked: str, text: str) -> None:
    assert told(text, asked) == []
    assert told(text, "How did it go?"), "without that it may be its own"


@pytest.mark.parametrize(
    "text",
    [
        f"Subject: My leave\n\n{LETTER}",
        f"Subject: My leave\nTo: Ms Ode\n\n{LETTER}",
        f"This should do:\n\n{LETTER}",
        f"---\n{LETTER}\n---",
        LETTER.replace("Ida Brandt", "[Your name]"),
        "Here's the letter:\n\n" + LETTER.replace("Ms Ode", "Mr. Hill"),
        VOICES,
        f"Here's the letter:\n\n{LETTER}\n\nShall I make it warmer?",
        f"Sure, here is the scene:\n{SCENE}",
        "Here's a new version of the e-mail:\n\n---\nThe pump failed on 3 May 2025.\n---",
        'Something like:\n\n"The pump failed on 3 May 2025. We have decided to buy the K-12 instead."',
        'Here is the message:\n"The pump failed on 3 May 2025. We have decided to buy the K-12."',
        "Hier ist der Entwurf:\n\nDie Mühle steht seit 1840 am Fluss und hat 12 Zimmer.",
        "—No voy —dijo Ana—. La bomba pesa 300 kg.\n—Está en la sala K-12.",
    ],
)
def test_nothing_is_taken_from_what_is_drafted(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (
            f"Here's the letter to Ms Ode about the pump:\n\n{LETTER}\n\n"
            "The form is in forms/leave.pdf, I added 2 pages to it.",
            [
                "Here's the letter to Ms Ode about the pump",
                "The form is in forms/leave.pdf, I added 2 pages to it.",
            ],
        ),
        (
            "Here's the scene at the mill:\n\nNils had failed in 1909. He decided to stay.\n\n"
            "I kept it short. I added 2 pages to forms/leave.pdf.",
            ["Here's the scene at the mill", "I added 2 pages to forms/leave.pdf."],
        ),
        ("I've drafted the mail to the mill with 20 June and 80 guests.", None),
        ("Here is the summary:\n\nThe pump failed on 3 May 2025 at 12:00.", ["The pump failed"]),
        ("Here is the error message:\n\nThe pump failed with code 500 at 12:00.", ["The pump"]),
        ("Hi Ida,\n\nthe import of `orders.db` failed at 12:00. Thanks!", ["the import of"]),
        ("The page says “run it twice”. I fixed `pump.py` and all 40 tests pass.", ["The page"]),
        ("Here are the messages:\n\n- I fixed `pump.py` on 3 May 2025.", ["Here are the messages"]),
    ],
)
def test_what_stands_beside_it_and_what_only_looks_so_is_the_agents(
    text: str, own: list[str] | None
) -> None:
    found = told(text)
    assert len(found) == len(own or [1])
    for said, begins in zip(found, own or [text], strict=True):
        assert said.startswith(begins)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        # one paragraph, and no line of report in it
        (
            "I mended the login. Here is the post:\n\nThe shop has 40 tables in 2 rooms.\n\n"
            "I also saw that the disk of db-2 is full; I could not run the import.",
            {
                "done": "I mended the login.",
                "failure": "I also saw that the disk of db-2 is full; I could not run the import.",
            },
        ),
        (
            "Here is the post:\nThe shop has 40 tables in 2 rooms.\n"
            "I could not load the picture of the oven.",
            {"failure": "I could not load the picture of the oven."},
        ),
        (
            "Here's the new text:\n\nThe shop has 40 tables. The pump failed on 3 May 2025.",
            {"failure": "The pump failed on 3 May 2025."},
        ),
        (
            "Here's a text about the meeting:\n\nWe decided to open the shop on 4 May.",
            {"decision": "We decided to open the shop on 4 May."},
        ),
        (
            "Here's the draft:\n\nThe shop has 40 tables.\n\n---\n\n"
            "I decided to drop the tooltip because it overlapped.",
            {"decision": "I decided to drop the tooltip because it overlapped."},
        ),
        (
            "Here's the text:\n\n---\n\nThe shop has 40 tables.\n\nThe pump failed on 3 May.",
            {"failure": "The pump failed on 3 May."},
        ),
        # nothing shows a text
        (
            "Letters:\n\nThe printer is stuck: 40 letters wait. I decided to restart it at 9.",
            {
                "failure": "The printer is stuck: 40 letters wait.",
                "decision": "I decided to restart it at 9.",
            },
        ),
        (
            "The new version:\n\nI switched to Postgres 16. The import failed for `orders`.",
            {
                "decision": "I switched to Postgres 16.",
                "failure": "The import failed for `orders`.",
            },
        ),
        # it is somebody else's
        (
            "This is the letter from Ida:\n\nWe decided to drop the fair in May.",
            {"decision": "We decided to drop the fair in May."},
        ),
        (
            "Here's the mail that Ida sent:\n\nHi Tom,\n\nwe decided to drop the fair in May."
            "\n\nThanks,\nIda",
            {"decision": "we decided to drop the fair in May."},
        ),
        (
            'The log says:\n\n"The pump failed on 3 May at 12:00."',
            {"failure": '"The pump failed on 3 May at 12:00."'},
        ),
        # the agent greets and signs
        (
            STATUS,
            {
                "failure": "the import failed on `orders`.",
                "decision": "I decided to roll it back.",
            },
        ),
        (
            "Hi Tom,\n\nthe import failed on `orders`. Here's the mail to the mill:\n\n"
            "Hi all,\n\nwe decided to come later.\n\nThanks,\nTom\n\nI could not find the map",
            {
                "failure": "I could not find the map",
                "done": "Here's the mail to the mill",
            },
        ),
        (
            f"Subject: Import\n\nThe import failed on 3 May.\n\n{STATUS}",
            {
                "failure": "the import failed on `orders`.",
                "decision": "I decided to roll it back.",
            },
        ),
        # one voice is a quotation, and who reports beside voices is no part of a scene
        (
            'The price is too high. "It costs 40 euros," said Vera, and 2 others agree.\n\n'
            "I decided to leave talk 4 out because the tape is broken.",
            {
                "fact": '"It costs 40 euros," said Vera, and 2 others agree.',
                "decision": "I decided to leave talk 4 out because the tape is broken.",
            },
        ),
        (
            '"It costs 40 euros," said Vera to 2 others in Porto.',
            {"fact": '"It costs 40 euros," said Vera to 2 others in Porto.'},
        ),
        (
            f"The shop opened in Porto with 40 tables.\n\n{VOICES}",
            {"fact": "The shop opened in Porto with 40 tables."},
        ),
        (
            f"The tape of talk 4 failed on 3 May.\n\n{VOICES}\nWe decided to use Postgres 16.",
            {
                "failure": "The tape of talk 4 failed on 3 May.",
                "decision": "We decided to use Postgres 16.",
            },
        ),
        (
            f"Here's the scene at the gate:\n\n{SCENE}\n\nI could not find the notes on chapter 5.",
            {
                "failure": "I could not find the notes on chapter 5.",
                "done": "Here's the scene at the gate",
            },
        ),
    ],
)
def test_in_doubt_it_is_the_agents_own_word(text: str, kept: dict[str, str]) -> None:
    assert kinds(text) == kept


@pytest.mark.parametrize(
    "lead",
    [
        "Here is the post",
        "Here is a draft you can send",
        "Sure, here's a shorter version of the text",
    ],
)
def test_that_some_text_was_written_is_not_told_without_a_name_for_it(lead: str) -> None:
    shop = "The shop has 40 tables in 2 rooms."
    assert told(f"{lead}:\n\n{shop}") == []
    assert told(f"{lead} for the mill:\n\n{shop}") == [f"{lead} for the mill"]


def test_it_matters_what_was_asked_just_before() -> None:
    asked, other = "Write a mail to Tom, please.", "How is the import?"

    def points(person: str, *, apart: bool) -> set[str]:
        gleaner = Gleaner()
        gleaner.read(spoken(person, n=1))
        gleaner = Gleaner(gleaner.digest()) if apart else gleaner
        gleaner.read(spoken(STATUS, "agent", n=2))
        return {point.kind for point in gleaner.digest().points if point.by == "agent"}

    for apart in (False, True):
        assert points(asked, apart=apart) == set()
        assert points(other, apart=apart) == {"failure", "decision"}


def test_a_question_in_a_letter_is_not_asked_by_the_agent() -> None:
    letter = LETTER.replace("twice in March.", "twice in March. Could you call me on Monday?")
    assert question_of(take_apart(f"Here's the letter:\n\n{letter}")) == ""
    asked = "Which name do I sign it with?"
    assert question_of(take_apart(f"Here's the letter:\n\n{letter}\n\n{asked}")) == asked


@given(
    st.lists(
        st.sampled_from([LETTER, SCENE, "Here's the draft:", '"Come in."', "---", "I fixed it."])
    )
)
def test_what_is_found_stands_in_the_text(parts: list[str]) -> None:
    text = "\n\n".join(parts)
    ranges = drafts(text)
    assert ranges == sorted(ranges)
    assert all(
        0 <= first < last <= len(text) and text[first:last].strip() for first, last in ranges
    )
