"""What the sessions of harnesses leave in the store. Each promise is written on the method.

What no database takes in a text (NUL, half of a character) is stored as U+FFFD.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from everthread.domain.harness.checkpoints import NO_ACTIVITY, Checkpoint, Compaction, Cursor, Token

if TYPE_CHECKING:
    from everthread.domain.agents import Scope
    from everthread.domain.conversation.sessions import LastErasures


class Checkpoints(Protocol):
    """Newest first means: by time of creation, then by the order of writing."""

    def add(
        self, scope: Scope, checkpoint: Checkpoint, text: str, state: str, document: str = ""
    ) -> Checkpoint:
        """Store it with its text, its state and a task's document ("" for none).

        Its ref, hashes and entry are filled in.

        The session counts one checkpoint more.
        """
        ...

    def get(self, scope: Scope, ref: int) -> Checkpoint: ...

    def ending(self, scope: Scope, digits: str) -> Sequence[Checkpoint]:
        """Those whose id ends in these hexadecimal digits."""
        ...

    def of_session(self, scope: Scope, session: int, *, limit: int) -> Sequence[Checkpoint]:
        """Newest first."""
        ...

    def of_project(
        self, scope: Scope, project: str, *, since: int = 0, limit: int
    ) -> Sequence[Checkpoint]:
        """Of all sessions whose normalised project this is, not older than `since`; newest first."""
        ...

    def newest(self, scope: Scope, *, limit: int) -> Sequence[Checkpoint]:
        """Newest first."""
        ...

    def text(self, scope: Scope, checkpoint: Checkpoint) -> str: ...

    def state(self, scope: Scope, checkpoint: Checkpoint) -> str:
        """Its state; "" where there is none."""
        ...

    def withhold(
        self,
        scope: Scope,
        checkpoint: Checkpoint,
        *,
        text: str = "",
        state: str = "",
        activity: str = NO_ACTIVITY,
        now: int,
    ) -> None:
        """Take its text, its state and all else in it that may quote; the row stays, the salts go.

        What of them may still be told is given, and takes their place.
        """
        ...

    def trim(self, scope: Scope, session: int, *, keep: int, now: int) -> int:
        """Remove the oldest of a session beyond so many; how many went."""
        ...

    def prune(self, *, before: int, now: int, limit: int) -> int:
        """Remove those of any agent that are older, up to `limit`; how many went. For maintenance alone.

        The newest of a session that is suspended, or that has a task and is not complete, stays.
        """
        ...


class Cursors(Protocol):
    def get(self, scope: Scope, session: int, place: str) -> Cursor | None: ...

    def of_session(self, scope: Scope, session: int) -> Sequence[Cursor]:
        """By place."""
        ...

    def put(self, scope: Scope, cursor: Cursor) -> None:
        """Store it in place of the one before."""
        ...

    def erased(self, scope: Scope, key: str) -> LastErasures:
        """When the session of that key was last erased, as its tombstones say, and when any was."""
        ...


class Compactions(Protocol):
    def add(self, scope: Scope, compaction: Compaction) -> Compaction:
        """Store it without texts; its ref and entry are filled in."""
        ...

    def change(
        self,
        scope: Scope,
        compaction: Compaction,
        *,
        summary: str | None = None,
        given: str | None = None,
        now: int,
    ) -> Compaction:
        """Store what changed; the texts that are given as bodies in place of those before."""
        ...

    def withhold(
        self, scope: Scope, compaction: Compaction, *, score: str | None = None, now: int
    ) -> None:
        """Take its texts and all else in it that may quote; the row stays, the salts go.

        `score`: what of its score may still be told, for a score names what was lost.
        """
        ...

    def get(self, scope: Scope, ref: int) -> Compaction: ...

    def ending(self, scope: Scope, digits: str) -> Sequence[Compaction]:
        """Those whose id ends in these hexadecimal digits."""
        ...

    def of_session(self, scope: Scope, session: int, *, limit: int) -> Sequence[Compaction]:
        """Newest first."""
        ...

    def newest(self, scope: Scope, *, limit: int) -> Sequence[Compaction]:
        """Newest first."""
        ...

    def summary(self, scope: Scope, compaction: Compaction) -> str:
        """What the harness kept; "" where that is not known."""
        ...

    def given(self, scope: Scope, compaction: Compaction) -> str:
        """What was given back; "" where nothing was."""
        ...


class Tokens(Protocol):
    """Keys to the API. They belong to the store, not to an agent."""

    def add(self, token: Token) -> Token:
        """Store it; its ref is filled in."""
        ...

    def find(self, secret_hash: bytes) -> Token | None:
        """The token of that hash, unless it was revoked."""
        ...

    def all(self) -> Sequence[Token]:
        """Newest first, revoked ones too."""
        ...

    def used(self, token: Token, *, now: int) -> None:
        """Note that it was used; the time only grows."""
        ...

    def revoke(self, token: Token, *, now: int) -> None:
        """It opens nothing from now on; revoking it again changes nothing."""
        ...
