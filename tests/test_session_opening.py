"""What a session was for: the request that opened it has a place in its summary, told as it was said.

Requirements: D-6, D-11, R-12.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import everthread
from everthread import Agent, Everthread
from everthread.domain.conversation.messages import Message, Origin, Source, content_column
from everthread.domain.ending.session_material import sentences_in
from everthread.domain.ending.session_opening import opening_request
from everthread.domain.ending.session_talk import Talk
from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.harness.happenings import is_vouched
from everthread.testing import FrozenClock


def message(n: int, origin: Origin, text: str, source: Source = "hook") -> Message:
    form, content = content_column(text)
    role = "user" if origin == "user" else "assistant"
    return Message(
        key=n.to_bytes(16, "big"),
        thread_ref=1,
        session_ref=1,
        turn_ref=None,
        seq=n,
        role=role,
        kind="said",
        origin=origin,
        source=source,
        external_id=None,
        name=None,
        principal=None,
        archived=True,
        form=form,
        content=content,
        tokens=9,
        at_ms=n * 1_000,
        created_ms=n * 1_000,
        entry=n,
    )


def told(*said: str) -> str:
    """What is told of a session in which a person said this first; an agent answers each time."""
    talk = Talk()
    for n, text in enumerate(said):
        talk.hear(message(2 * n + 1, "user", text))
        talk.hear(message(2 * n + 2, "agent", "Here is what I found out so far."))
    found = opening_request(talk, lambda _claim: True)
    return "" if found is None else found.text


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            "Add a rate limit to the login endpoint.",
            "The user asked to add a rate limit to the login endpoint.",
        ),
        (
            "read @docs/a.md and then write a migration for the orders table",
            "The user asked to write a migration for the orders table.",
        ),
        (
            "@docs/a.md @docs/b.md now we want to implement offline search",
            "The user wanted to implement offline search.",
        ),
        (
            "We're going to build a queue for outgoing mail.",
            "The user intended to build a queue for outgoing mail.",
        ),
        (
            "Why does the nightly export lose the last row?",
            "The user asked: “Why does the nightly export lose the last row?”",
        ),
    ],
)
def test_the_first_request_is_told(said: str, text: str):
    assert told(said, "Fix the colours of the chart legend.") == text


@pytest.mark.parametrize(
    "said",
    ["hi there", "thanks!", "just tell me what to do", "I'll run the server myself.", "/clear"],
)
def test_what_asks_for_nothing_opens_nothing(said: str):
    asked = "Add a rate limit to the login endpoint."
    assert told(said, asked) == "The user asked to add a rate limit to the login endpoint."


def test_what_was_taken_back_at_once_is_not_told_and_what_was_changed_long_after_is():
    first = "Write the importer for invoices in Perl."
    assert "Perl" not in told(
        first, "Actually, forget the importer in Perl.", "Draw a chart of it."
    )
    later = ["Draw a chart of the months.", "Add a legend to it.", "Print the chart."]
    assert "Perl" in told(first, *later, "Forget the importer in Perl.")


def test_words_of_a_printout_open_nothing():
    paste = "$ make test\nError: cannot open db.sqlite\nmake: *** [Makefile:12: test] Error 1"
    assert "cannot open" not in told(f"Repair the test run of the importer.\n\n{paste}")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("if a file (e.g. foo.md) has a change, apply it. then push.", 2),
        ("It is slow (see notes.md. they are old) and it is wrong. Mend it.", 2),
        ("One thing. another thing.", 2),
        ("Smile :( and go on. then stop. and rest. and sleep. done now.", 2),
    ],
)
def test_no_sentence_ends_inside_a_parenthesis_or_after_an_abbreviation(text: str, count: int):
    assert len(sentences_in(text)) == count
    assert " ".join(sentences_in(text)) == text


@given(st.lists(st.sampled_from(["a word", "(open", "shut)", "e.g. foo", "end.", "So it is."])))
def test_sentences_are_stretches_of_the_text(parts: Sequence[str]):
    text = " ".join(parts)
    at = 0
    for sentence in sentences_in(text):
        at = text.index(sentence, at) + len(sentence)


# ---- what was imported


@pytest.mark.parametrize(
    ("key", "known"),
    [
        ("specstory:0f3c", True),
        ("aider:2026-01-02T03:04:05", True),
        ("specstory", False),
        ("my-specstory:1", False),
        ("s-1", False),
    ],
)
def test_a_log_of_a_known_tool_vouches_for_who_spoke(key: str, known: bool):
    assert is_vouched(key) is known


def test_what_nobody_vouches_for_asks_for_nothing():
    gleaner = Gleaner(EMPTY, whole=False)
    gleaner.read(message(1, "user", "Never deploy the shop on a Friday.", "import"))
    assert all(point.kind != "rule" for point in gleaner.digest().points)


@pytest.fixture
def et() -> Iterator[Everthread]:
    clock = FrozenClock("2026-02-20T10:00:00Z")
    with everthread.connect("memory://", clock=clock, background=False) as made:
        yield made


TALK = (
    ("Write a migration for the orders table in db/orders.sql.", "I have written it."),
    ("Add an index on customer_id.", "I added the index."),
    ("Run it against the copy of last night.", "It ran in 4 minutes."),
    ("Document the rollback in docs/rollback.md.", "I documented the rollback."),
    ("Make the migration run twice without harm.", "It now checks before it writes."),
)


def imported(agent: Agent, key: str) -> str:
    """The summary of a session that was brought in under that key."""
    entries = [
        {
            "id": f"{key}-{n}-{role}",
            "role": role,
            "content": text,
            "at": f"2026-02-19T1{n}:0{m}:00Z",
        }
        for n, turn in enumerate(TALK)
        for m, (role, text) in enumerate(zip(("user", "assistant"), turn, strict=True))
    ]
    agent.record(entries, source="import", session=key)
    [found] = [s for s in agent.sessions() if s.key == key]
    return agent.summarize_session(found.id).summary or ""


@pytest.mark.req("R-12")
def test_an_imported_log_is_summed_up_as_a_harness_session_is(et: Everthread):
    told = imported(et.agent("ada"), "specstory:0f3c")
    assert "The user asked to write a migration for the orders table in db/orders.sql" in told
    assert "make the migration run twice without harm" in told
    unknown = imported(et.agent("bob"), "s-1")
    assert "make the migration run twice without harm" not in unknown
