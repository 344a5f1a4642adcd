"""The version control of a project: git, asked in a way that runs nothing that the repository names.

Only what lies in the project's folder is looked at and committed, without the files of task folders
that we write ourselves. A repository with filters of its own is read without them, and never committed
to: what it would store is not what its owner means. Nor is one with other repositories inside: git would
go into them, and run what they name.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from everthread.domain.errors import GitFailed
from everthread.ports.folders import Change, ListedFile

from .durable_files import reason
from .git_history import committed_by
from .git_run import SECONDS, Git

OURS = ("json", "logs", "meta", "work/patches")
"""Of a task's folder: what Everthread writes, and writes again."""
HERE = (".", *(f":(exclude,glob)tasks/*/{part}/**" for part in OURS))

MOST_CHANGES = 10_000
MOST_MESSAGE = 8_000
HASHED = 16_000_000
"""A larger file is listed without its hash."""
SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__"})

UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisection",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
ACTIONS = {"A": "created", "D": "deleted"}
DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=all")
ADD_NAMES = ("add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul")
ADD_ALL = ("add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul")
GITLINK = "160000 "
NONE_YET = ""
"""Instead of the commit that a branch is at."""

Stamp: TypeAlias = tuple[int, int, int, int] | None
"""By what a file is known as the same; None if there is none."""

_OURS = re.compile(rf"tasks/[^/]+/(?:{'|'.join(OURS)})")
_COMMIT = re.compile(r"[0-9a-f]{7,64}", re.ASCII)


class GitVersions:
    def __init__(self, *, seconds: float = SECONDS) -> None:
        self._seconds = seconds

    def of(self, project: str) -> GitRepository | None:
        found = self._open(project)
        return found if isinstance(found, GitRepository) else None

    def why_none(self, project: str) -> str:
        found = self._open(project)
        return found if isinstance(found, str) else "there is one"

    def unchanged(
        self, project: str, asked: Sequence[tuple[str, int]], seconds: float
    ) -> frozenset[tuple[str, int]]:
        try:
            return committed_by(project, asked, seconds)
        except (GitFailed, OSError):
            return frozenset()

    def listing(self, project: str, most: int) -> tuple[Sequence[ListedFile], bool]:
        found: list[ListedFile] = []
        for path in _files(project):
            if len(found) == most:
                return found, True
            with suppress(OSError):
                found.append(_list_file(project, path))
        return found, False

    def _open(self, project: str) -> GitRepository | str:
        """The repository, or why there is none."""
        git = Git(project, seconds=self._seconds)
        if not git.there:
            return "there is no git on this machine"
        try:
            where = git.text("rev-parse", "--is-inside-work-tree", "--absolute-git-dir")
            inside, folder = where.splitlines()[:2]
        except GitFailed as wrong:
            return _refusal_text(str(wrong))
        if inside != "true":
            return "this is no working tree of git"
        return GitRepository(git, project, folder)


def _refusal_text(told: str) -> str:
    if "dubious ownership" in told:
        return "the repository belongs to someone else (git's safe.directory); it is left alone"
    if "not a git repository" in told:
        return "the project has no git repository"
    return told


class GitRepository:
    def __init__(self, git: Git, project: str, folder: str) -> None:
        self._git = git
        self._project = project
        self._folder = Path(folder)

    def head(self) -> str | None:
        told = self._git.output("rev-parse", "--verify", "--quiet", "HEAD^{commit}", fine=(0, 1))
        return told.out.decode().strip() or None

    def log(self, limit: int) -> Sequence[str]:
        if self.head() is None:
            return []
        words = ("log", "--oneline", "--no-decorate", "--no-color", "--no-show-signature")
        told = self._git.output(*words, f"--max-count={limit}")
        return told.out.decode("utf-8", "replace").splitlines()

    def has(self, commit: str) -> bool:
        if not _COMMIT.fullmatch(commit):
            return False
        told = self._git.output("cat-file", "-e", f"{commit}^{{commit}}", fine=(0, 1, 128))
        return told.code == 0

    def changes(self, since: str | None = None) -> Sequence[Change]:
        base = self._base() if since is None else since
        if since is not None and not self.has(since):
            raise GitFailed(f"there is no commit {since:.40}")
        words = (*DIFF, "--no-renames", "--name-status", "-z", base, "--", *HERE)
        parts = self._git.text(*words).split("\0")
        found = {
            path: ACTIONS.get(how[:1], "modified")
            for how, path in zip(parts[::2], parts[1::2], strict=False)
        }
        prefix = self._prefix()
        named = {path.removeprefix(prefix): how for path, how in found.items()}
        named |= dict.fromkeys(self._untracked(), "created")
        return [Change(_printable_path(path), how) for path, how in sorted(named.items())][
            :MOST_CHANGES
        ]

    def patch(self, most: int) -> tuple[str, bool]:
        with self._index() as env:
            if fresh := self._untracked():
                # Only names: the content of new files is not put into the repository.
                names = "\0".join(fresh).encode("utf-8", "surrogateescape")
                self._git.output("--literal-pathspecs", *ADD_NAMES, env=env, stdin=names)
            words = (*DIFF, "--no-color", self._base(), "--", *HERE)
            told = self._git.output(*words, env=env, most=most)
        return told.out.decode("utf-8", "replace"), told.cut

    def unsafe(self) -> str | None:
        for name, what in UNDER_WAY.items():
            if (self._folder / name).exists():
                return f"{what} is under way"
        if self._git.text("ls-files", "--unmerged", "-z"):
            return "there are conflicts that nobody resolved"
        if self._git.output("symbolic-ref", "--quiet", "HEAD", fine=(0, 1)).code != 0:
            return "no branch is checked out"
        return self._hostile()

    def _hostile(self) -> str | None:
        """Could what it holds run something, or have git write elsewhere?"""
        if filters := self._git.filters():
            return f"the repository has filters of its own ({', '.join(filters)[:80]})"
        if inside := self._inside():
            told = _printable_path(", ".join(inside))[:80]
            return f"there are other repositories inside ({told}); git would run what they name"
        if (self._folder / "index").is_symlink():
            return "the index of the repository is a link; links are not followed"
        return None

    def commit(self, message: str) -> str:
        if why := self.unsafe():
            raise GitFailed(f"nothing was committed: {why}")
        text = message[:MOST_MESSAGE].encode("utf-8", "replace") or b"-"
        index = self._folder / "index"
        before = _stamp(index)
        with self._index() as env:
            # Should one appear only now, git does not go into it either.
            apart = [f":(exclude,literal){path}" for path in self._inside()]
            where = "\0".join((*HERE, *apart)).encode("utf-8", "surrogateescape")
            self._git.output(*ADD_ALL, env=env, stdin=where)
            head = self.head()
            tree = self._git.text("write-tree", env=env).strip()
            if head is not None and tree == self._git.text("rev-parse", f"{head}^{{tree}}").strip():
                raise GitFailed("nothing was committed: there is nothing to commit")
            parents = () if head is None else ("-p", head)
            words = ("commit-tree", "--no-gpg-sign", *parents, "-F", "-", tree)
            made = self._git.output(*words, stdin=text).out.decode().strip()
            subject = message.partition("\n")[0]
            note = "commit: " + "".join(c if c.isprintable() else " " for c in subject)
            with _replace_index(index, before, Path(env["GIT_INDEX_FILE"])):
                self._git.output("update-ref", "-m", note, "HEAD", made, head or NONE_YET)
        return made

    def _base(self) -> str:
        """What changes are measured against: the last commit, or nothing at all before the first."""
        head = self.head()
        return head or self._git.text("hash-object", "-t", "tree", os.devnull).strip()

    def _prefix(self) -> str:
        return self._git.text("rev-parse", "--show-prefix").rstrip("\n")

    def _untracked(self) -> Sequence[str]:
        """New files, without those that are ignored; a repository inside is none of our business."""
        words = ("ls-files", "--others", "--exclude-standard", "-z", "--", *HERE)
        found = [path for path in self._git.text(*words).split("\0") if path]
        return [path for path in found if not path.endswith("/")][:MOST_CHANGES]

    def _inside(self) -> Sequence[str]:
        """Repositories inside of this one: those that it knows as such, and those that it does not yet."""
        entries = self._git.text("ls-files", "--stage", "-z", "--", *HERE).split("\0")
        linked = [each.partition("\t")[2] for each in entries if each.startswith(GITLINK)]
        words = ("ls-files", "--others", "--exclude-standard", "-z", "--", *HERE)
        found = [path for path in self._git.text(*words).split("\0") if path.endswith("/")]
        return sorted({*linked, *(path.rstrip("/") for path in found)})

    @contextmanager
    def _index(self) -> Generator[dict[str, str]]:
        """A copy of the index to work on, so that what the user staged stays as it is."""
        with tempfile.TemporaryDirectory(prefix="everthread-index-") as folder:
            copy = Path(folder) / "index"
            try:
                with suppress(FileNotFoundError):
                    # With its time: by that git knows which files it must look into.
                    shutil.copy2(self._folder / "index", copy)
            except OSError as wrong:
                raise GitFailed(f"the index cannot be read: {reason(wrong)}") from wrong
            yield {"GIT_INDEX_FILE": str(copy)}


def _printable_path(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _stamp(index: Path) -> Stamp:
    try:
        seen = index.lstat()
    except FileNotFoundError:
        return None
    return seen.st_mode, seen.st_ino, seen.st_size, seen.st_mtime_ns


@contextmanager
def _replace_index(index: Path, before: Stamp, fresh: Path) -> Generator[None]:
    """Put the fresh index in the other's place once what is done meanwhile is done; as git itself does it.

    The lock is git's own. It is made anew and never opened where something stands already, a link neither.
    """
    lock = index.with_name("index.lock")
    try:
        handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    except OSError as wrong:
        raise GitFailed(f"nothing was committed: no lock on the index: {reason(wrong)}") from wrong
    try:
        with os.fdopen(handle, "wb") as file:
            if _stamp(index) != before:
                raise GitFailed("nothing was committed: somebody changed the index meanwhile")
            if before is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(before[0]))
            file.write(fresh.read_bytes())
            file.flush()
            os.fsync(file.fileno())
        yield
        lock.replace(index)
    except BaseException:
        with suppress(OSError):
            lock.unlink()
        raise


def _files(project: str) -> Iterator[str]:
    """Every plain file of the project, by path."""
    for here, folders, names in os.walk(project):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        inside = Path(here).relative_to(project)
        folders[:] = [name for name in folders if not _OURS.fullmatch(str(inside / name))]
        yield from (str(inside / name) for name in sorted(names))


def _list_file(project: str, path: str) -> ListedFile:
    place = Path(project, path)
    facts = place.lstat()
    digest = None
    if stat.S_ISREG(facts.st_mode) and facts.st_size <= HASHED:
        with place.open("rb") as file:
            digest = hashlib.sha256(file.read(HASHED + 1)).hexdigest()
    return ListedFile(_printable_path(path), facts.st_size, facts.st_mtime_ns // 1_000_000, digest)
