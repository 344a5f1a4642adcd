"""How sessions end: by the next message, the sweep, a harness or a hand; and what follows from it."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread
from everthread.domain.errors import BadInput, SessionUnknown, ThreadBusy
from everthread.domain.harness.happenings import Happening
from everthread.providers.processes import process_named
from everthread.services.ending.sweep import sweep_sessions
from everthread.services.job_names import ENDED
from everthread.testing import FrozenClock
from support.born import ran
from support.commands import Cli
from support.sitting import TALK, Scripted, asked, talk, with_model, work_off


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture
def et(clock: FrozenClock) -> Iterator[Everthread]:
    with everthread.connect("memory://", clock=clock, background=False) as et:
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada")


def swept(et: Everthread) -> int:
    return sweep_sessions(et.house, lambda: None)


# ---- who ends a session


def test_the_message_after_the_gap_ends_the_session_before_and_has_that_seen_to(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(D-13, D-22, LD-9)."""
    first = talk(ada)
    assert asked(et) == []
    clock.forward(hours=5)
    ada.turn("Good morning.").done("Good morning.")
    assert ada.session(first.id).state == "complete"
    assert asked(et) == [str(first.ref)]


@pytest.mark.parametrize(
    ("gap", "over"),
    [
        ({"hours": 3, "minutes": 59}, False),
        ({"hours": 3, "minutes": 59, "seconds": 59.999}, False),
        ({"hours": 4}, True),
        ({"hours": 4, "minutes": 1}, True),
    ],
)
def test_the_sweep_ends_what_was_quiet_for_the_whole_window(
    et: Everthread, ada: Agent, clock: FrozenClock, gap: Any, over: bool
) -> None:
    """(X-23, X-24, D-27)."""
    session = talk(ada)
    clock.forward(**gap)
    assert swept(et) == int(over)
    found = ada.session(session.id)
    assert found.state == ("complete" if over else "active")
    assert found.ended_ms == (session.last_activity_ms if over else None)
    assert asked(et) == ([str(session.ref)] if over else [])


def test_an_agents_own_hours_decide_when_its_session_is_over(
    et: Everthread, clock: FrozenClock
) -> None:
    """(D-16)."""
    slow = et.agent("slow", inactivity_hours=24)
    session = talk(slow, 1)
    clock.forward(hours=23, minutes=59)
    assert swept(et) == 0
    clock.forward(minutes=1)
    assert swept(et) == 1
    assert slow.session(session.id).state == "complete"


def test_a_sweep_too_many_changes_nothing(et: Everthread, ada: Agent, clock: FrozenClock) -> None:
    """(LD-8, X-23)."""
    talk(ada)
    clock.forward(hours=4)
    assert swept(et) == 1
    work_off(et)
    before = et.house.store.read(lambda r: r.timeline.head(ada.scope))
    for _ in range(3):
        clock.forward(hours=1)
        assert swept(et) == 0
    assert asked(et) == []
    assert et.house.store.read(lambda r: r.timeline.head(ada.scope)) == before


def test_sweeps_that_were_missed_are_made_up_for_at_once(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(LD-8, D-17): a fortnight without any program."""
    session = talk(ada)
    clock.forward(hours=24 * 13)
    work_off(et)
    found = ada.session(session.id)
    assert found.state == "complete"
    assert found.summary is not None
    assert found.summary.startswith("[2026-02-20] ")


def test_an_end_that_nobody_saw_to_is_found_again(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(X-24): its job is lost, as by a program of an earlier version."""
    session = talk(ada)
    over = ada.end_session()
    et.house.store.write(lambda r: r.jobs.cancel(ENDED, once=str(over.ref)))
    clock.forward(hours=4)
    assert swept(et) == 1
    work_off(et)
    assert ada.session(session.id).summary


def test_a_session_across_midnight_is_one_and_is_dated_by_its_end(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(D-1, D-3, LD-8)."""
    clock.forward(hours=13, minutes=30)  # half an hour to midnight
    first = talk(ada, 3)
    clock.forward(hours=1)
    for said, reply in TALK[3:]:
        ada.turn(said).done(reply)
    assert len(ada.sessions()) == 1
    clock.forward(hours=4)
    work_off(et)
    assert (ada.session(first.id).summary or "").startswith("[2026-02-21] ")


def test_a_turn_that_is_still_open_keeps_its_session(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """A model may think for long; its reply still belongs to the session."""
    turn = ada.turn("Think about it for a night.")
    clock.forward(hours=5)
    assert swept(et) == 0
    turn.done("Done.")
    assert ada.session(turn.session.id).state == "active"


def test_the_session_of_a_task_is_not_the_sweeps_to_end(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(C-3, LD-6)."""
    talk(ada, 1)
    session = ada.sessions()[0]
    task = session._replace(key="of-a-task", key_id=b"\x01" * 16, task="the-task")
    kept = et.house.store.write(lambda r: r.sessions.add(ada.scope, task))
    clock.forward(hours=48)
    assert swept(et) == 1
    assert ada.session(kept.id).state == "active"
    with pytest.raises(BadInput, match="task"):
        ada.end_session(kept.id)


def test_background_work_and_a_summary_prolong_nothing(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(LD-6, D-14)."""
    session = talk(ada)
    beat = ada.thread("heartbeat:noon", kind="background")
    clock.forward(hours=2)
    beat.turn("tick").done("tock")
    ada.summarize_session(session.id)
    clock.forward(hours=2)
    told = ada.session(session.id)
    assert told.summary
    assert (told.last_human_ms, told.last_activity_ms) == (
        session.last_human_ms,
        session.last_activity_ms,
    )
    assert ada.turn("hello").session.id != session.id


def test_two_messages_at_once_after_the_gap_open_one_session(
    tmp_path: Path, clock: FrozenClock
) -> None:
    """(D-15)."""
    with everthread.connect(tmp_path / "s.db", clock=clock, background=False) as et:
        ada = et.agent("ada")
        first = talk(ada, 1)
        clock.forward(hours=5)
        gate = threading.Barrier(2)

        def say(words: str) -> None:
            gate.wait()
            ada.record([{"role": "user", "content": words}])

        threads = [threading.Thread(target=say, args=(words,)) for words in ("one", "two")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(ada.sessions()) == 2
        assert asked(et) == [str(first.ref)]


# ---- by hand


def test_a_person_ends_a_session_and_the_next_message_opens_another(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    session = talk(ada)
    over = ada.end_session()
    assert (over.id, over.state) == (session.id, "complete")
    assert ada.end_session(session.id) == over
    assert asked(et) == [str(session.ref)]
    assert ada.turn("hello").session.id != session.id


def test_there_must_be_something_to_end(ada: Agent) -> None:
    with pytest.raises(SessionUnknown, match="nothing to end"):
        ada.end_session()


def test_a_session_does_not_end_in_the_middle_of_a_turn(ada: Agent) -> None:
    turn = ada.turn("hello")
    with pytest.raises(ThreadBusy, match="a turn is open"):
        ada.end_session()
    turn.done("hi")
    assert ada.end_session().state == "complete"


def test_sessions_are_ended_and_taken_up_by_commands(tmp_path: Path) -> None:
    """(D-23): `--continue` and an id."""
    cli = Cli(tmp_path)
    store = tmp_path / "data" / "everthread.db"
    store.parent.mkdir()
    with everthread.connect(store, background=False) as et:
        session = talk(et.agent("ada"))
    ended = cli("sessions", "end")
    assert "is complete" in ended.out, ended
    again = cli("sessions", "resume", "--continue")
    assert f"{session.alias} is current again" in again.out
    assert cli("sessions", "resume").code == 2
    assert cli("sessions", "resume", "--continue", session.id).code == 2
    with everthread.connect(store, background=False) as et:
        assert et.agent("ada").turn("And on.").session.id == session.id


def store_of(home: Path) -> Path:
    store = home / "data" / "everthread.db"
    store.parent.mkdir()
    return store


def test_the_command_that_ends_a_session_sees_to_its_end_where_no_daemon_does(
    tmp_path: Path,
) -> None:
    """(D-4, D-6, D-9, D-22): no worker has to run for it; the next session knows it at once."""
    cli, store = Cli(tmp_path), store_of(tmp_path)
    with everthread.connect(store, background=False) as et:
        session = talk(et.agent("ada"))
    ended = cli("sessions", "end")
    assert ended.code == 0 and "its memories are drawn, and it is summed up" in ended.out, ended
    with everthread.connect(store, background=False) as et:
        ada = et.agent("ada")
        summary = ada.session(session.id).summary
        assert summary and "PostgreSQL" in " ".join(memory.text for memory in ada.memories())
        turn = ada.turn("Good morning!")
        assert turn.session.id != session.id and summary in str(turn.messages[-1])
        turn.done("Good morning.")
        before = ada.memories()
        work_off(et)
        assert ada.memories() == before, "the job that waits finds it done"
        assert ada.session(session.id).summary == summary
    again = cli("sessions", "end", session.id, "--json")
    assert (again.json["summary"], again.json["seen_to"]) == (summary, "here")


@pytest.mark.slow
def test_where_a_daemon_serves_the_store_it_sees_to_the_end(tmp_path: Path) -> None:
    """(D-22): and the command says so."""
    cli, store = Cli(tmp_path), store_of(tmp_path)
    cli.env["EVERTHREAD_EMBEDDER"] = "off"
    away = tmp_path / "away.db"
    for place in (store, away):
        with everthread.connect(place, background=False) as et:
            talk(et.agent("ada"))
    up = cli("up", "--detach")
    assert up.code == 0, up.err
    try:
        until = time.monotonic() + 120
        while not cli("status", "--json").json["daemon"]["store_open"]:
            assert time.monotonic() < until, "the daemon opens its store by itself"
        ended = cli("sessions", "end")
        other = cli("sessions", "end", "--store", away, "--json")
    finally:
        assert cli("down").code == 0
    assert ended.code == 0 and "the daemon" in ended.out, ended
    assert other.json["seen_to"] == "here", "that store is not the daemon's"


def test_a_model_that_takes_long_is_left_to_the_worker(et: Everthread, ada: Agent) -> None:
    """The command waits only so long; what it began is asked for still."""
    session = talk(ada)
    over = ada.end_session()
    clock = et.house.clock
    assert isinstance(clock, FrozenClock)

    class Slow(Scripted):
        def summarize(self, passages: Any, *, pause: Any) -> Any:
            clock.forward(seconds=61)
            return super().summarize(passages, pause=pause)

    with_model(et, Slow([]))
    assert et.agent("ada").conclude_session(over.id, seconds=60) is False
    assert ada.session(session.id).summary is None
    assert asked(et) == [str(session.ref)]
    et.house = replace(et.house, summarizer=None)
    assert et.agent("ada").conclude_session(over.id) is True
    assert ada.session(session.id).summary


# ---- what follows


def test_a_preference_is_known_in_the_next_session_and_in_another_channel(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(D-22, D-1): extraction at the end of the session, however little was said in it."""
    ada.turn("I prefer tabs over spaces in Makefiles.", channel="webchat").done("Noted.")
    ada.end_session()
    work_off(et)
    kept = [memory.text for memory in ada.memories()]
    assert any("tabs over spaces" in text for text in kept)
    hits = ada.recall("tabs or spaces?")
    assert any("tabs over spaces" in hit.text for hit in hits if hit.kind != "message")
    assert ada.turn("tabs or spaces?", channel="signal:+49").session.channel == "signal:+49"


def test_what_is_drawn_twice_is_kept_once(et: Everthread, ada: Agent, clock: FrozenClock) -> None:
    """(D-26)."""
    talk(ada)
    ada.end_session()
    work_off(et)
    before = {memory.id for memory in ada.memories()}
    assert before
    ada.resume(ada.newest_session().id)
    ada.turn("And one more thing.").done("Yes?")
    ada.end_session()
    work_off(et)
    assert {memory.id for memory in ada.memories()} == before


def test_what_a_subagent_or_a_background_thread_said_is_not_summed_up(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    beat = ada.thread("heartbeat:noon", kind="background")
    for said, reply in TALK:
        beat.turn(said, origin="user").done(reply)
    clock.forward(hours=5)
    work_off(et)
    [session] = ada.sessions()
    assert (session.state, session.summary) == ("complete", None)


def test_a_harness_that_ends_its_session_has_it_summed_up(
    et: Everthread, ada: Agent, tmp_path: Path
) -> None:
    """(D-22, B-43)."""
    base = Happening("claude-code", "prompt", "key-1", str(tmp_path))
    ada.attend(base._replace(kind="start", start="startup"))
    for said, _ in TALK:
        ada.attend(base._replace(text=said))
    ada.attend(base._replace(kind="end", reason="exit"))
    work_off(et)
    session = ada.session("key-1")
    assert session.state == "complete"
    assert (session.summary or "").startswith("[2026-02-20] ")
    assert any("short commit messages" in memory.text for memory in ada.memories())


def test_a_killed_harness_is_ended_by_the_sweep_and_a_living_one_is_not(
    et: Everthread, ada: Agent, clock: FrozenClock, tmp_path: Path
) -> None:
    """(R-26, X-21)."""
    harness = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    dying = process_named(harness.pid)
    harness.kill()
    harness.wait()
    for key, owner in (("dead", dying), ("alive", et.house.owner)):
        base = Happening("claude-code", "prompt", key, str(tmp_path / key), owner=owner)
        ada.attend(base._replace(kind="start", start="startup"))
        ada.attend(base._replace(text="Add a retry to the uploader."))
    clock.forward(hours=5)
    swept(et)
    states = {session.key: session.state for session in ada.sessions()}
    assert states["alive"] == "active"
    assert states["dead"] == "complete"


# ---- taken up again, and crashes


def test_the_context_of_a_resumed_session_is_what_it_was(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(D-23, S-12, R-5): its end, its summary and its resumption change nothing in the view."""
    session = talk(ada)
    before = ada.context()
    ada.end_session()
    work_off(et)
    clock.forward(hours=30)
    resumed = ada.resume(session.id)
    assert (resumed.id, resumed.state) == (session.id, "active")
    after = ada.context()
    assert after.messages == before.messages
    assert after.tokens == before.tokens
    turn = ada.turn("And on.")
    assert turn.session.id == session.id
    assert turn.messages[: len(before.messages)] == before.messages


def test_the_times_of_a_summary_are_those_of_what_was_said_not_of_its_resumption(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(D-3, D-23)."""
    clock.forward(minutes=7)
    session = talk(ada)
    ada.end_session()
    work_off(et)
    told = ada.session(session.id).summary or ""
    assert told.startswith("[2026-02-20] ")
    clock.forward(hours=24 * 100)
    ada.resume(session.id)
    assert ada.summarize_session(session.id).summary == told
    ada.turn("One thing more: the sink is blue.").done("Noted.")
    later = ada.summarize_session(session.id).summary or ""
    assert later.startswith("[2026-05-31] ")


def test_a_harness_is_told_where_its_session_stood_as_before_its_end(
    et: Everthread, ada: Agent, tmp_path: Path
) -> None:
    """(D-23, D-24)."""
    base = Happening("claude-code", "prompt", "key-1", str(tmp_path))
    ada.attend(base._replace(kind="start", start="startup"))
    for said, _ in TALK:
        ada.attend(base._replace(text=said))
    before = ada.recovery("key-1")
    ada.attend(base._replace(kind="end", reason="exit"))
    work_off(et)
    assert "Add a retry to the uploader." in before
    assert ada.recovery("key-1") == before


ENDS_AND_DIES = """
import os, signal, sys
import everthread
sys.path.insert(0, {tests!r})
from support.sitting import talk
et = everthread.connect({store!r}, background=False)
ada = et.agent("ada")
talk(ada)
ada.end_session()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_crash_right_after_the_end_loses_neither_memories_nor_summary(tmp_path: Path) -> None:
    """(LD-9): what follows is asked for in the transaction that ends the session."""
    store, tests = str(tmp_path / "s.db"), str(Path(__file__).parent)
    code = ENDS_AND_DIES.format(tests=tests, store=store)
    assert ran(code).returncode == -9
    with everthread.connect(store, background=False) as et:
        ada = et.agent("ada")
        assert len(asked(et)) == 1
        work_off(et)
        assert ada.newest_session().summary
        assert ada.memories()
        assert et.verify("ada").sound
