"""A task's files against the store: what is wrong is found, and made right again without losing a word."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import everthread
from everthread.domain.errors import TaskUnknown
from support.lying import forged
from support.stores import EACH, Place, fresh
from support.task_bench import G0, ONE_PASS, SLUG, Bench, bench, project_in

CHECKPOINT = "json/checkpoints/ckpt-2026-02-20-001.json"
INDEX = "json/checkpoint-index.json"
STATUS = "json/task-status.json"


def worked(at: Bench) -> None:
    at.task.checkpoint("decision", "One pass.", decisions=[ONE_PASS])
    at.task.gate("G0", evidence=G0)
    at.task.end("partial", summary="half of it", next_steps=["the scanner"])


def contents(at: Bench) -> dict[str, bytes]:
    names = (path for path in at.folder.rglob("*") if path.is_file())
    return {str(path.relative_to(at.folder)): path.read_bytes() for path in names}


def projected(at: Bench) -> dict[str, bytes]:
    """What is made from the store alone."""
    places = ("json/checkpoint", "json/sessions", "json/run", "json/task", "json/memory", "meta")
    places += ("work/implementation-log.md",)
    return {name: raw for name, raw in contents(at).items() if name.startswith(places)}


# ---- faults, each of which `verify` finds


def flipped_byte(folder: Path) -> str:
    path = folder / CHECKPOINT
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    return "changed"


def missing_checkpoint(folder: Path) -> str:
    (folder / CHECKPOINT).unlink()
    return "missing"


def cut_checkpoint(folder: Path) -> str:
    path = folder / CHECKPOINT
    path.write_bytes(path.read_bytes()[:100])
    return "its bytes were changed"


def edited_checkpoint(folder: Path) -> str:
    path = folder / CHECKPOINT
    path.write_text(path.read_text().replace("One pass.", "Two passes."))
    return "it was changed since it was written"


def emptied_checkpoint(folder: Path) -> str:
    (folder / CHECKPOINT).write_bytes(b"")
    return "changed"


def deep_checkpoint(folder: Path) -> str:
    (folder / CHECKPOINT).write_text("[" * 100_000)
    return "its bytes were changed"


def unknown_file(folder: Path) -> str:
    (folder / "json/checkpoints/ckpt-2026-02-20-077.json").write_text("{}")
    return "nobody knows this file"


def missing_index(folder: Path) -> str:
    (folder / INDEX).unlink()
    return "missing"


def stale_index(folder: Path) -> str:
    told = json.loads((folder / INDEX).read_text())
    told["checkpoints"].pop()
    (folder / INDEX).write_text(json.dumps(told))
    return "it is stale: 2 checkpoints instead of 3"


def lying_index(folder: Path) -> str:
    told = json.loads((folder / INDEX).read_text())
    told["checkpoints"][0]["summary"] = "something else"
    (folder / INDEX).write_text(json.dumps(told))
    return "it is stale: it says something else"


def odd_index(folder: Path) -> str:
    (folder / INDEX).write_text('{"checkpoints": 7}')
    return "it is stale: 0 checkpoints"


def disagreeing_status(folder: Path) -> str:
    told = json.loads((folder / STATUS).read_text())
    (folder / STATUS).write_text(json.dumps({**told, "current_gate": "G9"}))
    return "it disagrees with the store: current_gate"


def future_schema(folder: Path) -> str:
    told = json.loads((folder / STATUS).read_text())
    (folder / STATUS).write_text(json.dumps({**told, "schema_version": 9}))
    return "it is from the future: schema 9"


def future_time(folder: Path) -> str:
    told = json.loads((folder / STATUS).read_text())
    (folder / STATUS).write_text(json.dumps({**told, "updated_at": "2099-01-01T00:00:00Z"}))
    return "it is from the future: 2099"


def no_time(folder: Path) -> str:
    told = json.loads((folder / STATUS).read_text())
    (folder / STATUS).write_text(json.dumps({**told, "updated_at": "yesterday"}))
    return "it is from the future: yesterday"


def no_json(folder: Path) -> str:
    (folder / STATUS).write_bytes(b"\xff\xfe\0half")
    return "it is no JSON"


def missing_session(folder: Path) -> str:
    next((folder / "json/sessions").iterdir()).unlink()
    return "missing"


def edited_session(folder: Path) -> str:
    path = next((folder / "json/sessions").iterdir())
    path.write_text(path.read_text().replace('"complete"', '"active"'))
    return "it says something else than the store"


def missing_manifest(folder: Path) -> str:
    (folder / "json/run-manifest.json").unlink()
    return "missing"


def reworded_task(folder: Path) -> str:
    path = folder / "meta/task.json"
    path.write_text(path.read_text().replace("Parse in one pass", "Parse in two"))
    return "it disagrees with the store: goal"


def link_for_a_file(folder: Path) -> str:
    (folder / STATUS).unlink()
    (folder / STATUS).symlink_to("/etc/passwd")
    return "it is a link"


FAULTS = [
    flipped_byte,
    missing_checkpoint,
    cut_checkpoint,
    edited_checkpoint,
    emptied_checkpoint,
    deep_checkpoint,
    unknown_file,
    missing_index,
    stale_index,
    lying_index,
    odd_index,
    disagreeing_status,
    future_schema,
    future_time,
    no_time,
    no_json,
    missing_session,
    edited_session,
    missing_manifest,
    reworded_task,
    link_for_a_file,
]


@pytest.mark.req("C-43", "C-22", "X-17")
@pytest.mark.parametrize("spoil", FAULTS, ids=lambda spoil: spoil.__name__)
def test_what_is_wrong_is_found_and_made_again_byte_by_byte(
    tmp_path: Path, spoil: Callable[[Path], str]
) -> None:
    """What stood there is moved aside, so nothing that somebody wrote is lost."""
    with bench(tmp_path) as at:
        worked(at)
        assert at.task.verify().ok and at.task.verify().problems == []
        before = contents(at)
        wanted = spoil(at.folder)
        spoiled = contents(at)
        found = at.task.verify()
        assert not found.ok
        [problem] = found.problems
        assert wanted in problem.problem, problem
        assert contents(at) == spoiled, "looking changes nothing"
        mended = at.task.verify(repair=True)
        assert mended.ok and [one.repaired for one in mended.problems] == [True]
        aside = {name: raw for name, raw in contents(at).items() if ".edited-" in name}
        assert {n: raw for n, raw in contents(at).items() if n not in aside} == before
        lost = [raw for name, raw in spoiled.items() if before.get(name) != raw]
        assert sorted(aside.values()) == sorted(lost)
        assert at.task.verify().problems == [], "and what was put aside is no fault"


@pytest.mark.req("X-17", "C-20")
def test_a_folder_that_is_gone_is_made_again_from_the_store(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        worked(at)
        before = projected(at)
        shutil.rmtree(at.project / "tasks")
        found = at.task.verify()
        assert len(found.problems) == len(before)
        assert not (at.project / "tasks").exists(), "looking makes nothing"
        assert at.task.verify(repair=True).ok
        assert projected(at) == before


def test_all_faults_at_once_are_found_and_mended(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        worked(at)
        for spoil in (flipped_byte, unknown_file, stale_index, no_json, missing_session):
            spoil(at.folder)
        assert len(at.task.verify().problems) == 5
        mended = at.task.verify(repair=True)
        assert mended.ok and len(mended.problems) == 5


def test_a_task_folder_that_became_a_link_is_told_and_not_followed(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        worked(at)
        at.folder.rename(tmp_path / "outside")
        at.folder.symlink_to(tmp_path / "outside")
        before = {p: p.read_bytes() for p in (tmp_path / "outside").rglob("*") if p.is_file()}
        for repair in (False, True):
            found = at.task.verify(repair=repair)
            assert not found.ok
            assert "links are not followed" in found.problems[0].problem
        assert before == {
            p: p.read_bytes() for p in (tmp_path / "outside").rglob("*") if p.is_file()
        }


def test_a_damaged_store_is_told_and_never_written_into_files(tmp_path: Path) -> None:
    """(X-17) The files are better than the store then: they stay as they are."""
    store = tmp_path / "s.db"
    with bench(tmp_path, store=store) as at:
        worked(at)
        before = contents(at)
        documents = "hash IN (SELECT document_hash FROM checkpoints)"
        forge = Place("sqlite", str(store))
        assert forged(forge, documents, lambda text: text.replace("One pass.", "Two passes."))
        found = at.task.verify(repair=True)
        assert not found.ok
        assert "ckpt-2026-02-20-001 is damaged in the store itself: run `everthread verify`" in [
            problem.problem for problem in found.problems
        ]
        assert contents(at) == before
        assert at.et.verify(at.agent).faults != []


def test_while_a_session_works_what_is_about_to_be_written_is_no_fault(tmp_path: Path) -> None:
    """Another process may have stored a checkpoint whose file it is just writing."""
    with bench(tmp_path) as at:
        at.task.checkpoint("explicit", "where we stand")
        path = at.folder / CHECKPOINT
        raw = path.read_bytes()
        path.unlink()
        real, slept = at.clock.sleep, list[float]()

        def meanwhile(seconds: float) -> None:
            slept.append(seconds)
            path.write_bytes(raw)
            real(seconds)

        at.clock.sleep = meanwhile  # type: ignore[method-assign]
        assert at.task.verify().problems == []
        assert len(slept) == 1


def test_signs_of_life_are_no_fault(tmp_path: Path) -> None:
    """(C-46) A session's counters change without its file being written again."""
    with bench(tmp_path) as at:
        at.task.checkpoint("explicit", "where we stand")
        scope, store = at.agent.scope, at.et.house.store
        [sitting] = store.read(lambda r: r.sittings.active(scope, str(at.project)))
        store.write(lambda r: r.sittings.beat(scope, sitting, until=1, current_tokens=4_711))
        assert at.task.verify().problems == []


def test_only_a_known_task_can_be_verified(tmp_path: Path) -> None:
    project = project_in(tmp_path, versioned=False)
    with everthread.connect("memory://", background=False) as et, pytest.raises(TaskUnknown):
        et.agent("ada").task(SLUG, project=str(project))


# ---- the rows themselves

FORGED = {
    "tasks": "UPDATE tasks SET goal = 'another'",
    "a gate": "UPDATE tasks SET passed = 9",
    "sittings": "UPDATE sittings SET outcome = 'success'",
    "a ritual": "UPDATE sittings SET record = '[]'",
    "incidents": "UPDATE incidents SET severity = 'low', summary = 'nothing'",
    "outbox": "UPDATE outbox SET body = '{}'",
    "a checkpoint's name": "UPDATE checkpoints SET alias = 'ckpt-2026-02-20-009' WHERE kind = 'decision'",
    "a checkpoint's document": "UPDATE checkpoints SET document_hash = NULL WHERE kind = 'decision'",
    "a session's gate": "UPDATE sessions SET gate = 'G9'",
}


@pytest.mark.req("R-33", "C-43")
@pytest.mark.parametrize("engine", EACH)
def test_a_changed_row_of_every_table_of_tasks_is_found(tmp_path: Path, engine: str) -> None:
    """Each row is told; and an export brings all of them to another store, where they verify."""
    project = project_in(tmp_path)
    with fresh(engine, tmp_path) as place:
        with everthread.connect(place.target, background=False) as et:
            ada = et.agent("ada")
            task = ada.new_task(SLUG, goal="Parse in one pass", project=str(project))
            task.start()
            task.checkpoint("decision", "One pass.", decisions=[ONE_PASS])
            task.gate("G0", waiver="agreed by phone")
            task.end("partial", summary="half of it")
            assert et.verify(ada).faults == []
            lines: list[str] = []
            et.export(lines.append)
            tables = [json.loads(line).get("table") for line in lines]
            assert {"tasks", "sittings", "incidents", "outbox", "checkpoints"} <= set(tables)
        with everthread.connect("memory://", background=False) as other:
            other.import_lines(lines)
            copy = other.agent("ada").task(SLUG, project=str(project))
            assert other.verify(other.agent("ada")).faults == []
            assert copy.verify().problems == []
        for what, statement in FORGED.items():
            with fresh(engine, tmp_path / what.replace(" ", "-")) as spoilt:
                (tmp_path / what.replace(" ", "-")).mkdir(exist_ok=True)
                with everthread.connect(spoilt.target, background=False) as et:
                    et.import_lines(lines)
                spoilt.raw(statement)
                with everthread.connect(spoilt.target, background=False) as et:
                    assert et.verify(et.known_agent("ada")).faults != [], what
