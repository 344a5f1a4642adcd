"""A few words settle what was asked before them; the same words elsewhere settle nothing."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import EMPTY, Gleaner
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13")


def talk(*told: str) -> Digest:
    """A person and the agent by turns."""
    gleaner = Gleaner()
    for n, text in enumerate(("Hello.", "Hello.", *told, "Good.")):
        gleaner.read(spoken(text, "agent" if n % 2 else "user", n=n + 1))
    return gleaner.digest()


def decided(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind == "decision" and p.by == "user"]


@pytest.mark.parametrize(
    ("asked", "reply", "answer"),
    [
        ("RDS or Aurora?", "RDS is simpler.", "No, I want predictable. RDS multi-az it is."),
        ("Which caterer?", "About equal.", "Bea says Daisy's was bland. Fork & Field then."),
        ("Trio or duo?", "A duo works well.", "Yeah, let's take the duo."),
        ("Do we need a tent?", "You don't need one.", "True. No tent then."),
        ("GitHub or Bitbucket?", "Both work.", "Not worth moving right now. Maybe in autumn."),
        ("A repair or a new one?", "Either is fine.", "I don't want a used one. A repair please."),
        ("Should we take the ferry or the bus?", "The ferry is nicer.", "Let's take the ferry."),
    ],
)
def test_it_is_decided_and_told_with_its_question(asked: str, reply: str, answer: str) -> None:
    digest = talk(asked, reply, answer)
    assert decided(digest) == [asked, answer]
    assert not any(p.kind in ("request", "open_item") and answer in p.text for p in digest.points)
    kept = [f.text for f in memories_of(EMPTY, digest) if f.kind == "decision"]
    assert kept == [f"{asked} {answer}"]


@pytest.mark.parametrize(
    ("before", "reply", "answer"),
    [
        (
            "The college offers a duo for £350.",
            "A duo works well there.",
            "Yeah, let's take the duo.",
        ),
        ("Fork & Field quoted £34, Daisy's £29.", "Then they are equal.", "Fork & Field then."),
        ("How long do we keep the files?", "As you like.", "Keep 18 months and then delete."),
        ("The decaf tastes flat.", "The Sumatra is milder.", "I'll stay with the Sumatra."),
    ],
)
def test_what_was_spoken_of_is_decided_without_a_choice_put(
    before: str, reply: str, answer: str
) -> None:
    assert answer in decided(talk(before, reply, answer))


@pytest.mark.parametrize(
    ("before", "reply", "answer"),
    [
        ("How warm is it?", "About 21 degrees.", "More details please."),
        ("Trio or duo?", "A duo works well.", "The logs please."),
        ("The ferry goes at nine.", "Good.", "See you tomorrow then."),
        ("The ferry goes at nine.", "Good.", "Let's take a break."),
        ("The ferry goes at nine.", "Good.", "Back to the garden then."),
        ("The shop opens at nine.", "Good.", "It was not worth the money, that film."),
        ("My mother lives in Kassel.", "Nice.", "I'll stay with my mother over Christmas."),
        ("RDS or Aurora?", "RDS is simpler.", "What a mess it is."),
        ("Trio or duo?", "A duo works well.", "Maybe the duo then."),
    ],
)
def test_the_like_of_it_decides_nothing(before: str, reply: str, answer: str) -> None:
    assert not any(answer in text for text in decided(talk(before, reply, answer)))


def test_an_order_beside_the_choice_is_still_asked_for() -> None:
    digest = talk("RDS or Aurora?", "RDS is simpler.", "RDS it is. Move the staging data over.")
    assert any("RDS it is." in text for text in decided(digest))
    asked = [p.text for p in digest.points if p.kind in ("request", "open_item")]
    assert any("Move the staging data over." in text for text in asked)


@pytest.mark.parametrize(
    "text",
    [
        "Then I'll have the red one, sent to her address. Actually no, send it to me.",
        "We'll go with the oak floor. No wait, the landlord forbids it.",
        "We decided on Lisbon. Scratch that, it is Porto.",
    ],
)
def test_what_is_taken_back_in_the_next_breath_is_never_told_alone(text: str) -> None:
    digest = talk("We talked about it at home.", "I see.", text)
    first = text.partition(". ")[0] + "."
    assert not any(p.text == first for p in digest.points)
    assert text in decided(digest)


def test_what_merely_goes_on_is_told_by_itself() -> None:
    digest = talk(
        "Hm.", "I see.", "We decided on the oak floor. Actually it was Tom's idea at first."
    )
    assert decided(digest) == ["We decided on the oak floor."]
