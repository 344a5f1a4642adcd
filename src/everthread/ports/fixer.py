"""Whoever may be asked about a step that keeps failing."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from everthread.domain.distilling.drafts import NOTHING, Spend


class Advice(NamedTuple):
    text: str
    """A suggestion in words, or an answer that begins with ESCALATE."""
    spent: Spend = NOTHING


class Fixer(Protocol):
    @property
    def name(self) -> str:
        """Who answers; without secrets."""
        ...

    def suggest(self, context: str) -> Advice:
        """One question, one answer, within its time limit and the daily cap.

        Raises `ModelFailed` where there is none; it says what was spent all the same.
        """
        ...
