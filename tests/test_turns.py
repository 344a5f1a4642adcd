"""Turns and messages: the face of the library, and what it keeps of everything that was said."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anthropic.types
import openai.types.chat
import pytest

import everthread
from everthread import Agent, Everthread, Settings, Turn
from everthread.domain.conversation.messages import Message
from everthread.domain.errors import (
    BadInput,
    CallsOpen,
    CallUnknown,
    ContextFull,
    LeaseLost,
    ThreadBusy,
    TurnFinished,
    TurnUnknown,
)
from everthread.domain.times import ms_of
from everthread.testing import FrozenClock
from support.legality import anthropic_problems, openai_problems
from support.model_clients import TOOL, assistant, calling, result, text, thought, use, user

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
PAGE = {"type": "text", "media_type": "text/plain", "data": "A page."}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture
def et(clock: FrozenClock) -> Iterator[Everthread]:
    with everthread.connect("memory://", clock=clock, background=False) as et:
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada", system="You are Ada.", tools=[TOOL], model="claude-test")


def dumped(value: object) -> bytes:
    return json.dumps(value).encode()


def texts(messages: Sequence[Message]) -> list[str]:
    return [message.text for message in messages]


def check_legal(turn: Turn) -> None:
    """Both providers would take the request."""
    request: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": turn.messages}
    request |= {"tools": turn.tools} if turn.tools else {}
    assert anthropic_problems(request) == []
    assert openai_problems({"model": "m", **turn.openai()}) == []


def said_in(turn: Turn) -> str:
    return json.dumps(turn.messages, ensure_ascii=False)


# ---- the face


def test_a_turn_is_ready_for_both_clients(ada: Agent) -> None:
    ada.turn("Shall we use tabs?", channel="webchat").done("Spaces.")
    turn = ada.turn("Why?", channel="webchat")
    assert turn.system == "You are Ada."
    assert turn.messages == [
        user([text("Shall we use tabs?")]),
        assistant([text("Spaces.")]),
        user([text("Why?")]),
    ]
    assert turn.tools == [TOOL]
    assert turn.openai() == {
        "messages": [
            {"role": "system", "content": "You are Ada."},
            user("Shall we use tabs?"),
            assistant("Spaces."),
            user("Why?"),
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "look_up",
                    "description": "Looks up.",
                    "parameters": {"type": "object"},
                },
            }
        ],
    }
    assert turn.context_tokens > 20
    assert (turn.number, turn.state, turn.session.channel) == (2, "open", "webchat")


def test_an_agent_without_prompt_and_tools_sends_none(et: Everthread) -> None:
    turn = et.agent("bare").turn("Hello")
    assert (turn.system, turn.tools) == ("", [])
    assert turn.openai() == {"messages": [user("Hello")]}


def test_a_tool_loop_keeps_the_messages_current(ada: Agent) -> None:
    """(R-7)."""
    turn = ada.turn("What is in the book?")
    before = turn.messages
    turn.add(assistant([thought(), text("I look."), use("t1"), use("t2")]))
    assert turn.open_calls == ["t1", "t2"]
    turn.tool_result("t2", "page two")
    turn.tool_result("t1", "page one", is_error=True)
    assert turn.open_calls == []
    assert turn.messages == [
        *before,
        assistant([thought(), text("I look."), use("t1"), use("t2")]),
        user([result("t1", content="page one", is_error=True), result("t2", content="page two")]),
    ]
    check_legal(turn)
    turn.done("Two pages.")
    assert turn.state == "done"
    assert [message.origin for message in ada.messages()] == [
        "user",
        "agent",
        "tool",
        "tool",
        "agent",
    ]


CLAUDE_SAYS = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-test-20260101",
    "content": [{"type": "text", "text": "Hello.", "citations": None}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 3,
        "output_tokens": 5,
        "cache_read_input_tokens": 20,
        "cache_creation_input_tokens": 7,
    },
}
GPT_SAYS = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-test-2026",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "logprobs": None,
            "message": {"role": "assistant", "content": "Hello.", "refusal": None},
        }
    ],
    "usage": {
        "prompt_tokens": 30,
        "completion_tokens": 5,
        "total_tokens": 35,
        "prompt_tokens_details": {"cached_tokens": 20},
    },
}


@pytest.mark.parametrize(
    ("reply", "usage"),
    [
        ("Hello.", None),
        ({"role": "assistant", "content": "Hello."}, None),
        ({"content": [text("Hello.")]}, None),
        ([text("Hello.")], None),
        (CLAUDE_SAYS, (3, 5, 20, 7)),
        (anthropic.types.Message.model_validate(CLAUDE_SAYS), (3, 5, 20, 7)),
        (GPT_SAYS, (10, 5, 20, 0)),
        (openai.types.chat.ChatCompletion.model_validate(GPT_SAYS), (10, 5, 20, 0)),
    ],
    ids=["text", "message", "content", "blocks", "dict", "anthropic", "dict of openai", "openai"],
)
def test_a_reply_may_come_in_any_form(ada: Agent, reply: Any, usage: Any) -> None:
    """(X-12)."""
    ada.turn("Hi").done(reply)
    assert texts(ada.messages()) == ["Hi", "Hello."]
    reported = ada.turns()[0].reported
    assert (None if reported is None else tuple(json.loads(reported).values())) == usage


def test_usage_can_be_told_beside_the_reply(ada: Agent) -> None:
    """(X-12, A-33)."""
    ada.turn("Hi").done("Hello.", usage={"input_tokens": 50, "output_tokens": 1})
    assert json.loads(ada.turns()[0].reported or "")["input"] == 50
    assert ada.primary.row.last_input_tokens == 50


def test_usage_that_makes_no_sense_is_refused_and_the_turn_goes_on(ada: Agent) -> None:
    turn = ada.turn("Hi")
    with pytest.raises(BadInput, match="input_tokens cannot be -3"):
        turn.done("Hello.", usage={"input_tokens": -3})
    turn.done("Hello.")
    assert texts(ada.messages()) == ["Hi", "Hello."]


def test_an_answer_given_to_add_may_be_the_reply(ada: Agent) -> None:
    ada.turn("Hi").add(CLAUDE_SAYS).done()
    assert texts(ada.messages()) == ["Hi", "Hello."]
    assert ada.turns()[0].model == "claude-test-20260101"


@pytest.mark.parametrize("reply", [None, 7, object(), {"role": "user", "content": "me"}, [3]])
def test_what_is_no_reply_is_refused_and_the_turn_goes_on(ada: Agent, reply: Any) -> None:
    turn = ada.turn("Hi")
    with pytest.raises(BadInput):
        turn.done(reply)
    assert turn.state == "open"
    turn.done("Hello.")
    assert texts(ada.messages()) == ["Hi", "Hello."]


@pytest.mark.parametrize(
    "content", ["", " \n", [], [text("")], [text(" "), text("")], None, 7, [7], {"text": "no type"}]
)
def test_a_turn_needs_something_said(ada: Agent, content: Any) -> None:
    with pytest.raises(BadInput):
        ada.turn(content)
    assert ada.messages() == []
    assert ada.sessions() == []


def test_a_turn_ends_once(ada: Agent) -> None:
    done, failed = ada.turn("one").done("1"), ada.turn("two").failed("no")
    for turn, state in ((done, "done"), (failed, "failed")):
        for end in (
            lambda turn=turn: turn.done("again"),
            lambda turn=turn: turn.failed("again"),
            lambda turn=turn: turn.add("again"),
            lambda turn=turn: turn.tool_result("t1", "again"),
            lambda turn=turn: turn.watch([]),
        ):
            with pytest.raises(TurnFinished, match=rf"is {state} already; begin a new one"):
                end()
    assert len(ada.messages()) == 3


def test_a_result_must_answer_a_call(ada: Agent) -> None:
    turn = ada.turn("go")
    with pytest.raises(CallUnknown, match="none is open"):
        turn.tool_result("t1", "found")
    turn.add(assistant([use("t1")]))
    with pytest.raises(CallUnknown, match=r"no open tool call 't2'.*open calls: t1"):
        turn.tool_result("t2", "found")
    turn.tool_result("t1", "found")
    with pytest.raises(CallUnknown):
        turn.tool_result("t1", "found again")
    assert len(ada.messages()) == 3


def test_a_turn_cannot_end_while_a_tool_is_waited_for(ada: Agent) -> None:
    turn = ada.turn("go").add(assistant([use("t1")]))
    for reply in ("Done.", None):
        with pytest.raises(CallsOpen, match=r"tool_result\(\).*failed\(\)"):
            turn.done(reply)
    with pytest.raises(CallsOpen):
        ada_turn = turn.tool_result("t1", "found")
        ada_turn.done(assistant([use("t2")]))
    turn.done("Done.")
    assert texts(ada.messages())[-1] == "Done."


@pytest.mark.parametrize(
    ("output", "content"),
    [
        ("found", "found"),
        ({"rows": 3}, '{"rows":3}'),
        ([1, 2], "[1,2]"),
        (None, "null"),
        (True, "true"),
        ([text("found"), IMAGE], [text("found"), IMAGE]),
    ],
)
def test_a_tool_may_give_back_anything(ada: Agent, output: Any, content: Any) -> None:
    turn = ada.turn("go").add(assistant([use("t1")])).tool_result("t1", output)
    assert turn.messages[-1]["content"][0]["content"] == content
    check_legal(turn)


def test_leaving_the_block_with_an_error_keeps_what_was_said(ada: Agent) -> None:
    with pytest.raises(TimeoutError), ada.turn("Are you there?") as turn:
        turn.add(assistant([use("t1")]))
        raise TimeoutError("no answer")
    assert ada.turns()[0].error == "TimeoutError: no answer"
    following = ada.turn("Hello?")
    assert "Are you there?" in said_in(following)
    check_legal(following)


def test_leaving_the_block_without_a_reply_fails_the_turn(
    ada: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    """And says so: who forgot `done` would look for the reply in vain."""
    with ada.turn("Hi") as left:
        pass
    assert f"turn {left.id} was left without done()" in caplog.text
    assert (ada.turns()[0].state, ada.turns()[0].error) == (
        "failed",
        "the turn was left without done()",
    )
    with ada.turn("Hi again") as turn:
        turn.done("Hello.")
    assert turn.state == "done"


def test_failed_turns_in_a_row_render_legally(ada: Agent) -> None:
    for n in range(3):
        ada.turn(f"try {n}").failed(RuntimeError())
    turn = ada.turn("and now?")
    check_legal(turn)
    assert turn.messages == [user([text(f"try {n}") for n in range(3)] + [text("and now?")])]
    assert ada.turns()[-1].error == "RuntimeError"


def test_marking_a_block_of_one_turn_changes_no_other(et: Everthread) -> None:
    """(R-7)."""
    ada = et.agent("ada", system=[text("You are Ada.")], tools=[TOOL])
    turn = ada.turn("one")
    turn.system[0]["cache_control"] = {"type": "ephemeral"}
    turn.tools[0]["cache_control"] = {"type": "ephemeral"}
    turn.messages[0]["content"][0]["text"] = "changed"
    turn.done("1")
    following = ada.turn("two")
    assert following.system == [text("You are Ada.")]
    assert following.tools == [TOOL]
    assert following.messages[0] == user([text("one")])
    assert ada.sent(1).system == [text("You are Ada.")]


def test_a_new_definition_holds_from_the_next_turn(et: Everthread) -> None:
    first = et.agent("ada", system="You are Ada.").turn("one")
    second_ada = et.agent("ada", system="You are Ada the Second.", tools=[TOOL])
    assert first.system == "You are Ada."
    first.done("1")
    second = second_ada.turn("two")
    assert (second.system, second.tools) == ("You are Ada the Second.", [TOOL])
    assert (second_ada.sent(1).system, second_ada.sent(1).tools) == ("You are Ada.", [])


def test_an_agent_that_lost_its_tools_still_sends_a_legal_history(et: Everthread) -> None:
    ada = et.agent("ada", tools=[TOOL])
    ada.turn("go").add(assistant([use("t1")])).tool_result("t1", "found").done("Done.")
    turn = et.agent("ada", tools=[]).turn("next")
    check_legal(turn)
    assert [tool["name"] for tool in turn.tools] == ["look_up"]
    assert "tools" not in turn.openai()


# ---- one at a time


def test_a_second_turn_waits_and_then_says_that_the_thread_is_busy(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(R-6, S-1)."""
    first = ada.turn("first")
    began = clock.now()
    with pytest.raises(ThreadBusy, match=r"waited for it for 30 s.*done\(\) or failed\(\)"):
        ada.turn("second")
    assert 30_000 <= clock.now() - began < 31_000
    first.done("1")
    ada.turn("second").done("2")
    assert texts(ada.messages()) == ["first", "1", "second", "2"]


def test_other_threads_and_agents_do_not_wait(et: Everthread, ada: Agent) -> None:
    """(R-6)."""
    first = ada.turn("first")
    beside = ada.thread("heartbeat:noon", kind="background").turn("tick")
    other = et.agent("bob").turn("hello")
    assert {first.state, beside.state, other.state} == {"open"}


def test_a_waiting_turn_begins_as_soon_as_the_open_one_ends() -> None:
    """(R-6)."""
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada")
        first = ada.turn("first")
        waiting = threading.Thread(target=lambda: ada.turn("second").done("2"))
        waiting.start()
        waiting.join(0.1)
        assert waiting.is_alive()
        first.done("1")
        waiting.join(60)
        assert texts(ada.messages()) == ["first", "1", "second", "2"]


def test_a_turn_that_was_given_up_cannot_be_finished(ada: Agent, clock: FrozenClock) -> None:
    """(R-6, S-1)."""
    lost = ada.turn("first")
    clock.forward(seconds=61)
    second = ada.turn("second")
    for use_it in (lambda: lost.add("late"), lambda: lost.done("late")):
        with pytest.raises((LeaseLost, TurnFinished)):
            use_it()
    assert lost.state == "failed"
    second.done("2")
    assert texts(ada.messages()) == ["first", "second", "2"]
    assert ada.turns()[1].error == "abandoned: the process that held the turn is gone"


@pytest.mark.slow
def test_a_turn_stays_alive_as_long_as_its_process() -> None:
    """(R-6)."""
    settings, clock = Settings(turn_lease_seconds=1, turn_wait_seconds=0), FrozenClock()
    with everthread.connect("memory://", settings=settings, clock=clock, background=False) as et:
        ada = et.agent("ada")
        slow = ada.turn("slow")
        for _ in range(2):
            # By a clock of our own: where the machine is busy, a beat may come late by the other one.
            clock.forward(seconds=0.9)
            end = time.monotonic() + 60
            while ada.turns()[0].lease_until < clock.now() + 1_000 and time.monotonic() < end:
                time.sleep(0.01)
        with pytest.raises(ThreadBusy):
            ada.turn("impatient")
        slow.done("there")
        assert texts(ada.messages()) == ["slow", "there"]


HOLDER = """
import sys, everthread
from everthread import Settings
et = everthread.connect(sys.argv[1], settings=Settings(turn_lease_seconds=5), background=False)
turn = et.agent("ada").turn("Remember this.")
turn.add({"role": "assistant", "content": [
    {"type": "tool_use", "id": "t1", "name": "look_up", "input": {}}]})
print("open", flush=True)
sys.stdin.readline()
"""


def test_a_turn_whose_process_was_killed_counts_as_failed(tmp_path: Path) -> None:
    """(R-6)."""
    store = tmp_path / "everthread.db"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        with (
            everthread.connect(
                store, settings=Settings(turn_wait_seconds=0), background=False
            ) as et,
            pytest.raises(ThreadBusy),
        ):
            et.agent("ada").turn("too early")
        holder.kill()
        holder.wait(60)
    with everthread.connect(store, settings=Settings(turn_wait_seconds=60), background=False) as et:
        ada = et.agent("ada")
        turn = ada.turn("Still there?")
        check_legal(turn)
        assert "Remember this." in said_in(turn)
        turn.done("Yes.")
        assert [row.state for row in ada.turns()] == ["done", "failed"]
        assert et.verify(ada).sound


@pytest.mark.parametrize("hours", [0, -1], ids=["at once", "by a clock set back"])
def test_closing_lets_go_of_open_turns(tmp_path: Path, clock: FrozenClock, hours: int) -> None:
    """(R-6)."""
    settings = Settings(turn_wait_seconds=0)
    for _ in range(2):
        with everthread.connect(
            tmp_path / "everthread.db", clock=clock, settings=settings, background=False
        ) as et:
            ada = et.agent("ada")
            held = ada.turn("left open")
            assert held.state == "open", "the one before it was let go of when its engine closed"
            states = [row.state for row in ada.turns()]
        assert states == ["open", *["failed"] * (held.number - 1)]
        clock.forward(hours=hours)


# ---- what was sent


class Sender:
    """Writes down every request as it would have gone out, and how to ask for it again."""

    def __init__(self) -> None:
        self.requests: dict[tuple[str, int, int], tuple[bytes, bytes]] = {}

    def send(self, turn: Turn, call: int, thread: str) -> None:
        claude = dumped({"s": turn.system, "m": turn.messages, "t": turn.tools})
        self.requests[thread, turn.number, call] = claude, dumped(turn.openai())

    def check(self, agent: Agent) -> None:
        for (thread, number, call), (claude, gpt) in self.requests.items():
            again = agent.sent(number, call=call, thread=thread)
            rebuilt = {"s": again.system, "m": again.messages, "t": again.tools}
            assert dumped(rebuilt) == claude, (thread, number, call)
            assert dumped(again.openai()) == gpt, (thread, number, call)


class Talker:
    """Talks at random, as people and programs do: loops, failures, records, other prompts."""

    WORDS = (
        "tabs",
        "spaces",
        "汉字",
        "🙂",
        "naïve",
        '"quoted"',
        "line\nbreak",
        "\ud800",
        "\x00",
        "x" * 900,
    )

    def __init__(self, et: Everthread, seed: int) -> None:
        self.et = et
        self.dice = random.Random(seed)
        self.sender = Sender()
        self.agent = et.agent("ada", system="You are Ada.", tools=[TOOL])
        self.thread = "agent:ada:main"
        self.agent.thread("heartbeat:noon", kind="background")

    def words(self) -> str:
        return " ".join(self.dice.choices(self.WORDS, k=self.dice.randint(1, 6)))

    def content(self) -> Any:
        return self.dice.choice(
            [
                self.words(),
                [text(self.words()), IMAGE],
                [text(self.words()), text(self.words() * 9)],
                [text(self.words()), {"type": "document", "source": PAGE, "title": self.words()}],
            ]
        )

    def answer(self, calls: Sequence[str]) -> Any:
        blocks: list[Any] = [thought()] if self.dice.random() < 0.3 else []
        blocks += [text(self.words())] if self.dice.random() < 0.7 or not calls else []
        return assistant([*blocks, *(use(name, input={"q": self.words()}) for name in calls)])

    def redefine(self) -> None:
        system = self.dice.choice([self.words(), [text(self.words())], ""])
        self.agent = self.et.agent("ada", system=system, tools=self.dice.choice([[], [TOOL]]))

    def record(self) -> None:
        entries: list[Any] = [
            {"role": self.dice.choice(["user", "assistant", "system"]), "content": self.words()}
            for _ in range(self.dice.choice([1, 2, 15]))
        ]
        if self.dice.random() < 0.3:
            entries += [calling("r1"), {"role": "tool", "tool_call_id": "r1", "content": "found"}]
        if self.dice.random() < 0.3:
            entries[0] |= {"name": "Mel B.", "at": "2025-01-01T00:00:00Z"}
        self.agent.record(entries, thread=self.thread)

    def turn(self) -> None:
        turn = self.agent.turn(self.content(), thread=self.thread)
        for call in range(1, self.dice.randint(2, 4)):
            self.sender.send(turn, call, self.thread)
            check_legal(turn)
            if self.dice.random() < 0.1:
                turn.failed("overloaded")
                return
            calls = [f"t{n}" for n in range(self.dice.choice([1, 1, 2]))]
            turn.add(self.answer(calls))
            if self.dice.random() < 0.2:
                self.record()
            for name in self.dice.sample(calls, len(calls)):
                turn.tool_result(name, self.dice.choice([self.words(), {"n": 1}, [IMAGE]]))
        self.sender.send(turn, call + 1, self.thread)
        check_legal(turn)
        turn.done(self.answer([]))

    def go(self, steps: int) -> None:
        for _ in range(steps):
            self.thread = self.dice.choice(["agent:ada:main"] * 3 + ["heartbeat:noon"])
            self.dice.choice([self.turn] * 5 + [self.record, self.redefine])()


@pytest.mark.parametrize("seed", range(4))
def test_what_was_sent_can_be_rebuilt_byte_for_byte(tmp_path: Path, seed: int) -> None:
    """(R-42, R-49)."""
    store, clock = tmp_path / "everthread.db", FrozenClock()
    settings = Settings(body_bytes=256, turn_lease_seconds=3600)
    with everthread.connect(store, clock=clock, settings=settings, background=False) as et:
        talker = Talker(et, seed)
        talker.go(15)
        assert len(talker.sender.requests) > 15
        talker.sender.check(talker.agent)
        assert et.verify(talker.agent).sound
    with everthread.connect(store, clock=clock, background=False) as et:
        talker.sender.check(et.agent("ada"))
        assert et.verify(et.agent("ada")).sound


def test_without_a_call_the_last_request_is_meant(ada: Agent) -> None:
    turn = ada.turn("go").add(assistant([use("t1")])).tool_result("t1", "found")
    last = turn.messages
    turn.done("Done.")
    assert ada.sent(1).messages == last
    assert ada.sent(1).call == 2
    assert len(ada.sent(1, call=1).messages) == 1
    with pytest.raises(BadInput, match="made 2 calls; there is no call 3"):
        ada.sent(1, call=3)
    with pytest.raises(TurnUnknown):
        ada.sent(2)


def test_every_request_begins_with_the_bytes_of_the_one_before(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(R-7, R-5)."""
    dice = random.Random(7)
    before: list[Any] = []
    for n in range(25):
        if dice.random() < 0.3:
            ada.record([{"role": "user", "content": f"recorded {n}"}])
        turn = ada.turn(f"question {n}")
        assert turn.messages[: len(before)] == before
        sent = turn.messages
        for loop in range(dice.randint(0, 2)):
            turn.add(assistant([thought(), use(f"t{n}{loop}")])).tool_result(f"t{n}{loop}", "found")
            assert dumped(turn.messages).startswith(dumped(sent)[:-1])
            sent = turn.messages
        if dice.random() < 0.2:
            turn.failed("overloaded")
        else:
            turn.done(f"answer {n}")
        # Neighbours of one role merge, so the newest user message itself may still grow.
        before = ada.sent(turn.number, call=1).messages[:-1]
        clock.forward(hours=dice.choice([0, 1, 6]))
    assert len(ada.sessions()) > 3


# ---- reading


def test_the_newest_messages_are_exact(ada: Agent) -> None:
    """(LD-4)."""
    ada.record([{"role": "user", "content": str(n)} for n in range(151)])
    everything = [str(n) for n in range(151)]
    assert texts(ada.messages()) == everything[-50:]
    for limit in (1, 2, 50, 51, 149, 150, 151, 152, 1_000):
        assert texts(ada.messages(limit=limit)) == everything[-limit:]


def test_messages_read_by_the_time_they_were_said(ada: Agent, clock: FrozenClock) -> None:
    """(R-12)."""
    ada.turn("now").done("yes")
    ada.record(
        [
            {"role": "user", "content": "b", "at": "2026-02-19T10:00:00Z"},
            {"role": "user", "content": "c", "at": "2026-02-19T10:00:00Z"},
            {"role": "user", "content": "a", "at": "2026-02-18T10:00:00Z"},
            {"role": "user", "content": "future", "at": "2026-02-20T11:00:00Z"},
        ]
    )
    said = ada.messages()
    assert texts(said) == ["a", "b", "c", "now", "yes", "future"]
    assert said == sorted(said, key=lambda m: (m.at_ms, m.seq))
    assert [m.seq for m in sorted(said, key=lambda m: m.seq)] == [1, 2, 3, 4, 5, 6]
    assert said[0].at == datetime(2026, 2, 18, 10, tzinfo=UTC)
    assert said[0].created_at == datetime(2026, 2, 20, 10, tzinfo=UTC)


def test_a_clock_that_was_set_back_leaves_one_order_whatever_is_archived(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    for n in range(60):
        ada.turn(f"ask {n}").done(f"reply {n}")
        clock.forward(hours=-30 if n in {20, 40} else 1)
    live = texts(ada.messages(limit=500))
    assert live == [f"{what} {n}" for n in range(60) for what in ("ask", "reply")]
    ada.record(
        [
            {"role": "user", "content": "old", "at": moment.isoformat()}
            for moment in sorted({m.at for m in ada.messages(limit=500)})[::2]
            if ms_of(moment) <= clock.now()
        ],
        source="import",
    )
    said = ada.messages(limit=500)
    assert len(said) > len(live)
    assert [text for text in texts(said) if text != "old"] == live
    assert ada.messages(tokens=10**9) == said
    for session in ada.sessions():
        shown = et.house.store.read(
            lambda r, s=session: r.messages.of_session(ada.scope, s, limit=500)
        )
        spoken = [text for text in texts(shown) if text != "old"]
        assert spoken == [text for text in live if text in spoken]


def test_a_budget_of_tokens_takes_all_that_fits_and_nothing_more(ada: Agent) -> None:
    """(LD-4)."""
    dice = random.Random(3)
    ada.record([{"role": "user", "content": "word " * dice.randint(1, 60)} for _ in range(300)])
    everything = ada.messages(limit=300)
    for tokens in (0, 1, 2, 3, 50, 500, 3_000, 10**9):
        found = ada.messages(tokens=tokens)
        assert found == everything[len(everything) - len(found) :]
        assert sum(message.tokens for message in found) <= tokens
        if len(found) < len(everything):
            left_out = everything[-len(found) - 1]
            assert sum(m.tokens for m in found) + left_out.tokens > tokens
    assert len(ada.messages(tokens=10**9, limit=7)) == 7


@pytest.mark.parametrize(
    "wrong", [{"limit": -1}, {"limit": 0}, {"limit": 0, "tokens": 9}, {"tokens": -1}]
)
def test_a_negative_amount_is_refused(ada: Agent, wrong: Any) -> None:
    with pytest.raises(BadInput, match=r"must be [01] to"):
        ada.messages(**wrong)


# ---- the size of things


def test_a_request_that_is_too_large_stores_nothing(et: Everthread) -> None:
    """(A-5, R-3, R-8, X-27)."""
    ada = et.agent("ada", window=8_000)
    ada.turn("hello").done("hi")
    ada.record([{"role": "user", "content": f"{n}"} for n in range(30)])
    before = (ada.primary.row, ada.messages(), ada.sessions(), ada.turns())
    with pytest.raises(ContextFull, match=r"the guard of thread 'agent:ada:main' is 7,200"):
        ada.turn("word " * 8_000)
    assert (ada.primary.row, ada.messages(), ada.sessions(), ada.turns()) == before
    ada.turn("short").done("yes")
    assert et.verify(ada).sound


@pytest.mark.req("A-5", "R-8", "LA-5")
def test_a_turn_that_would_pass_the_guard_has_room_made_for_it(et: Everthread) -> None:
    ada = et.agent("ada", window=8_000)
    ada.turn("hello").done("word " * 5_000)
    for n in range(6):
        ada.turn(f"{n}").done("yes")
    turn = ada.turn("word " * 2_500)
    assert turn.context_tokens <= 7_200
    assert ada.receipts()[0].outcome == "degraded"
    assert [fired["name"] for fired in ada.receipts()[0].fired][-1] == "guard"
    turn.done("fine")
    assert et.verify(ada).sound


def test_a_window_of_eight_thousand_works(et: Everthread) -> None:
    """(R-3)."""
    ada = et.agent("ada", system="You are Ada.", window=8_000)
    ada.record([{"role": "user", "content": f"<{n}>" + " word" * 200} for n in range(10)])
    turn = ada.turn("now")
    # 12,000 tokens of 200,000 are 480 of 8,000.
    assert [n for n in range(10) if f"<{n}>" in said_in(turn)] == [8, 9]
    assert turn.context_tokens < 500
    turn.done("yes")
    for n in range(20):
        ada.turn(f"question {n}").done("answer " * 20)
    assert ada.primary.row.computed_context_tokens < 7_200


def test_the_context_is_computed_before_every_turn_and_kept(ada: Agent) -> None:
    """(A-34, A-36, A-37, A-38)."""
    first = ada.turn("one two three")
    assert ada.primary.row.computed_context_tokens == first.context_tokens
    first.done("four five six")
    second = ada.turn("seven")
    assert ada.primary.row.computed_context_tokens == second.context_tokens > first.context_tokens
    assert ada.turns()[0].computed_tokens == second.context_tokens
    assert ada.primary.message_count == 3


def test_the_context_grows_with_every_part_of_the_request(et: Everthread) -> None:
    """(A-34, A-35, LD-5)."""
    bare = et.agent("bare").turn("hello").context_tokens
    prompted = et.agent("prompted", system="word " * 100).turn("hello").context_tokens
    tooled = et.agent("tooled", tools=[TOOL] * 10).turn("hello").context_tokens
    assert prompted > bare + 90
    assert tooled > bare + 100
    turn = et.agent("looping").turn("hello")
    sizes = [turn.context_tokens]
    turn.add(assistant([thought(), use("t1", input={"q": "word " * 50})]))
    sizes.append(turn.context_tokens)
    turn.tool_result("t1", [text("word " * 50), IMAGE])
    sizes.append(turn.context_tokens)
    assert sizes[0] + 50 < sizes[1] < sizes[2] - 50


def test_what_a_provider_reports_is_held_against_the_request_it_was_for(ada: Agent) -> None:
    """(X-12, LA-4)."""
    system_like = "word " * 4_000
    for n in range(10):
        turn = ada.turn(system_like if n == 0 else "go on")
        before = turn.context_tokens
        said = {"role": "assistant", "content": [use(f"t{n}")], "usage": {"input_tokens": before}}
        # The figure is for the small request; the large result comes after it.
        turn.add(said).tool_result(f"t{n}", system_like if n == 0 else "found").done("Done.")
    turn = ada.turn("and now?")
    assert turn.context_tokens == pytest.approx(ada.turns()[0].computed_tokens, rel=0.01)


def test_a_report_that_only_counts_what_was_not_cached_changes_nothing(ada: Agent) -> None:
    """(A-3, A-33, LA-4, X-12)."""
    ada.turn("word " * 20_000).done("yes")
    before = ada.turn("how large?")
    before.done("so large", usage={"input_tokens": 3})
    after = ada.turn("how large?")
    assert after.context_tokens == pytest.approx(before.context_tokens, rel=0.01)
    after.done(
        "so large", usage={"input_tokens": 3, "cache_read_input_tokens": after.context_tokens}
    )
    assert ada.turn("?").context_tokens == pytest.approx(before.context_tokens, rel=0.01)
