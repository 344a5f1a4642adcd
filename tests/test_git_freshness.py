"""A file that only got another time is as it was: what git knows of it counts, where it can be asked."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Agent, Settings
from everthread.domain.times import DAY, MINUTE, text_of
from everthread.providers import git_run
from everthread.providers.git import GitVersions
from everthread.providers.git_run import surroundings
from everthread.services.memory import evidence
from everthread.testing import FrozenClock
from support.tasking import git

CONFIG = "src/config.ts sets the timeout to 30 for everyone."
OTHER = "And src/other.ts reads the timeout."
SAID = "2026-03-01T12:00:00Z"
BEFORE, AFTER = "2026-02-20T10:00:00Z", "2026-03-05T10:00:00Z"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "LONGEST_LOOK", 20.0)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """What was committed before the message, and has the time of a clone made after it."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "src" / "config.ts").write_text("timeout=30\n")
    (folder / "src" / "other.ts").write_text("x\n")
    commit(folder, BEFORE)
    return folder


def commit(folder: Path, at: str, *words: str) -> None:
    env = {**surroundings(os.environ), "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for done in (["add", "-A"], ["commit", "-q", "-m", "One", *words]):
        subprocess.run(["git", *who, *done], cwd=folder, env=env, check=True, capture_output=True)


@pytest.fixture
def ada(tmp_path: Path, project: Path) -> Iterator[Agent]:
    settings = Settings(embedder="off", durability="process")
    clock = FrozenClock("2026-03-20T10:00:00Z")
    place = tmp_path / "e.db"
    with everthread.connect(place, settings=settings, clock=clock, background=False) as et:
        made = et.agent("ada")
        told(made, project, CONFIG, OTHER)
        yield made


def told(ada: Agent, project: Path, *said: str) -> None:
    entries = [{"role": "user", "content": text, "at": SAID} for text in said]
    ada.record(entries, source="import", project=str(project))


def fresh(ada: Agent, text: str = CONFIG) -> str:
    return {hit.text: hit.fresh for hit in ada.recall("the timeout of config.ts", limit=20)}[text]


# ---- what is as it was


def test_a_clone_changes_nothing(ada: Agent) -> None:
    assert (fresh(ada), fresh(ada, OTHER)) == ("fresh", "fresh")


def test_what_was_edited_and_checked_out_again_is_as_it_was(ada: Agent, project: Path) -> None:
    (project / "src" / "config.ts").write_text("timeout=60\n")
    assert (fresh(ada), fresh(ada, OTHER)) == ("changed", "fresh")
    git(project, "checkout", "-q", "src/config.ts")
    assert fresh(ada) == "fresh"


def test_another_branch_and_back_again(ada: Agent, project: Path) -> None:
    git(project, "checkout", "-q", "-b", "other")
    (project / "src" / "config.ts").write_text("timeout=90\n")
    commit(project, AFTER)
    assert (fresh(ada), fresh(ada, OTHER)) == ("changed", "fresh")
    git(project, "checkout", "-q", "main")
    assert fresh(ada) == "fresh"


def test_a_later_commit_of_another_file(ada: Agent, project: Path) -> None:
    (project / "src" / "new.ts").write_text("new\n")
    commit(project, AFTER)
    assert fresh(ada) == "fresh"


def test_what_was_changed_and_reverted_is_as_it_was(ada: Agent, project: Path) -> None:
    (project / "src" / "config.ts").write_text("timeout=60\n")
    commit(project, AFTER)
    assert fresh(ada) == "changed"
    git(project, "revert", "--no-edit", "HEAD")
    assert fresh(ada) == "fresh"


def test_a_project_in_a_folder_of_its_repository(ada: Agent, project: Path) -> None:
    inner = project / "src"
    told(ada, inner, "Here config.ts alone sets the timeout.")
    assert fresh(ada, "Here config.ts alone sets the timeout.") == "fresh"
    (inner / "config.ts").write_text("timeout=1\n")
    assert fresh(ada, "Here config.ts alone sets the timeout.") == "changed"


def test_a_name_with_signs_that_git_reads_is_only_a_name(ada: Agent, project: Path) -> None:
    (project / "src" / "-x+@.ts").write_text("x\n")
    commit(project, BEFORE, "--amend")
    told(ada, project, "Also src/-x+@.ts has the timeout.")
    assert fresh(ada, "Also src/-x+@.ts has the timeout.") == "fresh"


# ---- what stays changed, or unknown


def test_what_was_committed_after_it_was_said_is_changed(ada: Agent, project: Path) -> None:
    (project / "src" / "config.ts").write_text("timeout=61\n")
    commit(project, AFTER)
    assert fresh(ada) == "changed"


def test_one_changed_file_of_two_is_enough(ada: Agent, project: Path) -> None:
    both = "Both src/config.ts and src/other.ts know the timeout."
    told(ada, project, both)
    assert fresh(ada, both) == "fresh"
    (project / "src" / "other.ts").write_text("y\n")
    assert fresh(ada, both) == "changed"


def test_what_git_was_told_not_to_look_at_is_looked_at(ada: Agent, project: Path) -> None:
    git(project, "update-index", "--assume-unchanged", "src/config.ts")
    (project / "src" / "config.ts").write_text("timeout=60\n")
    assert fresh(ada) == "changed"


def test_what_git_does_not_have_is_known_by_its_time(ada: Agent, project: Path) -> None:
    new = project / "src" / "new.ts"
    new.write_text("new\n")
    told(ada, project, "New: src/new.ts has the timeout, too.")
    assert fresh(ada, "New: src/new.ts has the timeout, too.") == "changed"
    os.utime(new, (1, 1))
    assert fresh(ada, "New: src/new.ts has the timeout, too.") == "fresh"


def test_what_was_removed_and_is_there_again_outside_of_git(ada: Agent, project: Path) -> None:
    git(project, "rm", "-q", "--cached", "src/config.ts")
    (project / "src" / "config.ts").write_text("mine\n")
    commit(project, AFTER)
    (project / "src" / "config.ts").write_text("timeout=31\n")
    assert fresh(ada) == "changed"


def test_what_is_gone_is_unknown(ada: Agent, project: Path) -> None:
    (project / "src" / "other.ts").unlink()
    assert (fresh(ada, OTHER), fresh(ada)) == ("unknown", "fresh")


def test_a_link_is_not_followed(ada: Agent, project: Path) -> None:
    (project / "src" / "link.ts").symlink_to("config.ts")
    commit(project, BEFORE, "--amend")
    told(ada, project, "The link src/link.ts has the timeout.")
    assert fresh(ada, "The link src/link.ts has the timeout.") == "changed"


def test_an_older_repository_that_has_no_commit_of_then(ada: Agent, project: Path) -> None:
    commit(project, AFTER, "--amend", "--date", AFTER)
    assert fresh(ada) == "changed"


def test_without_a_repository_or_git_the_time_counts(
    ada: Agent, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_run.shutil, "which", lambda _: None)
    assert fresh(ada) == "changed"
    monkeypatch.undo()
    (project / ".git").rename(project / "no-git")
    assert fresh(ada) == "changed"


@pytest.mark.parametrize("missing", ["HEAD", "objects"])
def test_a_damaged_repository_tells_nothing(ada: Agent, project: Path, missing: str) -> None:
    (project / ".git" / missing).rename(project / "away")
    assert fresh(ada) == "changed"


def test_git_that_takes_too_long_is_not_waited_for(
    ada: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "git"
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(git_run.shutil, "which", lambda _: str(slow))
    monkeypatch.setattr(evidence, "LONGEST_LOOK", 0.1)
    assert fresh(ada) == "changed"


def test_no_more_than_a_few_files_are_asked_about(
    ada: Agent, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[tuple[str, int]]()
    real = GitVersions.unchanged

    def counted(self: GitVersions, folder: str, some: Any, seconds: float) -> Any:
        asked.extend(some)
        return real(self, folder, some, seconds)

    monkeypatch.setattr(GitVersions, "unchanged", counted)
    for n in range(12):
        (project / "src" / f"m{n}.ts").write_text(f"{n}\n")
    commit(project, BEFORE, "--amend")
    told(ada, project, *(f"Part {n}: src/m{n}.ts has the timeout of config." for n in range(12)))
    hits = [hit.fresh for hit in ada.recall("timeout of config parts", limit=20)]
    assert len(asked) == evidence.MOST_LOOKED_AT
    assert hits.count("fresh") == evidence.MOST_LOOKED_AT
    assert hits.count("changed") == len(hits) - evidence.MOST_LOOKED_AT


def test_nothing_is_asked_where_the_time_says_enough(
    ada: Agent, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("config.ts", "other.ts"):
        os.utime(project / "src" / name, (1, 1))

    def broken(*_: object) -> frozenset[tuple[str, int]]:
        raise AssertionError("nobody need ask")

    monkeypatch.setattr(GitVersions, "unchanged", broken)
    assert fresh(ada) == "fresh"


@pytest.mark.req("R-31")
def test_no_program_that_the_repository_names_is_run(
    ada: Agent, project: Path, tmp_path: Path
) -> None:
    evil, trace = tmp_path / "evil", tmp_path / "trace"
    evil.write_text(f"#!/bin/sh\necho $0 >> {trace}\ncat\n")
    evil.chmod(0o755)
    (project / ".gitattributes").write_text("*.ts filter=x\n")
    for name in ("filter.x.clean", "filter.x.process", "core.pager", "core.fsmonitor"):
        git(project, "config", name, str(evil))
    assert fresh(ada) == "fresh"
    assert not trace.exists()


def test_a_message_of_the_very_second_of_the_commit_is_not_later(project: Path) -> None:
    at = 1_771_581_600_000  # BEFORE
    ask = GitVersions().unchanged
    path = "src/config.ts"
    assert text_of(at).startswith("2026-02-20T10:00:00")
    assert ask(str(project), [(path, at), (path, at - DAY)], 20.0) == frozenset()
    assert ask(str(project), [(path, at + MINUTE)], 20.0) == {(path, at + MINUTE)}
    assert ask(str(project), [], 20.0) == ask(str(project), [("no.ts", at)], 20.0) == frozenset()
