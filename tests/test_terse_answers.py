"""What a person settles in few words is a decision, by what it answers."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.gleaning.choices.exchanges import (
    LEVEL,
    Answered,
    answered_by,
    settled_sentences,
    settling_chance,
)
from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.text.acts.speech import parse_sentence
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")

BENCH = Path(__file__).parent.parent / "bench" / "acts"


def talk(*lines: str, before: Digest = EMPTY) -> Digest:
    """A person and her agent, in turn."""
    gleaner = Gleaner(before)
    for n, text in enumerate(lines, start=1):
        gleaner.read(spoken(text, "user" if n % 2 else "agent", n=n + before.messages))
    return gleaner.digest()


def texts(digest: Digest, kind: str) -> list[str]:
    return [p.text for p in digest.points if p.kind == kind and p.by == "user"]


@pytest.mark.parametrize(
    ("offer", "answer"),
    [
        ("The cron could run hourly or once a night.", "nightly run is plenty, so once a night"),
        (
            "For the hedge I would take beech, hornbeam grows slower.",
            "hornbeam then, slow suits me.",
        ),
        (
            "A cap on the upload queue of 200 entries would help.",
            "then cap the queue at 150 entries",
        ),
        ("Should the invoice go out on the 1st or with the delivery?", "with the delivery"),
        ("I can keep the old endpoint for a while. It costs little.", "old endpoint goes."),
    ],
)
def test_an_answer_in_few_words_that_takes_up_what_was_offered_is_a_decision(
    offer: str, answer: str
) -> None:
    found = texts(talk("Help me with this, please.", offer, answer), "decision")
    assert any(answer in each for each in found)


@pytest.mark.parametrize(
    ("told", "answer"),
    [
        ("The cron runs hourly now.", "Thanks, I had a look at the cron page this morning."),
        ("For the hedge I would take beech.", "My neighbour has a dog that barks all day long."),
        ("The queue holds 200 entries.", "What does the queue hold at most?"),
        ("The train leaves at nine.", "Last summer we missed it twice."),
        ("The endpoint is old.", "I wonder who wrote it, that must have been years ago."),
    ],
)
def test_the_like_of_it_is_none(told: str, answer: str) -> None:
    assert texts(talk("Help me with this, please.", told, answer), "decision") == []


def test_what_she_goes_on_to_ask_is_no_part_of_what_she_settled() -> None:
    offer = "ZFS mirror or a plain ext4 disk?"
    found = texts(talk("Hi.", offer, "mirror then. does zfs eat all my memory?"), "decision")
    assert found == ["mirror then."]


def test_the_question_of_the_agent_stands_before_an_answer_that_says_little_alone() -> None:
    asked = "I can write the replay tool now. A flag on the server, or a program of its own?"
    digest = talk("Go on.", asked, "own program")
    points = [(p.by, p.text) for p in digest.points if p.kind == "decision"]
    assert points == [
        ("agent", "A flag on the server, or a program of its own?"),
        ("user", "own program"),
    ]
    assert not [p for p in digest.points if p.kind == "open_item"]


@pytest.mark.parametrize("text", ["why skipped", "what about the replay tool"])
def test_a_question_without_its_sign_settles_nothing(text: str) -> None:
    told = "The replay tool is skipped in the build."
    assert texts(talk("Go on.", told, text), "decision") == []


def test_what_was_settled_goes_when_it_is_scrapped() -> None:
    before = talk("Hello.", "When shall the party be?", "So mid June. I'll block the 14th.")
    assert any("14th" in each for each in texts(before, "decision"))
    after = talk("Scrap the 14th, that's the marathon.", before=before)
    assert texts(after, "decision") == []


def test_before_the_agent_spoke_words_alone_decide() -> None:
    """What takes up nothing is judged as ever."""
    assert texts(talk("queue cap of 150"), "decision") == []


@given(st.integers(0, 6), st.booleans(), st.booleans())
def test_who_takes_up_more_settles_rather(shared: int, choice: bool, proposed: bool) -> None:
    said = (parse_sentence("green roof tiles with white window frames"),)
    every = ["green", "roof", "tile", "white", "window", "frame"]
    chances = [
        settling_chance(said, 0, Answered(frozenset(every[:n]), choice, proposed))
        for n in (shared, 6)
    ]
    assert 0 <= chances[0] <= chances[1] <= 1


@given(st.text(max_size=300), st.text(max_size=300))
def test_whatever_is_said_is_read(before: str, said: str) -> None:
    sentences = take_apart(said).sentences
    found = settled_sentences(sentences, take_apart(before).sentences)
    assert found <= {*range(len(sentences))}


@pytest.fixture(scope="module")
def marked() -> ModuleType:
    """The bench's own reading of its talks."""
    sys.path.insert(0, str(BENCH))
    try:
        import marked
    finally:
        sys.path.remove(str(BENCH))
    return marked


def test_in_talks_that_nothing_was_fitted_on_half_of_the_decisions_are_found(
    marked: ModuleType,
) -> None:
    held = [m for m in marked.sentences(marked.FOLDER / "held") if m.before]
    told = [m for m in held if m.place in settled_sentences(m.said, m.before)]
    right = sum(m.act == "decision" for m in told)
    gold = sum(m.act == "decision" for m in held)
    assert right >= 0.5 * gold and right >= 0.6 * len(told), (right, len(told), gold)


def test_every_sentence_has_its_own_chance() -> None:
    said = take_apart("Nice weather today. The blue one it is. My cat sleeps.").sentences
    answered = answered_by(take_apart("Blue one or green one?").sentences)
    found = [settling_chance(said, n, answered) >= LEVEL for n in range(3)]
    assert found == [False, True, False]
