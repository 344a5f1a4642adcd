"""A sentence without a verb belongs to the rule, or to the order, before it; and rules in other forms."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.gleaning.facts import memories_of
from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-13")


def _rules(text: str) -> list[str]:
    digest = gleaned_in_turn("Good morning.", "Good morning.", text, "Noted.")
    return [f.text for f in memories_of(EMPTY, digest) if f.kind in ("rule", "preference")]


@pytest.mark.parametrize(
    "text",
    [
        "Keep answers short. Two sentences at most.",
        "Keep answers short. Three lines max.",
        "Keep answers short. Ten words or less.",
    ],
)
def test_a_measure_belongs_to_the_rule_before_it(text: str) -> None:
    assert _rules(text) == [text]


def test_what_a_rule_only_points_at_is_told_with_it() -> None:
    text = "No, don't turn them into 0. A null discount means no discount."
    assert _rules(text) == [text]
    assert _rules("Don't use tabs. A null discount means none.") == ["Don't use tabs."]


@pytest.mark.parametrize("after", ["Thanks a lot.", "I had two coffees.", "Is two at most okay?"])
def test_what_has_a_verb_or_no_bound_stands_alone(after: str) -> None:
    assert _rules(f"Keep answers short. {after}") == ["Keep answers short."]


@pytest.mark.parametrize(
    "text",
    [
        "Write a short note to Ben. No more than three lines.",
        "Read me a poem. Two verses at most.",
        "Draft a mail to Ida. Max five sentences.",
    ],
)
def test_a_measure_of_what_is_ordered_once_is_no_rule(text: str) -> None:
    assert _rules(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Don't forget to use Celsius.",
        "Don't forget to answer in French.",
        "I'd rather you said Mr Okafor from now on.",
        "I'd like to get the weekly report on Thursdays instead.",
        "Show all prices in euros.",
        "Open pull requests against the develop branch.",
        "Bitte sprich mich immer mit du an.",
    ],
)
def test_what_holds_from_now_on(text: str) -> None:
    assert _rules(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Don't forget to use the umbrella.",
        "Don't forget to use up the milk.",
        "Don't forget to answer Anna.",
        "Don't forget to attach the file this time.",
        "I'd rather you came on Friday.",
        "I'd like the fish instead.",
        "I'd like the report on Friday instead.",
        "Show all prices in euros in this table.",
        "Show all open tickets in the list.",
        "Open pull requests against main for all three bugs.",
        "Mach dir nichts draus, das ist immer so.",
    ],
)
def test_what_is_for_once(text: str) -> None:
    assert _rules(text) == []
