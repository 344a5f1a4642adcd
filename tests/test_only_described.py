"""What is done to a thing, or in what state it is, says nothing of what it is: both stand."""

from __future__ import annotations

import pytest

import everthread
from everthread.domain.memory.contradictions import contradicts

pytestmark = pytest.mark.req("D-6", "A-13")

DATABASE = "The database is Postgres"
BRANCH = "The branch is main"
BOTH_STAND = [
    (DATABASE, "The database is backed up nightly"),
    ("The database is PostgreSQL 15", "The database is backed up nightly"),
    (DATABASE, "The database is replicated to Frankfurt"),
    (DATABASE, "The database is owned by Anna"),
    (DATABASE, "The database is relational"),
    (DATABASE, "The database is getting slower"),
    (DATABASE, "The database is under load"),
    (DATABASE, "The database is read-only"),
    (DATABASE, "The database is a replica"),
    (DATABASE, "The database is hers"),
    (DATABASE, "The database is multi-tenant"),
    ("The region is eu-west-1", "The region is GDPR-compliant"),
    ("The runtime is Node 20", "The runtime is end-of-life"),
    ("The model is GPT-4", "The model is multilingual"),
    ("Our queue is Redis", "Our queue is monitored by Datadog"),
    (BRANCH, "The branch is protected"),
    (BRANCH, "The branch is up to date"),
    (BRANCH, "The branch is ahead of origin"),
    (BRANCH, "The branch is being rebased"),
    (BRANCH, "The branch is green"),
    (BRANCH, "The branch is stale"),
    ("The default branch is main", "The default branch is protected"),
    ("The host is web-1", "The host is patched monthly"),
    ("The host is web-1", "The host is unreachable"),
    ("The port is 8080", "The port is exposed"),
    ("The framework is Django", "The framework is well documented"),
    ("The email is lena@example.org", "The email is verified"),
    ("The key is k-17", "The key is rotated monthly"),
    ("The username is bob", "The username is taken"),
    ("The shell is zsh", "The shell is configurable"),
    ("The role is admin", "The role is inherited"),
    ("The version is 3", "The version is released"),
    ("The licence is MIT", "The licence is permissive"),
    ("The default is 30", "The default is documented"),
    ("The theme is dark", "The theme is customizable"),
    ("The owner is Kim", "The owner is moving to Rome"),
    ("The linter is ruff", "The linter is kept strict"),
    # two such things are told of one
    ("The database is encrypted", "The database is backed up"),
    ("The branch is protected", "The branch is merged"),
]
REPLACED = [
    ("The database is MySQL", "The database is Postgres"),
    ("The database is orders", "The database is billing"),
    (BRANCH, "The branch is develop"),
    (BRANCH, "The branch is staging"),
    ("The default branch is master", BRANCH.replace("branch", "default branch")),
    ("The host is web-1", "The host is web-2"),
    ("The port is 8080", "The port is 9090"),
    ("The shell is bash", "The shell is zsh"),
    ("The role is editor", "The role is admin"),
    ("The theme is dark", "The theme is light"),
    ("The colour is faded", "The colour is saturated"),
    ("The default is sorted", "The default is random"),
    ("The status is draft", "The status is published"),
    ("The status is open", "The status is blocked"),
    ("The linter is flake8", "The linter is ruff"),
    ("The language is German", "The language is English"),
    ("The database is locked", "The database is unlocked"),
    ("The job is running", "The job is done"),
]


def _told_now(text: str) -> list[str]:
    return [text, f"{text} now", text.replace(" is ", " is now ", 1), f"Update: {text}"]


@pytest.mark.parametrize(("one", "other"), BOTH_STAND)
def test_what_is_done_to_it_leaves_it_what_it_was(one: str, other: str) -> None:
    assert not [text for text in _told_now(other) if contradicts(text, one)]
    assert not [text for text in _told_now(one) if contradicts(text, other)]


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_another_one_of_its_sort_still_takes_its_place(old: str, new: str) -> None:
    assert all(contradicts(text, old) for text in _told_now(new)[:3])


def test_a_memory_of_what_it_is_outlives_what_is_done_to_it() -> None:
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada")
        ada.remember(DATABASE)
        ada.remember("The database is backed up nightly")
        assert len(ada.memories()) == 2
