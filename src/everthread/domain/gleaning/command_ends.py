"""How the runs of one command ended: the last, and whether one before it ended otherwise.

`ok` alone would say that none of them failed.
"""

from __future__ import annotations

from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.refused_calls import REFUSED, STOPPED

from .digest import FAILED_BEFORE, OK_BEFORE

_END = lazy_pattern(
    rf"(?P<head>ok|failed|exit -?\d+)(?P<before>{FAILED_BEFORE}|{OK_BEFORE})?(?:: (?P<printed>.+))?"
)


class CommandEnd(NamedTuple):
    """A note of the ledger, taken apart."""

    head: str
    """`ok`, `failed` or `exit 1`."""
    before: str
    """What is said of the runs before it; mostly nothing."""
    printed: str
    """The error that it printed, if one is known."""

    @property
    def went_well(self) -> bool:
        return self.head == "ok"


def read_end(note: str) -> CommandEnd:
    """A note taken apart; where it is only what was printed, the command failed."""
    found = _END.fullmatch(note)
    if found is None:
        return CommandEnd("failed", "", note)
    return CommandEnd(found["head"], found["before"] or "", found["printed"] or "")


def joined_ends(old: str, new: str) -> str:
    """The note after one more run."""
    if not old or old in _BY_PERSON or new in _BY_PERSON:
        return new  # that she would not have it says nothing of how it ends
    was, now = read_end(old), read_end(new)
    if not was.before and was.went_well == now.went_well:
        return new
    before = FAILED_BEFORE if now.went_well else OK_BEFORE
    return f"{now.head}{before}: {now.printed}" if now.printed else f"{now.head}{before}"


_BY_PERSON = (REFUSED, STOPPED)
