"""Project: write what the store knows of a task into its folder; the store is the record."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from everthread.domain.conversation.sessions import Session
from everthread.domain.errors import TaskRefused
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.domain.tasks.task_files import (
    CHECKPOINTS,
    INDEX,
    MANIFEST,
    META,
    SESSIONS,
    STATUS,
    TAGS,
    digest,
    dump_json,
    index_document,
    index_entry,
    manifest_document,
    meta_document,
    session_document,
    status_document,
    strip_document,
    tags_document,
    withheld_document,
)
from everthread.domain.tasks.tasks import Sitting, Task, checked_slug
from everthread.domain.times import text_of
from everthread.ports import Folder, House, Records
from everthread.services.tasks.desk import MOST, Desk
from everthread.services.tasks.sandbox import sync_markers

ALL = 100_000
ASIDE = ".edited-"
LATEST = 2
"""Sessions whose files a change may touch: the newest, and the one before it, whose child it is."""


class FolderContent(NamedTuple):
    """What the folder has to say, file by file."""

    task: Task
    checkpoints: Mapping[str, tuple[Checkpoint, str]]
    """By the name of its file."""
    sessions: Mapping[str, str]
    """Newest first."""
    others: Mapping[str, str]
    """Index, status, manifest, and what the task is."""


def folder_of(desk: Desk, task: Task, *, create: bool = False) -> Folder:
    return open_folder(desk.house, desk.project, task.slug, create=create)


def open_folder(house: House, project: str, slug: str, *, create: bool) -> Folder:
    """The folder of that name, whosever task it is."""
    if house.folders is None:
        raise TaskRefused("this program keeps no task folders")
    # Rows may come from another store: what is no slug names no folder.
    return house.folders.open(project, checked_slug(slug), create=create)


def write_projection(desk: Desk, task: Task, *, whole: bool = False) -> Sequence[Checkpoint]:
    """Have the folder say what the store says; the checkpoints whose files were not there yet.

    Under the folder's lock, and read under it: of two who write, the later never says less. `whole`: the
    files of old sessions too, which no change touches but one that takes words away.
    """
    sync_markers(desk)
    folder = folder_of(desk, task, create=True)
    try:
        with folder.locked():
            return _write(desk, folder, expected_content(desk, task), ALL if whole else LATEST)
    except TaskRefused as refused:
        raise TaskRefused(
            f"{refused}. It is recorded in the store; when the folder can be written again: "
            f"`everthread checkpoints verify --task {task.slug} --repair`"
        ) from refused


def _write(desk: Desk, folder: Folder, wanted: FolderContent, sessions: int) -> list[Checkpoint]:
    there = {f"{CHECKPOINTS}/{name}" for name in folder.names(CHECKPOINTS)}
    indexed = _index_hashes(folder)
    fresh: list[Checkpoint] = []
    for name, (row, document) in wanted.checkpoints.items():
        if name in there and indexed.get(row.alias) == digest(document):
            continue
        if name not in there or _move_aside(desk, folder, name, row, document):
            fresh.append(row)
        folder.write(name, document)
    for name, text in list(wanted.sessions.items())[:sessions]:
        folder.write(name, text)
    for name, text in wanted.others.items():
        folder.write(name, text)
    return fresh


def _index_hashes(folder: Folder) -> dict[object, object]:
    """Which checkpoints the index says are written, each with its hash."""
    try:
        told: Any = json.loads(folder.read(INDEX) or "{}")
        return {one["checkpoint_id"]: one["sha256"] for one in told["checkpoints"]}
    except (ValueError, RecursionError, LookupError, TypeError, TaskRefused):
        return {}  # then every file is looked at


def _move_aside(desk: Desk, folder: Folder, name: str, row: Checkpoint, document: str) -> bool:
    """Did a file that is not this checkpoint stand in its place? Then it is moved aside.

    One that lost its words is written over: it must not go on saying them.
    """
    if row.document_hash is None or folder.digest(name) == digest(document):
        return False
    folder.move(name, aside_name(desk, name))
    return True


def aside_name(desk: Desk, name: str) -> str:
    """The name under which stays what somebody else wrote in a file's place."""
    stamp = text_of(desk.house.clock.now()).replace(":", "").replace(".", "")
    return f"{name}{ASIDE}{stamp}"


def expected_content(desk: Desk, task: Task) -> FolderContent:
    """What the folder has to say, from one state of the store."""
    return desk.house.store.read(lambda r: _expected_content(r, desk, task))


def _expected_content(records: Records, desk: Desk, task: Task) -> FolderContent:
    present = records.tasks.get(desk.scope, task.ref)
    sittings = records.sittings.of_task(desk.scope, task.ref, limit=MOST)
    runs = [(records.sessions.get(desk.scope, one.session_ref), one) for one in sittings]
    names = {session.ref: session.alias for session, _ in runs}
    checkpoints = _checkpoints(records, desk, present, names)
    entries = [index_entry(row, text) for row, text in checkpoints.values()]
    documents = {
        STATUS: status_document(present),
        MANIFEST: manifest_document(present, runs[::-1]),
        META: meta_document(present),
        TAGS: tags_document(present),
    }
    return FolderContent(
        present,
        checkpoints,
        {f"{SESSIONS}/{s.alias}.json": _session(desk, runs, s, w) for s, w in runs},
        # The entries are of documents without secrets; to look once more takes the longer the more there are.
        {INDEX: dump_json(index_document(present, entries))}
        | {name: dump_json(strip_document(document)) for name, document in documents.items()},
    )


def _checkpoints(
    records: Records, desk: Desk, task: Task, names: Mapping[int, str]
) -> dict[str, tuple[Checkpoint, str]]:
    """Oldest first."""
    found: dict[str, tuple[Checkpoint, str]] = {}
    for row in reversed(records.tasks.checkpoints(desk.scope, task.ref, limit=ALL)):
        text = records.tasks.document(desk.scope, row) if row.document_hash is not None else ""
        if not text:
            text = dump_json(withheld_document(row, names.get(row.session_ref)))
        found[f"{CHECKPOINTS}/{row.alias}.json"] = row, text
    return found


def _session(
    desk: Desk, runs: Sequence[tuple[Session, Sitting]], session: Session, sitting: Sitting
) -> str:
    names = {one.ref: one.alias for one, _ in runs}
    children = [one.alias for one, _ in reversed(runs) if one.parent_ref == session.ref]
    parent = None if session.parent_ref is None else names.get(session.parent_ref)
    document: dict[str, Any] = session_document(
        session, sitting, desk.agent.name, parent=parent, children=children
    )
    return dump_json(strip_document(document))
