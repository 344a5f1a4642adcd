"""Which project does a folder belong to? Read from the files that git leaves, without running it."""

from __future__ import annotations

from pathlib import Path

GIT = ".git"


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
    try:
        git = _git_dir(place / GIT)
        if git is None or not (git / "HEAD").exists():
            return None
        shared = git / "commondir"
        if shared.is_file():
            return (git / shared.read_text("utf-8").strip()).resolve()
        return git.resolve()
    except (OSError, UnicodeDecodeError):
        return None  # not ours to read, hence not our project


def _git_dir(entry: Path) -> Path | None:
    """A folder in the main worktree; in the others, and in submodules, a file that names one."""
    if entry.is_dir():
        return entry
    if not entry.is_file():
        return None
    label, _, target = entry.read_text("utf-8").strip().partition(": ")
    return entry.parent / target if label == "gitdir" and target else None
