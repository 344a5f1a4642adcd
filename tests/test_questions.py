"""What a question asks for: whose words, which days, which kind of answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.recall.cards import TIME
from everthread.domain.recall.questions import Question, Voice, gist_of, read_question
from everthread.domain.times import DAY, ms_of, text_of

NOW = ms_of("2026-02-20T10:00:00Z")  # a Friday


def asked(text: str) -> Question:
    return read_question(text, NOW)


def days(text: str) -> list[tuple[str, str]]:
    """The first and the last day of each stretch of time."""
    return [(text_of(start)[:10], text_of(stop - 1)[:10]) for start, stop in asked(text).spans]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("What did she find on 1 February, 2025?", "2025-02-01", "2025-02-01"),
        ("What did she find on February 1st, 2025?", "2025-02-01", "2025-02-01"),
        ("on 2025-02-01", "2025-02-01", "2025-02-01"),
        ("on the 3rd of Jan", "2026-01-03", "2026-01-03"),
        ("on 24 December", "2025-12-24", "2025-12-24"),
        ("What happened in January?", "2026-01-01", "2026-01-31"),
        ("What happened in March?", "2025-03-01", "2025-03-31"),
        ("What happened in February 2024?", "2024-02-01", "2024-02-29"),
        ("in 2023", "2023-01-01", "2023-12-31"),
        ("what did I do yesterday?", "2026-02-19", "2026-02-19"),
        ("what did I do today?", "2026-02-20", "2026-02-20"),
        ("last Monday", "2026-02-16", "2026-02-16"),
        ("last Friday", "2026-02-13", "2026-02-13"),
        ("two weeks ago", "2026-02-03", "2026-02-09"),
        ("3 days ago", "2026-02-17", "2026-02-17"),
        ("this week", "2026-02-13", "2026-02-20"),
    ],
)
def test_days_are_read_against_now(text: str, first: str, last: str) -> None:
    assert days(text) == [(first, last)]


@pytest.mark.parametrize(
    "text",
    [
        "What may I do?",
        "march on",
        "version 2.3.1",
        "on 31 February 2025",
        "31 December 9999",
        "in 9999",
    ],
)
def test_what_is_no_date_is_not_taken_for_one(text: str) -> None:
    assert days(text) == []


def test_a_day_that_is_named_outweighs_what_is_said_around_it() -> None:
    assert days("What did she do last week before April 10, 2025?") == [
        ("2025-04-10", "2025-04-10")
    ]


@pytest.mark.parametrize(
    ("text", "voice"),
    [
        ("What did I say about tabs?", Voice.PERSON),
        ("What did the user say about tabs?", Voice.PERSON),
        ("Did I ever ask for TypeScript?", Voice.PERSON),
        ("the user's preference for tabs", Voice.PERSON),
        ("Which file did I ask you to change?", Voice.ASKER),
        ("Has the user model got a name?", Voice.ANYONE),
        ("Where is the user stored?", Voice.ANYONE),
        ("What is the deadline of my project?", Voice.ASKER),
        ("How did you recommend to do it?", Voice.AGENT),
        ("What was your advice on my schema?", Voice.AGENT),
        ("Which file did we edit?", Voice.ANYONE),
        ("parser error", Voice.ANYONE),
        ("Can you summarize my project?", Voice.ANYONE),
    ],
)
def test_whose_words_are_wanted(text: str, voice: Voice) -> None:
    assert asked(text).voice == voice


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("How many retries do we allow?", True),
        ("how big is the pool", True),
        ("How many times did she go there?", False),
        ("How many dogs has Maria adopted?", False),
        ("How did we fix it?", False),
        ("Who wrote it?", False),
    ],
)
def test_who_asks_for_a_figure_is_known(text: str, counted: bool) -> None:
    assert asked(text).counted is counted


@pytest.mark.parametrize(
    ("text", "wants"),
    [
        ("When did she leave?", TIME),
        ("How long did it take?", TIME),
        ("Who wrote it?", 0),
        ("Why?", 0),
    ],
)
def test_which_kind_of_answer_is_wanted(text: str, wants: int) -> None:
    assert asked(text).wants == wants


def test_speakers_are_named_in_any_form() -> None:
    assert {"melanie", "craig"} <= asked("What is Melanie's and CRAIG'S plan?").named
    for_ann = asked("Ann wants to know what Mel paints").named
    assert "mel" in for_ann
    assert "ann" not in for_ann, "it is asked for her, not about her"


@pytest.mark.parametrize(
    ("text", "gist"),
    [
        (
            "Can you list the order in which I brought up different aspects of the parser "
            "throughout our conversations, in order? Mention ONLY and ONLY three items.",
            "the parser ?",
        ),
        ("Could you give me a detailed summary of the parser?", "the parser?"),
        ("Where is the parser?", "Where is the parser?"),
        ("What did the user say about the parser?", "the parser?"),
        ("Did I ever ask you for TypeScript?", "TypeScript?"),
        ("What did we say?", "What did we say?"),
        ("Please list in order", "Please list in order"),
        ("in order to parse", "in order to parse"),
        ("My sister wants to know why the boat was sold", "why the boat was sold"),
        ("the insurer keeps asking when the boat was sold", "when the boat was sold"),
        ("The customs form asks for the hull number?", "the hull number?"),
        ("somebody asked me whether the boat leaks", "the boat leaks"),
        ("ok remind me again, who bought the boat?", "who bought the boat?"),
        ("I can't remember which harbour it was", "which harbour it was"),
        # What was asked once may be what is looked for.
        ("Ann asked about the boat", "Ann asked about the boat"),
        ("what was asked for by the insurer?", "what was asked for by the insurer?"),
        ("Who wants to know about the boat?", "Who wants to know about the boat?"),
        ("The crew asks and asks", "The crew asks and asks"),
    ],
)
def test_the_gist_is_the_question_without_its_manners(text: str, gist: str) -> None:
    assert gist_of(text) == gist


@given(st.text(max_size=200), st.integers(min_value=0, max_value=4_000_000_000_000))
def test_anything_can_be_asked_at_any_time(text: str, now: int) -> None:
    question = read_question(text, now)
    assert all(start < stop for start, stop in question.spans)
    assert question.gist or not text.strip()


@given(st.integers(min_value=1, max_value=999), st.sampled_from(["day", "week", "month", "year"]))
def test_what_was_long_ago_lies_before_what_was_lately(number: int, unit: str) -> None:
    spans = asked(f"what was {number} {unit}s ago").spans
    assert all(stop <= NOW + DAY for _, stop in spans)


def test_a_question_of_a_megabyte_is_read_at_its_ends() -> None:
    question = asked("When " + "word " * 200_000 + "on 2025-02-01 did I leave?")
    assert question.wants == TIME
    assert len(question.spans) == 1
    assert len(question.words) <= 12
