"""Claude Code itself, with Everthread installed in it, against a scripted model. B-1, B-2, B-15 … B-31.

Whatever the model is sent is looked at in its requests; whatever is kept, in an export of the store.

B-62.
"""

from __future__ import annotations

import json
import os
import signal
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
from support.client_kinds import ClaudeCode
from support.client_runs import kill, settled
from support.client_terminal import Terminal
from support.model_script import TOO_LONG, Asked, Hold, Reply, ToolCall, texts

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("clients")]

CALL = "mcp__plugin_everthread_everthread__"


@pytest.fixture
def plain() -> Iterator[ClaudeCode]:
    """Claude Code as it comes."""
    with bare(ClaudeCode, "claude-code") as there:
        yield there


@pytest.fixture
def claude(plain: ClaudeCode) -> ClaudeCode:
    """Claude Code with Everthread in it."""
    install(plain, "claude-code")
    plain.place.served = True
    return plain


# ---- what is kept


def test_a_conversation_is_kept_as_it_was_said_and_once(claude: ClaudeCode):
    """B-1, R-12, R-24: prompts, replies, calls and results; nothing twice, nothing of ours."""
    claude.place.served = False  # what it calls at its start starts the daemon
    claude.place.model.script(
        Reply("I look.", calls=[ToolCall("Bash", {"command": "echo hello"})]), "It says hello."
    )
    session = claude.say(f"{FACT} Run echo hello please.")
    claude.place.model.script("Still 7431.")
    assert claude.say("Which port was it?", "--resume", session) == session

    kept = until(lambda: said(claude.place, session), lambda seen: len(seen) >= 7)
    assert kept == [
        ("user", f"{FACT} Run echo hello please."),
        ("agent", "I look."),
        ("agent", '<Bash> {"command": "echo hello"}'),
        ("tool", "<result> hello"),
        ("agent", "It says hello."),
        ("user", "Which port was it?"),
        ("agent", "Still 7431."),
    ]


def test_a_subagent_is_a_child_session_and_its_notice_is_nobodys_word(claude: ClaudeCode):
    """R-26: what a subagent says is kept beside its parent's, not in it."""
    model = claude.place.model
    task = {"description": "look", "prompt": "Read the README.", "subagent_type": "general-purpose"}
    model.on(
        lambda asked: "Read the README." in asked.newest and "Look" not in asked.text,
        "The README has one line.",
    )
    model.script(Reply(calls=[ToolCall("Task", task)]), "It runs.", "It has one line.")
    session = claude.say("Look it up with a subagent.")

    def children() -> list[str]:
        return [row["key"] for row in rows(claude.place, "sessions") if row["parent_id"]]

    found = until(children, bool)
    assert len(found) == 1
    reply = ("agent", "The README has one line.")
    assert reply in until(lambda: said(claude.place, found[0]), lambda seen: reply in seen)
    words = [text for who, text in said(claude.place, session) if who == "user"]
    assert words == ["Look it up with a subagent."]


# ---- what is given back


def test_after_a_kill_in_mid_turn_the_next_session_knows_where_it_stood(claude: ClaudeCode):
    """B-8, B-23, LB-6: the recovered text is in the model's request."""
    claude.say(f"{FACT} {RULE}")
    hold = Hold.new()
    claude.place.model.script(hold)
    process = claude.start(REQUEST, "--continue")
    assert hold.begun.wait(180)
    kill(process)
    process.communicate()

    claude.say("Good morning.")
    given = sent(claude.place)
    assert "7431" in given
    assert "src/dates.py" in given
    assert RULE in given
    assert "everthread" in given.lower()


def test_after_a_reboot_the_first_start_has_its_recovery(claude: ClaudeCode):
    """R-45: nothing runs; the start of the session starts the daemon and waits for it."""
    claude.say(f"{FACT} {RULE}")
    claude.place.everthread("down")
    assert settled(claude.place.processes) == {}
    claude.say("Good morning.")
    given = sent(claude.place)
    assert "7431" in given
    assert RULE in given


def test_resuming_changes_nothing_that_was_sent_and_a_fork_repeats_nothing(claude: ClaudeCode):
    """R-23: the provider's cache of the prompt stays good. What a fork copies from its parent's transcript
    is already kept."""
    session = claude.say(FACT)
    first = claude.place.model.turns[-1]
    claude.say("And now?", "--resume", session)
    second = claude.place.model.turns[-1]
    before, after = words_of(first), words_of(second)
    assert after[: len(before)] == before

    fork = claude.say("Go on from here.", "--resume", session, "--fork-session")
    assert fork != session
    texts = until(
        lambda: [one.text for one in archive(claude.place)], lambda seen: "Go on from here." in seen
    )
    assert texts.count(FACT) == 1
    assert texts.count("And now?") == 1


def test_after_clear_there_is_a_pointer_and_no_recovery(claude: ClaudeCode):
    """R-25: people clear on purpose."""
    session = claude.say(f"{FACT} {RULE}")
    cleared = claude.say("/clear", "--resume", session)
    assert cleared != session
    claude.say("Something else.", "--resume", cleared)
    given = sent(claude.place)
    assert "everthread sessions resume" in given
    assert "src/dates.py" not in given


def test_two_windows_in_one_project_do_not_mix(claude: ClaudeCode):
    """R-26: both are kept whole; neither is told what the other does, but that it is there."""
    model = claude.place.model
    hold = Hold.new()
    model.on(lambda asked: "left window" in asked.newest, hold)
    left = claude.start(f"I am the left window. {FACT}")
    assert hold.begun.wait(180)
    right = claude.say("I am the other one.")
    hold.release.set()
    out, err = left.communicate(timeout=180)
    assert left.returncode == 0, err

    given = next(asked.text for asked in model.turns if "I am the other one." in asked.newest)
    assert "7431" not in given
    assert "works in this project right now" in given
    other = json.loads(out)["session_id"]
    kept = until(lambda: said(claude.place, other), lambda seen: len(seen) >= 2)
    assert kept == [("user", f"I am the left window. {FACT}"), ("agent", "One moment")]
    assert said(claude.place, right) == [
        ("user", "I am the other one."),
        ("agent", "Understood."),
    ]


# ---- compaction


def test_a_compaction_by_hand_loses_nothing(claude: ClaudeCode):
    """R-21: the summariser is told what to keep, and what it dropped is given back."""
    model = claude.place.model
    session = claude.say(f"{FACT} {RULE} {REQUEST}")
    claude.say("/compact keep the mood", "--resume", session)
    summary = next(asked for asked in model.requests if asked.summarizing)
    assert RULE in instructions(summary.newest)
    assert "keep the mood" in summary.newest

    claude.say("Where were we?", "--resume", session)
    given = sent(claude.place)
    assert RULE in given
    assert "src/dates.py" in given
    assert "7431" in given
    made = compactions(claude.place)
    assert [(one["trigger"], one["state"], one["lost"]) for one in made] == [
        ("manual", "scored", 0.0)
    ]


@pytest.mark.parametrize("way", ["refused by the model", "before it is too long"])
def test_an_automatic_compaction_loses_nothing(claude: ClaudeCode, way: str):
    model = claude.place.model
    session = claude.say(f"{FACT} {RULE} {REQUEST}")
    # Written late, the checkpoint of this end would hold what the compaction's own is to hold.
    until(lambda: rows(claude.place, "checkpoints"), bool)
    environ: dict[str, str] = {}
    if way == "refused by the model":
        model.script(TOO_LONG, "Here we are.")
    else:
        environ = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}
        big = Reply(calls=[ToolCall("Bash", {"command": "echo big"})], tokens=150_000)
        model.script(big, "Here we are.")
    claude.say("Go on.", "--resume", session, environ=environ)

    summary = next(asked for asked in model.requests if asked.summarizing)
    assert RULE in instructions(summary.newest)
    given = sent(claude.place)
    assert RULE in given
    assert "7431" in given
    assert [one["trigger"] for one in compactions(claude.place)] == ["auto"]
    assert "pre_compaction" in [row["kind"] for row in rows(claude.place, "checkpoints")]
    kept = until(
        lambda: [text for _, text in said(claude.place, session)], lambda seen: "Go on." in seen
    )
    assert kept.count(f"{FACT} {RULE} {REQUEST}") == 1
    assert kept.count("Go on.") == 1
    assert not [text for text in kept if "being continued from a previous" in text]


def instructions(text: str) -> str:
    """What the summariser is told beyond its own prompt."""
    return text.partition("Additional Instructions")[2]


def test_a_person_at_a_window_notices_nothing_and_loses_nothing(claude: ClaudeCode):
    """Typed in a terminal: prompts, /compact, /clear and /exit in one process."""
    model = claude.place.model

    def said_to(window: Terminal, text: str) -> str:
        """What the model was given with it."""
        before = len(model.turns)
        window.enter(text)
        window.wait(lambda: len(model.turns) > before)
        window.wait(lambda: "Understood." in window.shown.rpartition("".join(text.split()))[2])
        return sent(claude.place)

    with claude.window() as window:
        window.wait(lambda: "❯" in window.shown)
        said_to(window, f"{FACT} {RULE}")
        window.enter("/compact keep the mood")
        window.wait(lambda: any(asked.summarizing for asked in model.requests))
        window.wait(lambda: "Compacted" in window.shown)
        assert RULE in said_to(window, "Where were we?")
        window.enter("/clear")
        window.wait(lambda: len(rows(claude.place, "sessions")) == 2)
        given = said_to(window, "Something else.")
        assert "everthread sessions resume" in given
        assert "Where were we?" not in given
        window.enter("/exit")
        window.wait(window.gone)

    texts = [one.text for one in archive(claude.place) if one.origin == "user"]
    for text in (f"{FACT} {RULE}", "Where were we?", "Something else."):
        assert texts.count(text) == 1
    states = until(
        lambda: {row["state"] for row in rows(claude.place, "sessions")},
        lambda seen: seen == {"complete"},
    )
    assert states == {"complete"}


# ---- the plugin and its tools


def test_the_plugin_is_valid_and_leaves_no_trace_when_removed(plain: ClaudeCode):
    """Claude Code knows the plugin as one of its own; removed, not one byte is different."""
    before = bytes_under(plain.config)
    install(plain, "claude-code")
    ours(plain, "uninstall", "claude-code", "--yes")
    assert bytes_under(plain.config) == before

    install(plain, "claude-code")
    market = plain.place.everthread_home / "plugins" / "claude-code"
    for folder in (market, market / "plugins" / "everthread"):
        assert "Validation passed" in plain.plain("plugin", "validate", "--strict", str(folder))
    known = plain.known()
    assert ("plugin:everthread:everthread", "connected") in [
        (server["name"], server["status"]) for server in known["mcp_servers"]
    ]
    commands = {"recall", "remember", "checkpoint", "resume", "status"}
    assert {f"everthread:{name}" for name in commands} <= set(known["slash_commands"])
    assert "everthread:everthread" in known["skills"]

    ours(plain, "uninstall", "claude-code", "--yes")
    assert "everthread" not in json.dumps(plain.known())
    plain.say("Nobody listens.")
    words = [one.text for one in archive(plain.place)]
    assert words.count("Somebody listens.") == 1
    assert "Nobody listens." not in words


def test_the_agent_keeps_and_finds_memories_and_where_it_stands_by_its_tools(claude: ClaudeCode):
    """B-5, B-54, B-63: the MCP server is there, and knows whose project it serves. S-7, B-44: a checkpoint
    of its own words, which the next session begins with."""
    claude.place.vectors = True
    model = claude.place.model
    digest = {"summary": "The heron migration is half done; table nests is left."}
    model.script(
        Reply(calls=[ToolCall(f"{CALL}memory_store", {"text": "The owl is called Ada."})]),
        Reply(calls=[ToolCall(f"{CALL}memory_search", {"query": "what is the owl called"})]),
        Reply(calls=[ToolCall(f"{CALL}session_digest", digest)]),
        "She is called Ada.",
    )
    claude.say("Remember the owl, and put down where we are.")
    stored, found = (asked.newest for asked in model.turns[1:3])
    assert "error" not in stored.lower()
    assert "The owl is called Ada." in found
    claude.say("Good morning.")
    assert "table nests is left" in sent(claude.place)


def test_in_the_first_session_of_all_nothing_is_given_and_doctor_has_proof_of_it(
    claude: ClaudeCode,
):
    """Installed is not captured: before a session it is told apart from after one. A command of ours is
    understood from the first word on."""
    assert doctor(claude) == "installed; not used since"
    claude.say("/everthread:recall the billing port")
    given = sent(claude.place)
    assert "the billing port" in given
    assert "memory_search" in given
    assert "last session" not in given
    assert until(lambda: doctor(claude), lambda says: "captured" in says).startswith("captured: ")


def doctor(claude: ClaudeCode) -> str:
    """What it says of Claude Code."""
    checks = json.loads(ours(claude, "doctor", "--json"))["checks"]
    return next(check["says"] for check in checks if check["check"] == "claude-code")


# ---- when things go wrong


def test_a_dead_daemon_blocks_nothing_and_loses_nothing(claude: ClaudeCode):
    """R-45, LB-6: prompts go on, and what was said meanwhile is read when it is back."""
    session = claude.say(FACT)
    for number, words in claude.place.processes().items():
        if "everthread" in words:
            os.kill(number, signal.SIGKILL)
    claude.say("While it was down.", "--resume", session)
    kept = until(
        lambda: said(claude.place, session), lambda seen: ("user", "While it was down.") in seen
    )
    assert [text for who, text in kept if who == "user"] == [FACT, "While it was down."]


# ---- helpers


def words_of(asked: Asked) -> list[list[str]]:
    """What each message says; how it is marked for the cache, and how its text is wrapped, differs."""
    marks = {"text", "ephemeral", "1h", "5m"}
    return [[text for text in texts(entry) if text not in marks] for entry in asked.history]
