"""Turns that were begun over the API and wait for the model: held here until they end.

A turn lives in the process that began it. One that nobody speaks of for a while is given up, so that
its thread is free again.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from everthread.domain.errors import EverthreadError, ThreadBusy, TurnUnknown

if TYPE_CHECKING:
    from everthread.engine.turn import Turn

MOST = 200
IDLE_SECONDS = 900.0
LEFT = "nobody spoke of the turn for a quarter of an hour"


@dataclass
class HeldTurn:
    """An open turn and its agent; one request at a time."""

    turn: Turn
    agent: str
    at: float
    lock: threading.Lock = field(default_factory=threading.Lock)


class OpenTurns:
    """Open turns by their id."""

    def __init__(self, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle = idle_seconds
        self._held: dict[str, HeldTurn] = {}
        self._lock = threading.Lock()

    def must_have_room(self) -> None:
        """Give up what was left lying; refuse where too much is open still."""
        self.sweep()
        if len(self._held) >= MOST:
            raise ThreadBusy(f"{MOST} turns are open over the API; end some of them first")

    def hold(self, turn: Turn, agent: str) -> None:
        with self._lock:
            self._held[turn.id] = HeldTurn(turn, agent, time.monotonic())

    def find(self, turn: str, agent: str) -> HeldTurn:
        """The open turn of that id or number, if it is this agent's."""
        with self._lock:
            own = [held for held in self._held.values() if held.agent == agent]
            found = [h for h in own if turn in (h.turn.id, str(h.turn.number))]
            if not found:
                raise TurnUnknown(
                    f"no open turn {turn!r:.60} of this agent: give the `id` or the `number` that it was "
                    "begun with. It may have ended, which the list of turns shows; or the daemon was "
                    "restarted"
                )
            if len(found) > 1:  # each thread counts its own
                raise TurnUnknown(
                    f"turns {turn!r:.60} are open on {len(found)} threads; give the `id`"
                )
            found[0].at = time.monotonic()
            return found[0]

    def settle(self, held: HeldTurn) -> None:
        """Let go of a turn that is over."""
        if held.turn.state != "open":
            with self._lock:
                self._held.pop(held.turn.id, None)

    def sweep(self) -> None:
        """Give up the turns that were left lying."""
        since = time.monotonic() - self._idle
        with self._lock:
            late = [h for h in self._held.values() if h.at < since and not h.lock.locked()]
            for held in late:
                del self._held[held.turn.id]
        for held in late:
            self._end(held, LEFT)

    def _end(self, held: HeldTurn, why: str) -> None:
        with held.lock:
            if held.turn.state == "open":
                with suppress(EverthreadError):  # it is let go of all the same; its lease runs out
                    held.turn.failed(why)
