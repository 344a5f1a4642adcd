"""Events of harnesses, from the bytes that came to the bytes that go back."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Everthread, Settings
from everthread.domain.errors import BadInput, NotUnderstood
from everthread.edges.harnesses import event_desk
from everthread.edges.harnesses.event_desk import CUT, decode_event
from everthread.edges.harnesses.privacy import read_private, switch
from everthread.wiring import project_agent
from support.fixtures import CLAUDE, OPENCLAW, captured, payload

SESSION = "5b0c2a3e-7d54-4f0e-9d6a-3c1c8a2f9b10"


class House:
    """An engine, a project, and a transcript that grows."""

    def __init__(self, folder: Path, engine: Everthread, settings: Settings) -> None:
        self.engine, self.settings = engine, settings
        self.project = folder / "shop"
        self.project.mkdir()
        self.transcript = folder / "t.jsonl"
        self._lines = 0

    def tell(
        self, event: str, *, harness: str = "claude-code", at: datetime | None = None, **more: Any
    ) -> bytes:
        environ = more.pop("environ", {})
        told = {
            "session_id": SESSION,
            "cwd": str(self.project),
            "transcript_path": str(self.transcript),
            "hook_event_name": event,
            **more,
        }
        return self.send(event, json.dumps(told).encode(), harness=harness, environ=environ, at=at)

    def send(
        self,
        event: str,
        body: bytes,
        *,
        harness: str = "claude-code",
        environ: dict[str, str] | None = None,
        at: datetime | None = None,
    ) -> bytes:
        return event_desk.answer(
            self.engine, self.settings, harness, event, body, environ or {}, at
        )

    def say(self, role: str, text: str, **more: Any) -> None:
        """A line more in the transcript."""
        self._lines += 1
        now = datetime.now(UTC).isoformat()
        row = {"type": role, "uuid": f"u{self._lines}", "timestamp": now, **more}
        row["message"] = {"role": role, "content": text}
        with self.transcript.open("a") as file:
            file.write(json.dumps(row) + "\n")

    def said(self) -> list[str]:
        agents = self.engine.agents()
        return [m.text for agent in agents for m in agent.messages(limit=1_000) if m.text]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    settings = Settings(
        home=tmp_path / "home", durability="process", embedder="off", recall_seconds=30
    )
    with everthread.connect(
        tmp_path / "home" / "everthread.db", background=False, settings=settings
    ) as engine:
        yield House(tmp_path, engine, settings)


@pytest.mark.req("R-12", "R-27")
def test_a_session_reaches_the_archive_of_its_project(house: House):
    house.tell("SessionStart", source="startup")
    house.tell("UserPromptSubmit", prompt="The port is 8443.")
    house.say("user", "The port is 8443.")
    house.say("assistant", "I use 8443.")
    house.tell("Stop", last_assistant_message="I use 8443.")
    house.tell("SessionEnd", reason="other")
    (agent,) = house.engine.agents()
    assert agent.name == project_agent(house.project)
    assert house.said() == ["The port is 8443.", "I use 8443."]
    (session,) = agent.sessions()
    assert (session.key, session.harness, session.state) == (SESSION, "claude-code", "complete")
    assert session.project == str(house.project.resolve())


def test_what_a_compaction_would_lose_is_given_back(house: House):
    house.tell("SessionStart", source="startup")
    house.tell("UserPromptSubmit", prompt="Please change the port to 8443 in config/app.toml.")
    house.say("user", "Please change the port to 8443 in config/app.toml.")
    instructions = house.tell("PreCompact", trigger="auto")
    assert b"8443" in instructions and not instructions.startswith(b"{")
    given = json.loads(house.tell("SessionStart", source="compact"))
    assert given["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "8443" in given["hookSpecificOutput"]["additionalContext"]


@pytest.mark.req("R-21")
def test_a_compression_that_gemini_tells_nobody_is_seen_in_its_chat_file(house: House):
    now = datetime.now(UTC).isoformat()
    words = "Please change the port to 8443 in config/app.toml."
    snapshot = "<state_snapshot>a port</state_snapshot>"
    rows = [
        {"id": "m1", "timestamp": now, "type": "user", "content": [{"text": words}]},
        {
            "$set": {
                "messages": [{"id": "m2", "timestamp": now, "type": "user", "content": snapshot}]
            }
        },
    ]
    house.tell("BeforeAgent", harness="gemini", prompt=words)
    house.transcript.write_text("".join(json.dumps(row) + "\n" for row in rows))
    house.tell("PreCompress", harness="gemini", trigger="auto")
    house.tell("AfterAgent", harness="gemini")
    (agent,) = house.engine.agents()
    (compaction,) = agent.compactions()
    assert (compaction.state, compaction.summary_hash is not None) == ("given", True)
    given = json.loads(house.tell("BeforeAgent", harness="gemini", prompt="Go on."))
    assert "8443" in given["hookSpecificOutput"]["additionalContext"]
    house.tell("AfterAgent", harness="gemini")
    assert len(agent.compactions()) == 1
    assert house.said() == [words, "Go on."]


@pytest.mark.req("R-26")
def test_a_subagent_is_a_child_of_its_session(house: House):
    house.tell("UserPromptSubmit", prompt="Look into it.")
    place = CLAUDE / "agent-a7f3.jsonl"
    told = {"agent_id": "a7f3", "agent_type": "Explore", "agent_transcript_path": str(place)}
    house.tell("SubagentStop", **told)
    (agent,) = house.engine.agents()
    sessions = {s.key: s for s in agent.sessions()}
    child = sessions[f"{SESSION}:a7f3"]
    assert child.parent_ref == sessions[SESSION].ref
    assert "Two files hold prices." in house.said()
    (task,) = [m for m in agent.messages() if m.text == "Find the files that hold prices."]
    assert task.origin == "system", "its caller said it, and no person"


def test_the_last_words_of_a_subagent_are_waited_for(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Claude Code tells that it ended before it has written them down."""
    rows = (CLAUDE / "agent-a7f3.jsonl").read_text().splitlines(keepends=True)
    place = tmp_path / "agent-a7f3.jsonl"
    place.write_text(rows[0])
    waits: list[float] = []

    def late(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            place.write_text("".join(rows))

    monkeypatch.setattr(event_desk, "sleep", late)
    told = {"agent_id": "a7f3", "agent_type": "Explore", "agent_transcript_path": str(place)}
    house.tell("SubagentStop", last_assistant_message="Two files hold prices.", **told)
    assert len(waits) == 3 and "Two files hold prices." in house.said()
    house.tell("SubagentStop", last_assistant_message="never written", **told)
    assert len(waits) == 3 + event_desk.LOOKS, "and not for ever"


def test_codexs_subagent_has_a_file_that_does_not_say_so(house: House, tmp_path: Path):
    rollout = tmp_path / "child.jsonl"
    said = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Two."}],
    }
    row = {"timestamp": datetime.now(UTC).isoformat(), "type": "response_item", "payload": said}
    rollout.write_text(json.dumps(row) + "\n")
    house.tell(
        "SubagentStop",
        harness="codex",
        agent_id="w1",
        agent_type="worker",
        agent_transcript_path=str(rollout),
    )
    (agent,) = house.engine.agents()
    (message,) = agent.messages()
    child = next(s for s in agent.sessions() if s.ref == message.session_ref)
    assert child.key == f"{SESSION}:w1"


def test_openclaws_messages_are_stored_once(house: House):
    told = payload(OPENCLAW, "before_prompt_build")
    told["ctx"]["workspaceDir"] = str(house.project)
    house.send("before_prompt_build", json.dumps(told).encode(), harness="openclaw")
    told = payload(OPENCLAW, "agent_end")
    told["ctx"]["workspaceDir"] = str(house.project)
    now = datetime.now(UTC).timestamp() * 1_000
    for n, message in enumerate(told["event"]["messages"]):
        message["timestamp"] = now + n
    for _ in range(3):
        house.send("agent_end", json.dumps(told).encode(), harness="openclaw")
    assert house.said().count("Move the price of the cart into cents.") == 1
    assert house.said().count("Prices are in cents now.") == 1


def test_openclaws_heartbeats_are_kept_as_the_systems_and_prolong_nothing(house: House):
    """(LD-6, R-9): a run that a clock began, told by what stands around the event."""
    began = int(datetime.now(UTC).timestamp() * 1_000) - 10_000
    messages: list[dict[str, Any]] = []
    for n, (trigger, text, reply) in enumerate(
        [
            ("user", "Never push to main without asking me.", "Understood."),
            ("heartbeat", "Look after the ferns. Never wake anybody.", "HEARTBEAT_OK"),
            ("heartbeat", "Look after the ferns. Never wake anybody.", "HEARTBEAT_OK"),
        ]
    ):
        ctx = {"sessionId": "s1", "runId": f"r{n}", "trigger": trigger}
        ctx["workspaceDir"] = str(house.project)
        asked = {"event": {"prompt": text}, "ctx": ctx}
        at = began + 2_000 * n
        when = datetime.fromtimestamp(at / 1_000, UTC)
        body = json.dumps(asked).encode()
        house.send("before_prompt_build", body, harness="openclaw", at=when)
        messages.append({"role": "user", "content": text, "timestamp": at})
        answer = {"role": "assistant", "content": reply, "timestamp": at + 1, "responseId": f"a{n}"}
        told = {"event": {"messages": [*messages, answer], "success": True}, "ctx": ctx}
        house.send("agent_end", json.dumps(told).encode(), harness="openclaw")
        # In later events a prompt has its name, and a beat is told in other words.
        shown = text if trigger == "user" else "[OpenClaw heartbeat poll]"
        messages[-1] |= {"content": shown, "idempotencyKey": f"r{n}:user"}
        messages.append(answer)
    (agent,) = house.engine.agents()
    found = [(m.origin, m.text) for m in agent.messages()]
    beat = [("system", "Look after the ferns. Never wake anybody."), ("agent", "HEARTBEAT_OK")]
    assert found == [
        ("user", "Never push to main without asking me."),
        ("agent", "Understood."),
    ] + (2 * beat)
    (session,) = agent.sessions()
    assert session.last_human_ms is not None
    assert session.last_human_ms < session.last_activity_ms


def test_real_clients_session_runs_through_the_desk(house: House):
    """All that Claude Code told in a run with compactions, a subagent and a fork."""
    for entry in captured(CLAUDE):
        told = entry["payload"]
        place = CLAUDE / "captured" / Path(told["transcript_path"]).name
        told = {**told, "cwd": str(house.project), "transcript_path": str(place)}
        body = json.dumps(told).encode()
        answer = house.send(entry["event"], body)
        gate = entry["event"] == "PreToolUse" and answer == b"{}"  # asked, and not held back
        given = {"SessionStart", "UserPromptSubmit", "PreCompact"}
        assert not answer or gate or entry["event"] in given
    said = house.said()
    assert not any("INJECTED" in text or "task-notification" in text for text in said)
    assert not any(text.startswith("This session is being") for text in said)


@pytest.mark.parametrize(
    "rewritten",
    [
        pytest.param(lambda rows: rows[1:], id="its beginning is gone"),
        pytest.param(lambda rows: rows[:-1], id="its end is gone"),
        pytest.param(lambda rows: [r.replace(": ", ":") for r in rows], id="written anew"),
        pytest.param(lambda rows: [], id="emptied"),
    ],
)
def test_a_transcript_that_is_rewritten_brings_nothing_twice(house: House, rewritten: Any):
    for n in range(3):
        house.tell("UserPromptSubmit", prompt=f"prompt {n}")
        house.say("user", f"prompt {n}")
        house.say("assistant", f"reply {n}")
        house.tell("Stop", last_assistant_message=f"reply {n}")
    before = house.said()
    assert len(before) == 6
    rows = house.transcript.read_text().splitlines(keepends=True)
    house.transcript.write_text("".join(rewritten(rows)))
    house.tell("Stop")
    house.transcript.write_text("".join(rows))
    house.say("user", "typed while nobody listened")
    house.tell("Stop")
    assert house.said() == [*before, "typed while nobody listened"]


def test_a_fork_does_not_repeat_what_it_was_forked_from(house: House):
    """It begins with a copy of the other session's records."""
    house.tell("UserPromptSubmit", prompt="Go on.")
    house.say("user", "Go on.")
    house.say("assistant", "I do.")
    house.tell("Stop", last_assistant_message="I do.")
    fork = house.transcript.with_name("fork.jsonl")
    rows = house.transcript.read_text().splitlines()
    fork.write_text("".join(f"{row}\n" for row in rows))
    later = datetime.now(UTC) + timedelta(seconds=30)
    told = {"session_id": "forked", "transcript_path": str(fork)}
    house.tell("SessionStart", source="fork", at=later, **told)
    house.tell("Stop", at=later, **told)
    assert house.said() == ["Go on.", "I do."]


# What cannot be understood


@pytest.mark.parametrize(
    "body",
    [
        b'{"session_id": "s", "pro',
        b"\x00\xff\xfe binary \x80",
        b"[1, 2]",
        b'"text"',
        b"null",
        b"{" * 5_000,
    ],
)
def test_what_is_no_event_is_refused_and_breaks_nothing(house: House, body: bytes):
    with pytest.raises(NotUnderstood):
        house.send("UserPromptSubmit", body)
    assert house.engine.agents() == []
    house.tell("UserPromptSubmit", prompt="Go on.")
    assert house.said() == ["Go on."]


def test_an_empty_event_says_nothing(house: House):
    assert house.send("UserPromptSubmit", b"") == b""
    assert house.send("UserPromptSubmit", b"{}") == b""
    assert house.engine.agents() == []


def test_unknown_harnesses_and_events_are_named(house: House):
    with pytest.raises(NotUnderstood, match="no harness 'emacs'"):
        house.tell("SessionStart", harness="emacs")
    with pytest.raises(NotUnderstood, match="no event 'PreCompaction'"):
        house.tell("PreCompaction")
    assert house.tell("Notification", message="x") == b"", "known, and nothing for us"


def test_unknown_fields_do_no_harm(house: House):
    house.tell("UserPromptSubmit", prompt="Go on.", future={"deep": [1]}, prompt_id=7)
    assert house.said() == ["Go on."]


def test_of_a_huge_event_the_beginning_is_enough_to_read_the_transcript(house: House):
    """The client carries eight million bytes; the transcript has the rest."""
    house.say("user", "a prompt that is in the transcript")
    told = {
        "session_id": SESSION,
        "transcript_path": str(house.transcript),
        "cwd": str(house.project),
    }
    body = json.dumps({**told, "last_assistant_message": "x" * 2_000_000}).encode()
    house.send("Stop", body[:1_500_000])
    assert house.said() == ["a prompt that is in the transcript"]


WHO = b'{"session_id": "A", "cwd": "/mine", '


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        (b'"tool_input": {"cwd": "/other", "session_id": "B", "prompt": "no", "text": "', {}),
        (b'"other": "%s", "prompt": "' % (b"y" * 5_000), {"prompt": CUT}),
        (b'"prompt": "Why?", "prompt_response": "', {"prompt": "Why?", "prompt_response": CUT}),
        (b'"prompt": "a \\x is no sign, ', {"prompt": f"a \n\n{CUT}"}),
        (b'"transcript_path": "/%s", "prompt": "' % (b"z" * 300), {"prompt": CUT}),
    ],
    ids=["of a tool", "far behind", "two", "not JSON", "no path"],
)
def test_of_a_huge_event_only_its_own_fields_count(told: bytes, kept: dict[str, str]):
    """What a tool was given has fields too: by them it would go to another project."""
    found = decode_event(WHO + told + b"x" * 1_500_000)
    assert (found.pop("session_id"), found.pop("cwd")) == ("A", "/mine")
    found.pop("transcript_path", None)
    assert {name: text.lstrip("x").removeprefix("\n\n") for name, text in found.items()} == kept


# Who is left alone


def test_a_project_that_is_switched_off_is_left_alone(
    house: House, caplog: pytest.LogCaptureFixture
):
    (house.project / ".everthread.toml").write_text("capture = false\n")
    with caplog.at_level(logging.INFO, "everthread.harnesses"):
        assert house.tell("SessionStart", source="startup") == b""
    assert "switched off" in caplog.text
    house.tell("UserPromptSubmit", prompt="Not for you.")
    assert house.engine.agents() == []


def test_the_home_folder_is_left_alone_and_the_log_says_so(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setenv("HOME", str(house.project))
    with caplog.at_level(logging.INFO, "everthread.harnesses"):
        assert house.tell("SessionStart", source="startup") == b""
    assert "no projects" in caplog.text
    assert house.engine.agents() == []


def test_warnings_about_a_binding_are_logged_when_a_session_begins(
    house: House, caplog: pytest.LogCaptureFixture
):
    (house.project / ".everthread.toml").write_text('agent = "ada"\ncommand = "x"\n')
    house.tell("SessionStart", source="startup")
    house.tell("UserPromptSubmit", prompt="Go on.")
    assert caplog.text.count("'command' is nothing we know") == 1
    assert [agent.name for agent in house.engine.agents()] == ["ada"]


def test_a_private_session_is_kept_nowhere_not_even_later(house: House):
    private = {"EVERTHREAD_PRIVATE": "1"}
    house.tell("SessionStart", source="startup", environ=private)
    house.tell("UserPromptSubmit", prompt="My secret plan.", environ=private)
    house.say("user", "My secret plan.")
    house.tell("Stop", environ=private)
    assert house.engine.agents() == []
    house.tell("Stop")
    assert house.engine.agents() == [], "the same session, and a harness that no longer says so"


def test_a_private_session_is_private_though_nothing_can_be_written_down(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    """It must not go to the spool as something that could not be stored."""

    def full(*_args: object, **_more: object) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(event_desk, "switch", full)
    private = {"EVERTHREAD_PRIVATE": "1"}
    assert house.tell("UserPromptSubmit", prompt="My secret plan.", environ=private) == b""
    assert house.engine.agents() == [] and "could not be written down" in caplog.text
    assert "secret" not in caplog.text


def test_what_is_said_while_a_session_is_private_stays_out_for_good(house: House):
    """The transcript goes on meanwhile, and is read again afterwards."""
    house.tell("UserPromptSubmit", prompt="Before.")
    house.say("user", "Before.")
    now = everthread.domain.times.ms_of(datetime.now(UTC))
    assert switch(house.settings.home, now=now, on=True, session=SESSION)
    assert not switch(house.settings.home, now=now + 1, on=True, session=SESSION)
    house.say("user", "Meanwhile.")
    house.tell("Stop")
    after = everthread.domain.times.ms_of(datetime.now(UTC))
    assert switch(house.settings.home, now=after + 1, on=False, session=SESSION)
    while everthread.domain.times.ms_of(datetime.now(UTC)) <= after + 1:
        pass
    house.say("user", "Afterwards.")
    house.tell("Stop")
    assert house.said() == ["Before.", "Afterwards."]


def test_a_private_folder_makes_all_its_sessions_private(house: House):
    folder = str(house.project.resolve())
    switch(house.settings.home, now=1, on=True, folder=folder)
    house.tell("UserPromptSubmit", prompt="Not for you.")
    assert house.engine.agents() == []
    assert read_private(house.settings.home).spans("any", folder) == ((1, None),)


def test_while_it_is_not_known_what_is_private_nothing_is_kept(house: House):
    (house.settings.home / "private.json").write_text('{"sessions": [')
    with pytest.raises(BadInput, match=r"private\.json"):
        house.tell("UserPromptSubmit", prompt="Is this private?")
    assert house.engine.agents() == []


# From the spool


def test_an_event_from_the_spool_is_stored_with_its_own_time(house: House):
    then = datetime.now(UTC) - timedelta(hours=3)
    answer = house.tell("UserPromptSubmit", prompt="Said while nobody listened.", at=then)
    assert answer == b"", "nobody waits for it"
    (agent,) = house.engine.agents()
    (message,) = agent.messages()
    assert abs(message.at - then) < timedelta(seconds=1)


def test_whose_process_a_session_is_is_known_from_its_start(house: House):
    environ = {"EVERTHREAD_HARNESS_PID": str(os.getpid())}
    house.tell("SessionStart", source="startup", environ=environ)
    (agent,) = house.engine.agents()
    (session,) = agent.sessions()
    cursors = house.engine.house.store.read(
        lambda r: r.cursors.of_session(agent.scope, session.ref)
    )
    assert any(f":{os.getpid()}:" in cursor.position for cursor in cursors)


def test_a_file_that_came_with_a_project_cannot_claim_an_agent_of_the_users(house: House):
    """It would be given that agent's memory (field.md 5.5)."""
    house.engine.agent("ada").remember("The vault opens with the word swordfish-9.")
    (house.project / ".everthread.toml").write_text('agent = "ada"\n')
    assert house.tell("SessionStart", source="startup") == b""
    assert house.tell("UserPromptSubmit", prompt="Which word opens the vault?") == b""
    assert not house.engine.known_agent("ada").sessions()
    place = house.settings.home / "projects.toml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f'["{house.project}"]\nagent = "ada"\n')
    assert b"swordfish" in house.tell("SessionStart", source="startup")


def test_a_new_name_is_the_projects_own_to_choose(house: House):
    (house.project / ".everthread.toml").write_text('agent = "shopkeeper"\n')
    house.tell("SessionStart", source="startup")
    house.tell("UserPromptSubmit", prompt="We sell apples at three coins each.")
    assert house.engine.known_agent("shopkeeper").sessions()
    house.tell("UserPromptSubmit", prompt="And pears?")
