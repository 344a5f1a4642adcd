"""Files of the user, changed so that at any moment they hold the old bytes or the new ones."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import stat
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

LARGEST = 16_000_000
"""Bytes of a file that we are ready to read and write anew; one that is larger is not a note."""

_POLL = 0.01
_LATE, _LOOKS = 0.005, 20
"""Seconds between two looks at a file that was replaced, and how many at most."""
_WIDE = (b"\xff\xfe", b"\xfe\xff")

_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file may not grow any further",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "no permission",
    errno.EPERM: "no permission",
    errno.ENOTDIR: "a file stands where a folder should be",
    errno.EEXIST: "a file stands where a folder should be",
    errno.EISDIR: "a folder stands where a file should be",
    errno.ENAMETOOLONG: "the path is too long",
    errno.ELOOP: "its links go round in a circle",
    errno.ENOENT: "the folder is not there",
    errno.EIO: "the disk failed",
}


class Trouble(OSError):
    """What the system has no number for; the message is the reason."""


class FoundFile(NamedTuple):
    """A file as it was met: equal to what is met later if nobody touched it in between."""

    path: str
    """Its real place: a link stays a link, and what it points to is written."""
    text: str | None = None
    """Bytes that are not UTF-8 are carried as lone surrogates; None: there is no file."""
    state: tuple[int, ...] = ()
    mode: int = 0o600
    owner: tuple[int, int] | None = None


def reason(error: OSError) -> str:
    """Why it failed, in plain words."""
    if isinstance(error, Trouble) or error.errno is None:
        return str(error)
    return _REASONS.get(error.errno) or os.strerror(error.errno).lower()


@contextmanager
def file_lock(path: Path, *, seconds: float) -> Generator[None]:
    """Nobody else who asks for this lock has it. It dies with its process."""
    deadline = time.monotonic() + seconds
    while (handle := _try_lock(path)) is None:
        if time.monotonic() >= deadline:
            raise Trouble(f"another process has been writing for over {seconds:g} s")
        time.sleep(_POLL)
    try:
        yield
    finally:
        os.close(handle)


def _try_lock(path: Path) -> int | None:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Somebody may have removed the file meanwhile: then this lock keeps nobody out.
        if os.path.samestat(os.fstat(handle), path.stat()):
            return handle
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def make_folder(folder: Path) -> None:
    """The folder and what is missing above it, for the user alone."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)
        sync(place.parent)


def read_file(path: Path) -> FoundFile:
    """The file behind that path."""
    place = os.path.realpath(path)
    try:
        # A pipe in its place must not keep us waiting.
        handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return FoundFile(place)
    with os.fdopen(handle, "rb") as file:
        seen = os.fstat(handle)
        _check(seen)
        raw = file.read(LARGEST + 1)
    if raw.startswith(_WIDE) or b"\0" in raw:
        raise Trouble("it is not a text in UTF-8, and what we add would spoil it")
    return FoundFile(
        place,
        raw.decode(errors="surrogateescape"),
        (seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns),
        stat.S_IMODE(seen.st_mode),
        (seen.st_uid, seen.st_gid),
    )


def _check(seen: os.stat_result) -> None:
    if stat.S_ISDIR(seen.st_mode):
        raise IsADirectoryError(errno.EISDIR, "")
    if not stat.S_ISREG(seen.st_mode):
        raise Trouble("it is not a plain file")
    if seen.st_size > LARGEST:
        raise Trouble(f"it is larger than {LARGEST // 1_000_000} MB")


def swap(found: FoundFile, text: str | None) -> bool:
    """Put the text in place of what was found, synced; None removes the file.

    False, and nothing is changed, if somebody changed it since. What somebody appends in the very
    moment in which it is put there goes to the file that is gone: it is brought over.
    """
    place = Path(found.path)
    with _held(found) as old:
        if not _replace(place, found, text):
            return False
        sync(place.parent)
        _bring_over(old, found, place)
    return True


def _replace(place: Path, found: FoundFile, text: str | None) -> bool:
    if text is None:
        if read_file(place) != found:
            return False
        place.unlink(missing_ok=True)
        return True
    # Always the same name, so that one left behind by a killed process is used up by the next.
    name = hashlib.sha256(found.path.encode(errors="surrogateescape")).hexdigest()[:12]
    draft = place.parent / f".everthread-{name}.tmp"
    try:
        _write_draft(draft, found, text)
        if read_file(place) != found:
            return False
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)
    return True


@contextmanager
def _held(found: FoundFile) -> Generator[int | None]:
    """The file that was found, open, so that it can be looked at once its name is another's."""
    if found.text is None:
        yield None
        return
    try:
        handle = os.open(found.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        yield None  # it was changed since, and so is not replaced
        return
    try:
        yield handle
    finally:
        os.close(handle)


def _bring_over(old: int | None, found: FoundFile, place: Path) -> None:
    """Append what came to the old file at its end: at once, and until nothing more comes."""
    if old is None or found.text is None:
        return
    at = len(found.text.encode(errors="surrogateescape"))
    for _ in range(_LOOKS):
        late = os.pread(old, LARGEST, at)
        at += len(late)
        if late:
            _append(place, late)
        time.sleep(_LATE)
        if not late and os.fstat(old).st_size <= at:
            return


def _append(place: Path, late: bytes) -> None:
    handle = os.open(place, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "rb+", buffering=0) as file:
        size = os.fstat(handle).st_size
        glued = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
        file.write(b"\n" + late if glued else late)
        os.fsync(handle)


def _write_draft(draft: Path, found: FoundFile, text: str) -> None:
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(text.encode(errors="surrogateescape"))
        file.flush()
        if found.owner is not None and found.owner != (os.geteuid(), os.getegid()):
            # Only a privileged process may give a file away; the content matters more.
            with suppress(PermissionError):
                os.fchown(handle, *found.owner)
        os.fchmod(handle, found.mode)
        os.fsync(handle)


def sync(place: Path) -> None:
    """What the folder or file holds now is on disk."""
    handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError as wrong:
        # Some file systems cannot sync a folder, and say so like this.
        if wrong.errno != errno.EINVAL:
            raise
    finally:
        os.close(handle)
