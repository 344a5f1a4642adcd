"""Who may come in: over the Unix socket its owner; over TCP whoever the API would let in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everthread.edges.http.keys import LOCAL_KEY, Key

from .caller import DaemonCore

if TYPE_CHECKING:
    from everthread.edges.http.access import Gate


class Guard:
    """Stands at the door. What the API's gate asks of Host, Origin and token is asked here too."""

    def __init__(self, served: DaemonCore) -> None:
        self._served = served
        self._gate: Gate | None = None

    async def let_in(self, scope: Any) -> Key:
        """Whose request this is; `Refused` where it may not come in."""
        if scope.get("client") is None:
            return LOCAL_KEY  # whoever can open the socket is its owner
        from starlette.requests import Request  # noqa: PLC0415 - only over TCP

        from everthread.edges.http.access import Gate  # noqa: PLC0415 - as above

        if self._gate is None:
            self._gate = Gate(self._served)
        return await self._gate.key_of(Request(scope))
