"""The folder of a task in its project, and what is asked of the project's version control."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol


class Folder(Protocol):
    """`tasks/<slug>` of a project. Names are relative to it, with `/` between the parts.

    Nothing is ever read or written outside of it: a link on the way is refused.
    """

    @property
    def path(self) -> str: ...

    def read(self, name: str) -> str | None:
        """What the file holds; None where there is none. Bytes that are no UTF-8 are replaced."""
        ...

    def digest(self, name: str) -> str | None:
        """The SHA-256 of its bytes; None where there is none."""
        ...

    def write(self, name: str, text: str) -> None:
        """At any moment it holds the old text or the new one, and the new one is on disk at the end."""
        ...

    def append(self, name: str, text: str) -> None:
        """To the end of the file, which is made where there is none."""
        ...

    def names(self, folder: str) -> Sequence[str]:
        """The files directly in that folder of it, sorted."""
        ...

    def move(self, name: str, to: str) -> None:
        """Another name for the file, in the same place."""
        ...

    def remove(self, name: str) -> None: ...

    def locked(self) -> AbstractContextManager[None]:
        """Nobody else who asks for it makes this folder's files anew meanwhile; it dies with its process."""
        ...


class Folders(Protocol):
    def open(self, project: str, slug: str, *, create: bool = False) -> Folder:
        """The task's folder; `TaskRefused` where it is a link, a file, or lies outside of the project."""
        ...

    def only_there(self) -> Folders:
        """The same, but none is made: `TaskRefused` where there is none. For who writes unasked."""
        ...

    def project_file(self, project: str, name: str) -> str | None:
        """A file of the project itself (its configuration); None where there is none."""
        ...

    def project_bytes(self, project: str, name: str, *, most: int = ...) -> bytes | None:
        """The same as bytes; `TaskRefused` where it has more than so many, or a link is on the way."""
        ...

    def project_digest(self, project: str, name: str) -> str | None:
        """The SHA-256 of a file of the project; None where there is none, none to be read, or a huge one."""
        ...


class Change(NamedTuple):
    path: str
    action: str
    """created, modified or deleted."""


class ListedFile(NamedTuple):
    """A file of a project without version control."""

    path: str
    size: int
    modified_ms: int
    sha256: str | None
    """None where it is too large to be read for that, or cannot be read."""


class Repository(Protocol):
    """The version control of a project. No hook and no program that it names is ever run.

    Paths are relative to the project; of a task's folder, what we write ourselves is never named.
    What cannot be had, or not in time, raises `GitFailed`.
    """

    def head(self) -> str | None:
        """The commit that is checked out; None before the first."""
        ...

    def log(self, limit: int) -> Sequence[str]:
        """`git log --oneline`: the newest first."""
        ...

    def has(self, commit: str) -> bool: ...

    def changes(self, since: str | None = None) -> Sequence[Change]:
        """What differs from the last commit, or from that one, untracked files too."""
        ...

    def patch(self, most: int) -> tuple[str, bool]:
        """All uncommitted changes as a patch, untracked files too; was it cut?"""
        ...

    def unsafe(self) -> str | None:
        """Why nothing should be committed now: a merge in progress, a detached head …; None if it may."""
        ...

    def commit(self, message: str) -> str:
        """Commit all changes; the new commit. Where it fails, what was staged before still is."""
        ...


class Versions(Protocol):
    def of(self, project: str) -> Repository | None:
        """The repository of a project; None where it has none or there is no git."""
        ...

    def why_none(self, project: str) -> str:
        """Why a project has no repository for us, in a few words."""
        ...

    def unchanged(
        self, project: str, asked: Sequence[tuple[str, int]], seconds: float
    ) -> frozenset[tuple[str, int]]:
        """Of these files, each with a time in milliseconds, those that are as they were committed by then.

        None where that cannot be told in so many seconds.
        """
        ...

    def listing(self, project: str, most: int) -> tuple[Sequence[ListedFile], bool]:
        """The files of a project, by path, at most so many; are there more? No link is followed."""
        ...
