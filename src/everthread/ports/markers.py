"""Marks on this machine for those who cannot ask the store: hooks, and whoever registers them."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

Marker: TypeAlias = Literal["sandbox", "tasks"]
"""`sandbox`: a session may only read. `tasks`: a task is open, so harnesses should ask about tools."""


class Markers(Protocol):
    """One mark of a kind for each project and agent. To look for them must cost next to nothing."""

    def put(self, mark: Marker, project: str, agent: str, about: str) -> None:
        """Let it be there. Putting it again changes nothing."""
        ...

    def drop(self, mark: Marker, project: str, agent: str) -> None:
        """Let it not be there, if it was."""
        ...
