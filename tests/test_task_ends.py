"""What follows from the end of a task's session: what was said in it is drawn, summed up, and told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from everthread import Agent
from everthread.domain.errors import TaskRefused
from everthread.services.distilling.memory_file import managed_now
from everthread.services.ending.sweep import sweep_sessions
from everthread.services.harness.checkpoint import ask_checkpoint
from everthread.services.job_names import ENDED
from everthread.services.tasks.sessions.watch import interrupt
from everthread.testing import FrozenClock
from support.sitting import asked, talk, work_off
from support.tasking import Site, Work, work

PREFERENCE = "I prefer short commit messages in the imperative."


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture
def at(tmp_path: Path, clock: FrozenClock) -> Iterator[Work]:
    made = work(Site(tmp_path), clock=clock)
    yield made
    made.engine.close()


@pytest.fixture
def ada(at: Work) -> Agent:
    return at.engine.agent("ada")


def memories(agent: Agent) -> set[str]:
    return {memory.text for memory in agent.memories()}


# ---- a checkpoint of a task is not where a fold begins


def test_what_was_said_before_a_checkpoint_of_the_task_is_summed_up(at: Work, ada: Agent) -> None:
    """(D-7, C-18): such a checkpoint carries no digest of what was said."""
    session = at.task.start().at.session
    talk(ada, session=session.key)
    at.task.checkpoint("explicit", "A note.")
    found = ada.summarize_session(session.id)
    assert found.summary and "PostgreSQL" in found.summary


def test_what_was_said_around_a_checkpoint_of_the_task_is_drawn(at: Work, ada: Agent) -> None:
    """(D-22, C-18)."""
    session = at.task.start().at.session
    talk(ada, 2, session=session.key)
    at.task.checkpoint("explicit", "A note.")
    ada.turn("I prefer tabs in Makefiles.", session=session.key).done("Noted.")
    at.task.end("success", completed=["It is done."])
    work_off(at.engine)
    assert {PREFERENCE, "I prefer tabs in Makefiles."} <= memories(ada)


def test_the_end_of_a_task_takes_nothing_out_of_the_memory_file(at: Work, ada: Agent) -> None:
    """(B-8): its checkpoint says nothing of what the last conversation was about."""
    house = at.engine.house

    def managed() -> str | None:
        return house.store.read(lambda r: managed_now(house, r, ada.scope))

    session, now = talk(ada), house.clock.now()
    house.store.write(
        lambda r: ask_checkpoint(r, ada.scope, session, "session_end", due_at=now, now=now)
    )
    work_off(at.engine)
    before = managed()
    assert before and "commit messages" in before
    at.task.start()
    at.task.end("success", completed=["It is done."])
    assert managed() == before


# ---- the end is seen to, whoever ends it


def ended(at: Work, clock: FrozenClock) -> None:
    at.task.end("success", completed=["It is done."])


def stopped(at: Work, clock: FrozenClock) -> None:
    at.task.stop("danger")


def killed(at: Work, clock: FrozenClock) -> None:
    assert interrupt(at.engine.house, at.task.sessions()[0].sitting)


def forked(at: Work, clock: FrozenClock) -> None:
    at.task.used(current=170_000, processed=170_000)


@pytest.mark.parametrize("over", [ended, stopped, killed, forked])
def test_the_end_of_a_tasks_session_is_seen_to(
    at: Work, ada: Agent, clock: FrozenClock, over: Callable[[Work, FrozenClock], None]
) -> None:
    """(D-7, D-22, C-31): memories and a summary, as of any conversation."""
    session = at.task.start().at.session
    talk(ada, session=session.key)
    over(at, clock)
    assert asked(at.engine) == [str(session.ref)]
    work_off(at.engine)
    assert ada.session(session.id).state not in ("init", "active")
    assert ada.session(session.id).summary
    assert PREFERENCE in memories(ada)


def test_a_session_after_another_of_its_task_is_no_subagents(
    at: Work, ada: Agent, clock: FrozenClock
) -> None:
    """(C-21, X-24): its parent is the one before; the sweep finds it too."""
    at.task.start()
    at.task.end("partial", summary="The first part.")
    second = at.task.start().at.session
    assert second.parent_ref is not None
    talk(ada, session=second.key)
    at.task.end("success", completed=["It is done."])
    at.engine.house.store.write(lambda r: r.jobs.cancel(ENDED, once=str(second.ref)))
    clock.forward(hours=5)
    assert sweep_sessions(at.engine.house, lambda: None) == 1
    work_off(at.engine)
    assert ada.session(second.id).summary
    now, scope = clock.now(), ada.scope._replace(project=second.project_normalized)
    told = at.engine.house.store.read(lambda r: r.endings.recent(scope, since=now - 10**9, limit=3))
    assert [one.ref for one in told] == [second.ref]


# ---- only its ritual begins one


def test_a_tasks_session_is_not_resumed_as_a_conversation(at: Work, ada: Agent) -> None:
    """(C-21, C-48): not past an emergency stop either."""
    first = at.task.start().at.session
    at.task.end("partial", summary="The first part.")
    at.task.start()
    at.task.stop("danger")
    with pytest.raises(TaskRefused, match="everthread task start parser-rewrite"):
        ada.resume(first.id)
    assert [each.session.state for each in at.task.sessions()] == ["terminated", "complete"]


def test_a_stopped_task_takes_nothing_whatever_its_sessions_say(at: Work, ada: Agent) -> None:
    """(C-48, C-49): that it is stopped counts first."""
    session = at.task.start().at.session
    house, scope = at.engine.house, ada.scope
    task = at.task.row._replace(stopped_ms=house.clock.now())
    house.store.write(lambda r: r.tasks.change(scope, task, "stopped", now=house.clock.now()))
    assert ada.session(session.id).state == "active"
    with pytest.raises(TaskRefused, match="stopped in an emergency"):
        at.task.checkpoint("explicit", "Work goes on.")
    with pytest.raises(TaskRefused, match="stopped in an emergency"):
        at.task.gate("G0", evidence={"task_definition": "x", "acceptance_criteria": "y"})
