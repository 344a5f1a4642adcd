"""What the settings of tasks change, each shown on a task."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from everthread.domain.errors import TaskRefused
from everthread.domain.tasks.events import Target
from everthread.ports.commands import Delivery
from everthread.services.tasks.events import deliver_due
from support.task_bench import Bench, bench, git


def _numbered(folder: Path) -> Path:
    """A folder for one more try."""
    return folder / f"{len(list(folder.iterdir())) if folder.exists() else 0}"


def prefix_of(folder: Path, value: str) -> str:
    """What stands in front of a task's log lines."""
    with bench(_numbered(folder), service=value) as at:
        first = (at.folder / "logs" / "session.log").read_text().splitlines()[0]
        return json.loads(first)["message"].split("]")[0] + "]"


def lease_minutes(folder: Path, value: float) -> float:
    with bench(_numbered(folder), task_lease_minutes=value) as at:
        [sitting] = at.et.house.store.read(
            lambda r: r.sittings.active(at.agent.scope, str(at.project))
        )
        return (sitting.lease_ms - at.clock.now()) / 60_000


def smoke_passes(folder: Path, value: float) -> bool:
    """A smoke command that takes a second and a half."""
    with bench(_numbered(folder), begun=False, smoke_minutes=value) as at:
        slow = at.agent.new_task("slow", goal="x", project=str(at.project), smoke="sleep 1.5")
        try:
            slow.start()
        except TaskRefused:
            return False
        return True


def suggested(folder: Path, **wanted: Any) -> str:
    """Who answers after the third failure of a step."""
    with bench(_numbered(folder), **wanted) as at:
        for _ in range(2):
            at.task.fail("scan", "test")
        found = at.task.fail("scan", "test").suggestion
        return "" if found is None else f"{found.kind} by {found.by}"


def changes_put_down(folder: Path, value: float) -> int:
    """Checkpoints of two changes that are told one after the other."""
    with bench(_numbered(folder), coalesce_seconds=value) as at:
        for name in ("a.py", "b.py"):
            at.write(name, "x\n")
            at.task.checkpoint("file_change", f"{name} is new", files=[name])
        return len(at.task.checkpoints())


def commits_after_the_end(folder: Path, value: str) -> int:
    with bench(_numbered(folder), auto_commit=value) as at:
        for name in ("user.name", "user.email"):
            git(at.project, "config", name, "ada@example.org")
        at.write("scanner.py", "x = 1\n")
        at.task.end("partial", summary="the scanner")
        return int(git(at.project, "rev-list", "--count", "HEAD"))


def told(folder: Path, **wanted: Any) -> list[str]:
    """Who is told of the end of a session."""
    with bench(_numbered(folder), **wanted) as at:
        at.task.end("partial", summary="half of it")
        return [event.target for event in at.agent.events() if _ends(at, event.body)]


def _ends(at: Bench, body: str) -> bool:
    return json.loads(body)["data"].get("session_id") == at.task.row.last_session


class _Postman:
    """Takes every event, and remembers where it was to go."""

    def __init__(self) -> None:
        self.targets: list[Any] = []

    def deliver(self, event: str, target: Target) -> Delivery:
        assert event
        self.targets.append(target)
        return Delivery(ok=True)


def signed_with(folder: Path, value: str) -> str:
    """The secret that an event to a webhook is signed with."""
    with bench(_numbered(folder), outbox_url="https://a.example", outbox_secret=value) as at:
        at.task.end("partial", summary="half of it")
        postman = _Postman()
        deliver_due(replace(at.et.house, deliver=postman), lambda: None)
        return postman.targets[0].secret
