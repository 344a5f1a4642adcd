"""OpenCode itself, with Everthread installed in it, against a scripted model. B-3, R-21, R-23. (B-62)"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.client_archive import archive, rows, said, until
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
from support.client_kinds import OpenCode
from support.client_runs import kill
from support.model_script import Hold, Reply, ToolCall

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("clients")]


@pytest.fixture
def plain() -> Iterator[OpenCode]:
    with bare(OpenCode, "opencode") as there:
        yield there


@pytest.fixture
def opencode(plain: OpenCode) -> OpenCode:
    install(plain, "opencode")
    plain.place.served = True
    return plain


def test_a_conversation_is_kept_as_it_was_said_and_once(opencode: OpenCode):
    """Its `run` puts quotes around the prompt: nobody said those."""
    opencode.place.served = False  # what it calls at its start starts the daemon
    call = ToolCall("bash", {"command": "echo hello", "description": "say hello"})
    opencode.place.model.script(Reply("I look.", calls=[call]), "It says hello.")
    opencode.say(f"{FACT} Run echo hello please.")
    opencode.place.model.script("Still 7431.")
    opencode.say("Which port was it?", "--continue")

    keys = until(lambda: [row["key"] for row in rows(opencode.place, "sessions")], bool)
    assert len(keys) == 1
    kept = until(lambda: said(opencode.place, keys[0]), lambda seen: len(seen) >= 7)
    words = [(who, text) for who, text in kept if not text.startswith("<")]
    assert words == [
        ("user", f"{FACT} Run echo hello please."),
        ("agent", "I look."),
        ("agent", "It says hello."),
        ("user", "Which port was it?"),
        ("agent", "Still 7431."),
    ]


def test_after_a_kill_in_mid_turn_the_next_session_knows_where_it_stood(opencode: OpenCode):
    """What is recovered is for the conversation, not for the request that names it.

    The daemon is up before, as it mostly is: its link then speaks to it without a command in between.
    """
    opencode.say(f"{FACT} {RULE}")
    hold = Hold.new()
    opencode.place.model.script(hold)
    process = opencode.start(REQUEST, "--continue")
    assert hold.begun.wait(180)
    kill(process)
    process.communicate()

    opencode.say("Good morning.")
    given = sent(opencode.place)
    assert "7431" in given
    assert "src/dates.py" in given
    assert RULE in given
    titles = [asked for asked in opencode.place.model.requests if not asked.tools]
    assert len(titles) >= 2  # of this session, and of the one before it
    assert not [asked for asked in titles if "last session" in asked.text]


def test_a_compaction_loses_nothing(opencode: OpenCode):
    model = opencode.place.model
    opencode.say(f"{FACT} {RULE} {REQUEST}")
    call = ToolCall("bash", {"command": "echo big", "description": "big"})
    model.script(Reply(calls=[call], tokens=199_000), "Here we are.")
    opencode.say("Go on.", "--continue")
    summary = next(asked for asked in model.requests if asked.summarizing)
    assert RULE in summary.newest

    given = sent(opencode.place)
    assert RULE in given
    assert "7431" in given
    assert [one["trigger"] for one in compactions(opencode.place)] == ["auto"]
    kept = [one.text for one in archive(opencode.place)]
    assert kept.count("Go on.") == 1
    assert not [text for text in kept if "Continue if you have next steps" in text]


def test_the_agent_finds_memories_by_its_tools(opencode: OpenCode):
    opencode.place.vectors = True
    model = opencode.place.model
    model.script(
        Reply(calls=[ToolCall("everthread_memory_store", {"text": "The owl is called Ada."})]),
        Reply(calls=[ToolCall("everthread_memory_search", {"query": "what is the owl called"})]),
        "She is called Ada.",
    )
    opencode.say("Remember the owl.")
    assert "The owl is called Ada." in model.turns[2].newest


def test_removed_it_leaves_no_trace(plain: OpenCode):
    before = bytes_under(plain.config)
    install(plain, "opencode")
    ours(plain, "uninstall", "opencode", "--yes")
    assert bytes_under(plain.config) == before
    plain.say("Nobody listens.")
    assert "Nobody listens." not in [one.text for one in archive(plain.place)]
