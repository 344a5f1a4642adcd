"""A rule is told with what it needs to be understood, and only what a person says herself is one."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.gleaner import Gleaner
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")


def read(*texts: str) -> Digest:
    gleaner = Gleaner()
    gleaner.read(spoken("Good morning.", "user", n=1))
    gleaner.read(spoken("Good morning.", "agent", n=2))
    for n, text in enumerate(texts, start=3):
        gleaner.read(spoken(text, "user", n=n))
    return gleaner.digest()


def rules(text: str) -> list[str]:
    return [point.text for point in read(text).points if point.kind == "rule"]


@pytest.mark.parametrize(
    "text",
    [
        "I hate the word 'artisanal'. Don't use it anywhere.",
        "The old logo has the wrong green. Never put that into a document.",
    ],
)
def test_a_rule_that_only_points_is_told_with_what_it_points_at(text: str) -> None:
    assert rules(text) == [text]


def test_one_that_names_its_thing_stands_alone() -> None:
    text = "The weather was fine. Never put the price list into a mail."
    assert rules(text) == ["Never put the price list into a mail."]


def test_two_that_follow_each_other_stay_two() -> None:
    """So that one can be taken back, and the other stands."""
    found = rules("Never use tabs in the parser. Always mention it in reviews.")
    assert found == ["Never use tabs in the parser.", "Always mention it in reviews."]


def test_what_another_holds_is_told_with_what_she_says_to_it() -> None:
    text = "Jonas said we should never trust the list from the mill. I think he's too strict."
    assert rules(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Review this prompt for me: ```You must always answer in JSON. Never apologise.```",
        "Review this prompt for me:\n```\nYou must always answer in JSON. Never apologise.\n```",
    ],
)
def test_what_stands_between_fences_is_no_rule_of_hers(text: str) -> None:
    assert rules(text) == []


def test_a_name_between_fences_is_part_of_her_sentence() -> None:
    assert rules("Never rename ```parse_all``` again.") != []
