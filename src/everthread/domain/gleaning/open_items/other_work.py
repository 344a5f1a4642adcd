"""What was asked back about, or fell with its turn, while the agent worked on code for other requests since.

In a talk such an order waits for long. Beside code the next ones mostly take it along, or it was dropped: who
goes on asking for other work, and gets it, would come back to it. What the agent put off with a word waits.
"""

from __future__ import annotations

from collections.abc import Iterable

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.points import Points
from everthread.domain.gleaning.utterances import Excerpt
from everthread.domain.text.patterns import lazy_pattern

from .standings import WAITS

AGED, LEFT_AGED = 100, 10
"""So many messages count for one turn in which the agent worked on code for another request: after four the
order is over, and what she left for herself after ten.
"""
_LEFT = frozenset({"left", "sought"})

_CALLS = lazy_pattern(
    r'"(?:file_?path|path|target_file|filename|notebook_path|command|cmd|patch|diff)"\s*:'
)
_NAMES = lazy_pattern(r"`[^`\n]+`|\w/[\w./-]+\.\w+|\b\w+\.[a-z]{1,4}\b")


def age_by_work(
    points: Points,
    message: Message,
    since: int,
    *,
    before: int,
    done: Iterable[Excerpt] | None = None,
) -> int:
    """Once in a turn, what waits from turns before it grows older. The last turn in which it did.

    `done`: what the agent reports; None where it uses a tool.
    """
    if since == before:
        return before
    if done is None:
        works = _CALLS.search(message.content) is not None
    else:
        works = any(f.kind == "done" and _NAMES.search(f.text) for f in done)
    if not works:
        return before
    for entry in (e for e in points.of("open_item") if e.point.by == "user"):
        if entry.turn < since and entry.state in WAITS:
            entry.turn -= AGED
        elif entry.turn < since and entry.state in _LEFT:
            entry.turn -= LEFT_AGED
    return since
