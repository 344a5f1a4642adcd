"""What an agent writes for somebody is not its word: a letter, a scene, a message between quotes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.gleaning.reported import from_agent, question_of
from everthread.domain.gleaning.said import take_apart
from everthread.domain.text.drafted import drafts

pytestmark = pytest.mark.req("A-13", "A-21", "LA-10")

LETTER = """Dear Ms Ode,

I have decided to leave the firm on 31 May 2025. The pump failed twice in March.

Kind regards,
Ida Brandt"""
SCENE = """Nils had failed the exam in 1909. He decided to keep the letter.

"You still have it," said Vera. "We will use the north gate." """


def told(text: str) -> list[str]:
    return [found.text for found in from_agent(take_apart(text))]


@pytest.mark.parametrize(
    "text",
    [
        LETTER,
        SCENE,
        f"Subject: My leave\n\n{LETTER}",
        f"Here's the letter:\n\n{LETTER}\n\nShall I make it warmer?",
        f"Sure, here is the scene:\n{SCENE}",
        "Here's a new version of the e-mail:\n\n---\nThe pump failed on 3 May 2025.\n---",
        '"The pump failed on 3 May 2025. We have decided to buy the K-12 instead."',
        "Hier ist der Entwurf:\n\nDie Pumpe ist am 3. Mai 2025 ausgefallen, wir nehmen die K-12.",
        "Sehr geehrte Frau Ode,\n\ndie Pumpe ist kaputt, wir nehmen die K-12.\n\n"
        "Mit freundlichen Grüßen\nIda Brandt",
        "—No voy —dijo Ana—. La bomba K-12 falló en mayo de 2025.",
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
            "Here's the scene at the mill:\n\nNils had failed in 1909.\n\n"
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
