"""The plain summary of a session: only what was said, by whom it was said, and only what still stands."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import everthread
from everthread.domain.conversation.messages import TEXT, Message, Origin
from everthread.domain.conversation.sessions import undated_summary
from everthread.domain.ending.session_persons import is_doubtful, shift_person
from everthread.domain.ending.session_prose import Claim, ProseSentence, join_sentences, weave
from everthread.domain.ending.session_speech import report_sentence
from everthread.domain.ending.session_summary import plain_prose
from everthread.domain.ending.session_support import own_prose
from everthread.domain.ending.session_talk import Talk, asks_text
from everthread.domain.gleaning.digest import Digest, Point
from everthread.domain.gleaning.roots import roots
from everthread.testing import FrozenClock
from support.chance import few
from support.sitting import work_off

IDLE = (("ok", "ok"),) * 4
Turns = Sequence[tuple[str, str]]


def summed(turns: Turns) -> str:
    """The prose of a session with these turns, filled up to the length that is summed up."""
    clock = FrozenClock("2026-02-20T10:00:00Z")
    with everthread.connect("memory://", clock=clock, background=False) as et:
        ada = et.agent("ada")
        for said, reply in (*turns, *IDLE[: max(0, 5 - len(turns))]):
            ada.turn(said).done(reply)
            clock.forward(minutes=1)
        over = ada.end_session()
        work_off(et)
        return undated_summary(ada.session(over.id).summary or "")


# ---- texts that were asked for


@pytest.mark.req("D-7")
@pytest.mark.parametrize(
    "request_",
    [
        "Write a short story about a lighthouse.",
        "Translate this into English: Ich habe die Lampe repariert und bin gegangen.",
        "Draft an email to my landlord about the lamp.",
        "Give me an example of a diary entry.",
        "Can you write something in the first person for our newsletter?",
    ],
)
def test_what_the_i_of_a_text_did_nobody_did(request_: str) -> None:
    told = summed([(request_, "I fixed the lamp and left. We decided to use the old boat.")])
    assert "lamp and left" not in told and "old boat" not in told


def test_a_text_goes_on_with_the_afterthoughts_to_it() -> None:
    told = summed([
        ("Write a short story about a lighthouse.", "I fixed the lamp and left the tower."),
        ("Nice. Now in the past perfect.", "I had fixed the lamp. I closed the door of the tower."),
        ("Fix the login bug in auth.py.", "I fixed the login bug in auth.py."),
    ])  # fmt: skip
    assert "tower" not in told
    assert "The agent fixed the login bug in auth.py" in told


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("Write a poem about rain.", True),
        ("write me a nice toast for the wedding", True),
        ("Could you translate it?", True),
        ("Show me another example.", True),
        ("Write the tests for `parse`.", False),
        ("Please write a function that sorts.", False),
        ("Write the result to disk.", False),
        ("I will write the migration guide tomorrow.", False),
        ("Fix the story view of the app.", False),
        ("Add a retry to the uploader.", False),
    ],
)
def test_a_request_for_a_text_is_told_from_one_for_work(sentence: str, text: bool) -> None:
    assert asks_text(sentence) is text


def test_what_is_handed_over_to_be_worked_on_is_no_statement() -> None:
    told = summed([
        ("Translate this letter: I decided to sell the farm. I will leave Bremen in May.", "Hecho.")
    ])  # fmt: skip
    assert "intended" not in told and "leave Bremen" not in told


# ---- fences, blocks and quotations


@pytest.mark.req("D-7")
@pytest.mark.parametrize(
    "shown",
    [
        "```\nI removed the vault.\n```",
        "> I removed the vault.",
        "The log says:\n\n    I removed the vault.\n",
        "“It was late. I removed the vault. Nobody saw it.”",
        "'It was late. I removed the vault. Nobody saw it.'",
    ],
)
def test_what_is_only_shown_is_not_told_as_a_deed(shown: str) -> None:
    told = summed([
        ("What does the log of the night say?", f"Here it is.\n\n{shown}\n\nThat is all."),
        ("Add a retry to the uploader.", "I added a retry to the uploader."),
    ])  # fmt: skip
    assert "removed the vault" not in told
    assert "the agent added a retry" in told


def message(text: str, origin: Origin = "agent") -> Message:
    return Message(
        key=b"k",
        thread_ref=1,
        session_ref=1,
        turn_ref=1,
        seq=1,
        role="assistant" if origin == "agent" else "user",
        kind="said",
        origin=origin,
        source="turn",
        external_id=None,
        name=None,
        principal=None,
        archived=False,
        form=TEXT,
        content=text,
        tokens=1,
        at_ms=0,
        created_ms=0,
        entry=1,
    )


def test_own_words_are_without_fences_blocks_and_long_quotations() -> None:
    shown = "Look:\n\n    I did it\n\n```\nI did it\n```\n> I did it\n“So. I did it.” Fine."
    assert "I did it" not in own_prose(message(shown)).text
    assert own_prose(message(shown)).text.split() == ["Look:", "Fine."]


def test_own_words_stay() -> None:
    kept = 'I read "Dune" and ran `make`.\n- I did this\n    - I did that too'
    assert own_prose(message(kept)).text == kept
    whole = "    I pasted all of this\n    with a margin."
    assert own_prose(message(whole)).text == whole


# ---- whose words


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "in which Anna says: I will burn my archive",
            "in which Anna says: “I will burn my archive”",
        ),
        ("not to forget: we must not deploy", "not to forget: “we must not deploy”"),
        ("to run my tests with: make check", "to run their tests with: make check"),
        ("to print 'I am my own' in my log", "to print 'I am my own' in their log"),
        ("to fix my parser: `I = me`", "to fix their parser: `I = me`"),
        ("to greet us with «we are you»", "to greet them with «we are you»"),
    ],
)
def test_what_is_quoted_keeps_its_persons(text: str, told: str) -> None:
    """(D-7)"""
    assert shift_person(text, "user") == told


def test_where_somebody_else_may_be_meant_the_sentence_is_quoted() -> None:
    said = "Write a scene in which Anna says I will burn my archive."
    assert is_doubtful(said) and report_sentence(said, "user") is None
    assert not is_doubtful("I never said that I like tabs.")
    assert "“Write a scene in which Anna says I will burn my archive”" in summed([(said, "No.")])


# ---- what no longer stands


@pytest.mark.req("D-7")
@pytest.mark.parametrize(
    ("turns", "gone", "stands"),
    [
        (
            [
                ("Let's use Redis for the cache.", "Fine."),
                ("No, wait. Forget Redis, use Memcached instead.", "I replaced it."),
            ],
            "decided to use Redis",
            "asked to use Memcached instead of Redis",
        ),
        (
            [
                ("We decided to use MySQL for the store.", "Fine."),
                ("Let's use SQLite for the store instead.", "Fine."),
            ],
            "MySQL",
            "decided to use SQLite for the store instead",
        ),
        (
            [
                ("I will write the guide tomorrow. Actually no, Tom will write it.", "Fine."),
            ],
            "intended to write",
            "Tom will write it",
        ),
        (
            [
                ("Let's use tabs in the parser.", "Fine."),
                ("Never mind, forget it.", "Fine."),
                ("Add a test for the lexer.", "I added a test for the lexer."),
            ],
            "tabs",
            "test for the lexer",
        ),
    ],
)
def test_what_was_taken_back_is_not_told_and_what_replaced_it_is(
    turns: Turns, gone: str, stands: str
) -> None:
    told = summed(turns)
    assert gone not in told and stands in told


def test_what_is_said_of_something_else_takes_nothing_back() -> None:
    told = summed([
        ("Let's use Redis for the cache.", "Fine."),
        ("Forget the logo, use the plain header instead.", "Fine."),
        ("Don't cache errors.", "Fine."),
    ])  # fmt: skip
    assert "decided to use Redis for the cache" in told


# ---- prose


def test_a_sentence_of_somebody_is_told_once() -> None:
    told = summed([("Ok, I want to stop here.", "Fine.")])
    assert told.count("stop here") == 1


def test_a_request_is_told_with_what_came_of_it() -> None:
    """(D-7)"""
    told = summed([
        ("Run the tests of the parser.", "Done. 41 tests pass."),
        ("Delete the old branch.", "I tried to delete the old branch: permission denied."),
        ("Rename the lexer to scanner.", "I renamed the lexer to scanner."),
    ])  # fmt: skip
    done = (
        "asked to run the tests of the parser, which the agent reported as done: “41 tests pass”."
    )
    assert done in told
    assert "renamed the lexer to scanner" in told
    assert "branch, and the agent" not in told and "branch, which" not in told
    assert told.count("lexer") == 1, "what was done needs no request before it"


@pytest.mark.parametrize(
    "reply",
    ["Done. But 3 tests fail.", "Done: I could not run 41 tests.", "I will run 41 tests.", "Done."],
)
def test_an_outcome_is_not_told_where_the_reply_does_not_report_one(reply: str) -> None:
    told = summed([("Run the tests of the parser.", reply)])
    assert "which the agent" not in told and "and the agent" not in told


def test_a_prohibition_is_never_left_open() -> None:
    told = summed([("You should not touch my notes.", "I will not touch your notes.")])
    assert "Left open" not in told


def test_more_of_the_same_is_told_as_such() -> None:
    said = [
        "The user asked to a.",
        "The user asked to b.",
        "The user was at c.",
        "The agent did d.",
    ]
    assert (
        join_sentences(said)
        == "The user asked to a. They also asked to b. They were at c. The agent did d."
    )


def test_what_one_message_says_makes_one_sentence() -> None:
    one, two = (
        ProseSentence(1, 0, text, (plain_claim(text),))
        for text in ("The user was fixing a.", "The user asked to test b.")
    )
    assert [t.text for t in weave([one, two], 1)] == ["The user was fixing a, and asked to test b."]
    assert weave([one, two], 2) == [one, two]


def plain_claim(text: str) -> Claim:
    return Claim(text, Point("request", text, (b"1",), "user", 0))


# ---- for whatever is said

_THINGS = st.sampled_from(
    "parser lexer uploader cache store index branch gallery invoice kitchen bicycle garden".split()  # noqa: SIM905 - read as a list of words
)
_MINE = st.sampled_from([
    "Let's use {0} for the {1}.", "Add the {0} to the {1}.", "I will paint the {0} tomorrow.",
    "Forget the {0}, use the {1} instead.", "I want to sell my {0}.", "Never mind the {0}.",
    "I love my {0}.", "Tom says: I will move our {0}.", "Why is the {0} in my {1}?",
    "Write a poem in which I sell my {0}.", "Actually no, keep the {0}.", "Don't touch my {0}!",
])  # fmt: skip
_THEIRS = st.sampled_from([
    "I added the {0} to the {1}.", "Done. The {0} works.", "I could not move the {0}.",
    "We'll use the {0}.", "Fixed the {0} in the {1}.", "Fine.", "I sold your {0} and left.",
])  # fmt: skip
_OWN = roots(
    "The user agent asked said wanted decided intended needed also corrected reported left open request "
    "spoke times once which done they them their theirs it its was were to from UTC"
)


@st.composite
def exchanges(draw: st.DrawFn) -> list[tuple[str, str]]:
    def put(form: str) -> str:
        return form.format(draw(_THINGS), draw(_THINGS))

    return [(put(draw(_MINE)), put(draw(_THEIRS))) for _ in range(draw(st.integers(1, 7)))]


@pytest.mark.slow
@pytest.mark.req("D-7")
@settings(max_examples=few(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(exchanges(), st.integers(0, 6))
def test_every_word_of_a_summary_was_said_and_none_inside_of_a_fence(
    turns: list[tuple[str, str]], place: int
) -> None:
    at = place % len(turns)
    said, reply = turns[at]
    fenced = "\n\n```\nI removed the zeppelin and left. Let's use the zeppelin.\n```\n"
    turns[at] = (said + fenced, reply + fenced)
    told = summed(turns)
    words = roots(" ".join(text for turn in turns for text in turn).replace(fenced, " "))
    prose = re.sub(r"The user spoke.*|They spoke.*", "", told)
    assert roots(prose) - _OWN <= words
    assert "zeppelin" not in told


@settings(max_examples=few(200), deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_no_text_breaks_what_reads_the_talk(mine: str, theirs: str) -> None:
    talk = Talk()
    talk.hear(message(mine, "user"))
    talk.hear(message(theirs)._replace(key=b"l"))
    point = Point("request", mine, (b"k",), "user", 0)
    talk.replaced(point, mine)
    talk.answer(point, mine)
    own = own_prose(message(mine, "user"))
    assert own.origin == "user" and roots(own.text) <= roots(mine)
    plain_prose(Digest((point,)), lambda _: True, len, extent="", talk=talk)


@pytest.mark.req("D-7")
def test_what_had_been_is_told_as_that() -> None:
    told = report_sentence("Explain it as if I'd been up all night.", "user")
    assert told is not None and told.text == "to explain it as if they had been up all night"
    assert shift_person("I'd like that", "user") == "they would like that"


@pytest.mark.req("D-7")
@pytest.mark.parametrize(
    "said",
    ["I'm standing in it right now and it smells of wet dog.", "I have to go and be a nurse."],
)
def test_where_somebody_is_just_now_is_no_matter_of_the_session(said: str) -> None:
    told = report_sentence(said, "user")
    assert told is None or told.act == "said"
