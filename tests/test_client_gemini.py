"""Gemini CLI itself, with Everthread installed in it, against a scripted model. B-3, R-21, R-23."""

from __future__ import annotations

import json
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
from support.client_kinds import Gemini
from support.client_runs import TURN_SECONDS, kill
from support.model_script import Hold, Reply, ToolCall

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("clients")]


@pytest.fixture
def plain() -> Iterator[Gemini]:
    with bare(Gemini, "gemini") as there:
        yield there


@pytest.fixture
def gemini(plain: Gemini) -> Gemini:
    install(plain, "gemini")
    plain.place.served = True
    return plain


def test_a_conversation_is_kept_as_it_was_said_and_once(gemini: Gemini):
    """What we inject is part of the prompt here: it is taken out before the prompt is kept."""
    gemini.place.served = False  # what it calls at its start starts the daemon
    gemini.place.model.script(
        Reply("I look.", calls=[ToolCall("run_shell_command", {"command": "echo hello"})]),
        "It says hello.",
    )
    gemini.say(f"{FACT} Run echo hello please.")
    gemini.place.model.script("Still 7431.")
    gemini.say("Which port was it?", "--resume", "latest")

    keys = [row["key"] for row in until(lambda: rows(gemini.place, "sessions"), bool)]
    assert len(keys) == 1
    kept = until(lambda: said(gemini.place, keys[0]), lambda seen: len(seen) >= 7)
    words = [(who, text) for who, text in kept if not text.startswith("<")]
    assert words == [
        ("user", f"{FACT} Run echo hello please."),
        ("agent", "I look."),
        ("agent", "It says hello."),
        ("user", "Which port was it?"),
        ("agent", "Still 7431."),
    ]


def test_after_a_kill_in_mid_turn_the_next_session_knows_where_it_stood(gemini: Gemini):
    gemini.say(f"{FACT} {RULE}")
    hold = Hold.new()
    gemini.place.model.script(hold)
    process = gemini.start(REQUEST, "--resume", "latest")
    assert hold.begun.wait(TURN_SECONDS)
    kill(process)
    process.communicate()

    gemini.say("Good morning.")
    given = sent(gemini.place)
    assert "7431" in given
    assert "src/dates.py" in given
    assert RULE in given


def test_a_compression_loses_nothing(gemini: Gemini):
    """No event tells of it here; the next prompt brings what the snapshot dropped."""
    settings = json.loads((gemini.config / "settings.json").read_text())
    settings["model"] = {"compressionThreshold": 0.3}
    (gemini.config / "settings.json").write_text(json.dumps(settings))
    model = gemini.place.model
    model.summary = "<state_snapshot>They talked.</state_snapshot>"
    gemini.say(f"{FACT} {RULE} {REQUEST}")
    big = Reply(calls=[ToolCall("run_shell_command", {"command": "echo big"})], tokens=900_000)
    model.script(big, "Here we are.")
    gemini.say("Go on.", "--resume", "latest")
    assert any(asked.summarizing for asked in model.requests)

    gemini.say("Where were we?", "--resume", "latest")
    given = sent(gemini.place)
    assert RULE in given
    assert "7431" in given
    assert len(until(lambda: compactions(gemini.place), bool)) == 1
    kept = until(lambda: [one.text for one in archive(gemini.place)], lambda seen: "Go on." in seen)
    assert kept.count("Go on.") == 1
    assert not [text for text in kept if "They talked." in text]


def test_the_agent_finds_memories_by_its_tools(gemini: Gemini):
    gemini.place.vectors = True
    model = gemini.place.model
    prefix = "mcp_everthread_"
    model.script(
        Reply(calls=[ToolCall(f"{prefix}memory_store", {"text": "The owl is called Ada."})]),
        Reply(calls=[ToolCall(f"{prefix}memory_search", {"query": "what is the owl called"})]),
        "She is called Ada.",
    )
    gemini.say("Remember the owl.")
    assert "The owl is called Ada." in model.turns[2].newest


def test_removed_it_leaves_no_trace(plain: Gemini):
    before = bytes_under(plain.config)
    install(plain, "gemini")
    ours(plain, "uninstall", "gemini", "--yes")
    assert bytes_under(plain.config) == before
    plain.say("Nobody listens.")
    assert "Nobody listens." not in [one.text for one in archive(plain.place)]
