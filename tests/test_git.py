"""Git is asked about a project, and nothing that the repository names is ever run."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.errors import GitFailed
from everthread.providers import git_run
from everthread.providers.git import GitRepository, GitVersions
from everthread.providers.git_run import surroundings
from support.tasking import git, git_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = git_project(tmp_path / "project")
    (folder / "gone.py").write_text("two = 2\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "The second")
    return folder


def repository(folder: Path) -> GitRepository:
    found = GitVersions().of(str(folder))
    assert found is not None, GitVersions().why_none(str(folder))
    return found


def test_recent_commits_are_told_newest_first(project: Path) -> None:
    """C-9"""
    for n in range(12):
        git(project, "commit", "-q", "--allow-empty", "-m", f"Commit {n}")
    told = repository(project).log(10)
    assert len(told) == 10
    assert told[0].endswith("Commit 11")
    assert told == git(project, "log", "--oneline", "-10").splitlines()


def test_a_repository_without_a_commit_has_no_head_and_an_empty_log(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "new.txt").write_text("words\n")
    found = repository(tmp_path)
    assert found.head() is None
    assert found.log(10) == []
    assert [tuple(change) for change in found.changes()] == [("new.txt", "created")]
    assert "+words" in found.patch(10_000)[0]


def test_changes_name_what_was_created_modified_and_deleted(project: Path) -> None:
    (project / "kept.py").write_text("one = 2\n")
    (project / "gone.py").unlink()
    (project / "späth neu.py").write_text("three = 3\n")
    (project / ".gitignore").write_text("*.log\n")
    (project / "noise.log").write_text("noise")
    changes = {change.path: change.action for change in repository(project).changes()}
    assert changes == {
        ".gitignore": "created",
        "gone.py": "deleted",
        "kept.py": "modified",
        "späth neu.py": "created",
    }


def test_changes_since_a_commit_hold_what_was_committed_after_it(project: Path) -> None:
    first = repository(project).head()
    assert first is not None
    (project / "later.py").write_text("later = 1\n")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "Later")
    assert [c.path for c in repository(project).changes()] == []
    assert [c.path for c in repository(project).changes(first)] == ["later.py"]
    with pytest.raises(GitFailed, match="no commit"):
        repository(project).changes("f" * 40)


@pytest.mark.parametrize("word", ["--output=/tmp/x", "HEAD", "", "zzzzzzz", "f" * 65])
def test_only_what_looks_like_a_commit_is_looked_up(project: Path, word: str) -> None:
    assert not repository(project).has(word)


def test_a_commit_is_known_until_it_is_gone(project: Path) -> None:
    """C-34"""
    head = repository(project).head()
    assert head is not None
    assert repository(project).has(head)
    assert repository(project).has(head[:7])
    assert not repository(project).has("0123456789abcdef0123456789abcdef01234567")


def test_a_patch_holds_new_files_too_and_leaves_the_index_alone(project: Path) -> None:
    """C-23, X-30"""
    (project / "kept.py").write_text("one = 2\n")
    (project / "staged.py").write_text("staged = 1\n")
    git(project, "add", "staged.py")
    (project / "new *.py").write_text("new = 1\n")
    before = git(project, "status", "--porcelain")
    text, cut = repository(project).patch(100_000)
    assert not cut
    assert all(line in text for line in ("+one = 2", "+staged = 1", "+new = 1"))
    assert git(project, "status", "--porcelain") == before
    blob = git(project, "hash-object", "new *.py").strip()
    assert blob not in git(project, "cat-file", "--batch-all-objects", "--batch-check")
    git(project, "stash", "-q", "-u")
    subprocess.run(["git", "apply", "-"], cwd=project, input=text, text=True, check=True)
    assert (project / "new *.py").read_text() == "new = 1\n"


def test_a_patch_is_cut_at_its_limit_and_says_so(project: Path) -> None:
    (project / "kept.py").write_text("x = 1\n" * 1_000)
    whole, cut = repository(project).patch(1_000_000)
    assert not cut
    size = len(whole.encode())
    assert repository(project).patch(size) == (whole, False)
    text, cut = repository(project).patch(size - 1)
    assert cut
    assert len(text.encode()) == size - 1


def test_a_commit_holds_all_changes_but_what_we_write_ourselves(project: Path) -> None:
    """C-23: a commit that held the status file would be out of date a moment later."""
    (project / "new.py").write_text("new = 1\n")
    (project / "gone.py").unlink()
    for name in (
        "json/task-status.json",
        "logs/session.log",
        "work/patches/a.patch",
        "plan/PLAN.md",
    ):
        place = project / "tasks" / "a-task" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("{}\n")
    made = repository(project).commit("Session: tidy\n\nWhat was done.")
    assert made == git(project, "rev-parse", "HEAD").strip()
    names = git(project, "show", "--name-only", "--format=%s", "HEAD").split()
    assert names == ["Session:", "tidy", "gone.py", "new.py", "tasks/a-task/plan/PLAN.md"]
    assert repository(project).changes() == []


def test_a_commit_that_fails_leaves_the_index_as_it_was(project: Path) -> None:
    (project / "staged.py").write_text("staged = 1\n")
    git(project, "add", "staged.py")
    (project / "new.py").write_text("new = 1\n")
    before = git(project, "status", "--porcelain")
    (project / ".git" / "refs" / "heads" / "main.lock").write_text("")
    with pytest.raises(GitFailed):
        repository(project).commit("No")
    (project / ".git" / "refs" / "heads" / "main.lock").unlink()
    assert git(project, "status", "--porcelain") == before


@pytest.mark.parametrize(
    ("name", "why"), [("MERGE_HEAD", "merge"), ("rebase-merge", "rebase"), ("BISECT_LOG", "bisect")]
)
def test_nothing_is_committed_while_something_is_under_way(
    project: Path, name: str, why: str
) -> None:
    """C-23: unsafe work is not committed."""
    (project / ".git" / name).write_text("0" * 40)
    told = repository(project).unsafe()
    assert told is not None
    assert why in told
    with pytest.raises(GitFailed, match=why):
        repository(project).commit("No")


def test_nothing_is_committed_without_a_branch_or_over_a_conflict(project: Path) -> None:
    assert repository(project).unsafe() is None
    git(project, "checkout", "-q", "-b", "other")
    (project / "kept.py").write_text("one = 3\n")
    git(project, "commit", "-q", "-a", "-m", "Other")
    git(project, "checkout", "-q", "main")
    (project / "kept.py").write_text("one = 4\n")
    git(project, "commit", "-q", "-a", "-m", "Mine")
    subprocess.run(["git", "merge", "-q", "other"], cwd=project, check=False, capture_output=True)
    (project / ".git" / "MERGE_HEAD").unlink()
    assert "conflict" in (repository(project).unsafe() or "")
    git(project, "reset", "-q", "--hard")
    git(project, "checkout", "-q", "--detach")
    assert "branch" in (repository(project).unsafe() or "")


def make_hostile(folder: Path, trace: Path) -> None:
    """It runs a program whenever git looks whether its files changed."""
    git(folder, "config", "filter.x.clean", f"echo ran >> {trace}; cat")
    (folder / ".git" / "info" / "attributes").write_text("* filter=x\n")
    (folder / "kept.py").write_text("one = 3\n")
    os.utime(folder / "kept.py", (1, 1))


@pytest.mark.req("R-31")
@pytest.mark.parametrize("known", [True, False])
def test_git_does_not_go_into_repositories_inside(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, known: bool
) -> None:
    """Their own configuration names programs, and none of ours switches those off."""
    trace = tmp_path / "trace"
    git_project(project / "sub *")
    if known:
        git(project, "add", "sub *")
        git(project, "commit", "-q", "-m", "With a repository inside")
    make_hostile(project / "sub *", trace)
    (project / "new.py").write_text("new = 1\n")
    found = repository(project)
    assert [change.path for change in found.changes()] == ["new.py"]
    assert "+new = 1" in found.patch(10_000)[0]
    assert "other repositories inside (sub *)" in (found.unsafe() or "")
    with pytest.raises(GitFailed, match="repositories inside"):
        found.commit("No")
    monkeypatch.setattr(GitRepository, "unsafe", lambda _: None)
    before = git(project, "ls-files", "--stage", "sub *")
    found.commit("It appeared only a moment ago")
    assert git(project, "show", "--name-only", "--format=", "HEAD").split() == ["new.py"]
    assert git(project, "ls-files", "--stage", "sub *") == before
    assert not trace.exists()


@pytest.mark.req("R-31")
def test_a_commit_writes_through_no_link_that_a_repository_laid(
    project: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (project / "new.py").write_text("new = 1\n")
    head = repository(project).head()
    (project / ".git" / "index.everthread").symlink_to(victim)
    for lock in ("refs/heads/main.lock", "index.lock"):
        (project / ".git" / lock).symlink_to(victim)
        with pytest.raises(GitFailed):
            repository(project).commit("No")
        (project / ".git" / lock).unlink()
    real = project / ".git" / "index"
    real.rename(tmp_path / "index")
    real.symlink_to(tmp_path / "index")
    with pytest.raises(GitFailed, match="index of the repository is a link"):
        repository(project).commit("No")
    assert victim.read_text() == "precious"
    assert repository(project).head() == head


def test_a_commit_takes_what_was_staged_and_leaves_nothing_behind(project: Path) -> None:
    (project / "staged.py").write_text("staged = 1\n")
    git(project, "add", "staged.py")
    git(project, "update-index", "--assume-unchanged", "gone.py")
    (project / "new.py").write_text("new = 1\n")
    repository(project).commit("Both\n\nWhat was done.")
    assert git(project, "status", "--porcelain") == ""
    assert git(project, "log", "-1", "--format=%an|%B").strip() == "Ada|Both\n\nWhat was done."
    assert git(project, "reflog", "-1", "--format=%gs").strip() == "commit: Both"
    assert git(project, "ls-files", "-v", "gone.py").startswith("h"), "what the user told the index"
    assert not (project / ".git" / "index.lock").exists()
    with pytest.raises(GitFailed, match="nothing to commit"):
        repository(project).commit("Nothing")


def test_a_first_commit_can_be_made(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "user.name", "Ada")
    git(tmp_path, "config", "user.email", "ada@example.org")
    (tmp_path / "new.txt").write_text("words\n")
    made = repository(tmp_path).commit("First")
    assert git(tmp_path, "rev-parse", "HEAD").strip() == made
    assert git(tmp_path, "status", "--porcelain") == ""


def test_an_index_that_somebody_changed_meanwhile_is_left_as_it_is(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "new.py").write_text("new = 1\n")
    (project / "mine.py").write_text("mine = 1\n")
    real = git_run.Git.output

    def told(self: git_run.Git, *words: str, **more: Any) -> git_run.GitOutput:
        if words[0] == "commit-tree":
            git(project, "add", "mine.py")
        return real(self, *words, **more)

    monkeypatch.setattr(git_run.Git, "output", told)
    head = repository(project).head()
    with pytest.raises(GitFailed, match="changed the index meanwhile"):
        repository(project).commit("No")
    assert repository(project).head() == head
    assert git(project, "status", "--porcelain") == "A  mine.py\n?? new.py\n"


HOSTILE = {
    "core.fsmonitor": "{evil}",
    "core.pager": "{evil}",
    "core.editor": "{evil}",
    "core.sshCommand": "{evil}",
    "diff.external": "{evil}",
    "diff.x.textconv": "{evil}",
    "diff.x.command": "{evil}",
    "filter.x.clean": "{evil}",
    "filter.x.smudge": "{evil}",
    "filter.y.process": "{evil}",
    "filter.y.required": "true",
    "gpg.program": "{evil}",
    "commit.gpgSign": "true",
    "log.showSignature": "true",
    "format.pretty": "%G?",
    "credential.helper": "{evil}",
}
HOOKS = ("pre-commit", "post-commit", "commit-msg", "prepare-commit-msg", "post-index-change")


def test_no_program_that_a_repository_names_is_run(project: Path, tmp_path: Path) -> None:
    """R-31: hooks, filters, differences, signatures, monitors: all of them are off."""
    evil, trace = tmp_path / "evil", tmp_path / "trace"
    evil.write_text(f"#!/bin/sh\necho $0 >> {trace}\ncat\n")
    evil.chmod(0o755)
    for hook in HOOKS:
        shutil.copy(evil, project / ".git" / "hooks" / hook)
    (project / ".gitattributes").write_text("*.py filter=x diff=x\n*.txt filter=y\n")
    for name, value in HOSTILE.items():
        git(project, "config", name, value.format(evil=evil))
    (project / "kept.py").write_text("one = 9\n")
    (project / "new.txt").write_text("new\n")
    found = repository(project)
    head = found.head()
    assert head is not None
    assert found.has(head)
    assert found.log(10)
    assert found.changes()
    assert found.changes(head)
    text, _ = found.patch(100_000)
    assert "+one = 9" in text
    assert "+new" in text
    assert "filters of its own (x, y)" in (found.unsafe() or "")
    with pytest.raises(GitFailed, match="filters"):
        found.commit("No")
    assert not trace.exists(), trace.read_text()
    for name in ("filter.x.clean", "filter.x.smudge", "filter.y.process", "filter.y.required"):
        git(project, "config", "--unset", name)
    found = repository(project)
    assert found.commit("Yes") != head
    assert not trace.exists(), trace.read_text()


def test_filters_with_names_that_cannot_be_switched_off_make_a_repository_unusable(
    project: Path,
) -> None:
    git(project, "config", "filter.a=b.clean", "false")
    assert GitVersions().of(str(project)) is None
    assert "cannot be switched off" in GitVersions().why_none(str(project))


def test_the_environment_cannot_lead_git_elsewhere(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = repository(project).head()
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert repository(project).head() == head
    assert surroundings({"GIT_AUTHOR_NAME": "Ada", "GIT_SSH": "x", "HOME": "/h"}) == {
        "GIT_AUTHOR_NAME": "Ada",
        "HOME": "/h",
        **git_run.SURROUNDINGS,
    }


def test_a_project_without_git_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert GitVersions().of(str(tmp_path)) is None
    assert GitVersions().why_none(str(tmp_path)) == "the project has no git repository"
    monkeypatch.setattr(git_run.shutil, "which", lambda _: None)
    assert GitVersions().why_none(str(tmp_path)) == "there is no git on this machine"


def test_a_repository_of_someone_else_is_left_alone(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git looks at who owns it; a switch of its own tests makes it believe that another does."""
    monkeypatch.setitem(git_run.SURROUNDINGS, "GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    assert GitVersions().of(str(project)) is None
    assert "belongs to someone else" in GitVersions().why_none(str(project))


def test_git_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = tmp_path / "git"
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(git_run.shutil, "which", lambda _: str(slow))
    began = time.monotonic()
    assert "in time" in GitVersions(seconds=0.2).why_none(str(tmp_path))
    assert time.monotonic() - began < 30


def test_without_git_the_files_are_listed_with_sizes_and_hashes(tmp_path: Path) -> None:
    """C-23: a project without git leaves a list of files."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.txt").write_text("two")
    (tmp_path / "one.txt").write_text("one")
    (tmp_path / "link").symlink_to("/etc/passwd")
    for name in ("node_modules/x/y.js", "tasks/a/json/s.json", "tasks/a/work/patches/p.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "tasks" / "a" / "work" / "implementation-log.md").write_text("x")
    files, more = GitVersions().listing(str(tmp_path), 10)
    assert not more
    assert {each.path for each in files} == {
        "link",
        "one.txt",
        "b/two.txt",
        "tasks/a/work/implementation-log.md",
    }
    by = {each.path: each for each in files}
    assert by["link"].sha256 is None
    assert by["one.txt"].size == 3
    assert by["one.txt"].sha256 == (
        "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    )
    assert GitVersions().listing(str(tmp_path), 4)[1] is False
    assert GitVersions().listing(str(tmp_path), 3)[1] is True
