"""Beats: what a clock sends where a person could have spoken. A heartbeat, a cron job.

Whoever sends one says so best: `origin="system"`. Where nobody did, two things tell it: the words by
which a known protocol wakes an agent, and a long text that comes word for word, time after time, at
even intervals. In doubt a person spoke: somebody says `continue` all day, and names are given to people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from everthread.domain.times import MINUTE

from .messages import TEXT, Draft, Message

LONG = 60
"""Characters: what is shorter, people do say again and again."""

TELLINGS = 3
"""The same words come by chance once more, at an even interval hardly."""

EVEN = 0.1
"""So much of the longer of two intervals they may differ."""

SHORTEST = 5 * MINUTE
"""Who says the same after less waits for an answer, or tries again."""

LOOKED_BACK = 24
"""Messages of the thread before it, among which its earlier tellings are looked for."""

WAKES = (
    "Read HEARTBEAT.md if it exists",
    "Follow the heartbeat monitor scratch context",
    "Run the following periodic tasks (only those due based on their intervals):",
    "A scheduled reminder has been triggered.",
    "A scheduled cron event was triggered",
    "An async command you ran earlier has completed",
    "An async command completion event was triggered",
    "[OpenClaw heartbeat poll]",
    "[OpenClaw exec completion]",
    "[OpenClaw cron wake]",
    "[OpenClaw session event]",
)
"""How OpenClaw wakes an agent, and what it leaves of that in the transcript. Others took it over."""

CONTRACTS = (
    "nothing needs attention, reply HEARTBEAT_OK",
    "nothing needs attention, reply NO_REPLY",
)
"""How such a prompt ends, whatever else its owner wrote into it."""

QUIET = ("HEARTBEAT_OK", "NO_REPLY")
"""The reply that says: nothing to say. It stands first or last, with little beside it."""
BESIDE = 300


def is_wake_up(text: str) -> bool:
    """Are these the words by which a known protocol wakes an agent?"""
    told = text.strip()
    return told.startswith(WAKES) or told.rstrip(".!`*\"'").endswith(CONTRACTS)


def is_quiet(text: str) -> bool:
    """Does the agent only say that there is nothing to say, as such a prompt asks it to?"""
    told = text.strip(" \n\t`*_.!")
    return len(told) <= BESIDE and (told.startswith(QUIET) or told.endswith(QUIET))


def is_even(times: Sequence[int]) -> bool:
    """Did the last tellings come at even intervals, as from a clock?"""
    last = times[-TELLINGS:]
    gaps = [after - before for before, after in pairwise(last)]
    if len(last) < TELLINGS or min(gaps) < SHORTEST:
        return False
    return max(gaps) - min(gaps) <= EVEN * max(gaps)


def may_be_beat(said: Draft | Message) -> bool:
    """Might a clock have sent it: a text that came as a user's, and that no name stands beside?"""
    plain = said.role == "user" and said.form == TEXT and said.kind == "said"
    return plain and said.name is None and said.principal is None


def mark_known_beat(draft: Draft) -> Draft:
    """The draft, as the system's if its words are those of a known protocol."""
    return (
        draft._replace(origin="system")
        if may_be_beat(draft) and is_wake_up(draft.content)
        else draft
    )


def is_beat(draft: Draft, before: Iterable[Message], *, at: int) -> bool:
    """Was what is said now sent by a clock, as far as the messages before it tell, oldest first?"""
    if len(draft.content) < LONG or not may_be_beat(draft):
        return False
    told = [m for m in before if m.content == draft.content and may_be_beat(m)]
    known = any(m.origin == "system" for m in told)
    return known or is_even([*(m.at_ms for m in told), at])


class Beat(NamedTuple):
    """A message that a clock sent."""

    before: tuple[bytes, ...] = ()
    """Its tellings before, where they were taken for a person's words until now."""


class Beats:
    """Which messages a clock sent, of those that are read in order."""

    def __init__(self) -> None:
        self._told: dict[tuple[int, int], list[tuple[int, bytes]]] = {}
        self._known: set[tuple[int, int]] = set()

    def heard(self, message: Message) -> Beat | None:
        """The beat, if it is one: told to be, by its words, or by those before it."""
        if not may_be_beat(message):
            return None
        text = message.content
        key = len(text), hash(text)
        told = self._told.setdefault(key, [])
        clocks = message.origin == "system" or is_wake_up(text)
        if not clocks and (message.origin != "user" or len(text) < LONG):
            return None
        rhythm = is_even([*(at for at, _ in told), message.at_ms])
        if not clocks and key not in self._known and not rhythm:
            told.append((message.at_ms, message.key))
            return None
        self._known.add(key)
        # Tellings that were not in this rhythm were somebody's own.
        before = tuple(name for _, name in told[1 - TELLINGS :]) if rhythm else ()
        told.clear()
        return Beat(before)
