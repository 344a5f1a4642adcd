"""The verbs by which the tokens of the API are made and revoked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everthread.domain.harness.checkpoints import Token
    from everthread.ports import House
    from everthread.services.upkeep.tokens import Minted


class TokenKeeping:
    """What every engine can do about the keys to its API."""

    house: House

    def create_token(
        self, name: str, *, scopes: Sequence[str] = ("read",), agents: Sequence[str] = ()
    ) -> Minted:
        """Make a token for these scopes (read, write, admin) and agents (none: all of them).

        The secret is told this once.
        """
        from everthread.services.upkeep.tokens import mint

        return mint(self.house, name, scopes, agents)

    def tokens(self) -> list[Token]:
        """All tokens, newest first, revoked ones too; never a secret."""
        from everthread.services.upkeep.tokens import tokens

        return tokens(self.house)

    def revoke_token(self, name: str) -> Token:
        """Revoke a token, by its name, its id or any unique ending of it."""
        from everthread.services.upkeep.tokens import revoke

        return revoke(self.house, name)

    def token_of(self, secret: str) -> Token | None:
        """The token of that secret, unless it was revoked."""
        from everthread.services.upkeep.tokens import check

        return check(self.house, secret)
