"""Verify: does the folder of a task say what the store says? And make it so again, from the store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from everthread.domain.conversation.contents import mapping
from everthread.domain.errors import EverthreadError, TaskRefused
from everthread.domain.tasks.task_files import (
    CHECKPOINTS,
    INDEX,
    LOG,
    MEMORY_IDS,
    SCHEMA_VERSION,
    SESSIONS,
    VOLATILE,
    digest,
)
from everthread.domain.tasks.tasks import Task
from everthread.domain.times import DAY, ms_of
from everthread.ports import Folder, Records
from everthread.services.tasks.desk import MOST, Desk, at_work, task_of

from .ended_sessions import Leavings, leavings_of, memories_text, missing_entries
from .projection import ASIDE, FolderContent, aside_name, expected_content, folder_of

MOMENT = 0.5
"""Seconds after which what seems wrong is looked at again, while a session is at work."""

LARGEST_SHOWN = 200
UNWRITTEN = "files"
"""The kind of incident that says that a folder could not be written."""
REPAIRED = "the files were made again from the store"
MISSING = "it is missing"


class Problem(NamedTuple):
    """One thing that is wrong."""

    path: str
    """Of the file, relative to the task's folder; of the store: `store`."""
    problem: str
    repaired: bool = False
    aside: str | None = None
    """Where what stood there was put."""


class FolderCheck(NamedTuple):
    task: Task
    folder: str
    checkpoints: int
    problems: list[Problem]

    @property
    def ok(self) -> bool:
        """Is all well, as it is now?"""
        return all(problem.repaired for problem in self.problems)


class _WrongFile(NamedTuple):
    path: str
    problem: str
    wanted: str | None
    """What the file has to say; None: nothing of ours belongs there."""
    added: bool = False
    """That is appended to what the file says, which stays."""


def verify_files(desk: Desk, slug: str | None, *, repair: bool = False) -> FolderCheck:
    """What is wrong with the files; with `repair`, made again from the store, byte by byte.

    What somebody wrote there is moved aside, never lost.
    """
    task = desk.house.store.read(lambda r: task_of(r, desk, slug))
    damaged = desk.house.store.read(lambda r: _store_problems(r, desk, task))
    path = task.slug
    try:
        folder = folder_of(desk, task, create=repair)
        path = folder.path
        wrong, count = _find_wrong(desk, task, folder)
        problems = [
            *damaged,
            *_repair_all(desk, task, folder, wrong, repair=repair and not damaged),
        ]
    except TaskRefused as refused:
        return FolderCheck(task, path, 0, [*damaged, Problem(".", str(refused))])
    checked = FolderCheck(task, path, count, problems)
    if repair and checked.ok:
        _resolve(desk, task)
    return checked


def _resolve(desk: Desk, task: Task) -> None:
    """What could not be written is written now: nobody has to look at that any more."""

    def work(records: Records) -> None:
        now = desk.house.clock.now()
        for found in records.incidents.all(desk.scope, task=task.ref, unresolved=True, limit=MOST):
            if found.kind == UNWRITTEN:
                records.incidents.resolve(desk.scope, found, REPAIRED, now=now)

    desk.house.store.write(work)


def _find_wrong(desk: Desk, task: Task, folder: Folder) -> tuple[list[_WrongFile], int]:
    wrong, count = _compare_all(desk, task, folder)
    if wrong and desk.house.store.read(lambda r: at_work(r, desk, task)) is not None:
        # A session at work may have stored what its process is about to write.
        desk.house.clock.sleep(MOMENT)
        wrong, count = _compare_all(desk, task, folder)
    return wrong, count


def _compare_all(desk: Desk, task: Task, folder: Folder) -> tuple[list[_WrongFile], int]:
    wanted = expected_content(desk, task)
    left = desk.house.store.read(lambda r: leavings_of(r, desk, task))
    wrong = [
        *_wrong_files(desk, folder, wanted),
        *_log_problems(folder, left),
        *_memory_problems(folder, task, left),
    ]
    return wrong, len(wanted.checkpoints)


def _store_problems(records: Records, desk: Desk, task: Task) -> list[Problem]:
    """A row whose document is not what its hash says: then the files cannot be made from it."""
    found: list[Problem] = []
    for row in records.tasks.checkpoints(desk.scope, task.ref, limit=100_000):
        if row.document_hash is None:
            continue
        try:
            text = records.tasks.document(desk.scope, row)
        except EverthreadError:
            text = ""
        if digest(text) != row.document_hash.hex():
            found.append(
                Problem(
                    "store", f"{row.alias} is damaged in the store itself: run `everthread verify`"
                )
            )
    return found


# What is wrong


def _wrong_files(desk: Desk, folder: Folder, wanted: FolderContent) -> Iterator[_WrongFile]:
    texts = {name: text for name, (_, text) in wanted.checkpoints.items()}
    for name, text in texts.items():
        yield from _compare_file(folder.digest, name, text, partial(_checkpoint_problem, folder))
    yield from _unknown_files(folder, CHECKPOINTS, texts)
    for name, text in wanted.sessions.items():
        yield from _compare_file(folder.read, name, text, _session_problem)
    yield from _unknown_files(folder, SESSIONS, wanted.sessions)
    for name, text in wanted.others.items():
        yield from _compare_file(folder.read, name, text, partial(_document_problem, desk))


def _compare_file(
    read: Callable[[str], str | None], name: str, text: str, wrong: Callable[[str, str, str], str]
) -> Iterator[_WrongFile]:
    """A file that has to say that text; `wrong` is given its name, what was read and the text."""
    try:
        found = read(name)
    except TaskRefused as refused:
        yield _WrongFile(name, str(refused), text)
        return
    problem = MISSING if found is None else wrong(name, found, text)
    if problem:
        yield _WrongFile(name, problem, text)


def _checkpoint_problem(folder: Folder, name: str, found: str, text: str) -> str:
    """A checkpoint's file: the same bytes, or it was changed."""
    if found == digest(text):
        return ""
    if _parse(folder.read(name)) is None:
        return "its bytes were changed: it is no checkpoint any more"
    return "it was changed since it was written"


def _unknown_files(folder: Folder, place: str, known: Mapping[str, str]) -> Iterator[_WrongFile]:
    for name in folder.names(place):
        path = f"{place}/{name}"
        if path not in known and ASIDE not in name:
            yield _WrongFile(
                path, "nobody knows this file: the store has nothing of that name", None
            )


def _session_problem(_: str, found: str, text: str) -> str:
    """Signs of life come without the file being written again, so those may differ."""
    if found == text or _steady_fields(found) == _steady_fields(text):
        return ""
    return "it says something else than the store"


def _steady_fields(text: str) -> dict[str, Any] | None:
    fields = _parse(text)
    if fields is None:
        return None
    return {name: value for name, value in fields.items() if name not in VOLATILE}


def _document_problem(desk: Desk, name: str, found: str, text: str) -> str:
    return "" if found == text else _mismatch(desk, name, found, text)


def _log_problems(folder: Folder, left: Leavings) -> Iterator[_WrongFile]:
    """The implementation log is people's, too: of ours, the entry of each session that has ended."""
    try:
        text = missing_entries(folder, left.entries)
    except TaskRefused as refused:
        yield _WrongFile(LOG, str(refused), "".join(entry.text for entry in left.entries))
        return
    if text:
        yield _WrongFile(LOG, "it lacks the entry of a session that has ended", text, added=True)


def _memory_problems(folder: Folder, task: Task, left: Leavings) -> Iterator[_WrongFile]:
    """Written at the end of a session: what was forgotten or remembered since may differ."""
    wanted = memories_text(task, left.memories)
    try:
        found = folder.read(MEMORY_IDS)
    except TaskRefused as refused:
        yield _WrongFile(MEMORY_IDS, str(refused), wanted)
        return
    if found is None:
        if left.ended:
            yield _WrongFile(MEMORY_IDS, MISSING, wanted)
        return
    told = _parse(found) or {}
    ids, head = told.pop("memory_ids", None), _parse(memories_text(task, ())) or {}
    del head["memory_ids"]
    if not isinstance(ids, list) or told != head:
        yield _WrongFile(MEMORY_IDS, "it is not what was written there", wanted)
    elif lacks := len(left.ended.difference(map(str, ids))):  # pyright: ignore[reportUnknownArgumentType] - of a file
        yield _WrongFile(MEMORY_IDS, f"it lacks {lacks} of the task's memories", wanted)


def _mismatch(desk: Desk, name: str, found: str, text: str) -> str:
    fields, wanted = _parse(found), _parse(text) or {}
    if fields is None:
        return "it is no JSON document"
    version = fields.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        return f"it is from the future: schema {version}; this version knows {SCHEMA_VERSION}"
    if _is_later(fields.get("updated_at"), desk.house.clock.now() + DAY):
        return f"it is from the future: {str(fields['updated_at'])[:40]}"
    if name == INDEX:
        return _index_mismatch(fields, wanted)
    differs = [key for key in wanted if fields.get(key) != wanted[key]]
    differs += [key for key in fields if key not in wanted]
    if not differs:
        return "it was written again by somebody else; it says the same"
    return f"it disagrees with the store: {', '.join(differs)[:LARGEST_SHOWN]}"


def _index_mismatch(fields: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    entries = fields.get("checkpoints")
    count = len(entries) if isinstance(entries, list) else 0  # pyright: ignore[reportUnknownArgumentType] - of a file
    known = len(wanted["checkpoints"])
    if count != known:
        return f"it is stale: {count} checkpoints instead of {known}"
    return "it is stale: it says something else than the checkpoints"


def _is_later(moment: object, than: int) -> bool:
    try:
        return isinstance(moment, str) and ms_of(moment) > than
    except EverthreadError:
        return True  # no time at all: nothing that we wrote


def _parse(text: str | None) -> dict[str, Any] | None:
    try:
        found = mapping(json.loads(text or ""))
    except (ValueError, RecursionError):
        return None
    return None if found is None else dict(found)


# Repair


def _repair_all(
    desk: Desk, task: Task, folder: Folder, wrong: list[_WrongFile], *, repair: bool
) -> list[Problem]:
    if not repair or not wrong:
        return [Problem(one.path, one.problem) for one in wrong]
    with folder.locked():
        # Once more, now that nobody else writes: what is still wrong is made right.
        now, _ = _compare_all(desk, task, folder)
        done = [_repair_one(desk, folder, one) for one in now]
    seen = {problem.path for problem in done}
    return [
        *done,
        *(Problem(w.path, w.problem, repaired=True) for w in wrong if w.path not in seen),
    ]


def _repair_one(desk: Desk, folder: Folder, one: _WrongFile) -> Problem:
    try:
        moved = None if one.added else _set_aside(desk, folder, one)
        if one.wanted is not None:
            (folder.append if one.added else folder.write)(one.path, one.wanted)
    except EverthreadError as trouble:
        return Problem(one.path, f"{one.problem}; it cannot be repaired: {trouble}")
    return Problem(one.path, one.problem, repaired=True, aside=moved)


def _set_aside(desk: Desk, folder: Folder, one: _WrongFile) -> str | None:
    """What stands there keeps a name of its own: somebody may want it."""
    if one.problem == MISSING:
        return None
    there = aside_name(desk, one.path)
    folder.move(one.path, there)
    return there
