"""What only tells how a thing is, or what another person does, is no decision and nobody's own wish."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.choices.descriptions import describes
from everthread.domain.gleaning.statement_kinds import kind_of
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.others_ways import tells_anothers_way
from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-13", "R-15")

HALLS = "There are two: the Corn Exchange or the Guildhall. Which one do you prefer?"


def decisions(*texts: str) -> str:
    points = gleaned_in_turn("Hello.", "Hello.", *texts).points
    return " ".join(p.text for p in points if p.kind == "decision")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (HALLS, "The Corn Exchange costs 550."),
        (HALLS, "The Guildhall has 200 seats."),
        (HALLS, "The Guildhall is 20 minutes away."),
        (HALLS, "The Guildhall has 200 seats and a bar."),
        ("Would you rather have a dog or a cat?", "Dogs need two walks a day."),
        ("Willow or chestnut?", "Chestnut lasts twenty years."),
    ],
)
def test_who_describes_what_is_on_offer_has_not_chosen(asked: str, told: str) -> None:
    assert describes(parse_sentence(told), asked)
    assert told not in decisions("What can we do?", asked, told, "I see.")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (HALLS, "The Corn Exchange is fine."),
        (HALLS, "The Corn Exchange then."),
        (HALLS, "The Guildhall suits us better."),
        (HALLS, "Let's take the Guildhall."),
        ("Redis or a dict?", "Redis is cheaper."),
        ("Thursday or Friday?", "Thursday works."),
        ("Should Tom or Ana drive?", "Tom drives."),
        ("Keep the old theme or the new one?", "The old theme stays."),
        ("Shall it start at six or seven?", "It starts at seven."),
    ],
)
def test_who_praises_or_answers_has(asked: str, told: str) -> None:
    assert not describes(parse_sentence(told), asked)


@pytest.mark.parametrize(
    "told",
    [
        "is booked",
        "is booked for 12 May",
        "is confirmed",
        "is settled",
        "is a deal",
        "is number 1",
        "is 100% agreed",
        "has my vote",
        "has three votes",
        "gets the booking",
        "takes it",
        "takes 12 May",
        "has 8 of 10 hands",
        "is two thumbs up",
        "is 50 and ours",
        "costs 550, deal",
    ],
)
def test_what_is_no_mere_measure_of_it_may_choose_it(told: str) -> None:
    assert not describes(parse_sentence(f"The Corn Exchange {told}."), HALLS)


def test_who_tells_it_as_booked_has_chosen() -> None:
    asked = "Which hall, the Corn Exchange or the Town Hall?"
    for told in ("is booked", "is confirmed", "is settled", "has my vote", "is a deal"):
        said = f"The Corn Exchange {told}."
        assert said in decisions("What can we do?", asked, said, "Good.")


def test_a_choice_is_a_decision_as_before() -> None:
    said = "Let's take the Guildhall."
    assert said in decisions("What can we do?", HALLS, said, "Good.")


@pytest.mark.parametrize(
    "text",
    [
        "Dana writes all her commit messages in haiku, always has.",
        "Piet only drinks green tea, never coffee.",
        "My sister prefers the aisle seat and never eats fish.",
        "She likes dark chocolate and hates flowers.",
        "My husband can't sleep without the window open.",
        "The head never answers mails before ten, he always walks first.",
    ],
)
def test_what_another_does_is_a_fact(text: str) -> None:
    assert tells_anothers_way(parse_sentence(text))
    assert kind_of(parse_sentence(text)) == "fact"


def test_nor_does_the_agent_make_a_wish_of_it_by_taking_note() -> None:
    told = "He always signs every letter with his full name, never only the initials."
    noted = "Noted, every letter with his full name, never only the initials."
    digest = gleaned_in_turn("Hello.", "Hello.", told, noted)
    assert not [p for p in digest.points if p.kind in ("rule", "preference")]


@pytest.mark.parametrize(
    "text",
    [
        "Code always ships with tests.",
        "Build never fails silently.",
        "Anna must never see this.",
        "He reads it all, so never mention it there.",
        "My boss never gets a mail after six.",
        "I prefer the aisle seat.",
        "Marketing never gets the key.",
    ],
)
def test_a_rule_and_ones_own_wish_are_nobody_elses_way(text: str) -> None:
    assert not tells_anothers_way(parse_sentence(text))
