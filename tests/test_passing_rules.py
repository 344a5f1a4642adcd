"""Rules that are laid down in passing are rules, and what only sounds like one is none."""

from __future__ import annotations

import pytest

from everthread.domain.text.acts.passing_rules import holds_in_passing
from everthread.domain.text.acts.speech import parse_sentence, rules
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

ASIDE = ("How high is the tower?", "40 metres.")


@pytest.mark.parametrize(
    "said",
    [
        "nobody deploys on a friday",
        "ok but no one may touch the prod database",
        "so NO nuts anywhere.",
        "no hotfix on prod without staging first",
        "No payments without two approvals.",
        "please answer short, I get lost in long texts.",
        "and british spelling always, the faculty is picky",
        "Bitte duz mich und schreib auf deutsch, auch wenn Ben englisch schreibt",
        "invoice numbers must be gapless tho!!",
        "Order numbers must never be reused.",
    ],
)
def test_it_holds_from_then_on(said: str) -> None:
    assert rules(parse_sentence(said))


@pytest.mark.parametrize(
    "said",
    [
        "nobody reads the docs",
        "Nobody knows why.",
        "no one is here yet",
        "no way I finish that without coffee first",
        "No trace of it anywhere near the house.",
        "the button must be blue",
        "Guests must be crazy to come by bus.",
        "Tickets must be booked by Friday.",
        "we must confirm by then",
        "I have to answer briefly to his mail.",
        "He is British, always late.",
    ],
)
def test_it_tells_of_something(said: str) -> None:
    assert not holds_in_passing(said.lower())
    assert not rules(parse_sentence(said))


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        (
            "yes pls but no hotfix on prod without staging first. thats a rule",
            "yes pls but no hotfix on prod without staging first. thats a rule",
        ),
        ("Run the linter first. That's a rule from now on.", "Run the linter first."),
        (
            "make a db backup first!! always before migrations btw",
            "make a db backup first!! always before migrations btw",
        ),
    ],
)
def test_it_is_told_with_what_it_leans_on(said: str, rule: str) -> None:
    found = read(*ASIDE, said, "Understood.", *ASIDE)
    assert any(p.kind == "rule" and p.text.startswith(rule) for p in found.points)


def test_what_is_to_be_done_by_a_day_is_open() -> None:
    said = "The hotel keeps 20 rooms til april 15. we must confirm by then"
    found = read(*ASIDE, said, "20 rooms until 15 April.", *ASIDE)
    assert not any(p.kind == "rule" for p in found.points)
    assert any("confirm" in p.text for p in found.points if p.kind in ("open_item", "request"))
