"""A rule about others ends when they are let again, and with it what the agent said to it."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.leave_to_others import lets_others
from everthread.domain.text.acts.speech import parse_sentence
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-21", "R-15")

RULE = "Rule for this week: no deploys to payments without my ok."


@pytest.mark.parametrize(
    "said",
    [
        "payments can deploy again whenever they like",
        "The payments team may deploy again.",
        "So payments are free to deploy again now.",
    ],
)
def test_those_of_whom_the_rule_speaks_are_let_again(said: str) -> None:
    rule = RULE.replace("payments", "payments team") if "team" in said else RULE
    assert lets_others(parse_sentence(said), rule)


@pytest.mark.parametrize(
    "said",
    [
        "payments can deploy again today",
        "payments can deploy again if I say so",
        "checkout can deploy again whenever they like",
        "payments can restart again whenever they like",
        "Can payments deploy again?",
        "payments can deploy to prod again",
        "payments deployed again",
    ],
)
def test_others_or_for_once_are_not(said: str) -> None:
    assert not lets_others(parse_sentence(said), RULE)


def test_nothing_of_the_rule_is_left() -> None:
    found = read(
        RULE,
        "Understood: no deploys to payments without your ok.",
        "How high is the tower?",
        "40 metres.",
        "monday! campaign done. payments can deploy again whenever they like",
        "Payments may deploy without approval again.",
    )
    assert not any("without" in p.text and "no deploys" in p.text for p in found.points)
    assert any(p.kind == "correction" for p in found.points)
