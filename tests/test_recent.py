"""Recent conversations: what a new session is told of those before it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.conversation.sessions import Session
from everthread.domain.distilling.drafts import Outline
from everthread.domain.given.context import BUDGETS
from everthread.domain.given.packing import read_block, strip_content
from everthread.domain.given.recent_sessions import CHARS, SESSION
from everthread.domain.harness.happenings import Happening
from everthread.engine.turn import Turn
from everthread.testing import FrozenClock
from support.sitting import TALK, Scripted, talk, with_model, work_off

PLACES = ("the harbour", "the airport", "the station", "the library", "the museum")


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


def spoke_of(et: Everthread, agent: Agent, place: str) -> Session:
    """A conversation about a place, over and summed up."""
    for n in range(1, 6):
        agent.turn(f"Add stop {n} of {place} to the timetable.").done("Noted.")
    over = agent.end_session()
    work_off(et)
    found = agent.session(over.id)
    assert found.summary and place in found.summary
    return found


def told(turn: Turn) -> list[str]:
    """The recent conversations that a turn was given: as they stand in its request."""
    items = (read_block(text) or () for text in _texts(turn.messages[-1]))
    return [item.text for each in items for item in each if item.text.startswith("[2026-")]


def _texts(message: dict[str, Any]) -> list[str]:
    return [block["text"] for block in message["content"] if block["type"] == "text"]


# ---- in a turn


def test_a_new_session_is_told_of_the_last_one_once(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(D-4, D-9, D-25, R-7): with its first turn, and with no other."""
    first = spoke_of(et, ada, "the harbour")
    clock.forward(hours=5)
    turn = ada.turn("Good morning!")
    assert told(turn) == [first.summary]
    assert "[2026-02-20] The user asked" in str(turn.messages[-1])
    turn.done("Good morning.")
    for _ in range(6):
        again = ada.turn("And what else?")
        assert told(again) == []
        again.done("Nothing.")


def unsummed(agent: Agent, place: str) -> Session:
    """A conversation about a place that nobody ended."""
    for n in range(1, 6):
        agent.turn(f"Add stop {n} of {place} to the timetable.").done("Noted.")
    return agent.newest_session()


def test_the_conversation_that_the_next_message_ends_is_told_as_soon_as_it_is_summed_up(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(D-4, D-9, D-13): its summary is made a moment later, by the worker."""
    before = unsummed(ada, "the harbour")
    clock.forward(hours=5)
    turn = ada.turn("Good morning!")
    assert told(turn) == []
    turn.done("Good morning.")
    work_off(et)
    summary = ada.session(before.id).summary
    turn = ada.turn("What did we talk about?")
    assert summary and told(turn) == [summary]
    turn.done("About stops.")
    again = ada.turn("And what else?")
    assert told(again) == []
    again.done("Nothing.")
    given = [piece.given for each in ada.injections() for piece in each.pieces]
    assert [item.id for item in given if item.kind == SESSION] == [before.id]


@pytest.mark.parametrize(("turns", "there"), [(4, True), (5, False), (6, False)])
def test_after_its_first_turns_a_session_is_told_of_no_other(
    et: Everthread, ada: Agent, clock: FrozenClock, turns: int, there: bool
) -> None:
    """(D-9): it is new for five turns."""
    unsummed(ada, "the harbour")
    clock.forward(hours=5)
    for _ in range(turns):
        ada.turn("Good morning!").done("Good morning.")
    work_off(et)
    assert bool(told(ada.turn("And what else?"))) is there


def test_a_turn_that_failed_has_told_nobody(et: Everthread, ada: Agent, clock: FrozenClock) -> None:
    """(D-9): the one after it is told."""
    first = spoke_of(et, ada, "the harbour")
    clock.forward(hours=5)
    turn = ada.turn("Good morning!")
    assert told(turn) == [first.summary]
    turn.failed("no answer")
    again = ada.turn("Good morning!")
    assert told(again) == [first.summary]
    again.done("Hello.")
    assert told(ada.turn("And what else?")) == []


def test_a_session_that_is_taken_up_again_is_not_told_of_later_ones(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(D-11): what it is told of came before it."""
    ada.turn("Good morning!").done("Hello.")
    early = ada.end_session()
    clock.forward(hours=5)
    spoke_of(et, ada, "the harbour")
    ada.resume(early.id)
    assert told(ada.turn("Where were we?")) == []


def test_one_person_is_not_told_what_another_spoke_of(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(R-11, LD-18): neither by whose session it was nor by who spoke in it."""
    for n in range(1, 6):
        ada.turn(f"Add stop {n} of the harbour.", principal="alice").done("Noted.")
    ada.end_session()
    clock.forward(hours=1)
    for n in range(1, 6):
        who = "alice" if n == 3 else "bob"
        ada.turn(f"Add stop {n} of the airport.", principal=who).done("Noted.")
    ada.end_session()
    clock.forward(hours=1)
    for n in range(1, 6):
        ada.turn(f"Add stop {n} of the museum.", principal="bob").done("Noted.")
    ada.end_session()
    clock.forward(hours=1)
    for n in range(1, 6):
        ada.turn(f"Add stop {n} of the library.").done("Noted.")
    ada.end_session()
    work_off(et)
    clock.forward(hours=5)
    turn = ada.turn("Good morning!", principal="bob")
    assert [_place(text) for text in told(turn)] == ["library", "museum"]
    turn.done("Hello.")
    ada.end_session()
    turn = ada.turn("Good morning!", principal="alice")
    assert [_place(text) for text in told(turn)] == ["library", "harbour"]
    turn.done("Hello.")
    ada.end_session()
    assert len(told(ada.turn("Good morning!"))) == 3


def _place(text: str) -> str:
    return next(word for word in ("harbour", "airport", "museum", "library") if word in text)


@pytest.mark.parametrize(("days", "there"), [(13.9, True), (14.1, False), (15, False)])
def test_what_is_older_than_a_fortnight_is_not_recent(
    et: Everthread, ada: Agent, clock: FrozenClock, days: float, there: bool
) -> None:
    """(D-9, X-7): fourteen days, not seven."""
    spoke_of(et, ada, "the harbour")
    clock.forward(hours=24 * days)
    assert bool(told(ada.turn("Good morning!"))) is there


def test_the_newest_three_are_told_newest_first(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(D-9, 4c.6): four inside the fortnight, and one before it."""
    spoken = [spoke_of(et, ada, PLACES[0])]
    clock.forward(hours=24 * 13)
    for place in PLACES[1:]:
        clock.forward(hours=12)
        spoken.append(spoke_of(et, ada, place))
    turn = ada.turn("Good morning!")
    assert told(turn) == [session.summary for session in spoken[:1:-1]]


def test_they_find_room_in_three_hundred_tokens(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(D-10, S-17)."""
    long = "the very " + "long " * 60 + "quay"
    for _ in range(3):
        session = talk(ada)
        ada.end_session()
        work_off(et)
        et.house.store.write(
            lambda r, s=session: r.endings.summarize(
                ada.scope, s, f"[2026-02-20] The user asked for {long} {s.ref}.", now=s.started_ms
            )
        )
        clock.forward(hours=5)
    turn = ada.turn("Good morning!")
    items = told(turn)
    assert items
    assert sum(et.house.tokenizer.count(text) for text in items) <= BUDGETS["recent"]


def test_they_are_data_in_a_frame_that_is_taken_out_again(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(R-7): never stored as the user's words."""
    spoke_of(et, ada, "the harbour")
    clock.forward(hours=5)
    turn = ada.turn("Good morning!")
    turn.done("Hello.")
    assert [m.text for m in ada.messages(limit=2)] == ["Good morning!", "Hello."]
    sent = ada.sent(turn.number)
    assert "the harbour" in str(sent.messages[-1])


def test_a_summary_that_is_forgotten_meanwhile_is_not_given(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(R-43): looked at once more when the turn is written."""
    session = spoke_of(et, ada, "the harbour")
    clock.forward(hours=5)
    read = et.house.store.read
    looks: list[int] = []

    def forgets(work: object) -> object:
        found = read(work)  # type: ignore[arg-type]
        if not looks and type(found).__name__ == "TurnContext":
            looks.append(1)
            now = clock.now()
            et.house.store.write(lambda r: r.endings.withhold(ada.scope, session, now=now))
        return found

    et.house.store.read = forgets  # type: ignore[method-assign, assignment]
    turn = ada.turn("Good morning!")
    assert looks
    assert told(turn) == []


def test_what_was_told_loses_its_text_when_its_source_is_forgotten(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(R-43, R-33)."""
    spoke_of(et, ada, "the harbour")
    clock.forward(hours=5)
    turn = ada.turn("Good morning!")
    turn.done("Hello.")
    said = next(m for m in ada.messages() if "stop 1 of the harbour" in m.text)
    ada.forget(ada.remember("The harbour has a stop.", sources=[said.id]).id)
    assert "the harbour" not in str(ada.sent(turn.number).messages[-1])
    assert et.verify("ada").sound


def test_neither_background_work_nor_another_agent_is_told(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(R-44)."""
    spoke_of(et, ada, "the harbour")
    clock.forward(hours=5)
    beat = ada.thread("heartbeat:noon", kind="background")
    assert told(beat.turn("tick")) == []
    assert told(et.agent("bob").turn("Good morning!")) == []


def test_sessions_without_a_summary_are_simply_not_told(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(D-12)."""
    talk(ada, 2)
    clock.forward(hours=5)
    assert told(ada.turn("Good morning!")) == []


def test_the_figures_are_settings(clock: FrozenClock) -> None:
    """(LD-7)."""
    settings = Settings(recent_sessions=1, recent_days=2)
    with everthread.connect("memory://", clock=clock, background=False, settings=settings) as et:
        ada = et.agent("ada")
        spoke_of(et, ada, "the harbour")
        clock.forward(hours=12)
        second = spoke_of(et, ada, "the airport")
        clock.forward(hours=12)
        turn = ada.turn("Good morning!")
        assert told(turn) == [second.summary]
        turn.done("Hello.")
        clock.forward(hours=49)
        assert told(ada.turn("Good morning!")) == []


# ---- in a harness


def worked(et: Everthread, agent: Agent, key: str, folder: Path) -> Session:
    """A harness's session in that folder, over and summed up."""
    base = Happening("claude-code", "prompt", key, str(folder))
    agent.attend(base._replace(kind="start", start="startup"))
    for said, _ in TALK:
        agent.attend(base._replace(text=f"{said[:-1]} for {key}."))
    agent.attend(base._replace(kind="end", reason="exit"))
    work_off(et)
    found = agent.session(key)
    assert found.summary
    return found


def started(agent: Agent, key: str, folder: Path, **more: object) -> str:
    happening = Happening("claude-code", "start", key, str(folder), start="startup")
    return agent.attend(happening._replace(**more)).context  # pyright: ignore[reportArgumentType]


def test_a_harness_is_told_of_recent_conversations_after_where_the_last_one_stood(
    et: Everthread, ada: Agent, clock: FrozenClock, tmp_path: Path
) -> None:
    """(D-9, S-17)."""
    first = worked(et, ada, "first-one", tmp_path)
    clock.forward(hours=1)
    text = started(ada, "second", tmp_path)
    assert "## Session Recovery Context" in text
    assert text.index("## Session Recovery Context") < text.index("## Recent conversations")
    assert first.summary and first.summary in text
    assert "everthread-session" not in strip_content(text)


def test_the_pointer_to_a_session_of_days_ago_holds_its_summary_once(
    et: Everthread, ada: Agent, clock: FrozenClock, tmp_path: Path
) -> None:
    """(R-46, X-7)."""
    first = worked(et, ada, "first-one", tmp_path)
    clock.forward(hours=24)
    text = started(ada, "second", tmp_path)
    assert first.summary
    assert text.count(first.summary) == 1
    assert "### Summary" in text
    assert "## Recent conversations" not in text


def test_between_seven_and_fourteen_days_only_the_summary_is_left(
    et: Everthread, ada: Agent, clock: FrozenClock, tmp_path: Path
) -> None:
    """(X-7)."""
    first = worked(et, ada, "first-one", tmp_path)
    clock.forward(hours=24 * 8)
    text = started(ada, "second", tmp_path)
    assert "Session Recovery Context" not in text
    assert first.summary and first.summary in text


def test_a_session_that_goes_on_is_not_told_and_no_summary_that_is_older_than_its_end(
    et: Everthread, ada: Agent, clock: FrozenClock, tmp_path: Path
) -> None:
    """(D-9): what it says may not hold any more."""
    first = worked(et, ada, "first-one", tmp_path)
    assert first.summary
    clock.forward(minutes=1)
    started(ada, "first-one", tmp_path, start="resume", owner="p1")
    assert first.summary not in started(ada, "second", tmp_path, owner="p2")
    clock.forward(minutes=1)
    base = Happening("claude-code", "prompt", "first-one", str(tmp_path), owner="p1")
    ada.attend(base._replace(text="No, let's use SQLite for the store."))
    ada.attend(base._replace(kind="end", reason="exit"))
    assert ada.session("first-one").summary == first.summary
    assert "## Recent conversations" not in started(ada, "third", tmp_path, owner="p3")
    work_off(et)
    clock.forward(minutes=1)
    again = ada.session("first-one").summary
    assert again and again != first.summary
    assert again in started(ada, "fourth", tmp_path, owner="p4")


def test_a_summary_that_says_the_same_again_is_told(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """(D-9): made anew after more was said, it is as new as that."""
    said = [
        Outline("The user decided to use PostgreSQL for the store.", (1,)),
        Outline("The agent added a retry with three attempts to uploader.py.", (6,)),
    ]
    with_model(et, Scripted(said, said))
    first = talk(ada)
    ada.end_session()
    work_off(et)
    summary = ada.session(first.id).summary
    clock.forward(hours=1)
    ada.resume(first.id)
    ada.turn("Thanks.").done("You are welcome.")
    ada.end_session()
    work_off(et)
    assert ada.session(first.id).summary == summary
    clock.forward(hours=5)
    assert summary and told(ada.turn("Good morning!")) == [summary]


def test_another_project_is_not_told(et: Everthread, ada: Agent, tmp_path: Path) -> None:
    """(R-44)."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    first = worked(et, ada, "first-one", tmp_path / "one")
    text = started(ada, "second", tmp_path / "two")
    assert first.summary and first.summary not in text


def test_after_a_clear_nothing_is_told_of_before(
    et: Everthread, ada: Agent, tmp_path: Path
) -> None:
    """(R-25)."""
    worked(et, ada, "first-one", tmp_path)
    assert "## Recent conversations" not in started(ada, "second", tmp_path, start="clear")


def test_a_harness_is_told_once_and_within_its_room(
    et: Everthread, ada: Agent, clock: FrozenClock, tmp_path: Path
) -> None:
    """(R-23)."""
    for key in ("one", "two", "three", "four"):
        worked(et, ada, key, tmp_path)
        clock.forward(hours=24 * 2)
    clock.forward(hours=24 * 6)
    text = started(ada, "next", tmp_path)
    block = text[text.index("## Recent conversations") :].split("</everthread-session>")[0]
    assert 1 <= block.count("\n- [") <= 3
    assert len(block) <= CHARS + 200
    assert started(ada, "next", tmp_path) == ""
