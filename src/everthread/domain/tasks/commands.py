"""Commands that a project names: how one ran, what it may not touch, and whether it is trusted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from everthread.domain.errors import BadInput

Command: TypeAlias = str | Sequence[str]
"""A line for `/bin/sh -c`, or a program and its arguments."""

OUTPUT_BYTES = 64 * 1024
"""So much of what a command prints is kept, unless told otherwise."""

LONGEST_LINE = 100_000
"""Characters of a command; more than any that a person writes, less than any system refuses."""


class CommandRun(NamedTuple):
    """How a command ended. What it printed is data, and not redacted yet."""

    code: int | None
    """Its exit code; below zero the signal that ended it; None if it never ran or nobody can know."""
    output: str
    """Both streams as they came; of a long one the head and the tail, and how much is missing between."""
    cut: bool
    timed_out: bool
    seconds: float
    leftovers_killed: int
    """Processes that it left behind, and that were ended with it."""
    error: str | None = None
    """Why it could not run, or was ended; None where it ended by itself."""

    @property
    def passed(self) -> bool:
        return self.code == 0 and self.error is None


@dataclass(frozen=True, slots=True)
class Cage:
    """A command in it can write nowhere but to a private folder that is gone afterwards."""

    network: bool = True
    """May it connect to other machines? An agent has to reach its model."""
    hidden: tuple[str, ...] = ()
    """Files and folders that it cannot read either, beside those that never can be."""


@dataclass(frozen=True, slots=True)
class NamedCommand:
    """A command as a file of a project names it."""

    file: str
    """The real path of that file."""
    digest: str
    """The SHA-256 of the file's bytes, the very ones that the command was read from."""
    command: Command

    @property
    def key(self) -> str:
        """The SHA-256 of the command; a line and a list of words are never the same."""
        return hashlib.sha256(
            command_line(self.command).encode("utf-8", "surrogatepass")
        ).hexdigest()


class Grant(NamedTuple):
    """That a person of this machine trusts a command, as long as its file stays what it is."""

    file: str
    digest: str
    key: str
    command: str
    """For people: redacted, and never run."""
    at: int


def command_line(command: Command) -> str:
    """The command on one line; JSON where it is a list."""
    if isinstance(command, str):
        return command
    return json.dumps([*command], ensure_ascii=False)


def named_command(file: str, content: bytes, command: Command) -> NamedCommand:
    """The command that was read from these bytes of that file."""
    return NamedCommand(
        file, hashlib.sha256(content).hexdigest(), plain_command(checked_command(command))
    )


def trusts_file(file: str, content: bytes, grants: Sequence[Grant]) -> bool:
    """Did the user trust a command of this file, as it is now? Then they read it."""
    digest = hashlib.sha256(content).hexdigest()
    return any(grant.file == file and grant.digest == digest for grant in grants)


def plain_command(command: Command) -> Command:
    """The command if a person can read it as it will run; `BadInput` where it could forge what they see.

    In a list, tabs and ends of lines are shown by their names, so they may be there.
    """
    line = command if isinstance(command, str) else "".join(command)
    kept = "\t" if isinstance(command, str) else "\t\n"
    odd = next((c for c in line if not c.isprintable() and c not in kept), None)
    if odd is not None:
        raise BadInput(
            f"the command has a character that cannot be seen ({odd!a}): what is shown would not be "
            "what runs. Put it into a script, and name that"
        )
    return command


def why_distrusted(asked: NamedCommand, grants: Sequence[Grant]) -> str | None:
    """Why the command may not run; None if it may."""
    of_file = [grant for grant in grants if grant.file == asked.file]
    if any(grant.digest == asked.digest and grant.key == asked.key for grant in of_file):
        return None
    if any(grant.key == asked.key for grant in of_file):
        return f"{asked.file} changed since its command was trusted; read it, then trust it again"
    return f"the command that {asked.file} names is not trusted; read it, then trust it"


def checked_command(command: Command) -> Command:
    """The command if it can be run at all; `BadInput` otherwise. A list becomes a tuple."""
    words = (command,) if isinstance(command, str) else tuple(command)
    if not all(isinstance(word, str) for word in words):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput("a command is a line of text, or a list of texts")
    if not words or not words[0].strip():
        raise BadInput("the command is empty; name a program")
    if any("\0" in word for word in words):
        raise BadInput("the command has a NUL character; no system can run it")
    if sum(map(len, words)) > LONGEST_LINE:
        raise BadInput(
            f"the command is longer than {LONGEST_LINE:,} characters; put it into a file"
        )
    return command if isinstance(command, str) else words
