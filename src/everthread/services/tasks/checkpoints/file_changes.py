"""Note files: what changed in the project, gathered so that many changes become one checkpoint.

Changes that are told within a short time wait in the store, as a list of the session, until somebody
asks for another checkpoint, a gate or the end, or the time is over. What nobody told is found by version
control before a gate and before the end. The project is looked at before a transaction, never in one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from everthread.domain.errors import BadInput, EverthreadError
from everthread.domain.harness.checkpoints import Cursor
from everthread.domain.safety.safety import SafetyMetrics
from everthread.domain.tasks.checkpoint_rules import (
    MOST_FILES,
    WAITING,
    NamedFile,
    files_digest,
    files_summary,
    is_ours,
    named_file,
)
from everthread.domain.tasks.task_files import CheckpointStatement
from everthread.ports import Records, Repository
from everthread.services.job_names import CHANGES
from everthread.services.tasks.checks.probe import probe_task
from everthread.services.tasks.desk import Desk, TaskSession, task_of

LOOKED_AT = 2_000
"""Changed files that are hashed at most; beyond that their number is told."""

BACK = 200
"""Checkpoints that are looked through for what is known of a file."""

GONE = "deleted"

File = tuple[str, str, str | None]
"""Path, action, hash."""


class Worktree(NamedTuple):
    """The project, as it was a moment before."""

    commit: str | None = None
    files: Sequence[File] = ()
    """What differs from the last commit that a checkpoint names."""
    more: int = 0
    problem: str | None = "the project has no version control"
    """Why nothing can be said of changes; None where it can."""
    safety: SafetyMetrics | None = None
    """What the agent said of late, probed."""


class WaitingChanges(NamedTuple):
    """Changes that were told and are in no checkpoint yet."""

    since: int
    files: Mapping[str, File]
    summaries: Sequence[str]
    more: int = 0


def look_at_worktree(desk: Desk, slug: str | None) -> Worktree:
    """What changed since the last checkpoint, and what was said; never inside a transaction."""
    return _read_worktree(desk, slug)._replace(safety=probe_task(desk, slug))


def _read_worktree(desk: Desk, slug: str | None) -> Worktree:
    repository = _repository(desk)
    if isinstance(repository, str):
        return Worktree(problem=repository)
    said = desk.house.store.read(lambda r: documents(r, desk, task_of(r, desk, slug).ref))
    base = next((d["state"]["commit"] for d in said if d["state"].get("commit")), None)
    base = base or desk.house.store.read(lambda r: _first_commit(r, desk, slug))
    try:
        commit = repository.head()
        since = base if base is not None and base != commit and repository.has(base) else None
        changes = [c for c in repository.changes(since) if not is_ours(c.path)]
    except (EverthreadError, OSError) as trouble:
        return Worktree(problem=f"version control does not answer: {trouble}")
    files = [(c.path, c.action, _digest(desk, c.path)) for c in changes[:LOOKED_AT]]
    more = len(changes) - len(files)
    files += _reverted_files(desk, known_files(said), {change.path for change in changes})
    return Worktree(commit, files, more, None)


def _first_commit(records: Records, desk: Desk, slug: str | None) -> str | None:
    """What was checked out when the first session of the task that saw it began."""
    task = task_of(records, desk, slug)
    sittings = records.sittings.of_task(desk.scope, task.ref, limit=BACK)
    steps = (step for sitting in reversed(sittings) for step in sitting.record)
    return next((step["commit"] for step in steps if step.get("commit")), None)


def _reverted_files(desk: Desk, known: Mapping[str, str | None], differing: set[str]) -> list[File]:
    """Files that a checkpoint lists and that are now as they were in the commit before it, or gone."""
    found: list[File] = []
    for path in [path for path in known if path not in differing][:LOOKED_AT]:
        digest = _digest(desk, path)
        if (digest or GONE) != (known[path] or digest or GONE):
            found.append((path, GONE if digest is None else "modified", digest))
    return found


def _repository(desk: Desk) -> Repository | str:
    if desk.house.versions is None:
        return "this program knows no version control"
    found = desk.house.versions.of(desk.project)
    return desk.house.versions.why_none(desk.project) if found is None else found


def _digest(desk: Desk, path: str) -> str | None:
    folders = desk.house.folders
    return None if folders is None else folders.project_digest(desk.project, path)


def documents(
    records: Records, desk: Desk, task: int, *, limit: int = BACK
) -> list[dict[str, Any]]:
    """What the task's checkpoints say, newest first; without those whose words were withheld."""
    rows = records.tasks.checkpoints(desk.scope, task, limit=limit)
    texts = (records.tasks.document(desk.scope, row) for row in rows)
    return [json.loads(text) for text in texts if text]


# What was told


def files_named(desk: Desk, files: Sequence[str], seen: Worktree) -> list[File]:
    """The files that somebody names, each with what happened to it."""
    known = {path: action for path, action, _ in seen.files}
    found: list[File] = []
    for text in files:
        file = named_file(text, desk.project)
        digest = _digest(desk, file.path)
        found.append((file.path, _action(file, known.get(file.path), digest), digest))
    return found


def _action(file: NamedFile, known: str | None, digest: str | None) -> str:
    if file.action is not None:
        return file.action
    if known is not None:
        return known
    if digest is None:
        raise BadInput(
            f"there is no file {file.path!r:.80} to be read; one that was removed is {file.path}:deleted"
        )
    return "modified"


def must_know(seen: Worktree) -> None:
    """Where no files are named, version control has to tell."""
    if seen.problem is not None:
        raise BadInput(f"{seen.problem}: name the files with --file")


# What waits


def waiting_changes(records: Records, desk: Desk, at: TaskSession) -> WaitingChanges | None:
    cursor = records.cursors.get(desk.scope, at.session.ref, WAITING)
    if cursor is None or not cursor.pending_json:
        return None
    told: dict[str, Any] = json.loads(cursor.pending_json)
    files = {path: (path, action, digest) for path, action, digest in told["files"]}
    return WaitingChanges(told["since"], files, told["summaries"], told["more"])


def add_waiting(
    records: Records, desk: Desk, at: TaskSession, files: Sequence[File], summary: str, *, more: int
) -> WaitingChanges:
    """Put these to what waits; the task must be held."""
    now = desk.house.clock.now()
    before = waiting_changes(records, desk, at) or WaitingChanges(now, {}, ())
    all_of_it = {**before.files, **{file[0]: file for file in files}}
    again = not summary or summary in before.summaries
    summaries = [*before.summaries] if again else [*before.summaries, summary]
    kept = dict(list(all_of_it.items())[-LOOKED_AT:])
    dropped = len(all_of_it) - len(kept)
    after = WaitingChanges(
        min(before.since, now), kept, summaries, max(before.more, more) + dropped
    )
    told = {**after._asdict(), "files": list(after.files.values())}
    text = json.dumps(told, ensure_ascii=False)
    records.cursors.put(desk.scope, Cursor(at.session.ref, WAITING, "", text, now))
    ask_flush(records, desk, at, after)
    return after


def ask_flush(records: Records, desk: Desk, at: TaskSession, held: WaitingChanges) -> None:
    """Have a job see to it that what waits does not wait for ever."""
    over = held.since + int(desk.house.policy.coalesce_seconds * 1_000)
    payload = json.dumps({"agent": desk.scope.agent, "task": at.task.ref})
    once, now = str(at.session.ref), desk.house.clock.now()
    records.jobs.add(CHANGES, payload, due_at=over, now=now, once=once)


def take_waiting(records: Records, desk: Desk, at: TaskSession) -> WaitingChanges | None:
    """What waits, which from now on waits no more: whoever asks makes a checkpoint of it."""
    found = waiting_changes(records, desk, at)
    if found is not None:
        now = desk.house.clock.now()
        records.cursors.put(desk.scope, Cursor(at.session.ref, WAITING, "", "", now))
        records.jobs.cancel(CHANGES, once=str(at.session.ref))
    return found


def is_flush_due(records: Records, desk: Desk, at: TaskSession, *, now: int) -> bool:
    """Has what waits waited long enough?"""
    found = waiting_changes(records, desk, at)
    return found is not None and now - found.since >= desk.house.policy.coalesce_seconds * 1_000


def uncovered_files(records: Records, desk: Desk, at: TaskSession, seen: Worktree) -> list[File]:
    """What changed and no checkpoint lists as it is now, nor does anything that waits."""
    said = documents(records, desk, at.task.ref)
    whole = files_digest(seen.files)
    if any(document["state"].get("files_digest") == whole for document in said):
        return []
    known = known_files(said)
    held = waiting_changes(records, desk, at)
    for path, action, digest in () if held is None else held.files.values():
        known[path] = GONE if action == GONE else digest
    return [
        file
        for file in seen.files
        if file[0] not in known or known[file[0]] != (GONE if file[1] == GONE else file[2])
    ]


def known_files(said: Sequence[Mapping[str, Any]]) -> dict[str, str | None]:
    """What the checkpoints (newest first) last say of each file: its hash, or that it is gone."""
    known: dict[str, str | None] = {}
    for document in said:
        state = document["state"]
        hashes: Mapping[str, str] = state.get("file_hashes", {})
        for file in state["files_changed"]:
            path = file["path"]
            known.setdefault(path, GONE if file["action"] == GONE else hashes.get(path))
    return known


# What becomes of it


def files_fields(files: Sequence[File]) -> dict[str, Any]:
    """How a checkpoint lists files, and their hashes; no more than fit."""
    shown = files[:MOST_FILES]
    return {
        "files_changed": [{"path": path, "action": action} for path, action, _ in shown],
        "files_more": len(files) - len(shown),
        "file_hashes": {path: digest for path, _, digest in shown if digest is not None},
    }


def changes_content(
    files: Sequence[File], summary: str, seen: Worktree, *, more: int = 0
) -> CheckpointStatement:
    """The checkpoint of these changes; capped, with how many more there are."""
    parts = files_fields(files)
    parts["files_more"] += more
    short = files_summary([path for path, _, _ in files[:MOST_FILES]], len(files) + more)
    return CheckpointStatement(
        "file_change",
        summary or short,
        files_digest=files_digest(seen.files) if parts["files_more"] else None,
        commit=seen.commit,
        **parts,
    )
