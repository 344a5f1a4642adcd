"""Opening: the steps of the startup ritual that look at what is known: memory, log, status, commits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.errors import EverthreadError
from everthread.domain.given.packing import pack
from everthread.domain.memory.memories import Memory
from everthread.domain.recall.hits import Hit
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.tasks.rituals import Result, Step, last_entry, standing_text, status_faults
from everthread.domain.tasks.task_files import LOG, OLD_LOG, STATUS
from everthread.domain.tasks.tasks import Task
from everthread.domain.text.fences import one_line
from everthread.services.memory.recall import RecallRequest, recall
from everthread.services.tasks.desk import Desk
from everthread.services.tasks.files.ended_sessions import append_missing, tagged_memories
from everthread.services.tasks.files.projection import folder_of

from .startup_recall import without_raw_lines

MOST_TAGGED = 7
MOST_HITS = 5
COMMITS = 10
TOKENS = 1_500
"""What is recalled of a task takes no more in an agent's context."""
SHOWN = 120


class StepFinding(NamedTuple):
    """What a step found, for its record, and the whole of it for whoever starts."""

    result: Result
    detail: str
    text: str = ""
    commit: str | None = None


def run_step(
    desk: Desk, name: str, look: Callable[[Desk, Task], StepFinding], task: Task
) -> tuple[Step, str]:
    """The step on record, and what it found. One that cannot be done is told; the order goes on."""
    began = desk.house.clock.now()
    try:
        found = look(desk, task)
    except (EverthreadError, OSError) as trouble:
        found = StepFinding("fail", str(trouble))
    spent = max(0, desk.house.clock.now() - began) / 1_000
    return Step(name, found.result, found.detail, spent, found.commit), found.text


def recall_step(desk: Desk, task: Task) -> StepFinding:
    """Step 0: memories with the task's tag, and what its words bring back."""
    scope = Scope(desk.agent.ref, project=desk.project)
    tagged = desk.house.store.read(lambda r: tagged_memories(r, desk, task))[:MOST_TAGGED]
    known = frozenset(memory.key_id for memory in tagged)
    words = f"{task.slug.replace('-', ' ')} {task.goal}"
    hits = recall(desk.house, desk.agent, RecallRequest(words, scope, MOST_HITS, without=known))
    found = [*map(_hit, tagged), *hits]
    if not found:
        return StepFinding("missing", "nothing is remembered of it yet")
    told = desk.house.store.read(lambda r: without_raw_lines(r, scope, found))
    packed = pack(told, tokens=TOKENS, count=desk.house.tokenizer.count, redact=strip_secrets)
    first = one_line(strip_secrets(told[0].text), SHOWN) if told else "raw lines alone"
    count = f"{len(tagged)} tagged {task.tag}, {len(hits)} by its words"
    return StepFinding("ok", f"{count}: {first}", "" if packed is None else packed.text)


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


def log_step(desk: Desk, task: Task) -> StepFinding:
    """Step 1: what was done, by the implementation log; an old one lies beside the folder `work`."""
    late = append_missing(desk, task)
    folder = folder_of(desk, task)
    for place in (LOG, OLD_LOG):
        text = folder.read(place)
        if text is not None and text.strip():
            entry = strip_secrets(last_entry(text))
            told = " ".join(entry.split())
            if late:
                return StepFinding(
                    "changed", f"{place} lacked entries, and has them now: {told}", entry
                )
            return StepFinding("ok", f"{place}: {told}", entry)
    return StepFinding("missing", f"there is no {LOG} yet")


def status_step(desk: Desk, task: Task) -> StepFinding:
    """Step 2: how the task stands. Where the file and the store differ, the store is right."""
    text = folder_of(desk, task).read(STATUS)
    stands = standing_text(task)
    if text is None:
        return StepFinding("missing", f"{STATUS} is not there; by the store: {stands}", stands)
    faults = status_faults(text, task, now=desk.house.clock.now())
    if faults:
        return StepFinding(
            "changed", f"{STATUS} is made anew: {'; '.join(faults)}. {stands}", stands
        )
    return StepFinding("ok", stands, stands)


def commits_step(desk: Desk, task: Task) -> StepFinding:
    """Step 3: the recent commits, `git log --oneline -10`."""
    versions = desk.house.versions
    if versions is None:
        return StepFinding("skipped", "this program knows no version control")
    repository = versions.of(desk.project)
    if repository is None:
        return StepFinding("skipped", versions.why_none(desk.project))
    lines: Sequence[str] = [strip_secrets(line) for line in repository.log(COMMITS)]
    if not lines:
        return StepFinding("missing", "there is no commit yet")
    told = f"{len(lines)}, the newest: {lines[0]}"
    return StepFinding("ok", told, "\n".join(lines), repository.head())
