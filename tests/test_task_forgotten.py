"""What was forgotten leaves tasks: their rows, their files, and the events that are still on their way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from everthread.domain.forgetting.forgotten_tasks import entries_without, lines_without, make_teller
from everthread.domain.forgetting.forgotten_texts import forgotten_of
from everthread.domain.tasks.events import Target
from everthread.domain.tasks.task_files import WITHHELD
from everthread.ports.commands import Delivery
from everthread.services.forgetting.forget import forget as forget_memory
from everthread.services.tasks.events import deliver_due
from everthread.testing import FrozenClock
from support.sitting import work_off
from support.tasking import Site, Work, work

pytestmark = pytest.mark.slow

SECRET = "The customer Zebulon Quartermain lives at 14 Larkspur Lane."
OTHER = "Write the tests of the lexer."


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Work]:
    clock = FrozenClock("2026-02-20T10:00:00Z")
    site = Site(tmp_path, outbox_file=str(tmp_path / "out.jsonl"))
    made = work(site, clock=clock)
    yield made
    made.engine.close()


def forget(at: Work, text: str = SECRET) -> bool:
    """Remember it and forget it again; is it out of every file?"""
    agent = at.engine.agent("ada")
    return forget_memory(at.engine.house, agent.row, agent.remember(text).id).out


def rows(at: Work) -> str:
    """All that the store can export of the agent."""
    scope = at.task._desk.scope  # pyright: ignore[reportPrivateUsage] - a look behind the door
    return repr(at.engine.house.store.read(lambda r: list(r.audit.dump(scope))))


def files(at: Work) -> list[str]:
    found = (path for path in at.folder.rglob("*") if path.is_file())
    return [str(path.relative_to(at.folder)) for path in found if "Zebulon" in path.read_text()]


def ended(at: Work) -> None:
    at.task.end(
        "partial",
        summary=SECRET,
        completed=[SECRET, OTHER],
        blocked=[SECRET],
        next_steps=[SECRET, OTHER],
        hint=SECRET,
    )


@pytest.mark.req("R-43")
def test_it_leaves_every_row_and_every_file_of_a_task(at: Work):
    """Status, sessions, incidents, events, checkpoints, both logs; what does not tell it stays."""
    for number in range(3):
        at.task.start(goal=SECRET)
        at.task.checkpoint("explicit", SECRET)
        for _ in range(4):
            at.task.fail(f"step {number}", "test", SECRET)
        ended(at)
    assert len(files(at)) > 8
    assert forget(at)
    assert "Zebulon" not in rows(at)
    assert files(at) == []
    status = at.json("json/task-status.json")
    assert (status["blockers"], status["next_steps"]) == ([], [OTHER])
    assert at.text("work/implementation-log.md").count(f"**Completed**: {OTHER}") == 3
    assert at.text("work/implementation-log.md").count(f"**Goal**: {WITHHELD}") == 3
    assert len([line for line in at.lines if "Step failed: step " in line]) == 12
    assert {sat.sitting.goal for sat in at.task.sessions()} == {WITHHELD}
    assert at.engine.verify("ada").sound
    assert at.task.verify().ok


@pytest.mark.req("R-43")
@pytest.mark.parametrize("scope", ["agent", "user"])
def test_what_its_checkpoints_left_as_memories_is_counted(at: Work, scope: str):
    """Whether the agent itself is told to forget it, or another one that had told it to all."""
    at.task.start()
    at.task.checkpoint("explicit", f"Done for the day. {SECRET}")
    ada = at.engine.agent("ada")
    left = [memory for memory in ada.memories(limit=99) if "Zebulon" in memory.text]
    assert left and {memory.origin for memory in left} == {"agent"}
    who = ada if scope == "agent" else at.engine.agent("bob")
    told = who.remember(SECRET, scope=scope)
    done = forget_memory(at.engine.house, who.row, told.id)
    assert (done.versions, done.beside) == (1, len(left))
    assert "Zebulon" not in repr(ada.memories(limit=99, state="all"))


@pytest.mark.req("R-43")
def test_the_goal_of_a_task_goes_and_the_task_goes_on(tmp_path: Path):
    site = Site(tmp_path)
    with site.open() as engine:
        agent = engine.agent("ada")
        task = agent.new_task(
            "visit", goal=SECRET, acceptance=[SECRET, OTHER], project=str(site.project), smoke=None
        )
        at = Work(site, engine, task)
        task.start()
        assert forget(at)
        assert (task.row.goal, task.row.acceptance) == (WITHHELD, [OTHER])
        assert files(at) == []
        task.checkpoint("explicit", "The lexer works.")
        task.end("partial", summary="The lexer works.")
        assert engine.verify("ada").sound


@pytest.mark.req("R-43")
def test_what_waits_to_become_a_checkpoint_loses_it_too(at: Work):
    at.task.start()
    at.site.write("new.py", "two = 2\n")
    at.task.checkpoint("file_change", SECRET, files=["new.py"])
    assert forget(at)
    at.task.checkpoint("explicit", "The lexer works.")
    assert "Zebulon" not in rows(at)
    assert files(at) == []


@pytest.mark.req("R-43")
def test_an_event_that_tells_it_is_not_delivered_and_others_are(at: Work):
    at.task.start()
    ended(at)
    at.task.start()
    at.task.end("partial", summary="The lexer works.", next_steps=[OTHER])
    assert forget(at)
    work_off(at.engine)
    told = [
        json.loads(line) for line in Path(at.site.settings.outbox_file).read_text().splitlines()
    ]
    assert [one["data"]["next_session_hint"] for one in told] == [OTHER]
    assert sorted(event.state for event in at.events) == ["delivered", "failed"]
    assert {event.error for event in at.events} == {None, WITHHELD}


@pytest.mark.req("R-43")
def test_what_a_person_wrote_into_the_log_stays_and_is_told(at: Work):
    at.task.start()
    ended(at)
    log = at.folder / "work" / "implementation-log.md"
    log.write_text(f"# Mine\n\n{SECRET}\n{log.read_text()}")
    assert not forget(at)
    assert log.read_text().count("Zebulon") == 1
    assert log.read_text().startswith(f"# Mine\n\n{SECRET}\n")


def test_a_log_without_it_stays_as_it_is_to_the_byte():
    """A torn line too, unless it tells it."""
    tells = make_teller(forgotten_of([SECRET], [], []))
    plain = '{"message": "[everthread] Session start", "n": 1}\n{"mess\n[1]\n'
    assert lines_without(plain, tells).text == plain
    torn = f'{plain}{{"message": "[everthread] {SECRET}'
    assert "Zebulon" not in lines_without(torn, tells).text
    whole = json.dumps({"message": f"[ours] {SECRET}", "session_id": "s"}) + "\n"
    left = json.loads(lines_without(whole, tells).text)
    assert left == {"message": f"[ours] {WITHHELD}", "session_id": "s"}
    text = "# Log\n\n## Session 2026-02-20 (5 min)\n\n**Goal**: none\n\n<!-- session-a-1 -->\n"
    assert entries_without(text, tells) == (text, False)


# ---- while an event is on its way


class Meanwhile:
    """A receiver; while it is told of something, something else happens."""

    def __init__(self, happens: Callable[[], object], *, ok: bool) -> None:
        self.happens = happens
        self.ok = ok
        self.bodies: list[str] = []

    def deliver(self, event: str, target: Target) -> Delivery:
        self.bodies.append(event)
        self.happens()
        return Delivery(self.ok, None if self.ok else "500")


@pytest.mark.parametrize("ok", [True, False])
def test_an_event_that_is_erased_on_its_way_stays_erased(at: Work, *, ok: bool):
    """C-28, R-33: what became of it is put down only where it is still the one that was brought."""
    at.task.start()
    ended(at)
    receiver = Meanwhile(lambda: at.engine.erase("ada"), ok=ok)
    house = at.engine.house = replace(at.engine.house, deliver=receiver)
    deliver_due(house, lambda: None)
    assert [(event.state, event.body) for event in at.events] == [("failed", "")]
    assert at.engine.verify("ada").sound
    assert isinstance(house.clock, FrozenClock)
    house.clock.forward(hours=2)
    work_off(at.engine)
    assert len(receiver.bodies) == 1
    assert [event.attempts for event in at.events] == [0]


def test_an_event_that_is_forgotten_while_it_waits_behind_another_is_not_brought(at: Work):
    """R-43, C-28: what is due is read once, and looked at again before each is brought."""
    at.task.start()
    at.task.end("partial", summary="The lexer works.", next_steps=[OTHER])
    at.task.start()
    ended(at)
    receiver = Meanwhile(lambda: forget(at), ok=True)
    house = at.engine.house = replace(at.engine.house, deliver=receiver)
    deliver_due(house, lambda: None)
    assert [body for body in receiver.bodies if "Zebulon" in body] == []
    assert sorted(event.state for event in at.events) == ["delivered", "failed"]
