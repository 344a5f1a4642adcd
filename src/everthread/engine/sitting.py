"""The verbs by which an agent's sessions end, are summed up and taken up again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everthread.domain.checks import checked_number
from everthread.domain.errors import SessionUnknown

if TYPE_CHECKING:
    from everthread.domain.agents import AgentRow, Scope
    from everthread.domain.conversation.sessions import Session
    from everthread.ports import House, Records

    from .turn_hooks import TurnHooks

LOOKED_AT = 100

CONCLUDED_WITHIN = 60.0
"""Seconds that somebody waits for the end of a session to be seen to."""


class Sitting:
    """What every agent can do about its sessions."""

    _engine: TurnHooks
    _house: House
    _row: AgentRow
    _scope: Scope

    def end_session(self, name: Session | str | None = None) -> Session:
        """End a session now: the one that is named, else the one that goes on in the primary thread.

        What was said in it is drawn into memories, and it is summed up, in the background.
        """
        from everthread.services.ending.dismiss import end_by_hand

        over = end_by_hand(self._house, self._scope, None if name is None else self._named(name).id)
        self._engine.stir()
        return over

    def conclude_session(self, name: Session | str, *, seconds: float = CONCLUDED_WITHIN) -> bool:
        """See to the end of a session here and now, where no worker does: its memories, its summary.

        False: it took longer than this, or a model failed; a worker does it.
        """
        from everthread.services.ending.conclude import conclude_at_once

        within = checked_number("seconds", seconds, high=3_600)
        return conclude_at_once(self._house, self._row, self._named(name), seconds=within)

    def summarize_session(self, name: Session | str | None = None) -> Session:
        """Sum a session up now: the one that is named, else the newest. It goes on as before."""
        from everthread.services.ending.conclude import summarize_by_hand

        found = self.newest_session() if name is None else self._named(name)
        return summarize_by_hand(self._house, self._row, found)

    def newest_session(self) -> Session:
        """The one with the newest activity that is no subagent's and no task's.

        One in which nothing was said so far comes after all others: a harness opens one at its start.
        """
        own = self._house.store.read(lambda r: r.sessions.own(self._scope, limit=LOOKED_AT))
        found = [session for session in own if session.task is None]
        if not found:
            raise SessionUnknown("this agent has no session yet: nothing was said to it")
        return next((session for session in found if session.message_count), found[0])

    def _named(self, name: Session | str) -> Session:
        from everthread.services.archive.sessions import find_session

        def work(records: Records) -> Session:
            return find_session(records, self._scope, name)

        return self._house.store.read(work)
