"""What the view of a thread shows, so that a recall beside it need not bring it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.distilling.already import NOTHING_SAID, Already
from everthread.domain.ids import place_at
from everthread.ports import Records
from everthread.services.archive.view import view_at
from everthread.services.memory.recall import Asked


class InView(NamedTuple):
    """Messages by their places, from and to; and what the summary quotes of others."""

    places: Sequence[tuple[int, int]] = ()
    already: Already = NOTHING_SAID


def in_view(records: Records, scope: Scope, thread: Thread) -> InView:
    """What the thread shows now."""
    view = view_at(records, scope, thread.ref, version=thread.view_version, last=thread.last_seq)
    places = [
        (place_at(thread.ref, first), place_at(thread.ref, last)) for first, last in view.spans
    ]
    if view.summary is None:
        return InView(places)
    return InView(places, Already(records.summaries.text(scope, view.summary)))


def beyond_view(records: Records, wanted: Asked, thread: int) -> Asked:
    """The recall without what the context of the thread shows."""
    scope = Scope(wanted.scope.agent)
    shown = in_view(records, scope, records.threads.get(scope, thread))
    return wanted._replace(shown=shown.places, already=shown.already)
