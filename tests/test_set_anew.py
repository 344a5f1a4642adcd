"""What is set anew without its name, another version of the same product, rules that are told to end."""

from __future__ import annotations

import pytest

from everthread.domain.memory.contradictions import contradicts
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

OTHER = ("How high is the tower?", "40 metres.")
SIZE = "batch size for kafka is 50"


def texts(*said: str) -> list[str]:
    return [point.text for point in read(*said).points]


@pytest.mark.parametrize(
    "said", ["make it 10", "too slow. lets do 10 then", "10 then", "Let's go with 10 instead."]
)
def test_the_only_figure_that_was_told_last_is_set_anew(said: str) -> None:
    told = texts(SIZE, "OK.", said, "Done.", *OTHER)
    assert not any("50" in text for text in told)
    # Of what it is stands beside it: the figure alone would tell nothing.
    assert "batch size for kafka is […]" in told
    assert said in told


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("OK. How many workers shall I start?", "10 then"),
        ("OK.", "make it 10,000"),
        ("OK.", "let's do 10 laps tonight"),
        ("OK.", "What does the speaker get? Let's make it 10."),
    ],
)
def test_a_figure_of_something_else_leaves_it(answer: str, said: str) -> None:
    assert SIZE in texts(SIZE, answer, said, "Done.", *OTHER)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("we are on django 4.2", "upgraded to django 5.2 today, all green"),
        ("we run on python 3.9 in prod", "bumped prod to python 3.12"),
        ("our server is ubuntu 22.04", "migrated the server to ubuntu 24.04 last night"),
        ("node is at 18.2", "Upgraded node to 20.1."),
        ("We use Postgres 14.", "We have moved from Postgres 14 to Postgres 16."),
    ],
)
def test_another_version_of_the_same_takes_its_place(old: str, new: str) -> None:
    assert contradicts(new, old)
    told = [p.text for p in read(*OTHER, old, "OK.", new, "Fine.").points if p.kind == "fact"]
    assert (new in told, old in told) == (True, False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("staging runs on python 3.9", "bumped prod to python 3.12"),
        ("we use table 1", "updated table 2"),
        ("we use postgres 14", "we should move to postgres 16"),
        ("we use postgres 14", "We moved to postgres 14 last year."),
        ("we are on django 4.2", "the migration to django 5.2 was not what we moved to"),
        ("we have room 12 for the workshop", "the choir moved to room 14"),
    ],
)
def test_what_only_looks_like_it_leaves_both(old: str, new: str) -> None:
    assert not contradicts(new, old)


@pytest.mark.parametrize(
    "rule",
    [
        "no payments over 500 without asking me",
        "nothing over 100 euros without checking with me first",
    ],
)
def test_what_is_not_to_be_done_unasked_is_a_rule(rule: str) -> None:
    assert any((p.kind, p.text) == ("rule", rule) for p in read(*OTHER, rule, "OK.").points)


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        ("the payments rule has ended", True),
        ("im back, so my payments rule ends now", True),
        ("the payments rule ends on friday", False),
        ("the parking rule has ended", False),
    ],
)
def test_a_rule_ends_when_she_says_so(said: str, ends: bool) -> None:
    rule = "no payments over 500 without asking me"
    rules = [p.text for p in read(rule, "OK.", said, "OK.", *OTHER).points if p.kind == "rule"]
    assert (rule in rules) is not ends
