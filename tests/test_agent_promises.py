"""What an agent says that it will do later is open until it speaks of it as of something that is there."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.open_items.agent_promises import promised_work
from everthread.domain.gleaning.utterances import take_apart
from support.spoken import called, spoken
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

GUIDE = "I'll also write a short guide to the kiln once you've sent me the photos."
OTHER = ("How high is the tower?", "It is 40 metres high.")


def open_items(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind == "open_item"]


def test_it_is_open_and_remembered() -> None:
    digest = read("Plan the week.", f"The plan is ready. {GUIDE}", "Good.", "Fine.", *OTHER)
    assert open_items(digest) == [GUIDE]
    kept = [fact for fact in memories_of(EMPTY, digest) if fact.kind == "open_item"]
    assert [(fact.text, fact.by) for fact in kept] == [(GUIDE, "agent")]


@pytest.mark.parametrize(
    "told",
    [
        "The guide to the kiln is finished, one page.",
        "Now the guide to the kiln. Written: one page in large print.",
        "On another matter: your short guide lies in the folder.",
    ],
)
def test_it_ends_when_the_agent_tells_of_it(told: str) -> None:
    before = read("Plan the week.", f"The plan is ready. {GUIDE}", "Good.", "Fine.", *OTHER)
    assert open_items(read("Thanks, go on.", told, before=before, start=20)) == []


@pytest.mark.parametrize(
    "told", ["The tower is open on Mondays.", "I'll send the guide on Monday."]
)
def test_what_tells_of_something_else_or_promises_again_leaves_it_open(told: str) -> None:
    before = read("Plan the week.", f"The plan is ready. {GUIDE}", "Good.", "Fine.", *OTHER)
    assert GUIDE in open_items(read("And else?", told, before=before, start=20))


@pytest.mark.parametrize(
    "said",
    [
        "I'll write the guide to the kiln.",  # the answer to an order
        "Fine. I'll leave the glaze table out of the guide.",
        "Fine. I'll give the firing times in every guide from now on.",
        "Fine. Send me the glaze photos and I'll draft the guide.",
        "Fine. I'll write it.",
        "Next I'll split the glaze table. I've moved the firing times to the guide.",
    ],
)
def test_what_is_no_piece_of_work_for_later_is_no_promise(said: str) -> None:
    assert promised_work(take_apart(said)) == ""


def test_who_goes_on_to_work_in_the_same_turn_does_it_now() -> None:
    for more in (called("write_file", n=3), spoken("The week is planned.", "agent", n=3)):
        gleaner = Gleaner()
        gleaner.read(spoken("Plan the week.", n=1, turn_ref=1))
        gleaner.read(spoken(f"The plan is ready. {GUIDE}", "agent", n=2, turn_ref=1))
        gleaner.read(more._replace(turn_ref=1))
        gleaner.read(spoken("Good.", n=5, turn_ref=2))
        assert open_items(gleaner.digest()) == []


def test_a_rule_that_the_agent_will_keep_to_is_no_open_request() -> None:
    digest = read(
        "Rename the columns.",
        "Renamed.",
        "From now on put the ticket number at the top of every page. Save me the search.",
        "Will do: the number heads every page.",
        *OTHER,
    )
    assert open_items(digest) == []
