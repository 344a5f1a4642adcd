"""Shown text: what the agent is given since a distillation, as a text that is read line by line."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.distilling.summaries_lines import unfold_paths
from everthread.domain.recall.search_text import search_text
from everthread.ports import Records
from everthread.services.archive.view import view_at, view_messages


def shown_text(records: Records, scope: Scope, receipt: Receipt) -> str:
    """What the agent is given since the distillation, or was, once a later summary is shown.

    What a later one left out is none of its doing: it is held against the view of its own time, with
    its own summary as it reads today.
    """
    thread = records.threads.get(scope, receipt.thread_ref)
    view = view_at(records, scope, thread.ref, version=thread.view_version, last=thread.last_seq)
    rows = records.summaries.all(scope, thread.ref)
    own = [row for row in rows if row.receipt_ref == receipt.ref]
    if view.summary not in own and own:
        last = int(receipt.detail.get("last_seq", thread.last_seq))
        then = view_at(records, scope, thread.ref, version=own[0].since_version, last=last)
        view = then._replace(summary=own[-1])
    return given_text(view_messages(records, scope, thread.ref, view))


def given_text(messages: Sequence[Message]) -> str:
    """What the agent is given by these messages of its view."""
    return "\n".join(map(_words, messages))


def _words(message: Message) -> str:
    """What of a message can be read line by line: its words, calls and results."""
    return unfold_paths(message.text) if message.kind == "summary" else search_text(message)
