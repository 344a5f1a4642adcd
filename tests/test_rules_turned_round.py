"""A ban ends where just that is wanted or allowed for good, in whichever words; so does a duty to ask."""

from __future__ import annotations

import pytest

from everthread.domain.text.tellings.turned_rules import is_turned_round

pytestmark = pytest.mark.req("A-13")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Call me by my first name, never Mr Okafor.", "I'd rather you said Mr Okafor from now on."),
        ("No emojis in the newsletter.", "A few emojis in the newsletter would be nice from now on."),
        ("No emojis in the newsletter.", "It sells, so emojis in the newsletter are welcome now."),
        ("Ask me before you delete anything.", "You needn't check with me about deletions any more."),
        ("Ask me before you delete anything.", "Deleting without asking is all right from here on."),
        ("Never deploy on Fridays.", "Deploying on Fridays is fine again."),
    ],
)  # fmt: skip
def test_what_was_forbidden_is_wanted(rule: str, said: str) -> None:
    assert is_turned_round(said, rule)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("No emojis in the newsletter.", "Emojis in the chat are fine now."),
        ("No emojis in the newsletter.", "Emojis in the newsletter title are okay now."),
        ("No emojis in the newsletter.", 'A reader wrote "emojis in the newsletter are fine now".'),
        ("No emojis in the newsletter.", "Would emojis in the newsletter be fine from now on?"),
        ("Never deploy on Fridays.", "Deploying this Friday is fine again."),
        ("Never deploy on Fridays.", "Deploying on Thursdays is fine again."),
        ("Never deploy on Fridays.", "If the rollback works, deploying on Fridays is fine again."),
        ("Ask me before you delete anything.", "You can delete drafts without asking from now on."),
        ("Ask me before you delete anything.", "Rename files without asking from now on."),
        ("Ask me before you delete anything.", "You can delete it without asking."),
        ("Call me by my first name, never Mr Okafor.", "I want you to write to Mr Okafor from now on."),
        ("Don't call my mother.", "My mother is fine again."),
        ("Don't mention the war.", "The war is over now, good."),
        ("Don't ask Tom.", "Tom is okay again."),
        ("Don't write about Anna.", "Anna is great now."),
        ("Never use my card.", "My card is okay again."),
        ("Don't use the staging server.", "The staging server is fine again."),
        ("Don't suggest Italian restaurants.", "Italian restaurants are great now."),
        ("No sugar.", "The sugar is good now."),
    ],
)  # fmt: skip
def test_what_is_of_another_thing_or_once_turns_nothing(rule: str, said: str) -> None:
    assert not is_turned_round(said, rule)
