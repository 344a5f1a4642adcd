"""Opening: the steps of the startup ritual that look at what is known: memory, log, status, commits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.errors import EverthreadError
from everthread.domain.given.packing import pack
from everthread.domain.memory.memories import Memory
from everthread.domain.recall.hits import Hit
from everthread.domain.redaction.secrets import redacted
from everthread.domain.tasks.rituals import Result, Step, last_entry, standing_text, status_faults
from everthread.domain.tasks.task_files import LOG, OLD_LOG, STATUS
from everthread.domain.tasks.tasks import Task
from everthread.domain.text.fences import one_line
from everthread.services.memory.recall import Asked, recall

from .found import Desk
from .leavings import made_good, tagged_memories
from .project import folder_of
from .settled import settled

MOST_TAGGED = 7
MOST_HITS = 5
COMMITS = 10
TOKENS = 1_500
"""What is recalled of a task takes no more in an agent's context."""
SHOWN = 120


class Found(NamedTuple):
    """What a step found, for its record, and the whole of it for whoever starts."""

    result: Result
    detail: str
    text: str = ""
    commit: str | None = None


def timed(
    desk: Desk, name: str, look: Callable[[Desk, Task], Found], task: Task
) -> tuple[Step, str]:
    """The step on record, and what it found. One that cannot be done is told; the order goes on."""
    began = desk.house.clock.now()
    try:
        found = look(desk, task)
    except (EverthreadError, OSError) as trouble:
        found = Found("fail", str(trouble))
    spent = max(0, desk.house.clock.now() - began) / 1_000
    return Step(name, found.result, found.detail, spent, found.commit), found.text


def recalled(desk: Desk, task: Task) -> Found:
    """Step 0: memories with the task's tag, and what its words bring back."""
    scope = Scope(desk.agent.ref, project=desk.project)
    tagged = desk.house.store.read(lambda r: tagged_memories(r, desk, task))[:MOST_TAGGED]
    known = frozenset(memory.key_id for memory in tagged)
    words = f"{task.slug.replace('-', ' ')} {task.goal}"
    hits = recall(desk.house, desk.agent, Asked(words, scope, MOST_HITS, without=known))
    found = [*map(_hit, tagged), *hits]
    if not found:
        return Found("missing", "nothing is remembered of it yet")
    told = desk.house.store.read(lambda r: settled(r, scope, found))
    packed = pack(told, tokens=TOKENS, count=desk.house.tokenizer.count, redact=redacted)
    first = one_line(redacted(told[0].text), SHOWN) if told else "raw lines alone"
    count = f"{len(tagged)} tagged {task.tag}, {len(hits)} by its words"
    return Found("ok", f"{count}: {first}", "" if packed is None else packed.text)


def _hit(memory: Memory) -> Hit:
    return Hit(
        id=memory.id,
        text=memory.text,
        score=1.0,
        kind=memory.kind,
        at_ms=memory.updated_ms,
        why="the task's tag",
        origin=memory.origin,
    )


def log_read(desk: Desk, task: Task) -> Found:
    """Step 1: what was done, by the implementation log; an old one lies beside the folder `work`."""
    late = made_good(desk, task)
    folder = folder_of(desk, task)
    for place in (LOG, OLD_LOG):
        text = folder.read(place)
        if text is not None and text.strip():
            entry = redacted(last_entry(text))
            told = " ".join(entry.split())
            if late:
                return Found("changed", f"{place} lacked entries, and has them now: {told}", entry)
            return Found("ok", f"{place}: {told}", entry)
    return Found("missing", f"there is no {LOG} yet")


def status_read(desk: Desk, task: Task) -> Found:
    """Step 2: how the task stands. Where the file and the store differ, the store is right."""
    text = folder_of(desk, task).read(STATUS)
    stands = standing_text(task)
    if text is None:
        return Found("missing", f"{STATUS} is not there; by the store: {stands}", stands)
    faults = status_faults(text, task, now=desk.house.clock.now())
    if faults:
        return Found("changed", f"{STATUS} is made anew: {'; '.join(faults)}. {stands}", stands)
    return Found("ok", stands, stands)


def commits_read(desk: Desk, task: Task) -> Found:
    """Step 3: the recent commits, `git log --oneline -10`."""
    versions = desk.house.versions
    if versions is None:
        return Found("skipped", "this program knows no version control")
    repository = versions.of(desk.project)
    if repository is None:
        return Found("skipped", versions.why_none(desk.project))
    lines: Sequence[str] = [redacted(line) for line in repository.log(COMMITS)]
    if not lines:
        return Found("missing", "there is no commit yet")
    told = f"{len(lines)}, the newest: {lines[0]}"
    return Found("ok", told, "\n".join(lines), repository.head())
