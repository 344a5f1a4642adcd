"""Ids of messages by the channel that they came from: two channels count their messages alike."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.checks import checked_text
from everthread.domain.conversation.messages import Draft
from everthread.ports import House, Records

SEPARATOR = "#"
"""Between a channel and the id of a message in it."""


class ChannelIds:
    """How the ids of a channel are stored, and how they were before.

    A channel that has the separator in its name is quoted and told by one in front, so that no other
    channel and id read the same. Older stores have its ids without either.
    """

    def __init__(self, channel: str) -> None:
        self._older = f"{channel}{SEPARATOR}"
        quoted = channel.replace("%", "%25").replace(SEPARATOR, "%23")
        special = SEPARATOR in channel
        self._prefix = f"{SEPARATOR}{quoted}{SEPARATOR}" if special else self._older

    def name(self, house: House, scope: Scope, drafts: Sequence[Draft]) -> list[Draft]:
        """The drafts with their ids as they are stored; what an older store has keeps the one it had."""
        named = [_with_prefix(draft, self._prefix) for draft in drafts]
        if self._prefix == self._older:
            return named
        before = [_with_prefix(draft, self._older) for draft in drafts]
        known = house.store.read(lambda r: _known_alike(r, scope, before))
        return [
            old if old.external_id in known else new for old, new in zip(before, named, strict=True)
        ]

    def may_hold(self, stored: str | None) -> bool:
        """May a message of that id be of this channel? One without an id may."""
        return stored is None or stored.startswith((self._prefix, self._older))

    def bare(self, stored: str) -> str:
        """The id as it was given."""
        used = self._prefix if stored.startswith(self._prefix) else self._older
        return stored.removeprefix(used)


def _known_alike(records: Records, scope: Scope, drafts: Sequence[Draft]) -> set[str]:
    """Those of the ids that are stored with the very same words.

    With others it may be another channel's: `a` and `b#1` read as `a#b` and `1` did.
    """
    ids = [draft.external_id for draft in drafts if draft.external_id is not None]
    known = records.messages.known(scope, drafts[0].source, ids) if ids else set[str]()
    some = [draft for draft in drafts if draft.external_id in known]
    return known.difference(records.messages.differing(scope, drafts[0].source, some))


def _with_prefix(draft: Draft, prefix: str) -> Draft:
    if draft.external_id is None:
        return draft
    return draft._replace(
        external_id=checked_text("id with its channel", f"{prefix}{draft.external_id}")
    )
