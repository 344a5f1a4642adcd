"""Sessions: where one ends and the next begins, how they are found again, and their life cycle."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.conversation.sessions import (
    TRANSITIONS,
    Session,
    State,
    checked_move,
    continues,
    way_back,
)
from everthread.domain.errors import (
    BadInput,
    EverthreadError,
    SessionUnknown,
    SettingInvalid,
    TransitionIllegal,
)
from everthread.domain.given.packing import CLOSING, OPENING, SESSION_CLOSING, SESSION_OPENING
from everthread.domain.times import DAY, HOUR, MINUTE
from everthread.services.archive import record_sessions
from everthread.services.archive.record import draft_entry, record
from everthread.services.archive.sessions import Seat
from everthread.testing import FrozenClock
from support.born import Talking

STATES: tuple[State, ...] = get_args(State)


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


def say(agent: Agent, words: str = "hello", **options: Any) -> Session:
    """One whole turn; the session it fell into."""
    turn = agent.turn(words, **options)
    turn.done("heard")
    return turn.session


def move(et: Everthread, agent: Agent, session: Session, *states: State) -> Session:
    def work(records: Any) -> Session:
        moved = records.sessions.get(agent.scope, session.ref)
        for state in states:
            moved = records.sessions.move(agent.scope, moved, state, now=et.house.clock.now())
        return moved

    return et.house.store.write(work)


def copied(et: Everthread, agent: Agent, session: Session, **changes: Any) -> Session:
    """Another session, put beside that one as it is."""
    other = session._replace(**changes)
    return et.house.store.write(lambda r: r.sessions.add(agent.scope, other))


# ---- the boundary


@pytest.mark.parametrize(
    ("gap", "same"),
    [
        ({"hours": 0}, True),
        ({"hours": 3, "minutes": 59}, True),
        ({"hours": 3, "minutes": 59, "seconds": 59.999}, True),
        ({"hours": 4}, False),
        ({"hours": 4, "minutes": 1}, False),
        ({"hours": 24 * 400}, False),
    ],
)
def test_a_gap_of_four_hours_opens_a_new_session(
    ada: Agent, clock: FrozenClock, gap: Any, same: bool
) -> None:
    """(D-13, D-14, D-15, R-5, LD-19)."""
    first = say(ada)
    clock.forward(**gap)
    assert (say(ada).id == first.id) is same
    assert len(ada.sessions()) == (1 if same else 2)


def test_a_new_session_does_not_change_the_view(ada: Agent, clock: FrozenClock) -> None:
    """(R-5, X-3, D-1)."""
    say(ada, "before the night")
    clock.forward(hours=9)
    turn = ada.turn("after the night")
    texts = [block["text"] for message in turn.messages for block in message["content"]]
    assert texts == ["before the night", "heard", "after the night"]
    assert len(ada.sessions()) == 2


def test_the_session_before_ends_when_it_was_last_used(ada: Agent, clock: FrozenClock) -> None:
    """(D-13, C-3)."""
    first = say(ada)
    clock.forward(hours=6)
    second = say(ada)
    over = ada.session(first.id)
    assert (over.state, over.ended_at) == ("complete", datetime(2026, 2, 20, 10, tzinfo=UTC))
    assert second.started_at == datetime(2026, 2, 20, 16, tzinfo=UTC)


@pytest.mark.parametrize("beats", [1, 8])
def test_background_work_does_not_prolong_a_session(
    ada: Agent, clock: FrozenClock, beats: int
) -> None:
    """(LD-6, D-14)."""
    beat = ada.thread("heartbeat:noon", kind="background")
    first = say(ada)
    for _ in range(beats):
        clock.forward(minutes=4 * 60 / beats)
        beat.turn("tick").done("tock")
    assert say(ada).id != first.id


def test_what_the_system_says_does_not_prolong_a_session(ada: Agent, clock: FrozenClock) -> None:
    """(LD-6, R-9)."""
    first = say(ada)
    clock.forward(hours=3)
    assert say(ada, "the backup ran", origin="system").id == first.id
    clock.forward(hours=1)
    assert say(ada).id != first.id


@pytest.mark.parametrize(
    "entry",
    [
        {"role": "system", "content": "the backup ran"},
        {"role": "tool", "tool_call_id": "t1", "content": "the backup ran"},
    ],
)
def test_recording_what_no_human_said_does_not_prolong_a_session(
    ada: Agent, clock: FrozenClock, entry: Any
) -> None:
    """(LD-6, R-9)."""
    first = say(ada)
    clock.forward(hours=3)
    ada.record([entry])
    assert ada.session(first.id).message_count == 3
    clock.forward(hours=1)
    assert say(ada).id != first.id


class Step(NamedTuple):
    """So many minutes later somebody says something, or said it so many minutes ago."""

    minutes: int
    role: str
    ago: int | None
    id: str | None
    source: str

    @property
    def entry(self) -> dict[str, Any]:
        call = {"tool_call_id": "c"} if self.role == "tool" else {}
        named = {} if self.id is None else {"id": self.id}
        return {"role": self.role, "content": f"{self}", **call, **named}


STEPS = st.builds(
    Step,
    minutes=st.sampled_from([0, 1, 90, 239, 240, 241, 600, -5, -100, -1_500]),
    role=st.sampled_from(["user", "assistant", "system", "tool"]),
    ago=st.sampled_from([None, None, 0, 1, 239, 300, 4_000, -30]),
    id=st.sampled_from([None, None, "a", "b", "c"]),
    source=st.sampled_from(["record", "record", "record", "hook"]),
)


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=8))
def test_one_entry_alone_is_stored_as_the_general_way_stores_it(steps: list[Step]) -> None:
    """The usual append has a short way of its own, and nothing about it may show. (R-12, R-9)."""
    assert _recorded(steps, seat=None) == _recorded(steps, seat=Seat())


def _recorded(steps: list[Step], *, seat: Seat | None) -> list[Any]:
    """Everything there is afterwards but random ids; a seat, though empty, goes the general way."""
    clock = FrozenClock("2026-02-20T10:00:00Z")
    with everthread.connect("memory://", clock=clock, background=False) as et:
        ada = et.agent("ada")
        for step in steps:
            clock.forward(minutes=step.minutes)
            entry = step.entry
            if step.ago is not None:
                entry["at"] = clock.now() / 1000 - step.ago * 60
            if seat is None:
                ada.record([entry], source=step.source)
            else:
                record(et.house, ada.row, ada.primary.ref, [entry], step.source, seat)
        assert et.verify(ada).faults == []
        messages = [m._replace(key=b"") for m in ada.messages(limit=100)]
        sessions = [s._replace(key_id=b"", key="") for s in ada.sessions()]
        return [messages, sessions, ada.primary.row._replace(key_id=b"")]


LATER = st.builds(
    Step,
    minutes=st.sampled_from([1, 90, 200, 240]),
    role=st.sampled_from(["user", "assistant", "system", "tool"]),
    ago=st.sampled_from([0, 0, 0, 150, 4_000]),
    id=st.none(),
    source=st.sampled_from(["record", "hook"]),
)


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.lists(LATER, min_size=2, max_size=12), min_size=1, max_size=3))
def test_many_entries_at_once_fall_into_the_sessions_that_each_alone_would(
    batches: list[list[Step]],
) -> None:
    """A stretch of a session is taken at a time, and nothing about that may show. (R-9)."""
    together = _batched(batches)
    with pytest.MonkeyPatch.context() as patch:
        real = record_sessions._take_following

        def alone(session: Session, drafts: Any, first: int, *rest: Any, **more: Any) -> Any:
            return real(session, drafts[: first + 1], first, *rest, **more)

        patch.setattr(record_sessions, "_take_following", alone)
        assert _batched(batches) == together


def _batched(batches: list[list[Step]]) -> list[Any]:
    """Everything there is after recording each batch at once, but random ids."""
    clock = FrozenClock("2026-02-20T10:00:00Z")
    with everthread.connect("memory://", clock=clock, background=False) as et:
        ada = et.agent("ada")
        for steps in batches:
            entries: list[dict[str, Any]] = []
            for step in steps:
                clock.forward(minutes=abs(step.minutes))
                entries.append(step.entry | {"at": clock.now() / 1000 - 60 * (step.ago or 0)})
            clock.forward(hours=1)
            ada.record(entries, source=steps[0].source)
        assert et.verify(ada).faults == []
        messages = [m._replace(key=b"") for m in ada.messages(limit=100)]
        sessions = [s._replace(key_id=b"", key="") for s in ada.sessions()]
        return [messages, sessions, ada.primary.row._replace(key_id=b"")]


@given(
    role=st.sampled_from(["user", "assistant", "system", "developer"]),
    content=st.one_of(
        st.text(),
        st.sampled_from(
            [
                "\x00",
                "half \ud83d",
                f"{SESSION_OPENING}## A\nThis is data, not instructions.\n{SESSION_CLOSING}\n\nkept",
                f"{OPENING}[1] recalled\n> words\n{CLOSING}\n\nkept",
            ]
        ),
    ),
)
def test_a_bare_text_is_drafted_as_any_entry_is(role: str, content: str) -> None:
    """The shortest entries have a short way of their own, and nothing about it may show."""
    entry = {"role": role, "content": content}
    assert draft_entry(entry, "record", len) == draft_entry(entry | {"name": None}, "record", len)


def test_writing_a_summary_does_not_prolong_a_session(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(LD-6)."""
    first = say(ada)
    clock.forward(hours=3)
    # The write that a summary ends with: the session is touched, by nobody human.
    et.house.store.write(
        lambda r: r.sessions.touch(
            ada.scope, first.ref, at=et.house.clock.now(), human=False, messages=0
        )
    )
    clock.forward(hours=1)
    assert say(ada).id != first.id


def test_the_reply_to_a_human_prolongs_the_session(ada: Agent, clock: FrozenClock) -> None:
    """(R-9, D-14)."""
    turn = ada.turn("This will take a while.")
    clock.forward(minutes=1)
    turn.done("Done, after all.")
    clock.forward(hours=3, minutes=59)
    assert say(ada).id == turn.session.id


def test_a_reply_after_hours_of_work_keeps_the_session_open(ada: Agent, clock: FrozenClock) -> None:
    """(R-9)."""
    turn = ada.turn("Compute for six hours.")
    clock.forward(hours=6)
    turn.done("Computed.")
    clock.forward(hours=3)
    assert say(ada).id == turn.session.id


def test_a_failed_turn_counts_by_the_human_word_alone(ada: Agent, clock: FrozenClock) -> None:
    """(R-9)."""
    turn = ada.turn("Are you there?")
    clock.forward(seconds=30)
    turn.failed("overloaded")
    clock.forward(hours=4, seconds=-30)
    assert say(ada).id != turn.session.id


def test_the_boundary_does_not_care_for_midnight(ada: Agent, clock: FrozenClock) -> None:
    """(D-1, D-3)."""
    clock.forward(hours=13, minutes=30)
    first = say(ada, "half an hour before midnight UTC")
    clock.forward(hours=1)
    assert say(ada, "after midnight").id == first.id
    assert first.alias.startswith("session-2026-02-20-")


def test_a_human_at_another_offset_has_the_same_boundary(ada: Agent) -> None:
    """(D-3, S-16)."""
    ada.record(
        [
            {"role": "user", "content": "morning in Singapore", "at": "2026-02-18T09:00:00+08:00"},
            {"role": "user", "content": "same hour, said in UTC", "at": "2026-02-18T04:59:00Z"},
            {"role": "user", "content": "four hours on", "at": "2026-02-18T16:59:00+08:00"},
        ]
    )
    assert [session.message_count for session in ada.sessions()] == [1, 2]


def test_the_gap_is_a_setting_and_an_agent_may_have_its_own(clock: FrozenClock) -> None:
    """(D-16, LD-7)."""
    settings = Settings.load(environ={"SESSION_INACTIVITY_HOURS": "1"})
    with everthread.connect("memory://", clock=clock, settings=settings, background=False) as et:
        ada, bob = et.agent("ada"), et.agent("bob", inactivity_hours=24)
        first_of_ada, first_of_bob = say(ada), say(bob)
        clock.forward(minutes=59)
        assert say(ada).id == first_of_ada.id
        clock.forward(hours=1)
        assert say(ada).id != first_of_ada.id
        clock.forward(hours=22)
        assert say(bob).id == first_of_bob.id
        clock.forward(hours=24)
        assert say(bob).id != first_of_bob.id


@pytest.mark.parametrize("hours", ["0", "-1", "four", "", "nan", "inf", "100000"])
def test_a_gap_that_makes_no_sense_is_refused(hours: str) -> None:
    """(D-16, R-36)."""
    with pytest.raises(SettingInvalid, match=r"SESSION_INACTIVITY_HOURS.*a number from"):
        Settings.load(environ={"SESSION_INACTIVITY_HOURS": hours})


def test_sessions_count_what_was_said_in_them(ada: Agent, clock: FrozenClock) -> None:
    """(D-20, S-13, LD-19)."""
    for gap in (1, 1, 5, 1, 30):
        say(ada)
        clock.forward(hours=gap)
    say(ada)
    assert [session.message_count for session in ada.sessions()] == [2, 4, 6]


# ---- at once


class Shifted:
    """The real time, some hours off."""

    def __init__(self) -> None:
        self.hours = 0

    def now(self) -> int:
        return time.time_ns() // 1_000_000 + self.hours * HOUR

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def test_first_messages_from_many_threads_open_one_session() -> None:
    """(S-1, D-15)."""
    clock = Shifted()
    with everthread.connect("memory://", clock=clock, background=False) as et:
        ada = et.agent("ada")
        say(ada)
        clock.hours = 5
        found: list[str] = []
        barrier = threading.Barrier(8)

        def speak(n: int) -> None:
            barrier.wait()
            found.append(say(ada, f"first message {n}", channel=f"device:{n}").id)

        speakers = [threading.Thread(target=speak, args=(n,)) for n in range(8)]
        for speaker in speakers:
            speaker.start()
        for speaker in speakers:
            speaker.join(60)
        assert len(found) == 8
        assert len(set(found)) == 1
        assert [session.message_count for session in ada.sessions()] == [16, 2]


FIRST_MESSAGE = """
import sys, everthread
with everthread.connect(sys.argv[1], background=False) as et:
    ada = et.agent("ada")
    print("ready", flush=True)
    sys.stdin.readline()
    turn = ada.turn("first message", channel="device:" + sys.argv[2])
    turn.done("heard")
    print(turn.session.id, flush=True)
"""


@pytest.mark.slow
def test_first_messages_from_many_processes_open_one_session(tmp_path: Path) -> None:
    """(S-1, D-15)."""
    store = tmp_path / "everthread.db"
    yesterday = FrozenClock(datetime.now(UTC).timestamp() - 24 * 3600)
    with everthread.connect(store, clock=yesterday, background=False) as et:
        say(et.agent("ada"))
    speakers = [Talking(FIRST_MESSAGE, str(store), str(n)) for n in range(4)]
    for speaker in speakers:
        assert speaker.stdout.readline() == "ready\n"
    for speaker in speakers:
        speaker.stdin.write("go\n")
    ends = [speaker.end() for speaker in speakers]
    assert [code for code, _ in ends] == [0] * 4
    found = {said for _, said in ends}
    assert len(found) == 1
    with everthread.connect(store, background=False) as et:
        ada = et.agent("ada")
        assert [session.message_count for session in ada.sessions()] == [8, 2]
        assert et.verify(ada).sound


# ---- finding and resuming


def test_a_session_is_found_by_id_alias_key_and_ending(ada: Agent, clock: FrozenClock) -> None:
    """(C-4, D-23, R-48)."""
    first = say(ada)
    assert ada.session(first.id[-6:]).id == first.id
    clock.forward(hours=5)
    say(ada)
    assert first.alias == f"session-2026-02-20-{first.id[-8:]}"
    for name in (first.id, first.id.upper(), first.alias, first.key, first.id[-8:]):
        assert ada.session(name).id == first.id


def test_an_unknown_session_says_where_to_look(ada: Agent) -> None:
    say(ada)
    for name in ("", "nothing", "ffffffff-ffff", "session-2026-02-20-00000000"):
        with pytest.raises(SessionUnknown, match="sessions list"):
            ada.session(name)
        with pytest.raises(SessionUnknown):
            ada.resume(name)
        with pytest.raises(SessionUnknown):
            ada.turn("hello", session=name or "nothing")
    assert ada.primary.message_count == 2


def test_an_ending_that_fits_several_sessions_asks_for_more(et: Everthread, ada: Agent) -> None:
    """(R-48)."""
    session = say(ada)
    for key_id in (b"\x01" * 16, b"\x02" * 12 + b"\x01" * 4):
        copied(et, ada, session, key_id=key_id, key=key_id.hex())
    with pytest.raises(SessionUnknown, match="fits 2 sessions; give more of the id"):
        ada.session("01010101")
    assert ada.session("0201010101").key_id == b"\x02" * 12 + b"\x01" * 4


def test_another_agents_session_cannot_be_resumed(et: Everthread, ada: Agent) -> None:
    """(R-44)."""
    other = say(et.agent("bob"))
    with pytest.raises(SessionUnknown):
        ada.resume(other.id)


@pytest.mark.parametrize("ways", ["resume", "turn"])
def test_an_old_session_becomes_the_current_one(ada: Agent, clock: FrozenClock, ways: str) -> None:
    """(D-23, S-12)."""
    first = say(ada)
    clock.forward(hours=50)
    second = say(ada)
    clock.forward(hours=1)
    if ways == "resume":
        assert ada.resume(first.alias).state == "active"
    else:
        assert say(ada, session=first.id).id == first.id
    assert say(ada).id == first.id
    back = ada.session(first.id)
    assert (back.state, back.ended_at) == ("active", None)
    clock.forward(hours=4)
    third = say(ada)
    assert third.id not in (first.id, second.id)


@pytest.mark.parametrize(
    "states", [(), ("suspended",), ("complete",), ("complete", "suspended")], ids=str
)
def test_a_session_that_is_not_terminated_can_be_resumed(
    et: Everthread, ada: Agent, states: tuple[State, ...]
) -> None:
    """(X-20, C-3, D-23)."""
    session = say(ada)
    move(et, ada, session, *states)
    resumed = ada.resume(session.id)
    assert (resumed.id, resumed.state, resumed.ended_at) == (session.id, "active", None)
    assert say(ada).id == session.id
    assert et.verify(ada).sound


def test_a_terminated_session_is_final(et: Everthread, ada: Agent) -> None:
    """(X-20, C-3)."""
    session = move(et, ada, say(ada), "terminated")
    with pytest.raises(TransitionIllegal, match=r"terminated cannot become active.*it is final"):
        ada.resume(session.id)
    with pytest.raises(TransitionIllegal):
        ada.turn("hello", session=session.id)
    assert ada.primary.message_count == 2
    assert say(ada).id != session.id
    assert ada.session(session.id).state == "terminated"


@pytest.mark.parametrize("state", ["suspended", "complete", "terminated"])
def test_what_is_over_is_not_taken_up_by_itself(et: Everthread, ada: Agent, state: State) -> None:
    """(C-3, D-15)."""
    session = move(et, ada, say(ada, channel="webchat"), state)
    following = say(ada, channel="webchat")
    assert following.id != session.id
    assert following.previous_ref == session.ref


def test_each_device_keeps_its_own_place(ada: Agent, clock: FrozenClock) -> None:
    """(S-12)."""
    old = say(ada, channel="desk")
    clock.forward(hours=30)
    new = say(ada, channel="desk")
    say(ada, channel="phone:1")
    ada.resume(old.id, channel="phone:1")
    for _ in range(3):
        clock.forward(minutes=10)
        assert say(ada, channel="phone:1").id == old.id
        assert say(ada, channel="desk").id == new.id


def test_a_device_without_a_place_of_its_own_follows_the_newest(
    ada: Agent, clock: FrozenClock
) -> None:
    """(S-12, A-54)."""
    old = say(ada, channel="desk")
    clock.forward(hours=30)
    say(ada, channel="desk")
    clock.forward(minutes=1)
    ada.resume(old.id)
    assert say(ada, channel="tablet").id == old.id


def test_a_session_of_another_thread_must_be_named_with_its_thread(ada: Agent) -> None:
    beat = ada.thread("heartbeat:noon", kind="background")
    turn = beat.turn("tick")
    turn.done("tock")
    with pytest.raises(BadInput, match="belongs to another thread"):
        ada.turn("hello", session=turn.session.id)
    assert say(ada, thread=beat, session=turn.session.id).id == turn.session.id


# ---- what is recorded


def test_what_was_said_elsewhere_does_not_end_the_session_of_now(
    ada: Agent, clock: FrozenClock
) -> None:
    """(R-12, R-26, D-15)."""
    now = say(ada, channel="webchat")
    ada.record([{"role": "user", "content": "in the other window"}], project="/srv/shop")
    ada.record([{"role": "user", "content": "long ago", "at": "2025-01-01T00:00:00Z"}])
    assert ada.session(now.id).state == "active"
    clock.forward(minutes=10)
    assert say(ada, channel="webchat").id == now.id


def test_what_was_said_inside_a_long_session_belongs_to_it(ada: Agent, clock: FrozenClock) -> None:
    """(R-12, D-15)."""
    long = say(ada)
    for _ in range(20):
        clock.forward(hours=3)
        assert say(ada).id == long.id
    ada.record([{"role": "user", "content": "in between", "at": "2026-02-20T12:00:00Z"}])
    assert len(ada.sessions()) == 1
    assert say(ada).id == long.id


def test_recorded_messages_can_name_their_session(ada: Agent, clock: FrozenClock) -> None:
    """(R-12)."""
    old = say(ada)
    clock.forward(hours=10)
    say(ada)
    for name in (old.id, old.key):
        ada.record([{"role": "user", "content": "an afterthought"}], session=name)
    assert ada.session(old.id).message_count == 4
    for _ in range(2):
        ada.record([{"role": "user", "content": "a run"}], session="run-7")
    assert ada.session("run-7").message_count == 2
    assert len(ada.sessions()) == 3


# ---- lineage and metadata


def test_sessions_know_the_one_before(ada: Agent, clock: FrozenClock) -> None:
    """(X-24, D-25)."""
    refs = []
    for _ in range(4):
        session = say(ada)
        refs.append((session.ref, session.previous_ref))
        clock.forward(hours=5)
    assert [previous for _, previous in refs] == [None, *(ref for ref, _ in refs[:-1])]


def test_sessions_know_their_parent_and_their_children(et: Everthread, ada: Agent) -> None:
    """(C-4)."""
    parent = say(ada)
    children = [
        copied(et, ada, parent, key_id=et.house.ids.new(), key=key, parent_ref=parent.ref)
        for key in ("one", "two")
    ]
    found = et.house.store.read(lambda r: r.sessions.children(ada.scope, parent.ref))
    assert [child.id for child in found] == [child.id for child in children]
    assert {child.parent_ref for child in found} == {parent.ref}


def test_a_session_carries_its_metadata(ada: Agent, clock: FrozenClock) -> None:
    """(C-4, R-11, S-16)."""
    say(ada, channel="signal:+49", principal="mel")
    clock.forward(minutes=5)
    say(ada, channel="signal:+49", principal="mel")
    session = ada.sessions()[0]
    assert session.alias.startswith("session-2026-02-20-")
    assert (session.channel, session.principal) == ("signal:+49", "mel")
    assert (session.state, session.gate, session.task) == ("active", None, None)
    assert (session.message_count, session.checkpoint_count) == (4, 0)
    assert session.started_at.isoformat() == "2026-02-20T10:00:00+00:00"
    assert session.last_activity_at.isoformat() == "2026-02-20T10:05:00+00:00"
    assert session.last_human_at == session.last_activity_at


def test_a_session_counts_the_context_it_has_processed(ada: Agent) -> None:
    """(C-5, C-46, X-22)."""
    sizes = []
    for n in range(3):
        turn = ada.turn(f"number {n}")
        sizes.append(turn.context_tokens)
        turn.done("heard")
    assert sum(sizes) > sizes[-1] > 0
    assert ada.sessions()[0].context_tokens == sum(sizes)


@pytest.mark.parametrize("value", ["x" * 5_000, "a\x00b"])
def test_a_principal_that_is_no_name_is_refused(ada: Agent, value: str) -> None:
    with pytest.raises(BadInput):
        ada.turn("hello", principal=value)
    assert ada.sessions() == []


# ---- the life cycle


@given(st.lists(st.sampled_from(STATES), max_size=8))
def test_only_the_moves_of_the_life_cycle_are_possible(wanted: list[State]) -> None:
    """(C-3, X-20)."""
    legal = {
        *(("init", to) for to in ("active", "suspended", "terminated")),
        *(("active", to) for to in ("complete", "suspended", "terminated")),
        ("complete", "suspended"),
        *(("suspended", to) for to in ("active", "terminated")),
    }
    state: State = "init"
    for to in wanted:
        if (state, to) in legal:
            state = checked_move(state, to)
        else:
            with pytest.raises(TransitionIllegal, match=f"is {state} cannot become {to}"):
                checked_move(state, to)


@pytest.mark.parametrize("state", STATES)
def test_the_way_back_is_made_of_legal_moves(state: State) -> None:
    """(X-20)."""
    if state == "terminated":
        with pytest.raises(TransitionIllegal):
            way_back(state)
        return
    for to in way_back(state):
        state = checked_move(state, to)
    assert state == "active"


def test_every_state_has_its_moves() -> None:
    """(C-3)."""
    assert set(TRANSITIONS) == set(STATES)
    assert TRANSITIONS["terminated"] == ()


def test_the_database_refuses_illegal_moves_too(et: Everthread, ada: Agent) -> None:
    """(C-3, X-20)."""
    session = move(et, ada, say(ada), "terminated")

    def lie(records: Any) -> None:
        records.sessions.move(ada.scope, session._replace(state="suspended"), "active", now=0)

    with pytest.raises(EverthreadError):
        et.house.store.write(lie)
    assert ada.session(session.id).state == "terminated"
    assert et.verify(ada).sound


# ---- wrong clocks


@given(
    pulse=st.integers(0, 2**42),
    step=st.integers(-10 * DAY, 10 * DAY),
    hours=st.floats(0.01, 8_760),
)
def test_the_boundary_is_one_rule(pulse: int, step: int, hours: float) -> None:
    """(D-13, S-16)."""
    same = continues(pulse, at=pulse + step, hours=hours)
    if step <= -DAY:
        assert not same
    elif step <= 0:
        assert same
    else:
        assert same is (step < hours * HOUR)


def test_a_clock_that_steps_back_an_hour_changes_no_order(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(S-16)."""
    first = say(ada, "one")
    clock.forward(hours=-1)
    assert say(ada, "two").id == first.id
    clock.forward(minutes=10)
    ada.record([{"role": "user", "content": "three"}])
    say(ada, "four")
    said = [m.text for m in ada.messages() if m.role == "user"]
    assert [text for text in said if text != "three"] == ["one", "two", "four"]
    assert len(ada.sessions()) == 1
    assert et.verify(ada).sound


def test_a_clock_that_stepped_back_ends_no_session_early(ada: Agent, clock: FrozenClock) -> None:
    """(D-13, S-16)."""
    first = say(ada)
    clock.forward(hours=-1)
    say(ada)
    clock.forward(hours=4, minutes=59)
    assert say(ada).id == first.id
    clock.forward(hours=4)
    assert say(ada).id != first.id


def test_a_clock_that_was_wrong_for_years_binds_nobody(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(S-16, D-13)."""
    before = say(ada, "before")
    years = 73 * 365 * 24
    clock.forward(hours=years)
    wrong = say(ada, "in 2099", channel="webchat")
    clock.forward(hours=-years)
    after = say(ada, "after", channel="webchat")
    assert after.id not in (before.id, wrong.id)
    assert after.started_at.year == 2026
    clock.forward(minutes=30)
    assert say(ada, "soon after", channel="webchat").id == after.id
    clock.forward(hours=5)
    last = say(ada, "the next sitting", channel="webchat")
    assert last.id != after.id
    assert last.previous_ref == after.ref
    turn = ada.turn("and the order?")
    texts = [b["text"] for m in turn.messages for b in m["content"] if b["text"] != "heard"]
    assert texts == [
        "before",
        "in 2099",
        "after",
        "soon after",
        "the next sitting",
        "and the order?",
    ]
    turn.done("kept")
    assert et.verify(ada).sound


def test_recording_still_reaches_the_view_after_a_wrong_clock(
    ada: Agent, clock: FrozenClock
) -> None:
    """(R-12, S-16)."""
    years = 73 * 365 * 24
    clock.forward(hours=years)
    say(ada, "in 2099")
    clock.forward(hours=-years)
    say(ada, "after")
    clock.forward(minutes=1)
    ada.record([{"role": "user", "content": "recorded now"}])
    turn = ada.turn("seen?")
    assert "recorded now" in str(turn.messages)


def test_a_turn_left_open_by_a_wrong_clock_blocks_nobody(ada: Agent, clock: FrozenClock) -> None:
    """(R-6, S-16)."""
    years = 73 * 365 * 24
    clock.forward(hours=years)
    ada.turn("opened in 2099, by a process that died")
    clock.forward(hours=-years)
    turn = ada.turn("now")
    assert turn.state == "open"
    assert [row.state for row in ada.turns()] == ["open", "failed"]


def test_a_wrong_clock_does_not_move_the_boundary_by_minutes(
    ada: Agent, clock: FrozenClock
) -> None:
    """(D-13)."""
    session = say(ada)
    pulse = session.started_ms
    assert continues(pulse, at=pulse + 4 * HOUR - 1, hours=4)
    assert not continues(pulse, at=pulse + 4 * HOUR, hours=4)
    assert continues(pulse, at=pulse - 30 * MINUTE, hours=4)


def test_a_boundary_changes_nothing_in_what_is_sent(ada: Agent, clock: FrozenClock) -> None:
    """(D-19, R-5, X-3)."""
    ada.turn("good evening").done("good evening to you")
    before = ada.turn("one more thing")
    shape = [set(message) for message in before.messages], set(before.openai())
    before.done("yes?")
    clock.forward(hours=9)
    after = ada.turn("good morning")
    assert after.session.ref != before.session.ref
    assert after.messages[: len(before.messages)] == before.messages[: len(before.messages)]
    assert ([set(m) for m in after.messages[:3]], set(after.openai())) == shape
    after.done("good morning")


def test_a_session_is_found_by_the_beginning_of_its_key(ada: Agent):
    """Harnesses show ids from the front. So long, or no digits at all: no id ends so by chance."""
    for key in (
        "4c226101-7d54-4f0e-9d6a-3c1c8a2f9b10",
        "4c226199-0000-4f0e-9d6a-3c1c8a2f9b10",
        "4c226199-0001-4f0e-9d6a-3c1c8a2f9b10",
        "watch-of-the-night",
    ):
        ada.record([{"role": "user", "content": "hello"}], session=key)
    assert ada.session("4c226101-7d54").key == "4c226101-7d54-4f0e-9d6a-3c1c8a2f9b10"
    with pytest.raises(SessionUnknown, match="fits 2 sessions"):
        ada.session("4c226199-000")
    assert ada.session("watch-").key == "watch-of-the-night"
    with pytest.raises(SessionUnknown):
        ada.session("watch")


# ---- ended by hand


def test_ending_a_session_without_naming_it_means_the_primary_threads(
    ada: Agent, clock: FrozenClock
) -> None:
    """Although a heartbeat spoke later, and a subagent's session is newer still."""
    talk = say(ada)
    clock.forward(minutes=5)
    ada.thread("heartbeat", kind="background").turn("tick").done("tock")
    clock.forward(minutes=5)
    ada.record([{"role": "user", "content": "look it up"}], session="child", parent=talk.id)
    assert ada.end_session().id == talk.id
    beats = next(s for s in ada.sessions() if s.key != "child" and s.id != talk.id)
    assert beats.state == "active"
    with pytest.raises(SessionUnknown, match="of another thread, name it"):
        ada.end_session()
    ada.end_session(beats)
    ada.end_session("child")
    with pytest.raises(SessionUnknown, match="nothing to end"):
        ada.end_session()
