"""A question that a person puts off in words of her own stays open, with what she will do for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.facts import closed_of, memories_of
from everthread.domain.gleaning.open_items.put_off_chances import WEIGHTS, likely_put_off, traits
from everthread.domain.gleaning.utterances import take_apart
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

BENCH = Path(__file__).parent.parent / "bench" / "acts"
SHIPS = "Do you ship abroad as well, say to Norway or to Iceland?"
ALERT = "Where should the alert go, to the channel or to the pager?"
OTHER = ("How high is the tower?", "It is 40 metres high.")


def texts(digest: Digest, kind: str = "open_item") -> list[str]:
    return [p.text for p in digest.points if p.kind == kind]


def test_what_puts_it_off_need_not_come_first() -> None:
    later = "Good point, my aunt lives up there and knows people. Let me sleep on it."
    digest = read("Plan the shop.", f"Planned. {SHIPS}", later, "Fine.", *OTHER)
    assert SHIPS in texts(digest)


@pytest.mark.parametrize(
    "answer", ["Only to Norway, from May on.", "Nope, only at home.", "Yes, to both, from May on."]
)
def test_who_answers_leaves_nothing_open(answer: str) -> None:
    digest = read("Plan the shop.", f"Planned. {SHIPS}", answer, "Fine.", *OTHER)
    assert texts(digest) == []


def test_a_question_that_is_announced_is_one() -> None:
    asked = "One question on it: how many pots fit into the kiln?"
    digest = read("Plan it.", f"Planned. {asked}", "dunno, later", "Fine.", *OTHER)
    assert asked in texts(digest)


def test_it_is_remembered_with_what_she_will_do_for_it() -> None:
    own = "need to ask Sam, he leads the shift."
    digest = read("Set up the alerts.", f"Set up. {ALERT}", own, "Fine.", *OTHER)
    assert {ALERT, own} <= {*texts(digest)}
    kept = [fact.text for fact in memories_of(EMPTY, digest) if fact.kind == "open_item"]
    assert kept == [f"{ALERT} {own}"]


@pytest.mark.parametrize(
    "told", ["Sam says the channel is enough.", "The alert goes to the pager, day and night."]
)
def test_both_end_together_by_whose_words_soever_and_so_does_the_memory(told: str) -> None:
    own = "need to ask Sam, he leads the shift."
    before = read("Set up the alerts.", f"Set up. {ALERT}", own, "Fine.", *OTHER)
    after = read(told, "Good.", before=before, start=20)
    assert texts(after) == []
    assert f"{ALERT} {own}" in [p.text for p in closed_of(before, after).points]


def test_done_does_not_end_what_she_named_otherwise() -> None:
    own = "Let me think about that, I want to see who reads the archive first."
    asked = "Keep the archive, or drop it?"
    digest = read("Move the data.", f"Moved. {asked}", own, "Fine.", "Fixed. It runs.", "Good.")
    assert own in texts(digest)


def test_an_order_may_answer_what_was_put_off() -> None:
    asked = 'How long is "a while" for the alias?'
    put_off = (
        "Move the name.",
        f"Moved. {asked}",
        "I'll tell you when the date is fixed.",
        "Fine.",
    )
    before = read(*put_off, *OTHER)
    assert asked in texts(before)
    assert texts(read("Alias: kill it end of June.", "Noted.", before=before, start=20)) == []


def test_what_she_only_asks_is_no_errand_of_hers() -> None:
    asked = "whats the thing with the labels do i have to print them"
    digest = read("Hello.", "Hello.", asked, "Only on request.", *OTHER)
    assert texts(digest) == []


def test_every_trait_has_its_weight_and_the_marks_name_messages_of_talks() -> None:
    said = take_apart("Hm, no idea.").sentences
    assert traits(said, SHIPS).keys() == WEIGHTS.keys()
    assert likely_put_off((), SHIPS) is None
    told: dict[str, dict[str, list[int]]] = json.loads((BENCH / "put_off.json").read_text("utf-8"))
    for talk, marks in told.items():
        rows = (BENCH / "talks" / f"{talk}.jsonl").read_text("utf-8").splitlines()
        for n in (*marks["put off"], *marks["unclear"]):
            assert json.loads(rows[n])["speaker"] != "assistant"
            assert json.loads(rows[n - 1])["speaker"] == "assistant"


REPORT = "Send the report to Tom tomorrow."


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Did you send it?", "Yes, I sent it."),
        ("Did you send it?", "Yes."),
        ("So, have you sent the report?", "Yes, I sent it at nine."),
        ("Has it been sent?", "Yes, it has."),
    ],
)
def test_an_order_that_was_put_off_is_done_when_she_is_told_so(asked: str, answer: str) -> None:
    """The answer names nothing: what she asked tells which it is."""
    digest = read(REPORT, "I'll do that tomorrow.", asked, answer, *OTHER)
    assert texts(digest) == []


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Did you send it?", "Yes, I'll send it now."),
        ("Did you send it?", "Yes, but only the first half."),
        ("Did you send it?", "Yes, I sent the reminder to Anna."),
        ("Did you send the invoice?", "Yes, I sent it."),
        ("Did you read the report?", "Yes, I read it."),
        ("Did Anna send it?", "Yes, she sent it."),
        ("Will you send it tomorrow?", "Yes, I will send it."),
    ],
)
def test_a_yes_to_something_else_leaves_it_open(asked: str, answer: str) -> None:
    digest = read(REPORT, "I'll do that tomorrow.", asked, answer, *OTHER)
    assert REPORT in texts(digest)


def test_who_asks_about_a_later_order_does_not_mean_the_one_before() -> None:
    since = ("Send Anna the photos.", "Sent.", "Did you send it?", "Yes, I sent it.")
    digest = read(REPORT, "I'll do that tomorrow.", *since, *OTHER)
    assert texts(digest) == [REPORT]
