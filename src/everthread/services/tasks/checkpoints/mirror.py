"""Mirror: what a task's checkpoint says, as memories, so that recall finds it by its meaning."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.errors import BadInput, MemoryRefused
from everthread.domain.memory.junk import why_junk
from everthread.domain.memory.memories import Memory
from everthread.domain.tasks.checkpoint_rules import decision_text, summary_text
from everthread.domain.tasks.task_files import CheckpointStatement
from everthread.domain.tasks.tasks import Task
from everthread.ports import Records
from everthread.services.memory.remember import Wish, prepare, settle
from everthread.services.tasks.desk import Desk, TaskSession


def mirror_of(desk: Desk, task: Task, told: CheckpointStatement) -> list[Memory]:
    """The memories that a checkpoint asks for; what is none (a plan, a list of files) is left out."""
    wanted = [("decision", decision_text(task.slug, one)) for one in told.decisions]
    if told.error and told.resolution:
        wanted.append(("fact", summary_text(task, f"{told.error} Solved: {told.resolution}")))
    # Judged without the slug in front, which would make a statement of anything.
    if why_junk(told.summary, origin="agent") is None:
        wanted.append(("fact", summary_text(task, told.summary)))
    found = (_memory(desk, task, kind, text) for kind, text in wanted)
    return [memory for memory in found if memory is not None]


def _memory(desk: Desk, task: Task, kind: str, text: str) -> Memory | None:
    wish = Wish(text, kind=kind, origin="agent", project=desk.project, tags=[task.tag])
    try:
        return prepare(desk.house, wish)
    except (MemoryRefused, BadInput):
        return None


def keep_mirror(
    records: Records, desk: Desk, at: TaskSession, memories: Sequence[Memory]
) -> list[Memory]:
    """Keep them, in the transaction of the checkpoint; what says the same is one memory."""
    if not memories:
        return []
    records.memories.hold(desk.scope)
    told = (memory._replace(session_ref=at.session.ref) for memory in memories)
    return [settle(records, desk.scope, memory).memory for memory in told]
