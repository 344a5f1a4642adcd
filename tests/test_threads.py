"""Threads: three kinds, one primary, channels that bind to it, and the one way it can be erased."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

import everthread
from everthread import Agent, Everthread
from everthread.domain.conversation.threads import RESERVED, kind_of_key
from everthread.domain.errors import (
    BadInput,
    ContextFull,
    EverthreadError,
    KeyReserved,
    KindMismatch,
    KindUnknown,
    PrimaryExists,
    ThreadClosed,
    ThreadUnknown,
)
from everthread.jobs.worker import Worker
from everthread.testing import FrozenClock


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


def housekeeping(et: Everthread) -> None:
    """Everything that is due, now."""
    worker = Worker(et.house)
    while worker.step():
        pass


# ---- the primary


def test_an_agent_has_its_primary_thread_from_the_start(ada: Agent) -> None:
    """(A-51, A-55, LD-14)."""
    assert (ada.primary.kind, ada.primary.key) == ("primary", "agent:ada:main")
    assert [thread.kind for thread in ada.threads()] == ["primary"]


def test_asking_for_an_agent_twice_gives_the_same_primary(et: Everthread, ada: Agent) -> None:
    """(A-22, A-55, A-69, A-76)."""
    again = et.agent("ada", system="You are Ada.", window=50_000)
    assert again.id == ada.id
    assert again.primary.id == ada.primary.id
    assert [agent.name for agent in et.agents()] == ["ada"]


def test_the_primary_can_be_asked_for_by_its_own_key(ada: Agent) -> None:
    """(A-69)."""
    assert ada.thread("agent:ada:main", kind="primary").id == ada.primary.id


def test_a_second_primary_is_refused_and_the_error_says_what_to_use(ada: Agent) -> None:
    """(A-22, A-76, R-11)."""
    with pytest.raises(PrimaryExists, match=r"agent\.primary.*background or ephemeral"):
        ada.thread("another:main", kind="primary")
    assert len(ada.threads()) == 1


def test_the_database_itself_refuses_a_second_primary(et: Everthread, ada: Agent) -> None:
    """(A-22, A-76)."""
    before = ada.primary.id

    def second(records: Any) -> None:
        records.threads.add(ada.scope, key="sneaky", kind="primary", now=0)

    with pytest.raises(EverthreadError):
        et.house.store.write(second)
    assert [thread.id for thread in ada.threads()] == [before]


def test_every_agent_has_its_own_primary(et: Everthread, ada: Agent) -> None:
    """(A-22)."""
    bob = et.agent("bob")
    ada.turn("for Ada").done("yes")
    assert bob.primary.id != ada.primary.id
    assert bob.messages() == []


def test_the_primary_outlives_years_of_silence(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(A-15, A-18, A-52)."""
    ada.turn("Remember me?").done("Always.")
    before = ada.primary.id
    for _ in range(3):
        clock.forward(hours=24 * 365)
        housekeeping(et)
    assert ada.primary.id == before
    assert [message.text for message in ada.messages()] == ["Remember me?", "Always."]
    ada.turn("Still there?").done("Still here.")
    assert ada.primary.message_count == 4


# ---- kinds


def test_there_are_three_kinds_of_thread(ada: Agent) -> None:
    """(A-10, A-17, A-19, A-20)."""
    ada.thread("heartbeat:morning", kind="background")
    ada.thread("translate:letter", kind="ephemeral")
    assert [(thread.kind, thread.key) for thread in ada.threads()] == [
        ("primary", "agent:ada:main"),
        ("background", "heartbeat:morning"),
        ("ephemeral", "translate:letter"),
    ]


def test_a_thread_has_no_default_kind(ada: Agent) -> None:
    """(A-25, R-20)."""
    with pytest.raises(TypeError, match="kind"):
        cast(Any, ada).thread("heartbeat:morning")


def test_an_unknown_kind_is_refused_with_the_kinds_there_are(ada: Agent) -> None:
    """(A-17)."""
    with pytest.raises(KindUnknown, match="primary, background, ephemeral"):
        ada.thread("heartbeat:morning", kind="foreground")
    assert len(ada.threads()) == 1


def test_a_thread_keeps_its_kind(ada: Agent) -> None:
    """(A-17)."""
    beat = ada.thread("heartbeat:morning", kind="background")
    assert ada.thread("heartbeat:morning", kind="background").id == beat.id
    with pytest.raises(KindMismatch, match="is background, not ephemeral"):
        ada.thread("heartbeat:morning", kind="ephemeral")
    assert ada.thread("heartbeat:morning", kind="background").kind == "background"


@pytest.mark.parametrize("prefix", RESERVED)
@pytest.mark.parametrize("kind", ["background", "ephemeral"])
def test_prefixes_that_are_ours_are_refused_from_outside(
    ada: Agent, prefix: str, kind: str
) -> None:
    with pytest.raises(KeyReserved, match=f"begin with '{prefix}'.*choose another"):
        ada.thread(f"{prefix}mine", kind=kind)


@pytest.mark.parametrize("key", ["", "   ", "a\x00b", "k" * 501])
def test_a_key_that_cannot_name_a_thread_is_refused(ada: Agent, key: str) -> None:
    with pytest.raises(BadInput, match=r"1 to 500 characters|cannot be stored"):
        ada.thread(key, kind="background")


@pytest.mark.parametrize("name", ["", " ada", "a/b", "ada:main", "a" * 101, "-ada"])
def test_a_name_that_cannot_name_an_agent_is_refused(et: Everthread, name: str) -> None:
    with pytest.raises(BadInput, match=r"cannot name an agent|must have 1 to"):
        et.agent(name)
    assert et.agents() == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"window": 999},
        {"window": 0},
        {"inactivity_hours": 0},
        {"inactivity_hours": -4},
        {"inactivity_hours": float("nan")},
        {"system": object()},
        {"tools": [object()]},
    ],
)
def test_a_definition_that_makes_no_sense_is_refused(et: Everthread, wrong: Any) -> None:
    with pytest.raises(BadInput):
        et.agent("ada", **wrong)
    assert et.agents() == []


def test_what_is_not_said_about_an_agent_stays_as_it_was(et: Everthread) -> None:
    et.agent("ada", system="You are Ada.", model="claude-test", window=50_000)
    row = et.agent("ada", window=60_000).row
    assert (row.model, row.window) == ("claude-test", 60_000)
    turn = et.agent("ada").turn("Hello")
    assert turn.system == "You are Ada."


def test_an_unknown_thread_says_how_to_open_it(ada: Agent) -> None:
    with pytest.raises(
        ThreadUnknown,
        match=r"no thread 'heartbeat:noon'; .* agent\.thread\(key, kind=…\) opens one",
    ):
        ada.turn("tick", thread="heartbeat:noon")


def test_a_thread_of_another_agent_is_not_told_as_gone(et: Everthread, ada: Agent) -> None:
    theirs = et.agent("bob").thread("heartbeat:bob", kind="background")
    theirs.turn("of theirs alone").done("yes")
    for ask in (
        lambda: ada.turn("Hello", thread=theirs),
        lambda: ada.record([{"role": "user", "content": "Hello"}], thread=theirs),
    ):
        with pytest.raises(ThreadUnknown, match="belongs to another agent than 'ada'") as told:
            ask()
        assert "bob" not in str(told.value) and "gone" not in str(told.value)
    with pytest.raises(ThreadUnknown, match="belongs to another agent"):
        ada.messages(thread=theirs)
    assert len(theirs.messages()) == 2
    # Another handle on the same agent is not another agent.
    own = ada.thread("heartbeat:own", kind="background")
    et.agent("ada").turn("Hello", thread=own).done("Hello.")
    assert [message.text for message in own.messages()] == ["Hello", "Hello."]


def test_a_thread_can_be_named_by_key_or_held(ada: Agent) -> None:
    beat = ada.thread("heartbeat:morning", kind="background")
    ada.turn("tick", thread="heartbeat:morning").done("tock")
    beat.turn("tick again").done("tock again")
    beat.record([{"role": "user", "content": "a note"}])
    assert [message.text for message in beat.messages()] == [
        "tick",
        "tock",
        "tick again",
        "tock again",
        "a note",
    ]
    assert beat.message_count == 5
    assert [turn.number for turn in beat.turns()] == [2, 1]
    assert ada.messages() == []


# ---- older data


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("prosoche", "background"),
        ("daemon:prosoche", "background"),
        ("agent:ada:prosoche-wake", "background"),
        ("ask:ada", "ephemeral"),
        ("spawn:ada:lx3k", "ephemeral"),
        ("send:ada", "ephemeral"),
        ("agent:ada:main", None),
        ("basket:ask:1", None),
        ("webchat", None),
    ],
)
def test_keys_of_older_data_tell_the_kind(key: str, kind: str | None) -> None:
    """(A-26, A-27)."""
    assert kind_of_key(key) == kind


def test_a_key_does_not_choose_the_kind_of_a_thread_opened_today(ada: Agent) -> None:
    """(A-25, A-26, A-27)."""
    assert ada.thread("prosoche", kind="ephemeral").kind == "ephemeral"
    assert ada.thread("heartbeat:noon", kind="ephemeral").kind == "ephemeral"


# ---- channels


def test_every_channel_leads_to_the_primary(et: Everthread, ada: Agent) -> None:
    """(A-53, A-54, A-18, LD-15)."""
    for channel in ("signal:+4930123456", "webchat", "telepathy:room-7", "webchat"):
        ada.turn(f"from {channel}", channel=channel).done("heard")
    assert [thread.kind for thread in ada.threads()] == ["primary"]
    assert ada.primary.message_count == 8
    bound = et.report(ada).agents[0].channels
    assert [(c.transport, c.key) for c in bound] == [
        ("signal", "+4930123456"),
        ("telepathy", "room-7"),
        ("webchat", ""),
    ]
    assert {c.thread_ref for c in bound} == {ada.primary.ref}


def test_what_one_channel_said_the_next_one_sees(ada: Agent) -> None:
    """(A-53, A-54)."""
    ada.turn("My name is Mel.", channel="signal:+49").done("Hello Mel.")
    turn = ada.turn("What is my name?", channel="webchat")
    words = [block["text"] for message in turn.messages for block in message["content"]]
    assert words == ["My name is Mel.", "Hello Mel.", "What is my name?"]


@pytest.mark.parametrize("channel", ["", ":key", "  ", "web\x00chat"])
def test_a_channel_without_a_transport_is_refused(ada: Agent, channel: str) -> None:
    with pytest.raises(BadInput, match=r"not a channel|must have 1 to|cannot be stored"):
        ada.turn("hello", channel=channel)
    assert ada.messages() == []


# ---- ephemeral threads


def test_ephemeral_threads_vanish_a_day_after_their_last_word(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(A-11, A-20, A-24, A-61, A-71, A-78, X-8)."""
    for n in range(10):
        ada.thread(f"errand:{n}", kind="ephemeral").turn("do it").done("done")
    beat = ada.thread("heartbeat:noon", kind="background")
    beat.turn("tick").done("tock")
    clock.forward(hours=24)
    housekeeping(et)
    assert len(ada.threads()) == 12
    clock.forward(hours=1)
    housekeeping(et)
    assert [thread.kind for thread in ada.threads()] == ["primary", "background"]
    assert et.verify(ada).sound
    assert beat.message_count == 2


def test_a_vanished_thread_says_so_to_who_still_holds_it(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(A-20)."""
    errand = ada.thread("errand", kind="ephemeral")
    errand.turn("do it").done("done")
    clock.forward(hours=25)
    housekeeping(et)
    with pytest.raises(ThreadUnknown, match="ephemeral threads vanish"):
        errand.turn("once more")
    again = ada.thread("errand", kind="ephemeral")
    assert (again.message_count, again.id != errand.id) == (0, True)


@pytest.mark.parametrize("kind", ["primary", "background", "ephemeral"])
def test_no_kind_of_thread_passes_the_guard(et: Everthread, kind: str) -> None:
    """(A-5, A-62, X-27, R-8)."""
    ada = et.agent("ada", window=1_000)
    thread = ada.primary if kind == "primary" else ada.thread("small", kind=kind)
    with pytest.raises(ContextFull, match=r"900 \(90 % of a window of 1,000\).*Nothing was stored"):
        thread.turn("word " * 2_000)
    assert thread.message_count == 0
    assert thread.turns() == []
    assert ada.sessions() == []
    thread.turn("word").done("heard")
    assert thread.message_count == 2


# ---- erasure


def test_erasing_leaves_a_tombstone_and_begins_a_new_lineage(et: Everthread, ada: Agent) -> None:
    """(A-15, X-29)."""
    ada.turn("A secret.", channel="webchat").done("Kept.")
    before = ada.primary.row
    stones = et.erase(ada, reason="the person asked for it")
    assert [(s.what, s.reason, s.messages) for s in stones] == [
        ("primary thread agent:ada:main", "the person asked for it", 2)
    ]
    after = ada.primary.row
    assert (after.key, after.kind) == (before.key, "primary")
    assert after.id != before.id
    assert (before.lineage, after.lineage) == (1, 2)
    assert [thread.kind for thread in ada.threads()] == ["primary"]
    assert et.verify(ada).sound


def test_nothing_of_what_was_erased_can_be_read_again(et: Everthread, ada: Agent) -> None:
    """(X-29, R-33)."""
    ada.turn("The secret word is xyzzy. " + "xyzzy " * 2_000).done("xyzzy it is")
    ada.record([{"id": "1", "role": "user", "content": "xyzzy too"}])
    et.erase(ada)
    lines: list[str] = []
    et.export(lines.append)
    assert "xyzzy" not in "".join(lines)
    assert ada.messages() == []
    assert ada.sessions() == []


def test_the_same_agent_goes_on_after_its_thread_was_erased(et: Everthread, ada: Agent) -> None:
    """(A-22, X-29)."""
    old = ada.primary
    ada.record([{"role": "user", "content": "before"}])
    assert len(ada.messages()) == 1
    et.erase(ada)
    ada.record([{"role": "user", "content": "recorded after"}])
    ada.turn("said after", channel="webchat").done("heard")
    assert [message.text for message in ada.messages()] == ["recorded after", "said after", "heard"]
    assert len(ada.messages(tokens=1_000)) == 3
    with pytest.raises(ThreadUnknown, match="was erased; ask the agent for its new one"):
        old.turn("to the old one")
    assert et.verify(ada).sound


def test_reading_right_after_an_erasure_reads_the_new_thread(et: Everthread) -> None:
    """(X-29)."""
    ada, other = et.agent("ada"), et.agent("ada")
    ada.record([{"role": "user", "content": "before"}])
    assert len(ada.messages()) == 1
    et.erase(other)
    other.turn("after").done("yes")
    assert [message.text for message in ada.messages()] == ["after", "yes"]


def test_one_thread_can_be_erased_alone(et: Everthread, ada: Agent) -> None:
    """(X-29)."""
    ada.turn("keep me").done("kept")
    ada.thread("heartbeat:noon", kind="background").turn("tick").done("tock")
    stones = et.erase(ada, thread="heartbeat:noon")
    assert [stone.what for stone in stones] == ["background thread heartbeat:noon"]
    assert [thread.key for thread in ada.threads()] == ["agent:ada:main"]
    assert len(ada.messages()) == 2
    assert et.verify(ada).sound
    with pytest.raises(ThreadUnknown, match="nothing was erased"):
        et.erase(ada, thread="heartbeat:noon")


def test_an_erased_key_can_be_opened_anew(et: Everthread, ada: Agent) -> None:
    """(X-29)."""
    old = ada.thread("heartbeat:noon", kind="background")
    old.turn("tick").done("tock")
    et.erase(ada, thread="heartbeat:noon")
    new = ada.thread("heartbeat:noon", kind="background")
    assert new.id != old.id
    assert new.messages() == []


@pytest.mark.parametrize("lasting", ["agent:ada:main", "heartbeat:noon"])
def test_no_job_can_delete_a_lasting_thread(et: Everthread, ada: Agent, lasting: str) -> None:
    """(A-15, A-52)."""
    beat = ada.thread("heartbeat:noon", kind="background")
    for thread in (ada.primary, beat):
        thread.turn("tick").done("tock")

    def remove(records: Any) -> None:
        thread = records.threads.find(ada.scope, lasting)
        records.threads.remove(ada.scope, thread, now=0)

    with pytest.raises(EverthreadError):
        et.house.store.write(remove)
    assert (ada.primary.message_count, beat.message_count) == (2, 2)
    assert et.verify(ada).sound


def test_an_agent_may_have_a_name_in_any_script(et: Everthread) -> None:
    """A project's agent is named after its folder (R-27)."""
    for name in ("Zoë", "日本", "проект-1a2b3c"):
        assert et.agent(name).primary.key == f"agent:{name}:main"


def test_an_ephemeral_thread_that_fills_its_window_is_reported_as_a_bug(
    et: Everthread, caplog: pytest.LogCaptureFixture
) -> None:
    """(A-62, X-27)."""
    small = et.agent("small", window=1_000).thread("job-1", kind="ephemeral")
    with pytest.raises(ContextFull):
        small.turn("word " * 2_000)
    assert "ephemeral thread job-1" in caplog.text
    assert small.messages() == []


@pytest.mark.req("X-8")
def test_a_finished_ephemeral_thread_is_closed_takes_nothing_more_and_goes_after_its_time() -> None:
    clock = FrozenClock("2026-02-20T10:00:00Z")
    with everthread.connect("memory://", clock=clock, background=False) as et:
        ada = et.agent("ada")
        task = ada.thread("sort-the-mail", kind="ephemeral")
        task.turn("sort it").done("sorted")
        task.close()
        task.close()  # twice is once
        with pytest.raises(ThreadClosed, match="was closed at 2026-02-20"):
            task.turn("and this?")
        with pytest.raises(ThreadClosed):
            task.record([{"role": "user", "content": "late"}])
        assert [m.text for m in task.messages()] == ["sort it", "sorted"]
        assert et.verify("ada").sound
        with pytest.raises(BadInput, match="only ephemeral"):
            ada.primary.close()
        clock.forward(hours=25)
        while Worker(et.house).step():
            pass
        assert [thread.kind for thread in ada.threads()] == ["primary"]
        assert et.verify("ada").sound
