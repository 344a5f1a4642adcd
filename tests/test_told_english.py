"""What is told of a session reads as English: nouns are no orders, verbs go with their person."""

from __future__ import annotations

import pytest

from everthread.domain.ending.session_choices import choice_in, choice_sentences
from everthread.domain.ending.session_exchanges import Exchange
from everthread.domain.ending.session_persons import shift_person
from everthread.domain.ending.session_speech import clause_of, report_sentence
from everthread.domain.ending.session_talk import sentences_of


def chosen(said: str, reply: str = "Good.") -> str:
    parts, answer = tuple(sentences_of(said)), tuple(sentences_of(reply))
    found = choice_in(Exchange(b"u", 1, parts, b"a", 1, answer), None)
    assert found is not None
    return next(choice_sentences([found])).text


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Book Vermeulen then.", "The user decided: “Book Vermeulen”."),
        ("replay after rollout then", "The user decided: “replay after rollout”."),
        ("Districts get blurred then.", "The user decided: “Districts get blurred”."),
        ("The Karrimor comes then.", "The user decided: “The Karrimor comes”."),
        ("Leipzig then.", "The user decided: “Leipzig”."),
        ("No staging tables.", "The user decided: “No staging tables”."),
        ("A galley then.", "The user decided on a galley."),
        ("The blue coat, please.", "The user decided on the blue coat."),
        ("Let's book the Seaside.", "The user decided to book the Seaside."),
    ],
)
def test_only_a_thing_is_decided_on(said: str, told: str) -> None:
    assert chosen(said) == told


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("Your usual table it is.", "The user decided: their usual table."),
        ("The usual cake for your mother it is.", "The user decided: the usual cake for their mother."),
    ],
)  # fmt: skip
def test_the_agents_words_are_not_quoted_as_hers(reply: str, told: str) -> None:
    assert chosen("The usual then.", reply) == told


@pytest.mark.parametrize(
    "said",
    [
        "The sink's staying where it is.",
        "Milo stays out till then.",
        "No clue, then.",
        "Leipzig now and then.",
        "Fair enough then.",
        "All good then.",
        "Bad luck then.",
    ],
)
def test_half_a_sentence_is_no_choice(said: str) -> None:
    parts = tuple(sentences_of(said))
    assert choice_in(Exchange(b"u", 1, parts, b"a", 1, ("Good.",)), None) is None


@pytest.mark.parametrize(
    "said",
    [
        "test devices i own: pixel 7a, iphone 12 mini",
        "separate branch yes, pk/hash-api-keys",
        "list rows flicker when i favourite one",
        "sync conflicts still eat notes sometimes",
        "search works in 40ms now",
        "index w/o it: 410kb",
        "export, csv, emails stripped",
        "update, tuesday, the greenhouse again",
        "Good point, he's over 25 but he has six points",
        "Point about the wiping, he said it",
        "wait time dropping again",
        "Wait, no internet in the cellar",
        "see that took four minutes",
        "do they buffer it somewhere",
        "go on then ellie starts in goal",
        "fix and i post it to the channel",
        "don't love a utils file, they always turn into a drawer",
        "tell me honestly, do you think chapter one ought to begin there",
        "don't we need a cache for that",
        "don't you dare push that",
        "do the tests pass on the old machine",
        "will you be there on Monday",
        "I have you to thank for that",
        "upgrade done",
    ],
)
def test_what_only_begins_like_an_order_is_not_told_as_one(said: str) -> None:
    found = report_sentence(said, "user")
    assert found is None or found.act not in ("asked", "wanted")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("wait, use sqlite for the outbox", "to use sqlite for the outbox"),
        ("wait for the tests to pass", "to wait for the tests to pass"),
        (
            "do read clause 14 before anything is signed",
            "to read clause 14 before anything is signed",
        ),
        ("do it for both files, please", "to do it for both files, please"),
        ("list the five texts", "to list the five texts"),
        ("test it on both machines", "to test it on both machines"),
        ("update dependencies", "to update dependencies"),
        ("review `app.py` for leaks", "to review `app.py` for leaks"),
        ("see if the tests pass now", "to see if the tests pass now"),
        ("good, check the logs first", "to check the logs first"),
        ("next add a test for it", "to add a test for it"),
        ("just don't put my number on it", "not to put their number on it"),
    ],
)
def test_an_order_is_still_told_as_one(said: str, told: str) -> None:
    found = report_sentence(said, "user")
    assert found is not None
    assert (found.act, found.text) == ("asked", told)


@pytest.mark.parametrize(
    ("said", "by", "told"),
    [
        ("run the tests before you push", "user", "run the tests before the agent pushes"),
        ("show it before you apply anything", "user", "show it before the agent applies anything"),
        ("I hope you help me", "user", "they hope the agent helps them"),
        ("whatever you do, when you have time", "user", "whatever the agent does, when the agent has time"),
        ("send you test data", "user", "send the agent test data"),
        ("let you know", "user", "let the agent know"),
        ("strip it ourselves this weekend", "user", "strip it themselves this weekend"),
        ("I need a restricted key", "agent", "it needs a restricted key"),
        ("what you need", "agent", "what the user needs"),
        ("I did it myself", "agent", "it did it itself"),
        ("we'd never look at it", "user", "they would never look at it"),
        ("write a thank you to Gareth", "user", "write a thank you to Gareth"),
        ("as you've seen", "agent", "as the user has seen"),
        ("stopped because I was told so", "agent", "stopped because it was told so"),
        ("send me yours", "user", "send them the agent's"),
        ("removed yours and kept ours", "agent", "removed the user's and kept theirs"),
        ("compare US and EU prices for us", "user", "compare US and EU prices for them"),
        ("keep what you put there", "user", "keep what the agent put there"),
        ("undo what you set yesterday", "user", "undo what the agent set yesterday"),
    ],
)  # fmt: skip
def test_a_verb_goes_with_its_person(said: str, by: str, told: str) -> None:
    assert shift_person(said, by) == told  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "said",
    [
        "Added as step 12.",
        "Opened as a separate branch.",
        "Need a restricted key with events:read.",
    ],
)
def test_a_deed_without_its_object_is_not_turned(said: str) -> None:
    assert report_sentence(said, "agent") is None


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Good catch, I need to ask Tom.", "Good catch, I need to ask Tom"),
        ("Good, I need to ask Tom.", "I need to ask Tom"),
        ("great work on the parser", "great work on the parser"),
        ("Right now I need the list", "I need the list"),
    ],
)
def test_an_adjective_stays_with_its_noun(said: str, told: str) -> None:
    assert clause_of(said) == told
