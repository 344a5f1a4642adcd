"""Which project does a folder belong to? Read from the files that git leaves, without running it.

A `.git` that is a file names a repository elsewhere, and comes with whatever was unpacked. It is believed
only where that repository names the folder in turn.
"""

from __future__ import annotations

import re
from pathlib import Path

GIT = ".git"
LARGEST = 1_000_000
"""Bytes that are read of a file of git's."""

_SECTION = re.compile(r"\[\s*([^\s\]\"]+)\s*(\")?")
_WORKTREE = re.compile(r"\s*worktree\s*=\s*(.*)", re.IGNORECASE)


def project_root(folder: Path, *, home: Path) -> Path:
    """The canonical root of the repository around the folder, the same for all its worktrees.

    Without a repository it is the folder itself. One that covers the home folder or the whole disk
    holds somebody's dotfiles and makes no project of what lies in it.
    """
    start = folder.resolve()
    beyond = {home.resolve(), Path(start.anchor)}
    for place in (start, *start.parents):
        if place in beyond:
            break
        common = _common_dir(place)
        if common is not None:
            root = common.parent if common.name == GIT else common
            return start if root in beyond else root
    return start


def _common_dir(place: Path) -> Path | None:
    """What all worktrees of the repository share, if there is a repository right here."""
    entry = place / GIT
    try:
        git = _git_dir(entry)
        if git is None or not (git / "HEAD").exists():
            return None
        if git == entry:
            return git
        return _linked_repository(git, entry) or (git if _is_submodule(git, place) else entry)
    except (OSError, RuntimeError, ValueError):
        return None  # not to be read, or no path at all: hence no project


def _git_dir(entry: Path) -> Path | None:
    """A folder in the main worktree; in the others, and in submodules, a file that names one."""
    if entry.is_dir():
        return entry.resolve()
    if not entry.is_file():
        return None
    label, _, target = _read(entry).strip().partition(": ")
    return (entry.parent / target).resolve() if label == "gitdir" and target else None


def _linked_repository(git: Path, entry: Path) -> Path | None:
    """The repository of a linked worktree, if it knows this worktree: there lies what names us."""
    try:
        common = (git / _read(git / "commondir").strip()).resolve()
        named = (git / _read(git / "gitdir").strip()).resolve()
    except FileNotFoundError:
        return None
    known = git.parent == common / "worktrees" and named == entry
    return common if known and (common / "HEAD").exists() else None


def _is_submodule(git: Path, place: Path) -> bool:
    """Does the repository name this folder as its own, or lie among the modules of one above?"""
    if (git / "commondir").exists():
        return False  # a worktree, and not one of this folder
    named = _worktree(git / "config.worktree") or _worktree(git / "config")
    if named is not None:
        return (git / named).resolve() == place
    return any(git.is_relative_to(above / GIT / "modules") for above in place.parents)


def _worktree(config: Path) -> str | None:
    """`core.worktree` of a file of git's settings."""
    found, core = None, False
    lines = _read(config).splitlines() if config.is_file() else ()
    for line in lines:
        if section := _SECTION.match(line.strip()):
            core = section[1].lower() == "core" and not section[2]
        elif core and (given := _WORKTREE.match(line)):
            found = re.sub(r"\\(.)", r"\1", given[1].strip().strip('"'))
    return found


def _read(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(LARGEST).decode("utf-8")
