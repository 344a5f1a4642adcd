"""A client in a place of its own for one test, with Everthread installed in it or without."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from .client_kinds import ClaudeCode, Codex, Gemini, OpenClaw, OpenCode
from .client_runs import Place, place
from .clients import client
from .shapes import Json

Kind = TypeVar("Kind", ClaudeCode, Codex, Gemini, OpenCode, OpenClaw)

RULE = "Never push to main without asking me."
FACT = "The billing service listens on port 7431."
REQUEST = "Please repair the date parser in src/dates.py."
"""What a person says in most of these tests: a rule, a fact, a wish."""


@contextlib.contextmanager
def bare(kind: type[Kind], name: str) -> Iterator[Kind]:
    """The client as it comes. The folder's name is short, because a socket's must be."""
    wanted = client(name)
    root = Path(tempfile.mkdtemp(prefix="et-"))
    try:
        with place(root) as made:
            yield kind(made, wanted)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def install(there: ClaudeCode | Codex | Gemini | OpenCode | OpenClaw, *words: str) -> str:
    """`everthread install` in the client's own surroundings."""
    return ours(there, "install", *words, "--yes")


def ours(there: ClaudeCode | Codex | Gemini | OpenCode | OpenClaw, *words: str) -> str:
    """A command of ours, where the client finds its settings."""
    return there.place.everthread(*words, environ=there.environ)


def sent(there: Place) -> str:
    """All that the model was given to read with the last request of the conversation."""
    return there.model.turns[-1].text


def compactions(there: Place) -> list[Json]:
    """The compactions of the project's sessions, as `everthread compactions list` shows them."""
    return json.loads(there.everthread("compactions", "list", "--json"))["compactions"]


def bytes_under(folder: Path) -> dict[str, bytes]:
    """Each file there, and what is in it; without the packages that we put there ourselves."""
    files = [Path(base) / name for base, _, names in os.walk(folder) for name in names]
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(files)}
