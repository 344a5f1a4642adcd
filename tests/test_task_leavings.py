"""What an ended session leaves in the folder is never lost: kept in the store, and written later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.tasks.rituals import mark_of
from support.commands import Here
from support.task_bench import ONE_PASS, SLUG, Bench, bench
from support.tasking import git_project

LOG = "work/implementation-log.md"
IDS = "json/memory-ids.json"


def blocked(at: Bench) -> Path:
    """Nobody can write into the folder `work`: it is a file."""
    place = at.folder / "work"
    place.rename(at.folder / "work-before") if place.exists() else None
    place.write_text("in the way")
    return place


def free(at: Bench) -> None:
    (at.folder / "work").unlink()
    before = at.folder / "work-before"
    before.rename(at.folder / "work") if before.exists() else None


def ended_in_vain(at: Bench, *, completed: str = "the lexer") -> str:
    """A session whose entry could not be written; its alias."""
    blocked(at)
    done = at.task.end("partial", completed=[completed], next_steps=["the parser"])
    assert {step.name: step.result for step in done.steps}["log"] == "fail"
    assert done.session.state == "complete"
    free(at)
    return done.session.alias


def problems(at: Bench, *, repair: bool = False) -> dict[str, str]:
    return {one.path: one.problem for one in at.task.verify(repair=repair).problems}


@pytest.mark.req("C-24")
def test_an_entry_that_could_not_be_written_is_written_by_the_next_start(tmp_path: Path) -> None:
    """C-24: it is in the log before the next session reads it."""
    with bench(tmp_path) as at:
        alias = ended_in_vain(at)
        assert not (at.folder / LOG).exists()
        begun = at.task.start()
        text = (at.folder / LOG).read_text()
        assert text.count("## Session 2026-02-20") == 1
        assert "**Completed**: the lexer\n**Blocked**: none\n**Next**: the parser\n" in text
        assert text.endswith(f"{mark_of(alias)}\n")
        step = next(step for step in begun.steps if step.name == "log")
        assert step.result == "changed" and "the lexer" in step.detail
        at.task.end("partial", completed=["the parser"])
        at.task.start()
        assert (at.folder / LOG).read_text().count("## Session ") == 2, "each is there once"


@pytest.mark.req("C-24")
def test_verify_finds_an_entry_that_is_missing_and_repair_appends_it(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        at.task.end("partial", completed=["the scanner"])
        (at.folder / LOG).write_text((at.folder / LOG).read_text() + "A word of mine.\n")
        at.task.start()
        alias = ended_in_vain(at)
        before = (at.folder / LOG).read_text()
        assert problems(at) == {LOG: "it lacks the entry of a session that has ended"}
        assert at.task.verify(repair=True).ok
        text = (at.folder / LOG).read_text()
        assert text.startswith(before) and text.endswith(f"{mark_of(alias)}\n")
        assert problems(at) == {}


@pytest.mark.req("C-24")
def test_a_log_that_is_gone_or_in_the_way_is_made_again(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        at.task.end("partial", completed=["the scanner"])
        before = (at.folder / LOG).read_text()
        (at.folder / LOG).unlink()
        assert problems(at, repair=True) == {LOG: "it lacks the entry of a session that has ended"}
        assert (at.folder / LOG).read_text() == before
        (at.folder / LOG).unlink()
        (at.folder / LOG).mkdir()
        assert at.task.verify(repair=True).ok
        assert (at.folder / LOG).read_text() == before


def test_an_end_of_which_a_step_failed_is_an_incident_that_doctor_tells(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        alias = ended_in_vain(at)
        [found] = at.agent.incidents()
        assert found.kind == "files" and alias in found.summary
        assert "log: " in found.summary
        assert "--repair" in found.details_json
        assert at.task.verify(repair=False).problems and at.agent.incidents(unresolved=True)
        assert at.task.verify(repair=True).ok
        assert at.agent.incidents(unresolved=True) == [], "the repair closes it"
        [found] = at.agent.incidents()
        assert found.resolution == "the files were made again from the store"


@pytest.mark.req("R-43")
def test_what_is_forgotten_is_not_in_an_entry_that_is_written_later(tmp_path: Path) -> None:
    """The words of an entry are kept in lists, and leave them like those of the task."""
    with bench(tmp_path) as at:
        said = "The lexer of our Tangerine project was written by Bob."
        made = at.agent.remember(said)
        ended_in_vain(at, completed=said)
        at.agent.forget(made.id)
        [step] = [s for s in at.task.sessions()[0].sitting.record if "entry" in s]
        assert "Tangerine" not in json.dumps(step)
        assert at.task.verify(repair=True).ok
        assert "Tangerine" not in (at.folder / LOG).read_text()


# The list of memories


def remembered(at: Bench) -> dict[str, Any]:
    at.task.checkpoint("decision", "One pass.", decisions=[ONE_PASS])
    at.task.end("partial", summary="The lexer reads every file of the corpus.")
    assert at.task.verify().ok
    return at.file(IDS)


def gone(place: Path) -> str:
    place.unlink()
    return "it is missing"


def torn(place: Path) -> str:
    place.write_text(place.read_text()[:40])
    return "not what was written"


def other(place: Path) -> str:
    place.write_text(place.read_text().replace(SLUG, "another-task"))
    return "not what was written"


def shorter(place: Path) -> str:
    told = json.loads(place.read_text())
    told["memory_ids"].pop()
    place.write_text(json.dumps(told))
    return "it lacks 1 of the task's memories"


@pytest.mark.req("C-26")
@pytest.mark.parametrize("fault", [gone, torn, other, shorter])
def test_the_list_of_memories_is_verified_and_made_again(tmp_path: Path, fault: Any) -> None:
    with bench(tmp_path) as at:
        before = remembered(at)
        said = fault(at.folder / IDS)
        found = problems(at)
        assert list(found) == [IDS] and said in found[IDS]
        assert at.task.verify(repair=True).ok
        assert at.file(IDS) == before


def test_memories_that_came_or_went_since_the_end_are_no_fault(tmp_path: Path) -> None:
    with bench(tmp_path) as at:
        before = remembered(at)
        at.agent.forget(before["memory_ids"][0])
        assert at.task.verify().ok
        at.task.start()
        at.task.checkpoint(
            "decision", "Two files.", decisions=[{**ONE_PASS, "decision": "Two files"}]
        )
        assert at.task.verify().ok


def test_a_session_that_says_nothing_at_its_end_lists_what_it_remembered_before(
    tmp_path: Path,
) -> None:
    with bench(tmp_path) as at:
        at.task.checkpoint("explicit", "The lexer reads every file of the corpus.")
        at.task.end("partial")
        assert len(at.file(IDS)["memory_ids"]) == 1
        assert at.task.verify().ok


# The command


def test_the_command_says_which_steps_failed_and_exits_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Here(tmp_path, monkeypatch, capsys)
    here.env["EVERTHREAD_EMBEDDER"] = "off"
    project = git_project(tmp_path / "shop")
    assert here("task", "new", SLUG, "--goal", "Parse in one pass", cwd=project).code == 0
    work = project / "tasks" / SLUG / "work"
    for flags in ((), ("--json",)):
        assert here("task", "start", cwd=project).code == 0
        work.rename(work.with_name("aside")) if work.exists() else None
        work.write_text("in the way")
        done = here("task", "end", "--completed", "the lexer", *flags, cwd=project)
        work.unlink()
        assert done.code == 1
        assert "not all of its end could be done: " in done.err and "log" in done.err
        assert "everthread checkpoints verify" in done.err
        if flags:
            assert done.json["ritual"][1]["result"] == "fail"
    assert here("doctor", cwd=project).code == 1
    repaired = here("checkpoints", "verify", "--repair", cwd=project)
    assert repaired.code == 0, repaired.out
    assert (work / "implementation-log.md").read_text().count("the lexer") == 2
