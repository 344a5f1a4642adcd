"""What needs the speaker's word each time is a rule; what is pointed at, or told, is none."""

from __future__ import annotations

import pytest

from everthread.domain.text.acts.speech import parse_sentence, rules

pytestmark = pytest.mark.req("A-13")


@pytest.mark.parametrize(
    "text",
    [
        "Commit only with my approval.",
        "Only commit with my approval.",
        "Commits only with my OK.",
        "Only deploy after my go-ahead.",
        "You need my OK before you send anything.",
        "Run everything by me first.",
        "Let me see drafts before they go out.",
        "Show me the plan before you change files.",
        "My approval is needed for purchases over 50 euros.",
        "Purchases over 50 euros need my approval.",
        "Every refund needs my sign-off.",
    ],
)
def test_what_needs_approval_is_a_rule(text: str) -> None:
    assert rules(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "He needs my approval for the budget.",
        "Anna needs my permission to leave.",
        "The landlord needs my approval.",
        "The form needs my sign-off.",
        "Merge this one only after my OK.",
        "Send it only after my OK.",
        "They only started after my approval.",
        "I only signed after our approval.",
        "Deploy only after my go-ahead tomorrow.",
        "Show me the diff first.",
        "Let me see it first.",
        "Run it by me first.",
        "Does this need my approval?",
    ],
)
def test_what_is_done_once_or_told_is_none(text: str) -> None:
    assert not rules(parse_sentence(text))
