"""The verbs by which an agent tells what it was given, when and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everthread.domain.checks import checked_limit, checked_whole

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.domain.conversation.sessions import Session
    from everthread.ports import House
    from everthread.services.giving.turn_knowledge import Injected, TurnKnowledge


class Knowing:
    """What every agent can tell about what was injected."""

    _house: House
    _scope: Scope

    if TYPE_CHECKING:

        def _primary_anew(self) -> int: ...

    def injections(
        self, *, turn: int | None = None, session: Session | str | None = None, limit: int = 50
    ) -> list[Injected]:
        """What was injected, newest first: all, or for that turn of the primary thread, or in a session."""
        from everthread.services.archive.sessions import find_session
        from everthread.services.giving.turn_knowledge import list_injections

        most, sitting = checked_limit(limit), None
        if session is not None:
            sitting = self._house.store.read(lambda r: find_session(r, self._scope, session))
        number = None if turn is None else checked_whole("turn", turn)
        return list_injections(
            self._house,
            self._scope,
            thread=None if number is None else self._primary_anew(),
            turn=number,
            session=sitting,
            limit=most,
        )

    def knew(self, number: int) -> TurnKnowledge:
        """What the agent knew at that turn of its primary thread: what it was given, what the view held."""
        from everthread.services.giving.turn_knowledge import knowledge_at

        turn = checked_whole("number", number)
        return knowledge_at(self._house, self._scope, self._primary_anew(), turn)
