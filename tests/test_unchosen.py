"""What is on offer until somebody chooses, and what a label stands for afterwards."""

from __future__ import annotations

import pytest

from everthread.domain.distilling.daily_files import managed_section
from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.support.support import verdict
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")

WAYS = "Three ways:\nOption A: by post\nOption B: by courier\nOption C: at the desk"
ALL = "Three ways … Option A: by post … Option B: by courier … Option C: at the desk"
HEAT = "There are three ways:\na) Gas boiler\nb) Heat pump\nc) Pellets"
DOOR = "For the door there are two ways:\na) Paint the frame\nb) Replace the lock"


def gleaned(*said: tuple[str, str]) -> Digest:
    gleaner = Gleaner(EMPTY)
    for n, (who, text) in enumerate(said, start=1):
        gleaner.read(spoken(text, who, n=n))  # pyright: ignore[reportArgumentType]
    return gleaner.digest()


def of(digest: Digest, kind: str, by: str) -> list[str]:
    return [p.text for p in digest.points if (p.kind, p.by) == (kind, by)]


@pytest.mark.parametrize(
    ("offer", "told"),
    [
        (WAYS, ALL),
        (HEAT, "There are three ways … a) Gas boiler … b) Heat pump … c) Pellets"),
        (
            DOOR,
            "For the door there are two ways […] a) Paint the frame […] b) Replace the lock",
        ),
    ],
)
def test_what_is_on_offer_is_told_until_something_is_chosen(offer: str, told: str) -> None:
    start = (("user", "How?"), ("agent", offer))
    digest = gleaned(*start, ("user", "My landlord pays half of b."))
    assert of(digest, "fact", "agent") == [told]
    assert verdict(told, [spoken(offer, "agent")], by="agent", verbatim=True).supported
    assert not of(gleaned(*start, ("user", "b")), "fact", "agent")


def test_steps_and_findings_are_not_on_offer() -> None:
    found = "What I see in the shop:\n\n1. The hinge is loose\n2. The tray of the till is bent"
    digest = gleaned(("user", "Well?"), ("agent", found), ("user", "Where is the tray?"))
    assert not [text for text in of(digest, "fact", "agent") if " … " in text]


def test_what_is_turned_down_by_its_number_is_told_with_what_remains() -> None:
    said = (("user", "Which venue?"), ("agent", "1. Widbrook Barn\n2. Priston Mill"))
    digest = gleaned(*said, ("user", "1 is fully booked, I just called them."))
    assert of(digest, "fact", "agent") == ["1. Widbrook Barn … 2. Priston Mill"]
    assert not of(digest, "correction", "agent")
    assert of(digest, "correction", "user") == ["1 is fully booked, I just called them."]


MEANWHILE = (("user", "Is the cellar dry?"), ("agent", "The cellar is dry since May."))


def test_a_letter_is_understood_after_the_talk_has_gone_on() -> None:
    start = (("user", "How?"), ("agent", HEAT), *MEANWHILE, ("user", "OK, c then."))
    assert of(gleaned(*start), "decision", "agent") == ["There are three ways … c) Pellets"]
    later = gleaned(*start, *MEANWHILE, ("user", "Let's do a after all."))
    assert of(later, "decision", "agent") == ["There are three ways … a) Gas boiler"]
    assert of(later, "decision", "user") == ["Let's do a after all."]
    asked = (("agent", "Noted. Do you want a bill?"), ("user", "Yes please."), ("agent", "Sent."))
    after = gleaned(*start, *asked, ("user", "Let's do a after all."))
    assert "There are three ways … a) Gas boiler" in of(after, "decision", "agent")
    assert "There are three ways … c) Pellets" not in of(after, "decision", "agent")
    other = gleaned(*start, *asked, ("user", "B then."))
    assert "There are three ways … c) Pellets" in of(other, "decision", "agent")
    assert "There are three ways … b) Heat pump" not in of(other, "decision", "agent")


def test_a_number_is_not_understood_after_the_talk_has_gone_on() -> None:
    halls = "Which hall is it to be:\n\n1. Harbour hall\n2. Old bakery"
    digest = gleaned(("user", "Where?"), ("agent", halls), *MEANWHILE, ("user", "Then 2."))
    assert not [text for text in of(digest, "decision", "agent") if "bakery" in text]


@pytest.mark.parametrize(
    "text", ["C", "Then 3.", "c is loud then", "Let's take a walk.", "Then c or b."]
)
def test_what_then_names_no_letter_chooses_nothing(text: str) -> None:
    digest = gleaned(("user", "How?"), ("agent", HEAT), *MEANWHILE, ("user", text))
    assert not of(digest, "decision", "agent")


def test_a_letter_answers_the_question_that_was_asked_since() -> None:
    asked = ("agent", "Which grade has the oil, b or c?")
    digest = gleaned(("user", "How?"), ("agent", HEAT), MEANWHILE[0], asked, ("user", "c then"))
    assert not [text for text in of(digest, "decision", "agent") if "Pellets" in text]


def test_a_label_is_told_in_the_file_only_with_what_it_stands_for() -> None:
    digest = gleaned(("user", "How do we send it?"), ("agent", WAYS), ("user", "B"))
    assert [
        line for line in (managed_section(digest.points) or "").splitlines() if line[:4] == "- B "
    ]
    alone = [point for point in digest.points if point.by == "user"]
    assert "- B " not in (managed_section(alone) or "")
    kept = [p._replace(text="My dog is Rex") for p in alone if p.text == "B"]
    assert "- My dog is Rex" in (managed_section(kept) or "")


def test_another_way_does_not_speak_for_the_one_that_was_chosen() -> None:
    """What hedges one of several ways in a sentence says nothing of the others; what leads to all does."""
    said = "Options: A) admins only, B) admins and editors, C) everybody."
    digest = gleaned(("user", "Who may come in?"), ("agent", said), ("user", "B"))
    (told,) = of(digest, "decision", "agent")
    assert told == "Options … B) admins and editors"
    assert verdict(told, [spoken(said, "agent")], by="agent", verbatim=True).supported
    hedged = said.replace("Options:", "Perhaps:")
    part = "B) admins and editors"
    assert not verdict(part, [spoken(hedged, "agent")], by="agent", verbatim=True).supported
