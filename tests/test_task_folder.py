"""The folder of a task: what may be one, and that nothing outside of it is ever touched."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import everthread
from everthread.domain.errors import BadInput, ImportRefused, TaskRefused
from everthread.domain.tasks.checkpoint_rules import named_file
from everthread.domain.tasks.tasks import checked_slug
from everthread.providers import task_folder
from everthread.providers.task_folder import TaskFolders
from everthread.services.tasks.files import projection as projecting
from everthread.services.tasks.sessions.watch import interrupt
from support.born import ran
from support.task_bench import G0, SLUG, bench, project_in


def tree(folder: Path) -> dict[str, str]:
    """Everything below a folder, without following links."""
    found: dict[str, str] = {}
    for place, folders, files in os.walk(folder):
        for name in sorted(folders + files):
            path = Path(place, name)
            key = str(path.relative_to(folder))
            if path.is_symlink():
                found[key] = f"-> {path.readlink()}"
            elif path.is_file():
                found[key] = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                found[key] = "folder"
    return found


# ---- what may be a slug

WRONG_SLUGS = [
    "../escape",
    "..",
    ".",
    "a/../../b",
    "/etc/passwd",
    "a b",
    " a",
    "a\n",
    "a\x00b",
    "Parser",
    "parser_rewrite",
    "-parser",
    "parser-",
    "par--ser",
    "pärser",
    "ｐarser",
    "раrser",
    "a\u200bb",
    "a\u202eb",
    "e\u0301a",
    "a\u2044b",
    "nul",
    "con",
    "",
    "a" * 65,
    "a" * 300,
    "💣",
    "~",
    "$HOME",
    "a;b",
    "a.json",
]


@pytest.mark.parametrize("slug", WRONG_SLUGS)
def test_what_cannot_name_a_folder_is_refused_and_nothing_is_made(
    tmp_path: Path, slug: str
) -> None:
    """(C-2) Traversal, blanks, Unicode tricks, 300 characters."""
    project = project_in(tmp_path, versioned=False)
    before = tree(tmp_path)
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada")
        with pytest.raises(BadInput):
            ada.new_task(slug, goal="x", project=str(project))
        assert ada.tasks() == []
    assert tree(tmp_path) == before


@pytest.mark.parametrize("slug", ["a", "a1", "parser-rewrite", "2026-plan", "a" * 64])
def test_a_plain_slug_is_taken(slug: str) -> None:
    assert checked_slug(slug) == slug


# ---- what stands in the way


def a_link_for_tasks(project: Path, outside: Path) -> None:
    (project / "tasks").symlink_to(outside)


def a_link_for_the_task(project: Path, outside: Path) -> None:
    (project / "tasks").mkdir()
    (project / "tasks" / SLUG).symlink_to(outside)


def a_file_for_the_task(project: Path, _: Path) -> None:
    (project / "tasks").mkdir()
    (project / "tasks" / SLUG).write_text("mine")


def a_file_for_tasks(project: Path, _: Path) -> None:
    (project / "tasks").write_text("mine")


def a_pipe_for_the_task(project: Path, _: Path) -> None:
    (project / "tasks").mkdir()
    os.mkfifo(project / "tasks" / SLUG)


IN_THE_WAY = [
    a_link_for_tasks,
    a_link_for_the_task,
    a_file_for_the_task,
    a_file_for_tasks,
    a_pipe_for_the_task,
]


@pytest.mark.parametrize("put", IN_THE_WAY, ids=lambda put: put.__name__)
def test_a_folder_that_is_something_else_is_refused_and_nothing_is_touched(
    tmp_path: Path, put: Callable[[Path, Path], None]
) -> None:
    """(C-2, R-31) Also a link out of the project: what it points to stays as it was."""
    project, outside = project_in(tmp_path, versioned=False), tmp_path / "outside"
    outside.mkdir()
    (outside / "note.txt").write_text("mine")
    put(project, outside)
    before = tree(tmp_path)
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada")
        with pytest.raises(TaskRefused, match=r"stands where a folder should be|links are not"):
            ada.new_task(SLUG, goal="x", project=str(project))
        assert ada.tasks() == [], "nothing is stored of what cannot have its folder"
    assert tree(tmp_path) == before


@pytest.mark.parametrize("place", ["json", "json/checkpoints", "meta"])
def test_a_link_that_is_put_inside_later_is_refused_before_anything_is_stored_or_is_said(
    tmp_path: Path, place: str
) -> None:
    """(X-17) The store keeps what was said; the message says how the files come back."""
    outside = tmp_path / "outside"
    outside.mkdir()
    with bench(tmp_path) as at:
        (at.folder / place).rename(tmp_path / "was") if (at.folder / place).exists() else None
        (at.folder / place).symlink_to(outside)
        with pytest.raises(TaskRefused, match=r"recorded in the store.*--repair"):
            at.task.checkpoint("explicit", "where we stand")
        assert list(outside.iterdir()) == []
        assert at.kinds() == ["explicit"]
        (at.folder / place).unlink()
        assert at.task.verify(repair=True).ok
        assert at.task.verify().problems == []


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_stands_in_a_files_place_is_not_written_through(tmp_path: Path, kind: str) -> None:
    """(C-20, X-17)"""
    secret = tmp_path / "secret.txt"
    secret.write_text("mine")
    with bench(tmp_path) as at:
        status = at.folder / "json" / "task-status.json"
        status.unlink()
        if kind == "link":
            status.symlink_to(secret)
        elif kind == "pipe":
            os.mkfifo(status)
        else:
            status.mkdir()
        with pytest.raises(TaskRefused, match=r"task-status\.json"):
            at.task.checkpoint("explicit", "where we stand")
        assert secret.read_text() == "mine"
        found = at.task.verify()
        assert not found.ok
        assert "json/task-status.json" in [problem.path for problem in found.problems]
        assert at.task.verify(repair=True).ok, "it is moved aside"
        assert at.file("json/task-status.json")["task_slug"] == SLUG
        assert secret.read_text() == "mine"


def test_a_folder_that_may_not_be_written_is_refused_before_anything_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(X-17)"""
    with bench(tmp_path) as at:
        # Root may write everything, so the system's own answer is played.
        monkeypatch.setattr(os, "access", lambda *_, **__: False)
        with pytest.raises(TaskRefused, match="no permission"):
            at.task.checkpoint("explicit", "where we stand")
        assert at.kinds() == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_fails_loses_nothing_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """(C-20, X-17)"""
    with bench(tmp_path) as at:
        before = tree(at.folder)
        real = os.fsync

        def full(handle: int) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(task_folder.os, "fsync", full)
        with pytest.raises(TaskRefused, match=r"(disk|read-only).*recorded in the store.*--repair"):
            at.task.gate("G0", evidence=G0)
        monkeypatch.setattr(task_folder.os, "fsync", real)
        assert at.task.row.passed == 0, "the gate is passed: the store is the record"
        assert {n: h for n, h in tree(at.folder).items() if n in before} == before
        assert not [name for name in tree(at.folder) if name.endswith(".new")]
        assert at.task.verify(repair=True).ok
        assert at.file("json/task-status.json")["current_gate"] == "G1"


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        with (at.folder / "json" / "checkpoint-index.json").open("r+b") as file:
            file.truncate(20_000_000_000)
        [problem] = at.task.verify().problems
        assert "20,000,000,000 bytes" in problem.problem
        assert at.task.verify(repair=True).ok
        assert at.task.verify().problems == []


def folders_in(place: Path) -> TaskFolders:
    return TaskFolders(place / "locks")


@pytest.mark.req("C-20")
@pytest.mark.parametrize("slug", ["../../outside", "a/../../../outside", "/outside", "..", "a\\b"])
def test_a_slug_that_is_a_path_names_no_folder(tmp_path: Path, slug: str) -> None:
    project = project_in(tmp_path, versioned=False)
    before = tree(tmp_path)
    for make in (True, False):
        with pytest.raises(TaskRefused, match="is no name"):
            folders_in(tmp_path).open(str(project), slug, create=make)
    assert tree(tmp_path) == before


@pytest.mark.req("C-20")
def test_a_row_of_the_store_whose_slug_is_a_path_writes_nothing(tmp_path: Path) -> None:
    """A store may be shared, and a row of it changed by somebody else."""
    with bench(tmp_path) as at:
        desk = at.task._desk
        bad = at.task.row._replace(slug="../../outside")
        with pytest.raises(BadInput, match="no slug"):
            projecting.folder_of(desk, bad, create=True)
    assert not (tmp_path / "outside").exists()


@pytest.mark.req("C-20")
def test_an_export_whose_task_has_a_path_for_a_slug_is_refused(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        lines: list[str] = []
        at.et.export(lines.append)
    assert any(f'"slug":"{SLUG}"' in line for line in lines)
    planted = [line.replace(f'"slug":"{SLUG}"', '"slug":"../../outside"') for line in lines]
    with everthread.connect("memory://", background=False) as other:
        with pytest.raises(ImportRefused, match=r"is no slug.*Nothing was imported"):
            other.import_lines(planted)
        assert other.agents() == []
        assert other.import_lines(lines)[0].outcome == "added"


@pytest.mark.req("C-20", "C-25")
def test_the_sweep_makes_no_folder_where_a_row_says_there_should_be_one(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        (at.project / "tasks").rename(tmp_path / "elsewhere")
        before = tree(tmp_path / "elsewhere")
        store = at.et.house.store
        [sitting] = store.read(lambda r: r.sittings.lapsed(now=2**62, limit=10))
        assert interrupt(at.et.house, sitting)
        assert not (at.project / "tasks").exists()
        assert tree(tmp_path / "elsewhere") == before
        told = [each for each in at.agent.incidents() if each.kind == "files"]
        assert "nothing was made" in told[0].summary


@pytest.mark.req("C-20")
def test_who_writes_unasked_makes_no_folder(tmp_path: Path) -> None:
    project = project_in(tmp_path, versioned=False)
    unasked = folders_in(tmp_path).only_there()
    with pytest.raises(TaskRefused, match="nothing was made"):
        unasked.open(str(project), SLUG, create=True)
    assert not (project / "tasks").exists()
    folders_in(tmp_path).open(str(project), SLUG, create=True)
    unasked.open(str(project), SLUG, create=True).write("json/a.json", "{}")
    assert (project / "tasks" / SLUG / "json" / "a.json").read_text() == "{}"


def test_a_lock_that_a_reader_of_the_folder_holds_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_folder, "WAIT", 0.05)
    project = project_in(tmp_path, versioned=False)
    folder = folders_in(tmp_path).open(str(project), SLUG, create=True)
    handle = os.open(project / "tasks" / SLUG, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with folder.locked():
            pass
    finally:
        os.close(handle)
    assert list((tmp_path / "locks").iterdir()) == []


def test_names_never_leave_the_folder(tmp_path: Path) -> None:
    project = project_in(tmp_path, versioned=False)
    (tmp_path / "secret.txt").write_text("mine")
    folder = folders_in(tmp_path).open(str(project), SLUG, create=True)
    for name in ("../x", "json/../../x", "/etc/x", "a//b", "x\x00", ".", ""):
        with pytest.raises((TaskRefused, ValueError)):
            folder.write(name, "text")
        with pytest.raises((TaskRefused, ValueError)):
            folder.read(name)
    folders = folders_in(tmp_path)
    with pytest.raises(TaskRefused):
        folders.project_file(str(project), "../secret.txt")
    (project / "way").symlink_to(tmp_path)
    with pytest.raises(TaskRefused, match="links are not followed"):
        folders.project_file(str(project), "way/secret.txt")
    assert folders.project_digest(str(project), "way/secret.txt") is None
    assert folders.project_digest(str(project), "missing.txt") is None
    (project / "secret.txt").symlink_to(tmp_path / "secret.txt")
    assert folders.project_digest(str(project), "secret.txt") is None


# ---- several who write

KILLED = """
import os, pathlib, sys
from everthread.providers import task_folder
folders = task_folder.TaskFolders(pathlib.Path(sys.argv[1], "..", "locks"))
folder = folders.open(sys.argv[1], "parser-rewrite", create=True)
task_folder.os.rename = lambda *_, **__: os.kill(os.getpid(), 9)
folder.write("json/task-status.json", "half of it")
"""


def test_a_killed_writer_leaves_the_old_file_and_its_draft_is_swept(tmp_path: Path) -> None:
    """(C-20) The draft of somebody who may still be writing is left alone."""
    with bench(tmp_path) as at:
        before = (at.folder / "json" / "task-status.json").read_bytes()
        assert ran(KILLED, str(at.project)).returncode == -9
        assert (at.folder / "json" / "task-status.json").read_bytes() == before
        [draft] = (at.folder / "json").glob(".*.new")
        at.task.checkpoint("explicit", "a moment later")
        assert draft.exists()
        os.utime(draft, (1, 1))
        at.task.checkpoint("explicit", "long after")
        assert not draft.exists()


def test_whoever_writes_last_writes_what_the_store_says_now(tmp_path: Path) -> None:
    """(C-22) The index never goes back, however many write at once."""
    with bench(tmp_path, store=tmp_path / "s.db") as at:
        errors: list[BaseException] = []

        def work(n: int) -> None:
            try:
                for m in range(10):
                    at.task.checkpoint("explicit", f"worker {n} is at {m}")
            except BaseException as error:  # noqa: BLE001 - told below
                errors.append(error)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert errors == []
        index = at.file("json/checkpoint-index.json")["checkpoints"]
        assert [entry["checkpoint_id"][-3:] for entry in index] == [
            f"{n:03d}" for n in range(1, 41)
        ]
        assert at.task.verify().problems == []


def test_who_looked_earlier_never_writes_over_who_looked_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(C-22) One is stopped between reading the store and writing; the other has to wait for it."""
    with bench(tmp_path, store=tmp_path / "s.db") as at:
        real, looked, go_on = projecting.expected_content, threading.Event(), threading.Event()

        def slowly(*given: Any) -> Any:
            found = real(*given)
            if not looked.is_set():
                looked.set()
                go_on.wait(0.5)
            return found

        monkeypatch.setattr(projecting, "expected_content", slowly)
        first = threading.Thread(target=at.task.checkpoint, args=("explicit", "the first one"))
        first.start()
        assert looked.wait(30)
        at.task.checkpoint("explicit", "the second one")
        go_on.set()
        first.join(30)
        index = at.file("json/checkpoint-index.json")["checkpoints"]
        assert [entry["summary"] for entry in index] == ["the first one", "the second one"]
        assert at.task.verify().problems == []


def test_a_file_that_stands_where_a_new_checkpoint_goes_is_moved_aside(tmp_path: Path) -> None:
    """(C-20, X-17) Also where the folder is left of a task whose words were erased: names begin anew."""
    with bench(tmp_path) as at:
        place = at.folder / "json" / "checkpoints"
        place.mkdir()
        (place / "ckpt-2026-02-20-001.json").write_text("of somebody else")
        at.task.checkpoint("explicit", "the first one")
        assert at.file("json/checkpoints/ckpt-2026-02-20-001.json")["summary"] == "the first one"
        [left] = place.glob("*.edited-*")
        assert left.read_text() == "of somebody else"
        at.et.erase(at.agent)
        at.task.start()
        at.task.checkpoint("explicit", "after the erasure")
        assert (
            at.file("json/checkpoints/ckpt-2026-02-20-001.json")["summary"] == "after the erasure"
        )
        (at.folder / "json" / "checkpoint-index.json").write_text('{"checkpoints": [7]}')
        at.task.checkpoint("explicit", "the second one")
        lines = (at.folder / "logs" / "session.log").read_text()
        assert lines.count("Checkpoint created: ckpt-2026-02-20-002") == 1


def test_who_waits_too_long_for_the_folder_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_folder, "WAIT", 0.05)
    project = project_in(tmp_path, versioned=False)
    folder = folders_in(tmp_path).open(str(project), SLUG, create=True)
    again = folders_in(tmp_path).open(str(project), SLUG)
    with folder.locked(), pytest.raises(TaskRefused, match="another process"), again.locked():
        pass
    with again.locked():
        assert (project / "tasks" / SLUG).is_dir()


# ---- what it holds


@pytest.mark.req("C-2", "C-4", "C-5", "C-20", "C-22")
def test_everything_of_a_task_lies_in_its_folder(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        at.task.checkpoint("explicit", "where we stand")
        [alias] = [row.alias for row in at.task.checkpoints()]
        session = at.task.row.last_session
        names = {name for name, what in tree(at.folder).items() if what != "folder"}
        assert names >= {
            "json/task-status.json",
            "json/checkpoint-index.json",
            "json/run-manifest.json",
            f"json/checkpoints/{alias}.json",
            f"json/sessions/{session}.json",
            "meta/task.json",
            "meta/tags.json",
        }
        told = at.file(f"json/sessions/{session}.json")
        assert set(told) >= {
            "session_id",
            "agent_id",
            "task_slug",
            "state",
            "started_at",
            "last_activity",
            "current_gate",
            "checkpoint_count",
            "parent_session",
            "child_sessions",
            "context_tokens",
        }
        assert (told["state"], told["checkpoint_count"], told["agent_id"]) == ("active", 1, "ada")
        [run] = at.file("json/run-manifest.json")["sessions"]
        assert run["session_id"] == session
        assert at.file("meta/tags.json")["memory_tag"] == "task_parser_rewrite"


def test_a_second_session_is_the_child_of_the_first(tmp_path: Path) -> None:
    """(C-4)"""
    with bench(tmp_path) as at:
        first = at.task.row.last_session
        at.task.end("partial", summary="half of it")
        at.task.start()
        second = at.task.row.last_session
        assert at.file(f"json/sessions/{first}.json")["child_sessions"] == [second]
        assert at.file(f"json/sessions/{second}.json")["parent_session"] == first
        assert at.task.verify().problems == []


def test_no_secret_gets_into_the_folder(tmp_path: Path) -> None:
    """(R-30) Nor do hashes of files look like one, whatever the file is called."""
    secret = "sk-ant-api03-" + "a1B2c3D4" * 6
    with bench(tmp_path, coalesce_seconds=0) as at:
        at.write("src/secret.env", "x")
        at.task.checkpoint("file_change", f"the key is {secret}", files=["src/secret.env"])
        at.task.gate("G0", evidence={**G0, "findings": f"token: {secret}"})
        texts = [p.read_text() for p in at.folder.rglob("*") if p.is_file()]
        assert not any(secret in text for text in texts)
        changed = at.documents()[0]["state"]
        assert changed["file_hashes"] == {"src/secret.env": hashlib.sha256(b"x").hexdigest()}
        assert json.loads(json.dumps(changed)) == changed


def test_the_status_file_says_where_the_task_stands(tmp_path: Path) -> None:
    """(C-8, C-27)"""
    with bench(tmp_path, begun=False) as at:
        told: Any = at.file("json/task-status.json")
        assert told == {
            "schema_version": 1,
            "task_slug": SLUG,
            "status": "in-progress",
            "current_gate": "G0",
            "blockers": [],
            "next_steps": [],
            "last_session": None,
            "last_activity": told["last_activity"],
            "updated_at": told["updated_at"],
        }


# ---- whatever somebody types


@given(st.text(max_size=80) | st.from_regex(r"[a-z0-9./\\: -]{0,40}", fullmatch=True))
def test_no_text_names_a_file_outside_of_the_project(text: str) -> None:
    """(C-18)"""
    try:
        path = named_file(text, "/srv/project").path
    except BadInput:
        return
    assert not path.startswith("/")
    assert not {"", ".", ".."} & set(path.split("/"))
    assert os.path.normpath(f"/srv/project/{path}").startswith("/srv/project/")


@given(st.text(max_size=80) | st.from_regex(r"[a-z0-9-]{0,70}", fullmatch=True))
def test_a_slug_is_one_plain_name_or_refused(text: str) -> None:
    """(C-2)"""
    try:
        slug = checked_slug(text)
    except BadInput:
        return
    assert slug == text and slug.isascii() and slug == slug.lower()
    assert 1 <= len(slug) <= 64 and set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
