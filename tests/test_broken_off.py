"""A person breaks off what the agent is at: her next prompt is stored before what that had said."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from everthread.domain.agents import Scope
from everthread.services.archive.as_said import PAGE, as_said
from support.harness import Bench, Window, bench
from support.stores import ABOVE, fresh

ASKED = "Which database shall we use for the audit log, SQLite or PostgreSQL?"
OFFERED = "SQLite is fine for one writer. Shall I set it up with WAL?"
AGREED = "Yes, do it, with WAL."
DONE = "Set up SQLite with WAL in audit/db.py."


@pytest.fixture(params=ABOVE)
def b(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with fresh(request.param, tmp_path) as where, bench(tmp_path, where.target) as made:
        yield made


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    """The quick one."""
    with bench(tmp_path) as made:
        yield made


def broken_off(b: Bench, calls: int = 1) -> Window:
    """No event tells that the agent was stopped: the prompt after it is the next that is heard."""
    w = b.window("a")
    w.start()
    w.prompt(ASKED)
    for n in range(calls):
        b.clock.forward(seconds=1)
        w.tool(f"grep -n audit part_{n}.py", f"{n + 1}: audit")
    w.write("assistant", OFFERED)
    b.clock.forward(minutes=1)
    w.prompt(AGREED)
    b.clock.forward(seconds=5)
    w.reply(DONE)
    return w


def parts(b: Bench, w: Window, until: int | None = None) -> list[list[int]]:
    found = as_said(b.et.house, Scope(w.row.agent_ref), w.row, after=0, until=until)
    return [[message.seq for message in part] for part in found]


def test_what_she_agreed_to_is_not_open(b: Bench):
    broken_off(b).end()
    b.work()
    assert [m.text for m in b.agent.memories() if m.kind == "open_item"] == []
    assert "Left open" not in (b.agent.session("a").summary or "")
    given = b.window("b").start()
    assert "### Open requests" not in given
    assert "Shall I set it up" not in given


def test_it_is_read_as_it_was_said(b: Bench):
    w = broken_off(b)
    # The prompt is the second that was stored, and the last but one that was said.
    assert parts(b, w) == [[1], [3, 4, 5, 2], [6]]
    found = as_said(b.et.house, Scope(w.row.agent_ref), w.row, after=0)
    words = [message.text for message in chain.from_iterable(found)]
    assert words == [message.text for message in b.agent.messages(limit=100)]


def test_nothing_is_read_beyond_the_message_up_to_which_it_is_asked_for(q: Bench):
    w = broken_off(q)
    assert parts(q, w, until=3) == [[1], [3, 2]]
    assert parts(q, w, until=2) == [[1], [2]]


@pytest.mark.parametrize("calls", [PAGE // 2, PAGE])
def test_a_long_turn_that_is_broken_off_is_read_before_the_prompt(q: Bench, calls: int):
    w = broken_off(q, calls)
    last = 2 * calls + 3
    assert parts(q, w) == [[1], [*range(3, last + 1), 2], [last + 1]]


@pytest.mark.parametrize("before", [PAGE - 1, PAGE, PAGE + 1])
def test_so_it_is_wherever_the_prompt_stands(q: Bench, before: int):
    """Also where it is the last of those that are read at once."""
    w = q.window("a")
    w.start()
    for n in range(before // 2):
        w.turn(f"Part {n}?", f"Part {n} is done.")
    if before % 2:
        w.prompt("And the rest?")
    w.write("assistant", OFFERED)
    q.clock.forward(minutes=1)
    w.prompt(AGREED)
    q.clock.forward(seconds=5)
    w.reply(DONE)
    assert list(chain(*parts(q, w)))[-3:] == [before + 2, before + 1, before + 3]


def test_what_a_program_itself_said_is_in_order_whatever_its_clock_does(q: Bench):
    for n in range(3):
        q.clock.set(f"2026-02-20T10:0{3 - n}:00Z")
        with q.agent.turn(f"Question {n}?") as turn:
            turn.done(f"Answer {n}.")
    session = q.agent.sessions(limit=1)[0]
    found = as_said(q.et.house, Scope(session.agent_ref), session, after=0)
    assert [[m.seq for m in part] for part in found] == [[n] for n in range(1, 7)]
