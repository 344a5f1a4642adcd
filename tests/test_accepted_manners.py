"""An order of how things are done, which the agent only consents to, holds from now on.

Requirements: A-13, A-21.
"""

from __future__ import annotations

import pytest

from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

HELD = [
    ("Use tabs for indentation.", "Understood."),
    ("Answer me in German.", "Will do, I'll answer in German."),
    ("Use British spelling throughout.", "Sure."),
    ("Run the linter before committing.", "Okay, I'll run it."),
    ("Prefer composition over inheritance.", "Got it."),
    ("Use snake_case for file names.", "Understood, I will keep to that."),
    ("Address me as Dr Klein.", "Of course, Dr Klein."),
    ("Format dates as YYYY-MM-DD.", "Noted."),
    ("Treat warnings as errors. They pile up otherwise.", "Right, I will."),
    ("Antworte auf Deutsch.", "Alles klar."),
    ("Show me a diff before applying changes.", "Will do, diff first."),
]
FOR_ONCE = [
    ("Use the second variant.", "Understood."),
    ("Use oil instead of butter.", "Okay, I'll use oil."),
    ("Use port 8081 for this run.", "Got it."),
    ("Add type hints to parse_row.", "Sure."),
    ("Add tests.", "On it."),
    ("Tell Luis I'm running late.", "Will do."),
    ("Answer mails.", "Sure."),
    ("Write tests for the parser.", "Of course."),
    ("Lock up before you leave.", "Will do."),
    ("Call me at five.", "Sure thing."),
    # carried out, refused, asked back about, or beside something else that is to be done
    ("Use tabs for indentation.", "I reformatted all files with tabs."),
    ("Use tabs for indentation.", "Which files do you mean?"),
    ("Use simple words. Write me a poem about rain.", "Sure, I'll write one."),
]


def standing(said: str, reply: str) -> list[str]:
    digest = read("Good morning.", "Hello.", said, reply)
    return [point.text for point in digest.points if point.kind in ("rule", "preference")]


@pytest.mark.parametrize(("said", "reply"), HELD)
def test_a_manner_that_is_only_consented_to_holds(said: str, reply: str) -> None:
    assert standing(said, reply)
    digest = read("Good morning.", "Hello.", said, reply)
    assert not [point for point in digest.points if point.kind == "open_item"]


@pytest.mark.parametrize(("said", "reply"), FOR_ONCE)
def test_what_is_for_once_carried_out_or_asked_back_about_does_not(said: str, reply: str) -> None:
    assert not standing(said, reply)
