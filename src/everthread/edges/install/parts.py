"""Of what an installation is made: files that are ours, and entries of ours in the files of others."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from .changes import Made
from .events import GATE_SECONDS, GATES

MARK = "everthread"


class OwnFile(NamedTuple):
    """A file that is ours from the first byte to the last."""

    path: Path
    data: bytes
    why: str


class Entries(NamedTuple):
    """Entries of ours in a file of somebody else's. Both functions leave the rest of the text alone."""

    path: Path
    why: str
    add: Callable[[str], tuple[str, Made]]
    """The text with our entries, current ones only, and what had to be made for them."""
    remove: Callable[[str, Made], str]
    """The text without any entry of ours."""


Part = OwnFile | Entries


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine as an installer sees it, and the commands that a harness is to run."""

    environ: Mapping[str, str]
    user: Path
    """The home folder of the person."""
    home: Path
    """The home folder of Everthread."""
    socket: Path
    hook: Callable[[str, str], Sequence[str]]
    """The command of a harness's event."""
    limit: Callable[[str], int]
    """How many milliseconds that command takes at most."""
    mcp: Sequence[str]
    """The command of the MCP server."""
    which: Callable[[str], str | None]
    """Where a program is, if it is anywhere."""
    plain: bool = False
    """Claude Code: hooks in its settings instead of a plugin."""
    instructions: bool = False
    """May the instruction file of the harness have a section of ours?"""
    gate: bool = False
    """Is a task open, so that the harness should ask before a tool runs?"""

    @property
    def hooks(self) -> Path:
        """The folder of the hook client: a command that names it is ours."""
        return self.home / "hooks"

    def patience(self, event: str, usual: int) -> int:
        """Seconds that a harness should wait at an event: never fewer than our own client does."""
        return max(usual, -(-self.limit(event) // 1_000) + 1)

    def ours(self, words: Sequence[object]) -> bool:
        """Is this command one of ours, as a list of words or as a line for a shell?"""
        marks = {f"{folder}/" for folder in (self.hooks, self.hooks.resolve())}
        told = (part for word in words if isinstance(word, str) for part in _unquoted(word))
        return any(mark in part for part in told for mark in marks)

    def ours_server(self, server: object) -> bool:
        """Is this entry of a list of MCP servers the one that starts ours?"""
        return isinstance(server, dict) and MARK in str(cast("dict[str, object]", server))

    def events(self, harness: str, usual: Mapping[str, int]) -> dict[str, int]:
        """What is asked for there: the usual events, and that of the tool gate while a task is open."""
        return {**usual, **({GATES[harness]: GATE_SECONDS} if self.gate else {})}

    def place(self, variable: str, *usual: str) -> Path:
        """A folder that a variable names, else one below the person's home."""
        named = self.environ.get(variable)
        return Path(named).expanduser() if named else self.user.joinpath(*usual)


def gate_state(home: Path) -> Path:
    """A file that is there while harnesses ask before a tool runs, as far as we told them."""
    return home / "run" / "gate"


def _unquoted(word: str) -> list[str]:
    """The word, and what a shell would make of it: a path with a quote in it is written in pieces."""
    try:
        return [word, *shlex.split(word)]
    except ValueError:
        return [word]  # a quote that nobody closed


class FoundHarness(NamedTuple):
    """A harness on this machine."""

    folder: Path
    """Where its settings are, or will be."""
    program: str | None
    version: str | None


class Installer(Protocol):
    """What has to be known about one harness."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    def find(self, around: Machine) -> FoundHarness | None:
        """Is it here? Its settings or its program is enough."""
        ...

    def parts(self, around: Machine) -> list[Part]:
        """What an installation consists of, in the order in which it is made."""
        ...

    def advice(self, around: Machine) -> list[str]:
        """What the person has to do or to know afterwards."""
        ...

    def sessions(self, around: Machine) -> Iterable[Path]:
        """The files that the harness itself writes while it is used."""
        ...


def find_harness(around: Machine, folder: Path, program: str) -> FoundHarness | None:
    """The usual way to look for a harness."""
    path = around.which(program)
    if path is None and not folder.is_dir():
        return None
    return FoundHarness(folder, path, None if path is None else version_of(path))


def version_of(program: str) -> str | None:
    """The version that lies beside a program from npm. It is never run for that."""
    for folder in list(Path(program).resolve().parents)[:4]:
        try:
            version = json.loads((folder / "package.json").read_bytes())["version"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        return str(version)
    return None
