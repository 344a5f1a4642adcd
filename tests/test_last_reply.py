"""What a recovery tells of what was done: the last reply, what was reported, what was asked for before.

Requirements: R-1, R-21, B-26.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.conversation.messages import Origin
from everthread.domain.gleaning.digest import Digest, Point, Trace
from everthread.domain.harness.last_words import LONGEST, UNANSWERED, last_words
from everthread.domain.harness.recovery import (
    PRINTED_OFTEN,
    Stand,
    recovery_text,
    restored_text,
    sections,
    unfolded,
)
from support.harness import Bench, bench

FIXED = "The retry loop in src/poll.py now stops after five attempts."


@pytest.fixture
def b(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (FIXED, FIXED),
        (f"Perfect! {FIXED} I also ran the tests.", FIXED),
        (f"All done.\n\n## Result\n\n{FIXED}", FIXED),
        (f"Let me wrap up the change to the loop. {FIXED}", FIXED),
        (f"Here is what has changed in detail:\n\n{FIXED}", FIXED),
        (f"The three changes are as follows:\n\n```py\nx = 1\n```\n\n{FIXED}", FIXED),
        ("Die Wiederholung in src/poll.py endet nach fünf Versuchen.",) * 2,
        ("重试循环现在五次后停止。",) * 2,
        ("7741. テストを書きます。",) * 2,
        ("Port 7741. I will write the tests next.", "Port 7741."),
        (f"Done! 42 files. {FIXED}", f"42 files. {FIXED}"),
    ],
)
def test_a_reply_is_told_by_the_first_sentence_that_says_something(reply: str, told: str):
    assert last_words(reply)[0] == f"- Agent: {told}"


@pytest.mark.parametrize(
    "reply", ["", "Perfect!", "```py\nprint(1)\n```", "Now I'll look at the poller:"]
)
def test_a_reply_without_a_statement_is_not_told(reply: str):
    assert last_words(reply) == []


def test_a_question_that_was_left_to_the_user_is_told():
    asked = "Should the limit be read from config.toml or stay a constant?"
    assert last_words(f"{FIXED} {asked}")[1:] == [f"- It ended by asking: {asked}"]
    assert last_words(asked) == [f"- Agent: {asked}"]


@pytest.mark.parametrize("manners", ["Would you like me to run it?", "Anything else I can do?"])
def test_an_offer_is_no_question_that_waits(manners: str):
    assert last_words(f"{FIXED} {manners}") == [f"- Agent: {FIXED}"]


@given(st.text(max_size=400))
def test_each_line_is_one_line_and_short(reply: str):
    for line in last_words(reply):
        assert "\n" not in line
        assert len(line) <= LONGEST + len("- It ended by asking: ")


def point(kind: str, text: str, by: Origin = "agent", at: int = 1) -> Point:
    return Point(kind, text, (b"k",), by, at)


def test_what_was_done_is_told_before_facts_and_never_twice():
    digest = Digest(
        points=(
            *(point("fact", f"The queue number {n} holds {n} letters.") for n in range(30)),
            point("done", "Added a limit to src/poll.py."),
            point("done", FIXED, at=2),
        )
    )
    stand = Stand("A session.", digest, reply=last_words(FIXED))
    told = recovery_text(stand, 800)
    assert told.index("### Last reply") < told.index("### Done") < told.index("### State")
    assert "Added a limit to src/poll.py." in told
    assert told.count(FIXED) == 1


def test_after_a_compaction_requests_and_deeds_come_back_although_evidence_fills_the_page():
    digest = Digest(
        points=(
            point("request", "Make the poller give up after five attempts.", "user"),
            point("done", FIXED),
            *(point("fact", f"The queue number {n} holds {n} letters.") for n in range(99)),
        )
    )
    told = restored_text(digest, "It was compacted.", 900)
    assert "Make the poller give up after five attempts." in told
    assert FIXED in told


def trace(kind: str, text: str, note: str = "", by: Origin = "tool", times: int = 1) -> Trace:
    return Trace(kind, text, note, (b"k",), 1, by=by, times=times)


def told_back(*items: Point | Trace) -> str:
    points = tuple(each for each in items if isinstance(each, Point))
    ledger = tuple(each for each in items if isinstance(each, Trace))
    return restored_text(Digest(points=points, ledger=ledger), "It was compacted.", 6_000)


LIMIT = "The limit is 100 requests a minute."


def test_what_another_line_says_whole_is_not_told_again():
    request = "First the limiter. We drop the old queue at once."
    told = told_back(
        trace("number", "100", LIMIT, "agent"),
        point("fact", f"You are right, I misread it. {LIMIT} The rest is as it was."),
        point("decision", "We drop the old queue at once.", "user"),
        point("decision", "Right. We drop the old queue at once. Sessions stay.", "user"),
        point("request", request, "user"),
        trace("number", "8", "raise it to 8 seconds", "user"),
    )
    assert told.count(LIMIT) == 1
    assert '### Numbers\n- "raise it to 8 seconds"' in told
    assert told.count("We drop the old queue at once.") == 2, "as a decision, and as it was asked"
    assert request in told


def test_a_decision_is_never_left_as_a_mere_request():
    told = told_back(
        point("decision", "We drop the old queue at once.", "user"),
        point("request", "First the limiter. We drop the old queue at once.", "user"),
    )
    assert told.count("We drop the old queue at once.") == 2


def test_what_a_tool_prints_each_time_and_rulers_are_no_evidence():
    told = told_back(
        trace("number", "8.3.2", "platform linux, pytest-8.3.2", times=PRINTED_OFTEN),
        trace("number", "47", "47 passed in 3.1s", times=PRINTED_OFTEN - 1),
        trace("number", "30", "every 30 seconds", "user", times=PRINTED_OFTEN),
        trace("identifier", "__________"),
        trace("identifier", "jobs_dead_total"),
    )
    assert "pytest-8.3.2" not in told
    assert "47 passed" in told
    assert "every 30 seconds" in told
    assert "### Identifiers\n- jobs_dead_total\n" in told


def test_the_folder_that_files_are_told_below_is_named_once_and_known_again():
    paths = [f"/home/tom/shop/src/{name}.py" for name in ("app", "orders", "limits")]
    told = told_back(*(trace("file", path, "edited") for path in paths))
    assert "### Files below /home/tom/shop/\n- src/" in told
    assert not any(path in told for path in paths)
    assert all(path in unfolded(told) for path in paths)


@pytest.mark.req("R-1")
def test_a_start_is_told_how_the_last_prompt_was_answered(b: Bench):
    first = b.window("one")
    first.start()
    first.turn("Stop the retry loop in src/poll.py after five attempts.", f"Great. {FIXED}")
    first.end()
    b.clock.forward(minutes=5)
    told = b.window("two").start()
    assert f"### Last reply\n- Agent: {FIXED}" in told


@pytest.mark.req("R-1", "R-21")
def test_a_start_is_told_that_the_last_prompt_has_no_answer(b: Bench):
    first = b.window("one")
    first.start()
    first.turn("Stop the retry loop in src/poll.py after five attempts.", FIXED)
    first.prompt("Write a test for the limit in tests/test_poll.py.")
    first.end()
    b.clock.forward(minutes=5)
    told = b.window("two").start()
    assert UNANSWERED in told
    assert f"- Agent: {FIXED}" not in told


def test_what_was_forgotten_is_not_told_as_the_last_reply(b: Bench):
    first = b.window("one")
    first.start()
    first.turn("Stop the retry loop in src/poll.py after five attempts.", FIXED)
    first.end()
    b.clock.forward(minutes=5)
    b.agent.forget(b.agent.remember(FIXED).id)
    assert FIXED not in b.window("two").start()


def test_a_stand_without_a_reply_has_no_such_section():
    assert "Last reply" not in [s.name for s in sections(Stand("A session."))]


def test_what_the_agent_said_it_would_do_is_no_request(b: Bench):
    w = b.window()
    w.start()
    w.prompt("Please write tests for parser.py")
    w.tool("pytest -q | tail -2", "2 failed, 3 passed\nexit code: 0")
    w.reply("I ran pytest: two fail in tests/test_parser.py. I will fix tokenise() next.")
    w.turn("Which port do we use?", "Port 7741 is the one we use.")
    w.end()
    b.work()
    given = b.window("s-2").start()
    assert "### Planned\n- Agent, 20 Feb: I will fix tokenise() next." in given
    assert "Agent" not in given.partition("### Requests before\n")[2].partition("###")[0]
    assert "`pytest -q | tail -2`: failed" in given
