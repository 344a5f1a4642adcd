"""By which a command is known again, so that what it printed once is known as mended when it goes well."""

from __future__ import annotations

from hashlib import blake2s

from everthread.domain.text.patterns import late

WENT = late(r"(?:cd\s+[^&;|]+(?:&&|;)\s*)+")
"""Where a command is run, before what is run."""

_SHOWN = late(r"(?:\s*2>\s*&1)?\s*(?:\|\s*(?:head|tail)\b[^|;&]*)*$")
"""How much of a command's output is looked at, and not what it does."""

_VERB = late(r"[a-z][\w:-]*")
_JOINED = late(r"&&|\|\||[;|<>]")
_CHECKS = late(
    r"\b(?:tests?|lint|typecheck|type-check|check|build|compile|vet|verify|clippy|fmt|format|pytest|mypy|ruff|"
    r"pyright|basedpyright|tsc|eslint|jest|vitest|tox|nox|rspec|phpunit|ctest)\b"
)
_ALL = late(
    r"\.|\./\.\.\.|\d+|(?:--|-(?!-))(?!w\b|k\b|run\b|p\b|t\b|m\b|workspace|filter|package|version|help|h\b)[\w-]+"
)
"""What does not narrow a command: flags, numbers, and the names of all there is."""


def mark(command: str) -> str:
    """A short name without any text: of the whole command, then of what it does to whatever it does it.

    `pytest tests/a.py` and `pytest` have the second in common.
    """
    bare = _bare(command)
    return f"{_hashed(bare)} {_hashed(_head(bare))}"


def of_all(command: str) -> bool:
    """Does it check everything: without a name of a file, a test or a part of the project?"""
    bare = _bare(command)
    head = _head(bare)
    if not bare.startswith(head) or _CHECKS.search(head) is None:
        return False
    return all(map(_ALL.fullmatch, bare.removeprefix(head).split()))


def _bare(command: str) -> str:
    return " ".join(_SHOWN.sub("", command, count=1).split())


def _head(command: str) -> str:
    """The program and what it is told to do; nothing of several in a row."""
    run = WENT.sub("", command)
    if _JOINED.search(run):
        return ""
    words = run.split()
    at = next((n for n, word in enumerate(words) if not _VERB.fullmatch(word)), len(words))
    return " ".join(words[:at])


def _hashed(text: str) -> str:
    return blake2s(text.encode(errors="replace"), digest_size=4).hexdigest()
