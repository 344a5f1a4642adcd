"""Whatever people and programs do, in whatever order: the history stays legal, whole and in order."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import everthread
from everthread import Agent, Everthread, Settings, Thread, Turn
from everthread.domain.errors import ThreadUnknown, TransitionIllegal
from everthread.jobs.worker import Worker
from everthread.testing import FrozenClock
from support.legality import anthropic_problems, openai_problems
from support.model_clients import TOOL, assistant, text, thought, use

SOAK = os.environ.get("EVERTHREAD_SOAK") == "1"
MAIN, BEAT, ERRAND = "agent:ada:main", "heartbeat:noon", "errand"

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}

words = st.sampled_from(["hello", "汉字 🙂", "line\nbreak", "\x00", "\ud800", " x ", "y" * 700])
keys = st.sampled_from([MAIN, MAIN, BEAT, ERRAND])
contents = st.one_of(
    words,
    st.lists(st.one_of(words.map(text), st.just(IMAGE)), min_size=1, max_size=3).filter(
        lambda blocks: any(b["type"] == "image" or b["text"].strip() for b in blocks)
    ),
)
call_ids = st.sampled_from(["t1", "t2", "", "call with spaces", "x" * 90])
replies = st.one_of(
    words,
    st.builds(
        lambda thinking, said, calls: assistant([*thinking, *map(text, said), *map(use, calls)]),
        st.lists(st.just(thought()), max_size=1),
        st.lists(words, max_size=2),
        st.lists(call_ids, max_size=3),
    ).filter(lambda reply: reply["content"]),
)
entries = st.one_of(
    st.builds(
        lambda role, said, name: {
            "role": role,
            "content": said,
            **({"name": name} if name else {}),
        },
        st.sampled_from(["user", "assistant", "system"]),
        contents,
        st.sampled_from([None, "Mel", "Jo Ann"]),
    ),
    call_ids.filter(bool).map(lambda c: {"role": "tool", "tool_call_id": c, "content": "found"}),
    replies.filter(lambda reply: isinstance(reply, dict)),
)
times = st.sampled_from(
    [None, None, "2020-01-01T00:00:00Z", "2026-02-20T09:59:00Z", "2026-02-20T11:00:00Z"]
)


class History(RuleBasedStateMachine):
    """An agent with three threads, and a model of what must be in the store."""

    persistent = False

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="everthread-"))
        self.clock = FrozenClock()
        self.turns: dict[str, Turn] = {}
        self.counts = dict.fromkeys([MAIN, BEAT, ERRAND], 0)
        self.erased = False
        self.et: Everthread = self.opened()
        self.ada: Agent = self.et.agent("ada", system="You are Ada.", tools=[TOOL])

    def opened(self) -> Everthread:
        place = self.folder / "everthread.db" if self.persistent else "memory://"
        chosen = Settings(body_bytes=256, durability="process")
        return everthread.connect(place, clock=self.clock, settings=chosen, background=False)

    def teardown(self) -> None:
        self.check_store()
        self.et.close()
        shutil.rmtree(self.folder)

    @initialize()
    def threads_are_there(self) -> None:
        for key, kind in ((BEAT, "background"), (ERRAND, "ephemeral")):
            self.ada.thread(key, kind=kind)

    # ---- what happens

    @rule(key=keys, said=contents, channel=st.sampled_from([None, "webchat", "signal:+49"]))
    def begin(self, key: str, said: Any, channel: str | None) -> None:
        if key in self.turns:
            # Whoever held it is gone for good: its lease runs out, whatever the clock did meanwhile.
            self.clock.forward(hours=30)
            del self.turns[key]
        self.turns[key] = self.ada.turn(said, thread=self.thread(key), channel=channel)
        self.counts[key] += 1

    @precondition(lambda self: self.turns)
    @rule(data=st.data(), reply=replies)
    def answer(self, data: st.DataObject, reply: Any) -> None:
        key, turn = self.some_turn(data)
        turn.add(reply)
        self.counts[key] += 1

    @precondition(lambda self: any(turn.open_calls for turn in self.turns.values()))
    @rule(data=st.data(), output=st.one_of(words, st.just([IMAGE]), st.just({"n": 1})))
    def result(self, data: st.DataObject, output: Any) -> None:
        waiting = [(k, call) for k, turn in self.turns.items() for call in turn.open_calls]
        key, call = data.draw(st.sampled_from(waiting))
        self.turns[key].tool_result(call, output, is_error=data.draw(st.booleans()))
        self.counts[key] += 1

    @precondition(lambda self: self.turns)
    @rule(data=st.data(), ok=st.booleans(), reply=words)
    def end(self, data: st.DataObject, ok: bool, reply: str) -> None:
        key, turn = self.some_turn(data)
        if ok and not turn.open_calls:
            turn.done(reply, usage=data.draw(st.sampled_from([None, {"input_tokens": 90}])))
            self.counts[key] += 1
        else:
            turn.failed("overloaded")
        del self.turns[key]

    @rule(
        key=keys,
        given=st.lists(entries, min_size=1, max_size=12),
        at=times,
        source=st.sampled_from(["record", "record", "hook", "import"]),
        ids=st.sampled_from([None, "a", "b"]),
    )
    def record(self, key: str, given: list[Any], at: str | None, source: str, ids: Any) -> None:
        timed = [entry | ({"at": at} if at else {}) for entry in given]
        if ids:
            timed = [entry | {"id": f"{ids}{n}"} for n, entry in enumerate(timed)]
        added, known, _ = self.ada.record(timed, thread=self.thread(key), source=source)
        assert added + known == len(given)
        assert ids or known == 0
        self.counts[key] += added

    @rule(data=st.data(), channel=st.sampled_from([None, "webchat"]))
    def resume(self, data: st.DataObject, channel: str | None) -> None:
        sessions = self.ada.sessions()
        if sessions:
            session = data.draw(st.sampled_from(sessions))
            try:
                assert self.ada.resume(session.id, channel=channel).state == "active"
            except TransitionIllegal:
                assert session.state == "terminated"

    @rule(hours=st.sampled_from([0.001, 1, 4, 5, 23, -1, -0.01]))
    def time_passes(self, hours: float) -> None:
        self.clock.forward(hours=hours)

    @rule(system=words, tools=st.sampled_from([[], [TOOL], [TOOL, TOOL | {"name": "b"}]]))
    def redefine(self, system: str, tools: list[Any]) -> None:
        self.ada = self.et.agent("ada", system=system, tools=tools)

    @rule()
    def tidy_up(self) -> None:
        worker = Worker(self.et.house)
        while worker.step():
            pass
        states = {turn.id: turn.state for key in self.kept() for turn in self.thread(key).turns()}
        self.turns = {k: t for k, t in self.turns.items() if states.get(t.id) == "open"}
        if ERRAND not in self.kept():
            self.counts[ERRAND] = 0

    @precondition(lambda self: self.persistent)
    @rule()
    def come_back(self) -> None:
        self.et.close()
        self.turns.clear()
        self.et = self.opened()
        self.ada = self.et.agent("ada")

    @precondition(lambda self: not self.erased)
    @rule(key=keys)
    def erase(self, key: str) -> None:
        self.erased = True
        if key in self.kept():
            self.et.erase(self.ada, thread=key)
            self.turns.pop(key, None)
            self.counts[key] = 0

    # ---- what must hold

    @invariant()
    def open_turns_are_legal_for_both_providers(self) -> None:
        # After an answer without calls there is nothing to send; the turn waits to be ended.
        asking = [turn for turn in self.turns.values() if turn.messages[-1]["role"] == "user"]
        for turn in asking:
            claude: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": turn.messages}
            claude |= {"tools": turn.tools} if turn.tools else {}
            assert anthropic_problems(claude) == []
            assert openai_problems({"model": "m", **turn.openai()}) == []
            assert turn.context_tokens > 0

    @invariant()
    def what_is_sent_can_be_rebuilt(self) -> None:
        for key, turn in self.turns.items():
            if turn.messages[-1]["role"] == "user" and not turn.open_calls:
                again = self.ada.sent(turn.number, thread=self.thread(key))
                assert again.messages == turn.messages
                assert again.openai() == turn.openai()

    @invariant()
    def there_is_one_primary_and_one_open_turn_at_most(self) -> None:
        threads = self.ada.threads()
        assert [thread.key for thread in threads if thread.kind == "primary"] == [MAIN]
        for thread in threads:
            states = [turn.state for turn in thread.turns(limit=1_000)]
            assert states.count("open") <= 1
            assert "open" not in states[1:]

    @invariant()
    def every_message_is_there_once(self) -> None:
        for key in self.kept():
            thread = self.thread(key)
            seqs = sorted(message.seq for message in thread.messages(limit=100_000))
            assert seqs == [*range(1, self.counts[key] + 1)]
            assert thread.message_count == self.counts[key]

    def check_store(self) -> None:
        verdict = self.et.verify(self.ada)
        assert verdict.sound, verdict.faults

    # ---- helpers

    def kept(self) -> list[str]:
        return [thread.key for thread in self.ada.threads()]

    def thread(self, key: str) -> Thread:
        kind = {MAIN: "primary", BEAT: "background", ERRAND: "ephemeral"}[key]
        return self.ada.thread(key, kind=kind)

    def some_turn(self, data: st.DataObject) -> tuple[str, Turn]:
        key = data.draw(st.sampled_from(sorted(self.turns)))
        return key, self.turns[key]


class FileHistory(History):
    """The same on disk, where the store is closed and opened again in between."""

    persistent = True


def explore(machine: type[History], *, examples: int, steps: int) -> None:
    factor = 20 if SOAK else 1
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples * factor,
            stateful_step_count=steps * (2 if SOAK else 1),
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.soak
def test_any_history_in_memory_stays_sound() -> None:
    """(A-22, A-38, R-6, R-12, R-42, S-1, X-20)."""
    explore(History, examples=25, steps=30)


@pytest.mark.soak
def test_any_history_on_disk_stays_sound() -> None:
    """(A-22, A-38, R-6, R-12, R-42, R-49, S-1)."""
    explore(FileHistory, examples=10, steps=30)


def test_a_vanished_thread_is_told_apart_from_an_unknown_one() -> None:
    with everthread.connect("memory://", background=False) as et, pytest.raises(ThreadUnknown):
        et.agent("ada").turn("hello", thread=ERRAND)
