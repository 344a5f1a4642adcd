"""What git knows of a file's past: was it, at some time, as it is now?

A clone, or another branch that was checked out, gives a file a new time, and not another content.
"""

from __future__ import annotations

import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from .git_run import Git

LARGEST = 16_000_000
"""Bytes of a file whose content is compared."""
PLAIN = "100"
"""How the mode of a plain file begins; what a link names is not looked at."""


def committed_by(
    project: str, asked: Sequence[tuple[str, int]], seconds: float
) -> frozenset[tuple[str, int]]:
    """Of these files, each with a time, those that were committed by then as they are now, on the way to
    what is checked out. All of it takes no longer than that; `GitFailed` where it would."""
    there = [path for path in dict.fromkeys(path for path, _ in asked) if _is_plain(project, path)]
    if not there or not _has_repository(project):
        return frozenset()
    git = Git(project, until=time.monotonic() + seconds)
    told = git.text("hash-object", "--", *there).split()
    now = dict(zip(there, told, strict=True))
    found = set[tuple[str, int]]()
    for at in sorted({at for _, at in asked}):
        paths = [path for path, when in asked if when == at and path in now]
        then = _committed(git, paths, at)
        found |= {(path, at) for path in paths if then.get(path) == now[path]}
    return frozenset(found)


def _committed(git: Git, paths: Sequence[str], at: int) -> dict[str, str]:
    """The content of each, by its hash, as the last commit had it that was made before that time."""
    if not paths:
        return {}
    # Of a merge only what it was merged into: what others did elsewhere was not here yet.
    words = ("rev-list", "--first-parent", "--max-count=1", f"--min-age={at // 1_000 - 1}", "HEAD")
    commit = git.text(*words).strip()
    if not commit:
        return {}
    found: dict[str, str] = {}
    for entry in git.text("ls-tree", "-z", commit, "--", *paths).split("\0"):
        told, _, path = entry.partition("\t")
        if told.startswith(PLAIN):
            found[path] = told.split()[2]
    return found


def _is_plain(project: str, path: str) -> bool:
    with suppress(OSError, ValueError):
        facts = Path(project, path).lstat()
        return stat.S_ISREG(facts.st_mode) and facts.st_size <= LARGEST
    return False


def _has_repository(project: str) -> bool:
    """Is there one here or above? To run git only to be told so would take longer."""
    place = Path(project)
    return any((folder / ".git").exists() for folder in (place, *place.parents))
