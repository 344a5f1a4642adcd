"""What needs the speaker's word each time is a rule; what is pointed at, or told, is none."""

from __future__ import annotations

from time import thread_time

import pytest

from everthread.domain.text.acts.approvals import LONGEST, needs_approval
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


@pytest.mark.parametrize(
    "text",
    ["ok, " * 3_000, "\n" * 20_000 + "ok", "ok, so " * 40, "please only x " * 1_000, "; \n" * 70],
)
def test_a_text_that_is_made_for_it_takes_no_time(text: str) -> None:
    start = thread_time()
    assert not needs_approval(text, frozenset({"ok"}))
    assert thread_time() - start < 0.5


def test_a_rule_is_said_in_few_words() -> None:
    rule, bag = "commit only with my approval", frozenset({"approval"})
    assert needs_approval(rule.rjust(LONGEST), bag)
    assert needs_approval(f"ok, so, and {rule}", bag)
    assert not needs_approval(rule.rjust(LONGEST + 1), bag)
