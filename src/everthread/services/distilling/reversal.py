"""What undoing or redoing a distillation would do, and what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.views import Mark
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.gleaning.digest import Digest

from .learn import Compared
from .rechain import Link


class Reversal(NamedTuple):
    """What undoing or redoing did, or would do."""

    receipt: Receipt
    dry: bool
    messages: int
    """How many messages come back into the view, or leave it."""
    tokens_before: int
    tokens_after: int
    """What the view weighs, calibrated."""
    limit: int
    """What a request may hold at most."""
    remade: Sequence[int]
    """The numbers of the distillations that are made anew."""
    memories: int = 0
    """How many memories are taken back or drawn again."""
    left: Sequence[str] = ()
    """Memories that somebody touched since: they stay as they are."""
    left_why: Sequence[str] = ()
    """Of each of them, what happened to it."""
    files: Sequence[str] = ()
    warnings: Sequence[str] = ()


class Plan(NamedTuple):
    """What will stand, what it weighs, and which version of the view it was made for."""

    receipt: Receipt
    thread: Thread
    marks: Sequence[Mark]
    links: Sequence[Link]
    before: Digest
    """What came before the distillation in question."""
    weighs: int
    """What its messages weigh."""
    shown: int
    """What the view weighs now."""
    fixed: int
    drawn: Compared = Compared((), 0)
    """The memories that redoing draws again."""
    noted: Mapping[str, Any] = MappingProxyType({})
    """What redoing has to know of the chain that undoing changes."""
