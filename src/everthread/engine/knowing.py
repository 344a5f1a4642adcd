"""The verbs by which an agent tells what it was given, when and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everthread.domain.checks import checked_whole, optional_text

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.ports import House
    from everthread.services.giving.knew import Injected, Knew


class Knowing:
    """What every agent can tell about what was injected."""

    _house: House
    _scope: Scope

    if TYPE_CHECKING:

        def _primary_anew(self) -> int: ...

    def injections(
        self, *, turn: int | None = None, session: str | None = None, limit: int = 50
    ) -> list[Injected]:
        """What was injected, newest first: all, or for that turn of the primary thread, or in a session."""
        from everthread.services.archive.sit import find_session
        from everthread.services.giving.knew import list_injections

        most, name = checked_whole("limit", limit), optional_text("session", session)
        sitting = None
        if name is not None:
            sitting = self._house.store.read(lambda r: find_session(r, self._scope, name))
        number = None if turn is None else checked_whole("turn", turn)
        return list_injections(
            self._house,
            self._scope,
            thread=None if number is None else self._primary_anew(),
            turn=number,
            session=sitting,
            limit=most,
        )

    def knew(self, number: int) -> Knew:
        """What the agent knew at that turn of its primary thread: what it was given, what the view held."""
        from everthread.services.giving.knew import knew

        turn = checked_whole("number", number)
        return knew(self._house, self._scope, self._primary_anew(), turn)
