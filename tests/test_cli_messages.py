"""`everthread messages`: the newest of what was said, as `ada.messages()` gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

import everthread
from support.commands import Cli


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.fixture
def session(cli: Cli) -> str:
    """Three turns of ada and a session of two messages; its id."""
    store = cli.home / "data" / "everthread.db"
    store.parent.mkdir()
    with everthread.connect(store, background=False) as et:
        ada = et.agent("ada")
        old = "2025-03-01T10:00:00Z"
        ada.record(
            [
                {"role": "user", "content": "Who waters the plants?", "at": old},
                {"role": "assistant", "content": "Mel does.", "at": old},
            ],
            session="plants",
        )
        for n in range(3):
            ada.turn(f"Question {n}?").done(f"Answer {n}.")
        ada.thread("errand:1", kind="background").turn("Fetch the post.").done("Fetched.")
        return ada.session("plants").id


def texts(answer: object) -> list[str]:
    assert isinstance(answer, dict)
    return [message["content"] for message in answer["messages"]]


def test_the_newest_messages_are_shown_oldest_of_them_first(cli: Cli, session: str) -> None:
    """(R-48)."""
    shown = cli("messages", "--limit", "2")
    assert shown.code == 0, shown.err
    assert shown.out.index("Question 2?") < shown.out.index("Answer 2.")
    assert "Question 1?" not in shown.out and "there are more than these" in shown.out
    told = cli("messages", "--json").json
    assert (told["agent"], told["thread"], told["more"]) == ("ada", "agent:ada:main", False)
    assert texts(told)[-2:] == ["Question 2?", "Answer 2."] and len(texts(told)) == 8


def test_they_are_those_that_the_library_gives(cli: Cli, session: str) -> None:
    with everthread.connect(cli.home / "data" / "everthread.db", background=False) as et:
        ada = et.agent("ada")
        fitting = [m.text for m in ada.messages(tokens=30)]
        errand = [m.text for m in ada.messages(thread="errand:1")]
    told = cli("messages", "--tokens", "30", "--json").json
    assert texts(told) == fitting and 0 < len(fitting) < 8 and told["more"]
    assert texts(cli("messages", "--thread", "errand:1", "--json").json) == errand


def test_those_of_a_session(cli: Cli, session: str) -> None:
    told = cli("messages", "--session", session[-8:], "--json").json
    assert (told["session"], told["more"]) == (session, False)
    assert texts(told) == ["Who waters the plants?", "Mel does."]
    few = cli("messages", "--session", "plants", "--tokens", "8", "--json").json
    assert texts(few) == ["Mel does."] and few["more"]
    assert "Question" not in cli("messages", "--session", "plants").out


def test_what_does_not_fit_together_or_is_not_there_is_refused(cli: Cli, session: str) -> None:
    both = cli("messages", "--session", session, "--thread", "errand:1")
    assert both.code == 2 and "one thread" in both.err
    assert cli("messages", "--thread", "nothing").code == 3
    assert cli("messages", "--session", "nothing").code == 3
    assert cli("messages", "--limit", "0").code == 2


def test_a_message_that_is_too_large_for_the_tokens_is_not_taken_for_none(
    cli: Cli, session: str
) -> None:
    shown = cli("messages", "--tokens", "1").out
    assert "there are more than these" in shown and "nothing was said" not in shown


def test_a_session_says_what_its_tokens_count(cli: Cli, session: str) -> None:
    """They are added up over all of its requests, and are not the size of the context now (C-5)."""
    found = cli("sessions", "list", "--json").json["sessions"]
    spoken = next(each for each in found if each["context_tokens"])
    line = next(
        line
        for line in cli("sessions", "show", spoken["id"]).out.splitlines()
        if line.startswith("context_tokens")
    )
    assert "all requests of its turns together" in line
    told = cli("sessions", "show", spoken["id"], "--json").json
    assert told["context_tokens"] == spoken["context_tokens"]
