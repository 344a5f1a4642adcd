"""What the harnesses tell, in our words, and what they are told in theirs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everthread.domain.harness.happenings import HARNESSES as NAMES
from everthread.domain.harness.happenings import NOTHING, Answer, Happening
from everthread.edges.harnesses.claude_code import ClaudeCode
from everthread.edges.harnesses.codex import Codex
from everthread.edges.harnesses.dialect import Dialect
from everthread.edges.harnesses.event_desk import DIALECTS
from everthread.edges.harnesses.gemini import Gemini
from everthread.edges.harnesses.openclaw import OpenClaw
from everthread.edges.harnesses.opencode import OpenCode
from everthread.edges.harnesses.prompt_words import own_words, typed_words
from support.fixtures import CLAUDE, CODEX, GEMINI, HARNESSES, OPENCLAW, OPENCODE, captured, payload

CENTS = "Move the price of the cart into cents."
GIVEN = Answer(context="what was said", instructions="keep the tables")


def heard(dialect: Dialect, event: str, told: dict[str, Any], **environ: str) -> Happening:
    happening = dialect.parse(event, told, environ)
    assert happening is not None
    return happening


def test_each_harness_has_a_dialect_that_knows_the_events_it_registers():
    assert set(DIALECTS) == set(NAMES)
    for dialect in DIALECTS.values():
        assert dialect.events
        assert all(dialect.knows(event) for event in dialect.events)
        assert not dialect.knows("PreCompaction"), "the key that made a harness refuse to start"


@pytest.mark.req("LB-5")
def test_registered_events_are_those_that_the_clients_have():
    claude = {entry["event"] for entry in captured(CLAUDE)}
    assert set(ClaudeCode.events) <= claude
    codex = {entry["event"] for entry in captured(CODEX)}
    assert set(Codex.events) - {"SubagentStop"} <= codex
    assert set(Gemini.events) <= {entry["event"] for entry in captured(GEMINI)}


@pytest.mark.req("B-18", "B-20")
def test_claude_code_begins_a_session():
    told = payload(CLAUDE, "SessionStart.startup")
    happening = heard(ClaudeCode(), "SessionStart", told)
    assert happening.kind == "start" and happening.start == "startup"
    assert happening.session == told["session_id"]
    assert happening.folder == "/home/ada/code/shop"
    assert happening.transcript == told["transcript_path"]
    for source in ("resume", "clear", "compact"):
        again = heard(ClaudeCode(), "SessionStart", payload(CLAUDE, f"SessionStart.{source}"))
        assert again.start == source
    assert heard(ClaudeCode(), "SessionStart", {**told, "source": "fork"}).start == "fork"
    assert heard(ClaudeCode(), "SessionStart", {**told, "source": "teleport"}).start == "startup"


def test_an_older_claude_code_is_understood_too():
    told = payload(HARNESSES / "claude-code" / "2.1.197", "SessionStart.resume")
    assert heard(ClaudeCode(), "SessionStart", told).start == "resume"


@pytest.mark.req("B-18", "B-19", "B-21")
@pytest.mark.parametrize("key", ["session_id", "sessionId"])
@pytest.mark.parametrize("prompt", ["prompt", "user_prompt", "userPrompt"])
def test_fields_are_read_in_either_spelling(key: str, prompt: str):
    happening = heard(ClaudeCode(), "UserPromptSubmit", {key: "s1", prompt: CENTS, "cwd": "/w"})
    assert (happening.session, happening.text, happening.human) == ("s1", CENTS, True)


def test_the_folder_is_where_the_session_was_opened():
    told = {**payload(CLAUDE, "UserPromptSubmit"), "cwd": "/home/ada/code/shop/deep/down"}
    happening = heard(
        ClaudeCode(), "UserPromptSubmit", told, CLAUDE_PROJECT_DIR="/home/ada/code/shop"
    )
    assert happening.folder == "/home/ada/code/shop"
    assert heard(ClaudeCode(), "Stop", {"session_id": "s"}, PWD="/here").folder == "/here"


def test_the_session_is_known_from_its_surroundings_where_the_payload_does_not_say():
    assert heard(ClaudeCode(), "Stop", {}, CLAUDE_CODE_SESSION_ID="s7").session == "s7"
    assert heard(ClaudeCode(), "Stop", {"transcript_path": "/x/s8.jsonl"}).session == "s8"
    assert heard(Gemini(), "AfterAgent", {}, GEMINI_SESSION_ID="s9").session == "s9"
    assert ClaudeCode().parse("Stop", {}, {}) is None


def test_a_notification_of_the_harness_is_no_persons_prompt():
    told = payload(CLAUDE, "UserPromptSubmit.notification")
    assert not heard(ClaudeCode(), "UserPromptSubmit", told).human
    told = {**payload(CLAUDE, "UserPromptSubmit"), "source": "schedule_wakeup"}
    assert not heard(ClaudeCode(), "UserPromptSubmit", told).human
    assert heard(ClaudeCode(), "UserPromptSubmit", {**told, "source": "user"}).human


def test_the_summariser_of_a_compaction_is_no_subagent():
    told = payload(CLAUDE, "SubagentStop.compaction")
    assert ClaudeCode().parse("SubagentStop", told, {}) is None
    happening = heard(ClaudeCode(), "SubagentStop", payload(CLAUDE, "SubagentStop"))
    assert (happening.kind, happening.child) == ("child_end", "a7f3")
    assert happening.transcript is not None
    assert happening.transcript.endswith("/subagents/agent-a7f3.jsonl")
    del told["agent_transcript_path"]
    told = {**told, "agent_type": "Explore", "agent_id": "b1", "transcript_path": "/p/s.jsonl"}
    assert heard(ClaudeCode(), "SubagentStop", told).transcript == "/p/s/subagents/agent-b1.jsonl"


def test_claude_code_tells_of_its_compactions():
    before = heard(ClaudeCode(), "PreCompact", payload(CLAUDE, "PreCompact"))
    assert (before.kind, before.trigger) == ("compacting", "manual")
    after = heard(ClaudeCode(), "PostCompact", payload(CLAUDE, "PostCompact"))
    assert (after.kind, after.text) == ("compacted", "1. Primary request: cents.")


def test_the_last_reply_and_the_end_are_told():
    assert heard(ClaudeCode(), "Stop", payload(CLAUDE, "Stop")).text == "Prices are in cents now."
    assert heard(ClaudeCode(), "SessionEnd", payload(CLAUDE, "SessionEnd")).reason == "other"
    assert heard(Codex(), "SessionEnd", payload(CODEX, "SessionEnd")).kind == "end"


def test_claude_code_reads_json_at_start_and_prompt_and_plain_words_before_it_compacts():
    dialect = ClaudeCode()
    for name in ("SessionStart.startup", "UserPromptSubmit"):
        told = payload(CLAUDE, name)
        event = told["hook_event_name"]
        answer = json.loads(dialect.render(heard(dialect, event, told), GIVEN))
        assert answer == {
            "hookSpecificOutput": {"hookEventName": event, "additionalContext": "what was said"}
        }
    before = heard(dialect, "PreCompact", payload(CLAUDE, "PreCompact"))
    assert dialect.render(before, GIVEN) == b"keep the tables"
    for name in ("Stop", "PostCompact", "SessionEnd", "SubagentStop"):
        assert dialect.render(heard(dialect, name, payload(CLAUDE, name)), GIVEN) == b""


def test_with_nothing_to_give_a_hook_prints_nothing():
    for dialect in DIALECTS.values():
        for event in dialect.events:
            happening = dialect.parse(event, {"session_id": "s", "agent_type": "x"}, {})
            if happening is not None:
                assert dialect.render(happening, NOTHING) == b""


def test_codex_reads_json_alone():
    dialect = Codex()
    start = heard(dialect, "SessionStart", payload(CODEX, "SessionStart.compact"))
    assert start.start == "compact"
    assert json.loads(dialect.render(start, GIVEN))["hookSpecificOutput"]["additionalContext"]
    for name in ("PreCompact", "PostCompact", "SessionEnd", "Stop"):
        assert dialect.render(heard(dialect, name, payload(CODEX, name)), GIVEN) == b""
    child = heard(dialect, "SubagentStop", payload(CODEX, "SubagentStop"))
    assert (child.kind, child.child) == ("child_end", "ag1")
    assert child.transcript == "/home/ada/.codex/sessions/2026/10/02/rollout-child.jsonl"


@pytest.mark.req("LB-16")
def test_what_gemini_puts_before_a_prompt_is_taken_off():
    happening = heard(Gemini(), "BeforeAgent", payload(GEMINI, "BeforeAgent"))
    assert (happening.text, happening.human) == (CENTS, True)


def test_gemini_compresses_for_sure_only_when_a_person_says_so():
    """Its event comes before every call of the model."""
    assert heard(Gemini(), "PreCompress", payload(GEMINI, "PreCompress")).kind == "tool"
    assert (
        heard(Gemini(), "PreCompress", payload(GEMINI, "PreCompress.manual")).kind == "compacting"
    )


@pytest.mark.req("R-23")
def test_gemini_forgets_on_resume_what_it_was_given():
    assert heard(Gemini(), "SessionStart", payload(GEMINI, "SessionStart.startup")).keeps
    assert not heard(Gemini(), "SessionStart", payload(GEMINI, "SessionStart.resume")).keeps


def test_gemini_reads_json_where_it_takes_context_and_nothing_elsewhere():
    dialect = Gemini()
    for name in ("SessionStart.startup", "BeforeAgent", "AfterTool"):
        told = payload(GEMINI, name)
        happening = heard(dialect, told["hook_event_name"], told)
        assert json.loads(dialect.render(happening, GIVEN))["hookSpecificOutput"]
    for name in ("PreCompress", "AfterAgent", "SessionEnd"):
        assert dialect.render(heard(dialect, name, payload(GEMINI, name)), GIVEN) == b""


def test_what_gemini_repeats_of_its_reply_is_left_to_the_chat_file():
    """The event says "It says hello. o. ", the file what was really said."""
    told = next(e["payload"] for e in captured(GEMINI) if e["event"] == "AfterAgent")
    assert told["prompt_response"] == "It says hello. o. "
    assert heard(Gemini(), "AfterAgent", told).text is None


def test_opencodes_prompts_come_without_the_quotation_marks_of_run():
    happening = heard(OpenCode(), "chat.message", payload(OPENCODE, "chat.message"))
    assert (happening.text, happening.human, happening.keeps) == (CENTS, True, False)
    told = {**payload(OPENCODE, "chat.message"), "prompt": '"a" or "b"'}
    assert heard(OpenCode(), "chat.message", told).text == '"a" or "b"'


def test_opencodes_sessions_are_read_from_its_database():
    told = payload(OPENCODE, "session.idle")
    happening = heard(OpenCode(), "session.idle", told, XDG_DATA_HOME="/data")
    assert happening.transcript == "/data/opencode/opencode.db::ses_01"
    named = heard(OpenCode(), "session.idle", {**told, "database": "/db/o.db"})
    assert named.transcript == "/db/o.db::ses_01"


@pytest.mark.req("R-26")
def test_a_session_with_a_parent_is_its_child():
    told = payload(OPENCODE, "session.idle.child")
    happening = heard(OpenCode(), "session.idle", {**told, "database": "/o.db"})
    assert (happening.kind, happening.session, happening.child) == ("child_end", "ses_01", "ses_02")
    assert happening.transcript == "/o.db::ses_02"
    assert OpenCode().parse("chat.message", {**told, "prompt": "x"}, {}) is None


def test_opencode_begins_anew_after_a_compaction():
    starts = {
        name: heard(OpenCode(), name, payload(OPENCODE, name)).start
        for name in ("session.created", "session.resumed", "session.compacted")
    }
    assert list(starts.values()) == ["startup", "resume", "compact"]
    before = heard(
        OpenCode(),
        "experimental.session.compacting",
        payload(OPENCODE, "experimental.session.compacting"),
    )
    assert before.kind == "compacting"
    told = json.loads(OpenCode().render(before, GIVEN))
    assert told == {"context": "what was said", "instructions": "keep the tables"}


def test_openclaw_tells_where_it_works_and_what_was_asked():
    happening = heard(OpenClaw(), "before_prompt_build", payload(OPENCLAW, "before_prompt_build"))
    assert (happening.session, happening.folder) == ("oc-1", "/home/ada/code/shop")
    assert (happening.text, happening.human) == (CENTS, True)
    told = payload(OPENCLAW, "before_prompt_build")
    told["ctx"]["trigger"] = "heartbeat"
    assert not heard(OpenClaw(), "before_prompt_build", told).human


def test_openclaw_begins_anew_after_a_reset_and_a_compaction():
    def start(event: str, name: str) -> str | None:
        return heard(OpenClaw(), event, payload(OPENCLAW, name)).start

    assert start("session_start", "session_start") == "startup"
    assert start("session_start", "session_start.reset") == "clear"
    assert start("after_compaction", "after_compaction") == "compact"
    reset = heard(OpenClaw(), "before_reset", payload(OPENCLAW, "before_reset"))
    assert (reset.kind, reset.reason, len(reset.entries)) == ("end", "reset", 4)
    end = heard(OpenClaw(), "session_end", payload(OPENCLAW, "session_end"))
    assert (end.kind, end.reason) == ("end", "shutdown")


def test_the_internal_hooks_of_older_openclaws_are_understood():
    boot = heard(OpenClaw(), "agent:bootstrap", payload(OPENCLAW, "legacy.agent-bootstrap"))
    assert (boot.kind, boot.session, boot.keeps) == ("start", "oc-1", False)
    told = payload(OPENCLAW, "legacy.message-received")
    assert heard(OpenClaw(), "message:received", told).text == CENTS
    told = payload(OPENCLAW, "legacy.compact-before")
    assert heard(OpenClaw(), "session:compact:before", told).kind == "compacting"


@pytest.mark.req("LB-16")
def test_what_was_put_beside_a_prompt_is_nobodys_word():
    from everthread.domain.given.packing import (
        CLOSING,
        OPENING,
        SESSION_CLOSING,
        SESSION_OPENING,
    )
    from everthread.domain.harness.recovery import HEADING, NOTICE

    ours = f"{OPENING}[1] 2026-02-20 10:00 UTC · user\n| cents\n{CLOSING}\n\n"
    assert own_words(f"{ours}Go on.") == "Go on."
    start = f"{SESSION_OPENING}{HEADING}\n{NOTICE}\nx\n{SESSION_CLOSING}\n\n"
    assert own_words(f"{start}Go on.") == "Go on."
    given = "<hook_context>x</hook_context>\n\n"
    assert own_words(f"{given}{given}Go on.", after="hook_context") == "Go on."
    reminder = "<system-reminder>\nonly that\n</system-reminder>"
    assert typed_words(reminder) == typed_words(f"{reminder}\n{reminder}\n") == ""
    opened = "<ide_opened_file>The user opened the file a.py in the IDE.</ide_opened_file>"
    assert typed_words(opened) == "" and typed_words(f"{opened}\nGo on.") == "Go on."
    hung = "\n\n<user-prompt-submit-hook>given</user-prompt-submit-hook>"
    assert typed_words(f"Go on.{hung}") == typed_words(f"Go on.{hung}{hung}") == "Go on."
    assert own_words("Stop hook feedback:\ndo more") == ""
    assert own_words("Why does <T extends U> fail?") == "Why does <T extends U> fail?"


@pytest.mark.parametrize(
    ("folder", "dialect"),
    [(CLAUDE, ClaudeCode()), (CODEX, Codex()), (GEMINI, Gemini())],
    ids=["claude-code", "codex", "gemini"],
)
def test_everything_that_real_clients_told_is_understood(folder, dialect: Dialect):
    for entry in captured(folder):
        event, told, environ = entry["event"], entry["payload"], entry["environ"]
        assert dialect.knows(event)
        happening = dialect.parse(event, told, environ)
        if event in dialect.events and told.get("agent_type") != "":
            assert happening is not None and happening.session == told["session_id"]
            assert happening.folder == "/home/ada/project"
            assert "INJECTED" not in (happening.text or "")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        "session_id",
        "sessionId",
        "sessionID",
        "cwd",
        "prompt",
        "source",
        "transcript_path",
        "agent_id",
        "agent_type",
        "trigger",
        "custom_instructions",
        "compact_summary",
        "last_assistant_message",
        "reason",
        "model",
        "messages",
        "event",
        "ctx",
        "context",
        "currentUserMessage",
        "parentID",
        "directory",
        "database",
    ]
)


@settings(deadline=None)
@given(told=st.dictionaries(FIELDS, JSON, max_size=8))
def test_no_payload_makes_a_dialect_stumble(told: dict[str, Any]):
    """Unknown and missing fields, and fields of any other type."""
    for dialect in DIALECTS.values():
        for event in dialect.events:
            happening = dialect.parse(event, told, {})
            if happening is not None:
                assert isinstance(dialect.render(happening, GIVEN), bytes)
                dialect.lines(happening)
