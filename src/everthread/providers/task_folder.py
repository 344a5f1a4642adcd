"""Task folders on disk. Every step of the way is opened without following links."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from everthread.domain.errors import TaskRefused

from .durable_files import file_lock, make_folder, reason

ROOT = "tasks"
LARGEST = 16_000_000
"""Bytes of a file that we are ready to read."""

WAIT = 30.0
"""Seconds to wait for another process that writes the same task's files."""

STALE = 60.0
"""Seconds after which a draft is one that a killed process left."""

_DRAFT = ".new"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SEPARATORS = frozenset("/\\\0")
_PROJECTED = ("json", "json/checkpoints", "json/sessions", "meta")


class TaskFolders:
    """`locks`: where the locks of folders are kept. Not in a project: whoever may read a file there could
    hold its lock.
    """

    def __init__(self, locks: Path, *, make: bool = True) -> None:
        self._locks = locks
        self._make = make

    def open(self, project: str, slug: str, *, create: bool = False) -> TaskFolder:
        folder = TaskFolder(Path(project), slug, self._locks)
        folder.check(create=create and self._make)
        if create and not self._make and not folder.there():
            raise TaskRefused(f"there is no folder {folder.path}: nothing was made")
        return folder

    def only_there(self) -> TaskFolders:
        return TaskFolders(self._locks, make=False)

    def project_file(self, project: str, name: str) -> str | None:
        raw = self.project_bytes(project, name)
        return None if raw is None else raw.decode("utf-8", "replace")

    def project_bytes(self, project: str, name: str, *, most: int = LARGEST) -> bytes | None:
        *way, last = name.split("/")
        try:
            with _open_way(Path(project), way, create=False) as parent:
                return _raw(parent, last, most=most)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise TaskRefused(f"{name} of {project} cannot be read: {_reason(error)}") from error

    def project_digest(self, project: str, name: str) -> str | None:
        try:
            raw = self.project_bytes(project, name)
        except TaskRefused:
            return None
        return None if raw is None else hashlib.sha256(raw).hexdigest()


class TaskFolder:
    def __init__(self, project: Path, slug: str, locks: Path) -> None:
        self._project = project
        self._way = [ROOT, slug]
        self._locks = locks

    @property
    def path(self) -> str:
        return str(self._project.joinpath(*self._way))

    def check(self, *, create: bool) -> None:
        """Is it a folder of the project, and no link to somewhere else? If it is made: can we write?"""
        try:
            with _open_way(self._project, self._way, create=create) as here:
                if create and not os.access(".", os.W_OK | os.X_OK, dir_fd=here):
                    raise PermissionError(errno.EACCES, "")
        except FileNotFoundError:
            if create:
                raise TaskRefused(f"there is no folder {self._project}: nothing was made") from None
        except OSError as error:
            raise self._refused("", error) from error

    def there(self) -> bool:
        try:
            with _open_way(self._project, self._way, create=False):
                return True
        except OSError:
            return False

    @contextmanager
    def locked(self) -> Generator[None]:
        """It dies with its process, and no file of it stays."""
        self.check(create=True)
        place = self._locks / hashlib.sha256(os.fsencode(os.path.realpath(self.path))).hexdigest()
        try:
            make_folder(self._locks)
            with file_lock(place, seconds=WAIT):
                try:
                    self._sweep()
                    yield
                finally:
                    # Who waits for it looks whether it is still the same file.
                    place.unlink(missing_ok=True)
        except OSError as error:
            raise self._refused("", error) from error

    def read(self, name: str) -> str | None:
        raw = self._bytes(name)
        return None if raw is None else raw.decode("utf-8", "replace")

    def digest(self, name: str) -> str | None:
        raw = self._bytes(name)
        return None if raw is None else hashlib.sha256(raw).hexdigest()

    def write(self, name: str, text: str) -> None:
        raw = text.encode("utf-8", "replace")
        with self._parent(name, create=True) as (parent, last):
            _must_be_plain(parent, last)
            fresh = f".{last}.{secrets.token_hex(4)}{_DRAFT}"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            handle = os.open(fresh, flags, 0o644, dir_fd=parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(raw)
                    file.flush()
                    os.fsync(file.fileno())
                os.rename(fresh, last, src_dir_fd=parent, dst_dir_fd=parent)
            except BaseException:
                with suppress(OSError):
                    os.unlink(fresh, dir_fd=parent)
                raise
            os.fsync(parent)

    def append(self, name: str, text: str) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
        with self._parent(name, create=True) as (parent, last):
            handle = os.open(last, flags | os.O_CLOEXEC, 0o644, dir_fd=parent)
            with os.fdopen(handle, "ab") as file:
                _must_be_regular(os.fstat(file.fileno()), last)
                file.write(text.encode("utf-8", "replace"))
                file.flush()
                os.fsync(file.fileno())

    def names(self, folder: str) -> Sequence[str]:
        try:
            with _open_way(self._project, [*self._way, *folder.split("/")], create=False) as parent:
                found = os.listdir(parent)  # noqa: PTH208 - of a handle, not of a path
                return sorted(n for n in found if not n.startswith("."))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._refused(folder, error) from error

    def move(self, name: str, to: str) -> None:
        *_, new = to.split("/")
        with self._parent(name, create=False) as (parent, last):
            os.rename(last, new, src_dir_fd=parent, dst_dir_fd=parent)
            os.fsync(parent)

    def remove(self, name: str) -> None:
        with self._parent(name, create=False) as (parent, last), suppress(FileNotFoundError):
            os.unlink(last, dir_fd=parent)

    def _sweep(self) -> None:
        """Take away the drafts that killed processes left."""
        for place in _PROJECTED:
            with (
                suppress(OSError),
                _open_way(self._project, [*self._way, *place.split("/")], create=False) as here,
            ):
                for name in os.listdir(here):  # noqa: PTH208 - as above
                    if name.startswith(".") and name.endswith(_DRAFT) and _is_stale(here, name):
                        os.unlink(name, dir_fd=here)

    def _bytes(self, name: str) -> bytes | None:
        *way, last = name.split("/")
        try:
            with _open_way(self._project, [*self._way, *way], create=False) as parent:
                return _raw(parent, last)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._refused(name, error) from error

    @contextmanager
    def _parent(self, name: str, *, create: bool) -> Generator[tuple[int, str]]:
        *way, last = name.split("/")
        _must_be_name(last)
        try:
            with _open_way(self._project, [*self._way, *way], create=create) as parent:
                yield parent, last
        except OSError as error:
            raise self._refused(name, error) from error

    def _refused(self, name: str, error: OSError) -> TaskRefused:
        where = f"{self.path}/{name}".rstrip("/")
        return TaskRefused(f"{where}: {_reason(error)}")


@contextmanager
def _open_way(project: Path, way: Sequence[str], *, create: bool) -> Generator[int]:
    """The folder at the end of the way, opened step by step."""
    for part in way:
        _must_be_name(part)
    here = os.open(project, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in way:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=here)
                    os.fsync(here)
            there = os.open(part, _FOLDER, dir_fd=here)
            os.close(here)
            here = there
        yield here
    finally:
        os.close(here)


def _must_be_name(part: str) -> None:
    if part in ("", ".", "..") or not _SEPARATORS.isdisjoint(part):
        raise TaskRefused(f"{part!r} is no name of a file or a folder")


def _raw(parent: int, name: str, *, most: int = LARGEST) -> bytes:
    _must_be_name(name)
    handle = os.open(name, _READ, dir_fd=parent)
    with os.fdopen(handle, "rb") as file:
        facts = os.fstat(file.fileno())
        _must_be_regular(facts, name)
        if facts.st_size > most:
            raise TaskRefused(f"{name} has {facts.st_size:,} bytes; at most {most:,} are read")
        raw = file.read(most + 1)
    if len(raw) > most:
        raise TaskRefused(f"{name} has grown beyond {most:,} bytes while it was read")
    return raw


def _must_be_regular(facts: os.stat_result, name: str) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise TaskRefused(f"{name} is no plain file")


def _must_be_plain(parent: int, name: str) -> None:
    """A link or a pipe in a file's place is somebody's: it is not replaced."""
    try:
        facts = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return
    if stat.S_ISDIR(facts.st_mode):
        raise IsADirectoryError(errno.EISDIR, "")
    _must_be_regular(facts, name)


def _is_stale(here: int, name: str) -> bool:
    facts = os.stat(name, dir_fd=here, follow_symlinks=False)
    return stat.S_ISREG(facts.st_mode) and time.time() - facts.st_mtime > STALE


def _reason(error: OSError) -> str:
    if error.errno in (errno.ELOOP, errno.EMLINK):
        return "it is a link, and links are not followed"
    if error.errno == errno.ENOTDIR:
        return "a link or a file stands where a folder should be; links are not followed"
    return reason(error)
