"""By which a command is known again, so that what it printed once is known as mended when it goes well."""

from __future__ import annotations

from hashlib import blake2s

from everthread.domain.text.patterns import lazy_pattern

WENT = lazy_pattern(r"(?:cd\s+[^&;|]+(?:&&|;)\s*)+")
"""Where a command is run, before what is run."""

_SHOWN = lazy_pattern(r"(?:\s*2>\s*&1)?\s*(?:\|\s*(?:head|tail)\b[^|;&]*)*$")
"""How much of a command's output is looked at, and not what it does."""

_VERB = lazy_pattern(r"[a-z][\w:-]*")
_JOINED = lazy_pattern(r"&&|\|\||[;|<>]")
_CHECKS = lazy_pattern(
    r"\b(?:tests?|lint|typecheck|type-check|check|build|compile|vet|verify|clippy|fmt|format|pytest|mypy|ruff|"
    r"pyright|basedpyright|tsc|eslint|jest|vitest|tox|nox|rspec|phpunit|ctest)\b"
)
_ALL = lazy_pattern(
    r"\.|\./\.\.\.|\d+|(?:--|-(?!-))(?!w\b|k\b|run\b|p\b|t\b|m\b|workspace|filter|package|version|help|h\b)[\w-]+"
)
"""What does not narrow a command: flags, numbers, and the names of all there is."""


def command_mark(command: str) -> str:
    """A short name without any text: of the whole command, then of what it does to whatever it does it.

    `pytest tests/a.py` and `pytest` have the second in common.
    """
    bare = bare_command(command)
    return f"{_short_hash(bare)} {_short_hash(_command_head(bare))}"


def checks_everything(command: str) -> bool:
    """Does it check everything: without a name of a file, a test or a part of the project?"""
    bare = bare_command(command)
    head = _command_head(bare)
    if not bare.startswith(head) or _CHECKS.search(head) is None:
        return False
    return all(map(_ALL.fullmatch, bare.removeprefix(head).split()))


def bare_command(command: str) -> str:
    """What is run, however much of what it prints is looked at."""
    return " ".join(_SHOWN.sub("", command, count=1).split())


def _command_head(command: str) -> str:
    """The program and what it is told to do; nothing of several in a row."""
    run = WENT.sub("", command)
    if _JOINED.search(run):
        return ""
    words = run.split()
    at = next((n for n, word in enumerate(words) if not _VERB.fullmatch(word)), len(words))
    return " ".join(words[:at])


def _short_hash(text: str) -> str:
    return blake2s(text.encode(errors="replace"), digest_size=4).hexdigest()
