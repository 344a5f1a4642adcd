"""What was made up on request is nobody's fact; what an agent tells of the world or of its work is."""

from __future__ import annotations

import pytest

from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-13", "LA-7")

TOLD = frozenset({"fact", "state", "decision", "done"})


def told(asked: str, answer: str) -> list[str]:
    points = gleaned_in_turn(asked, answer, "Lovely, thanks.", "Glad you like it.").points
    return [p.text for p in points if p.by == "agent" and p.kind in TOLD]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (
            "Write me a short story about a baker.",
            "Anton baked 300 rolls every night in Lindau. In 1912 he moved to Bern and paid 4,000 francs.",
        ),
        (
            "Erzähl mir ein Märchen.",
            "Es war einmal ein Fuchs, der lebte bei Ulm. Er hatte 7 Kinder und ging 1820 nach Paris.",
        ),
        (
            "Can you write a poem for Jo's birthday?",
            "Jo was born when the lilacs were blue, she bought a red boat in 1972.",
        ),
        (
            "Draft a letter to the school: we want to move Mia to class 3b.",
            "Dear Mrs Kern, we applied on 2 May for a place in class 3b. Mia was promised an answer.",
        ),
        (
            "Please invent three customers for our test data.",
            "1. Maria Lopez from Sevilla owes 120 euros. 2. Jan Kral from Brno pays 80 a month.",
        ),
    ],
)
def test_what_was_made_up_is_not_told(asked: str, answer: str) -> None:
    assert told(asked, answer) == []


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (
            "Tell me the story of the outage.",
            "The database ran out of disk at 02:10. It was down for 47 minutes and 312 orders failed.",
        ),
        (
            "Write the user stories for the login.",
            "The login page was moved to /signin. All 47 tests pass now.",
        ),
        (
            "Where did the baker move?",
            "He moved to Bern in 1912. He paid 4,000 francs for the shop.",
        ),
        (
            "Draft a letter to the school.",
            "The school closes on 2 May. The office answers only until noon, so I drafted nothing yet.",
        ),
    ],
)
def test_what_is_so_is_told(asked: str, answer: str) -> None:
    assert told(asked, answer)
