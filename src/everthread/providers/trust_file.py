"""What the user trusts: `trusted.json` in the home folder, for nobody else's eyes or hands."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from everthread.domain.errors import CommandRefused
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.tasks.commands import Grant, NamedCommand, command_line, why_distrusted
from everthread.ports.commands import Source

from .durable_files import FoundFile, file_lock, make_folder, read_file, reason, swap

VERSION = 1
NAME = "trusted.json"
LARGEST = 1_000_000
"""Bytes of a file that names commands."""
MOST = 10_000
WAIT_SECONDS = 5.0
OTHERS = 0o022


class TrustedFile:
    """Fills `Trusted`."""

    def __init__(self, home: str | os.PathLike[str]) -> None:
        self._home = Path(home)
        self._place = self._home / NAME

    def read(self, project: str, file: str) -> Source | None:
        if "\0" in file:
            raise CommandRefused("the name of a file has no NUL character")
        root = os.path.realpath(project)
        path = os.path.realpath(Path(root, file))
        if os.path.commonpath([root, path]) != root or path == root:
            raise CommandRefused(
                f"{file} is not inside {project}; a project's commands are its own"
            )
        try:
            # A pipe in its place must not keep us waiting, and a link put there meanwhile not lead away.
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as wrong:
            raise CommandRefused(f"{file} cannot be read: {reason(wrong)}") from None
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise CommandRefused(f"{file} is not a plain file")
            content = _read_all(handle)
        finally:
            os.close(handle)
        if len(content) > LARGEST:
            raise CommandRefused(f"{file} is larger than {LARGEST:,} bytes")
        return Source(path, content)

    def trust(self, asked: NamedCommand, *, now: int) -> Grant:
        grant = Grant(
            asked.file, asked.digest, asked.key, strip_secrets(command_line(asked.command)), now
        )
        self._change(lambda kept: [*_still_of_use(kept, grant), grant])
        return grant

    def why_not(self, asked: NamedCommand) -> str | None:
        try:
            return why_distrusted(asked, self.all())
        except CommandRefused as wrong:
            return str(wrong)

    def revoke(self, file: str) -> int:
        path = os.path.realpath(file)
        gone: list[Grant] = []

        def without(kept: Sequence[Grant]) -> list[Grant]:
            gone[:] = [grant for grant in kept if grant.file == path]
            return [grant for grant in kept if grant.file != path]

        self._change(without)
        return len(gone)

    def all(self) -> Sequence[Grant]:
        return self._parsed(self._look())

    def _look(self) -> FoundFile:
        """The file as it is; refused where another user could have written it."""
        try:
            found = read_file(self._place)
        except OSError as wrong:
            raise CommandRefused(f"{self._place} cannot be read: {reason(wrong)}") from None
        if found.text is not None and (
            found.path != str(self._home.resolve() / NAME)
            or found.owner is None
            or found.owner[0] != os.geteuid()
            or found.mode & OTHERS
        ):
            raise CommandRefused(
                f"{self._place} can be written by others, so nothing in it is trusted; remove it"
            )
        return found

    def _parsed(self, found: FoundFile) -> list[Grant]:
        if not found.text:
            return []
        try:
            held: object = json.loads(found.text)
            whole = cast("dict[str, Any]", held)
            if whole["version"] != VERSION:
                raise CommandRefused(
                    f"{self._place} is of another version of Everthread; update, or remove it"
                )
            return [_grant(row) for row in whole["trusted"]]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise CommandRefused(
                f"{self._place} cannot be read, so nothing is trusted; mend it or remove it"
            ) from None

    def _change(self, changed: Callable[[Sequence[Grant]], list[Grant]]) -> None:
        try:
            make_folder(self._home)
            with file_lock(self._home / f".{NAME}.lock", seconds=WAIT_SECONDS):
                found = self._look()
                kept = self._parsed(found)
                wanted = changed(kept)
                if wanted == kept:
                    return
                rows = [grant._asdict() for grant in wanted[-MOST:]]
                text = json.dumps(
                    {"version": VERSION, "trusted": rows}, ensure_ascii=False, indent=1
                )
                if not swap(found, text + "\n"):
                    raise CommandRefused(f"{self._place} was changed meanwhile; try again")
        except OSError as wrong:
            raise CommandRefused(f"{self._place} cannot be written: {reason(wrong)}") from None


def _read_all(handle: int) -> bytes:
    """Its content, or a little more than may be."""
    parts: list[bytes] = []
    while sum(map(len, parts)) <= LARGEST and (part := os.read(handle, LARGEST + 1)):
        parts.append(part)
    return b"".join(parts)


def _still_of_use(kept: Sequence[Grant], new: Grant) -> list[Grant]:
    """All but those for other contents of that file: should it change back, a person looks again."""
    return [
        old
        for old in kept
        if old.file != new.file or (old.digest == new.digest and old.key != new.key)
    ]


def _grant(row: dict[str, Any]) -> Grant:
    file, digest, key, command, at = (row[name] for name in Grant._fields)
    texts = (file, digest, key, command)
    if not all(isinstance(text, str) for text in texts) or type(at) is not int:
        raise TypeError
    return Grant(file, digest, key, command, at)
