"""A memory says what it is about: what only points at something is told in the summary, behind that."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.passing_remarks import decides_on_unnamed
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-44")


@pytest.mark.parametrize(
    "said",
    [
        "nah skip that, nobody reads it",
        "drop it on staging, nothing in there matters",
        "lets put it off till next year",
        "ok, we'll leave it then",
    ],
)
def test_a_choice_about_something_unnamed_is_no_memory(said: str) -> None:
    assert decides_on_unnamed(said)


@pytest.mark.parametrize(
    "said",
    [
        "skip the newsletter, nobody reads it",
        "move it to Monday",
        "keep it below 200 words",
        "leave that part to Ida",
        "we do it this way since spring",
        "keep them in `srv/logs`",
    ],
)
def test_what_names_something_may_be_one(said: str) -> None:
    assert not decides_on_unnamed(said)


def test_it_stands_in_the_summary_and_not_among_the_memories() -> None:
    asked = "Shall I write the newsletter as well, for the customers of the shop?"
    said = "nah skip that, nobody reads it"
    digest = read("Make flyers for the shop.", asked, said, "Fine, no newsletter.", "ok", "Good.")
    assert any(said in point.text for point in digest.points)
    assert not any(fact.text == said for fact in memories_of(EMPTY, digest))
