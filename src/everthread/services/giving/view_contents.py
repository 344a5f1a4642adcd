"""What the view of a thread shows, so that a recall beside it need not bring it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.distilling.context_text import NOTHING_SAID, ContextText
from everthread.domain.ids import place_at
from everthread.ports import Records
from everthread.services.archive.view import view_at
from everthread.services.memory.recall import RecallRequest


class ViewContents(NamedTuple):
    """Messages by their places, from and to; and what the summary quotes of others."""

    places: Sequence[tuple[int, int]] = ()
    already: ContextText = NOTHING_SAID


def view_contents(records: Records, scope: Scope, thread: Thread) -> ViewContents:
    """What the thread shows now."""
    view = view_at(records, scope, thread.ref, version=thread.view_version, last=thread.last_seq)
    places = [
        (place_at(thread.ref, first), place_at(thread.ref, last)) for first, last in view.spans
    ]
    if view.summary is None:
        return ViewContents(places)
    return ViewContents(places, ContextText(records.summaries.text(scope, view.summary)))


def beyond_view(records: Records, wanted: RecallRequest, thread: int) -> RecallRequest:
    """The recall without what the context of the thread shows."""
    scope = Scope(wanted.scope.agent)
    shown = view_contents(records, scope, records.threads.get(scope, thread))
    return wanted._replace(shown=shown.places, already=shown.already)
