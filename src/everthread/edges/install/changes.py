"""A change to a file: what it was, what it becomes, and why. Shown first, then done whole or not at all."""

from __future__ import annotations

import difflib
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from everthread.domain.errors import InstallRefused

Made = tuple[tuple[str, ...], ...]
"""The containers that had to be made for our entries, so that they can go with them."""


class Change(NamedTuple):
    """One file. None: it is not there."""

    path: Path
    before: bytes | None
    after: bytes | None
    why: str
    owned: bool = False
    """Is the whole file ours?"""
    made: Made = ()

    @property
    def verb(self) -> str:
        if self.before is None:
            return "create"
        return "remove" if self.after is None else "change"


def content(path: Path) -> bytes | None:
    """What is in the file; None where there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as wrong:
        raise InstallRefused(
            f"{path} cannot be read ({wrong.strerror}); it was left alone"
        ) from wrong


def text_of(path: Path, data: bytes) -> str:
    """The text of a settings file."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        raise InstallRefused(
            f"{path} is not UTF-8 text; mend it first, it was left alone"
        ) from wrong


def lenient_text(data: bytes) -> str:
    """The text of a file in whatever encoding, to look at it or to take something out of it: what is no
    UTF-8 becomes the same bytes again by `bytes_of`."""
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """What `loosely` read, as it was."""
    return text.encode("utf-8", "surrogateescape")


def diff(change: Change) -> Iterator[str]:
    """The change as people read it, line by line."""
    old, new = (_lines(data) for data in (change.before, change.after))
    name = str(change.path)
    first = "/dev/null" if change.before is None else name
    second = "/dev/null" if change.after is None else name
    for line in difflib.unified_diff(old, new, first, second, n=3):
        yield line.rstrip("\r\n")


def _lines(data: bytes | None) -> list[str]:
    return [] if data is None else data.decode("utf-8", "replace").splitlines(keepends=True)


def apply(changes: Sequence[Change]) -> list[Path]:
    """Make them all; if one fails, take back those before it. The folders that were made for them."""
    for change in changes:
        _must_fit(change)
    done: list[Change] = []
    folders: list[Path] = []
    try:
        for change in changes:
            folders += made_folders(change)
            _write(change.path, change.after)
            done.append(change)
    except OSError as wrong:
        left = _take_back(done)
        for folder in reversed(folders):
            with suppress(OSError):
                folder.rmdir()
        where = wrong.filename or changes[len(done)].path
        then = (
            f"these could not be put back: {', '.join(left)}. Run `everthread uninstall` once that is mended"
            if left
            else "what was changed before was put back"
        )
        raise InstallRefused(f"{where}: {wrong.strerror}; {then}") from wrong
    return folders


def _take_back(done: Sequence[Change]) -> list[str]:
    """Put back what was, the last first; the files for which that failed too."""
    left: list[str] = []
    for change in reversed(done):
        try:
            _write(change.path, change.before)
        except OSError:
            left.append(str(change.path))
    return left


def _must_fit(change: Change) -> None:
    """Is the file still as it was shown, and may it be written?"""
    path = change.path
    if content(path) != change.before:
        raise InstallRefused(f"{path} was changed by somebody else just now; run it again")
    if change.before is not None and not _writable(path):
        raise InstallRefused(f"{path} is read-only; it was left alone. Make it writable first")


def _writable(path: Path) -> bool:
    # Root may write what nobody is meant to; the mode says what is meant.
    mode = path.stat().st_mode
    return bool(mode & 0o222) and os.access(path, os.W_OK)


def made_folders(change: Change) -> list[Path]:
    """Make the folders that a new file needs; those that were not there, outermost first."""
    if change.after is None:
        return []
    missing = [each for each in change.path.parents if not each.exists()]
    for folder in reversed(missing):
        folder.mkdir()
    return missing[::-1]


def _write(path: Path, data: bytes | None) -> None:
    if data is None:
        path.unlink(missing_ok=True)
        return
    target = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            _copy_owner(target, file.fileno())
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    _settle(target.parent)


def _copy_owner(target: Path, handle: int) -> None:
    """Give the new file the mode and the owner of the old."""
    try:
        old = target.stat()
    except FileNotFoundError:
        os.fchmod(handle, 0o644 & ~_umask())
        return
    os.fchmod(handle, stat.S_IMODE(old.st_mode))
    if os.geteuid() == 0:
        os.fchown(handle, old.st_uid, old.st_gid)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _settle(folder: Path) -> None:
    """A rename is on disk when its folder is."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
