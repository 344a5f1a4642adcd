"""Codex itself, with Everthread installed in it, against a scripted model. B-3, R-21, R-28."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from support.client_archive import archive, said, until
from support.client_house import (
    FACT,
    REQUEST,
    RULE,
    bare,
    bytes_under,
    compactions,
    install,
    ours,
    sent,
)
from support.client_kinds import Codex
from support.client_runs import TURN_SECONDS, Ran, kill
from support.model_script import Hold, Reply, ToolCall

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("clients")]


@pytest.fixture
def plain() -> Iterator[Codex]:
    with bare(Codex, "codex") as there:
        yield there


@pytest.fixture
def codex(plain: Codex) -> Codex:
    install(plain, "codex")
    plain.place.served = True
    return plain


def session_of(ran: Ran) -> str:
    found = re.search(r"session id: (\S+)", ran.err)
    assert found, ran.err
    return found[1]


def test_a_conversation_is_kept_as_it_was_said_and_once(codex: Codex):
    codex.place.served = False  # what it calls at its start starts the daemon
    codex.place.model.script(
        Reply("I look.", calls=[ToolCall("exec_command", {"cmd": "echo hello"})]), "It says hello."
    )
    session = session_of(codex.say(f"{FACT} Run echo hello please."))
    codex.place.model.script("Still 7431.")
    assert session_of(codex.say("Which port was it?", "resume", "--last")) == session

    kept = until(lambda: said(codex.place, session), lambda seen: len(seen) >= 7)
    words = [(who, text) for who, text in kept if not text.startswith("<")]
    assert words == [
        ("user", f"{FACT} Run echo hello please."),
        ("agent", "I look."),
        ("agent", "It says hello."),
        ("user", "Which port was it?"),
        ("agent", "Still 7431."),
    ]
    calls = [text for _, text in kept if text.startswith("<")]
    assert len(calls) == 2
    assert "echo hello" in calls[0]
    assert "hello" in calls[1]


def test_after_a_kill_in_mid_turn_the_next_session_knows_where_it_stood(codex: Codex):
    codex.say(f"{FACT} {RULE}")
    hold = Hold.new()
    codex.place.model.script(hold)
    process = codex.start(REQUEST, "resume", "--last")
    assert hold.begun.wait(TURN_SECONDS)
    kill(process)
    process.communicate()

    codex.say("Good morning.")
    given = sent(codex.place)
    assert "7431" in given
    assert "src/dates.py" in given
    assert RULE in given


def test_a_compaction_loses_nothing(codex: Codex):
    session = session_of(codex.say(f"{FACT} {RULE} {REQUEST}"))
    big = Reply(calls=[ToolCall("exec_command", {"cmd": "echo big"})], tokens=150_000)
    codex.place.model.script(big, "Here we are.")
    codex.say("Go on.", "resume", "--last")
    # Codex itself keeps what the user said; ours is the developer's message after the summary.
    after = codex.place.model.turns[-1].history
    ours_ = [str(item) for item in after if item.get("role") == "developer"]
    assert any(RULE in text and "compacted" in text for text in ours_)
    made = until(lambda: compactions(codex.place), bool)
    assert [one["trigger"] for one in made] == ["auto"]
    words = until(lambda: said(codex.place, session), lambda seen: ("user", "Go on.") in seen)
    kept = [text for _, text in words]
    assert kept.count("Go on.") == 1
    assert not [text for text in kept if "talked about the project" in text]


def test_the_agent_finds_memories_by_its_tools(codex: Codex):
    codex.place.vectors = True
    model = codex.place.model
    space = "mcp__everthread"
    model.script(
        Reply(calls=[ToolCall(f"{space}/memory_store", {"text": "The owl is called Ada."})]),
        Reply(calls=[ToolCall(f"{space}/memory_search", {"query": "what is the owl called"})]),
        "She is called Ada.",
    )
    codex.say("Remember the owl.")
    assert "The owl is called Ada." in model.turns[2].newest


def test_removed_it_leaves_no_trace(plain: Codex):
    before = bytes_under(plain.config)
    install(plain, "codex")
    ours(plain, "uninstall", "codex", "--yes")
    assert bytes_under(plain.config) == before
    plain.say("Nobody listens.")
    assert "Nobody listens." not in [one.text for one in archive(plain.place)]


def test_install_says_that_codex_wants_its_hooks_looked_at(plain: Codex):
    """Codex runs no hook that its user has not approved, and says nothing about it."""
    assert "trust them" in install(plain, "codex")
    plain.trusting = False
    plain.say("Nobody approved.")
    assert "Nobody approved." not in [one.text for one in archive(plain.place)]
